"""The domain of particles: a box in the frame of the body that they travel with; a particle that leaves it is lost.

If the Spec gives none, it is the box around all particles, finite walls, inlets and outlets at the start, wider
by twice its diagonal on every side. Where an infinite plane bears particles, or an outlet takes out what is below one,
nothing falls for ever: along such a plane the domain has no end.
"""

from typing import NamedTuple

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.kernels.particles import columns as t
from gori.model.particles.tables import ParticleTables, pose_frame
from gori.spec import Region

ENDLESS = 1e30
WIDER, LEAST_RADII = 2.0, 100.0
"""how much wider than what is there at the start: in diagonals of its box, at least in radii of the largest particle"""
NOT_GIVEN = "By default it is the initial bounding box of everything, enlarged"
CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


class Domain(NamedTuple):
    """Corners low and high (3,) [m] in the frame of the row of `home`, an index among those that carry walls.

    body    in whose frame the Spec gives it
    frame   R (3, 3) and p (3,) [m] of that body in the frame of the row
    given   whether the Spec gives it
    """

    home: int
    low: np.ndarray
    high: np.ndarray
    body: str
    frame: tuple[np.ndarray, np.ndarray]
    given: bool

    def outside(self, points: np.ndarray, poses: np.ndarray) -> np.ndarray:
        """Which points (n, 3) of the world are not in it."""
        R_H, p_H = pose_frame(poses[self.home])
        local = (points - p_H) @ R_H
        return np.asarray(((local < self.low) | (local > self.high)).any(axis=1))

    def left_by(self, point: np.ndarray, poses: np.ndarray) -> str:
        """Through which side a point of the world has left, in words."""
        R_H, p_H = pose_frame(poses[self.home])
        local = R_H.T @ (point - p_H)
        axis = int(np.argmax(np.maximum(self.low - local, local - self.high)))
        limit = self.low[axis] if local[axis] < self.low[axis] else self.high[axis]
        # that side as the body sees it, whose axes may be others than those of its row
        R, p = self.frame
        out = R[axis] * (1.0 if limit == self.high[axis] else -1.0)
        k = int(np.argmax(np.abs(out)))
        side, at = "xyz"[k], (limit - p[axis]) / R[axis, k]
        where = f", at {side} = {at:.4g} m" if abs(out[k]) > 1.0 - 1e-9 else ""
        return f" through its side {side}{'+' if out[k] > 0.0 else '-'}{where} of {self.body!r},"


def domain_of(tables: ParticleTables, poses: np.ndarray, sphere: np.ndarray) -> Domain:
    """As the Spec gives it, or around what is there at the start.

    poses    (nbody, N_POSE) of the carriers
    sphere   (n, 4)   centre and radius of all particles, world [m]
    """
    given = tables.domain
    frame = tables.bodies[given.body]
    if frame.carrier < 0:
        raise UnsupportedError("the domain is attached to a body without walls: give one of its shapes a material")
    if given.box is not None:
        corners = _corners(given.box, frame.R, frame.p)
        low, high = corners.min(axis=0), corners.max(axis=0)
    elif given.given:
        low, high = np.full(3, -ENDLESS), np.full(3, ENDLESS)
    else:
        low, high = _around(tables, poses, frame.carrier, sphere)
    return Domain(frame.carrier, low, high, given.body, (frame.R, frame.p), given.given)


def refuse_outside(domain: Domain, sphere: np.ndarray, poses: np.ndarray) -> None:
    """Refuse particles (n, 4) in the world that are not in the domain; poses (nbody, N_POSE) of the carriers."""
    outside = domain.outside(sphere[:, :3], poses)
    if outside.any():
        k = int(np.argmax(outside))
        side = domain.left_by(sphere[k, :3], poses).removeprefix(" through").rstrip(",")
        where = ", ".join(f"{x:.4g}" for x in sphere[k, :3])
        raise InputError(
            f"particle {k} at {where} starts outside of the domain, beyond{side}: give it another place, or a larger "
            "`domain`"
        )


def _around(tables: ParticleTables, poses: np.ndarray, home: int, sphere: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the domain where the Spec gives none; all is seen from `home`."""
    walls = tables.walls
    R_H, p_H = pose_frame(poses[home])

    def seen(R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return R_H.T @ R, R_H.T @ (p - p_H)

    centres = (sphere[:, :3] - p_H) @ R_H
    spans, planes = [(centres - sphere[:, 3:], centres + sphere[:, 3:])], []
    for k, pose in enumerate(poses):
        mine = walls.wall_i[:, t.BODY] == k
        spans += _spans(walls.wall_i[mine], walls.wall_f[mine], *seen(*pose_frame(pose)))
        planes += _planes(walls.wall_i[mine], walls.wall_f[mine], *seen(*pose_frame(pose)))
    for part in (*tables.inlets, *tables.outlets):
        if part.box is not None:
            corners = _corners(part.box, *seen(*tables.pose_of(part.box.body, poses)))
            spans.append((corners, corners))
    for outlet in tables.outlets:
        if outlet.below is not None:
            R, p = seen(*tables.pose_of(outlet.body, poses))
            planes.append((p + outlet.below * R[:, 2], R[:, 2]))

    low, high = (np.concatenate(ends) for ends in zip(*spans))
    low, high = low.min(axis=0), high.max(axis=0)
    corners, down = 0.5 * (low + high) + CORNERS * (high - low), R_H.T @ tables.gravity
    endless = np.zeros(3, bool)
    for point, normal in planes:
        # the box reaches to the plane: to where its corners have their feet
        feet = corners - ((corners - point) @ normal)[:, None] * normal
        low, high = np.minimum(low, feet.min(axis=0)), np.maximum(high, feet.max(axis=0))
        if normal @ down < -1e-9 * np.linalg.norm(down):
            endless |= np.abs(normal) < 1.0 - 1e-12
    wider = max(WIDER * float(np.linalg.norm(high - low)), LEAST_RADII * tables.radius)
    return np.where(endless, -ENDLESS, low - wider), np.where(endless, ENDLESS, high + wider)


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


def _corners(box: Region, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Corners (8, 3) of a box that is fixed to a body of the pose R, p."""
    R_S, p_S = box.pose()
    return (CORNERS * box.size) @ (R @ R_S).T + p + R @ p_S
