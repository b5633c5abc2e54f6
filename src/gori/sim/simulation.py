"""A Model moving in time."""

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np

from gori.errors import InputError, RestartWarning, UnsupportedError
from gori.integrate import METHODS, RK4, Loops, Method, method_of
from gori.model import Model
from gori.model.memory import require_memory
from gori.model.state import State
from gori.model.variants import with_force_values, without_limit_forces
from gori.record import Recorder, Recording
from gori.sim.callers.interrupts import RunInterrupts
from gori.sim.callers.mistaken import functions_of, mapping_of, refuse_mistaken
from gori.sim.callers.pickled import refuse_unpicklable
from gori.sim.callers.turn import Turn
from gori.sim.channels import add_channels
from gori.sim.contact.impact_stage import ImpactStage
from gori.sim.contact.impacts import Impacts, impacts_of, refuse_unable, watched
from gori.sim.contact.impulses import refuse_for_impulses
from gori.sim.contact.stiffness import require_stiffness, warn_of_contact
from gori.sim.couplings import couplings, refuse_other_subsystems, refuse_taken_names
from gori.sim.events import Event, event_of
from gori.sim.exchange import Exchange
from gori.sim.exchange_stage import ExchangeStage
from gori.sim.failure import explain
from gori.sim.grid import require_seconds
from gori.sim.kept import KeptParts, Remembering, Snapshot
from gori.sim.loops.closure import closing
from gori.sim.particles.devices import Device
from gori.sim.particles.particles import Particles
from gori.sim.programs import differences, made_by, programs_of, require_same
from gori.sim.progress import Progress
from gori.sim.recorded import RecordedRun, read_run
from gori.sim.run import (
    FIRST_BLOCK,
    FIRST_PLAIN_BLOCK,
    CheckpointStage,
    CreepStage,
    DriverStage,
    EventStage,
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
from gori.sim.sticking import warn_of_friction
from gori.sim.subsystem import Subsystem, checked_subsystems
from gori.sim.trace import Trace
from gori.sim.user import UserForce
from gori.sim.vehicle.inputs import Inputs
from gori.sim.vehicle.schedule import scheduled
from gori.sim.vehicle.vehicles import Vehicles, own_steps
from gori.spec.expression import closest
from gori.text.arguments import is_one_of

SAMPLE_COPIES = 2.5
"""of each sample in memory, at most, when a run without a file ends"""
DRIVER_PERIOD = 0.01
"""time between two calls of a driver, where nothing else is said [s]"""


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
    loops          how explicit methods keep loops closed: Multipliers() (the default), Partition(), FrozenExplicit(),
                   RealTime(); or settings as in a run file: "partition". Implicit methods do it by themselves
    impacts        rigid impacts at exact times instead of contact by forces: Impacts(law="stronge"), or its settings
    """

    def __init__(
        self,
        model: Model,
        method: Method | dict | str | None = None,
        *,
        force_values: dict[str, Any] | None = None,
        forces: Callable | list[Callable] | UserForce | None = None,
        events: dict[str, str | Event] | None = None,
        state: State | None = None,
        loops: Loops | dict | str | None = None,
        driver: Callable[["Simulation"], bool | None] | None = None,
        driver_period: float | None = None,
        sub_steps: Mapping[str, float] | None = None,
        subsystems: Sequence[Subsystem] = (),
        device: Device | None = None,
        impacts: Impacts | dict | bool | None = None,
    ):
        refuse_mistaken(model, method, loops)
        self.model = with_force_values(model, mapping_of("force_values", force_values))
        self.impacts = impacts_of(impacts)
        if self.impacts is not None and self.impacts.limits:
            self.model = without_limit_forces(self.model)
        self.method, self.loops = closing(self.model, method_of(RK4() if method is None else method), loops)
        self.events = {name: event_of(name, event) for name, event in mapping_of("events", events).items()}
        self._user = forces if isinstance(forces, UserForce) else UserForce(functions_of(forces), model.nq, model.nv)
        self.subsystems = checked_subsystems(subsystems, self.method.settings().get("step"))
        self.sub_steps = own_steps(self.model, sub_steps)
        self.driver, self.schedules = driver, scheduled(self.model)
        period = min((part.every for part in self.schedules), default=DRIVER_PERIOD)
        period = period if driver_period is None else driver_period
        require_seconds("driver_period", period)
        self.device = device
        self._refuse_unsupported()
        self._breakable = self._user.plain or driver is not None or bool(self.schedules or self.events)
        """whether Ctrl-C could come between what belongs together"""
        warn_of_friction(self.model, self.method)
        if self.method.contact == "penalty" and self.impacts is None:
            require_stiffness(self.model)
            warn_of_contact(self.model, self.method)

        bodies = {subsystem.name: tuple(subsystem.bodies) for subsystem in self.subsystems}
        outputs = {channel: unit for part in self.subsystems for channel, unit in part.outputs.items()}
        self._couplings = couplings(self.model, bodies, outputs)
        self._gaps = None if self.impacts is None else watched(self.model, self.impacts)
        coupled = self._couplings.coupled
        self.stepper = Stepper(
            self.model, self.method, self.loops, self.events, self._user, coupled, len(outputs), self._gaps
        )
        """the compiled side: tables, arrays, clock, memory of the method"""
        stepper, first = self.stepper, len(self.model.coupled)
        self.vehicles = Vehicles(self.model, stepper.machine, stepper.data, min(self.sub_steps.values(), default=None))
        exchanges: list[Exchange] = []
        values = stepper.data.recorded[len(stepper.data.recorded) - len(outputs) :]
        for subsystem in self.subsystems:
            own, mine = self._couplings.frames[subsystem.name], values[: len(subsystem.outputs)]
            bundles = self.method.settings()["step"], stepper.machine, stepper.data
            exchanges.append(Exchange(subsystem, own, first, mine, *bundles))
            first, values = first + len(own.rows), values[len(subsystem.outputs) :]
        driven = lambda: bool(self.schedules) or self.driver is not None  # noqa: E731
        drivers = DriverStage(stepper, self._drive, driven, period, fixed=driver_period is not None)
        self._kept = KeptParts(self.model, stepper, self.vehicles, exchanges, drivers, driver, device, self.impacts)
        self._quiet_stages: list[RunStage] | None = None  # of `advance`, made once
        self._turn = Turn()
        self.state = self.model.state() if state is None else state
        if outputs:
            first_sample = Recording(self.model, *self.first_sample()[:4])
            add_channels(first_sample, Trace(first_sample))
            refuse_taken_names(first_sample, self._couplings)

    @property
    def driver_period(self) -> float:
        """Time between two calls of the driver [s]: as given, as in the State, or that of the controls."""
        return self._kept.drivers.period

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
            "contact": model.contact is not None,
        }
        fixed = {
            "particles need": model.particles is not None,
            "a driver needs": self.driver is not None or self.schedules,
            "a subsystem needs": self.subsystems,
        }
        if method.contact == "impulses":
            refuse_for_impulses(model, method)
        for words, there in fixed.items():
            if method.adaptive and there:
                raise UnsupportedError(f"{method.kind} uses adaptive steps: {words} a fixed-step method")
        if self.impacts is not None:
            refuse_unable(method)
        missing = [name for name, there in needs.items() if there and name not in method.supports]
        if missing:
            able = [kind for kind, other in METHODS.items() if set(missing) <= other.supports]
            words = f"method {method.kind} does not support: {', '.join(missing)}"
            raise UnsupportedError(f"{words}. Use one of {', '.join(able)}")

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
        y, nq, nv = self.stepper.y.copy(), self.model.nq, self.model.nv
        return Snapshot(self.stepper.time, y[:nq], y[nq : nq + nv], y[nq + nv : -1])

    @property
    def state(self) -> State:
        """All that is needed to go on bit for bit. Set it to go on from somewhere else."""
        self._turn.refuse_others()
        return self._kept.save()

    @state.setter
    def state(self, state: State) -> None:
        with self._turn:
            self._kept.load(state)
            self._quiet_stages = None

    def first_sample(self) -> tuple:
        """Time, q, v, z and outputs now, as one sample of a Recording."""
        return self.stepper.columns(self.stepper.sample()[None])

    def ignore_drivers(self) -> None:
        """Neither the driver nor the controls of the Spec act from now on: inputs stay as they are set."""
        self._kept.drivers.off = True

    @property
    def inputs(self) -> Inputs:
        """The driver's inputs by name; held until changed: simulation.inputs["truck.throttle"] = 0.5."""
        return self.vehicles.inputs

    @property
    def outputs(self) -> dict[str, int]:
        """Columns of a sample, by channel, of what wheels, drive trains and subsystems put out."""
        first = 1 + len(self.stepper.y)
        return {name: first + at for name, (at, width, _) in self._couplings.channels.items() if width == 1}

    def channel(self, name: str) -> float:
        """An output of a wheel, drive train or subsystem now, as in a Recording: truck.wheel_fl.load."""
        outputs = self.outputs
        if not is_one_of(name, outputs):
            raise InputError(f"unknown channel {name!r} of a wheel or drive train{closest(name, outputs)}")
        return float(self.stepper.sample()[outputs[name]])

    @property
    def particles(self) -> Particles | None:
        """The particles, which can be read and changed between steps."""
        return None if self._kept.particles is None else self._kept.particles.particles

    @property
    def exchanges(self) -> dict[str, Exchange]:
        """Exchanges with subsystems, by name: the momentum that they gave, and what of it the bodies have received."""
        particles, others = self._kept.particles, self._kept.exchanges
        found = {} if particles is None else {"particles": particles.exchange}
        return found | {exchange.name: exchange for exchange in others}

    @property
    def event_log(self) -> list[tuple[str, float]]:
        """Names and times of the events met so far in the present run; the next `run` begins a new list."""
        return self._kept.event_log

    @property
    def user(self) -> UserForce:
        """The force functions that were handed in."""
        return self._user

    @property
    def report(self) -> dict[str, Any]:
        """What the method has counted in all steps so far; of one `run`: the info of its Recording."""
        return self.method.report(self.method.counts(self.stepper.memory))

    # ---- copies

    def __getstate__(self) -> dict[str, Any]:
        """Model, method, options and State: the compiled side is made again from them."""
        return {"model": self.model, "method": self.method, "state": self.state} | {
            "options": refuse_unpicklable(self, self._options()), "off": self._kept.drivers.off
        }  # fmt: skip

    def __setstate__(self, saved: dict[str, Any]) -> None:
        Simulation.__init__(self, saved["model"], saved["method"], state=saved["state"], **saved["options"])
        self._kept.drivers.off = saved["off"]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Simulation":
        """A Simulation of its own from the State now; it shares the Model, and has copies of driver and subsystems."""
        other = memo[id(self)] = type(self).__new__(type(self))
        saved = {"model": self.model, "method": self.method, "state": self.state, "off": self._kept.drivers.off}
        other.__setstate__(saved | {"options": copy.deepcopy(self._options(), memo)})
        return other

    def __copy__(self) -> "Simulation":
        return copy.deepcopy(self)

    def _options(self) -> dict[str, Any]:
        """Options of `__init__` besides the State, as they were given."""
        names = ("events", "loops", "driver", "sub_steps", "subsystems", "device", "impacts")
        drivers = self._kept.drivers
        return {name: getattr(self, name) for name in names} | {
            "forces": self._user.functions, "driver_period": drivers.period if drivers.fixed else None
        }  # fmt: skip

    # ---- running

    def step(self, count: int = 1) -> Snapshot:
        """Take steps of a method with a fixed step; one by one or at once, it is the same."""
        self.advance(count)
        return self.snapshot

    def advance(self, count: int = 1) -> None:
        """As `step`, without making a Snapshot."""
        if self.method.adaptive:
            raise InputError(f"{self.method.kind} uses adaptive steps: use run(duration)")
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"the number of steps must be a positive integer, not {count!r}")
        turn = self._turn
        if not turn.take(False):
            raise turn.refusal()
        turn.owner = get_ident()
        try:
            self._kept.refuse_torn()
            self.stepper.plan_steps(int(count))
            if self._quiet_stages is None:
                self._quiet_stages = self._stages(None, None, None)
            self._user.error = None
            if self._breakable:
                with RunInterrupts() as interrupts, self._user.watched():
                    failure = run_blocks(self.stepper, self._quiet_stages, interrupts)
            else:
                failure = run_blocks(self.stepper, self._quiet_stages)
        finally:
            turn.leave()
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
        max_wall: float | None = None,
    ) -> Recording:
        """Run for a duration [s] and give the Recording. Ctrl-C stops it and keeps what is computed; so do SIGTERM and
        SIGHUP where there is a path. `recording.info["end"]` is then "interrupted", and `resume` goes on.

        sample     time between samples [s]; default: a thousandth of the duration, but at least one step. The end of
                   the run is always the last sample
        path       HDF5 file that is written while the run goes on, and survives a kill
        progress   show a bar when it takes more than two seconds and there is a terminal
        frames     time between frames of particles [s]; default: as in the section `run`. They are `recording.frames`,
                   in a file beside `path` or, without a path, in memory
        max_wall   wall time after which it is stopped [s]
        """
        if max_wall is not None:
            require_seconds("max_wall", max_wall)
        with self._turn:
            stepper, kept, particles = self.stepper, self._kept, self._kept.particles
            kept.refuse_torn()
            kept.counted = self.method.counts(stepper.memory)
            stepper.plan_run(duration, sample)
            if path is None:
                size = SAMPLE_COPIES * stepper.sample().nbytes * duration / stepper.sample_period
                cure = "take a larger `sample`, or write to a file (path=...)"
                require_memory(size, f"{duration / stepper.sample_period:.3g} samples", cure)
            info = self._info(duration)
            every = None if particles is None else particles.frame_time(frames)
            if every is not None:
                info["frames"] = every
            if self.particles is not None:
                info["particle_energy"] = {"start": sum(self.particles.energy)}
            recorder = None
            if path is not None:
                recorder = Recorder(path, self.model, info, overwrite=overwrite, at_checkpoint=True)
            kept.event_log, kept.impacts.impacts, self._quiet_stages = [], [], None
            recorded = RecordedRun(self.model, kept, self._user, self._stages, info, recorder, [stepper.sample()[None]])
            with recorded.beginning():
                if particles is not None:
                    particles.store_frames(every, path, self.time, duration, overwrite)
            return recorded.finish(progress, max_wall)

    def _info(self, duration: float) -> dict[str, Any]:
        """What a Recording says of its run."""
        info = {"method": self.method.settings(), "duration": duration, "sample": self.stepper.sample_period}
        info["made_by"] = made_by()
        if programs := self._programs():
            info["programs"] = programs
        if self.loops is not None:
            info["loops"] = self.loops.settings()
        if self.impacts is not None:
            info["impact_settings"] = self.impacts.settings()
        if self.subsystems:
            info["subsystems"] = {x.name: list(x.guarded.bodies) for x in self._kept.exchanges}
        if self._couplings.channels:
            info["outputs"] = {name: list(place) for name, place in self._couplings.channels.items()}
        if self.schedules or self.driver is not None:
            info["driver_period"] = self.driver_period
        if self.sub_steps:
            info["sub_steps"] = self.sub_steps
        if self.device is not None and self._kept.particles is not None:
            info["device"] = self.device
        return info

    def _programs(self) -> dict[str, dict[str, str]]:
        """What of the user's own takes part in a run."""
        return programs_of(self._user.functions, self.events, self.driver, self.subsystems)

    @classmethod
    def resume(
        cls,
        path: str | Path,
        progress: bool = True,
        changed: bool = False,
        max_wall: float | None = None,
        **options: Any,
    ) -> Recording:
        """Go on with a run that was stopped or killed, from its last checkpoint, bit for bit as if it had not been.

        changed    forces, events or driver may differ from those of the run; else that is an error
        max_wall   wall time after which it is stopped again [s]
        options    forces, events, driver and subsystems of the run: programs are not in the file
        """
        before = read_run(path)
        info = before.info
        options["subsystems"] = checked_subsystems(options.get("subsystems"), info["method"].get("step"))
        refuse_other_subsystems(info, options["subsystems"])
        simulation = cls(before.recording.model, info["method"], **before.options | options, state=before.state)
        if {name: list(place) for name, place in simulation._couplings.channels.items()} != info.get("outputs", {}):
            raise InputError(f"{path} was recorded with other outputs: give the subsystems of that run")
        stepper, particles = simulation.stepper, simulation._kept.particles
        if not changed:
            require_same(path, info.get("programs", {}), simulation._programs())
        if others := differences(info.get("made_by", {})):
            warnings.warn(
                f"{path} was made by {others}: the run goes on, but may differ in the last digits",
                RestartWarning,
                stacklevel=2,
            )
        if simulation.driver is not None and not isinstance(simulation.driver, Remembering):
            warnings.warn(
                "the driver has no save and load: its internal state, if any, is not in the file, and the run "
                "may not continue bit for bit",
                RestartWarning,
                stacklevel=2,
            )
        if not stepper.events_fit(before.state):
            raise InputError(f"{path} was recorded with other events: give those of that run")
        if particles is not None:
            particles.resume_frames(info.get("frames"), path, stepper.run_start, simulation.time)
        stepper.plan_resumed(info["duration"], info["sample"])
        recorder = Recorder.resume(path, simulation.model)
        recorder.info = dict(info)
        parts = simulation.model, simulation._kept, simulation._user, simulation._stages
        with simulation._turn:
            return RecordedRun(*parts, info, recorder, []).finish(progress, max_wall)

    def _stages(self, rows: list | None, recorder: Recorder | None, bar: Progress | None) -> list[RunStage]:
        """What happens in each turn of a run, in this order."""
        stepper, kept, samples = self.stepper, self._kept, SampleStage(self.stepper, rows, recorder)
        coupled = bool(self.exchanges)
        steps = StepStage(stepper, coupled, FIRST_PLAIN_BLOCK if self._user.plain else FIRST_BLOCK)
        both = [ExchangeStage(stepper, steps, kept.exchanges, kept.particles, samples)] if coupled else [steps, samples]
        stages: list[RunStage] = [
            kept.drivers,
            *both,
            InterruptStage(stepper, self._user),
            EventStage(stepper, self.vehicles, self.events, kept.save, kept.change, kept.event_log, samples),
        ]
        if self.impacts is not None and self._gaps is not None:
            change, log = kept.change, kept.event_log
            stage = ImpactStage(stepper, self.impacts, self._gaps, kept.impacts, kept.save, change, log, samples.add)
            stages = [stage.begin, *stages[:-1], stage, stages[-1]]
        if self.method.adaptive:
            stages.append(CreepStage(stepper))
        if stepper.closure is not None:
            stages.append(LoopStage(stepper, stepper.closure, kept.save))
        stages.append(FailureStage(stepper, lambda code: explain(stepper, self._user, code)))
        if recorder is not None:
            stages.append(CheckpointStage(recorder, kept.save))
        if bar is not None:
            stages.append(ProgressStage(stepper, bar))
        return stages
