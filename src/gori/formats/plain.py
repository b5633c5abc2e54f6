"""Parts of a Spec as plain data, as the readers of other formats make them: poses, inertias, colours, names."""

from collections.abc import Container
from typing import Any

import numpy as np

from gori.spec.base import quaternion, rotation
from gori.spec.body import impossible_inertia

ROUNDING = 1e-15


def pose_of(at: Any, quat: Any) -> dict[str, Any]:
    """`at` and `quat` of a position and a rotation (quaternion or matrix), where they are not zero and identity."""
    pose: dict[str, Any] = {}
    if any(place := tidy(at)):
        pose["at"] = place
    quat = unit(quaternion(np.asarray(quat)) if np.shape(quat) == (3, 3) else quat)
    if any(quat[1:]):
        pose["quat"] = quat
    return pose


def unit(quat: Any) -> tuple[float, ...]:
    """A quaternion of length 1 in plain numbers."""
    return tuple(tidy(np.asarray(quat, float) / np.linalg.norm(quat)))


def tidy(numbers: Any, size: float = 1.0) -> list[float]:
    """Plain numbers, with zero in the place of what is rounding of numbers of that size."""
    return [float(x) if abs(x) > ROUNDING * size else 0.0 for x in numbers]


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix (3, 3) about an axis of length 1."""
    return rotation(None, (np.cos(0.5 * angle), *(np.sin(0.5 * angle) * axis)))


def inertial_of(mass: float, com: np.ndarray, J: np.ndarray, size: float = 0.0) -> tuple[dict[str, Any], str | None]:
    """`mass`, `com` and `inertia` of a body, and why no body can have them, if so.

    J      (3, 3) about the centre of mass, in the axes of the body [kg m2]
    size   products of inertia that are rounding of numbers of this size are zero
    """
    if mass == 0.0 and not J.any():
        return {}, None
    body: dict[str, Any] = {"mass": float(mass)}
    if com.any():
        body["com"] = com.tolist()
    if J.any():
        diagonal, products = np.diag(J).tolist(), tidy(J[[0, 0, 1], [1, 2, 2]], size)
        body["inertia"] = diagonal + products if any(products) else diagonal
    problem = impossible_inertia(mass, com, J)
    return (body | {"unphysical": True} if problem else body), problem


def colour_of(rgba: Any) -> str:
    """#rrggbb, or #rrggbbaa where it is not opaque, of three or four numbers from 0 to 1."""
    parts = [f"{round(255 * part):02x}" for part in np.clip(np.nan_to_num(np.asarray(rgba, float)), 0.0, 1.0)]
    return "#" + "".join(parts if parts[3:] != ["ff"] else parts[:3])


def bar_from_middle(kind: str, radius: float, length: float, at: np.ndarray, R: np.ndarray) -> dict[str, Any]:
    """A cylinder, capsule or cone that other formats centre at `at` and let run along z; ours begins at `at`."""
    bar = {"type": kind, "radius": float(radius), "length": float(length), "axis": (0.0, 0.0, 1.0)}
    return bar | pose_of(at - R[:, 2] * length / 2.0 + 0.0, R)


def free_name(wanted: str, taken: Container[str]) -> str:
    """The name, or the name and a number, that is not taken."""
    name, k = wanted, 1
    while name in taken:
        k += 1
        name = f"{wanted}_{k}"
    return name
