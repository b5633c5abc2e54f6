"""Poses of bodies as pages take them: x y z w x y z in single precision, in the order of the scene."""

from typing import Any

import numpy as np

from gori.model import Model
from gori.spec import GROUND

BATCH = 4096
"""states at once: what lies between takes memory"""


def body_order(model: Model) -> tuple[str, ...]:
    """Names of the bodies of a scene; the first is the ground."""
    return (GROUND, *(name for name in model.body_names if name != GROUND))


def poses_of(model: Model, q: Any, dtype: type = np.float32) -> np.ndarray:
    """Poses (bodies, 7) at q (nq,), or (N, bodies, 7) at q (N, nq); quaternions along N without jumps of sign."""
    q = np.asarray(q, float)
    many = q if q.ndim == 2 else q[None]
    index = [model.frame(name) for name in body_order(model)]
    out = np.empty((len(many), len(index), 7), dtype)
    for first in range(0, len(many), BATCH):
        rows = slice(first, first + BATCH)
        poses = model.forward_kinematics(many[rows])
        out[rows, :, :3] = poses.position[:, index]
        out[rows, :, 3:] = quaternions(poses.rotation[:, index])
    if len(out) > 1:
        turned = np.einsum("nbi,nbi->nb", out[1:, :, 3:], out[:-1, :, 3:]) < 0.0
        out[1:, :, 3:] *= np.cumprod(np.where(turned, -1.0, 1.0), axis=0, dtype=dtype)[:, :, None]
    return out if q.ndim == 2 else out[0]


def quaternions(R: np.ndarray) -> np.ndarray:
    """Quaternions w x y z (..., 4) of rotations (..., 3, 3), w not negative: the longest row of 4 q q' (Shepperd)."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    d, e, f = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    rows = np.empty((*R.shape[:-2], 4, 4))
    for k, row in enumerate(
        (
            (1 + xx + yy + zz, a, b, c),
            (a, 1 + xx - yy - zz, d, e),
            (b, d, 1 - xx + yy - zz, f),
            (c, e, f, 1 - xx - yy + zz),
        )
    ):
        for j, value in enumerate(row):
            rows[..., k, j] = value
    best = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., :1] < 0.0, -q, q)


def rotations(quat: np.ndarray) -> np.ndarray:
    """Rotations (..., 3, 3) of unit quaternions w x y z (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quat, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
