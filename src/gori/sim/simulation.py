"""A Model moving in time."""

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gori.errors import ConditionWarning, InputError, RestartWarning, SimulationError, UnsupportedError
from gori.integrate import RK4, Loops, Method, method_of
from gori.model import Model
from gori.model.particles.part import ParticlePart, checked_part, start_of_particles
from gori.model.state import State
from gori.model.variants import with_force_values
from gori.record import Recorder, Recording, read_checkpoint
from gori.sim.channels import add_channels
from gori.sim.check import json_of, require
from gori.sim.events import Event, event_of
from gori.sim.failure import explain
from gori.sim.loops.closure import closing
from gori.sim.particles.devices import Device
from gori.sim.particles.particles import Particles
from gori.sim.particles.run import ParticleRun
from gori.sim.progress import Progress
from gori.sim.run import (
    CheckpointStage,
    DriverStage,
    EventStage,
    ExchangeStage,
    FailureStage,
    InterruptStage,
    LoopStage,
    ProgressStage,
    RunStage,
    SampleStage,
    StepStage,
    run_blocks,
)
from gori.sim.stepper import Stepper
from gori.sim.subsystem import Exchange, Subsystem, check_exchange, check_subsystem, couplings
from gori.sim.trace import Trace
from gori.sim.user import UserForce
from gori.sim.vehicle.inputs import Inputs
from gori.sim.vehicle.schedule import scheduled
from gori.sim.vehicle.vehicles import Vehicles, own_steps
from gori.spec.expression import closest

DRIVER_PERIOD = 0.01
"""time between two calls of a driver, where nothing else is said [s]"""


@runtime_checkable
class Remembering(Protocol):
    """A driver whose memory goes into a State: plain data that JSON can hold."""

    def save(self) -> dict[str, Any]: ...

    def load(self, saved: dict[str, Any]) -> None: ...


class Snapshot(NamedTuple):
    """A cheap look at a run: no State, as it holds no soil, particles or memory. `simulation.state` is the State."""

    time: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray


