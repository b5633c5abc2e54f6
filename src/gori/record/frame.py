"""Grains at moments of a run, read from the file that `frames.py` writes."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import h5py
import numpy as np

from gori.errors import FileError, InputError
from gori.formats.yaml import read_yaml
from gori.kernels.particles.tables import MASS, MATERIAL, VX, WX
from gori.record.growing import read_status
from gori.spec import Spec

FORMAT, VERSION, GRAINS = "gori frames", 1, "grains"
N_MOTION = MATERIAL + 1


@dataclass(frozen=True)
class Frame:
    """Grains at one moment, world axes.

    time       [s]
    ident      (N,) increasing
    place      (N, 4) x y z r [m]
    velocity   (N, 3) [m/s]
    spin       (N, 3) [rad/s]
    mass       (N,) [kg]
    material   (N,) row of `materials`
    poses      (4, 4) of each body by its name
    materials  names
    """

    time: float
    ident: np.ndarray
    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    mass: np.ndarray
    material: np.ndarray
    poses: dict[str, np.ndarray] = field(default_factory=dict)
    materials: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        place: Any,
        motion: Any = None,
        ident: Any = None,
        time: float = 0.0,
        poses: dict[str, np.ndarray] | None = None,
        materials: Sequence[str] = (),
    ) -> "Frame":
        """A Frame of plain arrays: place (N, 4) x y z r, motion (N, 8) velocity, mass, spin, material.

        Without motion the grains rest, and their mass is their volume.
        """
        place = np.array(place, np.float64)
        if place.ndim != 2 or place.shape[1] != 4:
            raise InputError(f"place must be rows of x y z r, not {place.shape}")
        count = len(place)
        if motion is None:
            moving = np.zeros((count, N_MOTION))
            moving[:, MASS] = 4.0 / 3.0 * np.pi * place[:, 3] ** 3
        else:
            moving = np.array(motion, np.float64)
        name = np.arange(count) if ident is None else np.array(ident, np.int64)
        check(name, place, moving)
        velocity, spin = moving[:, VX : VX + 3], moving[:, WX : WX + 3]
        material = moving[:, MATERIAL].astype(np.int64)
        return cls(float(time), name, place, velocity, spin, moving[:, MASS], material, poses or {}, tuple(materials))

    def __len__(self) -> int:
        return len(self.ident)

    @property
    def radius(self) -> np.ndarray:
        """(N,) [m]"""
        return self.place[:, 3]

    @property
    def speed(self) -> np.ndarray:
        """(N,) [m/s]"""
        return np.linalg.norm(self.velocity, axis=1)

    def where(self, keep: np.ndarray) -> "Frame":
        """Only some of the grains, by a mask (N,) or row numbers."""
        arrays = (self.ident, self.place, self.velocity, self.spin, self.mass, self.material)
        return Frame(self.time, *(array[keep] for array in arrays), poses=self.poses, materials=self.materials)


class Frames:
    """The frames in a file, also of a run that was killed or still goes on; each is read when it is asked for.

    `frames[k]` is a Frame, a slice of frames is Frames again. `times` (n,) [s]; `bodies` and `materials` are names;
    `info` are the notes on the run, with "complete"; `decimate` n says that only each n-th grain is there.
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        with open_frames(path) as file:
            count, complete = read_status(file)
            header = json.loads(file["header"].asstr()[()])
            self._spec = file["spec"].asstr()[()]
            self.times = np.array(file["time"][:count])
            self._rows = np.array(file["rows"][:count])
        self._index = np.arange(count)
        self.bodies, self.materials = tuple(header["bodies"]), tuple(header["materials"])
        self.decimate, self.info = int(header["decimate"]), header["info"] | {"complete": complete}

    @property
    def spec(self) -> Spec | None:
        """The description of the machine, where the file holds it."""
        return read_yaml(self.path, self._spec) if self._spec else None

    @property
    def counts(self) -> np.ndarray:
        """Grains in each frame, (n,)"""
        return self._rows[self._index, 1]

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[Frame]:
        return (self[k] for k in range(len(self)))

    @overload
    def __getitem__(self, k: int) -> Frame: ...
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
        first, count = (int(number) for number in self._rows[row])
        with open_frames(self.path) as file:
            grains, poses = file[GRAINS][first : first + count], file["poses"][row]
        place, material = np.array(grains["place"], np.float64), grains["material"].astype(np.int64)
        velocity, spin, mass = (np.array(grains[name], np.float64) for name in ("velocity", "spin", "mass"))
        by_name = dict(zip(self.bodies, poses))
        ident = np.array(grains["ident"])
        return Frame(float(self.times[k]), ident, place, velocity, spin, mass, material, by_name, self.materials)

    def at(self, time: float) -> Frame:
        """The frame nearest to a time [s]."""
        if not len(self):
            raise InputError(f"{self.path} holds no frames yet")
        return self[int(np.argmin(np.abs(self.times - time)))]

    def to_vtkhdf(self, path: str | os.PathLike, overwrite: bool = False) -> Path:
        """Write all frames to a file for ParaView; see `gori.record.vtkhdf`."""
        from gori.record.vtkhdf import VtkHdf

        with VtkHdf(path, overwrite) as file:
            for frame in self:
                file.append(frame)
        return Path(path)


def check(ident: np.ndarray, place: np.ndarray, motion: np.ndarray) -> None:
    """Refuse arrays that do not belong together."""
    count = len(ident)
    for name, array, shape in (
        ("ident", ident, (count,)), ("place", place, (count, 4)), ("motion", motion, (count, N_MOTION))
    ):  # fmt: skip
        if array.shape != shape:
            raise InputError(f"{name} must be {' x '.join(map(str, shape))}, not {array.shape}")


def open_frames(path: str | os.PathLike) -> Any:
    """The file, an h5py.File to read, also while a run writes on it."""
    try:
        file: Any = h5py.File(path, "r", locking=False)
    except FileNotFoundError:
        raise FileError("there is no such file", path) from None
    except OSError as error:
        raise FileError(f"cannot be read as HDF5: {error}", path) from None
    words = ""
    if file.attrs.get("format") != FORMAT:
        file_format = file.attrs.get("format", "something else")
        words = f"holds no frames of grains, but {file_format!r}"
    elif (version := int(file.attrs["version"])) != VERSION:
        words = f"version {version} of the format is not known; this Gori reads {VERSION}"
    if words:
        file.close()
        raise FileError(words, path)
    return file
