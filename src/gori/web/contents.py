"""What files for other programs hold of a machine or a run: bodies with their shapes, tyres, ground, and how they move.

One description for all writers, glTF and USD. It is the scene of the viewer without what has no counterpart there.
"""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gori.errors import FileError, FormatWarning, InputError
from gori.model import Model
from gori.record import Recording
from gori.spec.base import quaternion, rotation_to
from gori.spec.explain import warn
from gori.text.arguments import file_of
from gori.web.film import Film
from gori.web.poses import poses_of
from gori.web.scene import Scene
from gori.web.surfaces import Surface, surface_of

Rgba = tuple[float, float, float, float]
"""red, green, blue and opacity from 0 to 1, linear as renderers compute with them"""
GREY, TYRE, SAND, ROAD = "#9aa0a6", "#2f2f33", "#b9ab8c", "#9aa0a6"


class DrawnShape(NamedTuple):
    """A shape as it is drawn. `entry` has its type and numbers as in the scene of the viewer."""

    name: str
    entry: dict[str, Any]
    at: np.ndarray  # (3,) [m], frame of the body
    quaternion: np.ndarray  # (4,) w x y z
    colour: Rgba
    two_sided: bool
    colours: np.ndarray | None  # (n, 3) linear, of the vertices of a mesh
    hidden: bool  # collides, and visual shapes are drawn in its place


class DrawnBody(NamedTuple):
    name: str
    colour: Rgba
    shapes: list[DrawnShape]
    sticks: np.ndarray  # (n, 3) ends of lines from the origin of a body without shapes [m]


