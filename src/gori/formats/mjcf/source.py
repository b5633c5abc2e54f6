"""A compiled MJCF model while it is read: its numbers, its names, and what could not be carried over."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gori.formats.mjcf.drives import Reflected, reflected
from gori.formats.mjcf.left_out import LeftOut
from gori.formats.mjcf.names import ElementNames
from gori.formats.mjcf.package import mujoco_package
from gori.spec.base import quaternion, rotation

ROUNDING = 1e-15


@dataclass
class MjcfSource:
    """An MjModel, and what goes with it.

    m             mujoco.MjModel
    file          the file that it came from
    collide       name of the material of collision geoms, or None if nothing collides
    start         number of the keyframe with the start, or None
    mesh_frames   {number of a mesh: position and quaternion of a frame in its file that counts as its own}
    """

    m: Any
    file: Path
    collide: str | None = None
    start: int | None = None
    mesh_frames: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    left: LeftOut = field(default_factory=LeftOut)

    @cached_property
    def names(self) -> ElementNames:
        return ElementNames(self.m, self.left)

    @cached_property
    def drives(self) -> Reflected:
        """Damping and inertia that drives and tendons add to the joints."""
        return reflected(self.m, self.file, self.names)

    @property
    def closes_loops(self) -> bool:
        """Whether any equality holds."""
        return bool(self.m.neq and self.m.eq_active0.any()) and not self.disabled("equality")

    def disabled(self, name: str) -> bool:
        """Whether <flag> turns a part of the physics off: "gravity", "contact", "equality", ..."""
        return bool(self.m.opt.disableflags & getattr(mujoco_package().mjtDisableBit, f"mjDSBL_{name.upper()}"))

    @cached_property
    def qpos(self) -> np.ndarray:
        """Start coordinates (nq,) in MuJoCo's convention."""
        return self.m.qpos0 if self.start is None else self.m.key_qpos[self.start]

    @cached_property
    def qvel(self) -> np.ndarray:
        """Start velocities (nv,) in MuJoCo's convention."""
        return np.zeros(self.m.nv) if self.start is None else self.m.key_qvel[self.start]

    @cached_property
    def ctrl(self) -> np.ndarray:
        """Start values of the actuators' inputs (nu,)."""
        return np.zeros(self.m.nu) if self.start is None else self.m.key_ctrl[self.start]


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
