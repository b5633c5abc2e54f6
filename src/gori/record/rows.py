"""HDF5 files that are filled in place, so that they are valid at every moment, whatever ends the writer.

The HDF5 library makes the file with all arrays at their places, and closes it. From then on the numbers go to these
places as plain bytes, and at the end the count of samples that are complete: the structure of the file is never
touched, and a reader needs no lock. More room means a new file that takes the place of the old one in one step.

Why not datasets that grow while the library holds the file: of 1000 writers killed inside a flush, 7 left a file with
a torn chunk index, and samples that had been safe for long were lost with it.

    status        int64 (2,)     count of samples that are complete; how the run ended (ENDS)
    time q v z    float64        room for more samples than there are, while the run lasts
    extra/NAME                   further channels
    checkpoint/0, checkpoint/1   two slots, an npz archive as bytes; the newer one may be half written
    checkpoint/status            int64 (2, 4)   of each slot: sequence, bytes, crc32, count of samples
    spec, info                   text: YAML, JSON
    arrays/0, ..                 large arrays of the Spec, to which its text refers
    seal                         checksum of the structure (`seal.py`)

A run that is closed leaves a packed file (`packed.py`): the same, with compressed columns.
"""

import json
import os
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from gori.errors import FileError
from gori.formats.yaml import read_yaml, write_yaml
from gori.record.damage import dataset, reading, warn_of_damage
from gori.record.opened import open_hdf5
from gori.record.seal import SEAL, seal_bytes, write_seal
from gori.spec import Spec
from gori.text.arguments import path_of

FORMAT, VERSION = "gori recording", 2
READABLE = (1, VERSION)
"""versions; before 2 arrays of the Spec were part of its text"""
ENDS = ("running or killed", "complete", "interrupted", "failed")
"""how a run ended, by the number in its file"""
STATUS, SLOT_STATUS, SLOTS = "status", "checkpoint/status", ("checkpoint/0", "checkpoint/1")
STRUCTURE = 1024
"""what the library needs to describe a dataset [bytes], with some room"""
_COPY_BYTES = 1 << 24


class Header(NamedTuple):
    """What a file says besides numbers."""

    spec: str
    open_loops: bool
    info: dict[str, Any]
    arrays: Sequence[np.ndarray] = ()

    @classmethod
    def of(cls, spec: Spec, open_loops: bool, info: dict[str, Any]) -> "Header":
        """Large arrays of the Spec stand beside its text."""
        arrays: list[np.ndarray] = []
        return cls(write_yaml(spec, arrays=arrays), open_loops, info, arrays)

    def read_spec(self, path: str | os.PathLike) -> Spec:
        """The Spec; `path` names the file in errors."""
        with reading(path, "its Spec"):
            return read_yaml(path, self.spec, arrays=self.arrays)

    def write(self, file: Any, packed: bool = False) -> None:
        """Put all of it into an h5py.File; packed: arrays are compressed."""
        file.attrs.update(format=FORMAT, version=VERSION, open_loops=self.open_loops)
        file["spec"], file["info"] = self.spec, json.dumps(self.info)
        write_arrays(file, self.arrays, packed)

    @property
    def size(self) -> int:
        """About what it takes in a file [bytes]."""
        return len(self.spec) + len(json.dumps(self.info)) + sum(array.nbytes for array in self.arrays)


