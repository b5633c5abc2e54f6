"""Frames of particles for ParaView: a VTKHDF file of points that change in time (VTKHDF 2.x, PolyData with Steps).

Everything lies one frame after the other; `Steps` says from where each is read. Particles are points, and each is a
vertex, so that filters that work on cells see them. What did not change since the last frame, such as radius, material
and id where none came or went, is not stored again: its offset is that of the frame before.

    VTKHDF            Type PolyData, Version
      Points            (rows, 3), NumberOfPoints (steps,)
      Vertices          Connectivity 0 1 2 .., Offsets 0 1 2 ..: one list for all frames, each takes as much as it needs
      Lines Polygons Strips    empty
      PointData         radius [m], velocity [m/s], angular_velocity [rad/s], mass [kg], material, id
      Steps             NSteps; Values [s], offsets of all that is above

Show it in ParaView as Point Gaussian with `radius` as its size, or by the filter Glyph: sphere, scaled by radius,
factor 2, all points.
"""

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gori.errors import FileError, InputError, RecordError
from gori.record.frame import ParticleFrame

_VERSION = (2, 0)
_CELLS = ("Vertices", "Lines", "Polygons", "Strips")  # in the order of the columns of CellOffsets
_DATA = {
    "radius": (np.float32, ()), "velocity": (np.float32, (3,)), "angular_velocity": (np.float32, (3,)), "mass":
    (np.float32, ()),
    "material": (np.int32, ()), "id": (np.int64, ()),
}  # fmt: skip
_CHUNK = 1 << 16


class VtkHdf:
    """Writes frames to a VTKHDF file, all at once or while a run lasts. Use it in a `with` block.

    The file is closed after each frame, so that ParaView can read what there is (Reload Files). A run that is killed
    just while a frame is written may leave a broken file: where frames must survive that, write a FrameFile, and
    convert it.

    path        the file, by custom .vtkhdf; its folder must exist
    overwrite   replace a file that is there; else that is an error
    """

    def __init__(self, path: str | os.PathLike, overwrite: bool = False):
        self.path, self.frames, self._closed, self._time = Path(path), 0, False, -np.inf
        if self.path.exists() and not overwrite:
            raise FileError("already exists: choose another name, or pass overwrite=True", path)
        self._last: dict[str, tuple[np.ndarray, int]] = {}  # what was stored last, and from which row on
        try:
            with h5py.File(self.path, "w", locking=False) as file:
                _prepare(file)
        except (OSError, RuntimeError) as error:
            raise self._failed(error) from error

    def __enter__(self) -> "VtkHdf":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def append(self, frame: ParticleFrame) -> None:
        """Write a frame; its time must be after that of the last one."""
        if self._closed:
            raise InputError(f"the file {self.path} is closed")
        if not frame.time > self._time:
            raise InputError(f"time must increase: {frame.time:g} s after {self._time:g} s")
        try:
            with h5py.File(self.path, "r+", locking=False) as file:
                self._append(file["VTKHDF"], frame)
        except (OSError, RuntimeError) as error:
            raise self._failed(error) from error
        self.frames, self._time = self.frames + 1, frame.time

    def close(self) -> None:
        """There is nothing left to write; no frame is taken after this."""
        self._closed = True

    def _append(self, root: Any, frame: ParticleFrame) -> None:
        steps, count = root["Steps"], len(frame)
        first = _extend(root["Points"], frame.position.astype(np.float32))
        _extend(root["NumberOfPoints"], [count])
        _extend(steps["PointOffsets"], [first])
        for name in _DATA:
            values = np.asarray(getattr(frame, name)).astype(_DATA[name][0])
            before, row = self._last.get(name, (None, 0))
            if before is None or not np.array_equal(before, values):
                row = _extend(root["PointData"][name], values)
                self._last[name] = values, row
            _extend(steps["PointDataOffsets"][name], [row])

        vertices = root["Vertices"]
        have = len(vertices["Connectivity"])
        _extend(vertices["Connectivity"], np.arange(have, count))
        _extend(vertices["Offsets"], np.arange(have + 1, count + 1))
        for name in _CELLS:
            number = count if name == "Vertices" else 0
            _extend(root[name]["NumberOfCells"], [number])
            _extend(root[name]["NumberOfConnectivityIds"], [number])
        for name, row in (("CellOffsets", [[0] * 4]), ("ConnectivityIdOffsets", [[0] * 4])):
            _extend(steps[name], row)
        _extend(steps["PartOffsets"], [self.frames])
        _extend(steps["NumberOfParts"], [1])
        _extend(steps["Values"], [frame.time])
        steps.attrs["NSteps"] = self.frames + 1

    def _failed(self, error: Exception) -> RecordError:
        words = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return RecordError(f"{self.path} cannot be written: {words}; {self.frames} frames were written before")


def _prepare(file: Any) -> None:
    """Everything without a frame in it."""
    root = file.create_group("VTKHDF")
    root.attrs["Version"] = _VERSION
    root.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", len("PolyData")))
    _grows(root, "Points", np.float32, (3,))
    _grows(root, "NumberOfPoints", np.int64)
    for name in _CELLS:
        cells = root.create_group(name)
        for what in ("NumberOfCells", "NumberOfConnectivityIds", "Connectivity", "Offsets"):
            _grows(cells, what, np.int64)
        _extend(cells["Offsets"], [0])
    data, steps = root.create_group("PointData"), root.create_group("Steps")
    offsets = steps.create_group("PointDataOffsets")
    for name, (dtype, shape) in _DATA.items():
        _grows(data, name, dtype, shape)
        _grows(offsets, name, np.int64)
    steps.attrs["NSteps"] = 0
    _grows(steps, "Values", np.float64)
    for name in ("PartOffsets", "NumberOfParts", "PointOffsets"):
        _grows(steps, name, np.int64)
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        _grows(steps, name, np.int64, (4,))


def _grows(group: Any, name: str, dtype: Any, shape: tuple[int, ...] = ()) -> None:
    # long lists in large pieces, short ones, with a number for each frame, in small ones
    long = name in _DATA or name in ("Points", "Connectivity", "Offsets")
    rows = _CHUNK if long and "Offsets" not in group.name.rpartition("/")[2] else 256
    group.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=(rows, *shape))


def _extend(data: Any, rows: Any) -> int:
    """Add rows at the end; where they begin."""
    first = len(data)
    data.resize(first + len(rows), axis=0)
    if len(rows):
        data[first:] = rows
    return first
