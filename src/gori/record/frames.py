"""Particles at moments of a run: written while it lasts, to a file that can be opened at every moment, and read.

particles   a row for each particle of each frame, frames one after the other, each by id: id, position x y z [m],
            radius [m], velocity [m/s], angular_velocity [rad/s], mass [kg], material, group; world axes
time        (frames,) [s]
rows        (frames, 2) first row and count of particles
poses       (frames, bodies, 4, 4) world
status      count of frames that are complete; 1 when the run was closed
header      JSON: names of bodies, materials and groups, decimation, notes
spec        YAML
arrays/0    large arrays of the Spec, to which its text refers; seal: checksum of the structure (`seal.py`)
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import FileError, InputError, RecordError
from gori.formats.yaml import write_yaml
from gori.kernels.particles.columns import MASS, MATERIAL, VX, WX
from gori.record.damage import reading
from gori.record.frame import FORMAT, PARTICLES, VERSION, Frames, ParticleFrame, check, open_frames
from gori.record.growing import GrowingFile
from gori.record.rows import Column, part_of, read_arrays, read_text
from gori.record.values import checked_info
from gori.spec import Spec
from gori.text.arguments import file_of

__all__ = ["FrameFile", "Frames", "ParticleFrame"]

_TABLES: tuple[str, ...] = ("time", "rows", "poses")


class FrameFile:
    """Writes frames of particles while a run lasts. Use it in a `with` block, which closes the file whatever happens.

    A frame is in the file when `append` returns. A file that a killed run leaves behind opens like any other.

    path        the file; its folder must exist
    bodies      names of bodies whose poses come with each frame: those that carry walls
    materials   names of materials, in the order of their numbers
    groups      names of the groups of particles, likewise
    spec        the description of the machine, so that pictures can show its walls
    info        what the file shall say of the run: names and values that JSON can hold
    decimate    keep each n-th particle, by id
    single      positions in single precision: a quarter smaller, good to look at; overlaps of stiff particles are lost
    in it
    overwrite   replace a file that is there; else that is an error
    capacity    frames that fit before the file must be copied into a larger one
    """

    def __init__(
        self,
        path: str | os.PathLike,
        bodies: Sequence[str] = (),
        materials: Sequence[str] = (),
        spec: Spec | None = None,
        info: dict[str, Any] | None = None,
        decimate: int = 1,
        single: bool = False,
        overwrite: bool = False,
        capacity: int = 1024,
        groups: Sequence[str] = (),
    ):
        self.path, self.bodies, self.decimate = file_of(path), tuple(bodies), decimate
        if self.path.exists() and not overwrite:
            raise FileError("already exists: choose another name, or pass overwrite=True", path)
        if decimate < 1 or decimate != int(decimate):
            raise InputError(f"decimate must be a positive integer, not {decimate!r}: every n-th particle is stored")
        header = {"bodies": self.bodies, "materials": tuple(materials), "decimate": int(decimate)}
        header |= {"groups": tuple(groups), "info": checked_info(info)}
        self._arrays: list[np.ndarray] = []
        text = "" if spec is None else write_yaml(spec, arrays=self._arrays)
        self._texts = {"header": json.dumps(header), "spec": text}
        self._dtype = _row(np.dtype("<f4" if single else "<f8"))
        self.frames, self._length, self._time, self._closed = 0, 0, -np.inf, False
        try:
            self._file = self._create(max(1, capacity))
            os.replace(part_of(self.path), self.path)
        except (OSError, RuntimeError) as error:
            raise self._failed(error) from error

    @classmethod
    def resume(cls, path: str | os.PathLike, time: float = np.inf) -> "FrameFile":
        """Continue the file of an earlier run after a time [s]: frames later than that are dropped."""
        found = Frames(path)
        found.require_all()
        with open_frames(path) as file, reading(path, "its header"):
            texts, arrays = {name: read_text(file, name) for name in ("header", "spec")}, read_arrays(file)
        times, rows = found.times, found.rows
        self = cls.__new__(cls)
        self.path, self._texts, self._arrays = Path(path), texts, arrays
        self.bodies, self.decimate = found.bodies, found.decimate
        self.frames = int(np.searchsorted(times, time, "right"))
        self._time = float(times[self.frames - 1]) if self.frames else -np.inf
        self._length, self._closed = int(rows[self.frames - 1].sum()) if self.frames else 0, False
        try:
            self._file = GrowingFile.open(self.path, _TABLES, PARTICLES)
            self._dtype = self._file.dtype
            self._file.publish(self.frames, False)
        except OSError as error:
            raise RecordError(f"{path} cannot be written: {error.strerror or error}") from error
        return self

    def __enter__(self) -> "FrameFile":
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.close(complete=kind is None)

    def append(self, time: float, ids: Any, spheres: Any, motion: Any, poses: Any = None, group: Any = None) -> None:
        """Write a frame.

        time      [s], later than the last frame
        ids       (N,) whole numbers, each once, in any order
        spheres   (N, 4) x y z r [m], world
        motion    (N, 8) velocity [m/s], mass [kg], angular velocity [rad/s], material
        poses     (bodies, 4, 4), or by name; default: all at the origin
        group     (N,) row of `groups` of each; default: all of the first
        """
        if self._closed:
            raise InputError(f"the file {self.path} is closed; FrameFile.resume continues it")
        if not time > self._time:
            raise InputError(f"time must increase: {time:g} s after {self._time:g} s")
        ids, spheres, motion = (np.asarray(array) for array in (ids, spheres, motion))
        check(ids, spheres, motion)
        group = np.zeros(len(ids), int) if group is None else np.asarray(group)
        if group.shape != ids.shape:
            raise InputError(f"group must be {len(ids)} whole numbers, not {group.shape}")
        rows = self._packed(ids, spheres, motion, group)
        placed = self._poses(poses)
        try:
            if self.frames == self._file.capacity:
                self._rebuild(2 * self.frames)
            self._file.extend(self._length, rows)
            for name, value in zip(_TABLES, (time, (self._length, len(rows)), placed)):
                self._file.put(name, self.frames, np.asarray(value))
            self._file.publish(self.frames + 1, False)
        except (OSError, RuntimeError) as error:
            raise self._failed(error) from error
        self.frames, self._length, self._time = self.frames + 1, self._length + len(rows), float(time)

    def close(self, complete: bool = True) -> None:
        """Mark the file as complete, and wait until the disk has it."""
        if self._closed:
            return
        self._closed = True
        try:
            if complete:
                self._file.publish(self.frames, True)
            self._file.sync()
        except OSError as error:
            raise self._failed(error) from error
        finally:
            self._file.close()

    def _packed(self, ids: np.ndarray, spheres: np.ndarray, motion: np.ndarray, group: np.ndarray) -> np.ndarray:
        """Rows for the file, by id, decimated."""
        if self.decimate > 1:
            keep = ids % self.decimate == 0
            ids, spheres, motion, group = ids[keep], spheres[keep], motion[keep], group[keep]
        if (steps := np.diff(ids)).size and steps.min() <= 0:
            order = np.argsort(ids)
            ids, spheres, motion, group = ids[order], spheres[order], motion[order], group[order]
            if (np.diff(ids) == 0).any():
                raise InputError(f"two particles have the id {ids[1:][np.diff(ids) == 0][0]}")
        rows = np.empty(len(ids), self._dtype)
        rows["id"], rows["mass"] = ids, motion[:, MASS]
        rows["position"], rows["radius"] = spheres[:, :3], spheres[:, 3]
        rows["velocity"], rows["angular_velocity"] = motion[:, VX : VX + 3], motion[:, WX : WX + 3]
        rows["material"] = motion[:, MATERIAL]
        if "group" in (rows.dtype.names or ()):  # not in a file of an older version that is continued
            rows["group"] = group
        return rows

    def _poses(self, poses: Any) -> np.ndarray:
        if isinstance(poses, Mapping):
            if missing := [name for name in self.bodies if name not in poses]:
                raise InputError(f"there is no pose of {', '.join(missing)}")
            poses = [poses[name] for name in self.bodies]
        count = len(self.bodies)
        placed = np.tile(np.eye(4), (count, 1, 1)) if poses is None or not count else np.asarray(poses, np.float64)
        if placed.shape != (count, 4, 4):
            raise InputError(f"poses must be ({count}, 4, 4), one for each of the bodies, not {placed.shape}")
        return placed

    def _create(self, capacity: int) -> GrowingFile:
        columns = (Column((), np.dtype("<f8")), Column((2,), np.dtype("<i8")))
        columns += (Column((len(self.bodies), 4, 4), np.dtype("<f8")),)
        tables = dict(zip(_TABLES, columns))
        marks = {"format": FORMAT, "version": VERSION}
        own = capacity, PARTICLES, self._dtype, self._arrays
        return GrowingFile.create(part_of(self.path), marks, self._texts, tables, *own)

    def _rebuild(self, capacity: int) -> None:
        """Move to a file of a larger capacity, which takes the place of the old one when it is ready."""
        new = None
        try:
            new = self._create(capacity)
            new.copy(self._file, self.frames, self._length)
            new.publish(self.frames, False)
            new.sync()
            os.replace(part_of(self.path), self.path)
        except BaseException:
            if new is not None:
                new.close()
            part_of(self.path).unlink(missing_ok=True)
            raise
        old, self._file = self._file, new
        old.close()

    def _failed(self, error: Exception) -> RecordError:
        words = (error.strerror if isinstance(error, OSError) else None) or str(error)
        safe = f"{self.frames} frames are safe in it" if self.frames else "no frame is in it"
        return RecordError(f"{self.path} cannot be written: {words}; {safe}")


def _row(number: np.dtype) -> np.dtype:
    """A particle in the file; motion is in single precision, as it is seen and measured, not continued from."""
    spheres = [("position", number, (3,)), ("radius", number)]
    vectors = [("velocity", "<f4", (3,)), ("angular_velocity", "<f4", (3,))]
    return np.dtype([("id", "<i8"), *spheres, *vectors, ("mass", "<f4"), ("material", "<i2"), ("group", "<i2")])
