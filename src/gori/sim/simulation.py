"""A Model moving in time: the only loop. Steps run in compiled blocks; between blocks there is time for people."""

import time as wall
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.integrate import RK4, Method, method_of
from gori.integrate import march as m
from gori.kernels.accelerations import EVENT, OK
from gori.kernels.columns import N_BODY_W, N_DOF_W
from gori.kernels.machine import Machine, Scratch
from gori.model import Model, compile
from gori.model.elements import compile_elements
from gori.model.signals import SignalTable
from gori.model.state import State
from gori.record import Recorder, Recording, read_checkpoint
from gori.sim.events import Event, event_of
from gori.sim.failure import explain
from gori.sim.progress import Progress
from gori.sim.user import UserForce

BLOCK_SECONDS = 0.05
"""how long compiled code runs before it looks up"""
BLOCK_SAMPLES = 4096


class Simulation:
    """A Model, a method, and a State that moves.

    method     RK4(step=1e-3), Dopri5(rtol=1e-8), ...; or settings as in a run file: {"type": "rk4", "step": 1e-3}
    controls   {force: value}: other values or targets for torques, forces and motors of the Spec: a number, an
               expression, or a table [[t, x], ...]
    forces     functions of the user that add to the joint forces: f(t, q, v) -> tau (nv,); or, compiled by numba.njit,
               f(t, q, v, tau), adding in place
    events     {name: expression} or {name: Event(...)}: zero crossings to find, record, or act on
    state      where to start; default: the start coordinates of the Spec at time 0
    """

    def __init__(
        self,
        model: Model,
        method: Method | dict | str | None = None,
        controls: dict[str, Any] | None = None,
        forces: Callable | list[Callable] | None = None,
        events: dict[str, str | Event] | None = None,
        state: State | None = None,
    ):
        if model.loops:
            raise UnsupportedError(
                f"simulation of a Model with closed loops is not available yet: {', '.join(model.loops)}. "
                "gori.compile(spec, open_loops=True) leaves them out"
            )
        self.model = controlled(model, controls or {})
        self.method = method_of(RK4() if method is None else method)
        self.elements = compile_elements(self.model)
        self.events = {name: event_of(name, event) for name, event in (events or {}).items()}
        self.event_log: list[tuple[str, float]] = []
        functions = [] if forces is None else [forces] if callable(forces) else list(forces)
        self._user = UserForce(functions, model.nq, model.nv)
        self._refuse_unsupported(functions)
        self._set_up()
        start = State(0.0, self.model.q0, self.model.v0, np.zeros(self.elements.states))
        self.state = start if state is None else state

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
        self._machine = Machine(
            tables.body_i, tables.body_f, e.element_i, e.element_f, e.signal_i, e.signal_f, self._user.address
        )
        body_w, dof_w = np.zeros((len(tables.body_i), N_BODY_W)), np.zeros((nv, N_DOF_W))
        values, stack = np.zeros(len(e.signal_i)), np.zeros(max(depth, e.depth, 1))
        self._scratch = Scratch(body_w, dof_w, np.zeros(nv), values, stack)
        self._memory = np.zeros((self.method.rows, n))
        self.method.fill(self._memory)
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
        sizes = {"q": self.model.nq, "v": self.model.nv, "z": self.elements.states}
        for name, size in sizes.items():
            value = getattr(state, name)
            if np.shape(value) != (size,) or not np.isfinite(value).all():
                raise InputError(f"state.{name} must be {size} finite numbers, not {value!r}")
        self._y = np.concatenate([state.q, state.v, state.z]).astype(float)
        self._start(float(state.time))

    def _start(self, now: float) -> None:
        """Count steps and samples from here on."""
        self._clock[[m.START, m.NOW]] = now
        self._clock[m.LAST_ERROR] = 1e-4
        self._count[:] = 0

    # ---- running

    def step(self, count: int = 1) -> State:
        """Take steps of a method with a fixed step, and give the State."""
        if self.method.adaptive:
            raise InputError(f"{self.method.kind} chooses its own steps: use run(duration)")
        h = self.method.settings()["step"]
        self._start(self.time)
        self._plan(count * h, count * h)
        self._run(None, Progress(False, 0.0, 1.0))
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
        self._plan(duration, duration / 1000.0 if sample is None else sample)
        info = {"method": self.method.settings(), "duration": duration, "sample": float(self._clock[m.PERIOD])}
        recorder = None if path is None else Recorder(path, self.model, info=info, overwrite=overwrite)
        start = np.concatenate([[self.time], self._y])[None]
        if recorder is not None:
            self._append(recorder, start)
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
        simulation = cls(before.model, before.info["method"], **options)
        simulation._y[:], simulation._clock[:], simulation._count[:] = saved["y"], saved["clock"], saved["count"]
        recorder = Recorder.resume(path, simulation.model)
        kept = before.time <= simulation.time + 1e-12
        rows = np.column_stack([before.time, before.q, before.v, before.z])[kept]
        return simulation._finish(recorder, [rows], progress, dict(before.info))

    def _plan(self, duration: float, sample: float) -> None:
        """Fill clock and count for a run of this duration from now."""
        for name, value in (("duration", duration), ("sample", sample)):
            if not (np.isfinite(value) and value > 0.0):
                raise InputError(f"{name} must be a positive number of seconds, not {value!r}")
        settings = self.method.settings()
        self._clock[m.END] = self.time + duration
        self._clock[m.PERIOD] = min(sample, duration)
        if self.method.adaptive:
            self._clock[m.LARGEST] = settings["largest_step"]
        else:
            h = settings["step"]
            every = max(1, round(sample / h))
            self._clock[m.STEP], self._clock[m.PERIOD] = h, every * h
            self._count[m.EVERY] = every

    def _left(self) -> int:
        """Steps that are left to do: of a fixed step a number, of an adaptive one all or none."""
        left = self._clock[m.END] - self._clock[m.NOW]
        if self.method.adaptive:
            return np.iinfo(np.int64).max if left > 0.0 else 0
        return round(left / self._clock[m.STEP])

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
            if recorder is not None:
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
        if failure is not None:
            failure.recording = recording
            raise failure from failure.cause
        return recording

    def _run(self, recorder: Recorder | None, bar: Progress, rows: list | None = None):
        """Blocks of steps until the end; returns what went wrong, or None."""
        block, saved = 64, wall.perf_counter()
        while (left := self._left()) > 0:
            self._count[m.TO_DO] = min(block, left)
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
            if code == EVENT:
                if self._meet(rows, recorder):
                    return None
            elif code != OK:
                return explain(self, code)
            if recorder is not None and now - saved > 0.5:
                recorder.checkpoint({"y": self._y, "clock": self._clock, "count": self._count})
                saved = now
            bar.move(self.time)
            block = int(np.clip(block * BLOCK_SECONDS / max(now - began, 1e-4), 1, self._most_steps()))
        return None

    def _most_steps(self) -> int:
        """So many steps that their samples fit."""
        if self.method.adaptive:
            return 10_000_000
        return int(min(10_000_000, BLOCK_SAMPLES * self._count[m.EVERY]))

    def _meet(self, rows: list | None, recorder: Recorder | None) -> bool:
        """Do what an event asks for; whether the run ends here."""
        which = int(self._count[m.WHICH])
        name, event = list(self.events.items())[which]
        self.event_log.append((name, self.time))
        here = [np.concatenate([[self.time], self._y])]
        ends = event.action == "stop"
        if callable(event.action):
            end, period, h = self._clock[m.END], self._clock[m.PERIOD], self._clock[m.STEP]
            after = event.action(self.state)
            if isinstance(after, State):
                self.state = State(self.time, after.q, after.v, after.z)
                here.append(np.concatenate([[self.time], self._y]))
            elif after is not None:
                raise InputError(f"event {name!r}: its action must return a State or None, not {type(after).__name__}")
            self._clock[m.END], self._clock[m.PERIOD], self._clock[m.STEP] = end, period, h
        every = self._count[m.EVERY]
        self._start(self.time)
        self._count[m.EVERY] = every or max(1, round(self._clock[m.PERIOD] / max(self._clock[m.STEP], 1e-300)))
        self._count[m.WHICH] = which + 1  # it has just been met: not again before it has moved away
        new = np.array(here)
        if rows is not None:
            rows.append(new)
        if recorder is not None:
            self._append(recorder, new)
        return ends

    def _append(self, recorder: Recorder, rows: np.ndarray) -> None:
        nq, nv = self.model.nq, self.model.nv
        recorder.append(rows[:, 0], rows[:, 1 : 1 + nq], rows[:, 1 + nq : 1 + nq + nv], rows[:, 1 + nq + nv :])


def controlled(model: Model, controls: dict[str, Any]) -> Model:
    """The Model with other values or targets of its named forces."""
    spec = model.spec
    for name, value in controls.items():
        if name not in spec.forces:
            raise InputError(
                f"controls: {name!r} is not a force of the Spec; there are {', '.join(spec.forces) or 'none'}"
            )
        field = {"motor": "target", "torque": "value", "force": "value"}.get(spec.forces[name].type)
        if field is None:
            raise InputError(
                f"controls: {name!r} is a {spec.forces[name].type}: only motors, torques and forces are controlled"
            )
        spec = spec.set(f"forces.{name}.{field}", value)
    return model if spec is model.spec else compile(spec, model.open_loops)
