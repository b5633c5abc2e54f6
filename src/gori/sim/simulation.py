"""A Model moving in time: what a person sees of it."""

import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gori.errors import ConditionWarning, InputError, UnsupportedError
from gori.integrate import RK4, Loops, Method, method_of
from gori.integrate import march as m
from gori.kernels.particles.grains import N_POSE
from gori.kernels.particles.poses import body_poses
from gori.kernels.vehicle.patch import N_CELL
from gori.kernels.vehicle.tables import SUB_STEP
from gori.model import Model, assemble, consistent_velocity
from gori.model.carriers import carriers
from gori.model.elements import Elements, compile_elements
from gori.model.machine import machine_of
from gori.model.signals import SignalTable
from gori.model.state import State
from gori.record import Recorder, Recording, read_checkpoint
from gori.sim.channels import add_channels
from gori.sim.closing import Closure, closing
from gori.sim.controls import controlled
from gori.sim.coupling import Coupling, couple
from gori.sim.events import Event, event_of
from gori.sim.framing import Framing
from gori.sim.grains import Grains
from gori.sim.loop import BLOCK_SAMPLES, run_blocks
from gori.sim.progress import Progress
from gori.sim.running_gear import NOT_HELD, Inputs, RunningGear
from gori.sim.schedule import scheduled
from gori.sim.trace import Trace
from gori.sim.user import UserForce
from gori.spec.expression import closest
from gori.spec.subsystem import Subsystem as GrainSettings

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
        device: Literal["cpu", "cuda"] | None = None,
    ):
        self.model = controlled(model, controls or {})
        self.method, self.loops = closing(self.model, method_of(RK4() if method is None else method), loops)
        self.elements = compile_elements(self.model)
        self._gear = RunningGear(self.elements)
        self.told = _told(self.model, self.elements)
        """places in the row of q, v and z of what wheels and drive trains tell, by channel"""
        self.events = {name: event_of(name, event) for name, event in (events or {}).items()}
        self.event_log: list[tuple[str, float]] = []
        functions = [] if forces is None else [forces] if callable(forces) else list(forces)
        self._user = UserForce(functions, model.nq, model.nv)
        self.subsystems = self._own_steps(subsystems)
        self.driver, self.schedules = driver, scheduled(self.model)
        self.control = min((part.every for part in self.schedules), default=0.01) if control is None else control
        if not (np.isfinite(self.control) and self.control > 0.0):
            raise InputError(f"control must be a positive number of seconds, not {control!r}")
        self.grains: Grains | None = None
        self.device = device
        self._coupling: Coupling | None = None
        self._framing: Framing | None = None
        self._refuse_unsupported(functions)
        self._set_up()
        self.state = self._first() if state is None else state

    def _own_steps(self, given: Mapping[str, float] | None) -> dict[str, float]:
        """Own steps of subsystems [s]; they share one, the smallest."""
        run, outside = self.model.spec.run, self.elements.outside
        if given is None:
            trains = {} if run is None else run.subsystems
            given = {name: float(part.step) for name, part in trains.items() if name in self.model.spec.drivetrains}
        for name, step in given.items():
            if name not in self.model.spec.drivetrains:
                known = self.model.spec.drivetrains
                raise InputError(f"subsystems: {name!r} is not a drive train{closest(name, known)}")
            if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0.0 < step < np.inf:
                raise InputError(f"subsystems: the step of {name!r} must be a positive number of seconds, not {step!r}")
        if given and outside is not None:
            outside.outside_f[SUB_STEP] = min(given.values())
        return dict(given)

    def _first(self) -> State:
        """The start of the Spec; with loops closed."""
        q, v = self.model.q0, self.model.v0
        if self.model.loops:
            q = assemble(self.model)
            v = consistent_velocity(self.model, q, v)
        return State(0.0, q, v, np.concatenate([np.zeros(self.elements.friction), self._gear.start()]))

    def _refuse_unsupported(self, functions: list) -> None:
        e = self.elements
        needs = {
            "events": self.events,
            "friction": e.friction - 6 * len(e.held),
            "user": functions,
            "vehicles": e.outside is not None,
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
        e, nv, tables = self.elements, self.model.nv, self.model.kernel_tables
        n = self.model.nq + nv + e.states
        watched = SignalTable()
        for name, event in self.events.items():
            watched.add(event.value, f"event {name!r}", self.model)
        signal_i, signal_f, depth = watched.tables()
        directions = np.array([event.direction for event in self.events.values()], np.int64)
        self._watch = (signal_i, signal_f, directions, np.zeros((8, max(n, len(self.events)))))
        core = self.method.core_of_loops if self.model.loops else self.method.core
        self._closure = Closure(self.model, self.method, self.loops) if self.model.loops else None
        loops: tuple[Any, int, int] = (None, 0, 0) if self._closure is None else self._closure.tables()
        self._machine, self._scratch, memory = machine_of(
            self.model,
            e,
            self._user.address,
            depth,
            0 if core is None else core.address,
            *loops,
            live=True,
        )
        self._gear.connect(self._machine, self._scratch)
        if self._closure is not None:
            self._closure.machine, self._closure.scratch, self._closure.memory = self._machine, self._scratch, memory
        self._memory = self.method.memory(len(tables.body_i), self.model.nq, nv, e.states)
        self._counted = self.method.counts(self._memory)
        self._clock, self._count = np.zeros(m.N_CLOCK), np.zeros(m.N_COUNT, np.int64)
        self._samples = np.zeros((BLOCK_SAMPLES, 1 + n))

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
        self._place_grains(state)
        self.method.forget(self._memory)

    def _place_grains(self, state: State) -> None:
        """Grains as the State tells; if it tells of none, packed as the Spec says around the bodies."""
        spec = self.model.spec
        if not (spec.particles or spec.inlets):
            return
        if state.grains is not None and "left_out" in state.grains:
            raise InputError("this State does not hold the grains: take simulation.state, not what step() gives")
        if self.grains is None or state.grains is None:
            settings = {} if spec.run is None else spec.run.subsystems
            known = {name: part for name, part in settings.items() if name not in spec.drivetrains}
            if self.device is not None:
                known = {name: part.model_copy(update={"device": self.device}) for name, part in known.items()}
                known = known or {"grains": GrainSettings(device=self.device)}
            self.grains = Grains(self.model, known, self._grain_poses)
            self._coupling = couple(self._machine, self._scratch, self.grains, self.elements.held)
        if state.grains is not None:
            self.grains.restore(state.grains)
        assert self._coupling is not None
        self._coupling.begin(float(state.time), self._y)
        self._coupling.hold(self._y[self.model.nq + self.model.nv :])

    def _grain_poses(self) -> np.ndarray:
        """Poses and velocities of the bodies that carry walls."""
        rows = np.array([carrier.row for carrier in carriers(self.model)], np.int64)
        out = np.zeros((len(rows), N_POSE))
        body_poses(self._machine, self._scratch, self._y, rows, out)
        return out

    def follow(self) -> None:
        """What is coupled comes to where the bodies are, and tells the wrenches of their next step."""
        if self._coupling is None or self.grains is None:
            return
        before = self._coupling.time
        self._coupling.follow(self.time, self._y, self._y[self.model.nq + self.model.nv :])
        self.grains.exchange(before, self.time)
        if self._framing is not None:
            self._framing.look(self.time)

    def _checked(self, state: State) -> np.ndarray:
        """The numbers of a State in one row."""
        sizes = {"q": self.model.nq, "v": self.model.nv, "z": self.elements.states}
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
        if self.device is not None and self.grains is not None:
            info["device"] = self.device
        every = self._frame_period(frames)
        if every is not None:
            info["frames"] = every
        recorder = None if path is None else Recorder(path, self.model, info=info, overwrite=overwrite)
        self._frame(every, path, duration, overwrite)
        self._gear.take_over(self._y)  # the first sample tells the inputs that act on it
        start = np.concatenate([[self.time], self._y])[None]
        self.event_log = []
        if recorder is not None:
            self._append(recorder, start)
            self._save(recorder)
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
        if saved["watch"].shape != simulation._watch[3].shape:
            raise InputError(f"{path} was recorded with other events: give those of that run")
        simulation._y[:], simulation._clock[:], simulation._count[:] = saved["y"], saved["clock"], saved["count"]
        simulation._memory[:], simulation._watch[3][:] = saved["memory"], saved["watch"]
        simulation._counted[:], simulation._scratch.loop[:] = saved["counted"], saved["loop"]
        simulation._scratch.outside[:] = saved["outside"]
        simulation._gear.ground = (saved["cells"], saved["ground"])
        if simulation._closure is not None:
            simulation._closure.resume()
        if simulation.grains is not None and simulation._coupling is not None:
            simulation.grains.restore(saved)
            simulation._coupling.begin(simulation.time, simulation._y)
            simulation._coupling.impulse, simulation._coupling.given = saved["impulse"], saved["given"]
            if "frames" in before.info:
                first = float(simulation._clock[m.START])
                every = before.info["frames"]
                simulation._framing = Framing.resume(simulation.grains, every, path, first, simulation.time)
        simulation.event_log = [(name, time) for name, time in json.loads(saved["events"])]
        recorder = Recorder.resume(path, simulation.model)
        rows = np.column_stack([before.time, before.q, before.v, before.z])[: recorder.samples]
        names = ("method", "duration", "sample", "frames", *kept)
        info = {name: before.info[name] for name in names if name in before.info}
        recorder.info = dict(info)
        return simulation._finish(recorder, [rows], progress, info)

    def _save(self, recorder: Recorder) -> None:
        """All that a run needs to go on."""
        arrays = {"y": self._y, "clock": self._clock, "count": self._count, "memory": self._memory}
        arrays |= {"counted": self._counted, "loop": self._scratch.loop, "outside": self._scratch.outside}
        cells, ground = self._gear.ground or (np.zeros(0, np.int64), np.zeros((0, N_CELL)))
        arrays |= {"cells": cells, "ground": ground}
        if self.grains is not None and self._coupling is not None:
            arrays |= self.grains.save() | {"impulse": self._coupling.impulse, "given": self._coupling.given}
        recorder.checkpoint({**arrays, "watch": self._watch[3], "events": json.dumps(self.event_log)})

    def _frame_period(self, every: float | None) -> float | None:
        """Time between frames of grains [s], as given or as in the Spec; None: no frames."""
        if self.grains is None:
            return None
        told = [part.frames for part in self.grains.settings.values() if part.frames is not None]
        every = min(told, default=None) if every is None else every
        if every is not None and not every > 0.0:
            raise InputError(f"frames must be a positive number of seconds, not {every!r}")
        return every

    def _frame(self, every: float | None, path: Any, duration: float, overwrite: bool) -> None:
        """Begin with frames of grains, if they are asked for."""
        self._framing = None
        if self.grains is not None and every is not None:
            self._framing = Framing(self.grains, every, path, self.time, duration, overwrite)
            self._framing.look(self.time)

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
        bar = Progress(progress, self.time, float(self._clock[m.END]))
        try:
            failure = run_blocks(self, recorder, bar, rows)
            if recorder is not None and failure is None:
                self._save(recorder)  # the state at the end, with soil and all
        except KeyboardInterrupt:
            info["interrupted"] = True
        finally:
            bar.close()
            if self._framing is not None:
                frames = self._framing.close()
            info |= {"events": list(self.event_log), "steps": int(self._count[m.DONE])}
            grown = self.method.counts(self._memory) - self._counted
            info |= self.method.report(grown)
            if recorder is not None:
                recorder.info |= info | ({} if failure is None else {"error": str(failure)})
                recorder.close()
        data, nq, nv = np.concatenate(rows), self.model.nq, self.model.nv
        recording = Recording(
            self.model,
            data[:, 0],
            data[:, 1 : 1 + nq],
            data[:, 1 + nq : 1 + nq + nv],
            data[:, 1 + nq + nv :],
            info=info,
        )
        recording.info["events"], recording.frames = list(self.event_log), frames
        add_channels(recording, Trace(recording, self._user))
        if failure is not None:
            failure.recording = recording
            raise failure from failure.cause
        if doubt := self.method.doubts(grown):
            warnings.warn(doubt, ConditionWarning, stacklevel=3)
        return recording

    def _append(self, recorder: Recorder, rows: np.ndarray) -> None:
        nq, nv = self.model.nq, self.model.nv
        recorder.append(rows[:, 0], rows[:, 1 : 1 + nq], rows[:, 1 + nq : 1 + nq + nv], rows[:, 1 + nq + nv :])


def _told(model: Model, elements: Elements) -> dict[str, int]:
    """Places among q, v and z of what wheels and drive trains tell, by channel."""
    known = {} if elements.outside is None else elements.outside.channels(elements.friction)
    return {name: model.nq + model.nv + column for name, (column, _) in known.items()}
