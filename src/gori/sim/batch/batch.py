"""Many machines of one Model at once, on a CPU or a GPU."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.integrate import Loops, Method, SemiImplicit, method_of
from gori.kernels.codes import OK
from gori.kernels.device_array import DeviceArray
from gori.model import Model, State, compile
from gori.model.threads import threads
from gori.model.variants import SHARED_BY_RUNS, settable_forces, with_held_forces, with_own_tables
from gori.sim.batch.channels import BatchInputs, BatchOutputs
from gori.sim.batch.saved import load_kept, save_kept
from gori.sim.batch.varied import Numbers, digest_of, numbers_of
from gori.sim.callers.interrupts import RunInterrupts
from gori.sim.callers.turn import Turn
from gori.sim.failure import explain
from gori.sim.grid import MOST as MOST_STEPS
from gori.sim.grid import grid_of, require_seconds
from gori.sim.progress import Progress
from gori.sim.simulation import Simulation
from gori.spec import Spec

BLOCK_STEPS = 256
"""steps between two looks at Ctrl-C"""
MOST = 1 << 31
"""machines"""
Which = np.ndarray | Sequence[int] | Sequence[bool] | int | None
"""machines of a batch: a mask, indices, one index; None: all"""
Mask = np.ndarray | DeviceArray
"""machines of a batch: of bool, or of bytes on a GPU"""


class Batch:
    """Many machines of one Model, each with its own state, inputs and parameters.

    method       with a fixed step; default: SemiImplicit(step=1e-3)
    device       "cpu": threads, with the results of a Simulation to the last bit; "cuda": a GPU, a thread for each
    state        where all start; default: `model.state()`
    parameters   {path in the Spec: values (machines, ...)}: numbers in which they differ. Of a joint that closes a loop
                 only a Spec knows, as it was written: give that instead of the Model
    loops        how loops are kept closed, as in a Simulation
    sub_steps    {drive train: largest step of its own [s]}, as in a Simulation
    workers      threads of the CPU; default: `gori.threads()`

    Arrays have the machine as their first axis, and are those of the batch itself: NumPy's on a CPU, on a GPU
    DeviceArrays, which PyTorch, JAX and CuPy take without a copy. What is written to q and v counts from the next step
    on, but methods that keep slopes of earlier steps (adams, adams_moulton, generalized_alpha) go on with those: give
    `reset` a State instead.
    """

    def __init__(
        self,
        model: Model | Spec,
        count: int,
        method: Method | dict | str | None = None,
        *,
        device: Literal["cpu", "cuda"] = "cpu",
        state: State | None = None,
        parameters: Mapping[str, Any] | None = None,
        loops: Loops | dict | str | None = None,
        sub_steps: Mapping[str, float] | None = None,
        workers: int | None = None,
    ):
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 0 < count < MOST:
            raise InputError(f"a batch has a positive number of machines, not {count!r}")
        if device not in ("cpu", "cuda"):
            raise InputError(f"device must be 'cpu' or 'cuda', not {device!r}")
        workers = threads() if workers is None else workers
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise InputError(f"workers must be a positive integer, not {workers!r}")
        self.count, self.device, self._given = int(count), device, state is not None
        self.method = method_of(SemiImplicit() if method is None else method)
        if self.method.adaptive:
            raise UnsupportedError(f"{self.method.kind} uses adaptive steps: machines of a batch take the same ones")
        varied: list[Numbers] = []
        if parameters:
            model, varied = numbers_of(model, parameters)
            _refuse_fewer(varied, self.count)
        elif isinstance(model, Spec):
            model = compile(model)
        self._turn = Turn("Batch", "step it from one thread, for it has threads of its own")
        self._parameters = digest_of(varied)
        self._varied, self.sets = varied, max((numbers.values.shape[1] for numbers in varied), default=0)
        self._set = np.arange(self.count)
        self._forces = settable_forces(model)
        self.model = with_held_forces(model, self._forces)
        _refuse_unable(self.model, device)
        options: dict[str, Any] = {"loops": loops, "sub_steps": sub_steps}
        apart = any(numbers.path.removeprefix("machine.") in SHARED_BY_RUNS for numbers in varied)

        def make() -> Simulation:
            own = with_own_tables(self.model) if apart else self.model
            simulation = Simulation(own, self.method, state=state, **options)
            simulation.stepper.plan_steps(1)
            return simulation

        if device == "cpu":
            from gori.sim.batch.cpu import CpuMachines as Machines
        else:
            from gori.sim.batch.cuda import CudaMachines as Machines
        self._machines = Machines(make, self.count, workers, [numbers.of_sets(self._set) for numbers in varied])
        self._start = self._machines.simulation.state
        self._values = self._machines.simulation.stepper.data.values.copy()
        self.inputs = BatchInputs(self.model, self._forces, self._machines)
        """{name: values (machines,)}: torques, forces and targets of motors of the Spec, and what drivers do"""
        self.outputs = BatchOutputs(self.model, self._machines)
        """{channel: values (machines,)} of wheels and drive trains"""
        self.reset()

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<gori batch of {self.count} machines, {self.method.kind}, on {self.device}: {self.model!r}>"

    # ---- state

    @property
    def q(self) -> Any:
        """Coordinates now (machines, nq)."""
        return self._machines.array("y")[:, : self.model.nq]

    @property
    def v(self) -> Any:
        """Velocities now (machines, nv)."""
        return self._machines.array("y")[:, self.model.nq : self.model.nq + self.model.nv]

    @property
    def z(self) -> Any:
        """Internal states of force elements (machines, nz)."""
        return self._machines.array("y")[:, self.model.nq + self.model.nv : -1]

    @property
    def work(self) -> Any:
        """Work of all that has no potential, so far (machines,) [J]."""
        return self._machines.array("y")[:, -1]

    @property
    def time(self) -> np.ndarray:
        """Time that each machine has reached (machines,) [s]."""
        return self._machines.times()

    @property
    def bytes_per_machine(self) -> int:
        """Memory of each machine [bytes]."""
        return self._machines.bytes_per_machine

    def state(self, machine: int) -> State:
        """The State of one machine: a Simulation goes on from it."""
        with self._turn:
            self._machines.fetch(self._index(machine))
            return self._machines.simulation.state

    def reset(self, machines: Which = None, state: State | None = None) -> None:
        """Put machines into a State, by default that of their start; they then have not failed. Inputs of forces are
        those of the Spec again.

        machines   a mask (machines,), indices, or one index; default: all
        """
        with self._turn:
            simulation, chosen = self._machines.simulation, self._chosen(machines)
            simulation.state = self._start if state is None else state
            simulation.stepper.plan_steps(1)
            simulation.stepper.data.values[:] = self._values  # the machine that stood there may have had others
            self._machines.store(chosen)
            if state is None and not self._given:
                for numbers in self._varied:
                    if not numbers.of_tables:
                        self._machines.put(numbers.of_sets(self._set), self._on_host(chosen))

    def assign(self, sets: Sequence[int] | np.ndarray, machines: Which = None) -> None:
        """Give machines other sets of the values of `parameters`, of which there may be more than machines. What was
        computed from them at the start, as the height of wheels, follows at the next reset.

        sets       numbers of sets (machines,), of which those of the chosen machines count
        machines   a mask (machines,), indices, or one index; default: all
        """
        with self._turn:
            self._assign(np.asarray(sets), self._on_host(self._chosen(machines)))

    def _assign(self, sets: np.ndarray, chosen: np.ndarray) -> None:
        if sets.shape != (self.count,) or sets.dtype.kind not in "iu":
            raise InputError(f"sets must be {self.count} whole numbers, one for each machine, not {sets!r}")
        if chosen.any() and not 0 <= sets[chosen].min() <= sets[chosen].max() < self.sets:
            raise InputError(f"sets must be numbers from 0 to {self.sets - 1}: parameters are given for {self.sets}")
        self._set[chosen] = sets[chosen]
        for numbers in self._varied:
            if numbers.of_tables:
                self._machines.put(numbers.of_sets(self._set), chosen)

    def differing(self, table: str) -> np.ndarray:
        """Words of a table of the Model, such as "body_f", in which machines differ by their `parameters`."""
        found = [numbers.words for numbers in self._varied if numbers.path == f"machine.{table}"]
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    @property
    def tables_differ(self) -> bool:
        """Whether machines differ, by their `parameters`, in more than where they start."""
        return any(numbers.of_tables for numbers in self._varied)

    @property
    def codes(self) -> Any:
        """Why machines have failed, 0 if they have not (machines,): a live array, on a GPU on the device."""
        return self._machines.live_codes()

    def save(self, path: str | Path) -> None:
        """Write all that the machines keep into a file, from which `load` goes on bit for bit."""
        with self._turn:
            save_kept(path, self._tag(), self._machines.kept() | {"sets": self._set})

    def load(self, path: str | Path) -> None:
        """Go on from a file of `save` of a batch like this one."""
        with self._turn:
            kept = load_kept(path, self._tag())
            sets = kept.pop("sets", self._set)
            self._machines.keep(kept)
            if self.sets:
                self._assign(sets, np.ones(self.count, bool))

    def _tag(self) -> str:
        whose = self.count, self.device, self.model.fingerprint, self._machines.simulation.stepper.tag()
        return " ".join(str(part) for part in (*whose, self._parameters))

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise InputError("a Batch is neither pickled nor copied: save it, and load the file into another one")

    # ---- steps

    def step(self, steps: int = 1) -> None:
        """So many steps of all machines that have not failed; on a GPU one launch, which is not waited for."""
        if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or not 1 <= steps <= MOST_STEPS:
            raise InputError(f"the number of steps must be an integer from 1 to {MOST_STEPS}, not {steps!r}")
        with self._turn:
            self._machines.step(int(steps))

    def run(self, duration: float, progress: bool = True) -> None:
        """Steps for a duration [s], with a bar if it takes more than two seconds; Ctrl-C stops between two blocks."""
        require_seconds("duration", duration)
        h = float(self.method.settings()["step"])
        left = total = grid_of(duration, duration, h).steps
        bar = Progress(progress, 0.0, duration)
        try:
            with self._turn, RunInterrupts() as interrupts:
                while left > 0:
                    steps = min(left, BLOCK_STEPS)
                    self._machines.step(steps)
                    self._machines.synchronise()
                    left -= steps
                    bar.move((total - left) * h)
                    interrupts.check()
        finally:
            bar.close()

    # ---- failures

    @property
    def failed(self) -> np.ndarray:
        """Which machines have failed (machines,); they stand at their last good state until they are reset."""
        return self._machines.failures() != OK

    def failures(self, most: int = 10) -> dict[int, str]:
        """Why machines have failed, in words, of the first few of them."""
        with self._turn:
            codes, found = self._machines.failures(), {}
            for machine in np.flatnonzero(codes != OK)[:most]:
                self._machines.fetch(int(machine))
                simulation = self._machines.simulation
                words = _not_finite(simulation) or explain(simulation.stepper, simulation.user, int(codes[machine]))
                found[int(machine)] = str(words)
            return found

    # ---- arguments

    def _index(self, machine: int) -> int:
        if isinstance(machine, bool) or not isinstance(machine, (int, np.integer)) or not 0 <= machine < self.count:
            raise InputError(f"machine must be a number from 0 to {self.count - 1}, not {machine!r}")
        return int(machine)

    def _chosen(self, machines: Which) -> Any:
        """A mask from whatever says which machines. One on a GPU stays there."""
        if machines is None:
            return np.ones(self.count, bool)
        if self.device == "cuda" and getattr(machines, "__cuda_array_interface__", None) is not None:
            return _mask_on_gpu(machines, self.count, self.q.device)
        try:
            chosen = np.asarray(machines)
        except ValueError:
            raise InputError(f"machines must be a mask, or a row of indices, not {machines!r}") from None
        if chosen.size == 0:
            return np.zeros(self.count, bool)
        if chosen.dtype == bool:
            if chosen.shape != (self.count,):
                raise InputError(f"a mask of machines must be of shape ({self.count},), not {chosen.shape}")
            return chosen
        if chosen.dtype.kind not in "iu" or not 0 <= chosen.min() <= chosen.max() < self.count:
            raise InputError(f"machines must be a mask, or indices from 0 to {self.count - 1}, not {machines!r}")
        mask = np.zeros(self.count, bool)
        mask[chosen] = True
        return mask

    @staticmethod
    def _on_host(mask: Mask) -> np.ndarray:
        """A mask as a NumPy array."""
        return mask if isinstance(mask, np.ndarray) else mask.copy_to_host() != 0

    def __iter__(self) -> Iterator[State]:
        return (self.state(k) for k in range(self.count))


def _not_finite(simulation: Simulation) -> str | None:
    """Words on the first number of the state that is not finite, if one was written."""
    for name, values in (("q", simulation.q), ("v", simulation.v), ("z", simulation.stepper.z)):
        if (wrong := np.flatnonzero(~np.isfinite(values))).size:
            k = int(wrong[0])
            return f"{name}[{k}] is {values[k]:g} at t = {simulation.time:.6g} s: write finite numbers, or reset it"
    return None


def _mask_on_gpu(values: Any, count: int, device: int) -> DeviceArray:
    """A mask on a GPU (machines,), of bool or of numbers of one byte, as a DeviceArray of bytes."""
    found = values.__cuda_array_interface__
    packed = np.dtype(found["typestr"]).itemsize == 1 and found.get("strides") is None
    if tuple(found["shape"]) != (count,) or not packed:
        raise InputError(f"a mask of machines on a GPU must be of shape ({count},), of bool or uint8, and contiguous")
    return DeviceArray(found["data"][0], (count,), np.uint8, owner=values, device=device)


def _refuse_fewer(varied: list[Numbers], count: int) -> None:
    for numbers in varied:
        if numbers.values.shape[1] < count:
            raise InputError(
                f"parameters are given for {numbers.values.shape[1]} machines, and the batch has {count}: "
                "give each its own; there may be more of them than machines (Batch.assign)"
            )


def _refuse_unable(model: Model, device: str) -> None:
    """Refuse by name what machines of a batch cannot have yet."""
    refused = {
        "particles": model.particles is not None,
        "contact between bodies on a GPU": model.contact is not None and device == "cuda",
        "controls of the Spec, which set inputs by Python": model.vehicle is not None and model.vehicle.schedules,
    }
    for words, there in refused.items():
        if there:
            raise UnsupportedError(f"a batch does not support {words}: use gori.batch with a list of Simulations")