class Contents:
    """A Model where it stands, or a Recording with its motion.

    frames   of a Recording, at most; spread evenly over time

    times (n,) [s] and poses (n, bodies, 7) x y z w x y z, in the order of `bodies`; n is 1 of a Model
    """

    def __init__(self, what: Model | Recording, frames: int):
        if isinstance(what, Recording):
            film = Film(what, most_frames=frames)
            scene, rows, recording = film.scene(), film.rows, what
        elif isinstance(what, Model):
            scene, rows, recording = Scene(what), (), None
        else:
            raise InputError(f"a scene is made of a Model or a Recording, not of a {type(what).__name__}")
        self.scene, self.model, self.recording = scene, scene.model, recording
        self.head, self.title, self.size = scene.head(), scene.title or "machine", scene.extent.size
        if recording is None or not len(recording):
            self.times, q = np.zeros(1), scene.q[None]
        else:
            self.times, q = recording.time[rows], recording.q[rows]
        self.poses = poses_of(self.model, q, np.float64)
        self.bodies = [self._body(entry) for entry in scene.bodies]
        self.terrain = self._terrain()

    def surface(self, shape: DrawnShape) -> Surface:
        """Vertices and triangles of a shape, in its own frame."""
        return surface_of(shape.entry, self.scene.arrays, self.size)

    def warn_of_rest(self, form: str, has: set[str]) -> None:
        """Warnings of what cannot be drawn, and one that lists by name what a file of this format leaves out.

        has   of "particles", "springs" and "gates", walls that vanish: what the format has
        """
        for notice in self.scene.notices:
            warn(notice, FormatWarning)
        if self.recording is not None and len(self.times) < len(self.recording):
            words = f"{len(self.times)} of {len(self.recording)} samples are written"
            warn(f"{words}: more with a larger `frames` (--frames)", FormatWarning)
        spec = self.model.spec
        vanishing = [f"{name}.{key}" for name, body in spec.bodies.items() for key, shape in body.shapes.items()
                     if shape.until is not None]  # fmt: skip
        framed = self.recording is not None and bool(self.recording.frames)
        rest = {
            "particles, of which there are no frames" if "particles" in has else "particles": (
                [] if "particles" in has and framed else [*spec.particles, *spec.inlets]
            ),
            "springs and dampers": [] if "springs" in has else [spring["name"] for spring in self.head["springs"]],
            "that walls vanish": [] if "gates" in has or self.recording is None else vanishing,
        }
        if words := "; ".join(f"{what}: {', '.join(names)}" for what, names in rest.items() if names):
            warn(f"{form} leaves out {words}", FormatWarning)

    def _body(self, entry: dict[str, Any]) -> DrawnBody:
        colour = entry["colour"] or GREY
        shapes = [found for shape in entry["shapes"] if (found := self._shape(shape, colour)) is not None]
        number = self.scene.names.index(entry["name"])
        shapes += [_tyre(wheel) for wheel in self.head["wheels"] if wheel["body"] == number]
        return DrawnBody(entry["name"], linear(colour), shapes, np.reshape(entry["sticks"], (-1, 3)).astype(float))

    def _shape(self, entry: dict[str, Any], colour: Any) -> DrawnShape | None:
        colours = _linear(self.scene.arrays[entry["colours"]] / 255.0) if "colours" in entry else None
        own = "#ffffff" if colours is not None else entry.get("colour") or colour
        two_sided = bool(entry.get("hollow")) or entry["type"] in ("plane", "mesh")
        at, turn = np.array(entry["at"], float), np.array(entry["quaternion"], float)
        hidden = bool(entry.get("collision"))
        shape = DrawnShape(entry["name"], entry, at, turn, linear(own), two_sided, colours, hidden)
        return shape if len(self.surface(shape)[1]) else None

    def _terrain(self) -> DrawnShape | None:
        entry = self.head.get("terrain")
        if not entry:
            return None
        height = self.scene.arrays[entry["height"]].astype(float)
        ny, nx = height.shape
        x, y = np.meshgrid(
            entry["low"][0] + entry["cell"] * np.arange(nx), entry["low"][1] + entry["cell"] * np.arange(ny)
        )
        k = np.arange(nx * ny).reshape(ny, nx)
        a, b, c, d = k[:-1, :-1].ravel(), k[:-1, 1:].ravel(), k[1:, 1:].ravel(), k[1:, :-1].ravel()
        arrays = {
            "terrain.vertices": np.column_stack([x.ravel(), y.ravel(), height.ravel()]),
            "terrain.triangles": np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])]),
        }
        self.scene.arrays.update(arrays)
        mesh = {"type": "mesh"} | {name.removeprefix("terrain."): name for name in arrays}
        colour = linear(SAND if entry["soft"] else ROAD)
        return DrawnShape("terrain", mesh, np.zeros(3), np.array([1.0, 0, 0, 0]), colour, True, None, False)


def target(path: str | os.PathLike, suffixes: tuple[str, ...]) -> Path:
    """The name of a file to write, with one of these suffixes."""
    file = file_of(path)
    if file.suffix.lower() not in suffixes:
        raise InputError(f"a scene is written as {' or '.join(suffixes)}, not {file.suffix!r}")
    if not file.parent.is_dir():
        raise FileError("cannot be written: there is no such folder", file)
    return file


def _tyre(wheel: dict[str, Any]) -> DrawnShape:
    """A tyre about its axle; it does not turn, which nobody would see."""
    entry = {"type": "tyre", "radius": wheel["radius"], "width": wheel["width"]}
    turn = np.array(quaternion(rotation_to(tuple(np.asarray(wheel["axis"], float)))))
    return DrawnShape(wheel["name"], entry, np.array(wheel["at"], float), turn, linear(TYRE), False, None, False)


def linear(colour: Any) -> Rgba:
    """Linear shares of #rrggbb, or of sRGB shares of 1 with opacity."""
    parts = np.array(list(bytes.fromhex(colour[1:])) if isinstance(colour, str) else colour, float)
    parts /= 255.0 if isinstance(colour, str) else 1.0
    r, g, b = _linear(parts[:3]).round(5).tolist()
    return r, g, b, round(float(parts[3]), 4) if len(parts) > 3 else 1.0


def _linear(srgb: np.ndarray) -> np.ndarray:
    """IEC 61966-2-1."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
