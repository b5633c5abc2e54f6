"""HDF5 files with one dataset that grows at the end of the file, valid at every moment, whatever ends the writer.

The HDF5 library makes the file and closes it: small tables that can hold many rows, and one long dataset, which is
then moved to the end of the file. From then on everything is plain bytes. New rows go behind the last one; then four
numbers are moved on, the end of the file in the superblock, the size of the long dataset in its layout, and its length
in its dataspace. They all stand in the first page of the file, so that a kill finds each written or not, never a part;
a file between two of these writes is as good, since each allows more than the next one asks for. At last the count of
complete frames is put into `status`.

Why not datasets that the library extends: a kill inside a flush leaves a torn index now and then (see rows.py). Why not
space that doubles, as in rows.py: frames of particles are gigabytes, and would be copied.
Layout of the headers: HDF5 File Format Specification 3.0, II.A (superblock 0), IV.A.1.a, IV.A.2.b and i.
"""

import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from gori.errors import FileError
from gori.record.damage import reading
from gori.record.opened import open_hdf5
from gori.record.rows import Column, allocate, probe, write_arrays
from gori.record.seal import END, SEAL, seal_bytes, write_seal

_STATUS = "status"
_END_OF_FILE = 40  # in a superblock of version 0
_DATASPACE, _LAYOUT = 1, 8
_PAGE = 4096
_COPY_BYTES = 1 << 24


class Offsets(NamedTuple):
    """Where in the file the numbers are that move when the long dataset grows."""

    length: int  # of the dataspace; the largest length follows
    layout: int  # address of the rows; their size in bytes follows


class LongSet(NamedTuple):
    """The long dataset: type of a row, and where its header is."""

    dtype: np.dtype
    header: int

    @classmethod
    def of(cls, data: Any) -> "LongSet":
        return cls(data.dtype, h5py.h5o.get_info(data.id).addr)  # type: ignore[attr-defined]


