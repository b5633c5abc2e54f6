"""Recording while a run lasts: a file that can be opened at every moment, and checkpoints to continue from."""

import contextlib
import os
import time as clock
from typing import Any

import numpy as np

from gori.errors import FileError, InputError, RecordError
from gori.model import Model
from gori.model.state import State
from gori.record.lock import Lock
from gori.record.packed import unpack, write_packed
from gori.record.recording import Recording
from gori.record.rows import Column, Header, RowFile, Slot, open_file, part_of, read_header, read_slot, reason
from gori.record.stored import read_columns
from gori.record.values import checked_extra, checked_info
from gori.text.arguments import file_of, path_of

_FLOAT = np.dtype("<f8")
OF_THE_END = ("end", "error", "interrupted", "stopped_by")
"""what info says of how a run ended: no longer so when it is continued"""
Block = dict[str, np.ndarray]
"""columns of some samples, by name"""
_FIRST_BYTES = 1 << 18  # room of a new file; it doubles when it is full


class Recorder:
    """Writes the states of a run to a file. Use it in a `with` block, which closes the file whatever happens.

    What is appended is in the file after flush_seconds at most, or when the next block comes if that is later. A file
    that is left behind by a killed run opens like any other, without what had not been flushed.

    path            the file; its folder must exist
    info            what the file shall say of the run: names and values that JSON can hold
    flush_seconds   [s], wall clock; 0 flushes every block
    overwrite       replace a file that is there; else that is an error
    at_checkpoint   the file is put in place with the first checkpoint, and so can be taken up as soon as it is there
    """

    def __init__(
        self,
        path: str | os.PathLike,
        model: Model,
        info: dict[str, Any] | None = None,
        flush_seconds: float = 0.5,
        overwrite: bool = False,
        at_checkpoint: bool = False,
    ):
        self.path, self.flush_seconds, self.info = file_of(path), flush_seconds, checked_info(info)
        self._lock = Lock(self.path)
        if self.path.exists() and not overwrite:
            self._lock.release()
            raise FileError("already exists: choose another name, or pass overwrite=True", path)
        self._head = Header.of(model.spec, model.open_loops, {})
        columns = {"time": Column((), _FLOAT), "q": Column((model.nq,), _FLOAT), "v": Column((model.nv,), _FLOAT)}
        self._begin(columns | {"z": Column((0,), _FLOAT)}, None, 0, -np.inf)
        try:
            self._rows = self._create(self._columns, 0, 0)
            self._placed = not at_checkpoint
            if self._placed:
                os.replace(part_of(self.path), self.path)
        except (OSError, RuntimeError) as error:
            self._lock.release()
            raise self._failed(error) from error

    def _begin(self, columns: dict[str, Column], slot: Slot | None, samples: int, last_time: float) -> None:
        self._columns, self._slot, self._last_time = columns, slot, last_time
        # what is in the file, and the blocks that are not: one object, so that an interrupt finds them in step
        self._progress: tuple[int, list[Block]] = samples, []
        self._flushed, self._closed = clock.monotonic(), False

    @classmethod
    def resume(cls, path: str | os.PathLike, model: Model, flush_seconds: float = 0.5) -> "Recorder":
        """Continue the file of an earlier run from its checkpoint: samples after that are dropped."""
        lock = Lock(path)
        try:
            return cls._resume(path, model, flush_seconds, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _resume(cls, path: str | os.PathLike, model: Model, flush_seconds: float, lock: Lock) -> "Recorder":
        with open_file(path) as file:
            header, stored, slot = read_header(file, strict=True), read_columns(file), read_slot(file)
            stored.require_all()
            if slot is None:
                raise FileError("contains no checkpoint to continue from", path)
            time = stored.columns["time"].read()
        if header.read_spec(path) != model.spec or header.open_loops != model.open_loops:
            raise InputError(f"{path} was recorded with a different Spec from that of this Model")
        now = state_of(slot, path).time
        # of samples at the very time of the checkpoint, keep those that were there when it was made
        low, high = np.searchsorted(time, now, "left"), np.searchsorted(time, now, "right")
        keep = int(np.clip(min(slot.samples, len(time)), low, high))
        self = cls.__new__(cls)
        self.path, self.flush_seconds, self._lock = path_of(path), flush_seconds, lock
        self.info = {name: value for name, value in header.info.items() if name not in OF_THE_END}
        self._head = header
        try:
            unpack(self.path)
            self._rows, self._placed = RowFile.open(self.path), True
            self._begin(self._rows.columns, slot, keep, time[keep - 1] if keep else -np.inf)
            self._rows.publish(keep)
        except OSError as error:
            raise RecordError(f"{path} cannot be written: {error.strerror or error}") from error
        return self

    @property
    def samples(self) -> int:
        """Count of samples that are safe in the file."""
        return self._progress[0]

    @property
    def last_time(self) -> float:
        """Of the last sample [s]; -inf if there is none."""
        return self._last_time

    @property
    def bytes(self) -> int:
        """Of all samples so far, as they are in memory."""
        return self.samples * sum(column.row_bytes for column in self._columns.values())

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is None:
            self.close()
            return
        self.info["error"] = f"{kind.__name__}: {error}".removesuffix(": ")
        try:
            self.close("interrupted" if issubclass(kind, KeyboardInterrupt) else "failed")
        except RecordError:
            if not isinstance(error, RecordError):  # else it is the same trouble once more
                raise

    def append(self, time: Any, q: Any, v: Any, z: Any = None, extra: dict[str, Any] | None = None) -> None:
        """Append n samples.

        time    (n,) [s], not before the last sample
        q, v    (n, nq), (n, nv)
        z       (n, nz) internal states of force elements
        extra   further channels, {name: (n, ...)}: the same names and shapes in every block
        """
        self._check_open()
        block = {"time": np.array(time, _FLOAT, ndmin=1), "q": np.array(q, _FLOAT), "v": np.array(v, _FLOAT)}
        count = len(block["time"])
        block["z"] = np.zeros((count, 0)) if z is None else np.array(z, _FLOAT)
        block |= {f"extra/{name}": value for name, value in checked_extra(extra, count).items()}
        if self.samples == 0 and not self._progress[1]:  # the first block says what z and extra are
            fixed = {name: self._columns[name] for name in ("time", "q", "v")}
            self._columns = {name: Column(value.shape[1:], value.dtype) for name, value in block.items()} | fixed
        if block.keys() != self._columns.keys():
            odd = ", ".join(sorted(name.removeprefix("extra/") for name in block.keys() ^ self._columns.keys()))
            raise InputError(f"every block must have the same extra channels as the first; differing: {odd}")
        for name, column in self._columns.items():
            if block[name].shape != (count, *column.shape):
                shape = " x ".join(map(str, (count, *column.shape)))
                raise InputError(f"{name.removeprefix('extra/')} must be {shape}, not {block[name].shape}")
        steps = np.diff(block["time"], prepend=self._last_time)
        if not np.isfinite(block["time"]).all() or (steps < 0.0).any():
            raise InputError(f"time must not decrease: {block['time'].min(initial=np.inf)} after {self._last_time}")
        if count:
            self._progress[1].append(block)
            self._last_time = float(block["time"][-1])
        if clock.monotonic() - self._flushed >= self.flush_seconds:
            self.flush()

    def checkpoint(self, state: State) -> None:
        """Keep a State to continue from. `resume` keeps the samples up to its time.

        Replaces the last checkpoint; a kill at any moment leaves the old one or the new one.
        """
        self._check_open()
        data = state.to_bytes()
        slot = Slot(self._slot.sequence + 1 if self._slot else 1, data, self._total())
        try:
            if len(data) > self._rows.slot_bytes:
                self._rebuild(2 * len(data), slot, self._progress[1])
                self._progress = self._total(), []
            else:
                self._write_blocks()
                self._rows.write_slot(slot)
        except (OSError, RuntimeError) as error:
            self._write_what_fits()
            raise self._failed(error) from error
        self._slot = slot

    def flush(self) -> None:
        """Write what was appended so far."""
        try:
            if self._progress[1]:
                self._write_blocks()
        except (OSError, RuntimeError) as error:
            self._write_what_fits()
            raise self._failed(error) from error
        self._flushed = clock.monotonic()

    def _total(self) -> int:
        """Count of samples, with those that are not in the file yet."""
        return self.samples + _count(self._progress[1])

    def _write_blocks(self, count: int | None = None) -> None:
        """Write the samples that are not in the file yet, or the first `count` of them."""
        samples, blocks = self._progress
        blocks, rest = (blocks, []) if count is None else _split(blocks, count)
        total = samples + _count(blocks)
        if total > self._rows.capacity or self._rows.columns != self._columns:
            if count is not None and count < samples:
                return  # a copy of more than what is gained
            self._rebuild(self._rows.slot_bytes, self._slot, blocks)
        else:
            self._put_blocks(self._rows, blocks)
            self._rows.publish(total)
        self._progress = total, rest

    def _write_what_fits(self) -> None:
        """On a disk that is full: half of what is not in the file yet, a quarter, .., as often as it has room."""
        count = _count(self._progress[1]) // 2
        while count:
            before = self.samples
            with contextlib.suppress(OSError, RuntimeError):
                self._write_blocks(count)
            count = min(count if self.samples > before else count // 2, _count(self._progress[1]))

    def _put_blocks(self, rows: RowFile, blocks: list[Block]) -> None:
        for name in self._columns if blocks else ():
            rows.write(name, self.samples, np.concatenate([block[name] for block in blocks]))

    def close(self, end: str = "complete", pack: bool = True, release: bool = True) -> None:
        """Write the rest, mark how the run ended (`rows.ENDS`), and pack the file.

        release   let others write on the file; else call `release` when it has been read
        """
        if self._closed:
            return
        try:
            try:
                self.flush()
            except RecordError:
                self._rows.publish(self.samples, "failed")  # where a number stands already: that takes no space
                raise
            self._rows.publish(self.samples, end)
            with contextlib.suppress(OSError, RuntimeError):  # no space for a second copy: the first is as good
                if pack:
                    header = self._head._replace(info=checked_info(self.info))
                    write_packed(self.path, header, self._columns, self.samples, self._rows.read, end, self._slot)
        except OSError as error:
            raise error if isinstance(error, RecordError) else self._failed(error) from error
        finally:
            self._closed = True
            self._rows.close()
            if release:
                self.release()

    def release(self) -> None:
        """Let others write on the file."""
        self._lock.release()

    def abandon(self) -> None:
        """Close a recording that did not begin: where its file is not in place yet, nothing is left of it."""
        if self._placed:
            with contextlib.suppress(RecordError):  # the first trouble is the one to tell of
                self.close("failed")
            return
        self._closed = True
        self._rows.close()
        part_of(self.path).unlink(missing_ok=True)
        self._lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise InputError(f"the recording {self.path} is closed; Recorder.resume continues it")

    def _create(self, columns: dict[str, Column], capacity: int, slot_bytes: int) -> RowFile:
        header = self._head._replace(info=checked_info(self.info))
        return RowFile.create(part_of(self.path), header, columns, capacity, slot_bytes)

    def _rebuild(self, slot_bytes: int, slot: Slot | None, blocks: list[Block]) -> None:
        """Move to a file with more room, for all samples in the file, some that are not, and a checkpoint; it replaces
        the old one when done.
        """
        total, rows = self.samples + _count(blocks), None
        capacity = self._rows.capacity
        if total > capacity or self._rows.columns != self._columns:
            row_bytes = sum(column.row_bytes for column in self._columns.values())
            capacity = max(2 * total, _FIRST_BYTES // row_bytes)
        try:
            part_of(self.path).unlink(missing_ok=True)  # a file that is open there stays so, without a name
            rows = self._create(self._columns, capacity, slot_bytes)
            if self.samples:
                rows.copy_rows(self._rows, self.samples)
            self._put_blocks(rows, blocks)
            if slot:
                rows.write_slot(slot)
            rows.publish(total)
            rows.sync()
            os.replace(part_of(self.path), self.path)
            self._placed = True
        except BaseException:
            if rows is not None:
                rows.close()
            part_of(self.path).unlink(missing_ok=True)
            raise
        old, self._rows = self._rows, rows
        old.close()

    def _failed(self, error: Exception) -> RecordError:
        words = reason(error)
        safe = f"{self.samples} samples are safe in it" if self.samples else "no sample is in it"
        return RecordError(f"{self.path} cannot be written: {words}; {safe}")


def _count(blocks: list[Block]) -> int:
    """Of samples."""
    return sum(len(block["time"]) for block in blocks)


def _split(blocks: list[Block], count: int) -> tuple[list[Block], list[Block]]:
    """The first samples of some blocks, and the rest."""
    joined = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    first = {name: array[:count] for name, array in joined.items()}
    return [first], [{name: array[count:] for name, array in joined.items()}]


def open_recording(path: str | os.PathLike) -> Recording:
    """The Recording in a file, also of a run that was killed or still goes on: `info["complete"]` tells."""
    return Recording.load(path)


def read_checkpoint(path: str | os.PathLike) -> State | None:
    """The State of the latest checkpoint in a file that is whole; None where there is none."""
    with open_file(path) as file:
        slot = read_slot(file)
    return None if slot is None else state_of(slot, path)


def state_of(slot: Slot, path: str | os.PathLike) -> State:
    """The State of a checkpoint."""
    try:
        return State.from_bytes(slot.data)
    except InputError as error:
        raise FileError(f"is damaged: its checkpoint holds {error}", path) from error
