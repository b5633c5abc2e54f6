"""Courses: ground for `vehicle.spec(terrain=...)`, a path along it, and gates to keep. Vehicles start at the origin,
heading along x.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.formats import soil as soil_of
from gori.manoeuvre import path as paths
from gori.manoeuvre.dimensions import Dimensions
from gori.manoeuvre.path import Path

ROOM = 6.0
"""soft soil around a course [m]: half the length of a vehicle, and some more"""
CELL = 0.05


@dataclass(frozen=True)
class Gate:
    """A lane between cones: x from start to end, y from right to left [m]."""

    start: float
    end: float
    right: float
    left: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.left + self.right)

    def cones(self) -> np.ndarray:
        """Where its cones stand, (n, 2) [m]: at both ends and between, about 5 m apart."""
        x = np.linspace(self.start, self.end, max(2, round((self.end - self.start) / 5.0) + 1))
        return np.array([(a, b) for b in (self.left, self.right) for a in x])


@dataclass(frozen=True)
class Course:
    """Ground, and what to do on it."""

    terrain: dict[str, Any] = field(default_factory=dict)
    """plain data of `gori.spec.Terrain`"""
    path: Path | None = None
    gates: tuple[Gate, ...] = ()
    length: float = 0.0
    """x where it ends [m]"""

    def on_soil(self, name: Any, cell: float = CELL, room: float = ROOM) -> "Course":
        """The same course with soft soil around its path."""
        if self.path is None:
            raise InputError("soft soil needs a course with a path")
        low, high = self.path.points.min(axis=0) - room, self.path.points.max(axis=0) + room
        soft = {"soil": soil_of(name), "at": low.tolist(), "size": (high - low).tolist(), "cell": cell}
        return Course(self.terrain | {"soft": soft}, self.path, self.gates, self.length)


def road(length: float) -> Course:
    """A straight on level ground [m]."""
    return Course({}, paths.straight(length + 20.0), length=length)


def bump(
    at: float = 10.0, length: float = 0.6, top: float | None = None, height: float = 0.08, runout: float = 40.0
) -> Course:
    """A trapezoid across the road that begins at x = `at` [m]; as it comes, 60 cm long and 8 cm high."""
    shape: dict[str, Any] = {"type": "trapezoid", "at": [at, 0.0], "length": length, "height": height}
    if top is not None:
        shape["top"] = top
    end = at + length + runout
    return Course({"features": {"bump": shape}}, paths.straight(end + 20.0), length=end)


def slope(grade: float, length: float = 100.0) -> Course:
    """A plane that rises by `grade` metres a metre along x."""
    if not math.isfinite(grade):
        raise InputError(f"grade must be a finite number, such as 0.2 for 20 %, not {grade!r}")
    return Course({"grade": [grade, 0.0]}, paths.straight(length + 20.0), length=length)


def circle(radius: float, left: bool = True) -> Course:
    """A circle through the origin on level ground, as ISO 4138 has it."""
    return Course({}, paths.circle(radius, left))


@lru_cache(maxsize=32)
def lane_change(
    width: float, standard: str = "3888-1", runup: float = 30.0, runout: float = 30.0, spare: float = 0.4
) -> Course:
    """The double lane change of ISO 3888-1, or the obstacle avoidance of ISO 3888-2, to the left and back.

        3888-1   gates of 15, 25 and 15 m, 30 and 25 m between them, 1.1 w + 0.25, 1.2 w + 0.25 and 1.3 w + 0.25 wide;
                 the right edge of the second lies 3.5 m to the left of that of the first
        3888-2   gates of 12, 11 and 12 m, 13.5 and 12.5 m between them, 1.1 w + 0.25, w + 1 and 3 m wide (more for
                 vehicles that 1.3 w + 0.25 asks it for); 1 m between the left edge of the first and the second

    The right edges of the first gate and the last are in line. The path is the smoothest that leaves `spare` [m] at
    both sides, or most of what a gate has if that is less.

    width   of the vehicle, w [m]
    runup   way from the origin to the first gate [m]
    """
    if not 0.5 <= width <= 5.0:
        raise InputError(f"the width of the vehicle must be 0.5 to 5 m, not {width!r}")
    first = 1.1 * width + 0.25
    right = -0.5 * first
    if standard == "3888-1":
        lengths, gaps = (15.0, 25.0, 15.0), (30.0, 25.0)
        lanes = ((right, first), (right + 3.5, 1.2 * width + 0.25), (right, 1.3 * width + 0.25))
    elif standard == "3888-2":
        lengths, gaps = (12.0, 11.0, 12.0), (13.5, 12.5)
        lanes = ((right, first), (right + first + 1.0, width + 1.0), (right, max(3.0, 1.3 * width + 0.25)))
    else:
        raise InputError(f"standard must be '3888-1' or '3888-2', not {standard!r}")
    gates, x = [], runup
    for (edge, wide), length, gap in zip(lanes, lengths, (*gaps, 0.0)):
        gates.append(Gate(x, x + length, edge, edge + wide))
        x += length + gap
    lanes = []
    for gate in gates:
        half = 0.5 * width + min(spare, 0.425 * (gate.left - gate.right - width))
        lanes.append((gate.start - 0.5, gate.end + 0.5, gate.right + half, gate.left - half))
    lanes[-1] = (lanes[-1][0], x + runout, *lanes[-1][2:])
    path = paths.through(lanes, 0.0, x + runout)
    return Course({}, path, tuple(gates), x)


def soft_strip(soil: Any, length: float = 40.0, width: float = 8.0, cell: float = CELL, grade: float = 0.0) -> Course:
    """A strip of soft soil along x, for go or no-go; the vehicle stands on it already.

    soil   a name of the library, a file, or a soil
    """
    if not (length > 0.0 and width > 0.0):
        raise InputError(f"a strip of soil needs a positive length and width, not {length!r} and {width!r} m")
    soft = {"soil": soil_of(soil), "at": [-ROOM, -0.5 * width], "size": [length + 2.0 * ROOM, width], "cell": cell}
    terrain: dict[str, Any] = {"soft": soft} | ({"grade": [grade, 0.0]} if grade else {})
    return Course(terrain, paths.straight(length + 20.0), length=length)


COURSES: dict[str, Callable[..., Course]] = {
    "bump": bump,
    "circle": circle,
    "lane_change": lane_change,
    "road": road,
    "slope": slope,
    "soft_strip": soft_strip,
}


def check_gates(course: Course, size: Dimensions, position: np.ndarray, yaw: np.ndarray) -> list[tuple[float, int]]:
    """Clearance of a vehicle in each gate: the smallest distance of its outline from the sides [m], negative if it left
    the gate, and the number of cones hit.

    position   (n, 2) of the chassis [m];  yaw (n,) [rad]
    """
    c, s = np.cos(yaw)[:, None], np.sin(yaw)[:, None]
    corners = size.outline
    # along the outline too: a side may touch a cone that no corner does
    edge = np.concatenate([np.linspace(corners[k], corners[(k + 1) % 4], 11)[:-1] for k in range(4)])
    x = position[:, :1] + c * edge[:, 0] - s * edge[:, 1]
    y = position[:, 1:] + s * edge[:, 0] + c * edge[:, 1]
    x0, x1, half = corners[:, 0].min(), corners[:, 0].max(), 0.5 * size.width
    found = []
    for gate in course.gates:
        inside = (x >= gate.start) & (x <= gate.end)
        margin = np.minimum(gate.left - y, y - gate.right)[inside].min(initial=math.inf)
        hit = 0
        for a, b in gate.cones():
            rx, ry = a - position[:, 0], b - position[:, 1]
            ahead, aside = c[:, 0] * rx + s[:, 0] * ry, c[:, 0] * ry - s[:, 0] * rx
            hit += bool(((ahead > x0) & (ahead < x1) & (np.abs(aside) < half)).any())
        found.append((float(margin) if inside.any() else -math.inf, hit))
    return found
