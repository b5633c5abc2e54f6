"""Joints of a Spec as joints of MJCF, and where they start."""

from typing import Any
from xml.etree import ElementTree

import numpy as np

from gori.formats.export.elements import add, placed
from gori.formats.export.tree import Axis, Pose, axes_of, compose, of_dof, start_of
from gori.formats.left_out import LeftOut
from gori.formats.mjcf.velocities import free_qvel
from gori.formats.plain import tidy
from gori.spec import Joint, Spec
from gori.spec.base import quaternion, rotation

_VALUES = {"damping": "damping", "armature": "armature", "friction": "frictionloss", "stiffness": "stiffness"}


class JointWriter:
    """Writes joints one after the other, and collects their coordinates in that order."""

    def __init__(self, spec: Spec, left: LeftOut):
        self.spec, self.left = spec, left
        self.qpos: list[float] = []
        self.qvel: list[float] = []
        self.starts = False  # whether any coordinate does not start where the file has it

    def free_start(self, name: str) -> Pose:
        """Where a free joint starts, from its frame on the ground."""
        q = start_of(self.spec.joints[name], "q")
        return (np.eye(3), np.zeros(3)) if q is None else (rotation(None, tuple(q[:4])), q[4:7])

    def write(self, element: ElementTree.Element, name: str, here: Pose, on_base: Pose) -> None:
        """A joint of a body; `here` is its frame in that of the body, `on_base` in that of the body's base."""
        joint = self.spec.joints[name]
        for axis in axes_of(name, joint) or ():
            if axis.kind == "free":
                self._free(element, joint, name, on_base)
                continue
            R, p = here
            if axis.kind == "ball" and not np.allclose(R, np.eye(3), atol=1e-12):
                self.left.add("ball joint before other joints, with axes of its own", name)
            given: dict[str, Any] = {"type": None if axis.kind == "hinge" else axis.kind}
            given["pos"] = placed(p) if axis.kind != "slide" else None
            given["axis"] = None if axis.kind == "ball" else tidy(R @ axis.direction)
            add(element, "joint", name=axis.name, **given, **self._values(joint, name, axis))
            self._start(joint, axis)
        if joint.velocity_limit is not None:
            self.left.note("velocity limits of joints are left out: MJCF has none")

    def _values(self, joint: Joint, name: str, axis: Axis) -> dict[str, Any]:
        """Limits, springs, dampers, friction and inertia of one axis."""
        found: dict[str, Any] = {tag: of_dof(joint, key, axis.dof) or None for key, tag in _VALUES.items()}
        if axis.kind == "ball" and any(len(set(getattr(joint, key))) > 1 for key in _VALUES):
            self.left.add("ball joint with different values about its axes", name)
        limits = joint.limits if joint.limits_deg is None else tuple(np.radians(joint.limits_deg))
        if limits is not None:
            found["range"] = limits
            if limits[0] == limits[1]:
                self.left.add("limits that leave no way to move", name)
        if joint.effort_limit is not None and axis.kind != "ball":
            found["actuatorfrcrange"] = (-joint.effort_limit, joint.effort_limit)
        rest = start_of(joint, "rest")
        if rest is not None and found["stiffness"]:
            if axis.kind != "ball":
                found["springref"] = rest[min(axis.dof, len(rest) - 1)]
            elif any(rest[1:4]):
                self.left.add("ball joint whose spring rests in another pose", name)
        return found

    def _start(self, joint: Joint, axis: Axis) -> None:
        q, v = start_of(joint, "q"), np.array(joint.v or (0.0,))
        if axis.kind == "ball":
            quat = np.array([1.0, 0.0, 0.0, 0.0]) if q is None else q / np.linalg.norm(q)
            self.qpos += quat.tolist()
            self.qvel += np.broadcast_to(v, 3).tolist()
            self.starts = self.starts or bool(quat[1:].any())
            return
        value = 0.0 if q is None else float(q[min(axis.dof, len(q) - 1)])
        self.qpos.append(value)
        self.qvel.append(float(v[min(axis.dof, len(v) - 1)]))
        self.starts = self.starts or value != 0.0

    def _free(self, element: ElementTree.Element, joint: Joint, name: str, on_base: Pose) -> None:
        """A free joint; its coordinates are the pose of the body in the world."""
        if any(joint.friction) or len(set(joint.damping)) > 1:
            self.left.add("free joint with friction or different dampers", name)
        damping = joint.damping[0] or None
        add(element, "joint", name=name, type="free", damping=damping) if damping else add(
            element, "freejoint", name=name
        )
        R, p = compose(on_base, self.free_start(name))
        q = np.concatenate([quaternion(R), p])
        self.qpos += [*p.tolist(), *q[:4].tolist()]
        self.qvel += free_qvel(q, np.broadcast_to(np.array(joint.v or (0.0,)), 6)).tolist()
