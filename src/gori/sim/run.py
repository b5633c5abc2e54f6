"""A run: blocks of compiled steps, and between them the stages that Python takes care of.

A block passes through the stages of `run_stages` in their order. Each stage knows what it was given and the Block, and
nothing else; the first that ends the run is the last one asked.
"""

import signal
import time as wall
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from gori.errors import InputError, SimulationError
from gori.kernels.codes import EVENT, NEAR_SINGULAR, OK, POOR_CHOICE, SINGULAR, STEP_TOO_SMALL, USER_ERROR
from gori.model.state import State
from gori.record import Recorder
from gori.sim.callers.interrupts import ANYWHERE, RunInterrupts
from gori.sim.callers.signals import StopRequest
from gori.sim.events import Event
from gori.sim.loops.closure import Closure
from gori.sim.progress import Progress
from gori.sim.stepper import Stepper
from gori.sim.user import UserForce
from gori.sim.vehicle.vehicles import Vehicles

BLOCK_SECONDS = 0.05
"""how long compiled code runs before Python has a look"""
FIRST_BLOCK = 256
"""steps of the first block, whose speed is not known yet"""
FIRST_PLAIN_BLOCK = 8
"""the same beside plain functions of the user, which may be slow: Ctrl-C waits for the end of a block"""

ATTEMPTS, REFUSED, CREEP = 4000, 0.75, 1e-12
"""steps that are looked at together; share of them that may be refused, and share of a run that each covers at least"""
DIFFICULT = POOR_CHOICE, NEAR_SINGULAR
"""results of a block that met a difficult pose"""
HARD, HARD_SHARE = 200, 1e-3
"""such blocks that are looked at together: half as many steps must succeed, or cover this share of the run"""
NO_SAMPLES = np.zeros((0, 0))


@dataclass
class Block:
    """One turn of the loop, as the stages hand it on.

    most      steps that may be taken at most
    alone     the last steps met a difficult pose, which is passed by one step alone wherever blocks end: so a run in
              pieces, or on a slower computer, is the same run bit for bit
    code      result of the steps; OK once a stage has dealt with it
    """

    most: int = FIRST_BLOCK
    alone: bool = False
    code: int = OK
    samples: np.ndarray = field(default_factory=lambda: NO_SAMPLES)
    ended: bool = False
    failure: SimulationError | None = None

    def fail(self, message: str, time: float, cause: BaseException | None = None) -> None:
        self.failure = SimulationError(message, time, cause)


class RunStage(Protocol):
    def __call__(self, block: Block) -> None: ...


def run_blocks(
    stepper: Stepper, stages: Sequence[RunStage], interrupts: RunInterrupts = ANYWHERE
) -> SimulationError | None:
    """Blocks of steps until the end; returns what went wrong, or None. Ctrl-C that waits ends it between two blocks."""
    block, left = Block(), stepper.steps_left()
    while left > 0:
        block.most = left
        for stage in stages:
            stage(block)
            if block.ended or block.failure is not None:
                return block.failure
        if interrupts.pressed and not (block.alone or stepper.inside_step):
            interrupts.check()
        left = stepper.steps_left()
    return None


class SampleStage:
    """Where samples go: a list, the file of a recording, both or none."""

    def __init__(self, stepper: Stepper, rows: list[np.ndarray] | None, recorder: Recorder | None):
        self._stepper, self._rows, self._recorder = stepper, rows, recorder

    def __call__(self, block: Block) -> None:
        self.add(block.samples)

    def add(self, rows: np.ndarray) -> None:
        """Keep rows (time, y, recorded)."""
        if not len(rows):
            return
        if self._rows is not None:
            self._rows.append(rows)
        if self._recorder is not None:
            self._recorder.append(*self._stepper.columns(rows))


