"""Frames of particles and walls for ParaView: VTKHDF files that change in time (VTKHDF 2.x, PolyData with Steps).

Everything lies one frame after the other; `Steps` says from where each is read. What did not change since the last
frame, such as radius, group and id where none came or went, or walls that stand still, is not stored again: its offset
is that of the frame before.

    VTKHDF            Type PolyData, Version
      Points            (rows, 3), NumberOfPoints (steps,)
      Vertices          of particles: Connectivity 0 1 2 .., Offsets 0 1 2 ..: one list for all frames, each takes as
                        much as it needs
      Polygons          of walls: triangles, one list for all frames
      Lines Strips      empty
      PointData         of particles: radius [m], velocity [m/s], angular_velocity [rad/s], mass [kg], material, group,
                        id
      CellData          of walls: body, shape
      Steps             NSteps; Values [s], offsets of all that is above

Show particles in ParaView as Point Gaussian with `radius` as its size, or by the filter Glyph: sphere, scaled by
radius, factor 2, all points; walls as a surface of low opacity.
"""

import os
from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np

from gori.errors import FileError, InputError, RecordError
from gori.record.frame import ParticleFrame
from gori.record.wall_mesh import wall_mesh
from gori.spec import Spec
from gori.text.arguments import path_of

_VERSION = (2, 0)
_CELLS = ("Vertices", "Lines", "Polygons", "Strips")  # in the order of the columns of CellOffsets
_PARTICLES = {
    "radius": (np.float32, ()), "velocity": (np.float32, (3,)), "angular_velocity": (np.float32, (3,)),
    "mass": (np.float32, ()), "material": (np.int32, ()), "group": (np.int32, ()), "id": (np.int64, ()),
}  # fmt: skip
_WALLS = {"body": (np.int32, ()), "shape": (np.int32, ())}
_LEAST, _MOST, _FEW = 256, 1 << 16, 64
"""rows of a piece of long lists, which holds one frame if it can, and of those with a number for each frame: a piece
that is written in parts is compressed each time, and leaves a gap in the file"""
_COMPRESSED = {"compression": "gzip", "compression_opts": 1, "shuffle": True}


class _Steps:
    """A PolyData file that grows by time steps; closed after each, so that ParaView can read what there is."""

    def __init__(self, path: str | os.PathLike, overwrite: bool, point_data: Mapping, cell_data: Mapping):
        self.path, self.frames, self._closed, self._time = path_of(path), 0, False, -np.inf
        if self.path.exists() and not overwrite:
            raise FileError("already exists: choose another name, or pass overwrite=True", path)
        self._last: dict[str, tuple[np.ndarray, int]] = {}  # what was stored last, and from which row on
        self._data = point_data, cell_data
        try:
            with h5py.File(self.path, "w", locking=False) as file:
                _prepare(file, *self._data, _LEAST)
        except (OSError, RuntimeError) as error:
            raise self._failed(error) from error

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """There is nothing left to write; no frame is taken after this."""
        self._closed = True

    def append(self, frame: ParticleFrame) -> None:
        """Write a frame; its time must be after that of the last one."""
        if self._closed:
            raise InputError(f"the file {self.path} is closed")
        if not frame.time > self._time:
            raise InputError(f"time must increase: {frame.time:g} s after {self._time:g} s")
        try:
            with h5py.File(self.path, "r+" if self.frames else "w", locking=False) as file:
                if not self.frames:  # now it is known how long a frame is
                    _prepare(file, *self._data, min(max(self._length(frame), _LEAST), _MOST))
                root: Any = file["VTKHDF"]
                self._append(root, frame)
                steps = root["Steps"]
                _extend(steps["PartOffsets"], [self.frames])
                _extend(steps["NumberOfParts"], [1])
                _extend(steps["Values"], [frame.time])
                steps.attrs["NSteps"] = self.frames + 1
        except (OSError, RuntimeError) as error:
            raise self._failed(error) from error
        self.frames, self._time = self.frames + 1, frame.time

    def _append(self, root: Any, frame: ParticleFrame) -> None:
        raise NotImplementedError

    def _length(self, frame: ParticleFrame) -> int:
        """Points of a frame."""
        raise NotImplementedError

    def _kept(self, data: Any, name: str, values: np.ndarray) -> int:
        """Where values stand in a list: where they were put for the last frame, if they are the same."""
        before, row = self._last.get(name, (None, 0))
        if before is None or not np.array_equal(before, values):
            row = _extend(data, values)
            self._last[name] = values, row
        return row

    def _points(self, root: Any, points: np.ndarray) -> None:
        row = self._kept(root["Points"], "Points", points.astype(np.float32))
        _extend(root["NumberOfPoints"], [len(points)])
        _extend(root["Steps"]["PointOffsets"], [row])

    def _cells(self, root: Any, kind: str, cells: int, ids: int) -> None:
        """So many cells of a kind with so many points, from the beginning of their lists on."""
        for name in _CELLS:
            _extend(root[name]["NumberOfCells"], [cells if name == kind else 0])
            _extend(root[name]["NumberOfConnectivityIds"], [ids if name == kind else 0])
        for name in ("CellOffsets", "ConnectivityIdOffsets"):
            _extend(root["Steps"][name], [[0] * 4])

    def _failed(self, error: Exception) -> RecordError:
        words = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return RecordError(f"{self.path} cannot be written: {words}; {self.frames} frames were written before")