class Column(NamedTuple):
    """One array of the samples: the shape and type of a row."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def row_bytes(self) -> int:
        return self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64))


class Slot(NamedTuple):
    """A checkpoint: which one it is, its bytes, and the count of samples when it was made."""

    sequence: int
    data: bytes
    samples: int


def slot_status(slot: Slot) -> np.ndarray:
    """What checkpoint/status says of a slot (4,)."""
    return np.array([slot.sequence, len(slot.data), zlib.crc32(slot.data), slot.samples], "<i8")


class RowFile:
    """A recording on disk. Made by `create` or `open`; `columns` and `capacity` never change."""

    def __init__(self, path: Path, columns: dict[str, Column], places: dict[str, int], capacity: int, slot_bytes: int):
        self.columns, self.capacity, self.slot_bytes = columns, capacity, slot_bytes
        self._places = places
        self._file = open(path, "r+b", buffering=0)  # noqa: SIM115 (closed by close)

    @classmethod
    def create(
        cls, path: Path, header: Header, columns: dict[str, Column], capacity: int, slot_bytes: int
    ) -> "RowFile":
        """A new file with room for `capacity` samples and checkpoints of `slot_bytes`; empty, whatever was there."""
        probe(path, header.size)
        arrays = {STATUS: ((2,), np.dtype("<i8")), SLOT_STATUS: ((2, 4), np.dtype("<i8"))}
        arrays |= {name: ((slot_bytes,), np.dtype(np.uint8)) for name in SLOTS}
        arrays |= {name: ((capacity, *column.shape), column.dtype) for name, column in columns.items()}
        places = {}
        new, seal = new_file(path, len(arrays), STRUCTURE * (len(arrays) + len(header.arrays)))
        with new as file:
            header.write(file)
            file.create_group("checkpoint")
            file.create_group("extra", track_order=True)  # channels in the order in which they were given
            for name, (shape, dtype) in arrays.items():
                places[name] = allocate(file, name, shape, dtype)
        sizes = {name: dtype.itemsize * int(np.prod(shape)) for name, (shape, dtype) in arrays.items()}
        write_seal(path, seal, [(places[name], places[name] + size) for name, size in sizes.items()])
        rows = cls(path, columns, places, capacity, slot_bytes)
        rows._put(STATUS, 0, np.zeros(2, "<i8"))
        rows._put(SLOT_STATUS, 0, np.zeros((2, 4), "<i8"))
        return rows

    @classmethod
    def open(cls, path: Path) -> "RowFile":
        """The file of an earlier run, to write on; not a packed one."""
        with open_file(path) as file, reading(path, "a column"):
            columns = {name: Column(data.shape[1:], data.dtype) for name, data in columns_of(file)}
            names = [*columns, *SLOTS, STATUS, SLOT_STATUS]
            places = {name: file[name].id.get_offset() or 0 for name in names}
            capacity, slot_bytes = len(file["time"]), len(file[SLOTS[0]])
        return cls(path, columns, places, capacity, slot_bytes)

    def write(self, name: str, first: int, rows: np.ndarray) -> None:
        """Rows of a column, from the row `first` on."""
        column = self.columns[name]
        self._put(name, first * column.row_bytes, np.asarray(rows, column.dtype))

    def publish(self, samples: int, end: str = ENDS[0]) -> None:
        """Tell readers that so many rows of all columns are there, and how the run ended."""
        self._put(STATUS, 0, np.array([samples, ENDS.index(end)], "<i8"))

    def write_slot(self, slot: Slot) -> None:
        """A checkpoint into the older of the two slots; the other one stays as it is."""
        k = slot.sequence % 2
        self._put(SLOTS[k], 0, np.frombuffer(slot.data, np.uint8))
        self._put(SLOT_STATUS, 32 * k, slot_status(slot))

    def read(self, name: str, first: int, count: int) -> np.ndarray:
        """Rows of a column."""
        column = self.columns[name]
        self._file.seek(self._places[name] + first * column.row_bytes)
        data = self._file.read(count * column.row_bytes)
        return np.frombuffer(data, column.dtype).reshape(count, *column.shape)

    def copy_rows(self, other: "RowFile", count: int) -> None:
        """The first rows of another file that has the same columns or fewer."""
        for name, column in other.columns.items():
            for start in range(0, total := count * column.row_bytes, _COPY_BYTES):
                other._file.seek(other._places[name] + start)
                data = other._file.read(min(_COPY_BYTES, total - start))
                self._put(name, start, np.frombuffer(data, np.uint8))

    def sync(self) -> None:
        """Wait until the disk has everything."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def _put(self, name: str, offset: int, array: np.ndarray) -> None:
        if array.size:
            self._file.seek(self._places[name] + offset)
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
            while data:  # a disk that is nearly full takes a part, and fails at the next write
                data = data[self._file.write(data) :]


def reason(error: Exception) -> str:
    """Why a file cannot be written, in the words of the system: the HDF5 library has many of its own."""
    if isinstance(error, OSError) and error.strerror and "errno = " not in error.strerror:
        return error.strerror
    found = re.search(r"errno = (\d+)", str(error))
    return os.strerror(int(found[1])) if found else str(error)


def part_of(path: Path) -> Path:
    """Where a file grows that shall take the place of `path`."""
    return path.with_name(f".{path.name}.part")


def probe(path: Path, text_bytes: int) -> None:
    """Fail here, as plain writing fails, where the disk has no room: the library does not recover from that."""
    try:
        with open(path, "wb", buffering=0) as file:
            data = memoryview(bytes(text_bytes + (1 << 15)))
            while data:
                data = data[file.write(data) :]
    except OSError:
        path.unlink(missing_ok=True)
        raise


def new_file(path: Path, spans: int, structure: int) -> tuple[Any, int]:
    """A new file, and the place of its seal of so many spans.

    The structure, of about so many bytes, stands before the numbers: a file that is cut off then loses only those.
    """
    with h5py.File(path, "w", locking=False) as file:
        place = allocate(file, SEAL, (seal_bytes(spans),), np.dtype(np.uint8))  # the first, to be found
    return h5py.File(path, "r+", locking=False, meta_block_size=structure), place


