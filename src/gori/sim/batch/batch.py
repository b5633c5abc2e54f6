"""Many machines of one Model at once, on a CPU or a GPU."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NoReturn, TypedDict, Unpack, overload

import numpy as np

from gori.errors import FileError, InputError, UnsupportedError
from gori.integrate import Loops, Method, SemiImplicit, method_of
from gori.integrate.implicit import Implicit
from gori.kernels.codes import OK
from gori.model import Model, State, compile
from gori.model.variants import (
    SHARED_BY_RUNS,
    described,
    servo_words,
    settable_forces,
    with_contact_room,
    with_held_forces,
    with_own_tables,
)
from gori.model.varied.slopes import Slope, slopes_of, values_at
from gori.sim.batch.arguments import (
    Mask,
    Sets,
    Which,
    contact_room,
    machine_count,
    machine_index,
    machine_mask,
    machine_order,
    machine_sets,
    on_host,
    refuse_fewer,
    refuse_other_sets,
    refuse_settings,
    refuse_twice,
    refuse_unable,
    step_count,
    usable_device,
    worker_count,
)
from gori.sim.batch.channels import BatchInputs, BatchOutputs
from gori.sim.batch.failures import failure_words
from gori.sim.batch.laws import Laws
from gori.sim.batch.precision import is_single
from gori.sim.batch.recording import BatchRecording, samples_of
from gori.sim.batch.rest import rest_states, speeds_of, warn_of_limits, warn_of_starts
from gori.sim.batch.saved import load_kept, save_kept
from gori.sim.batch.varied import Numbers, digest_of, numbers_of, with_inputs
from gori.sim.callers.interrupts import RunInterrupts
from gori.sim.callers.turn import Turn
from gori.sim.grid import grid_of, require_seconds
from gori.sim.progress import Progress
from gori.sim.simulation import Simulation
from gori.spec import Spec
from gori.text.arguments import is_one_of

BLOCK_STEPS = 256
"""steps between two looks at Ctrl-C"""


class SolverOptions(TypedDict, total=False):
    """Options of a Batch that concern its solvers: those of a Simulation, and room for contact points."""

    loops: Loops | dict | str | None
    sub_steps: Mapping[str, float] | None
    contacts: int | None


class Batch:
    """Many machines of one Model, each with its own state, inputs and parameters.

    method       with a fixed step; default: SemiImplicit(step=1e-3)
    device       "cpu": threads, with the results of a Simulation to the last bit; "cuda": a GPU, a thread for each
    precision    of what is stored of machines on a GPU, "float64" or "float32" (`precision.py`)
    state        where all start, or a State for each; default: `model.state()`
    parameters   {path in the Spec: values (machines, ...)}: numbers in which they differ. Of a joint that closes a loop
                 only a Spec knows, as it was written: give that instead of the Model
    forces       laws f(t, q, v, tau, ...) that add to the generalised forces tau (nv,) in place: a function, several,
                 or {name: function}. What stands after tau are parameters, "forces.NAME.PARAMETER" (`laws/laws.py`)
    workers      threads of the CPU; default: `gori.threads()`
    loops        how loops are kept closed, as in a Simulation
    sub_steps    {drive train: largest step of its own [s]}, as in a Simulation
    contacts     contact points for which each machine has room: one with more of them fails. Default: on a CPU as many
                 as in a Simulation, on a GPU 8 for each shape that collides

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
        precision: Literal["float64", "float32"] = "float64",
        state: State | Sequence[State] | None = None,
        parameters: Mapping[str, Any] | None = None,
        forces: Callable | Sequence[Callable] | Mapping[str, Callable] | None = None,
        workers: int | None = None,
        **solver: Unpack[SolverOptions],
    ):
        if unknown := solver.keys() - SolverOptions.__annotations__.keys():
            raise TypeError(f"Batch() got an unexpected keyword argument {min(unknown)!r}")
        self.count = machine_count(count)
        if not isinstance(model, Model | Spec):
            raise InputError(f"a batch has machines of a Model or of a Spec, not of {model!r:.100}")
        parameters = {} if parameters is None else parameters
        if not isinstance(parameters, Mapping):
            raise InputError(f"parameters must be {{path of the Spec: values}}, not {parameters!r:.100}")
        self._workers = workers = worker_count(workers)
        self.device, self._given = usable_device(device), state is not None
        one = state if isinstance(state, State) else None
        self._starts = None if state is None or isinstance(state, State) else states_of(state, self.count)
        self.method = method_of(SemiImplicit() if method is None else method)
        if self.method.adaptive:
            raise UnsupportedError(f"{self.method.kind} uses adaptive steps: machines of a batch take the same ones")
        varied: list[Numbers] = []
        self._laws = Laws(forces, parameters)
        self._parameters = parameters = self._laws.others(parameters)
        self._fingerprints: dict[int, str] = {}
        self._spec, self._source = described(model), model
        refuse_settings(parameters, self._spec)
        if parameters:
            model, varied = numbers_of(model, parameters)
            refuse_fewer(varied, self.count)
        elif isinstance(model, Spec):
            model = compile(model)
        warn_of_starts(model, self._spec, varied, parameters)
        warn_of_limits(self._spec, parameters)
        self._turn = Turn("Batch", "step it from one thread, for it has threads of its own")
        self._forces, self._given_model = settable_forces(model), model
        held = with_held_forces(model, self._forces)
        refuse_unable(held, self.device, self.method)
        self.model = self._laws.model(with_contact_room(held, contact_room(held, self.device, solver.get("contacts"))))
        self._law_numbers = self._laws.numbers(self.model)
        refuse_fewer(self._law_numbers, self.count)
        self._digest = digest_of([*varied, *self._law_numbers]) + self._laws.digest
        self.sets = max((numbers.values.shape[1] for numbers in [*varied, *self._law_numbers]), default=0)
        self._varied = varied = with_inputs(self.model, varied)
        if state is not None and (moved := [numbers for numbers in varied if numbers.path == "y"]):
            raise InputError(
                f"parameters change where machines start ({moved[0].values.shape[0]} numbers of q and v), and state= "
                "says where all of them do: leave one of them out. Where machines are is written to batch.q and batch.v"
            )
        single = is_single(precision, self.model, self.device)
        self._options: dict[str, Any] = {**solver, "workers": workers}
        options = {name: option for name, option in solver.items() if name != "contacts"}
        known = self._starts or ([one] if one is not None else [])
        options |= {"forces": self._laws.force(self.model, self.device == "cuda", known)}
        apart = any(numbers.path.removeprefix("machine.") in SHARED_BY_RUNS for numbers in varied)
        self._make = make = partial(_one_machine, self.model, apart, self.method, one, options)
        own = [*varied, *self._law_numbers]
        if self.device == "cpu":
            from gori.sim.batch.cpu import CpuMachines

            self._machines = CpuMachines(make, self.count, workers, own)
        else:
            from gori.sim.batch.cuda import CudaMachines

            self._machines = CudaMachines(make, self.count, workers, own, single=single)
        self.precision = precision
        self._values = self._machines.simulation.stepper.data.values.copy()
        self.servos: dict[str, tuple[float, float, float]] = {}
        """{name of a torque or force: kp, kd, largest effort} of those whose inputs are targets"""
        self.inputs = BatchInputs(self.model, self._forces, self._machines, self._laws.inputs(self.model))
        """{name: values (machines,)}: torques, forces and targets of motors of the Spec, and what drivers do"""
        self.outputs = BatchOutputs(self.model, self._machines)
        """{channel: values (machines,)} of wheels and drive trains"""
        self._at(self._machines.simulation.state)
        self._machines.keep_start()
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
    def soil_forgotten(self) -> Any:
        """Touched cells of soft soil that machines have forgotten, since `terrain.soft.window` has no place for them
        (machines,): where none are, machines are as with the whole grid. Without a window all are 0.
        """
        windowed = self.model.vehicle is not None and self.model.vehicle.windowed
        return self._machines.array("data.forgotten")[:, 0] if windowed else np.zeros(self.count, np.int64)

    @property
    def bytes_per_machine(self) -> int:
        """Memory of each machine [bytes]."""
        return self._machines.bytes_per_machine

    def spec(self, machine: int) -> Spec:
        """The Spec of one machine, with its parameters."""
        return self._spec_of(machine)

    def _spec_of(self, machine: int) -> Spec:
        return self._spec_of_set(int(self._set[machine_index(machine, self.count)]))

    def _spec_of_set(self, one: int) -> Spec:
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

    def reset(self, machines: Which = None, state: State | Sequence[State] | None = None) -> None:
        """Put machines into a State, by default that of their start; they then have not failed. Inputs of forces are
        those of the Spec again.

        machines   a mask (machines,), indices, or one index; default: all
        state      of all that are chosen, or one for each of them: in the order of the indices, or of the batch
        """
        if state is None and self._starts is not None:
            chosen = np.flatnonzero(on_host(self._chosen(machines)))
            self._reset_each(chosen, [self._starts[k] for k in chosen])
        elif state is None or isinstance(state, State):
            self._reset(machines, state)
        else:
            chosen = machine_order(machines, self.count, self._gpu)
            refuse_twice(chosen, "State")
            self._reset_each(chosen, states_of(state, len(chosen), chosen))

    def _reset_each(self, chosen: np.ndarray, states: Sequence[State]) -> None:
        """Machines into States of their own; those that share one State and their parameters at once."""
        alike: dict[tuple[int, int], list[int]] = {}
        sets = self._set if self._varied else np.zeros(self.count, np.int64)
        for machine, state in zip(chosen, states):
            alike.setdefault((id(state), int(sets[machine])), []).append(int(machine))
        state_of = {id(state): state for state in states}
        for (which, _), machines in alike.items():
            try:
                if self._varied:  # tables of the machine, against which loops are checked
                    self._machines.fetch(machines[0])
                self._reset(machines, state_of[which])
            except InputError as error:
                raise InputError(f"state of machine {machines[0]}: {error}") from error

    def _reset(self, machines: Which, state: State | None) -> None:
        with self._turn:
            chosen: Any = self._chosen(machines)  # only a GPU has masks of its own
            if state is None:
                self._machines.begin(chosen)
            else:
                self._at(self._accepted(state, on_host(chosen)))
                self._machines.store(chosen)
            if self._varied or self._law_numbers:
                self._machines.put_kept(chosen, state is None and not self._given)
            if self._varied and self.model.vehicle is not None:
                self._machines.start_vehicles(chosen)

    def _at(self, state: State) -> None:
        """Put a State into the arrays of one machine."""
        simulation = self._machines.simulation
        simulation.state = state
        simulation.stepper.plan_steps(1)
        simulation.stepper.data.values[:] = self._values  # the machine that stood there may have had others

    def at_rest(self, speed: float | Sequence[float] | np.ndarray = 0.0, machines: Which = None) -> list[State]:
        """States in which vehicles stand, or roll, each with its own parameters (`gori.at_rest`); machines that share
        theirs share one State. `batch.reset(state=batch.at_rest())` puts them there.

        speed      [m/s], or one for each of the chosen machines, in the order of the States that are returned
        machines   a mask (machines,), indices, whose order is kept, or one index; default: all
        """
        chosen = machine_order(machines, self.count, self._gpu)
        sets = [int(one) for one in self._set[chosen]] if self._varied else [0] * len(chosen)
        of_machine = {one: int(k) for one, k in zip(sets, chosen)}
        models = self._models()
        return rest_states(lambda one: models(of_machine[one]), sets, speeds_of(speed, len(chosen)), self._workers)

    def _accepted(self, state: State, chosen: np.ndarray) -> State:
        """A State that is of the Model of one of the chosen machines, as one of the Model that all share."""
        own = self.model.fingerprint
        if not self._varied or state.model in ("", own) or not chosen.any():
            return state
        return tagged(state, own) if state.model == self._fingerprint(int(np.argmax(chosen))) else state

    @property
    def _set(self) -> np.ndarray:
        return self._machines.sets

    @property
    def assigned(self) -> np.ndarray:
        """Which set of the values of `parameters` each machine has (machines,), copied: at first number k has set k."""
        return self._set.copy()

    def assign(self, sets: Sets, machines: Which = None) -> None:
        """Give machines other sets of the values of `parameters`, of which there may be more than machines. What was
        computed from them at the start, as the height of wheels, follows at the next reset.

        sets       numbers of sets (machines,), sets[k] for machine k, of which those of the chosen machines count. On a
                   GPU they may be there, as the mask: nothing is then awaited, and what is no number of a set leaves
                   its machine as it is
        machines   a mask (machines,), indices, or one index; default: all
        """
        with self._turn:
            self._assign(machine_sets(sets, self.count, self._gpu), self._chosen(machines))

    def _assign(self, sets: Mask, chosen: Mask) -> None:
        if isinstance(sets, np.ndarray):
            refuse_other_sets(sets, on_host(chosen), self.sets)
        self._machines.assign(sets, chosen)  # pyright: ignore[reportArgumentType]  # only a GPU has arrays of its own

    def servo(self, name: str, kp: float, kd: float = 0.0, most: float = np.inf) -> None:
        """Let a torque or force of the Spec, by name, follow a target: tau = kp (target - q) - kd v, within +-most,
        evaluated with all other forces in each step. Its input is the target from now on, of all machines.
        """
        words = servo_words(self.model, name) if is_one_of(name, self._forces) else np.zeros(0, np.int64)
        if not words.size:
            raise InputError(f"a servo is made of a torque or force of a joint, by name, not of {name!r:.100}")
        if isinstance(self.method, Implicit):
            raise UnsupportedError(f"{self.method.kind} with servos is not there: give the Spec a motor with kp and kd")
        for what, number in (("kp", kp), ("kd", kd)):
            if not (isinstance(number, (int, float)) and np.isfinite(number) and number >= 0.0):
                raise InputError(f"{what} of a servo must be a number, at least 0, not {number!r}")
        if not (isinstance(most, (int, float)) and most > 0.0):
            raise InputError(f"the largest effort of a servo must be positive, not {most!r}")
        with self._turn:
            self.servos[name] = gains = float(kp), float(kd), float(most)
            self._machines.set_table("machine.element_f", words, np.array(gains))

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
        return self._workers

    def another(self) -> Simulation:
        """A Simulation of one machine, as those that the batch itself moves."""
        return self._make()

    def numbers(self) -> list[Numbers]:
        """What machines differ in by their `parameters`, for each machine as it stands."""
        sets = self._set
        return [numbers.of_sets(sets) for numbers in self._varied]

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
    def laws(self) -> tuple[str, ...]:
        """Names of the laws of forces that were given as functions."""
        return tuple(law.name for law in self._laws.laws)

    @property
    def tables_differ(self) -> bool:
        """Whether machines differ, by their `parameters`, in more than where they start."""
        return any(numbers.of_tables for numbers in self._varied)

    def contact_wrench(self, body: str) -> Any:
        """Of contact on a body (machines, 6): moment about the origin of the body [N m], force [N]; world axes."""
        known = () if self.model.contact is None else self.model.contact.touched
        if not is_one_of(body, known):
            raise InputError(f"contact puts no force on {body!r}: there are {', '.join(known) or 'no such bodies'}")
        try:
            return self._machines.array("data.contact_memory.wrench")[:, known.index(body)]
        except KeyError:  # steps do not touch it
            raise UnsupportedError("contact wrenches are not computed on this device; use device='cpu'") from None

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
        single = (self.precision,) if self.precision != "float64" else ()
        servos = (sorted(self.servos.items()),) if self.servos else ()
        return " ".join(str(part) for part in (*whose, self._digest, *single, *servos))

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise InputError("a Batch is neither pickled nor copied: save it, and load the file into another one")

    # ---- steps

    def step(self, steps: int = 1) -> None:
        """So many steps of all machines that have not failed; on a GPU one launch, which is not waited for."""
        steps = step_count(steps)
        with self._turn:
            self._machines.step(steps)

    @property
    def stream(self) -> int:
        """Handle of the CUDA stream on which all is launched; 0: the default stream, on which other programs work too
        unless they are told otherwise. It may be set at any time, to a handle, to a stream of CuPy, PyTorch, Numba or
        cuda.core, or to None. What was launched before on another one is not waited for.
        """
        return self._machines.stream

    @stream.setter
    def stream(self, stream: Any) -> None:
        self._machines.use(stream)

    @overload
    def run(
        self, duration: float, progress: bool = True, sample: None = None, channels: Sequence[str] = ()
    ) -> None: ...

    @overload
    def run(
        self, duration: float, progress: bool = True, *, sample: float, channels: Sequence[str] = ()
    ) -> BatchRecording: ...

    def run(
        self, duration: float, progress: bool = True, sample: float | None = None, channels: Sequence[str] = ()
    ) -> BatchRecording | None:
        """Steps for a duration [s], with a bar if it takes more than two seconds; Ctrl-C stops between two blocks.

        sample     time between samples [s]; the states of all machines then are returned as a BatchRecording, with the
                   start and the end. Ctrl-C ends it, and keeps what there is
        channels   inputs and outputs by name, which are sampled as well
        """
        require_seconds("duration", duration)
        if sample is not None:
            require_seconds("sample", sample)
        elif len(channels):
            raise InputError(f"channels are sampled: run({duration:g}, sample=..., channels=...) says how often")
        h = float(self.method.settings()["step"])
        total, every = grid_of(duration, duration if sample is None else sample, h)
        done, taken, end, samples = 0, 0, "complete", None
        if sample is not None:
            most = 1 + -(-total // every)
            samples = samples_of(self._machines, channels, (self.inputs, self.outputs), most)
        bar = Progress(progress, 0.0, duration)
        try:
            with self._turn, RunInterrupts() as interrupts:
                if samples is not None:
                    samples.take(0)
                    taken = 1
                while done < total:
                    steps = min(total - done, BLOCK_STEPS, every - done % every)
                    self._machines.step(steps)
                    self._machines.synchronise()
                    done += steps
                    if samples is not None and (done % every == 0 or done == total):
                        samples.take(taken)
                        taken += 1
                    bar.move(done * h)
                    interrupts.check()
        except KeyboardInterrupt:
            if samples is None:
                raise
            end = "interrupted"
        finally:
            bar.close()
        return None if samples is None else samples.recording(taken, self._models(), end)

    def _models(self) -> Callable[[int], Model]:
        """The Model of a machine as it is now, without what the batch has added."""
        if not self._varied:
            return lambda machine: self._given_model
        sets, made = self._set.copy(), {}

        def model_of(machine: int) -> Model:
            one = int(sets[machine])
            if one not in made:
                made[one] = compile(self._spec_of_set(one), self.model.open_loops)
            return made[one]

        return model_of

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
            codes, models, found = self._machines.failures(), self._models(), {}
            for machine in np.flatnonzero(codes != OK)[:most].tolist():
                self._machines.fetch(machine)
                found[machine] = self._machines.words.get(machine) or failure_words(
                    self._machines.simulation, machine, int(codes[machine]), self.inputs, models(machine)
                )
            return found

    def _chosen(self, machines: Which) -> Mask:
        return machine_mask(machines, self.count, self._gpu)

    @property
    def _gpu(self) -> int | None:
        """Number of the GPU."""
        return self.q.device if self.device == "cuda" else None

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


def states_of(states: Sequence[State], count: int, machines: Sequence[int] | np.ndarray = ()) -> tuple[State, ...]:
    """A State for each of so many machines; machines: their numbers, by default in the order of the batch."""
    found = tuple(states) if isinstance(states, Iterable) else (states,)
    for k, state in enumerate(found):
        if not isinstance(state, State):
            k = machines[k] if k < len(machines) else k
            raise InputError(f"state must be a State, or one for each machine; that of machine {k} is {state!r:.100}")
    if len(found) != count:
        raise InputError(f"state must be a State, or one for each of {count} machines, not {len(found)}")
    return found
