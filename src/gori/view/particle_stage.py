"""A stage for particles: a figure with one view and one scale of colours, for a still or all pictures of a film."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypedDict

import numpy as np

from gori.errors import InputError
from gori.record import Frames, ParticleFrame
from gori.view.paint import Camera, camera_of, hidden, paint
from gori.view.walls import Lines, placed, vanishing_times, wall_lines

COLOURS: dict[str, tuple[Any, str]] = {
    "speed": (("#d8c9a6", "#efad5e", "#d8504d", "#6d1b62"), "speed [m/s]"),  # what rests looks like sand
    "radius": ("cividis", "radius [m]"),
    "id": ("turbo", "id"),
}
"""tints or a colour map, and a label"""
KINDS = {"material": "materials", "group": "groups"}
"""what has a colour for each of its names, and where these stand in a frame"""
DPI = 100
_SAMPLED = 40
"""frames of a film that decide on its limits"""
_EDGE, _BAR, _LEAST = 0.35, 1.0, 2.6
"""margin around a picture, and width of the scale of colours; least height [inches]"""

Pair = tuple[Any, Any]
"""two vectors (3,)"""


class Appearance(TypedDict, total=False):
    """How particles are shown.

    walls    Model or Spec whose shapes are drawn, or [(body, points (n, 3))]; default: those in the file; False: none
    colour   "speed", "radius", "id", "material" or "group"
    view     azimuth and elevation of the eye [deg]; (-90, 0) looks along y, (-90, 90) from above
    cut      (point, normal): particles on the side to which the normal points are left out
    limits   of the colours; default: from 0 for the speed, else from the least to the largest
    box      (low, high), corners of what is seen [m]; default: walls and particles, but a few that flew away
    size     of the picture, the longer side [inches]; 100 pixels each
    """

    walls: Any
    colour: str
    view: tuple[float, float]
    cut: Pair | None
    limits: tuple[float, float] | None
    box: Pair | None
    size: float


class ParticleStage:
    """A figure in which frames are shown one after the other, with one view and one scale of colours."""

    def __init__(
        self,
        particles: ParticleFrame | Frames,
        walls: Any = None,
        colour: str = "speed",
        view: tuple[float, float] = (-60.0, 25.0),
        cut: Pair | None = None,
        limits: tuple[float, float] | None = None,
        box: Pair | None = None,
        size: float = 8.0,
    ):
        if colour not in (*COLOURS, *KINDS):
            raise InputError(f"colour must be one of {', '.join(map(repr, (*COLOURS, *KINDS)))}, not {colour!r}")
        if walls is None and isinstance(particles, Frames):
            walls = particles.spec
        few = _few(particles)
        self.colour, self.cut = colour, None if cut is None else _plane(cut)
        bodies = tuple(few[0].poses) or None
        self.lines, gone = wall_lines(walls, bodies), vanishing_times(walls)
        self._later = [(at, wall_lines(walls, bodies, at)) for at in gone]  # lines from a time on
        low, high = _bounds(few, self.lines) if box is None else (np.array(corner, float) for corner in box)
        if not (high > low).all():
            raise InputError(f"box must be two corners, the second greater than the first, not {low} and {high}")
        self.camera = camera_of(view, low, high, round(size * DPI))
        self.limits = limits or _limits(few, colour)
        self._set_up(few[0])

    def _set_up(self, frame: ParticleFrame) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        camera = self.camera
        width, height = camera.width / DPI, camera.height / DPI
        whole = width + 2.0 * _EDGE + _BAR, max(height + 2.0 * _EDGE, _LEAST)
        self.figure = Figure(figsize=whole, facecolor="white")
        FigureCanvasAgg(self.figure)
        place = (_EDGE / whole[0], _EDGE / whole[1], width / whole[0], height / whole[1])
        self.ax: Any = self.figure.add_axes(place)
        self.ax.set_axis_off()
        extent = (camera.low[0], camera.high[0], camera.low[1], camera.high[1])
        blank = np.zeros((camera.height, camera.width, 4))
        self._image = self.ax.imshow(blank, extent=extent, interpolation="none", zorder=2)
        (self._behind,) = self.ax.plot([], [], color="0.35", linewidth=0.8, alpha=0.3, zorder=3)
        (self._front,) = self.ax.plot([], [], color="0.15", linewidth=1.1, zorder=4)
        self.ax.set(xlim=extent[:2], ylim=extent[2:])
        self._time = self.figure.text(0.5, 1.0 - 0.5 * _EDGE / whole[1], "", ha="center", va="center")
        strip = ((_EDGE + width + 0.1) / whole[0], 1.1 / whole[1], 0.16 / whole[0], 1.0 - (1.1 + _EDGE) / whole[1])
        self._colours = self._scale_of_colours(frame, self.figure.add_axes(strip))
        self._scale_of_length(whole[1])

    def _scale_of_colours(self, frame: ParticleFrame, ax: Any) -> Callable[[ParticleFrame], np.ndarray]:
        import matplotlib
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize
        from matplotlib.patches import Patch

        if (kind := self.colour) in KINDS:
            table = np.array(matplotlib.colormaps["tab10"](np.arange(10)))[:, :3]
            known, numbers = getattr(frame, KINDS[kind]), getattr(frame, kind)
            names = known or tuple(f"{kind} {k}" for k in range(int(numbers.max(initial=0)) + 1))
            used = [k for k in range(len(names)) if not known or (numbers == k).any()]
            patches = [Patch(color=table[k % 10], label=names[k]) for k in used or range(len(names))]
            ax.set_axis_off()
            ax.legend(handles=patches, loc="center left", bbox_to_anchor=(0.0, 0.5), frameon=False, borderpad=0.0)
            return lambda frame: table[getattr(frame, kind) % 10]
        tints, label = COLOURS[self.colour]
        tints = tints if isinstance(tints, str) else LinearSegmentedColormap.from_list("particles", tints)
        scale = ScalarMappable(Normalize(*self.limits, clip=True), tints)
        self.figure.colorbar(scale, cax=ax, label=label)
        ax.tick_params(labelsize="small")
        return lambda frame: np.asarray(scale.to_rgba(_values(frame, self.colour)))[:, :3]

    def _scale_of_length(self, height: float) -> None:
        """A bar of a round length, and the directions of the axes."""
        from matplotlib.lines import Line2D

        camera, x, y = self.camera, _EDGE, 0.5 * _EDGE
        length = _round(0.22 * float(camera.high[0] - camera.low[0]))
        far = x + length * camera.scale / DPI
        width = self.figure.get_figwidth()
        line = {"transform": self.figure.transFigure, "color": "0.2", "linewidth": 2.5, "solid_capstyle": "butt"}
        self.figure.add_artist(Line2D([x / width, far / width], [y / height] * 2, **line))
        words = f"{length:g} m" if length >= 0.1 else f"{1e3 * length:g} mm"
        self.figure.text((far + 0.08) / width, y / height, words, va="center", fontsize="small")
        centre = np.array([width - 0.5 * _BAR - 0.2, 0.5])
        for axis, tint, way in zip("xyz", ("tab:red", "tab:green", "tab:blue"), np.eye(3)):
            tip = 0.28 * camera.see(way[None])[0, :2]
            if np.linalg.norm(tip) > 0.05:
                ends = np.array([centre, centre + tip]) / [width, height]
                thin = {**line, "color": tint, "linewidth": 1.5}
                self.figure.add_artist(Line2D(*ends.T, **thin))
                at = (centre + tip * (1.0 + 0.1 / np.linalg.norm(tip))) / [width, height]
                self.figure.text(at[0], at[1], axis, color=tint, ha="center", va="center", fontsize="small")

    def show(self, frame: ParticleFrame) -> None:
        """Show one frame."""
        seen = frame
        if self.cut is not None:
            point, normal = self.cut
            seen = frame.where((frame.position - point) @ normal <= 0.0)
        image, depth = paint(self.camera, seen.spheres, self._colours(seen))
        self._image.set_data(np.clip(image, 0.0, 1.0))
        lines = [self.lines, *(lines for at, lines in self._later if at <= frame.time)][-1]
        parts = _split(self.camera, depth, placed(lines, frame.poses))
        for artist, points in zip((self._behind, self._front), parts):
            artist.set_data(points[:, 0], points[:, 1])
        self._time.set_text(f"t = {frame.time:.3f} s     {len(frame):,} particles".replace(",", "\u2009"))


def _split(camera: Camera, depth: np.ndarray, lines: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Lines as the parts behind particles and those in front, points (n, 2) with nan between them."""
    step, gap, parts = 3.0 / camera.scale, (np.nan, np.nan), ([np.zeros((0, 2))], [np.zeros((0, 2))])
    for line in lines:
        points = camera.see(line)
        for start, end in pairwise(points):
            pieces = 1 + int(np.linalg.norm((end - start)[:2]) / step)
            path = start + (end - start) * np.linspace(0.0, 1.0, pieces + 1)[:, None]
            behind = hidden(camera, depth, 0.5 * (path[1:] + path[:-1]))
            turns = [0, *(1 + np.flatnonzero(np.diff(behind))), pieces]
            for first, last in pairwise(turns):
                parts[0 if behind[first] else 1].append(np.array([*path[[first, last], :2], gap]))
    return np.concatenate(parts[0]), np.concatenate(parts[1])


