"""Many machines on a GPU, from the sources of the CPU: `python -m tests.cuda.machines`, on a GPU or in the simulator.

One thread a machine. Arrays of all machines stand side by side, with the machine as the last axis, so that threads read
neighbouring numbers: kernels get views `W[:, :, t]`, tables that all share, and no address of other code.
"""

import sys
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import cuda

import gori
from gori.kernels.accelerations import accelerations
from gori.kernels.bundle import Bundle
from gori.kernels.loops.multipliers import evaluate
from tests.integrate.closed_machines import rockers
from tests.plain import plain, records

SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
COUNT, THREADS = (2, 2) if SIMULATED else (2048, 128)
ADDRESSES = ("user", "core", "closed", "vehicle", "penalty", "solver")
ARM = Path(__file__).parents[2] / "examples" / "arm.yaml"


class OnDevice:
    """A bundle for many machines: `arrays` on the device, and `of(arrays, t)`, which gives the members of machine t."""

    def __init__(self, bundle: Bundle, count: int, shared: bool):
        arrays: list[Any] = []
        self.of = _members_of(bundle, type(bundle).__name__, arrays, count, shared)
        self.arrays = tuple(arrays)


def _members_of(bundle: Bundle, name: str, arrays: list[Any], count: int, shared: bool) -> Callable:
    """A device function that makes a named tuple of all members; as text, since kernels cannot loop over types."""
    space: dict[str, Any] = {"Members": namedtuple(name, list(bundle.members()))}
    given = []
    for member, value in bundle.members().items():
        if member in ADDRESSES:
            given.append("None")
        elif isinstance(value, Bundle):
            space[member] = _members_of(value, f"{name}_{member}", arrays, count, shared)
            given.append(f"{member}(arrays, t)")
        elif shared:
            given.append(f"arrays[{len(arrays)}]")
            arrays.append(cuda.to_device(np.array(value)))
        elif value.dtype.names:  # records of one machine after the other
            given.append(f"arrays[{len(arrays)}][t * {len(value)} : (t + 1) * {len(value)}]")
            arrays.append(cuda.to_device(np.tile(value, count)))
        else:
            given.append(f"arrays[{len(arrays)}][{':, ' * value.ndim}t]")
            arrays.append(cuda.to_device(np.ascontiguousarray(np.repeat(value[..., None], count, axis=-1))))
    text = f"def members(arrays, t):\n    return Members({', '.join(given)})"
    exec(compile(text, f"<members of {name}>", "exec"), space)
    return cuda.jit(device=True)(space["members"])


def compare(model: gori.Model, function: Any, call: str) -> None:
    """Accelerations of random states by a part of a kernel, on the device and in plain Python."""
    stepper = gori.Simulation(model, gori.RK4(step=1e-3)).stepper
    machine, data = OnDevice(stepper.machine, COUNT, True), OnDevice(stepper.data, COUNT, False)
    space = {
        "part": plain(function) if SIMULATED else function,
        "machine_of": machine.of,
        "data_of": data.of,
        "cuda": cuda,
    }
    text = (
        "def many(tables, arrays, q, v, z, qdd, zdot, codes):\n"
        "    t = cuda.grid(1)\n"
        "    if t < codes.shape[0]:\n"
        "        machine, data = machine_of(tables, t), data_of(arrays, t)\n"
        f"        codes[t] = part({call})\n"
    )
    exec(compile(text, "<many machines>", "exec"), space)
    many: Any = cuda.jit(space["many"])
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
    many[COUNT // THREADS, THREADS](machine.arrays, data.arrays, *on_it)
    found, codes = on_it[3].copy_to_host().T, on_it[5].copy_to_host()
    assert not codes.any()
    scope = {"part": plain(function), "machine": records(stepper.machine), "t": 0}
    for k in range(min(COUNT, 10)):
        scope |= {"data": records(stepper.data), "q": q[k][:, None], "v": v[k][:, None]}
        scope |= {"z": np.zeros((model.nz, 1)), "qdd": np.zeros((nv, 1)), "zdot": np.zeros((model.nz, 1))}
        assert eval(f"part({call})", scope) == 0
        expected = scope["qdd"][:, 0]
        np.testing.assert_allclose(found[k], expected, atol=1e-9 * np.abs(expected).max())


def tree() -> None:
    """An arm with dampers and limits."""
    call = "machine, 0.1, q[:, t], v[:, t], z[:, t], qdd[:, t], zdot[:, t], data"
    compare(gori.compile(gori.load(ARM)), accelerations, call)


def loops() -> None:
    """A four-bar by multipliers, with sparse factors."""
    call = "machine, data, data.loops, 0.1, q[:, t], v[:, t], z[:, t], zdot[:, t], qdd[:, t]"
    compare(gori.compile(rockers()), evaluate, call)


CASES = {"a tree": tree} if SIMULATED else {"a tree": tree, "a loop": loops}
"""tables in the simulator have no fields as attributes"""


def main(*names: str) -> int:
    for name in names or CASES:
        CASES[name]()
        print(f"{name}: good", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
