"""A path to drive along: a polyline on the ground, with its length, heading and curvature."""

import math
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError

PATIENCE = 4
"""pieces that may lie farther off than the nearest one so far, before the search ends"""
LONG = 8.0
"""pieces that are longer are straight; a row of shorter ones stands for a curve [m]"""
ROUND = 12.0
"""a corner between long pieces is an arc that begins this far before it, or half way along a piece [m]"""


class Foot(NamedTuple):
    """Where a place stands against a path."""

    along: float
    """way along the path [m]"""
    aside: float
    """distance from it [m], positive to its left"""
    heading: float
    """of the path there [rad], from the x axis"""
    curvature: float
    """[1/m], positive to the left"""


class Path:
    """A polyline on the ground. Short pieces stand for a curve: heading and curvature are those of their corners,
    linear between. Long ones are straight, and corners between them are rounded by arcs.

    points   (n, 2) x and y [m]
    closed   whether it goes on from the last point to the first
    round    how far before and after a corner between long pieces its arc begins and ends, at most [m]
    """

    def __init__(self, points: Any, closed: bool = False, round: float = ROUND):
        try:
            points = np.array(points, float)
        except (TypeError, ValueError):
            raise InputError("a path needs rows of x and y") from None
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
            raise InputError(f"a path needs at least two points, each x and y, not an array of shape {points.shape}")
        if closed and np.allclose(points[0], points[-1]):
            points = points[:-1]
        edges = np.diff(points, axis=0, append=points[:1]) if closed else np.diff(points, axis=0)
        lengths = np.hypot(*edges.T)
        if lengths.min() <= 1e-9:
            raise InputError(f"points {int(np.argmin(lengths))} and the next one of a path are the same")
        self.points, self.closed, self.length = points, closed, float(lengths.sum())
        headings = np.unwrap(np.arctan2(edges[:, 1], edges[:, 0]))
        corner, bend = _corners(headings, np.minimum(lengths, LONG), closed)
        # plain lists of floats: a driver asks for one place at a time, and NumPy would take longer
        self._n = len(lengths)
        self._x, self._y = points[:, 0].tolist(), points[:, 1].tolist()
        self._dx, self._dy = (edges / lengths[:, None]).T.tolist()
        self._piece, self._start = lengths.tolist(), (np.cumsum(lengths) - lengths).tolist()
        self._heading, self._bend = corner.tolist(), bend.tolist()
        self._own = headings.tolist()
        self._arcs = self._rounded(float(round))

    def foot(self, x: float, y: float, hint: int | None = None) -> tuple[Foot, int]:
        """The nearest place of the path, and the piece that it is on, as a hint for the next time.

        hint   piece of the last time: the search goes on from a little before it, and ends when pieces lead away. None:
               all pieces are looked at
        """
        n, best, found, share, worse = self._n, math.inf, 0, 0.0, 0
        first = 0 if hint is None else hint - 2 if self.closed else max(0, hint - 2)
        for k in range(first, first + n if self.closed else n):
            k %= n
            rx, ry, dx, dy = x - self._x[k], y - self._y[k], self._dx[k], self._dy[k]
            t = rx * dx + ry * dy
            t = 0.0 if t < 0.0 else min(t, self._piece[k])
            far = (rx - t * dx) ** 2 + (ry - t * dy) ** 2
            if far < best:
                best, found, share, worse = far, k, t, 0
            elif hint is not None:
                worse += 1
                if worse > PATIENCE:
                    break
        return self._at(found, share, x, y), found

    def _at(self, k: int, t: float, x: float, y: float) -> Foot:
        """The Foot of a place whose nearest point lies t along piece k; an open end goes straight on."""
        rx, ry = x - self._x[k], y - self._y[k]
        aside = self._dx[k] * ry - self._dy[k] * rx
        if not self.closed and ((t == 0.0 and k == 0) or (t == self._piece[k] and k == self._n - 1)):
            t = rx * self._dx[k] + ry * self._dy[k]
            if t < 0.0 or t > self._piece[k]:
                return Foot(self._start[k] + t, aside, self._heading[k + (t > 0.0)], 0.0)
        arc = self._arc_at(k, t)
        if arc is not None:
            return arc.foot(x, y)
        return Foot(self._start[k] + t, aside, *self._course(k, t))

    def _rounded(self, reach: float) -> list["Arc | None"]:
        """Arcs of the corners (pieces + 1); None where there is none."""
        n = self._n
        arcs: list[Arc | None] = [None] * (n + 1)
        for j in range(0 if self.closed else 1, n + 1 if self.closed else n):
            before, after = (j - 1) % n, j % n
            turn = math.remainder(self._own[after] - self._own[before], 2.0 * math.pi)
            room = min(reach, 0.5 * self._piece[before], 0.5 * self._piece[after])
            if min(self._piece[before], self._piece[after]) > LONG and 1e-6 < abs(turn) < 3.0 and room > 0.0:
                at = self._start[before] + self._piece[before] if j else 0.0
                arcs[j] = Arc.at(self._x[after], self._y[after], self._own[before], turn, room, at)
        return arcs

    def _arc_at(self, k: int, t: float) -> "Arc | None":
        """The arc that takes the place of piece k at t [m] along it, if there is one."""
        first, last = self._arcs[k], self._arcs[k + 1]
        if first is not None and t < first.reach:
            return first
        return last if last is not None and t > self._piece[k] - last.reach else None

    def _course(self, k: int, t: float) -> tuple[float, float]:
        """Heading and curvature at t [m] along piece k, off the arcs."""
        first, last, own, length = self._heading[k], self._heading[k + 1], self._own[k], self._piece[k]
        if length <= LONG:
            s = t / length
            return first + s * (last - first), self._bend[k] + s * (self._bend[k + 1] - self._bend[k])
        # next to a curve of short pieces a straight bends a little at its end
        near = 0.5 * LONG
        if t < near and self._arcs[k] is None:
            return first + t / near * (own - first), self._bend[k]
        if t > length - near and self._arcs[k + 1] is None:
            return last - (length - t) / near * (last - own), self._bend[k + 1]
        return own, 0.0

    def ahead(self, along: float, hint: int | None = None) -> tuple[float, float, float, float]:
        """x, y, heading and curvature at a way along the path; beyond an open end it goes straight on."""
        n, k = self._n, hint or 0
        if self.closed:
            along %= self.length
        if along < self._start[k]:
            k = 0
        while k < n - 1 and along > self._start[k] + self._piece[k]:
            k += 1
        t = along - self._start[k]
        if (arc := self._arc_at(k, t)) is not None:
            return arc.place(along)
        heading, bend = self._course(k, min(max(t, 0.0), self._piece[k]))
        if not 0.0 <= t <= self._piece[k]:
            bend = 0.0
        return self._x[k] + t * self._dx[k], self._y[k] + t * self._dy[k], heading, bend


