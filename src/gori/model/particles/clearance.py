"""Which points keep a distance from walls: room for particles between shapes that are in the way.

A solid is in the way with all that is inside it, a hollow shape or an open mesh with the surface that it has.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gori.model.particles.meshes import read_mesh
from gori.model.particles.smooth import divided
from gori.spec.base import rotation_to

FEW_POINTS = 8
"""points that are looked at one by one, without a tree"""
RAY = np.array([0.36235775, 0.41421356, 0.83490214])
"""direction of rays that count crossings: along no edge that anybody draws"""


class Obstacle(NamedTuple):
    """A shape in the way, and its frame in that of the points: R (3, 3), p (3,) [m].

    corners   as `corners_of`, where they are known: a file need not be read again
    """

    shape: Any
    R: np.ndarray
    p: np.ndarray
    corners: np.ndarray | None = None


def drawn_mesh(shape: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Vertices (n, 3) [m] and triangles (m, 3) of a gear or a mesh as drawn; None of other shapes."""
    if shape.type not in ("gear", "mesh"):
        return None
    return shape.mesh() if shape.type == "gear" else read_mesh(shape.file, shape.scale, shape.surface)


def corners_of(shape: Any) -> np.ndarray | None:
    """Triangles (n, 3, 3) [m] of the smooth surface of a gear or a mesh; None of other shapes."""
    mesh = drawn_mesh(shape)
    return None if mesh is None else divided(*mesh, np.radians(shape.crease_deg))


def clear_of(
    obstacles: Iterable[Obstacle], points: np.ndarray, keep: float | np.ndarray, shells: bool = False
) -> np.ndarray:
    """Whether each of the points (n, 3) [m] is at least `keep` [m], one or (n,), away from all obstacles.

    shells   of solids too only the surface is in the way, as it is for particles; behind a plane nothing can be
    """
    free, keep = np.ones(len(points), bool), np.broadcast_to(keep, len(points))
    for obstacle in obstacles:
        left = np.flatnonzero(free)
        if not len(left):
            break
        local = (points[left] - obstacle.p) @ obstacle.R
        thin = getattr(obstacle.shape, "hollow", False) or getattr(obstacle.shape, "surface", False)
        thin = thin or (shells and obstacle.shape.type != "plane")
        corners = corners_of(obstacle.shape) if obstacle.corners is None else obstacle.corners
        if corners is None:
            free[left] = _clear(obstacle.shape, local, keep[left], thin)
        else:
            free[left] = _clear_of_mesh(corners, local, keep[left], thin)
    return free


def _clear(shape: Any, points: np.ndarray, keep: np.ndarray, thin: bool) -> np.ndarray:
    match shape.type:
        case "plane":
            distance = points @ (np.array(shape.normal) / np.linalg.norm(shape.normal))
        case "box" if thin:
            distance = _from_faces(points, 0.5 * np.array(shape.size), shape.open)
        case "box":
            beyond = np.abs(points) - 0.5 * np.array(shape.size)
            distance = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
        case "sphere":
            distance = np.linalg.norm(points, axis=1) - shape.radius
        case _:
            turned = points @ rotation_to(shape.axis)
            along, across = turned[:, 2], np.hypot(turned[:, 0], turned[:, 1])
            if shape.type == "capsule":
                distance = np.hypot(along - np.clip(along, 0.0, shape.length), across) - shape.radius
            else:
                top = shape.radius if shape.type == "cylinder" else shape.top_radius
                distance = _from_frustum(along, across, shape.radius, top, shape.length, shape.open)
    return np.abs(distance) >= keep if thin else distance >= keep