class DriverStage:
    """Drivers set the inputs of the steps to come, every `period` seconds of simulated time.

    drive   lets them act; whether the run ends
    there   whether there are any
    fixed   the period was given, and is not that of a State
    """

    def __init__(
        self,
        stepper: Stepper,
        drive: Callable[[], bool],
        there: Callable[[], bool],
        period: float,
        fixed: bool = True,
    ):
        self._stepper, self._drive, self.there, self.period, self.fixed = stepper, drive, there, period, fixed
        self.acted_at = -1
        """count of steps at which they acted last"""
        self.off = False
        """they do not act"""

    def __call__(self, block: Block) -> None:
        if self.off or not self.there():
            return
        stepper, done = self._stepper, self._stepper.steps_done
        every = max(1, round(self.period / stepper.step))
        if done % every == 0 and self.acted_at != done:
            before, self.acted_at = self.acted_at, done
            try:
                block.ended = self._drive()
            except BaseException as error:
                self.acted_at = before  # they have not acted
                if not isinstance(error, Exception):
                    raise
                words = f"{type(error).__name__}: {error}"
                block.fail(f"the driver raised an exception at t = {stepper.time:.6g} s: {words}", stepper.time, error)
                return
        block.most = min(block.most, every - done % every)


class StepStage:
    """Compiled steps, as many as take about BLOCK_SECONDS; one at a time beside subsystems in Python."""

    def __init__(self, stepper: Stepper, one_by_one: bool, first: int = FIRST_BLOCK):
        self._stepper, self._one_by_one, self._size = stepper, one_by_one, first

    def __call__(self, block: Block) -> None:
        single = block.alone or self._one_by_one
        began = wall.perf_counter()
        block.code, block.samples = self._stepper.take_steps(1 if single else min(self._size, block.most))
        seconds = max(wall.perf_counter() - began, 1e-4)
        self._size = max(1, min(int(self._size * BLOCK_SECONDS / seconds), self._stepper.most_steps()))


class InterruptStage:
    """A function of the user that did not finish, as Ctrl-C or an exit came in between, ends the run."""

    def __init__(self, stepper: Stepper, user: UserForce):
        self._stepper, self._user = stepper, user
        user.error = None

    def __call__(self, block: Block) -> None:
        if block.code == USER_ERROR and (reason := self._user.interrupted()) is not None:
            self._stepper.forget()  # a step was begun and left
            raise reason


class EventStage:
    """Actions of the events that the steps have met, in their order.

    vehicles        stand at the end of the step in which an event was met
    state, change   give the State now, and take over another one
    log             (name, time) of all events so far
    """

    def __init__(
        self,
        stepper: Stepper,
        vehicles: Vehicles,
        events: Mapping[str, Event],
        state: Callable[[], State],
        change: Callable[[State], None],
        log: list[tuple[str, float]],
        samples: SampleStage,
    ):
        self._stepper, self._events, self._log, self._samples = stepper, events, log, samples
        self._vehicles = vehicles
        self._state, self._change = state, change

    def __call__(self, block: Block) -> None:
        if block.code != EVENT:
            return
        stepper, time = self._stepper, self._stepper.time
        self._vehicles.go_back(time, stepper.y)
        rows = [stepper.sample()]
        for (name, event), met in zip(self._events.items(), stepper.events_met()):
            if not met:
                continue
            self._log.append((name, time))
            block.ended = block.ended or event.action == "stop"
            if callable(event.action):
                try:
                    after = event.action(self._state())
                    if not isinstance(after, State | None):
                        raise InputError(f"it must return a State or None, not {type(after).__name__}")
                    if after is not None:
                        self._change(after)
                        rows.append(stepper.sample())
                except Exception as error:
                    words = f"{type(error).__name__}: {error}"
                    block.fail(
                        f"the action of event {name!r} raised an exception at t = {time:.6g} s: {words}", time, error
                    )
                    return
        stepper.restart_after_event()
        self._vehicles.start(time, stepper.y)
        self._samples.add(np.array(rows))
        block.code, block.alone = OK, False