class Arc(NamedTuple):
    """What rounds a corner: from `reach` before it to `reach` after it, touching both pieces."""

    x: float
    y: float
    """of its centre"""
    radius: float
    side: float
    """1.0 to the left, -1.0 to the right"""
    heading: float
    """where it begins [rad]"""
    turn: float
    """by how much it turns, > 0 [rad]"""
    reach: float
    along: float
    """of the corner, along the path [m]"""

    @classmethod
    def at(cls, x: float, y: float, heading: float, turn: float, reach: float, along: float) -> "Arc":
        """Of a corner at x, y, after a piece with this heading, that turns by `turn`."""
        side, c, s = math.copysign(1.0, turn), math.cos(heading), math.sin(heading)
        radius = reach / math.tan(0.5 * abs(turn))
        return cls(
            x - reach * c - side * radius * s,
            y - reach * s + side * radius * c,
            radius,
            side,
            heading,
            abs(turn),
            reach,
            along,
        )

    def foot(self, x: float, y: float) -> Foot:
        """Of a place next to it."""
        rx, ry, c, s = x - self.x, y - self.y, math.cos(self.heading), math.sin(self.heading)
        angle = math.atan2(rx * c + ry * s, self.side * (rx * s - ry * c))
        angle = min(self.turn, max(0.0, angle))
        aside = self.side * (self.radius - math.hypot(rx, ry))
        return Foot(self._way(angle), aside, self.heading + self.side * angle, self.side / self.radius)

    def place(self, along: float) -> tuple[float, float, float, float]:
        """x, y, heading and curvature at a way along the path."""
        angle = self.turn * min(1.0, max(0.0, 0.5 * (along - self.along + self.reach) / self.reach))
        heading = self.heading + self.side * angle
        c, s = math.cos(heading), math.sin(heading)
        x, y = self.x + self.side * self.radius * s, self.y - self.side * self.radius * c
        return x, y, heading, self.side / self.radius

    def _way(self, angle: float) -> float:
        """Along the path: of its length, that of the two pieces that it replaces."""
        return self.along - self.reach + 2.0 * self.reach * angle / self.turn