def allocate(file: Any, name: str, shape: tuple[int, ...], dtype: np.dtype) -> int:
    """Make a contiguous dataset that has its place in the file from the start; the offset of that place."""
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    how.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    group, _, leaf = name.rpartition("/")
    space, kind = h5py.h5s.create_simple(shape), h5py.h5t.py_create(dtype, logical=True)
    data = h5py.h5d.create(file[group or "/"].id, leaf.encode(), kind, space, how)
    return data.get_offset() or 0  # an array of no numbers has no place


def open_file(path: str | os.PathLike) -> Any:
    """The file, an h5py.File to read, also while a run writes on it."""
    path = path_of(path)
    file = open_hdf5(path)
    try:
        with reading(path, "its format"):
            if file.attrs.get("format") != FORMAT:
                raise FileError("is an HDF5 file, but not a recording of Gori", path)
            if (version := int(file.attrs["version"])) not in READABLE:
                known = " and ".join(map(str, READABLE))
                raise FileError(f"version {version} of the format is unknown; this Gori reads {known}", path)
    except FileError:
        file.close()
        raise
    return file


def write_arrays(file: Any, arrays: Sequence[np.ndarray], packed: bool = False) -> None:
    """Large arrays of a Spec; packed: compressed."""
    how = {"compression": "gzip", "compression_opts": 4, "shuffle": True} if packed else {}
    for k, array in enumerate(arrays):
        file.create_dataset(f"arrays/{k}", data=array, **how)


def ending(end: str) -> dict[str, Any]:
    """What the info of a recording says of the end of its run."""
    found = {"end": end, "complete": end == "complete"}
    return found | ({"interrupted": True, "stopped_by": "unknown"} if end == "interrupted" else {})


def read_arrays(file: Any) -> list[np.ndarray]:
    """Large arrays of the Spec; none in files of older versions."""
    with reading(file.path, "an array of its Spec"):
        count = len(file["arrays"]) if "arrays" in file else 0
        return [dataset(file, f"arrays/{k}", "if", None)[()] for k in range(count)]


def read_text(file: Any, name: str) -> str:
    """Text out of a dataset of one string."""
    data = file[name]
    kind = h5py.check_string_dtype(data.dtype)
    if data.shape != () or kind is None or kind.length is not None:
        raise ValueError("it is no text")
    # its length stands before it, and the library takes that much memory (file format 3.0, IV.A.2.d and III.E)
    place = data.id.get_offset()
    if place is None or place + 16 > file.held or file.number_at(place) > file.size:
        raise ValueError("its length is damaged")
    return data.asstr()[()]


def read_header(file: Any, strict: bool = False) -> Header:
    """The text of a file, and arrays of the Spec. Without notes that are damaged, unless strict."""
    path, info = file.path, {}
    with reading(path, "its Spec"):
        spec, open_loops = read_text(file, "spec"), bool(file.attrs["open_loops"])
    try:
        with reading(path, "what it says of the run (info)"):
            info = json.loads(read_text(file, "info"))
            if not isinstance(info, dict):
                raise ValueError("it is no mapping")
    except FileError as error:
        if strict:
            raise
        info = {}
        warn_of_damage(path, f"{error.reason}: method, outputs and other notes are missing")
    return Header(spec, open_loops, info, read_arrays(file))


def read_slot(file: Any) -> Slot | None:
    """The latest checkpoint that is whole; None if there was none."""
    path, slots, damaged = file.path, [], [0]
    with reading(path, "its checkpoint"):
        marks = dataset(file, SLOT_STATUS, "i", (2, 4))[()].tolist()
    for name, (sequence, size, crc, samples) in zip(SLOTS, marks):
        if sequence <= 0:
            continue
        try:
            with reading(path, "a checkpoint"):
                stored = dataset(file, name, "u", (None,))
                if not 0 < size <= len(stored):
                    raise ValueError("its size")
                data = stored[:size].tobytes()
        except FileError:
            data = b""
        if len(data) == size and zlib.crc32(data) == crc:
            slots.append(Slot(sequence, data, max(0, samples)))
        else:
            damaged.append(sequence)
    latest = max(slots, default=None)
    if latest is None and max(damaged):
        raise FileError("is damaged: no checkpoint in it is whole", path)
    if latest is not None and max(damaged) > latest.sequence:  # a kill tears the older one only
        warn_of_damage(path, "its latest checkpoint is damaged; the one before it is taken")
    return latest


def columns_of(file: Any) -> Iterable[tuple[str, Any]]:
    """Names and datasets of all columns."""
    yield from ((name, file[name]) for name in ("time", "q", "v", "z"))
    yield from ((f"extra/{name}", data) for name, data in file["extra"].items())