def _values(frame: ParticleFrame, colour: str) -> np.ndarray:
    return {"speed": frame.speed, "radius": frame.radius, "id": frame.id.astype(float)}[colour]


def _limits(few: list[ParticleFrame], colour: str) -> tuple[float, float]:
    """Of the frames that are sampled; of the speed, not the few that are very fast."""
    if colour in KINDS:
        return 0.0, 1.0
    values = np.concatenate([_values(frame, colour) for frame in few])
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0, 1.0
    low, high = (0.0, np.quantile(values, 0.995)) if colour == "speed" else (values.min(), values.max())
    return float(low), float(high) if high > low else float(low) + max(abs(float(low)), 1e-9) * 1e-3


def _bounds(few: list[ParticleFrame], lines: Lines) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a box that holds walls and particles, but at most one of a thousand that flew away."""
    corners = []
    for frame in few:
        spheres = frame.spheres
        spheres = spheres[np.isfinite(spheres).all(axis=1)]
        if len(spheres):
            far = 0.001 if len(spheres) > 1000 else 0.0
            corners.append(np.quantile(spheres[:, :3] - spheres[:, 3:], far, axis=0, method="lower"))
            corners.append(np.quantile(spheres[:, :3] + spheres[:, 3:], 1.0 - far, axis=0, method="higher"))
        corners += [point for line in placed(lines, frame.poses) for point in (line.min(axis=0), line.max(axis=0))]
    if not corners:
        raise InputError("nothing to draw: no particles and no walls; give box=(low, high)")
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    return low, np.maximum(high, low + 1e-9)


def _few(particles: ParticleFrame | Frames) -> list[ParticleFrame]:
    """The frame of a still, or frames spread over a film."""
    if isinstance(particles, ParticleFrame):
        return [particles]
    if not len(particles):
        raise InputError(f"nothing to draw: {particles.path} contains no frames")
    which = np.unique(np.linspace(0, len(particles) - 1, _SAMPLED).round().astype(int))
    return [particles[int(k)] for k in which]


def _plane(cut: Pair) -> tuple[np.ndarray, np.ndarray]:
    try:
        point, normal = (np.array(vector, float).reshape(3) for vector in cut)
    except (TypeError, ValueError):
        raise InputError(f"cut must be a point and a normal, such as ((0, 0, 0), (0, -1, 0)), not {cut!r}") from None
    return point, normal


def _round(length: float) -> float:
    """1, 2 or 5 times a power of ten, not above the length."""
    power = 10.0 ** math.floor(math.log10(length))
    return next(power * factor for factor in (5.0, 2.0, 1.0) if power * factor <= length * (1.0 + 1e-9))
