"""Particles at moments of a run, read from the file that `frames.py` writes."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import numpy as np

from gori.errors import FileError, InputError
from gori.formats.yaml import read_yaml
from gori.kernels.particles.columns import MASS, MATERIAL, VX, WX
from gori.record.damage import dataset, held_rows, reading, warn_of_damage
from gori.record.growing import read_status
from gori.record.opened import open_hdf5
from gori.record.rows import read_arrays, read_text
from gori.spec import Spec
from gori.text.arguments import path_of

FORMAT, VERSION, PARTICLES = "gori frames", 4, "particles"
READABLE = (2, 3, VERSION)
"""versions; before 3 there were no groups, before 4 arrays of the Spec were part of its text"""
_FIELDS = {"id", "position", "radius", "velocity", "angular_velocity", "mass", "material"}
N_MOTION = MATERIAL + 1


@dataclass(frozen=True)
class ParticleFrame:
    """Particles at one moment, world axes.

    time               [s]
    id                 (N,) increasing
    position           (N, 3) centres [m]
    radius             (N,) [m]
    velocity           (N, 3) [m/s]
    angular_velocity   (N, 3) [rad/s]
    mass               (N,) [kg]
    material           (N,) row of `materials`
    group              (N,) row of `groups`
    poses              (4, 4) of each body by its name
    materials          names
    groups             names of the groups and inlets that particles come from
    """

    time: float
    id: np.ndarray
    position: np.ndarray
    radius: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    mass: np.ndarray
    material: np.ndarray
    group: np.ndarray
    poses: dict[str, np.ndarray] = field(default_factory=dict)
    materials: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        spheres: Any,
        motion: Any = None,
        id: Any = None,
        time: float = 0.0,
        poses: dict[str, np.ndarray] | None = None,
        materials: Sequence[str] = (),
        group: Any = None,
        groups: Sequence[str] = (),
    ) -> "ParticleFrame":
        """A ParticleFrame of plain arrays: spheres (N, 4) x y z r, motion (N, 8) velocity, mass, angular velocity,
        material.

        Without motion the particles rest, and their mass is their volume; without groups (N,) all are of one.
        """
        spheres = np.array(spheres, np.float64)
        if spheres.ndim != 2 or spheres.shape[1] != 4:
            raise InputError(f"spheres must be rows of x y z r, not {spheres.shape}")
        count = len(spheres)
        if motion is None:
            moving = np.zeros((count, N_MOTION))
            moving[:, MASS] = 4.0 / 3.0 * np.pi * spheres[:, 3] ** 3
        else:
            moving = np.array(motion, np.float64)
        ids = np.arange(count) if id is None else np.array(id, np.int64)
        check(ids, spheres, moving)
        velocity, spin = moving[:, VX : VX + 3], moving[:, WX : WX + 3]
        mass, material = moving[:, MASS], moving[:, MATERIAL].astype(np.int64)
        of_group = np.zeros(count, np.int64) if group is None else np.array(group, np.int64)
        own = spheres[:, :3], spheres[:, 3], velocity, spin, mass, material, of_group
        return cls(float(time), ids, *own, poses or {}, tuple(materials), tuple(groups))

    def __len__(self) -> int:
        return len(self.id)

    @property
    def spheres(self) -> np.ndarray:
        """(N, 4) x y z r [m]"""
        return np.column_stack([self.position, self.radius])

    @property
    def speed(self) -> np.ndarray:
        """(N,) [m/s]"""
        return np.linalg.norm(self.velocity, axis=1)

    def where(self, keep: np.ndarray) -> "ParticleFrame":
        """Only some of the particles, by a mask (N,) or row numbers."""
        kept = {name: getattr(self, name)[keep] for name in ARRAYS}
        return ParticleFrame(self.time, **kept, poses=self.poses, materials=self.materials, groups=self.groups)


ARRAYS = ("id", "position", "radius", "velocity", "angular_velocity", "mass", "material", "group")
"""arrays of a ParticleFrame, each with a row for each particle"""


class Frames:
    """The frames in a file, also of a run that was killed or still goes on; each is read when it is asked for.

    `frames[k]` is a ParticleFrame, a slice of frames is Frames again. `times` (n,) [s]; `bodies`, `materials` and
    `groups` are names; `info` are the notes on the run, with "complete"; `decimate` n says that only each n-th particle
    is there.
    """

    def __init__(self, path: str | os.PathLike):
        self.path, self.missing = path_of(path), ""
        with open_frames(path) as file:
            with reading(path, "its header"):
                count, complete = read_status(file)
                header = json.loads(read_text(file, "header"))
                self.bodies, self.materials = tuple(header["bodies"]), tuple(header["materials"])
                self.groups = tuple(header.get("groups", ()))
                self.decimate, self.info = int(header["decimate"]), header["info"] | {"complete": complete}
            with reading(path, "the list of its frames"):
                times = dataset(file, "time", "f", (None,))
                rows = dataset(file, "rows", "i", (len(times), 2))
                dataset(file, "poses", "f", (len(times), len(self.bodies), 4, 4))
                particles = dataset(file, PARTICLES, "V", (None,), part=True)
                if not 0 <= count <= len(times) or not set(particles.dtype.names) >= _FIELDS:
                    raise ValueError(f"{count} of {len(times)}")
                times, rows = times[:count], rows[:count]
                whole = _whole(times, rows, held_rows(file, particles))
        if whole < count:
            self.missing = f"{count - whole} of {count} frames, from number {whole} on, are damaged and left out"
            warn_of_damage(path, self.missing)
        self.times, self.rows = times[:whole], rows[:whole]
        self._index = np.arange(whole)

    def require_all(self) -> None:
        """Refuse a file of which something is missing: it can be read, but not continued."""
        if self.missing:
            raise FileError(f"cannot be continued: {self.missing}", self.path)

    @property
    def spec(self) -> Spec | None:
        """The description of the machine, where the file holds it."""
        with open_frames(self.path) as file, reading(self.path, "its Spec"):
            text = read_text(file, "spec")
            return read_yaml(self.path, text, arrays=read_arrays(file)) if text else None

    @property
    def counts(self) -> np.ndarray:
        """Particles in each frame, (n,)"""
        return self.rows[self._index, 1]

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[ParticleFrame]:
        return (self[k] for k in range(len(self)))

    @overload
    def __getitem__(self, k: int) -> ParticleFrame: ...
    @overload
    def __getitem__(self, k: slice) -> "Frames": ...
    def __getitem__(self, k):
        if isinstance(k, slice):
            some = object.__new__(Frames)
            some.__dict__.update(self.__dict__)
            some.times, some._index = self.times[k], self._index[k]
            return some
        if not -len(self) <= k < len(self):
            raise IndexError(f"frame {k} of {len(self)}")
        row = int(self._index[k])
        first, count = (int(number) for number in self.rows[row])
        with open_frames(self.path) as file, reading(self.path, f"frame {row}"):
            rows = dataset(file, PARTICLES, "V", (None,), part=True)[first : first + count]
            poses = dataset(file, "poses", "f", (None, len(self.bodies), 4, 4))[row]
            if len(rows) != count:
                raise ValueError(f"{len(rows)} of {count} particles")
        own = {
            name: np.array(rows[name], np.float64) for name in ("position", "radius", "velocity", "angular_velocity")
        }
        own |= {"id": np.array(rows["id"]), "mass": np.array(rows["mass"], np.float64)}
        return ParticleFrame(
            float(self.times[k]),
            **own,
            material=rows["material"].astype(np.int64),
            group=rows["group"].astype(np.int64) if "group" in rows.dtype.names else np.zeros(count, np.int64),
            poses=dict(zip(self.bodies, poses)),
            materials=self.materials,
            groups=self.groups,
        )

    def at(self, time: float) -> ParticleFrame:
        """The frame nearest to a time [s]."""
        if not len(self):
            raise InputError(f"{self.path} contains no frames yet")
        return self[int(np.argmin(np.abs(self.times - time)))]

    def to_vtkhdf(self, path: str | os.PathLike, overwrite: bool = False, walls: bool = True) -> tuple[Path, ...]:
        """Write all frames to files for ParaView; see `gori.record.vtkhdf`. Returns their paths.

        walls   write those of the machine too, where the file of frames knows them: run.vtkhdf, run.walls.vtkhdf
        """
        from gori.record.vtkhdf import VtkHdf, VtkWalls

        path = path_of(path)
        beside = path.with_name(f"{path.stem}.walls{path.suffix}")
        spec = self.spec if walls else None
        with ExitStack() as stack:
            files: list[Any] = [stack.enter_context(VtkHdf(path, overwrite))]
            shapes = [] if spec is None else [s for body in spec.bodies.values() for s in body.shapes.values()]
            if spec is not None and any(shape.material is not None for shape in shapes):
                files.append(stack.enter_context(VtkWalls(beside, spec, self._width(), overwrite)))
            for frame in self:
                for file in files:
                    file.append(frame)
        return tuple(file.path for file in files)

    def _width(self) -> float:
        """Of squares in place of infinite planes [m]: twice the reach of particles at the start and at the end."""
        ends = [frame.spheres for frame in (self[0], self[-1]) if len(frame)] if len(self) else []
        reach = [np.abs(spheres[:, :3]).max() + spheres[:, 3].max() for spheres in ends]
        return 2.0 * max(reach, default=1.0)


def check(ids: np.ndarray, spheres: np.ndarray, motion: np.ndarray) -> None:
    """Refuse arrays that do not belong together."""
    count = len(ids)
    for name, array, shape in (
        ("id", ids, (count,)), ("spheres", spheres, (count, 4)), ("motion", motion, (count, N_MOTION))
    ):  # fmt: skip
        if array.shape != shape:
            raise InputError(f"{name} must be {' x '.join(map(str, shape))}, not {array.shape}")


def _whole(times: np.ndarray, rows: np.ndarray, particles: int) -> int:
    """Count of frames before the first whose time or place is damaged."""
    first, count = rows[:, 0], rows[:, 1]
    with np.errstate(invalid="ignore"):
        bad = ~np.isfinite(times) | (np.diff(times, prepend=-np.inf) <= 0.0)
    bad |= (first < 0) | (count < 0) | (first > particles) | (count > particles - np.clip(first, 0, particles))
    return int(np.argmax(bad)) if bad.any() else len(times)


def open_frames(path: str | os.PathLike) -> Any:
    """The file, an h5py.File to read, also while a run writes on it."""
    file = open_hdf5(path)
    try:
        with reading(path, "its format"):
            if file.attrs.get("format") != FORMAT:
                file_format = file.attrs.get("format", "something else")
                raise FileError(f"contains no particle frames, but {file_format!r}", path)
            if (version := int(file.attrs["version"])) not in READABLE:
                known = " and ".join(map(str, READABLE))
                raise FileError(f"version {version} of the format is unknown; this Gori reads {known}", path)
    except FileError:
        file.close()
        raise
    return file
