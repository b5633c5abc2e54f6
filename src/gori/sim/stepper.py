"""The compiled side of a Simulation: bodies, forces, loops and vehicles of a Model, moved in time by a method.

All that compiled code reads and writes stands here: tables of the Model (Machine), arrays that a run advances (Data),
the state vector y = (q, v, z, w), the clock, and the memory of the method. w is the work of all that has no potential
(`integrate/rates.py`). The stages of a run (`run.py`) see it through the methods of this class alone.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.integrate import Loops, Method
from gori.integrate.clock import CLOCK, FIRST_ERROR, KEPT_OF_CLOCK, MET_AND_CHANGED, Sizes
from gori.integrate.radau.tree import on_axes
from gori.kernels.impacts.memory import rest_memory
from gori.kernels.impacts.rest import resting
from gori.kernels.layout import row
from gori.kernels.loops.coordinates import place_turns
from gori.model import Model
from gori.model.machine import IMPACTS, machine_of
from gori.model.state import State
from gori.record.channels import WORK
from gori.sim.callers.pickled import Bound
from gori.sim.check import (
    ROUNDING,
    check_clock,
    check_cuts,
    check_events,
    check_loops,
    check_method,
    checked_work,
    has_elapsed,
    on_grid,
    require,
)  # fmt: skip
from gori.sim.contact.impacts import LIFT, Watched, rate_of
from gori.sim.events import Event, watch_events
from gori.sim.grid import MOST, grid_of, require_resolved, require_seconds
from gori.sim.loops.closure import Closure, solver_of, without_counts
from gori.sim.user import UserForce

BLOCK_SAMPLES = 4096
"""samples that one block of steps can write"""
NEVER = 1 << 40
"""steps between samples where there are none"""
MOST_STEPS = 10_000_000
"""of a block"""


class StepResult(NamedTuple):
    """What a block of steps came to: its result code, and the rows (time, y, recorded) that it sampled."""

    code: int
    samples: np.ndarray


class Stepper(Bound):
    """Moves one Model; complete when it is made, at rest until a State is loaded.

    coupled   rows of the bodies on which subsystems hold a wrench
    outputs   count of numbers that subsystems in Python put out
    gaps      what is watched for impacts; None: contact is that of the method
    """

    def __init__(
        self,
        model: Model,
        method: Method,
        loops: Loops | None,
        events: Mapping[str, Event],
        user: UserForce,
        coupled: tuple[int, ...],
        outputs: int,
        gaps: Watched | None = None,
    ):
        self.model, self.method, self.loops, self._outputs = model, method, loops, outputs
        self._keep_alive = user  # compiled code holds its address
        n = model.nq + model.nv + model.nz + 1
        self._watch, depth = watch_events(model, events, n, 0 if gaps is None else len(gaps.names))
        closed = bool(model.loops)
        core = method.core_of_loops if closed else method.core
        kept, solver = (model.loop_system.kept, solver_of(loops).address) if closed else (None, 0)
        rest = None
        if gaps is not None:
            equations = 0 if kept is None else len(kept.names)
            sizes = model.nq, model.nv, equations
            rate, lift = rate_of(method, gaps.scale), LIFT * gaps.scale
            rest = rest_memory(*sizes, solver, gaps.pairs, gaps.stops, rate, lift)
            solver = resting.address
        self.machine, self.data = machine_of(
            model,
            user.address,
            depth,
            0 if core is None else core.address,
            kept,
            solver,
            live=True,
            coupled=coupled,
            outputs=outputs,
            contact=IMPACTS if gaps is not None else method.contact,
            rest=rest,
        )
        self.closure = Closure(model, method, loops, self.machine, self.data) if closed else None
        rows = len(model.kernel_tables.body_i)
        equations = 0 if kept is None else len(kept.names)
        self.sizes = Sizes(rows, model.nq, model.nv, model.nz, equations, on_axes(self.machine))
        try:
            self.memory = method.memory(self.sizes)
            settings = method.settings()
            self._fixed_step = 0.0 if method.adaptive else float(settings["step"])
            float(settings.get("largest_step", 0.0))
        except (OverflowError, TypeError, ValueError) as error:
            raise InputError(f"a setting of {method.kind} is out of range: {error}") from None
        self._clocks = CLOCK.zeros(1)
        self._clock = row(self._clocks)
        self.y = np.zeros(n)
        self._samples = np.zeros((BLOCK_SAMPLES, 1 + n + len(self.data.recorded)))
        self._no_samples = self._samples[:0].copy()
        self._last_step = 0  # of the run, of a fixed step
        self._arguments = (
            self.machine, self.data, self.memory, self._clocks, self.y, self._samples, self._watch
        )  # fmt: skip
        self._compiled: Callable[..., int] | None = None

    # ---- what the stages of a run look at

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return float(self._clock.time)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Of the compiled run: machine, data, memory, clock, y, samples, watch."""
        return self._arguments

    @property
    def clock_record(self) -> np.ndarray:
        """The clock of the run, a table of one row."""
        return self._clocks

    @property
    def start_time(self) -> float:
        """Time from which steps are counted [s]."""
        return float(self._clock.start_time)

    @property
    def end_time(self) -> float:
        """Time at which the run ends [s]."""
        return float(self._clock.end_time)

    @property
    def step(self) -> float:
        """The step [s]; of an adaptive method the next one to try."""
        return float(self._clock.step)

    @property
    def sample_period(self) -> float:
        """Time between samples [s]."""
        return float(self._clock.sample_period)

    @property
    def steps_done(self) -> int:
        """Steps since `start_time`."""
        return int(self._clock.steps_done)

    @property
    def inside_step(self) -> bool:
        """Whether an event has cut a step, the rest of which is to be done."""
        return bool(self._clock.inside_step)

    @property
    def steps_refused(self) -> int:
        """Steps that an adaptive method has refused since `start_time`."""
        return int(self._clock.steps_refused)

    @property
    def run_start(self) -> float:
        """Time at which the present run began [s]."""
        return float(self._clock.start_time + self._clock.first_step * self._clock.step)

    @property
    def steps_of_run(self) -> int:
        """Steps of this run."""
        return self.steps_done - int(self._clock.first_step)

    @property
    def q(self) -> np.ndarray:
        """Coordinates now (nq,), read-only."""
        return self._view(0, self.model.nq)

    @property
    def v(self) -> np.ndarray:
        """Velocities now (nv,), read-only."""
        return self._view(self.model.nq, self.model.nq + self.model.nv)

    @property
    def z(self) -> np.ndarray:
        """Internal states of force elements now (nz,), read-only."""
        return self._view(self.model.nq + self.model.nv, len(self.y) - 1)

    @property
    def work(self) -> float:
        """Work of all that has no potential, so far [J]."""
        return float(self.y[-1])

    def _view(self, start: int, stop: int) -> np.ndarray:
        view = self.y[start:stop]
        view.flags.writeable = False
        return view

    @property
    def outputs(self) -> np.ndarray:
        """Numbers that subsystems in Python put out."""
        return self.data.recorded[len(self.data.recorded) - self._outputs :]

    def sample(self) -> np.ndarray:
        """One row of samples, now: time, state, and what is recorded besides."""
        return np.concatenate([[self.time], self.y, self.data.recorded])

    def columns(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Time, q, v, z and further channels of rows of samples."""
        sizes = np.cumsum([1, self.model.nq, self.model.nv, self.model.nz, 1])
        time, q, v, z, work, outputs = np.split(rows, sizes, axis=1)
        if self.model.vehicle is not None:
            outputs[:, self.model.vehicle.unread()] = 0.0  # files are smaller without them
        return time[:, 0], q, v, z, {WORK: work[:, 0]} | ({"outputs": outputs} if outputs.shape[1] else {})

    # ---- steps

    def plan_run(self, duration: float, sample: float | None) -> None:
        """Run for a duration [s] from now, with so much time between samples [s]; default: a thousandth of it."""
        require_seconds("duration", duration)
        require_seconds("sample", duration if sample is None else sample)
        if self.method.adaptive:
            self.count_from_here()
            self._clock.end_time, self._clock.duration = self.time + duration, duration
            self._clock.sample_period = min(duration / 1000.0 if sample is None else sample, duration)
            self._clock.largest_step = self.method.settings()["largest_step"]
            require_resolved("samples", self._clock.sample_period, self._clock.end_time)
            self._depart()
            return
        steps, every = grid_of(duration, sample, self._fixed_step)
        require_resolved("steps", self._fixed_step, self.time + duration)
        self.plan_steps(steps)
        self._clock.sample_period, self._clock.sample_every = every * self._fixed_step, every
        self._clock.first_step = self._clock.steps_done

    def plan_resumed(self, duration: float, sample: float) -> None:
        """Go on with a run of this duration and time between samples [s] that has begun at `run_start`."""
        settings, clock = self.method.settings(), self._clock
        clock.sample_period = sample
        if self.method.adaptive:
            if not (clock.samples_total + 1) * sample > clock.elapsed - ROUNDING * sample:
                raise InputError("state.clock['samples_total'] is less than the samples that were due before its time")
            clock.end_time, clock.duration = clock.start_time + duration, duration
            clock.largest_step = settings["largest_step"]
            self._depart()
            return
        h = self._fixed_step
        clock.sample_every = max(1, round(sample / h))
        self._last_step = clock.first_step + round(duration / h)
        clock.end_time = clock.start_time + self._last_step * h
        self._depart()

    def plan_steps(self, count: int) -> None:
        """Take so many steps of a fixed length from now, without samples. The grid of times goes on."""
        clock, h = self._clock, self._fixed_step
        if count > MOST:
            raise InputError(f"that many steps cannot be counted: at most {MOST:.3g} at once")
        if clock.step != h or clock.inside_step:
            self.count_from_here()
            clock.step = h
        self._depart()
        self._last_step = clock.steps_done + count
        clock.end_time = clock.start_time + self._last_step * h
        clock.sample_every = NEVER

    def _depart(self) -> None:
        """Before the first step of the count: accelerations of loops that start in a singular pose. What was counted is
        in the State, so a run that is taken up does as the run itself.
        """
        if self.closure is None or self._clock.steps_done > 0:
            return
        if (step := self.closure.depart(self.time, self.y)) is None:
            return
        if self.method.adaptive and self._clock.step <= 0.0:
            self._clock.step = min(step, self._clock.largest_step)

    def count_from_here(self) -> None:
        """Count steps and samples from the time reached on."""
        self._clock.start_time = self._clock.time
        self._clock.last_error, self._clock.elapsed = FIRST_ERROR, 0.0
        for name in ("steps_done", "first_step", "steps_refused", "samples_total", "slopes_valid", "inside_step"):
            self._clocks[name] = 0

    def steps_left(self) -> int:
        """Steps that are left to do: of a fixed step a number, of an adaptive one all or none."""
        if self.method.adaptive:
            return np.iinfo(np.int64).max if self._clock.elapsed < self._clock.duration else 0
        return self._last_step - self._clock.steps_done

    def most_steps(self) -> int:
        """So many steps that their samples fit."""
        if self.method.adaptive:
            return MOST_STEPS
        return int(min(MOST_STEPS, BLOCK_SAMPLES * self._clock.sample_every))

    def take_steps(self, count: int) -> StepResult:
        """Up to so many steps, in compiled code; y stays at the last good state if something fails."""
        self._clock.steps_to_do = count
        if self._compiled is None:
            code, self._compiled = self.method.run(*self._arguments), entry_point(self.method)
        else:
            code = self._compiled(*self._arguments)
        written = self._clock.samples_written
        return StepResult(code, self._samples[:written].copy() if written else self._no_samples)

    def forget(self) -> None:
        """Forces have jumped: what the method keeps from step to step no longer holds."""
        self.method.forget(self.memory)

    def step_over_singularity(self) -> bool:
        """Try to step over a singular pose of the loops that an adaptive method crept up to."""
        return self.closure is not None and self.closure.step_over_singularity(self.memory, self._clock)

    # ---- events

    def events_met(self) -> np.ndarray:
        """Which events have just been met (events,)."""
        return np.abs(self._watch.met) >= 1.0

    def mark_changed(self) -> None:
        """The state was changed at an event: its value counts as zero there."""
        self._watch.met[self._watch.met != 0.0] = MET_AND_CHANGED
        self._place_turns(known=True)

    def mark_gaps(self, marks: np.ndarray) -> None:
        """Mark gaps, the last of the events: MET_AND_CHANGED where bodies that touch part, else 0."""
        self._watch.met[len(self._watch.met) - len(marks) :] = marks
        self._clock.slopes_valid = 0

    def restart_after_event(self) -> None:
        """Forces may have jumped; an adaptive method is careful again."""
        self.forget()
        self._clock.last_error = FIRST_ERROR

    # ---- State

    def checked(self, state: State) -> np.ndarray:
        """q, v, z and the work of a State in one row; raises InputError where they do not fit the Model."""
        model = self.model
        z = state.z if len(state.z) or not model.nz else np.zeros(model.nz)
        for name, value, size in (("q", state.q, model.nq), ("v", state.v, model.nv), ("z", z, model.nz)):
            if value.shape != (size,) or not np.isfinite(value).all():
                raise InputError(f"state.{name} must be {size} finite numbers, not {value!r}")
        if not np.isfinite(state.time):
            raise InputError(f"state.time must be a finite number of seconds, not {state.time!r}")
        model.rows(q=(state.q, model.nq))  # refuses quaternions that are zero
        return np.concatenate([state.q, state.v, z, [checked_work(state)]])

    def tag(self) -> str:
        """Method, loop solver and their settings: whose memory it is."""
        loops = None if self.loops is None else self.loops.settings()
        return f"{self.method.tag()} {json.dumps(loops, sort_keys=True)}"

    def save(self) -> dict[str, dict[str, Any]]:
        """Parts of a State: clock, method, loops, events, energy."""
        parts: dict[str, dict[str, Any]] = {
            "clock": {name: self._clocks[name][0] for name in KEPT_OF_CLOCK},
            "method": {"tag": self.tag()} | self.memory.kept(),
            "events": {"met": self._watch.met, "before": self._watch.before},
            "energy": {"work": np.array(self.work)},
        }
        if self.closure is not None:
            parts["loops"] = {"head": without_counts(self.data.loops.head), "state": self.data.loops.state.flat}
        if len(self.data.track):
            parts["cuts"] = {"turns": self.data.turns, "track": self.data.track}
        return parts

    def check(self, state: State) -> bool:
        """Check all that is taken over from a State, and change nothing. Raises InputError.

        Returns whether it is of a run of just this method, these loops and these events, which goes on bit for bit.
        """
        self.checked(state)
        parts, fits = state.parts, self._fits(state)
        if self.closure is not None:
            self.closure.refuse_open(state)
        if "clock" in parts:
            check_clock(parts["clock"], state.time)
        if "cuts" in parts:
            check_cuts(parts["cuts"], self.data.turns, self.data.track)
        if fits:
            if not (self.method.adaptive or on_grid(parts["clock"])):
                raise InputError("state.clock['steps_done'] steps from its start do not lead to the time of the State")
            if self.method.adaptive and not has_elapsed(parts["clock"]):
                raise InputError("state.clock['elapsed'] after its start is not the time of the State")
            check_method(parts["method"], self.method, self.memory, self.sizes)
            check_events(parts["events"], self._watch.met)
            if self.closure is not None:
                check_loops(parts["loops"], self.data.loops)
        return fits

    def load(self, state: State, fits: bool) -> None:
        """Take over a State that was checked; fits: with what its method, loops and events remember."""
        parts, z = state.parts, state.z if len(state.z) else np.zeros(self.model.nz)
        self.y[:] = np.concatenate([state.q, state.v, z, [checked_work(state)]])
        if self.closure is not None:
            self.closure.start(state)
        self.forget()
        self._clock.time = state.time
        self.count_from_here()
        self._watch.met[:] = self._watch.before[:] = 0.0
        if "clock" in parts:
            for name in KEPT_OF_CLOCK:
                self._clocks[name] = parts["clock"][name]
            self._clock.slopes_valid = self._clock.slopes_valid if fits else 0
            if not (self.method.adaptive or on_grid(parts["clock"])):  # that of an adaptive method
                self.count_from_here()
        if fits:
            for name, array in self.memory.kept().items():
                array[:] = parts["method"][name]
            self._watch.met[:], self._watch.before[:] = parts["events"]["met"], parts["events"]["before"]
            if self.closure is not None:
                loops = self.data.loops
                loops.head[:], loops.state.flat[:] = parts["loops"]["head"], parts["loops"]["state"]
                self.closure.resume()
        if "cuts" in parts:
            self.data.turns[:], self.data.track[:] = parts["cuts"]["turns"], parts["cuts"]["track"]
        if not ("cuts" in parts and fits):
            self._place_turns(known="cuts" in parts)

    def _place_turns(self, known: bool) -> None:
        """Count turns of cuts from the state now: next to those that are known, or from none."""
        if len(self.data.track):
            place_turns(self.machine, self.data, self.time, self.y, int(known))

    def events_fit(self, state: State) -> bool:
        """Whether a State was saved with as many events."""
        if "events" not in state.parts:
            return False
        require("events", state.parts["events"], ("met",))
        return state.parts["events"]["met"].shape == self._watch.met.shape

    def _fits(self, state: State) -> bool:
        """Whether the State holds the memory of just this method, these loops and these events."""
        needed = {"clock", "method", "events"} | ({"loops"} if self.closure is not None else set())
        needed |= {"cuts"} if len(self.data.track) else set()
        if "method" in state.parts:
            require("method", state.parts["method"], ("tag",))
        if not needed <= state.parts.keys() or str(state.parts["method"]["tag"]) != self.tag():
            return False
        return self.events_fit(state)


def entry_point(method: Method) -> Callable[..., int]:
    """The compiled run itself, for arguments that a first call has taken.

    Numba's dispatcher looks at the types of all arrays in all bundles at every call, which takes longer than a step.
    """
    (compiled,) = method.run.dispatcher.overloads.values()
    return compiled.entry_point
