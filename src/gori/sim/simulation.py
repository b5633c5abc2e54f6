"""A Model moving in time: what a person sees of it."""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import ConditionWarning, InputError, UnsupportedError
from gori.integrate import RK4, Loops, Method, method_of
from gori.integrate import march as m
from gori.model import Model, assemble, consistent_velocity
from gori.model.machine import machine_of
from gori.model.signals import SignalTable
from gori.model.state import State
from gori.record import Recorder, Recording, read_checkpoint
from gori.sim import checkpoint
from gori.sim.channels import add_channels
from gori.sim.controls import controlled
from gori.sim.coupling import Coupling
from gori.sim.events import Event, event_of
from gori.sim.loop import BLOCK_SAMPLES, run_blocks
from gori.sim.loops.closure import Closure, closing
from gori.sim.particles.bulk import Bulk
from gori.sim.particles.devices import Device
from gori.sim.particles.particles import Grains
from gori.sim.progress import Progress
from gori.sim.trace import Trace
from gori.sim.user import UserForce
from gori.sim.vehicle.running_gear import NOT_HELD, Inputs, RunningGear
from gori.sim.vehicle.schedule import scheduled
from gori.spec.expression import closest

NEVER = 1 << 40
"""so many steps from sample to sample that there is none"""


class Simulation:
    """A Model, a method, and a State that moves.

    method     RK4(step=1e-3), Dopri5(rtol=1e-8), ...; or settings as in a run file: {"type": "rk4", "step": 1e-3}
    controls   {force: value}: other values or targets for torques, forces and motors of the Spec: a number, an
               expression, or a table [[t, x], ...]
    forces     functions of the user that add to the joint forces: f(t, q, v) -> tau (nv,); or, compiled by numba.njit,
               f(t, q, v, tau), adding in place
    events     {name: expression} or {name: Event(...)}: zero crossings to find, record, or act on
    state      where to start; default: the start coordinates of the Spec at time 0, assembled if there are loops
    driver     called with the Simulation every `control` seconds of its time, to set `simulation.inputs`; after the
               controls of the Spec, which act by themselves. If it returns True, the run ends there
    control    [s]; default: as the controls of the Spec, or 0.01
    subsystems {drive train: largest step of its own [s]}; default: as in the section `run`, or 2e-4
    device     where grains are computed, "cpu" or "cuda"; default: as in the section `run`, or the CPU
    loops      how explicit methods keep loops closed: Multipliers() (the default), Partition(), FrozenExplicit(); or
               settings as in a run file: "partition". Implicit methods do it by themselves
    """

    def __init__(
        self,
        model: Model,
        method: Method | dict | str | None = None,
        controls: dict[str, Any] | None = None,
        forces: Callable | list[Callable] | None = None,
        events: dict[str, str | Event] | None = None,
        state: State | None = None,
        loops: Loops | dict | str | None = None,
        driver: Callable[["Simulation"], bool | None] | None = None,
        control: float | None = None,
        subsystems: Mapping[str, float] | None = None,
        device: Device | None = None,
    ):
        self.model = controlled(model, controls or {})
        self.method, self.loops = closing(self.model, method_of(RK4() if method is None else method), loops)
        self._gear = RunningGear(self.model)
        self.told = self._gear.told()
        """places in the row of q, v and z of what wheels and drive trains tell, by channel"""
        self.events = {name: event_of(name, event) for name, event in (events or {}).items()}
        self.event_log: list[tuple[str, float]] = []
        functions = [] if forces is None else [forces] if callable(forces) else list(forces)
        self._user = UserForce(functions, model.nq, model.nv)
        self.subsystems = self._gear.own_steps(self.model.spec, subsystems)
        self.driver, self.schedules = driver, scheduled(self.model)
        self.control = min((part.every for part in self.schedules), default=0.01) if control is None else control
        if not (np.isfinite(self.control) and self.control > 0.0):
            raise InputError(f"control must be a positive number of seconds, not {control!r}")
        self.device = device
        self.bulk: Bulk | None = None
        """grains, if there are any"""
        self._refuse_unsupported(functions)
        self._set_up()
        self.state = self._first() if state is None else state

    def _first(self) -> State:
        """The start of the Spec; with loops closed."""
        q, v = self.model.q0, self.model.v0
        if self.model.loops:
            q = assemble(self.model)
            v = consistent_velocity(self.model, q, v)
        return State(0.0, q, v, np.concatenate([np.zeros(self.model.forces.states), self._gear.start()]))

    def _refuse_unsupported(self, functions: list) -> None:
        forces = self.model.forces
        needs = {
            "events": self.events,
            "friction": forces.states,
            "user": functions,
            "vehicles": self.model.vehicle is not None,
        }
        missing = [name for name, there in needs.items() if there and name not in self.method.supports]
        if missing:
            raise UnsupportedError(f"method {self.method.kind} does not support: {', '.join(missing)}")
        if self.method.adaptive and (self.model.spec.particles or self.model.spec.inlets):
            raise UnsupportedError(f"{self.method.kind} chooses its own steps: grains need a method of a fixed step")
        if self.method.adaptive and (self.driver is not None or self.schedules):
            raise UnsupportedError(f"{self.method.kind} chooses its own steps: a driver needs a method of a fixed step")

    def _set_up(self) -> None:
        """Bundle all tables and scratch arrays for the compiled runs."""
        nv, tables = self.model.nv, self.model.kernel_tables
        n = self.model.nq + nv + self.model.nz
        watched = SignalTable()
        for name, event in self.events.items():
            watched.add(event.value, f"event {name!r}", self.model)
        signal_i, signal_f, depth = watched.tables()
        directions = np.array([event.direction for event in self.events.values()], np.int64)
        self._watch = (signal_i, signal_f, directions, np.zeros((8, max(n, len(self.events)))))
        core = self.method.core_of_loops if self.model.loops else self.method.core
        self._closure = Closure(self.model, self.method, self.loops) if self.model.loops else None
        loops: tuple[Any, int, int] = (None, 0, 0) if self._closure is None else self._closure.tables()
        at_core = 0 if core is None else core.address
        self._machine, self._data, memory = machine_of(
            self.model, self._user.address, depth, at_core, *loops, live=True
        )
        self._gear.connect(self._machine, self._data)
        if self._closure is not None:
            self._closure.machine, self._closure.data, self._closure.memory = self._machine, self._data, memory
        self._memory = self.method.memory(len(tables.body_i), self.model.nq, nv, self.model.nz)
        self._counted = self.method.counts(self._memory)
        self._clock, self._count = np.zeros(m.N_CLOCK), np.zeros(m.N_COUNT, np.int64)
        self._samples = np.zeros((BLOCK_SAMPLES, 1 + n + len(self._data.recorded)))

    # ---- state

    @property
    def time(self) -> float:
        return float(self._clock[m.NOW])

    @property
    def state(self) -> State:
        """The State now, a copy. Set it to go on from somewhere else."""
        nq, nv = self.model.nq, self.model.nv
        y = self._y.copy()
        grains = None if self.grains is None else self.grains.save()
        return State(self.time, y[:nq], y[nq : nq + nv], y[nq + nv :], self._gear.ground, grains)

    def _glance(self) -> State:
        """The State without soft soil and grains, which may take long to copy."""
        nq, nv, y = self.model.nq, self.model.nv, self._y.copy()
        left_out = (NOT_HELD, NOT_HELD) if self._gear.soft else None
        grains = None if self.grains is None else {"left_out": True}
        return State(self.time, y[:nq], y[nq : nq + nv], y[nq + nv :], left_out, grains)

    @property
    def q(self) -> np.ndarray:
        """Coordinates now (nq,), to look at."""
        return self._view(0, self.model.nq)

    @property
    def v(self) -> np.ndarray:
        """Velocities now (nv,), to look at."""
        return self._view(self.model.nq, self.model.nq + self.model.nv)

    def _view(self, start: int, stop: int) -> np.ndarray:
        view = self._y[start:stop]
        view.flags.writeable = False
        return view

    @property
    def inputs(self) -> Inputs:
        """What the driver does, by name; held until changed: simulation.inputs["truck.throttle"] = 0.5."""
        return self._gear.inputs

    def channel(self, name: str) -> float:
        """What a wheel or drive train tells now, as in a Recording: truck.wheel_fl.load, truck.drivetrain.gear."""
        if name not in self.told:
            raise InputError(f"no wheel or drive train tells {name!r}{closest(name, self.told)}")
        return float(self._y[self.told[name]])

    @property
    def grains(self) -> Grains | None:
        """The grains, to look at and to change between steps."""
        return None if self.bulk is None else self.bulk.grains

    @property
    def coupling(self) -> Coupling | None:
        """The exchange with grains: the momentum that they gave, and what of it the bodies have received."""
        return None if self.bulk is None else self.bulk.coupling

    @state.setter
    def state(self, state: State) -> None:
        self._y = self._checked(state)
        if self._closure is not None:
            self._closure.refuse_open(state)
            self._closure.start(state)
        self._watch[3][7] = 0.0
        self._start(float(state.time))
        self._gear.ground = state.ground
        self._gear.begin(float(state.time), self._y)
        if self.model.spec.particles or self.model.spec.inlets:
            if self.bulk is None or state.grains is None:  # packed anew, as the Spec says, around the bodies
                self.bulk = Bulk(self.model, self._machine, self._data, self.device, self._y)
            self.bulk.place(state, self._y)
        self.method.forget(self._memory)

    def _checked(self, state: State) -> np.ndarray:
        """The numbers of a State in one row."""
        sizes = {"q": self.model.nq, "v": self.model.nv, "z": self.model.nz}
        for name, size in sizes.items():
            value = getattr(state, name)
            if np.shape(value) != (size,) or not np.isfinite(value).all():
                raise InputError(f"state.{name} must be {size} finite numbers, not {value!r}")
        if not np.isfinite(state.time):
            raise InputError(f"state.time must be a finite number of seconds, not {state.time!r}")
        self.model.rows(q=(state.q, self.model.nq))  # refuses quaternions that are zero
        return np.concatenate([state.q, state.v, state.z]).astype(float)

    def _start(self, now: float) -> None:
        """Count steps and samples from here on."""
        self._clock[[m.START, m.NOW]] = now
        self._clock[m.LAST_ERROR] = 1e-4
        self._count[:] = 0
        self._driven = -1

    @property
    def report(self) -> dict[str, Any]:
        """What the method has to tell of all steps so far; of one `run`: the info of its Recording."""
        return self.method.report(self.method.counts(self._memory))

    # ---- running

    def step(self, count: int = 1) -> State:
        """Take steps of a method with a fixed step, and give the State; one by one or at once, it is the same.

        Soft soil is not in that State: `simulation.state` has it.
        """
        self.advance(count)
        return self._glance()

    def advance(self, count: int = 1) -> None:
        """As `step`, without making a State: for those who look at q, v and channels."""
        if self.method.adaptive:
            raise InputError(f"{self.method.kind} chooses its own steps: use run(duration)")
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"the number of steps must be 1, 2, 3, ..., not {count!r}")
        h = self.method.settings()["step"]
        if self._clock[m.STEP] != h:
            self._start(self.time)
            self._clock[m.STEP] = h
        self._clock[m.END] = self._clock[m.START] + (self._count[m.DONE] + count) * h
        self._count[m.EVERY] = NEVER
        failure = run_blocks(self, None, Progress(False, 0.0, 1.0))
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
        frames     time between frames of grains [s]; default: as in the section `run`. They are `recording.frames`, in
                   a file beside `path` (run.h5, run.grains.h5) or, without a path, in memory
        """
        self._start(self.time)
        self._counted = self.method.counts(self._memory)
        self._plan(duration, sample)
        info = {"method": self.method.settings(), "duration": duration, "sample": float(self._clock[m.PERIOD])}
        if self._user.functions:
            info["user_forces"] = len(self._user.functions)
        if self.loops is not None:
            info["loops"] = self.loops.settings()
        if self.subsystems:
            info["subsystems"] = self.subsystems
        if self.device is not None and self.bulk is not None:
            info["device"] = self.device
        every = None if self.bulk is None else self.bulk.frame_time(frames)
        if every is not None:
            info["frames"] = every
        recorder = None if path is None else Recorder(path, self.model, info=info, overwrite=overwrite)
        if self.bulk is not None:
            self.bulk.film(every, path, self.time, duration, overwrite)
        self._gear.take_over(self._y)  # the first sample tells the inputs that act on it
        start = self._sample()[None]
        self.event_log = []
        if recorder is not None:
            self._append(recorder, start)
            checkpoint.save(self, recorder)
        return self._finish(recorder, [start], progress, info)

    @classmethod
    def resume(cls, path: str | Path, progress: bool = True, **options: Any) -> Recording:
        """Go on with a run that was stopped or killed, from its last checkpoint, bit for bit as if it had not been.

        options   forces, events and driver of the run: functions are not in the file
        """
        saved = read_checkpoint(path)
        before = Recording.load(path)
        if saved is None:
            raise InputError(f"{path} holds no checkpoint to go on from")
        kept = {name: before.info[name] for name in ("loops", "subsystems", "device") if name in before.info}
        simulation = cls(before.model, before.info["method"], **kept, **options)
        checkpoint.take_up(simulation, saved, path, before.info.get("frames"))
        recorder = Recorder.resume(path, simulation.model)
        outputs = before.extra.get("outputs", np.zeros((len(before), 0)))
        rows = np.column_stack([before.time, before.q, before.v, before.z, outputs])[: recorder.samples]
        names = ("method", "duration", "sample", "frames", *kept)
        info = {name: before.info[name] for name in names if name in before.info}
        recorder.info = dict(info)
        return simulation._finish(recorder, [rows], progress, info)

    def _plan(self, duration: float, sample: float | None) -> None:
        """Fill clock and count for a run of this duration from now."""
        for name, value in (("duration", duration), ("sample", duration if sample is None else sample)):
            number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            if not (number and np.isfinite(value) and value > 0.0):
                raise InputError(f"{name} must be a positive number of seconds, not {value!r}")
        sample = duration / 1000.0 if sample is None else sample
        settings = self.method.settings()
        self._clock[m.END] = self.time + duration
        self._clock[m.PERIOD] = min(sample, duration)
        if self.method.adaptive:
            self._clock[m.LARGEST] = settings["largest_step"]
        else:
            h = settings["step"]
            if round(duration / h) < 1:
                raise InputError(f"a duration of {duration:g} s is less than one step of {h:g} s")
            every = max(1, round(min(sample, duration) / h))
            self._clock[m.STEP], self._clock[m.PERIOD] = h, every * h
            self._count[m.EVERY] = every

    def _left(self) -> int:
        """Steps that are left to do: of a fixed step a number, of an adaptive one all or none."""
        if self.method.adaptive:
            return np.iinfo(np.int64).max if self._clock[m.NOW] < self._clock[m.END] else 0
        steps = round(float((self._clock[m.END] - self._clock[m.START]) / self._clock[m.STEP]))
        return steps - int(self._count[m.DONE])

    def _finish(self, recorder: Recorder | None, rows: list, progress: bool, info: dict) -> Recording:
        """Run to the end, and make the Recording out of what was recorded, however it ends."""
        failure, frames = None, None
        words = None if self.bulk is None else self.bulk.words(lambda: int(self._count[m.DONE]))
        bar = Progress(progress, self.time, float(self._clock[m.END]), words)
        try:
            failure = run_blocks(self, recorder, bar, rows)
            if recorder is not None and failure is None:
                checkpoint.save(self, recorder)  # the state at the end, with soil and all
        except KeyboardInterrupt:
            info["interrupted"] = True
        finally:
            bar.close()
            info |= {"events": list(self.event_log), "steps": int(self._count[m.DONE])}
            grown = self.method.counts(self._memory) - self._counted
            info |= self.method.report(grown)
            if self.bulk is not None:
                frames, info["grains"] = self.bulk.frames(), self.bulk.grains.about()
            if recorder is not None:
                recorder.info |= info | ({} if failure is None else {"error": str(failure)})
                recorder.close()
        *states, extra = self._columns(np.concatenate(rows))
        recording = Recording(self.model, *states, extra=extra, info=info)
        recording.info["events"], recording.frames = list(self.event_log), frames
        add_channels(recording, Trace(recording, self._user))
        if failure is not None:
            failure.recording = recording
            raise failure from failure.cause
        if doubt := self.method.doubts(grown):
            warnings.warn(doubt, ConditionWarning, stacklevel=3)
        return recording

    def _append(self, recorder: Recorder, rows: np.ndarray) -> None:
        recorder.append(*self._columns(rows))

    def _sample(self) -> np.ndarray:
        """Time, state, and what is recorded besides, now."""
        return np.concatenate([[self.time], self._y, self._data.recorded])

    def _columns(self, rows: np.ndarray) -> list:
        """Time, q, v, z and further channels of samples."""
        model = self.model
        time, q, v, z, outputs = np.split(rows, np.cumsum([1, model.nq, model.nv, model.nz]), axis=1)
        return [time[:, 0], q, v, z, {"outputs": outputs} if outputs.shape[1] else {}]
