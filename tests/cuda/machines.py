"""Many machines on a GPU, from the sources of the CPU: `python -m tests.cuda.machines`, on a GPU or in the simulator.

One thread a machine (`bundles.py`). Where the CPU calls a kernel by its address, as for loops and vehicles, a thread
calls the function itself (`kernels/jit.py`).

    python -m tests.cuda.machines "a loop steps" "a vehicle steps"     by name: they compile for minutes
"""

import sys
import time
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import cuda

import gori
from gori.integrate.rates import rhs
from gori.integrate.rk4 import rk4_step_with
from gori.integrate.semi_implicit import semi_implicit_step
from gori.kernels.accelerations import accelerations
from gori.kernels.bundle import Bundle
from gori.kernels.loops.multipliers import evaluate, multipliers
from gori.kernels.vehicle.vehicle import vehicle
from gori.sim.stepper import Stepper
from tests.integrate.closed_machines import rockers
from tests.plain import plain, records

SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
COUNT, THREADS = (2, 2) if SIMULATED else (2048, 64)
H, STEPS = 1e-3, 20
ARM = Path(__file__).parents[2] / "examples" / "arm.yaml"
TREE = "machine, 0.1, q[:, t], v[:, t], z[:, t], qdd[:, t], zdot[:, t], data"
LOOPS = "machine, data, data.loops, 0.1, q[:, t], v[:, t], z[:, t], zdot[:, t], qdd[:, t]"

if SIMULATED:

    class OnDevice:
        """The same in the simulator, where all is Python: a named tuple of views for each machine."""

        def __init__(self, bundle: Bundle, machines: int, shared: bool, functions: dict[str, Any] | None = None):
            self.arrays = np.zeros(0)
            self._views = [self._view(bundle, shared) for _ in range(machines)]

        def _view(self, bundle: Bundle, shared: bool) -> Any:
            made = {}
            for name, value in bundle.members().items():
                if isinstance(value, Bundle):
                    made[name] = self._view(value, shared)
                else:
                    made[name] = np.array(value) if isinstance(value, np.ndarray) else None
            return namedtuple(type(bundle).__name__, made)(**made)

        def of(self, arrays: Any, machines: int, t: int) -> Any:
            return self._views[t]
else:
    from tests.cuda.bundles import OnDevice  # pyright: ignore[reportAssignmentType]


