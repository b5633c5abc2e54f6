"""A run with its Recording: brought to an end, however that comes, and taken up after a kill."""

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gori.errors import ConditionWarning, FileError, InputError
from gori.model import Model
from gori.model.state import State
from gori.record import Recorder, Recording, read_checkpoint
from gori.record.columns import SampleColumns, open_columns
from gori.record.values import checked_info
from gori.sim.callers.interrupts import RunInterrupts
from gori.sim.callers.signals import StopRequest, listening
from gori.sim.channels import add_channels
from gori.sim.contact.impact_stage import COLUMNS
from gori.sim.contact.impulses import warn_of_depth
from gori.sim.contact.passages import warn_of_passages
from gori.sim.couplings import warn_of_lag
from gori.sim.energy import limit, unseen, warn_of_imbalance
from gori.sim.failure import finer
from gori.sim.grid import FITS
from gori.sim.kept import KeptParts
from gori.sim.progress import Progress
from gori.sim.run import CheckpointStage, RunStage, SampleStage, StopStage, run_blocks
from gori.sim.trace import Trace
from gori.sim.user import UserForce

OPTIONS = ("loops", "sub_steps", "device", "driver_period")
"""of a Simulation that a recording tells, besides the method"""

OF_THE_START = (
    "method", "duration", "sample", "frames", "subsystems", "outputs", "particle_energy", "programs", "made_by",
    "impact_settings",
)  # fmt: skip
"""what it tells besides when a run begins"""

QUICKLY_PACKED = 8_000_000
"""an interrupted run is packed only up to this size [bytes]: whoever ended it may not wait"""

Stages = Callable[[list | None, Recorder | None, Progress | None], list[RunStage]]
"""makes the stages of a run that keeps rows of samples, records them, and moves a bar"""


