"""Many machines of one Model at once, on a CPU or a GPU."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from gori.errors import FileError, GoriError, InputError, UnsupportedError
from gori.integrate import Loops, Method, SemiImplicit, method_of
from gori.kernels.codes import OK
from gori.model import Model, State, compile
from gori.model.variants import SHARED_BY_RUNS, described, settable_forces, with_held_forces, with_own_tables
from gori.model.varied.slopes import Slope, slopes_of, values_at
from gori.sim.batch.arguments import (
    Mask,
    Which,
    machine_count,
    machine_index,
    machine_mask,
    on_host,
    refuse_fewer,
    refuse_other_sets,
    refuse_unable,
    step_count,
    worker_count,
)
from gori.sim.batch.channels import BatchInputs, BatchOutputs
from gori.sim.batch.saved import load_kept, save_kept
from gori.sim.batch.varied import Numbers, digest_of, numbers_of, with_inputs
from gori.sim.callers.interrupts import RunInterrupts
from gori.sim.callers.turn import Turn
from gori.sim.failure import explain
from gori.sim.grid import grid_of, require_seconds
from gori.sim.progress import Progress
from gori.sim.simulation import Simulation
from gori.spec import Spec
from gori.text.arguments import is_one_of

BLOCK_STEPS = 256
"""steps between two looks at Ctrl-C"""


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
    DeviceArrays, which CuPy, Numba and PyTorch take without a copy. What is written to q and v counts from the next
    step on. Methods that keep slopes of earlier steps then start afresh: on a CPU by themselves, on a GPU after
    `restart`.
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
        self.count = machine_count(count)
        if not is_one_of(device, ("cpu", "cuda")):
            raise InputError(f"device must be 'cpu' or 'cuda', not {device!r}")
        if not isinstance(model, Model | Spec):
            raise InputError(f"a batch has machines of a Model or of a Spec, not of {model!r:.100}")
        parameters = {} if parameters is None else parameters
        if not isinstance(parameters, Mapping):
            raise InputError(f"parameters must be {{path of the Spec: values}}, not {parameters!r:.100}")
        workers = worker_count(workers)
        self.device, self._given = device, state is not None
        self.method = method_of(SemiImplicit() if method is None else method)
        if self.method.adaptive:
            raise UnsupportedError(f"{self.method.kind} uses adaptive steps: machines of a batch take the same ones")
        varied: list[Numbers] = []
        self._parameters = dict(parameters)
        self._fingerprints: dict[int, str] = {}
        self._spec, self._source = described(model), model
        if parameters:
            model, varied = numbers_of(model, parameters)
            refuse_fewer(varied, self.count)
        elif isinstance(model, Spec):
            model = compile(model)
        self._turn = Turn("Batch", "step it from one thread, for it has threads of its own")
        self._digest = digest_of(varied)
        self.sets = max((numbers.values.shape[1] for numbers in varied), default=0)
        self._set = np.arange(self.count)
        self._forces = settable_forces(model)
        self.model = with_held_forces(model, self._forces)
        refuse_unable(self.model, device, bool(varied))
        self._varied = varied = with_inputs(self.model, varied)
        if state is not None and (moved := [numbers for numbers in varied if numbers.path == "y"]):
            raise InputError(
                f"parameters change where machines start ({moved[0].values.shape[0]} numbers of q and v), and state= "
                "says where all of them do: leave one of them out. Where machines are is written to batch.q and batch.v"
            )
        options: dict[str, Any] = {"loops": loops, "sub_steps": sub_steps}
        self._options, self._threads = options | {"workers": workers}, workers
        apart = any(numbers.path.removeprefix("machine.") in SHARED_BY_RUNS for numbers in varied)

        self._make = make = partial(_one_machine, self.model, apart, self.method, state, options)
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
        times = self._machines.times()
        times.flags.writeable = False
        return times

    @property
    def bytes_per_machine(self) -> int:
        """Memory of each machine [bytes]."""
        return self._machines.bytes_per_machine

    def spec(self, machine: int) -> Spec:
        """The Spec of one machine, with its parameters."""
        return self._spec_of(machine)

    def _spec_of(self, machine: int) -> Spec:
        one = int(self._set[machine_index(machine, self.count)])
        values = {path: values[one] for path, values in self._parameters.items()}
        return self._spec.set({path: getattr(value, "tolist", lambda v=value: v)() for path, value in values.items()})

    def state(self, machine: int) -> State:
        """The State of one machine: a Simulation of its Model goes on from it, of the Spec that `spec` gives where
        `parameters` differ. Inputs of forces are not in it: hand them to the Simulation as `force_values`.
        """
        with self._turn:
            self._machines.fetch(machine_index(machine, self.count))
            state = self._machines.simulation.state
            return state if not self._varied else tagged(state, self._fingerprint(machine))

    def _fingerprint(self, machine: int) -> str:
        """Of the Model of one machine."""
        one = int(self._set[machine])
        if one not in self._fingerprints:
            self._fingerprints[one] = compile(self._spec_of(machine), self.model.open_loops).fingerprint
        return self._fingerprints[one]

    def reset(self, machines: Which = None, state: State | None = None) -> None:
        """Put machines into a State, by default that of their start; they then have not failed. Inputs of forces are
        those of the Spec again.

        machines   a mask (machines,), indices, or one index; default: all
        """
        with self._turn:
            simulation, chosen = self._machines.simulation, self._chosen(machines)
            simulation.state = self._start if state is None else self._accepted(state, on_host(chosen))
            simulation.stepper.plan_steps(1)
            simulation.stepper.data.values[:] = self._values  # the machine that stood there may have had others
            self._machines.store(chosen)  # pyright: ignore[reportArgumentType]  # only a GPU has masks of its own
            for numbers in self._varied:
                if not numbers.of_tables and (numbers.of_machine or (state is None and not self._given)):
                    self._machines.put(numbers.of_sets(self._set), on_host(chosen))
            if self._varied and self.model.vehicle is not None:
                self._machines.start_vehicles(on_host(chosen))

    def _accepted(self, state: State, chosen: np.ndarray) -> State:
        """A State that is of the Model of one of the chosen machines, as one of the Model that all share."""
        own = self.model.fingerprint
        if not self._varied or state.model in ("", own) or not chosen.any():
            return state
        return tagged(state, own) if state.model == self._fingerprint(int(np.argmax(chosen))) else state

    def assign(self, sets: Sequence[int] | np.ndarray, machines: Which = None) -> None:
        """Give machines other sets of the values of `parameters`, of which there may be more than machines. What was
        computed from them at the start, as the height of wheels, follows at the next reset.

        sets       numbers of sets (machines,), of which those of the chosen machines count
        machines   a mask (machines,), indices, or one index; default: all
        """
        with self._turn:
            self._assign(np.asarray(sets), on_host(self._chosen(machines)))

    def _assign(self, sets: np.ndarray, chosen: np.ndarray) -> None:
        refuse_other_sets(sets, chosen, self.sets)
        self._set[chosen] = sets[chosen]
        for numbers in self._varied:
            if numbers.of_tables:
                self._machines.put(numbers.of_sets(self._set), chosen)

    def differing(self, table: str) -> np.ndarray:
        """Words of a table of the Model, such as "body_f", in which machines differ by their `parameters`."""
        found = [numbers.words for numbers in self._varied if numbers.path == f"machine.{table}"]
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def with_parameters(self, parameters: Mapping[str, Any]) -> "Batch":
        """Another batch of as many machines, with other values of these parameters, and all else as at the start."""
        made = {**self._parameters, **parameters}
        return Batch(
            self._source, self.count, self.method, device=self.device, parameters=made, **self._options
        )  # fmt: skip

    @property
    def engine(self) -> Any:
        """What moves the machines: CpuMachines or CudaMachines."""
        return self._machines

    @property
    def threads(self) -> int:
        """How many threads of the CPU move the machines."""
        return self._threads

    def another(self) -> Simulation:
        """A Simulation of one machine, as those that the batch itself moves."""
        return self._make()

    def numbers(self) -> list[Numbers]:
        """What machines differ in by their `parameters`, for each machine as it stands."""
        return [numbers.of_sets(self._set) for numbers in self._varied]

    def slopes(self, path: str) -> dict[str, Slope]:
        """Rates of the tables of machines with a number or a vector of the Spec, by table."""
        sets = len(next(iter(self._parameters.values()))) if self._parameters else 1
        values = values_at(self._spec, self._parameters, [path], sets)[path]
        return slopes_of(self._source, self._parameters, path, values)

    def shape_of(self, path: str) -> tuple[int, ...]:
        """Shape of the number or the vector of a path of the Spec."""
        return values_at(self._spec, self._parameters, [path], 1)[path].shape[1:]

    @property
    def loop_solver(self) -> str:
        """Kind of what keeps loops closed."""
        loops = self._machines.simulation.stepper.loops
        return "" if loops is None else loops.kind

    def sets_of(self, machines: np.ndarray) -> np.ndarray:
        """Which set of the values of `parameters` machines have."""
        return self._set[machines]

    @property
    def tables_differ(self) -> bool:
        """Whether machines differ, by their `parameters`, in more than where they start."""
        return any(numbers.of_tables for numbers in self._varied)

    @property
    def codes(self) -> Any:
        """Why machines have failed, 0 if they have not (machines,): a live array, on a GPU on the device."""
        return self._machines.live_codes()

    def restart(self, machines: Which = None) -> None:
        """Start the method of machines afresh, as where a State is set: slopes of earlier steps are forgotten. For q
        and v that were written on a GPU, and where inputs have jumped; methods that keep nothing go on as before.

        machines   a mask (machines,), indices, or one index; default: all
        """
        with self._turn:
            self._machines.forget(on_host(self._chosen(machines)))

    def save(self, path: str | Path) -> None:
        """Write all that the machines keep into a file, from which `load` goes on bit for bit."""
        with self._turn:
            save_kept(path, self._tag(), self._machines.kept() | {"sets": self._set})

    def load(self, path: str | Path) -> None:
        """Go on from a file of `save` of a batch like this one."""
        with self._turn:
            kept = load_kept(path, self._tag())
            sets = kept.pop("sets", self._set)
            try:
                if self.sets:
                    refuse_other_sets(sets, np.ones(self.count, bool), self.sets)
                self._machines.keep(kept)
            except InputError as error:
                raise FileError(str(error), path) from None
            if self.sets:
                self._assign(sets, np.ones(self.count, bool))

    def _tag(self) -> str:
        whose = self.count, self.device, self.model.fingerprint, self._machines.simulation.stepper.tag()
        return " ".join(str(part) for part in (*whose, self._digest))

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise InputError("a Batch is neither pickled nor copied: save it, and load the file into another one")

    # ---- steps

    def step(self, steps: int = 1) -> None:
        """So many steps of all machines that have not failed; on a GPU one launch, which is not waited for."""
        steps = step_count(steps)
        with self._turn:
            self._machines.step(steps)

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
        failed = self._machines.failures() != OK
        failed.flags.writeable = False
        return failed

    def failures(self, most: int = 10) -> dict[int, str]:
        """Why machines have failed, in words, of the first few of them."""
        with self._turn:
            codes, found = self._machines.failures(), {}
            for machine in np.flatnonzero(codes != OK)[:most]:
                self._machines.fetch(int(machine))
                found[int(machine)] = self._machines.words.get(int(machine)) or self._explained(
                    int(machine), int(codes[machine])
                )
            return found

    def _explained(self, machine: int, code: int) -> str:
        """Why the machine that was fetched last has failed."""
        simulation = self._machines.simulation
        for name, values in self.inputs.items():
            if not np.isfinite(value := float(np.asarray(values)[machine])):
                return f"input {name!r} is {value:g} at t = {simulation.time:.6g} s: write finite numbers, or reset it"
        try:
            return _not_finite(simulation) or str(explain(simulation.stepper, simulation.user, code))
        except GoriError as error:  # what was written cannot even be looked at
            return str(error)

    def _chosen(self, machines: Which) -> Mask:
        return machine_mask(machines, self.count, self.q.device if self.device == "cuda" else None)

    def __iter__(self) -> Iterator[State]:
        return (self.state(k) for k in range(self.count))


def _one_machine(
    model: Model, apart: bool, method: Method, state: State | None, options: Mapping[str, Any]
) -> Simulation:
    """A Simulation that is ready for single steps; apart: with tables of its own that runs share otherwise."""
    simulation = Simulation(with_own_tables(model) if apart else model, method, state=state, **options)
    simulation.stepper.plan_steps(1)
    return simulation


def tagged(state: State, fingerprint: str) -> State:
    """The same State of a Model with this fingerprint."""
    return State(state.time, state.q, state.v, state.z, state.parts, fingerprint)


def _not_finite(simulation: Simulation) -> str | None:
    """Words on the first number of the state that is not finite, if one was written."""
    for name, values in (("q", simulation.q), ("v", simulation.v), ("z", simulation.stepper.z)):
        if (wrong := np.flatnonzero(~np.isfinite(values))).size:
            k = int(wrong[0])
            return f"{name}[{k}] is {values[k]:g} at t = {simulation.time:.6g} s: write finite numbers, or reset it"
    return None