class VtkHdf(_Steps):
    """Writes particles to a VTKHDF file, all at once or while a run lasts. Use it in a `with` block.

    The file is closed after each frame, so that ParaView can read what there is (Reload Files). A run that is killed
    just while a frame is written may leave a broken file: where frames must survive that, write a FrameFile, and
    convert it.

    path        the file, by custom .vtkhdf; its folder must exist
    overwrite   replace a file that is there; else that is an error
    """

    def __init__(self, path: str | os.PathLike, overwrite: bool = False):
        super().__init__(path, overwrite, _PARTICLES, {})

    def _length(self, frame: ParticleFrame) -> int:
        return len(frame)

    def _append(self, root: Any, frame: ParticleFrame) -> None:
        count, vertices = len(frame), root["Vertices"]
        self._points(root, frame.position)
        for name, (dtype, _) in _PARTICLES.items():
            values = np.asarray(getattr(frame, name)).astype(dtype)
            row = self._kept(root["PointData"][name], name, values)
            _extend(root["Steps"]["PointDataOffsets"][name], [row])
        have = len(vertices["Connectivity"])
        _extend(vertices["Connectivity"], np.arange(have, count))
        _extend(vertices["Offsets"], np.arange(have + 1, count + 1))
        self._cells(root, "Vertices", count, count)


class VtkWalls(_Steps):
    """Writes the walls of a machine to a VTKHDF file, as triangles where the poses of a frame have them.

    spec   of the machine: its shapes with a material; infinite planes are drawn as squares
    wide   width of these [m]

    Other arguments are those of VtkHdf. A wall that is gone (`until`) shrinks to a point.
    """

    def __init__(self, path: str | os.PathLike, spec: Spec, wide: float, overwrite: bool = False):
        super().__init__(path, overwrite, {}, _WALLS)
        self._shapes = []
        faces, marks, first = [np.zeros((0, 3), int)], [np.zeros((0, 2), int)], 0
        bodies = list(spec.bodies)
        walls = [(b, s) for b in bodies for s in spec.bodies[b].shapes.values() if s.material is not None]
        for k, (body, shape) in enumerate(walls):
            points, triangles = wall_mesh(shape, wide)
            self._shapes.append((body, points, shape.until))
            faces.append(triangles + first)
            marks.append(np.tile([bodies.index(body), k], (len(triangles), 1)))
            first += len(points)
        self._faces, self._marks, self._count = np.concatenate(faces), np.concatenate(marks), first

    def _length(self, frame: ParticleFrame) -> int:
        return self._count

    def _append(self, root: Any, frame: ParticleFrame) -> None:
        placed = [np.zeros((0, 3))]
        for body, points, until in self._shapes:
            T = frame.poses.get(body, np.eye(4))
            world = points @ T[:3, :3].T + T[:3, 3]
            gone = until is not None and frame.time >= until
            placed.append(np.broadcast_to(world[0], world.shape) if gone else world)
        self._points(root, np.concatenate(placed))
        if not self.frames:
            _extend(root["Polygons"]["Connectivity"], self._faces.ravel())
            _extend(root["Polygons"]["Offsets"], 3 * np.arange(1, len(self._faces) + 1))
            for k, name in enumerate(_WALLS):
                _extend(root["CellData"][name], self._marks[:, k])
        for name in _WALLS:
            _extend(root["Steps"]["CellDataOffsets"][name], [0])
        self._cells(root, "Polygons", len(self._faces), self._faces.size)


def _prepare(file: Any, point_data: Mapping, cell_data: Mapping, rows: int) -> None:
    """Everything without a frame in it; long lists in pieces of so many rows."""
    root = file.create_group("VTKHDF")
    root.attrs["Version"] = _VERSION
    root.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", len("PolyData")))
    _grows(root, "Points", np.float32, (3,), rows)
    _grows(root, "NumberOfPoints", np.int64)
    for name in _CELLS:
        cells = root.create_group(name)
        for what in ("NumberOfCells", "NumberOfConnectivityIds"):
            _grows(cells, what, np.int64)
        for what in ("Connectivity", "Offsets"):
            _grows(cells, what, np.int64, rows=rows)
        _extend(cells["Offsets"], [0])
    steps = root.create_group("Steps")
    for name, fields in (("PointData", point_data), ("CellData", cell_data)):
        if not fields:
            continue
        data, offsets = root.create_group(name), steps.create_group(f"{name}Offsets")
        for field, (dtype, shape) in fields.items():
            _grows(data, field, dtype, shape, rows)
            _grows(offsets, field, np.int64)
    steps.attrs["NSteps"] = 0
    _grows(steps, "Values", np.float64)
    for name in ("PartOffsets", "NumberOfParts", "PointOffsets"):
        _grows(steps, name, np.int64)
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        _grows(steps, name, np.int64, (4,))


def _grows(group: Any, name: str, dtype: Any, shape: tuple[int, ...] = (), rows: int = _FEW) -> None:
    """A list that grows, in compressed pieces of so many rows."""
    group.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=(rows, *shape), **_COMPRESSED)


def _extend(data: Any, rows: Any) -> int:
    """Add rows at the end; where they begin."""
    first = len(data)
    data.resize(first + len(rows), axis=0)
    if len(rows):
        data[first:] = rows
    return first
