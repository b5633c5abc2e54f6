"""Columns of a Recording: arrays in memory, columns of a file that are read when asked for, or a part of another's."""

import os
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from gori.errors import FileError
from gori.model.arrays import frozen
from gori.record.rows import open_file
from gori.record.stored import Rows, StoredRows, read_columns

AT_ONCE = 1 << 23
"""size of all samples up to which they are read as soon as the file is opened [bytes]"""
ALL = slice(None)


class Source(Protocol):
    """Where a column comes from."""

    shape: tuple[int, ...]

    def read(self, rows: Rows = ALL, last: slice = ALL) -> np.ndarray: ...


class SampleColumns:
    """Columns by name, each with a row for each of `count` samples. What was read as a whole is kept.

    file   of which they are read, if they are
    """

    def __init__(self, count: int, arrays: Mapping[str, np.ndarray], sources: Mapping[str, Any], file: Any = None):
        self.count, self._file = count, file
        self._arrays = {name: frozen(array) for name, array in arrays.items()}
        self._sources: dict[str, Source] = dict(sources)
        self._names = [*self._sources, *(name for name in self._arrays if name not in self._sources)]

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    @property
    def path(self) -> str | None:
        """The file of which they are read, if they are."""
        return None if self._file is None else self._file.path

    def shape(self, name: str) -> tuple[int, ...]:
        """Of a column, without reading it."""
        return (self._arrays if name in self._arrays else self._sources)[name].shape

    def dtype(self, name: str) -> np.dtype:
        """Of a column, without reading it."""
        return (self._arrays if name in self._arrays else self._sources)[name].dtype  # type: ignore[union-attr]

    def whole(self, name: str) -> np.ndarray:
        """A column of all samples, read-only."""
        if name not in self._arrays:
            self._arrays[name] = frozen(self._sources[name].read())
        return self._arrays[name]

    def read(self, name: str, rows: Rows = ALL, last: slice = ALL) -> np.ndarray:
        """Some samples of a column, by a slice or increasing indices; of a table only the columns of `last`."""
        if name in self._arrays:
            array = self._arrays[name][rows]
            return array if array.ndim == 1 else array[..., last]
        return frozen(self._sources[name].read(rows, last))

    def __reduce__(self):
        if self._file is None:
            return SampleColumns, (self.count, {name: self.whole(name) for name in self}, {})
        ends = self.read("time", slice(0, 1)).tolist() + self.read("time", slice(self.count - 1, None)).tolist()
        return _reopened, (os.path.abspath(self.path or ""), self.count, list(self), ends)

    def __deepcopy__(self, _: dict) -> "SampleColumns":
        return self  # they do not change

    def part(self, rows: Rows, count: int) -> "SampleColumns":
        """Some of the samples, `count` of them; read when asked for."""
        return SampleColumns(count, {}, {name: _Part(self, name, rows, count) for name in self})


class _Part:
    """Some samples of a column."""

    def __init__(self, columns: SampleColumns, name: str, rows: Rows, count: int):
        self._columns, self._name, self._rows = columns, name, rows
        self.shape, self.dtype = (count, *columns.shape(name)[1:]), columns.dtype(name)

    def read(self, rows: Rows = ALL, last: slice = ALL) -> np.ndarray:
        if isinstance(rows, slice) and rows == ALL:
            return self._columns.read(self._name, self._rows, last)
        return self._columns.read(self._name, self._rows)[rows][..., last]


class Extra(Mapping[str, np.ndarray]):
    """Further channels that were recorded as they are, by name; read-only."""

    def __init__(self, columns: SampleColumns):
        self._columns = columns
        self._names = [name.removeprefix("extra/") for name in columns if name.startswith("extra/")]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(name)
        return self._columns.whole(f"extra/{name}")

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<extra channels: {', '.join(self._names)}>"


def stored_columns(file: Any, samples: int | None = None) -> tuple[SampleColumns, str]:
    """Columns of an open file, and how its run ended. Few samples are read at once, and the file is closed.

    samples   read no more than the first ones
    """
    rows = read_columns(file)
    if samples is not None:
        rows = rows.first(min(samples, rows.count))
    if sum(column.nbytes for column in rows.columns.values()) > AT_ONCE:
        rows.warn()
        return SampleColumns(rows.count, _missing_z(rows), rows.columns, file), rows.end
    rows, arrays = _read_all(rows)
    file.close()
    rows.warn()
    return SampleColumns(rows.count, arrays | _missing_z(rows), {}), rows.end


def open_columns(path: str | os.PathLike, samples: int | None = None) -> SampleColumns:
    """Columns of a file."""
    file = open_file(path)
    try:
        return stored_columns(file, samples)[0]
    except BaseException:
        file.close()
        raise


def _reopened(path: str, count: int, names: list[str], ends: list[float]) -> SampleColumns:
    """Columns of a Recording that was pickled: those of its file, which must still be there."""
    if not os.path.exists(path):
        raise FileError("is gone: the Recording that was pickled reads from it", path)
    found = open_columns(path, count)
    times = found.read("time", slice(0, 1)).tolist() + found.read("time", slice(count - 1, None)).tolist()
    if found.count != count or list(found) != names or times != ends:
        raise FileError("is another file than the one that the pickled Recording reads from", path)
    return found


def _missing_z(rows: StoredRows) -> dict[str, np.ndarray]:
    """In place of a column that is damaged: none."""
    return {} if "z" in rows.columns else {"z": np.zeros((rows.count, 0))}


def _read_all(rows: StoredRows) -> tuple[StoredRows, dict[str, np.ndarray]]:
    """All columns; of those that are damaged the samples before the damage, or, of extra columns, nothing."""
    arrays, shortest = {}, rows.count
    for name, column in rows.columns.items():
        try:
            arrays[name] = column.read()
        except FileError as error:
            rows.missing.append(error.reason.removeprefix("is damaged: "))
            if not name.startswith("extra/"):
                shortest = min(shortest, column.whole())
    if shortest < rows.count:
        rows.missing.append(f"samples from {shortest} on are left out")
        rows = rows.first(shortest)
        for name in ("time", "q", "v", "z"):
            if name in rows.columns:
                arrays[name] = rows.columns[name].read()
    return rows, {name: array[: rows.count] for name, array in arrays.items()}