def launched(text: str, space: dict[str, Any], *arguments: Any) -> None:
    """Compile and call a kernel whose body is a text, with a thread for each machine."""
    source = "def many(tables, arrays, kept, q, v, z, qdd, zdot, codes):\n    t = cuda.grid(1)\n"
    source += "    if t < codes.shape[0]:\n" + "".join(f"        {line}\n" for line in text.splitlines())
    space = space | {"cuda": cuda}
    exec(compile(source, "<many machines>", "exec"), space)
    many: Any = cuda.jit(space["many"])
    many[COUNT // THREADS, THREADS](*arguments)


def compare(model: gori.Model, function: Any, call: str) -> None:
    """Accelerations of random states by a part of a kernel, on the device and in plain Python."""
    stepper = gori.Simulation(model, gori.RK4(step=H)).stepper
    machine, data = OnDevice(stepper.machine, COUNT, True), OnDevice(stepper.data, COUNT, False)
    space = {"part": plain(function) if SIMULATED else function, "machine_of": machine.of, "data_of": data.of}
    rng, nv = np.random.default_rng(0), model.nv
    q = np.tile(stepper.q, (COUNT, 1))
    if not model.loops:
        q = model.random(rng, COUNT)
    v = rng.normal(size=(COUNT, nv))
    if model.loops:
        v = np.array([gori.consistent_velocity(model, q[k], v[k]) for k in range(COUNT)])
    columns = [np.ascontiguousarray(x.T) for x in (q, v, np.zeros((COUNT, model.nz)))]
    results = [np.zeros((nv, COUNT)), np.zeros((model.nz, COUNT)), np.ones(COUNT, np.int64)]
    on_it = [cuda.to_device(x) for x in (*columns, *results)]
    text = "machine, data = machine_of(tables, codes.shape[0], t), data_of(arrays, codes.shape[0], t)\n"
    launched(text + f"codes[t] = part({call})", space, machine.arrays, data.arrays, data.arrays, *on_it)
    found, codes = on_it[3].copy_to_host().T, on_it[5].copy_to_host()
    assert not codes.any()
    scope = {"part": plain(function), "machine": records(stepper.machine), "t": 0}
    for k in range(min(COUNT, 10)):
        scope |= {"data": records(stepper.data), "q": q[k][:, None], "v": v[k][:, None]}
        scope |= {"z": np.zeros((model.nz, 1)), "qdd": np.zeros((nv, 1)), "zdot": np.zeros((model.nz, 1))}
        assert eval(f"part({call})", scope) == 0
        expected = scope["qdd"][:, 0]
        np.testing.assert_allclose(found[k], expected, atol=1e-9 * np.abs(expected).max())


def compare_steps(model: gori.Model, method: Any, step: Any, bound: float, state: gori.State | None = None) -> None:
    """Twenty steps from states of different velocities, in one launch, and by Simulations on the CPU."""
    loops: dict[str, Any] = {"loops": "multipliers"} if model.loops else {}
    first = gori.Simulation(model, method, state=state, **loops)
    stepper: Stepper = first.stepper
    kernels = {"closed": multipliers, "vehicle": vehicle}
    functions = {name: cuda.jit(device=True)(kernel.dispatcher.py_func) for name, kernel in kernels.items()}
    machine = OnDevice(stepper.machine, COUNT, True, functions)
    data, kept = OnDevice(stepper.data, COUNT, False, functions), OnDevice(stepper.memory, COUNT, False)
    shares = np.linspace(0.5, 1.0, COUNT) if state is None else np.ones(COUNT)
    y = np.repeat(stepper.y[:, None], COUNT, axis=1)
    rows = slice(model.nq, model.nq + model.nv)
    y[rows] *= shares
    on_it, codes = cuda.to_device(y), cuda.to_device(np.zeros(COUNT, np.int64))
    none = cuda.to_device(np.zeros((1, COUNT)))
    text = (
        "machines = codes.shape[0]\n"
        "machine, data = machine_of(tables, machines, t), data_of(arrays, machines, t)\n"
        "memory = kept_of(kept, machines, t)\n"
        f"for k in range({STEPS}):\n"
        f"    codes[t] += step(machine, data, memory, k * {H}, {H}, q[:, t])\n"
    )
    space = {"step": step, "machine_of": machine.of, "data_of": data.of, "kept_of": kept.of}
    began = time.perf_counter()
    launched(text, space, machine.arrays, data.arrays, kept.arrays, on_it, none, none, none, none, codes)
    found = on_it.copy_to_host()
    print(
        f"compiled and run in {time.perf_counter() - began:.1f} s, {data.size / COUNT / 1e3:.0f} kB a machine",
        file=sys.stderr,
    )
    assert not codes.copy_to_host().any()
    for k in (0, COUNT // 3, COUNT - 1):
        alone = gori.Simulation(
            model, method, state=first.state.replace(v=y[rows, k]) if state is None else state, **loops
        )
        alone.step(STEPS)
        expected = alone.stepper.y[:-1]
        assert (np.abs(found[:-1, k] - expected) / (1.0 + np.abs(expected))).max() < bound


def tree() -> None:
    """An arm with dampers and limits."""
    compare(gori.compile(gori.load(ARM)), accelerations, TREE)


def loops() -> None:
    """A four-bar by multipliers, with sparse factors."""
    compare(gori.compile(rockers()), evaluate, LOOPS)


def tree_steps() -> None:
    """The same arm over time."""
    model = gori.compile(gori.load(ARM))
    state = model.state().replace(v=np.linspace(-1.0, 1.0, model.nv))
    compare_steps(model, gori.RK4(step=H), rk4_step_with(rhs), 1e-12, state)


def loop_steps() -> None:
    """The four-bar over time: its solver is called as a function."""
    compare_steps(gori.compile(rockers()), gori.SemiImplicit(step=H), semi_implicit_step, 1e-12)


def vehicle_steps() -> None:
    """A vehicle on hard ground, from rest at 3 m/s."""
    model = gori.compile(gori.vehicle.spec("hmmwv"))
    state = gori.at_rest(model, speed=3.0)
    compare_steps(model, gori.SemiImplicit(step=H), semi_implicit_step, 1e-9, state)


CASES: dict[str, Callable[[], None]] = {"a tree": tree}
"""tables in the simulator have no fields as attributes"""
if not SIMULATED:
    CASES |= {"a loop": loops, "a tree steps": tree_steps}
SLOW: dict[str, Callable[[], None]] = {"a loop steps": loop_steps, "a vehicle steps": vehicle_steps}
"""which compile for minutes"""


def main(*names: str) -> int:
    for name in names or CASES:
        (CASES | SLOW)[name]()
        print(f"{name}: good", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