class GrowingFile:
    """Tables of up to `capacity` rows each, and one long dataset. Made by `create` or `open`."""

    def __init__(self, path: Path, tables: dict[str, Column], offsets: dict[str, int], capacity: int, long: LongSet):
        self.tables, self.capacity, self.dtype, self._offsets = tables, capacity, long.dtype, offsets
        self._file = open(path, "r+b", buffering=0)  # noqa: SIM115 (closed by close)
        try:
            self._headers = _find(self._file, long.header, path)
        except BaseException:
            self._file.close()
            raise
        self._first = self._number(self._headers.layout)

    @classmethod
    def create(
        cls,
        path: Path,
        marks: dict[str, Any],
        texts: dict[str, str],
        tables: dict[str, Column],
        capacity: int,
        long: str,
        dtype: np.dtype,
        arrays: Sequence[np.ndarray] = (),
    ) -> "GrowingFile":
        """A new file; empty, whatever was there. marks: attributes of the file; arrays: to which texts refer."""
        probe(path, sum(map(len, texts.values())) + sum(array.nbytes for array in arrays))
        offsets = {}
        with h5py.File(path, "w", libver=("earliest", "v108"), locking=False) as file:
            allocate(file, long, (1,), dtype)  # the first, so that its header is in the first page
            seal = allocate(file, SEAL, (seal_bytes(len(tables) + 5),), np.dtype(np.uint8))
            file.attrs.update(marks)
            write_arrays(file, arrays)
            for name, text in texts.items():
                file[name] = text
            for name, column in tables.items():
                offsets[name] = allocate(file, name, (capacity, *column.shape), column.dtype)
            offsets[_STATUS] = allocate(file, _STATUS, (2,), np.dtype("<i8"))
            own = LongSet.of(file[long])
        grown = cls(path, tables, offsets, capacity, own)
        grown._put(offsets[_STATUS], np.zeros(2, "<i8"))
        grown._move_to_end()
        write_seal(path, seal, grown._changing())
        return grown

    @classmethod
    def open(cls, path: Path, tables: tuple[str, ...], long: str) -> "GrowingFile":
        """The file of an earlier run, to write on."""
        with open_hdf5(path) as file, reading(path, "a table"):
            sets: dict[str, Any] = {name: file[name] for name in (*tables, _STATUS)}
            columns = {name: Column(sets[name].shape[1:], sets[name].dtype) for name in tables}
            offsets = {name: data.id.get_offset() or 0 for name, data in sets.items()}
            capacity, own = len(sets[tables[0]]), LongSet.of(file[long])
        return cls(path, columns, offsets, capacity, own)

    def extend(self, first: int, rows: np.ndarray) -> None:
        """Rows of the long dataset from `first` on; what was there is overwritten, nothing is cut off."""
        self._put(self._first + first * self.dtype.itemsize, rows)
        self._allow(first + len(rows))

    def put(self, name: str, row: int, value: np.ndarray) -> None:
        """One row of a table."""
        column = self.tables[name]
        self._put(self._offsets[name] + row * column.row_bytes, np.asarray(value, column.dtype))

    def publish(self, count: int, complete: bool) -> None:
        """Tell readers that so many rows of all tables are there."""
        # two writes: a kill between them must not leave the count of one and the mark of the other
        if not complete:
            self._put(self._offsets[_STATUS] + 8, np.array([0], "<i8"))
        self._put(self._offsets[_STATUS], np.array([count], "<i8"))
        if complete:
            self._put(self._offsets[_STATUS] + 8, np.array([1], "<i8"))

    def copy(self, other: "GrowingFile", count: int, length: int) -> None:
        """The first rows of the tables, and of the long dataset, of another file like this."""
        spans = [(self._offsets[n], other._offsets[n], count * c.row_bytes) for n, c in self.tables.items()]
        spans.append((self._first, other._first, length * self.dtype.itemsize))
        for here, there, total in spans:
            for start in range(0, total, _COPY_BYTES):
                other._file.seek(there + start)
                data = other._file.read(min(_COPY_BYTES, total - start))
                self._put(here + start, np.frombuffer(data, np.uint8))
        self._allow(length)

    def sync(self) -> None:
        """Wait until the disk has everything."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def _changing(self) -> list[tuple[int, int]]:
        """Spans of bytes that change when the file grows."""
        tables = [(self._offsets[name], self.capacity * column.row_bytes) for name, column in self.tables.items()]
        spans = [(first, first + size) for first, size in tables]
        spans += [(self._offsets[_STATUS], self._offsets[_STATUS] + 16), (_END_OF_FILE, _END_OF_FILE + 8)]
        spans += [(at, at + 16) for at in self._headers]
        return [*spans, (self._first, END)]

    def _move_to_end(self) -> None:
        """Give the long dataset, of one row so far, an address behind everything else."""
        end = os.fstat(self._file.fileno()).st_size
        self._first = -(-end // _PAGE) * _PAGE
        self._put(self._first, np.zeros(self.dtype.itemsize, np.uint8))
        self._put_number(_END_OF_FILE, self._first + self.dtype.itemsize)
        self._put_number(self._headers.layout, self._first)

    def _allow(self, length: int) -> None:
        """Let the long dataset have so many rows, if it has fewer: what is checked against another goes last."""
        length = max(length, self._number(self._headers.length))
        size = length * self.dtype.itemsize
        self._put_number(_END_OF_FILE, self._first + size)
        self._put_number(self._headers.layout + 8, size)
        self._put_number(self._headers.length + 8, length)
        self._put_number(self._headers.length, length)

    def _number(self, at: int) -> int:
        self._file.seek(at)
        return int.from_bytes(self._file.read(8), "little")

    def _put_number(self, at: int, value: int) -> None:
        self._put(at, np.array([value], "<u8"))

    def _put(self, at: int, array: np.ndarray) -> None:
        if array.size:
            self._file.seek(at)
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
            while data:  # a disk that is nearly full takes a part, and fails at the next write
                data = data[self._file.write(data) :]


def _find(file: Any, header: int, path: Path) -> Offsets:
    """Messages of dataspace and layout in an object header of version 1."""
    file.seek(0)
    sizes = file.read(15)[13:]  # of addresses and lengths, in the superblock
    file.seek(header)
    version, _, count, _, size = struct.unpack("<BBHII", file.read(12))
    file.seek(header + 16)
    messages, found, at = file.read(size), {}, 0
    for _ in range(count if version == 1 and sizes == b"\x08\x08" else 0):
        if at + 8 > len(messages):
            break
        kind, length = struct.unpack_from("<HH", messages, at)
        found.setdefault(kind, (header + 16 + at + 8, messages[at + 8 : at + 8 + length]))
        at += 8 + length
    (space, space_bytes), (layout, layout_bytes) = (found.get(kind, (0, b"")) for kind in (_DATASPACE, _LAYOUT))
    # dataspace 1: one dimension, with its largest value; layout 3: contiguous
    if space_bytes[:3] != b"\x01\x01\x01" or layout_bytes[:2] != b"\x03\x01":
        raise FileError("was written with another HDF5 version: it can be read, but not appended to", path)
    return Offsets(space + 8, layout + 2)


def read_status(file: Any) -> tuple[int, bool]:
    """Count of complete rows of the tables, and whether the run was closed."""
    if file[_STATUS].shape != (2,):
        raise ValueError(f"shape {file[_STATUS].shape}")
    count, complete = (int(number) for number in file[_STATUS][()])
    return count, bool(complete)
