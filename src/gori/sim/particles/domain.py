"""The domain of grains: a box in the frame of the body that they travel with; a grain that leaves it is lost.

If the Spec tells nothing of it, it is the box around all grains, finite walls, inlets and outlets at the start, wider
by twice its diagonal on every side. Where an infinite plane bears grains, or an outlet takes out what is below one,
nothing falls for ever: along such a plane the domain has no end.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as t
from gori.model.particles.carriers import row_frame
from gori.model.particles.walls import Walls
from gori.spec import GROUND, Region

if TYPE_CHECKING:
    from gori.sim.particles.particles import Grains

FAR = 1e30
WIDER, LEAST = 2.0, 100.0
"""how much wider than what is there at the start: in diagonals of its box, at least in radii of the largest grain"""
NOT_GIVEN = "As none is given, it is the box around all that was there at the start, with room around it"
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


class Domain(NamedTuple):
    """Corners low and high (3,) [m] in the frame of the row of `home`, an index among those that carry walls.

    body    that it is told of
    frame   R (3, 3) and p (3,) [m] of that body in the frame of the row
    given   whether the Spec tells it
    """

    home: int
    low: np.ndarray
    high: np.ndarray
    body: str
    frame: tuple[np.ndarray, np.ndarray]
    given: bool

    def outside(self, points: np.ndarray, poses: np.ndarray) -> np.ndarray:
        """Which points (n, 3) of the world are not in it."""
        R_H, p_H = _frame(poses[self.home])
        local = (points - p_H) @ R_H
        return np.asarray(((local < self.low) | (local > self.high)).any(axis=1))

    def left_by(self, point: np.ndarray, poses: np.ndarray) -> str:
        """Through which side a point of the world has left, in words."""
        R_H, p_H = _frame(poses[self.home])
        local = R_H.T @ (point - p_H)
        axis = int(np.argmax(np.maximum(self.low - local, local - self.high)))
        limit = self.low[axis] if local[axis] < self.low[axis] else self.high[axis]
        # that side as the body sees it, whose axes may be others than those of its row
        R, p = self.frame
        out = R[axis] * (1.0 if limit == self.high[axis] else -1.0)
        k = int(np.argmax(np.abs(out)))
        side, at = "xyz"[k], (limit - p[axis]) / R[axis, k]
        place = f", at {side} = {at:.4g} m" if abs(out[k]) > 1.0 - 1e-9 else ""
        return f" through its side {side}{'+' if out[k] > 0.0 else '-'}{place} of {self.body!r},"


def domain_of(grains: "Grains", place: np.ndarray, radius: float, walls: Walls) -> Domain:
    """As the Spec tells it, or around what is there at the start.

    place    (n, 4)   centre and radius of all grains, world [m]
    radius            of the largest grain that will ever come [m]
    """
    model, spec = grains.model, grains.model.spec
    parts = (*spec.particles.values(), *spec.inlets.values())
    told = [part.domain for part in parts if "domain" in part.model_fields_set]
    boxes = [domain for domain in told if domain is not None]
    body = boxes[0].body if boxes else grains.held_by[0] if grains.held_by else GROUND
    row, R, p = row_frame(model, body)
    home = _index(grains.rows, row)
    if boxes:
        corners = _corners(boxes[0], R, p)
        low, high = corners.min(axis=0), corners.max(axis=0)
    elif told:
        low, high = np.full(3, -FAR), np.full(3, FAR)
    else:
        low, high = _around(grains, home, place, radius, walls)
    return Domain(home, low, high, body, (R, p), bool(told))


def _around(
    grains: "Grains", home: int, place: np.ndarray, radius: float, walls: Walls
) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the domain where the Spec tells none; all is seen from `home`."""
    spec, poses = grains.model.spec, grains.poses()
    R_H, p_H = _frame(poses[home])

    def seen(R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return R_H.T @ R, R_H.T @ (p - p_H)

    centres = (place[:, :3] - p_H) @ R_H
    spans, planes = [(centres - place[:, 3:], centres + place[:, 3:])], []
    for k, pose in enumerate(poses):
        mine = walls.wall_i[:, t.BODY] == k
        spans += _spans(walls.wall_i[mine], walls.wall_f[mine], *seen(*_frame(pose)))
        planes += _planes(walls.wall_i[mine], walls.wall_f[mine], *seen(*_frame(pose)))
    for part in (*spec.inlets.values(), *spec.outlets.values()):
        if part.box is not None:
            corners = _corners(part.box, *seen(*grains.pose_of(part.box.body)))
            spans.append((corners, corners))
    for outlet in spec.outlets.values():
        if outlet.below is not None:
            R, p = seen(*grains.pose_of(outlet.body))
            planes.append((p + outlet.below * R[:, 2], R[:, 2]))

    low, high = (np.concatenate(ends) for ends in zip(*spans))
    low, high = low.min(axis=0), high.max(axis=0)
    corners, down = 0.5 * (low + high) + CORNERS * (high - low), R_H.T @ np.array(spec.gravity)
    endless = np.zeros(3, bool)
    for point, normal in planes:
        # the box reaches to the plane: to where its corners have their feet
        feet = corners - ((corners - point) @ normal)[:, None] * normal
        low, high = np.minimum(low, feet.min(axis=0)), np.maximum(high, feet.max(axis=0))
        if normal @ down < -1e-9 * np.linalg.norm(down):
            endless |= np.abs(normal) < 1.0 - 1e-12
    wider = max(WIDER * float(np.linalg.norm(high - low)), LEAST * radius)
    return np.where(endless, -FAR, low - wider), np.where(endless, FAR, high + wider)


def _planes(
    wall_i: np.ndarray, wall_f: np.ndarray, R: np.ndarray, p: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """A point and the normal of each infinite plane among walls, in a frame in which their body has the pose R, p."""
    rows = wall_f[wall_i[:, t.KIND] == t.PLANE]
    return [(R @ row[t.POINT : t.POINT + 3] + p, R @ row[t.NORMAL : t.NORMAL + 3]) for row in rows]


def _spans(wall_i: np.ndarray, wall_f: np.ndarray, R: np.ndarray, p: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lowest and highest corners (n, 3) of the finite primitives among walls, in such a frame."""
    finite = wall_i[:, t.KIND] != t.PLANE
    kind, numbers = wall_i[finite, t.KIND], wall_f[finite]
    vector = lambda column: numbers[:, column : column + 3] @ R.T  # noqa: E731
    start, found = vector(t.POINT) + p, []
    facets = kind >= t.RECT
    first, second = start + vector(t.E1), start + vector(t.E2)
    for corner in (start[facets], first[facets], second[facets], (first + second - start)[kind == t.RECT]):
        found.append((corner, corner))
    # what is round: two ends, each a ball or a disc across the axis
    axis, ball = vector(t.AXIS), (kind == t.SPHERE) | (kind == t.CAPSULE)
    across = np.where(ball[:, None], 1.0, np.sqrt(np.maximum(0.0, 1.0 - axis**2)))
    tip = start + numbers[:, t.LENGTH, None] * axis
    top = np.where(ball, numbers[:, t.RADIUS], numbers[:, t.TOP])
    for end, wide in ((start, numbers[:, t.RADIUS]), (tip, top)):
        half = wide[:, None] * across
        found.append(((end - half)[~facets], (end + half)[~facets]))
    return found


def _frame(pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position out of a row of poses."""
    return pose[: gr.POS].reshape(3, 3), pose[gr.POS : gr.VEL]


def _corners(box: Region, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Corners (8, 3) of a box that is fixed to a body of the pose R, p."""
    R_S, p_S = box.pose()
    return (CORNERS * box.size) @ (R @ R_S).T + p + R @ p_S


def _index(rows: np.ndarray, row: int) -> int:
    found = np.flatnonzero(rows == row)
    if not len(found):
        raise UnsupportedError("the domain is fixed to a body without walls: give one of its shapes a material")
    return int(found[0])
