"""Coordinates and velocities of free joints: MuJoCo's and Gori's.

              MuJoCo                                          Gori
    q         x y z, quaternion w x y z                       quaternion w x y z, x y z
    v         linear along the world's axes, then angular     angular, then linear, both along the body's
              along the body's

Ball joints are alike: a quaternion w x y z, and the angular velocity along the body's axes.
"""

import numpy as np

from gori.spec.base import rotation


def free_coordinates(qpos: np.ndarray) -> np.ndarray:
    """Gori's q (7,) of a free joint."""
    quat = qpos[3:7] / np.linalg.norm(qpos[3:7])
    return np.concatenate([quat, qpos[:3]])


def free_velocity(qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """Gori's v (6,) of a free joint."""
    return np.concatenate([qvel[3:6], rotation(None, tuple(qpos[3:7])).T @ qvel[:3]])


def free_qpos(q: np.ndarray) -> np.ndarray:
    """MuJoCo's qpos (7,) of a free joint."""
    return np.concatenate([q[4:7], q[:4]])


def free_qvel(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """MuJoCo's qvel (6,) of a free joint."""
    return np.concatenate([rotation(None, tuple(q[:4])) @ v[3:6], v[:3]])