def _from_faces(points: np.ndarray, half: np.ndarray, left_out: tuple[str, ...]) -> np.ndarray:
    """Distance from the faces of a hollow box."""
    distance = np.full(len(points), np.inf)
    for k, face in enumerate(("x-", "x+", "y-", "y+", "z-", "z+")):
        if face not in left_out:
            off = np.maximum(np.abs(points) - half, 0.0)
            off[:, k // 2] = points[:, k // 2] - (1 if k % 2 else -1) * half[k // 2]
            distance = np.minimum(distance, np.linalg.norm(off, axis=1))
    return distance


def _from_frustum(
    along: np.ndarray, across: np.ndarray, base: float, top: float, length: float, left_out: tuple[str, ...]
) -> np.ndarray:
    """Distance from a cylinder or cone, negative inside; in the plane through the axis it is a trapezium."""
    slant = np.array([length, top - base])
    share = np.clip((along * slant[0] + (across - base) * slant[1]) / (slant @ slant), 0.0, 1.0)
    distance = np.hypot(along - share * slant[0], across - base - share * slant[1])
    for end, z, radius in (("base", 0.0, base), ("top", length, top)):
        if end not in left_out:
            distance = np.minimum(distance, np.hypot(along - z, across - np.minimum(across, radius)))
    inside = (along > 0.0) & (along < length) & (across < base + (top - base) * along / length)
    return np.where(inside, -distance, distance)


def _clear_of_mesh(corners: np.ndarray, points: np.ndarray, keep: np.ndarray, thin: bool) -> np.ndarray:
    if not len(corners):
        return np.ones(len(points), bool)
    most = keep.max()
    low, high = corners.min(axis=(0, 1)) - most, corners.max(axis=(0, 1)) + most
    near = np.flatnonzero(((points > low) & (points < high)).all(axis=1))
    free = np.ones(len(points), bool)
    if len(near):
        free[near] = ~_touching(corners, points[near], keep[near])
        if not thin:
            free[near] &= ~_inside(corners, points[near])
    return free


def _pairs(centers: np.ndarray, radii: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of balls and of the points in them, of as many as there are."""
    if len(points) <= FEW_POINTS:
        away = centers[:, None] - points
        ball, point = np.nonzero(np.einsum("ijk,ijk->ij", away, away) <= radii[:, None] ** 2)
        return ball, point
    from scipy.spatial import KDTree  # slow to import

    found = KDTree(points).query_ball_point(centers, radii)
    return np.repeat(np.arange(len(centers)), [len(few) for few in found]), np.concatenate(found).astype(int)


def balls_around(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centres (n, 3) and radii (n,) of balls around triangles (n, 3, 3)."""
    middle = corners.mean(axis=1)
    return middle, np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)


def _touching(corners: np.ndarray, points: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Whether points are nearer than `keep` to any of the triangles (m, 3, 3)."""
    middle, radii = balls_around(corners)
    face, point = _pairs(middle, radii + keep.max(), points)
    close = distance_to_triangles(corners[face], points[point]) < keep[point]
    out = np.zeros(len(points), bool)
    out[point[close]] = True
    return out


def distance_to_triangles(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distance (n,) of each point (n, 3) from its own triangle (n, 3, 3) [m]."""
    edges = np.roll(corners, -1, axis=1) - corners
    seen = points[:, None] - corners
    share = np.clip(np.einsum("nki,nki->nk", seen, edges) / np.einsum("nki,nki->nk", edges, edges), 0.0, 1.0)
    rim = np.linalg.norm(seen - share[..., None] * edges, axis=2).min(axis=1)
    normal = np.cross(edges[:, 0], edges[:, 1])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    above = (np.einsum("nki,nki->nk", np.cross(normal[:, None], edges), seen) >= 0.0).all(axis=1)
    return np.where(above, np.abs(np.einsum("ni,ni->n", seen[:, 0], normal)), rim)


def _inside(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Whether a ray from each point crosses a closed surface (m, 3, 3) an odd number of times."""
    turn = rotation_to(tuple(RAY))
    flat, seen = corners @ turn, points @ turn  # rays along z
    middle = flat[:, :, :2].mean(axis=1)
    radii = np.linalg.norm(flat[:, :, :2] - middle[:, None], axis=2).max(axis=1)
    face, point = _pairs(middle, radii, seen[:, :2])
    a, ab, ac = flat[face, 0], flat[face, 1] - flat[face, 0], flat[face, 2] - flat[face, 0]
    d = seen[point] - a
    area = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (d[:, 0] * ac[:, 1] - d[:, 1] * ac[:, 0]) / area
        t = (ab[:, 0] * d[:, 1] - ab[:, 1] * d[:, 0]) / area
        crossed = (s >= 0.0) & (t >= 0.0) & (s + t < 1.0) & (s * ab[:, 2] + t * ac[:, 2] > d[:, 2])
    return np.bincount(point[crossed], minlength=len(points)) % 2 == 1
