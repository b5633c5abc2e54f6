"""Columns of a recording in its file, read when they are asked for, and of damaged files those that are whole."""

import zlib
from typing import Any

import numpy as np

from gori.errors import FileError
from gori.record.damage import dataset, held_rows, reading, warn_of_damage
from gori.record.rows import ENDS, STATUS

BLOCK = 1 << 14
"""samples that are read at once"""
FINE = 1 << 12
"""samples that are compressed together, and damaged together"""
CHECK = "crc32"
"""attribute of a column that is not compressed, in a file that is complete: the checksum of its numbers"""
_NEEDED = {"time": (None,), "q": (None, None), "v": (None, None)}
Rows = slice | np.ndarray


class StoredColumn:
    """One column of the first `count` samples in an open file."""

    def __init__(self, path: str, name: str, data: Any, count: int):
        self.path, self.name, self._data = path, name, data
        self.shape, self.dtype = (count, *data.shape[1:]), data.dtype

    @property
    def packed(self) -> bool:
        """Whether it is compressed."""
        return self._data.chunks is not None

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64))

    def read(self, rows: Rows = slice(None), last: slice = slice(None)) -> np.ndarray:
        """Some samples, by a slice or increasing indices; of a table only the columns of `last`."""
        at = slice(*rows.indices(self.shape[0])) if isinstance(rows, slice) else rows
        words, middle = self.name.removeprefix("extra/"), (slice(None),) * (len(self.shape) - 2)
        if isinstance(at, slice) and (at.start, at.stop) != (0, self.shape[0]):
            words += f" of samples {at.start} to {at.stop - 1}"
        with reading(self.path, words):
            if not isinstance(at, slice) and not len(at):
                return np.zeros((0, *self.shape[1:]), self.dtype)[..., last]
            return self._data[at] if len(self.shape) == 1 else self._data[(at, *middle, last)]

    def whole(self) -> int:
        """Count of samples before the first that cannot be read."""
        for first in range(0, self.shape[0], FINE):
            try:
                self.read(slice(first, min(first + FINE, self.shape[0])))
            except FileError:
                return first
        return self.shape[0]


class StoredRows:
    """What there is of samples in a file.

    columns   by name: time, q, v, z, extra/NAME
    count     of samples that are complete
    end       how the run ended (`rows.ENDS`)
    missing   what could not be read, in words
    """

    def __init__(self, path: str, columns: dict[str, StoredColumn], count: int, end: str, missing: list[str]):
        self.path, self.columns, self.count, self.end = path, columns, count, end
        self.missing = missing

    def require_all(self) -> None:
        """Refuse a file of which something is missing: it can be read, but not continued."""
        if self.missing:
            raise FileError(f"is damaged and cannot be continued: {'; '.join(self.missing)}", self.path)

    def warn(self) -> None:
        """Say what is missing."""
        if self.missing:
            warn_of_damage(self.path, f"is damaged: {'; '.join(self.missing)}")

    def first(self, count: int) -> "StoredRows":
        """The first samples alone."""
        columns = {name: StoredColumn(self.path, name, old._data, count) for name, old in self.columns.items()}
        return StoredRows(self.path, columns, count, self.end, self.missing)


def read_columns(file: Any) -> StoredRows:
    """The columns of an open file that are whole as far as that can be told without reading them, time apart."""
    path, missing, sets = file.path, [], {}
    for name, shape in _NEEDED.items():
        with reading(path, f"column {name}"):
            sets[name] = dataset(file, name, "f", shape, part=True)
    capacity = min(len(data) for data in sets.values())
    try:
        with reading(path, "column z"):
            data = dataset(file, "z", "f", (None, None), part=True)
            if len(data) < capacity:
                raise ValueError("too short")
            sets["z"] = data
    except FileError as error:
        missing.append(error.reason.removeprefix("is damaged: "))
    try:
        with reading(path, "the list of further columns (extra)"):
            names = list(file["extra"])
    except FileError as error:
        names = []
        missing.append(error.reason.removeprefix("is damaged: "))
    for name in names:
        try:
            with reading(path, f"column {name}"):
                data = dataset(file, f"extra/{name}", "biufc", None, part=True)
                if not data.shape or len(data) < capacity:
                    raise ValueError("too short")
                sets[f"extra/{name}"] = data
        except FileError as error:
            missing.append(error.reason.removeprefix("is damaged: "))
    count, end = _status(file, capacity, missing)
    if file.held < file.size:
        count = _cut(file, sets, count, missing)
    else:
        changed = [name.removeprefix("extra/") for name, data in sets.items() if _changed(path, name, data)]
        missing += [f"numbers in {', '.join(changed)} are not those that were written"] if changed else []
    found = {name: StoredColumn(path, name, data, count) for name, data in sets.items()}
    rows = StoredRows(path, found, count, end, missing)
    good = _increasing(rows.columns["time"])
    if good < count:
        missing.append(f"samples from {good} on are missing, since their time is damaged")
        rows = rows.first(good)
    return rows


def _changed(path: str, name: str, data: Any) -> bool:
    """Whether the numbers of a small column do not fit its checksum; False where it has none."""
    with reading(path, f"column {name}"):
        return CHECK in data.attrs and not np.array_equal(data.attrs[CHECK], zlib.crc32(data[()].tobytes()))


def _cut(file: Any, sets: dict[str, Any], count: int, missing: list[str]) -> int:
    """Count of samples that a file holds which is cut off; further columns that it holds less of are left out."""
    with reading(file.path, "a column"):
        held = {name: held_rows(file, data) for name, data in sets.items()}
    whole = min(count, *(held[name] for name in _NEEDED))
    if count and not whole:
        raise FileError(f"is cut off: of {file.size} bytes {file.held} are there, and no sample is whole", file.path)
    # columns are written side by side, in blocks: of one that lacks its last block the rest is worth more than that
    near = [rows for rows in held.values() if rows >= max(whole - FINE, whole // 2)]
    whole = min(whole, *near)
    lost = [name for name in sets if held[name] < whole]
    for name in lost:
        del sets[name]
    columns = ", ".join(name.removeprefix("extra/") for name in lost)
    missing.append(f"of {count} samples the first {whole} are there" + (f", without {columns}" if lost else ""))
    return whole


def _status(file: Any, capacity: int, missing: list[str]) -> tuple[int, str]:
    """Count of complete samples, and how the run ended."""
    try:
        with reading(file.path, "the count of samples"):
            count, end = (int(number) for number in dataset(file, STATUS, "i", (2,))[()])
            if not (0 <= count <= capacity and 0 <= end < len(ENDS)):
                raise ValueError(f"{count} of {capacity}")
        return count, ENDS[end]
    except FileError as error:
        missing.append(f"{error.reason.removeprefix('is damaged: ')}: there may be fewer samples than are given")
        return capacity, ENDS[0]


def _increasing(time: StoredColumn, first: int = 0, last: float = -np.inf, size: int = BLOCK) -> int:
    """Count of samples whose time is finite and does not decrease, from `first` on, after the time `last`."""
    for at in range(first, time.shape[0], size):
        try:
            block = time.read(slice(at, min(at + size, time.shape[0])))
        except FileError:
            return at if size <= FINE else _increasing(time, at, last, FINE)
        with np.errstate(invalid="ignore", over="ignore"):
            bad = ~np.isfinite(block) | (np.diff(block, prepend=last) < 0.0)
        if bad.any():
            return at + int(np.argmax(bad))
        last = float(block[-1])
    return time.shape[0]
