"""How much room a motion takes, and from where it is best seen."""

from typing import Any, NamedTuple

import numpy as np

from gori.spec.base import rotation
from gori.web.poses import rotations

FLAT = 1e-5
"""depth of a motion, by its size, that counts as none (poses are in single precision)"""
FAR = 3.0
"""a vehicle that travels so many times its own size is followed by the camera"""
PLANES = {"xy": 2, "xz": 1, "yz": 0}
_VIEW_DEG = 40.0
_CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


class Extent(NamedTuple):
    """Corners of a box around everything at all times [m], how large the machine is by itself, and the plane of its
    motion, or "3d".
    """

    low: np.ndarray
    high: np.ndarray
    size: float
    plane: str


def shape_points(shape: dict[str, Any], arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Corners (n, 3) [m] of a box around a shape of a scene, in the frame of its body; of a plane its point."""
    R, at = rotation(None, tuple(shape["quaternion"])), np.asarray(shape["at"], float)
    match shape["type"]:
        case "sphere":
            points = shape["radius"] * _CORNERS
        case "box":
            points = 0.5 * np.array(shape["size"]) * _CORNERS
        case "ellipsoid":
            points = np.array(shape["radii"]) * _CORNERS
        case "capsule" | "cylinder" | "cone":
            radius, length = max(shape["radius"], shape.get("top_radius", 0.0)), shape["length"]
            points = _CORNERS * [radius, radius, 0.5 * length] + [0.0, 0.0, 0.5 * length]
        case "mesh":
            vertices = arrays[shape["vertices"]]
            low, high = (vertices.min(axis=0), vertices.max(axis=0)) if len(vertices) else (np.zeros(3), np.zeros(3))
            points = 0.5 * (low + high) + 0.5 * (high - low) * _CORNERS
        case _:
            points = np.zeros((1, 3))
    return points @ R.T + at


def extent_of(points: list[np.ndarray], poses: np.ndarray, own: int | None = None) -> Extent:
    """The Extent of a motion.

    points   of each body (n, 3) [m], in its frame
    poses    (N, bodies, 7)
    own      body relative to which the machine has its size; default: the world
    """
    turned = rotations(poses[..., 3:])
    low, high = np.full((len(poses), 3), np.inf), np.full((len(poses), 3), -np.inf)
    for k, cloud in enumerate(points):
        if len(cloud):
            world = np.einsum("nij,pj->npi", turned[:, k], cloud) + poses[:, k, None, :3]
            low, high = np.minimum(low, world.min(axis=1)), np.maximum(high, world.max(axis=1))
    if not np.isfinite(low).all():
        low, high = np.full_like(low, -0.5), np.full_like(high, 0.5)
    at = np.zeros((len(poses), 3)) if own is None else poses[:, own, :3]
    size = float(((high - at).max(axis=0) - (low - at).min(axis=0)).max())
    size = size if size > 0.0 else 1.0
    return Extent(low.min(axis=0), high.max(axis=0), size, _plane(turned, poses[..., :3], size))


def _plane(turned: np.ndarray, position: np.ndarray, size: float) -> str:
    """The plane that all bodies move in, if there is one and they move."""
    moved = np.ptp(position, axis=0).max(axis=0)
    kept = np.einsum("nbki,bki->nbk", turned, turned[0]).min(axis=(0, 1))
    across = [k for k in range(3) if moved[k] <= FLAT * size and kept[k] > 1.0 - 1e-6]
    return next((name for name, k in PLANES.items() if across == [k]), "3d")


def camera_for(extent: Extent, follow: int | None, start: np.ndarray) -> dict[str, Any]:
    """Where to look from: at the middle of the motion, or at the body that is followed where it starts (3,) [m]."""
    if follow is not None:
        target, reach = start, extent.size
    else:
        target, reach = 0.5 * (extent.low + extent.high), float(np.linalg.norm(extent.high - extent.low))
    distance = 0.55 * max(reach, 1e-6) / np.tan(np.radians(0.5 * _VIEW_DEG))
    return {"target": target, "distance": distance, "view": extent.plane, "follow": follow}