class RecordedRun:
    """One run that makes a Recording.

    kept       parts of the Simulation
    stages     makes the stages of the run
    info       what the Recording says of it; it grows
    recorder   of its file, or None
    rows       the first sample; with a file it grows there alone, and the Recording reads from it
    """

    def __init__(
        self,
        model: Model,
        kept: KeptParts,
        user: UserForce,
        stages: Stages,
        info: dict[str, Any],
        recorder: Recorder | None,
        rows: list[np.ndarray],
    ):
        self._model, self._kept, self._user, self._stages = model, kept, user, stages
        self._info, self._recorder, self._rows = info, recorder, rows

    @contextlib.contextmanager
    def beginning(self) -> Iterator[None]:
        """Make all other files of a run inside; then record where it starts, so that it can be taken up from there. If
        anything fails until then, its recording is not left behind.
        """
        recorder = self._recorder
        try:
            yield
            if recorder is not None:
                SampleStage(self._kept.stepper, None, recorder).add(self._rows[0])
                CheckpointStage(recorder, self._kept.save).save()
        except BaseException as error:
            if recorder is not None:
                recorder.info["error"] = str(error)
                recorder.abandon()
            raise

    def _sample_the_end(self) -> None:
        """Where the time between samples does not divide the run, its end is one more sample."""
        stepper = self._kept.stepper
        rows, recorder = self._rows, self._recorder
        last = rows[-1][-1, 0] if recorder is None else recorder.last_time
        if stepper.time - last > FITS * stepper.sample_period:
            SampleStage(stepper, rows if recorder is None else None, recorder).add(stepper.sample()[None])

    def finish(self, progress: bool, max_wall: float | None = None) -> Recording:
        """Run to the end, and make the Recording out of what was recorded, however it ends."""
        kept, stepper, info, recorder = self._kept, self._kept.stepper, self._info, self._recorder
        frames, particles, method = None, kept.particles, stepper.method
        words = None if particles is None else particles.words(lambda: stepper.steps_done)
        work = {exchange.name: exchange.work for exchange in kept.exchanges}
        bar = Progress(progress, stepper.time, stepper.end_time, words)
        end, failure, stop = "failed", None, StopStage(stepper, StopRequest(), max_wall)
        with RunInterrupts() as interrupts, self._user.watched(), contextlib.ExitStack() as stack:
            try:
                if recorder is not None:
                    stop = StopStage(stepper, stack.enter_context(listening()), max_wall)
                    stack.callback(recorder.release)  # when its samples have been opened, not before
                stages = self._stages(self._rows if recorder is None else None, recorder, bar)
                failure = run_blocks(stepper, [*stages, stop], interrupts)
                if failure is None:
                    end = "interrupted" if stop.reason and stepper.steps_left() > 0 else "complete"
                    if end == "complete":
                        self._sample_the_end()
                    if recorder is not None:
                        CheckpointStage(recorder, kept.save).save()  # the State at the end
                else:
                    info["error"] = str(failure)
            except KeyboardInterrupt as interrupt:
                end, stop.reason, interrupts.pressed = "interrupted", str(interrupt) or "Ctrl-C", 0
            except BaseException as error:
                info["error"] = str(error)
                raise
            finally:
                bar.close()
                if kept.impacts.there:
                    info["impacts"] = [dict(zip(COLUMNS, row)) for row in kept.impacts.impacts]
                info |= {"events": list(kept.event_log), "steps": stepper.steps_of_run, "end": end}
                if end == "interrupted":
                    info |= {"interrupted": True, "stopped_by": stop.reason}
                grown = method.counts(stepper.memory) - kept.counted
                info |= method.report(grown)
                if particles is not None:
                    frames, info["particles"] = particles.frames(), particles.particles.about()
                    energy = info.get("particle_energy", {})
                    info["particle_energy"] = energy | {"end": sum(particles.particles.energy)}
                if recorder is not None:
                    recorder.info |= info
                    pack = end != "interrupted" or recorder.bytes < QUICKLY_PACKED
                    recorder.close(end, pack, release=False)
            columns = self._columns()
        recording = Recording.of_columns(self._model, columns, checked_info(info))
        recording.info["events"], recording.frames = list(kept.event_log), frames
        add_channels(recording, Trace(recording, self._user))
        if failure is not None:
            failure.recording = recording
            raise failure from failure.cause
        if doubt := method.doubts(grown):
            warnings.warn(doubt, ConditionWarning, stacklevel=3)
        warn_of_depth(self._model, method, stepper.data.contact_memory, stepper.run_start)
        warn_of_passages(self._model, method, stepper.data.penalty_memory)
        warn_of_lag(kept.exchanges, work, recording)
        done = {exchange.name: exchange.work.on_bodies - work[exchange.name].on_bodies for exchange in kept.exchanges}
        warn_of_imbalance(recording, done, limit(method), finer(stepper), unseen(recording, method))
        return recording

    def _columns(self) -> SampleColumns:
        """All samples: in memory, or in the file."""
        if self._recorder is not None:
            return open_columns(self._recorder.path)
        time, q, v, z, extra = self._kept.stepper.columns(np.concatenate(self._rows))
        arrays = {"time": time, "q": q, "v": v, "z": z} | {f"extra/{name}": array for name, array in extra.items()}
        return SampleColumns(len(time), {name: np.array(array) for name, array in arrays.items()}, {})


class Checkpointed(NamedTuple):
    """A recording that can be taken up: what it holds, and the State of its last checkpoint."""

    recording: Recording
    state: State

    @property
    def options(self) -> dict[str, Any]:
        """Options of its Simulation."""
        info = self.recording.info
        impacts = {"impacts": info["impact_settings"]} if "impact_settings" in info else {}
        return {name: info[name] for name in OPTIONS if name in info} | impacts

    @property
    def info(self) -> dict[str, Any]:
        """What it said of its run when that began."""
        info: Mapping[str, Any] = self.recording.info
        return {name: info[name] for name in (*OF_THE_START, *OPTIONS) if name in info}


def read_run(path: str | Path) -> Checkpointed:
    """A run that was stopped or killed, out of its file."""
    state, recording = read_checkpoint(path), Recording.load(path)
    if state is None:
        raise InputError(f"{path} holds no checkpoint to go on from")
    if missing := [name for name in ("method", "duration", "sample") if name not in recording.info]:
        raise FileError(f"does not say the {missing[0]} of its run: it cannot be continued", path)
    return Checkpointed(recording, state)