def _corners(headings: np.ndarray, reach: np.ndarray, closed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Heading and curvature at each corner (pieces + 1,): between both pieces, and the turn over half of each; of long
    ones less.
    """
    if closed:
        jump = math.remainder(headings[0] - headings[-1], 2.0 * math.pi)  # where the ends meet
        headings = np.concatenate([[headings[0] - jump], headings, [headings[-1] + jump]])
        reach = np.concatenate([[reach[-1]], reach, [reach[0]]])
    else:
        headings = np.concatenate([headings[:1], headings, headings[-1:]])
        reach = np.concatenate([reach[:1], reach, reach[-1:]])
    turns, over = np.diff(headings), reach[:-1] + reach[1:]
    return headings[:-1] + reach[:-1] / over * turns, 2.0 * turns / over


def straight(length: float, start: float = -20.0) -> Path:
    """Along the x axis [m]."""
    return Path([(start, 0.0), (start + length, 0.0)])


def circle(radius: float, left: bool = True, pieces: int = 360) -> Path:
    """A closed circle through the origin, which it leaves along x."""
    if not (radius > 0.0 and math.isfinite(radius)):
        raise InputError(f"the radius of a circle must be positive, is {radius!r} m")
    side = 1.0 if left else -1.0
    angle = np.arange(pieces) * 2.0 * np.pi / pieces
    return Path(np.column_stack([radius * np.sin(angle), side * radius * (1.0 - np.cos(angle))]), closed=True)


def through(lanes: Any, start: float, end: float, stride: float = 2.0, soft: float = 5.0) -> Path:
    """The smoothest line along x that keeps to lanes: of all y(x) within them, that with the smallest

        sum of y''^2 + soft^2 y'''^2

    so it uses their width as a driver does. It begins straight, in the middle of the first lane.

    lanes        rows of x from, x to, lowest y, highest y [m]
    start, end   x of its ends [m];  stride of the points that are sought [m]
    soft         length over which curvature may change [m]
    """
    from scipy.interpolate import CubicSpline
    from scipy.optimize import lsq_linear

    lanes = np.array(lanes, float)
    if lanes.ndim != 2 or lanes.shape[1] != 4 or not (lanes[:, 3] > lanes[:, 2]).all():
        raise InputError("lanes of a path are rows of first x, last x, lowest y, highest y, the last one larger")
    first = 0.5 * (lanes[0, 2] + lanes[0, 3])
    x = np.arange(start, end + 0.5 * stride, stride)
    low, high = np.full(len(x), -np.inf), np.full(len(x), np.inf)
    for a, b, bottom, top in lanes:
        inside = (x > a - stride) & (x < b + stride)  # also the next points beyond its ends
        low[inside], high[inside] = bottom, top
    bend = np.diff(np.eye(len(x)), 2, axis=0) / stride**2
    rows = np.concatenate([bend, soft * np.diff(bend, axis=0) / stride])
    # the first three points are given: straight ahead
    found = lsq_linear(rows[:, 3:], -rows[:, :3].sum(axis=1) * first, (low[3:], high[3:]), method="bvls")
    curve = CubicSpline(x, np.concatenate([[first] * 3, found.x]))
    fine = np.linspace(start, x[-1], 4 * len(x) - 3)
    return Path(np.column_stack([fine, curve(fine)]))
