"""The only loop: blocks of compiled steps, and between them events, drivers, checkpoints, and time for people."""

import time as wall
from typing import Any

import numpy as np

from gori.errors import InputError, SimulationError
from gori.integrate import march as m
from gori.kernels.codes import EVENT, NEAR_SINGULAR, OK, POOR_CHOICE, STEP_TOO_SMALL
from gori.model.state import State
from gori.record import Recorder
from gori.sim import checkpoint
from gori.sim.failure import explain
from gori.sim.progress import Progress

BLOCK_SECONDS = 0.05
"""how long compiled code runs before it looks up"""
FIRST_BLOCK = 256
"""steps of the first block, whose speed is not known yet"""
BLOCK_SAMPLES = 4096


def run_blocks(sim: Any, recorder: Recorder | None, bar: Progress, rows: list | None = None) -> SimulationError | None:
    """Blocks of steps until the end; returns what went wrong, or None."""
    block, alone, saved, pause = FIRST_BLOCK, False, wall.perf_counter(), 0.5
    sim._user.error = None
    while (left := sim._left()) > 0:
        # a pose that asked for something is passed by one step alone, wherever blocks end: so a run in pieces, or
        # on a slower computer, is the same run bit for bit
        try:
            steps = drive(sim, left)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            return SimulationError(f"the driver failed at t = {sim.time:.6g} s: {words}", sim.time, error)
        if steps == 0:
            return None
        sim._gear.take_over(sim._y)
        sim._count[m.TO_DO] = 1 if alone or sim.bulk is not None else min(block, steps)
        began = wall.perf_counter()
        code = sim.method.run(
            sim._machine,
            sim._data,
            sim._memory,
            sim._clock,
            sim._count,
            sim._y,
            sim._samples,
            sim._watch,
        )
        now = wall.perf_counter()
        new = sim._samples[: sim._count[m.SAMPLES]].copy()
        if rows is not None and len(new):
            rows.append(new)
        if recorder is not None and len(new):
            sim._append(recorder, new)
        if isinstance(sim._user.error, KeyboardInterrupt):
            raise sim._user.error
        if sim.bulk is not None and code in (OK, EVENT):
            sim.method.forget(sim._memory)  # accelerations under the wrenches before: bodies would get those again
            try:
                sim.bulk.follow(sim.time)
            except SimulationError as error:
                return error
        if code == EVENT:
            try:
                if meet(sim, rows, recorder):
                    return None
            except ActionFailed as failed:
                return SimulationError(str(failed), sim.time, failed.__cause__)
        elif code == POOR_CHOICE and sim._closure is not None:
            sim._closure.choose(sim.state)
            sim.method.forget(sim._memory)  # a step was begun and left
        elif code == NEAR_SINGULAR and sim._closure is not None:
            sim._closure.narrow()
        elif code == STEP_TOO_SMALL and sim._closure is not None and leap(sim):
            pass
        elif code != OK:
            sim.method.forget(sim._memory)
            return explain(sim, code)
        elif sim._closure is not None:
            sim._closure.relax()
            if alone:
                sim._closure.land(sim._memory)
                sim._closure.leaps = 0
            if sim._closure.due(now) and (name := sim._closure.opened(sim._glance())) is not None:
                return SimulationError(
                    f"equation {name} was redundant at the start and is open at t = {sim.time:.6g} s: the machine "
                    "has come to poses where its loops depend on each other in another way. Start nearer to them",
                    sim.time,
                )
        alone = code in (POOR_CHOICE, NEAR_SINGULAR, STEP_TOO_SMALL)
        if recorder is not None and not alone and now - saved > pause:
            begun = wall.perf_counter()
            checkpoint.save(sim, recorder)
            saved = wall.perf_counter()
            pause = max(0.5, 50.0 * (saved - begun))  # grains are much to save
        bar.move(sim.time)
        block = max(1, min(int(block * BLOCK_SECONDS / max(now - began, 1e-4)), most_steps(sim)))
    return None


def drive(sim: Any, left: int) -> int:
    """Let the drivers act if it is time; returns the steps until they are asked again, none if one ends the run."""
    drivers = [*sim.schedules, *(() if sim.driver is None else (sim.driver,))]
    if not drivers:
        return left
    every = max(1, round(sim.control / float(sim._clock[m.STEP])))
    done = int(sim._count[m.DONE])
    if done % every == 0 and sim._driven != done:
        sim._driven = done
        answers = [driver(sim) for driver in drivers]
        if any(answers):
            return 0
    return min(left, every - done % every)


def leap(sim: Any) -> bool:
    return sim._closure is not None and sim._closure.leap(sim._memory, sim._clock, int(sim._count[m.DONE]))


def most_steps(sim: Any) -> int:
    """So many steps that their samples fit."""
    if sim.method.adaptive:
        return 10_000_000
    return int(min(10_000_000, BLOCK_SAMPLES * sim._count[m.EVERY]))


def meet(sim: Any, rows: list | None, recorder: Recorder | None) -> bool:
    """Do what the events that are met here ask for, in their order; whether the run ends here."""
    here, ends = [sim._sample()], False
    marks = sim._watch[3][7]
    for (name, event), mark in zip(sim.events.items(), marks.copy()):
        if abs(mark) < 1.0:  # not met, or passed in the other direction
            continue
        sim.event_log.append((name, sim.time))
        ends = ends or event.action == "stop"
        if callable(event.action):
            try:
                after = event.action(sim.state)
                if not isinstance(after, State | None):
                    raise InputError(f"it must return a State or None, not {type(after).__name__}")
                if after is not None:
                    sim._y[:] = sim._checked(after)
                    marks[marks != 0.0] = m.CHANGED
                    here.append(sim._sample())
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
                raise ActionFailed(f"the action of event {name!r} failed at t = {sim.time:.6g} s: {words}") from error
    sim.method.forget(sim._memory)
    sim._gear.begin(sim.time, sim._y)
    sim._clock[m.LAST_ERROR] = 1e-4
    new = np.array(here)
    if rows is not None:
        rows.append(new)
    if recorder is not None:
        sim._append(recorder, new)
    return ends


class ActionFailed(Exception):
    """An exception in the action of an event."""