class Simulation:
    """A Model, a method, and a State that moves.

    method         RK4(step=1e-3), Dopri5(rtol=1e-8), ...; or settings as in a run file: {"type": "rk4", "step": 1e-3}
    force_values   {force: value}: other values or targets for torques, forces and motors of the Spec: a number, an
                   expression, or a table [[t, x], ...]
    forces         functions that add to the joint forces: f(t, q, v) -> tau (nv,); or, compiled by numba.njit,
                   f(t, q, v, tau), adding in place
    events         {name: expression} or {name: Event(...)}: zero crossings to find, record, or act on
    state          where to start; default: `model.state()`. The State of a run of the same method goes on bit for bit
    driver         called with the Simulation every `driver_period` seconds of its time, to set `simulation.inputs`,
                   after the controls of the Spec. If it returns True, the run ends there
    driver_period  [s]; default: as the controls of the Spec, or 0.01
    sub_steps      {drive train: largest step of its own [s]}; default: as in the section `run`, or 2e-4
    subsystems     programs with a rate of their own, coupled to the bodies (`Subsystem`)
    device         where particles are computed, "cpu" or "cuda"; default: as in the section `run`, or the CPU
    loops          how explicit methods keep loops closed: Multipliers() (the default), Partition(), FrozenExplicit();
                   or settings as in a run file: "partition". Implicit methods do it by themselves
    """

    def __init__(
        self,
        model: Model,
        method: Method | dict | str | None = None,
        *,
        force_values: dict[str, Any] | None = None,
        forces: Callable | list[Callable] | None = None,
        events: dict[str, str | Event] | None = None,
        state: State | None = None,
        loops: Loops | dict | str | None = None,
        driver: Callable[["Simulation"], bool | None] | None = None,
        driver_period: float | None = None,
        sub_steps: Mapping[str, float] | None = None,
        subsystems: Sequence[Subsystem] = (),
        device: Device | None = None,
    ):
        self.model = with_force_values(model, force_values or {})
        self.method, self.loops = closing(self.model, method_of(RK4() if method is None else method), loops)
        self.events = {name: event_of(name, event) for name, event in (events or {}).items()}
        self.event_log: list[tuple[str, float]] = []
        functions = [] if forces is None else [forces] if callable(forces) else list(forces)
        self._user = UserForce(functions, model.nq, model.nv)
        self.subsystems = tuple(subsystems)
        for subsystem in self.subsystems:
            check_subsystem(subsystem)
        if len({subsystem.name for subsystem in self.subsystems}) < len(self.subsystems):
            raise InputError("two subsystems have the same name: each needs one of its own")
        self.sub_steps = own_steps(self.model, sub_steps)
        self.driver, self.schedules = driver, scheduled(self.model)
        period = min((part.every for part in self.schedules), default=DRIVER_PERIOD)
        self.driver_period = period if driver_period is None else driver_period
        if not (np.isfinite(self.driver_period) and self.driver_period > 0.0):
            raise InputError(f"driver_period must be a positive number of seconds, not {driver_period!r}")
        self.device = device
        self._refuse_unsupported()

        bodies = {subsystem.name: tuple(subsystem.bodies) for subsystem in self.subsystems}
        outputs = {channel: unit for part in self.subsystems for channel, unit in part.outputs.items()}
        self._couplings = couplings(self.model, bodies, outputs)
        self.stepper = Stepper(
            self.model, self.method, self.loops, self.events, self._user, self._couplings.coupled, len(outputs)
        )
        """the compiled side: tables, arrays, clock, memory of the method"""
        stepper, first = self.stepper, len(self.model.coupled)
        self.vehicles = Vehicles(self.model, stepper.machine, stepper.data, min(self.sub_steps.values(), default=None))
        self._exchanges: list[Exchange] = []
        values = stepper.data.recorded[len(stepper.data.recorded) - len(outputs) :]
        for subsystem in self.subsystems:
            own, mine = self._couplings.rows[subsystem.name], values[: len(subsystem.outputs)]
            self._exchanges.append(Exchange(subsystem, own, first, mine, stepper.machine, stepper.data))
            first, values = first + int((own > 0).sum()), values[len(subsystem.outputs) :]
        self._particles: ParticleRun | None = None
        driven = lambda: bool(self.schedules) or self.driver is not None  # noqa: E731
        self._drivers = DriverStage(stepper, self._drive, driven, self.driver_period)
        self._counted = self.method.counts(stepper.memory)
        self._quiet_stages: list[RunStage] | None = None  # of `advance`, made once
        self.state = self.model.state() if state is None else state

    def _drive(self) -> bool:
        """The controls of the Spec set inputs, then the driver; whether he ends the run."""
        for schedule in self.schedules:
            schedule(self)
        return self.driver is not None and bool(self.driver(self))

    def _refuse_unsupported(self) -> None:
        model, method = self.model, self.method
        needs = {
            "events": self.events,
            "friction": model.forces.states,
            "user": self._user.functions,
            "vehicles": model.vehicle is not None,
        }
        missing = [name for name, there in needs.items() if there and name not in method.supports]
        if missing:
            raise UnsupportedError(f"method {method.kind} does not support: {', '.join(missing)}")
        fixed = {
            "particles need": model.particles is not None,
            "a driver needs": self.driver is not None or self.schedules,
            "a subsystem needs": self.subsystems,
        }
        for words, there in fixed.items():
            if method.adaptive and there:
                raise UnsupportedError(f"{method.kind} chooses its own steps: {words} a method of a fixed step")

    # ---- state

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self.stepper.time

    @property
    def q(self) -> np.ndarray:
        """Coordinates now (nq,), read-only."""
        return self.stepper.q

    @property
    def v(self) -> np.ndarray:
        """Velocities now (nv,), read-only."""
        return self.stepper.v

    @property
    def snapshot(self) -> Snapshot:
        """Time, q, v and z now, copied: cheap, and not a State."""
        stepper = self.stepper
        return Snapshot(stepper.time, stepper.q.copy(), stepper.v.copy(), stepper.z.copy())

    @property
    def state(self) -> State:
        """All that is needed to go on bit for bit. Set it to go on from somewhere else."""
        stepper, parts = self.stepper, self.stepper.save()
        parts["method"]["counts_at_start"] = self._counted
        parts["events"]["log"] = json.dumps(self.event_log)
        parts["clock"]["drivers_acted_at"] = self._drivers.acted_at
        if self.model.vehicle is not None:
            parts["vehicle"] = self.vehicles.state()
        if self._particles is not None:
            parts["particles"] = self._particles.particles.state()
            parts["exchange"] = self._particles.exchange.save()
        for exchange in self._exchanges:
            parts[exchange.subsystem.name] = exchange.subsystem.state()
            parts[f"exchange of {exchange.subsystem.name}"] = exchange.save()
        if isinstance(self.driver, Remembering):
            parts["drivers"] = {"driver": json.dumps(self.driver.save())}
        return State(stepper.time, stepper.q, stepper.v, stepper.z, parts, self.model.fingerprint)

    @state.setter
    def state(self, state: State) -> None:
        if not isinstance(state, State):
            hint = ": take simulation.state" if isinstance(state, Snapshot) else ""
            raise InputError(f"state must be a State, not a {type(state).__name__}{hint}")
        if state.model not in ("", self.model.fingerprint):
            raise InputError(
                "this State belongs to another Model, whose bodies, loops, wheels or particles differ. To use it all "
                "the same, take state.replace(model=model.fingerprint)"
            )
        stepper, parts = self.stepper, state.parts
        fits, particles = self._check(state)
        self._quiet_stages = None
        stepper.load(state, fits)
        if "method" in parts and not fits:
            warnings.warn(
                f"the State holds the memory of another method, loop solver or events "
                f"({parts['method']['tag']}): that is dropped, and {self.method.kind} starts afresh from it",
                RestartWarning,
                stacklevel=2,
            )
        self._counted = np.array(parts["method"]["counts_at_start"]) if fits else self.method.counts(stepper.memory)
        self.event_log = [tuple(row) for row in json.loads(str(parts["events"]["log"]))] if fits else []
        self._drivers.acted_at = int(parts["clock"]["drivers_acted_at"]) if "clock" in parts else -1
        self.vehicles.load(parts.get("vehicle"))
        if not fits:
            self.vehicles.start(state.time, stepper.y)
        if particles is not None:
            if self._particles is None:
                bundles = stepper.machine, stepper.data
                self._particles = ParticleRun(self.model, *bundles, self.device, stepper.y, particles)
            else:
                self._particles.particles.go_on(particles)
            self._particles.start(state.time, stepper.y, parts.get("exchange"))
        for exchange in self._exchanges:
            name = exchange.subsystem.name
            if name in parts:
                exchange.subsystem.load(parts[name])
                exchange.load(parts[f"exchange of {name}"])
            exchange.start(stepper.time, stepper.y, loaded=name in parts)
        if isinstance(self.driver, Remembering) and "drivers" in parts:
            try:
                self.driver.load(json.loads(str(parts["drivers"]["driver"])))
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
                raise InputError(f"state.drivers['driver'] is refused by the driver: {words}") from error

    def _check(self, state: State) -> tuple[bool, ParticlePart | None]:
        """Check every part of a State before any is taken over; whether it is of such a run, and its particles."""
        parts, fits, particles = state.parts, self.stepper.check(state), None
        self.vehicles.check(parts.get("vehicle"), state.time if fits else None)
        if self.model.particles is not None:
            saved = state.particles
            if saved is None:  # of a State made by hand
                saved = start_of_particles(self.model, state.q, state.v)
            particles = checked_part(saved, self.model.particles)
            if "exchange" in parts:
                check_exchange("exchange", parts["exchange"], len(self.model.particles.rows))
        elif state.particles:
            raise InputError(f"state.particles holds {', '.join(state.particles)}, but the Model has no particles")
        for exchange in self._exchanges:
            name = exchange.subsystem.name
            if name in parts:
                own = f"exchange of {name}"
                check_exchange(own, parts.get(own, {}), len(exchange.wrench))
        if isinstance(self.driver, Remembering) and "drivers" in parts:
            require("drivers", parts["drivers"], ("driver",))
            json_of("drivers", "driver", parts["drivers"]["driver"], dict)
        return fits, particles

    def _change(self, state: State) -> None:
        """Take over what the action of an event has changed."""
        self.stepper.y[:] = self.stepper.checked(state)
        self.stepper.mark_changed()
        if "vehicle" in state.parts:
            self.vehicles.load(state.parts["vehicle"])

    def first_sample(self) -> tuple:
        """Time, q, v, z and outputs now, as one sample of a Recording."""
        return self.stepper.columns(self.stepper.sample()[None])

    def ignore_drivers(self) -> None:
        """Neither the driver nor the controls of the Spec act from now on: inputs stay as they are set."""
        self._drivers.off = True

    @property
    def inputs(self) -> Inputs:
        """The driver's inputs by name; held until changed: simulation.inputs["truck.throttle"] = 0.5."""
        return self.vehicles.inputs

    @property
    def outputs(self) -> dict[str, int]:
        """Columns of a sample, by channel, of what wheels, drive trains and subsystems put out."""
        first = 1 + len(self.stepper.y)
        own = {name: first + at for name, (at, count, _) in self._couplings.channels.items() if count == 1}
        tables = self.model.vehicle
        known = {} if tables is None else tables.channels()
        return {name: first + column for name, (column, _) in known.items()} | own

    def channel(self, name: str) -> float:
        """An output of a wheel, drive train or subsystem now, as in a Recording: truck.wheel_fl.load."""
        outputs = self.outputs
        if name not in outputs:
            raise InputError(f"unknown channel {name!r} of a wheel or drive train{closest(name, outputs)}")
        return float(self.stepper.sample()[outputs[name]])

    @property
    def particles(self) -> Particles | None:
        """The particles, which can be read and changed between steps."""
        return None if self._particles is None else self._particles.particles

    @property
    def exchanges(self) -> dict[str, Exchange]:
        """Exchanges with subsystems, by name: the momentum that they gave, and what of it the bodies have received."""
        found = {} if self._particles is None else {"particles": self._particles.exchange}
        return found | {exchange.subsystem.name: exchange for exchange in self._exchanges}

    @property
    def report(self) -> dict[str, Any]:
        """What the method has counted in all steps so far; of one `run`: the info of its Recording."""
        return self.method.report(self.method.counts(self.stepper.memory))

    # ---- running

    def step(self, count: int = 1) -> Snapshot:
        """Take steps of a method with a fixed step; one by one or at once, it is the same."""
        self.advance(count)
        return self.snapshot

    def advance(self, count: int = 1) -> None:
        """As `step`, without making a Snapshot."""
        if self.method.adaptive:
            raise InputError(f"{self.method.kind} chooses its own steps: use run(duration)")
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"the number of steps must be 1, 2, 3, ..., not {count!r}")
        self.stepper.plan_steps(int(count))
        if self._quiet_stages is None:
            self._quiet_stages = self._stages(None, None, None)
        self._user.error = None
        failure = run_blocks(self.stepper, self._quiet_stages)
        if failure is not None:
            raise failure from failure.cause

    def run(
        self,
        duration: float,
        sample: float | None = None,
        path: str | Path | None = None,
        progress: bool = True,
        overwrite: bool = False,
        frames: float | None = None,
    ) -> Recording:
        """Run for a duration [s] and give the Recording. Ctrl-C stops it and keeps what is computed.

        sample     time between samples [s]; default: a thousandth of the duration, but at least one step
        path       HDF5 file that is written while the run goes on, and survives a kill
        progress   show a bar when it takes more than two seconds and there is a terminal
        frames     time between frames of particles [s]; default: as in the section `run`. They are `recording.frames`,
                   in a file beside `path` or, without a path, in memory
        """
        stepper = self.stepper
        self._counted = self.method.counts(stepper.memory)
        stepper.plan_run(duration, sample)
        info = self._info(duration)
        every = None if self._particles is None else self._particles.frame_time(frames)
        if every is not None:
            info["frames"] = every
        recorder = None if path is None else Recorder(path, self.model, info=info, overwrite=overwrite)
        if self._particles is not None:
            self._particles.store_frames(every, path, self.time, duration, overwrite)
        start, self.event_log, self._quiet_stages = stepper.sample()[None], [], None
        if recorder is not None:
            SampleStage(stepper, None, recorder).add(start)
            CheckpointStage(recorder, lambda: self.state).save()
        return self._finish(recorder, [start], progress, info)

    def _info(self, duration: float) -> dict[str, Any]:
        """What a Recording says of its run."""
        info = {"method": self.method.settings(), "duration": duration, "sample": self.stepper.sample_period}
        if self._user.functions:
            info["user_forces"] = len(self._user.functions)
        if self.loops is not None:
            info["loops"] = self.loops.settings()
        if self.subsystems:
            info["subsystems"] = {part.name: list(part.bodies) for part in self.subsystems}
            info["outputs"] = {name: list(place) for name, place in self._couplings.channels.items()}
        if self.sub_steps:
            info["sub_steps"] = self.sub_steps
        if self.device is not None and self._particles is not None:
            info["device"] = self.device
        return info

    @classmethod
    def resume(cls, path: str | Path, progress: bool = True, **options: Any) -> Recording:
        """Go on with a run that was stopped or killed, from its last checkpoint, bit for bit as if it had not been.

        options   forces, events, driver and subsystems of the run: programs are not in the file
        """
        saved, before = read_checkpoint(path), Recording.load(path)
        if saved is None:
            raise InputError(f"{path} holds no checkpoint to go on from")
        info = before.info
        kept = {name: info[name] for name in ("loops", "sub_steps", "device") if name in info}
        simulation = cls(before.model, info["method"], **kept, **options, state=saved)
        if simulation.driver is not None and not isinstance(simulation.driver, Remembering):
            warnings.warn(
                "the driver offers no save and load: if it remembers something, that is not in the file, and the run "
                "may not go on bit for bit",
                RestartWarning,
                stacklevel=2,
            )
        if not simulation.stepper.events_fit(saved):
            raise InputError(f"{path} was recorded with other events: give those of that run")
        if simulation._particles is not None:
            simulation._particles.resume_frames(info.get("frames"), path, simulation.stepper.run_start, simulation.time)
        simulation.stepper.plan_resumed(info["duration"], info["sample"])
        recorder = Recorder.resume(path, simulation.model)
        outputs = before.extra.get("outputs", np.zeros((len(before), 0)))
        rows = np.column_stack([before.time, before.q, before.v, before.z, outputs])[: recorder.samples]
        names = ("method", "duration", "sample", "frames", "subsystems", "outputs", *kept)
        info = {name: before.info[name] for name in names if name in before.info}
        recorder.info = dict(info)
        return simulation._finish(recorder, [rows], progress, info)

    def _stages(self, rows: list | None, recorder: Recorder | None, bar: Progress | None) -> list[RunStage]:
        """What happens in each turn of a run, in this order."""
        stepper, samples = self.stepper, SampleStage(self.stepper, rows, recorder)
        state: Callable[[], State] = lambda: self.state  # noqa: E731
        stages: list[RunStage] = [
            self._drivers,
            StepStage(stepper, one_by_one=bool(self._particles or self._exchanges)),
            ExchangeStage(stepper, [*self._exchanges, *([self._particles] if self._particles else [])], samples),
            samples,
            InterruptStage(self._user),
            EventStage(stepper, self.vehicles, self.events, state, self._change, self.event_log, samples),
        ]
        if stepper.closure is not None:
            stages.append(LoopStage(stepper, stepper.closure, state))
        stages.append(FailureStage(stepper, lambda code: explain(stepper, self._user, code)))
        if recorder is not None:
            stages.append(CheckpointStage(recorder, state))
        if bar is not None:
            stages.append(ProgressStage(stepper, bar))
        return stages

    def _finish(self, recorder: Recorder | None, rows: list, progress: bool, info: dict) -> Recording:
        """Run to the end, and make the Recording out of what was recorded, however it ends."""
        stepper, failure, frames = self.stepper, None, None
        words = None if self._particles is None else self._particles.words(lambda: stepper.steps_done)
        bar = Progress(progress, self.time, stepper.end_time, words)
        try:
            failure = run_blocks(stepper, self._stages(rows, recorder, bar))
            if recorder is not None and failure is None:
                CheckpointStage(recorder, lambda: self.state).save()  # the State at the end
        except KeyboardInterrupt:
            info["interrupted"] = True
        finally:
            bar.close()
            info |= {"events": list(self.event_log), "steps": stepper.steps_of_run}
            grown = self.method.counts(stepper.memory) - self._counted
            info |= self.method.report(grown)
            if self._particles is not None:
                frames, info["particles"] = self._particles.frames(), self._particles.particles.about()
            if recorder is not None:
                recorder.info |= info | ({} if failure is None else {"error": str(failure)})
                recorder.close()
        *states, extra = stepper.columns(np.concatenate(rows))
        recording = Recording(self.model, *states, extra=extra, info=info)
        recording.info["events"], recording.frames = list(self.event_log), frames
        add_channels(recording, Trace(recording, self._user))
        if failure is not None:
            return self._raise(failure, recording)
        if doubt := self.method.doubts(grown):
            warnings.warn(doubt, ConditionWarning, stacklevel=3)
        return recording

    @staticmethod
    def _raise(failure: SimulationError, recording: Recording) -> Recording:
        failure.recording = recording
        raise failure from failure.cause
