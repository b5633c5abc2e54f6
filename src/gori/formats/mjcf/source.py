"""A compiled MJCF model while it is read: its numbers, its names, and what could not be carried over."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gori.formats.left_out import LeftOut
from gori.formats.mjcf.drives import Reflected, reflected
from gori.formats.mjcf.names import ElementNames
from gori.formats.mjcf.package import mujoco_package


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
