"""A Model moving in time: the only loop. Steps run in compiled blocks; between blocks there is time for people."""

import json
import time as wall
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import ConditionWarning, InputError, SimulationError, UnsupportedError
from gori.integrate import RK4, Loops, Method, method_of
from gori.integrate import march as m
from gori.kernels.accelerations import EVENT, NEAR_SINGULAR, OK, POOR_CHOICE, STEP_TOO_SMALL
from gori.model import Model, assemble, consistent_velocity
from gori.model.elements import compile_elements
from gori.model.machine import machine_of
from gori.model.signals import SignalTable
from gori.model.state import State
from gori.record import Recorder, Recording, read_checkpoint
from gori.sim.channels import add_force_channels, add_trace_channels
from gori.sim.closing import Closure, closing
from gori.sim.controls import controlled
from gori.sim.events import Event, event_of
from gori.sim.failure import explain
from gori.sim.progress import Progress
from gori.sim.trace import Trace
from gori.sim.user import UserForce

BLOCK_SECONDS = 0.05
"""how long compiled code runs before it looks up"""
FIRST_BLOCK = 256
"""steps of the first block, whose speed is not known yet"""
BLOCK_SAMPLES = 4096
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
    ):
        self.model = controlled(model, controls or {})
        self.method, self.loops = closing(self.model, method_of(RK4() if method is None else method), loops)
        self.elements = compile_elements(self.model)
        self.events = {name: event_of(name, event) for name, event in (events or {}).items()}
        self.event_log: list[tuple[str, float]] = []
        functions = [] if forces is None else [forces] if callable(forces) else list(forces)
        self._user = UserForce(functions, model.nq, model.nv)
        self._refuse_unsupported(functions)
        self._set_up()
        self.state = self._first() if state is None else state

    def _first(self) -> State:
        """The start of the Spec; with loops closed."""
        q, v = self.model.q0, self.model.v0
        if self.model.loops:
            q = assemble(self.model)
            v = consistent_velocity(self.model, q, v)
        return State(0.0, q, v, np.zeros(self.elements.states))

    def _refuse_unsupported(self, functions: list) -> None:
        needs = {"events": self.events, "friction": self.elements.states, "user": functions}
        missing = [name for name, there in needs.items() if there and name not in self.method.supports]
        if missing:
            raise UnsupportedError(f"method {self.method.kind} does not support: {', '.join(missing)}")

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
        self._machine, self._scratch, memory = machine_of(
            self.model,
            e,
            self._user.address,
            depth,
            0 if core is None else core.address,
            *(() if self._closure is None else self._closure.tables()),
        )
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
        return State(self.time, y[:nq], y[nq : nq + nv], y[nq + nv :])

    @state.setter
    def state(self, state: State) -> None:
        self._y = self._checked(state)
        if self._closure is not None:
            self._closure.refuse_open(state)
            self._closure.start(state)
        self._watch[3][7] = 0.0
        self._start(float(state.time))
        self.method.forget(self._memory)

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

    @property
    def report(self) -> dict[str, Any]:
        """What the method has to tell of all steps so far; of one `run`: the info of its Recording."""
        return self.method.report(self.method.counts(self._memory))

    # ---- running

    def step(self, count: int = 1) -> State:
        """Take steps of a method with a fixed step, and give the State; one by one or at once, it is the same."""
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
        failure = self._run(None, Progress(False, 0.0, 1.0))
        if failure is not None:
            raise failure from failure.cause
        return self.state

    def run(
        self,
        duration: float,
        sample: float | None = None,
        path: str | Path | None = None,
        progress: bool = True,
        overwrite: bool = False,
    ) -> Recording:
        """Run for a duration [s] and give the Recording. Ctrl-C stops it and keeps what is computed.

        sample     time between samples [s]; default: a thousandth of the duration, but at least one step
        path       HDF5 file that is written while the run goes on, and survives a kill
        progress   show a bar when it takes more than two seconds and there is a terminal
        """
        self._start(self.time)
        self._counted = self.method.counts(self._memory)
        self._plan(duration, sample)
        info = {"method": self.method.settings(), "duration": duration, "sample": float(self._clock[m.PERIOD])}
        if self._user.functions:
            info["user_forces"] = len(self._user.functions)
        if self.loops is not None:
            info["loops"] = self.loops.settings()
        recorder = None if path is None else Recorder(path, self.model, info=info, overwrite=overwrite)
        start = np.concatenate([[self.time], self._y])[None]
        self.event_log = []
        if recorder is not None:
            self._append(recorder, start)
            self._save(recorder)
        return self._finish(recorder, [start], progress, info)

    @classmethod
    def resume(cls, path: str | Path, progress: bool = True, **options: Any) -> Recording:
        """Go on with a run that was stopped or killed, from its last checkpoint, bit for bit as if it had not been.

        options   forces and events of the run: functions are not in the file
        """
        saved = read_checkpoint(path)
        before = Recording.load(path)
        if saved is None:
            raise InputError(f"{path} holds no checkpoint to go on from")
        simulation = cls(before.model, before.info["method"], loops=before.info.get("loops"), **options)
        if saved["watch"].shape != simulation._watch[3].shape:
            raise InputError(f"{path} was recorded with other events: give those of that run")
        simulation._y[:], simulation._clock[:], simulation._count[:] = saved["y"], saved["clock"], saved["count"]
        simulation._memory[:], simulation._watch[3][:] = saved["memory"], saved["watch"]
        simulation._counted[:], simulation._scratch.loop[:] = saved["counted"], saved["loop"]
        if simulation._closure is not None:
            simulation._closure.resume()
        simulation.event_log = [(name, time) for name, time in json.loads(saved["events"])]
        recorder = Recorder.resume(path, simulation.model)
        rows = np.column_stack([before.time, before.q, before.v, before.z])[: recorder.samples]
        info = {name: before.info[name] for name in ("method", "duration", "sample", "loops") if name in before.info}
        recorder.info = dict(info)
        return simulation._finish(recorder, [rows], progress, info)

    def _save(self, recorder: Recorder) -> None:
        """All that a run needs to go on."""
        arrays = {"y": self._y, "clock": self._clock, "count": self._count, "memory": self._memory}
        arrays |= {"counted": self._counted, "loop": self._scratch.loop}
        recorder.checkpoint({**arrays, "watch": self._watch[3], "events": json.dumps(self.event_log)})

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
        failure = None
        bar = Progress(progress, self.time, float(self._clock[m.END]))
        try:
            failure = self._run(recorder, bar, rows)
        except KeyboardInterrupt:
            info["interrupted"] = True
        finally:
            bar.close()
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
        recording.info["events"] = list(self.event_log)
        add_force_channels(recording)
        add_trace_channels(recording, Trace(recording, self._user))
        if failure is not None:
            failure.recording = recording
            raise failure from failure.cause
        if doubt := self.method.doubts(grown):
            warnings.warn(doubt, ConditionWarning, stacklevel=3)
        return recording

    def _run(self, recorder: Recorder | None, bar: Progress, rows: list | None = None):
        """Blocks of steps until the end; returns what went wrong, or None."""
        block, alone, saved = FIRST_BLOCK, False, wall.perf_counter()
        self._user.error = None
        while (left := self._left()) > 0:
            # a pose that asked for something is passed by one step alone, wherever blocks end: so a run in pieces, or
            # on a slower computer, is the same run bit for bit
            self._count[m.TO_DO] = 1 if alone else min(block, left)
            began = wall.perf_counter()
            code = self.method.run(
                self._machine,
                self._scratch,
                self._memory,
                self._clock,
                self._count,
                self._y,
                self._samples,
                self._watch,
            )
            now = wall.perf_counter()
            new = self._samples[: self._count[m.SAMPLES]].copy()
            if rows is not None and len(new):
                rows.append(new)
            if recorder is not None and len(new):
                self._append(recorder, new)
            if isinstance(self._user.error, KeyboardInterrupt):
                raise self._user.error
            if code == EVENT:
                try:
                    if self._meet(rows, recorder):
                        return None
                except ActionFailed as failed:
                    return SimulationError(str(failed), self.time, failed.__cause__)
            elif code == POOR_CHOICE and self._closure is not None:
                self._closure.choose(self.state)
                self.method.forget(self._memory)  # a step was begun and left
            elif code == NEAR_SINGULAR and self._closure is not None:
                self._closure.narrow()
            elif code == STEP_TOO_SMALL and self._closure is not None and self._leap():
                pass
            elif code != OK:
                self.method.forget(self._memory)
                return explain(self, code)
            elif self._closure is not None:
                self._closure.relax()
                if alone:
                    self._closure.land(self._memory)
                    self._closure.leaps = 0
                if self._closure.due(now) and (name := self._closure.opened(self.state)) is not None:
                    return SimulationError(
                        f"equation {name} was redundant at the start and is open at t = {self.time:.6g} s: the machine "
                        "has come to poses where its loops depend on each other in another way. Start nearer to them",
                        self.time,
                    )
            alone = code in (POOR_CHOICE, NEAR_SINGULAR, STEP_TOO_SMALL)
            if recorder is not None and not alone and now - saved > 0.5:
                self._save(recorder)
                saved = now
            bar.move(self.time)
            block = max(1, min(int(block * BLOCK_SECONDS / max(now - began, 1e-4)), self._most_steps()))
        return None

    def _leap(self) -> bool:
        return self._closure is not None and self._closure.leap(self._memory, self._clock, int(self._count[m.DONE]))

    def _most_steps(self) -> int:
        """So many steps that their samples fit."""
        if self.method.adaptive:
            return 10_000_000
        return int(min(10_000_000, BLOCK_SAMPLES * self._count[m.EVERY]))

    def _meet(self, rows: list | None, recorder: Recorder | None) -> bool:
        """Do what the events that are met here ask for, in their order; whether the run ends here."""
        here, ends = [np.concatenate([[self.time], self._y])], False
        marks = self._watch[3][7]
        for (name, event), mark in zip(self.events.items(), marks.copy()):
            if abs(mark) < 1.0:  # not met, or passed in the other direction
                continue
            self.event_log.append((name, self.time))
            ends = ends or event.action == "stop"
            if callable(event.action):
                try:
                    after = event.action(self.state)
                    if not isinstance(after, State | None):
                        raise InputError(f"it must return a State or None, not {type(after).__name__}")
                    if after is not None:
                        self._y[:] = self._checked(after)
                        marks[marks != 0.0] = m.CHANGED
                        here.append(np.concatenate([[self.time], self._y]))
                except Exception as error:
                    words = f"{type(error).__name__}: {error}"
                    raise ActionFailed(
                        f"the action of event {name!r} failed at t = {self.time:.6g} s: {words}"
                    ) from error
        self.method.forget(self._memory)
        self._clock[m.LAST_ERROR] = 1e-4
        new = np.array(here)
        if rows is not None:
            rows.append(new)
        if recorder is not None:
            self._append(recorder, new)
        return ends

    def _append(self, recorder: Recorder, rows: np.ndarray) -> None:
        nq, nv = self.model.nq, self.model.nv
        recorder.append(rows[:, 0], rows[:, 1 : 1 + nq], rows[:, 1 + nq : 1 + nq + nv], rows[:, 1 + nq + nv :])


class ActionFailed(Exception):
    """An exception in the action of an event."""
