"""One shape of contact, and convex hulls as such."""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import SpecError
from gori.kernels.contact.tables import HULL

HULL_VERTICES = 256
"""of a hull; of more the extreme ones are kept"""
FLAT = 1e-9
"""volume, of that of the box about it, at which a hull counts as flat"""


class Piece(NamedTuple):
    """A shape of contact, in the frame of the shape of the Spec that it belongs to.

    R, p        (3, 3) and (3,) [m] its own frame
    size        (3,) [m], by kind
    radius      how far the surface lies outside the core [m]
    half        (3,) half edges of the box about it [m]
    curvature   radius for the law of Hertz [m]; infinite: flat
    vertices    (n, 3) of a hull [m], own frame
    """

    kind: int
    R: np.ndarray
    p: np.ndarray
    size: Any
    radius: float
    half: Any
    curvature: float
    vertices: np.ndarray | None = None


def hull_piece(points: np.ndarray, what: str) -> Piece:
    """The convex hull of points (n, 3) [m], about its centre of volume; `what` names it in messages."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    points = np.asarray(points, float)
    if len(points) < 4:
        raise SpecError(f"{what} has {len(points)} vertices: a shape that collides needs at least four")
    if not np.isfinite(points).all():
        raise SpecError(f"{what} has a vertex that is not finite: export the file again")
    low, high = points.min(axis=0), points.max(axis=0)
    box = float(np.prod(high - low))
    flat = f"{what} is flat: a shape that collides needs a volume; use a thin box instead"
    try:
        if box == 0.0:
            raise SpecError(flat)
        hull = ConvexHull(points)
        if hull.volume <= FLAT * box:
            raise SpecError(flat)
        if len(hull.vertices) > HULL_VERTICES:
            hull = ConvexHull(extreme_points(points[hull.vertices], HULL_VERTICES))
    except QhullError:
        raise SpecError(flat) from None
    center = _center(hull.points, hull.simplices)
    vertices = hull.points[hull.vertices] - center
    half = np.abs(vertices).max(axis=0)
    narrow = 0.5 * float(np.ptp(vertices, axis=0).min())
    return Piece(HULL, np.eye(3), center, (0.0, 0.0, 0.0), 0.0, half, 0.5 * narrow, np.ascontiguousarray(vertices))


def extreme_points(points: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the points (n, 3): those that lie farthest in directions all around, the axes among them."""
    k = np.arange(most - 6)
    z = 1.0 - (2.0 * k + 1.0) / len(k)
    turn = np.pi * (3.0 - np.sqrt(5.0)) * k  # the golden angle: an even spiral over the sphere
    across = np.sqrt(1.0 - z * z)
    around = np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)
    directions = np.concatenate([np.eye(3), -np.eye(3), around])
    return points[np.unique(np.argmax(points @ directions.T, axis=0))]


def _center(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Centre of volume (3,) of a convex body, as the sum of tetrahedra from a point inside."""
    inside = points[np.unique(faces)].mean(axis=0)
    a, b, c = (points[faces[:, k]] - inside for k in range(3))
    volume = np.abs(np.einsum("ni,ni->n", a, np.cross(b, c)))
    return inside + volume @ (a + b + c) / (4.0 * volume.sum())