class CreepStage:
    """An adaptive method that does not get on is stopped as if its step had become too small: steps are refused again
    and again, so many are needed that it would not come to the end, or nearly each one meets a difficult pose.
    """

    def __init__(self, stepper: Stepper):
        self._stepper, self._hard = stepper, 0
        self._steps = self._poses = (stepper.steps_done, stepper.steps_refused, stepper.time)

    def __call__(self, block: Block) -> None:
        stepper = self._stepper
        now, run = (stepper.steps_done, stepper.steps_refused, stepper.time), stepper.end_time - stepper.start_time
        done, refused, covered = (after - before for after, before in zip(now, self._steps))
        if done + refused >= ATTEMPTS:
            self._steps = now
            if block.code == OK and (refused > REFUSED * (done + refused) or covered < CREEP * (done + refused) * run):
                block.code = STEP_TOO_SMALL
        self._hard += block.code in DIFFICULT
        if self._hard >= HARD:
            done, _, covered = (after - before for after, before in zip(now, self._poses))
            self._hard, self._poses = 0, now
            if done < HARD / 2 and covered < HARD_SHARE * run and block.code in DIFFICULT:
                block.code = STEP_TOO_SMALL


class LoopStage:
    """Poses that the loop solver finds difficult: other independent coordinates, a step over a singular pose."""

    def __init__(self, stepper: Stepper, closure: Closure, state: Callable[[], State]):
        self._stepper, self._closure, self._state = stepper, closure, state

    def __call__(self, block: Block) -> None:
        stepper, closure, code = self._stepper, self._closure, block.code
        if closure.exhausted(code):
            block.code = SINGULAR
            return
        if code == POOR_CHOICE:
            closure.choose(self._state())
            stepper.forget()  # a step was begun and left
        elif code == NEAR_SINGULAR:
            closure.narrow_window()
        elif code == STEP_TOO_SMALL and not stepper.step_over_singularity():
            return
        elif code == OK:
            closure.reset_thresholds()
            if block.alone:
                closure.singularity_passed(stepper.memory)
            if closure.due(wall.perf_counter()) and (name := closure.opened(stepper.time, stepper.q)) is not None:
                block.fail(
                    f"equation {name} was redundant at the start and is open at t = {stepper.time:.6g} s: the "
                    "dependence between the loop equations has changed. Start closer to this pose",
                    stepper.time,
                )
        elif code != STEP_TOO_SMALL:
            return
        block.alone = code in (POOR_CHOICE, NEAR_SINGULAR, STEP_TOO_SMALL)
        block.code = OK


class FailureStage:
    """Any other result of the steps ends the run, with an explanation."""

    def __init__(self, stepper: Stepper, explain: Callable[[int], SimulationError]):
        self._stepper, self._explain = stepper, explain

    def __call__(self, block: Block) -> None:
        if block.code != OK:
            self._stepper.forget()
            block.failure = self._explain(block.code)


class CheckpointStage:
    """Saves the State into the file of the recording: half a second apart, or fifty times what it takes."""

    def __init__(self, recorder: Recorder, state: Callable[[], State]):
        self._recorder, self._state = recorder, state
        self._saved, self._pause = wall.perf_counter(), 0.5

    def __call__(self, block: Block) -> None:
        if not block.alone and wall.perf_counter() - self._saved > self._pause:
            self.save()

    def save(self) -> None:
        begun = wall.perf_counter()
        self._recorder.checkpoint(self._state())
        self._saved = wall.perf_counter()
        self._pause = max(0.5, 50.0 * (self._saved - begun))


class StopStage:
    """Ends the run where it can be taken up again, if a signal asks for it or its wall time is over.

    reason   why it has ended it
    """

    def __init__(self, stepper: Stepper, request: StopRequest, most_seconds: float | None):
        self._stepper, self._request, self.reason = stepper, request, ""
        self._deadline = np.inf if most_seconds is None else wall.perf_counter() + most_seconds

    def __call__(self, block: Block) -> None:
        if block.alone or self._stepper.inside_step:
            return
        if self._request.number:
            self.reason = signal.Signals(self._request.number).name
        elif wall.perf_counter() > self._deadline:
            self.reason = "max_wall"
        block.ended = bool(self.reason)


class ProgressStage:
    """Moves the progress bar."""

    def __init__(self, stepper: Stepper, bar: Progress):
        self._stepper, self._bar = stepper, bar

    def __call__(self, block: Block) -> None:
        self._bar.move(self._stepper.time)
