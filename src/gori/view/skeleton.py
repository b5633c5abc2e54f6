"""A machine as a stick figure: shapes and wheels as lines, or lines between the joints; dots at joints, crosses at
cuts; the ground under wheels.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.model import Model
from gori.model.model import require_model
from gori.spec import GROUND, Spec
from gori.spec.base import rotation_to
from gori.spec.vehicle.terrain import Terrain
from gori.spec.vehicle.wheel import Wheel
from gori.view.ground import ground_lines

Pose = tuple[np.ndarray, np.ndarray]
"""rotation (3, 3) and position (3,) of a body in the world"""
PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
_TRAVEL = ("prismatic", "cylindrical", "helical")
_CIRCLE = np.array([(np.cos(a), np.sin(a), 0.0) for a in np.linspace(0.0, 2.0 * np.pi, 25)])


class Outline(NamedTuple):
    """What there is to draw, each as the name of a body and points (n, 3) in its frame [m]."""

    lines: list[tuple[str, np.ndarray]]
    slides: list[tuple[str, np.ndarray]]  # two after each other, parent and child: a line between them
    joints: list[tuple[str, np.ndarray]]
    cuts: list[tuple[str, np.ndarray]]


def outline(spec: Spec) -> Outline:
    """Lines of bodies (their shapes, or else from the origin to joints, cuts and frames) and wheels, joints, cuts."""
    ends: dict[str, list[np.ndarray]] = {name: [] for name in (GROUND, *spec.bodies)}
    slides, joints, cuts = [], [], []
    for group, found in ((spec.joints, joints), (spec.cuts, cuts)):
        for joint in group.values():
            for body, point in ((joint.parent, joint.at), (joint.child, joint.child_at)):
                ends[body].append(np.array(point, float))
                if group is spec.cuts or body == joint.child:
                    found.append((body, np.array([point], float)))
                if joint.type in _TRAVEL and group is spec.joints:
                    slides.append((body, np.array([point], float)))
    for frame in spec.frames.values():
        ends[frame.body].append(np.array(frame.at, float))
    lines = []
    for name, body in spec.bodies.items():
        shapes = [line for shape in body.drawn.values() for line in edges(shape)]
        sticks = [np.array([np.zeros(3), end]) for end in ends[name] if np.linalg.norm(end) > 1e-9]
        lines += [(name, line) for line in (shapes if name == GROUND else shapes or sticks)]
    for wheel in spec.wheels.values():
        lines += [(wheel.body, line) for line in _tread(wheel)]
    return Outline(lines, slides, joints, cuts)


def _tread(wheel: Wheel) -> list[np.ndarray]:
    """A wheel as a drum, in the frame of the body that carries it."""
    turn, across = rotation_to(wheel.axis), np.array([0.0, 0.0, 0.5 * wheel.tyre.width])
    rims = [wheel.tyre.radius * _CIRCLE + side * across for side in (-1.0, 1.0)]
    treads = [np.array([rims[0][k], rims[1][k]]) for k in range(0, len(_CIRCLE) - 1, 3)]
    return [line @ turn.T + np.array(wheel.at) for line in (*rims, *treads)]


def edges(shape: Any) -> list[np.ndarray]:
    """A shape as lines in the frame of its body; a mesh has none, nor has a plane."""
    R, p = shape.pose()
    lines = []
    match shape.type:
        case "capsule":
            lines = [np.array([np.zeros(3), shape.length * rotation_to(shape.axis)[:, 2]])]
        case "cylinder" | "cone":
            turn, along = rotation_to(shape.axis), np.array([0.0, 0.0, shape.length])
            top = shape.radius if shape.type == "cylinder" else shape.top_radius
            rims = [shape.radius * _CIRCLE, top * _CIRCLE + along]
            sides = [np.array([rims[0][k], rims[1][k]]) for k in (0, 6, 12, 18)]
            lines = [line @ turn.T for line in (*rims, *sides)]
        case "sphere":
            lines = [shape.radius * np.roll(_CIRCLE, k, axis=1) for k in range(3)]
        case "ellipsoid":
            lines = [np.array(shape.radii) * np.roll(_CIRCLE, k, axis=1) for k in range(3)]
        case "gear":
            vertices, faces = shape.mesh()
            half = len(vertices) // 2  # one side after the other
            side = faces[(faces < half).all(axis=1)]
            ends = np.sort(np.concatenate([side[:, [0, 1]], side[:, [1, 2]], side[:, [2, 0]]]), axis=1)
            pairs, count = np.unique(ends, axis=0, return_counts=True)
            rim = pairs[count == 1]
            lines = [vertices[pair] for pair in (*rim, *(rim + half))]
        case "box":
            corners = 0.5 * np.array(shape.size) * [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
            pairs = [(a, b) for a in range(8) for b in range(a) if bin(a ^ b).count("1") == 1]
            lines = [corners[[a, b]] for a, b in pairs]
    return [line @ R.T + p for line in lines]


def in_world(parts: list[tuple[str, np.ndarray]], pose: Callable[[str], Pose]) -> list[np.ndarray]:
    """Points of an Outline in the world (n, 3) [m]."""
    placed = []
    for body, points in parts:
        R, p = pose(body)
        placed.append(points @ R.T + p)
    return placed


class Skeleton:
    """An Outline in axes of matplotlib, which can be moved.

    view    "xy", "xz", "yz": what is seen of it in plane axes; "3d" in those of three dimensions
    color   of all bodies; default: each its own
    """

    def __init__(self, parts: Outline, ax: Any, view: str, color: str | None = None, label: str | None = None):
        from matplotlib.colors import is_color_like

        if color is not None and not is_color_like(color):
            raise InputError(f"{color!r} is not a colour of matplotlib")
        self._parts, self._view = parts, view
        count = 3 if view == "3d" else 2
        self._bodies = list(dict.fromkeys(body for body, _ in parts.lines))
        self._links = []
        for k, body in enumerate(self._bodies):
            style = {"color": color or f"C{k % 10}", "linewidth": 2.0, "solid_capstyle": "round"}
            self._links += ax.plot(*[[]] * count, **style, label=label if k == 0 else None, zorder=2, gid=body)
        (self._slides,) = ax.plot(*[[]] * count, color="tab:gray", linewidth=1.0, zorder=1)
        (self._joints,) = ax.plot(*[[]] * count, "o", color="black", markersize=3.5, zorder=3)
        (self._cuts,) = ax.plot(*[[]] * count, "x", color="tab:red", markersize=6.0, zorder=4)

    def place(self, pose: Callable[[str], Pose]) -> None:
        """Move it: pose(body) gives rotation and position."""
        gap = np.full((1, 3), np.nan)  # between lines of one body
        pieces: dict[str, list[np.ndarray]] = {body: [] for body in self._bodies}
        for (body, _), points in zip(self._parts.lines, in_world(self._parts.lines, pose)):
            pieces[body] += [points, gap]
        for artist, points in zip(self._links, pieces.values()):
            self._move(artist, np.concatenate(points))
        ends = in_world(self._parts.slides, pose)
        pairs = [np.concatenate([one, other, gap]) for one, other in zip(ends[::2], ends[1::2])]
        self._move(self._slides, np.concatenate([np.zeros((0, 3)), *pairs]))
        for artist, spots in ((self._joints, self._parts.joints), (self._cuts, self._parts.cuts)):
            self._move(artist, np.concatenate([np.zeros((0, 3)), *in_world(spots, pose)]))

    def _move(self, artist: Any, points: np.ndarray) -> None:
        if self._view == "3d":
            artist.set_data_3d(*points.T)
        else:
            artist.set_data(*points.T[list(PLANES[self._view])])


def add_ground(ax: Any, view: str) -> Callable[[Terrain, np.ndarray, np.ndarray], None]:
    """Lines of the ground in axes; what is returned moves them to a window between two corners."""
    style = {"linewidth": 0.7, "alpha": 0.6} if view == "3d" else {"linewidth": 1.2}
    (lines,) = ax.plot(*[[]] * (3 if view == "3d" else 2), color="tab:brown", zorder=0, **style)

    def move(terrain: Terrain, low: np.ndarray, high: np.ndarray) -> None:
        points = ground_lines(terrain, low, high, view)
        if view == "3d":
            lines.set_data_3d(*points.T)
        else:
            lines.set_data(*points.T[list(PLANES[view])])

    return move


def new_axes(figure: Any, view: str, place: tuple[int, int, int] = (1, 1, 1)) -> Any:
    """Axes for a view, with labels and equal scales."""
    if view not in ("3d", *PLANES):
        raise InputError(f"view must be '3d', {', '.join(map(repr, PLANES))}, not {view!r}")
    if view == "3d":
        ax = figure.add_subplot(*place, projection="3d")
        ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    else:
        ax = figure.add_subplot(*place, aspect="equal")
        ax.set(xlabel=f"{view[0]} [m]", ylabel=f"{view[1]} [m]")
    return ax


def draw(
    model: Model,
    q: Any = None,
    ax: Any = None,
    color: str | None = "tab:blue",
    label: str | None = None,
    view: str | None = None,
) -> Any:
    """Draw a Model at q (default: its start coordinates) into axes of matplotlib; makes them if there are none.

    view    "3d" (the default), or "xy", "xz", "yz" (the default in plane axes: "xy")
    color   of all bodies; None: each its own
    """
    import matplotlib.pyplot as plt

    require_model(model)
    q = model.q0 if q is None else q
    if view is None:
        view = "3d" if ax is None or ax.name == "3d" else "xy"
    if ax is None:
        ax = new_axes(plt.figure(figsize=(6, 6)), view)
    poses, parts, before = model.forward_kinematics(q), outline(model.spec), ax.has_data()

    def pose(body: str) -> Pose:
        return poses[body][:3, :3], poses[body][:3, 3]

    Skeleton(parts, ax, view, color, label).place(pose)
    cloud = [*in_world([*parts.lines, *parts.joints], pose)]
    if model.spec.terrain is not None:
        seen, margin = np.concatenate(cloud), np.array([1.0, 1.0, 0.0])
        corners = seen.min(axis=0) - margin, seen.max(axis=0) + margin
        add_ground(ax, view)(model.spec.terrain, *corners)
        cloud += [np.array(corners)]
    heavy = [(m, poses[name] @ [*com, 1.0]) for name, (m, com) in _masses(model).items() if m > 0.0]
    if heavy:
        points = np.array([p[:3] for _, p in heavy]).T
        sizes = 60.0 * np.sqrt([m for m, _ in heavy]) / np.sqrt(max(m for m, _ in heavy))
        seen = points if view == "3d" else points[list(PLANES[view])]
        ax.scatter(*seen, s=sizes, color=color or "tab:gray", alpha=0.35, linewidths=0.0)
    if view == "3d":
        ax.auto_scale_xyz(*np.concatenate(cloud).T, before)
    else:
        ax.relim()
        ax.autoscale_view()
    ax.set_aspect("equal")
    return ax


def _masses(model: Model) -> dict[str, tuple[float, np.ndarray]]:
    return {name: model.spec.bodies[name].inertial()[:2] for name in model.body_names}
