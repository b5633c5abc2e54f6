"""A Spec as URDF: trees of links with masses, joints of one axis, and shapes.

In URDF a link has the frame of the joint that carries it. The ground is the root link `world`. A joint of several axes
becomes several, with links without mass between.
"""

import os
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gori.formats.export.elements import add, finish, relative, require_spec
from gori.formats.export.tree import (
    SAME,
    Axis,
    Branches,
    Pose,
    axes_of,
    check_joints,
    compose,
    inverse,
    note_sections,
    of_dof,
    start_of,
)
from gori.formats.left_out import LeftOut
from gori.formats.plain import free_name, tidy
from gori.spec import GROUND, Joint, Spec
from gori.spec.base import rotation_to

ROOT = "world"
"""the link that is the ground, if no body is called so"""
WIDE = 1e9
"""limits of a slide that has none: URDF demands some"""
_KINDS = {"hinge": "continuous", "slide": "prismatic", "free": "floating"}


def write_urdf(spec: Spec, path: str | os.PathLike | None = None, lossy: bool = False) -> str:
    """The Spec as URDF, also written to `path`.

    lossy   leave out what URDF cannot say, with a FormatWarning, instead of refusing
    """
    require_spec(spec)
    return UrdfWriter(spec, path).document(path, lossy)


class UrdfWriter:
    def __init__(self, spec: Spec, path: str | os.PathLike | None):
        self.spec, self.left, self.tree, self.path = spec, LeftOut(), Branches(spec), path
        self.root = ElementTree.Element("robot", name="gori")
        self.frame: dict[str, Pose] = {GROUND: SAME}  # of the link, in that of the body
        self.ground = free_name(ROOT, {*spec.bodies, *spec.frames})

    def document(self, path: str | os.PathLike | None, lossy: bool) -> str:
        spec = self.spec
        check_joints(spec, self.left)
        note_sections(spec, self.left, ("frames",))
        if spec.gravity != (0.0, 0.0, -9.81):
            self.left.add("gravity other than 0 0 -9.81")
        self._link(GROUND)
        for name in self.tree.joints():
            joint = spec.joints[name]
            self.frame[joint.child] = joint.child_pose()
            self._link(joint.child)
            self._joints(name, joint)
        for name, frame in spec.frames.items():
            add(self.root, "link", name=name)
            parent = self.ground if frame.body == GROUND else frame.body
            place = compose(inverse(self.frame[frame.body]), frame.pose())
            self._joint(f"{name}.fixed", "fixed", parent, name, place)
        if spec.no_contact:
            self.left.add("no_contact", *("/".join(pair) for pair in spec.no_contact))
        return finish(spec, self.root, self.left, path, lossy)

    # ---- links

    def _link(self, body: str) -> None:
        link = add(self.root, "link", name=self.ground if body == GROUND else body)
        if body not in self.spec.bodies:
            return
        part = self.spec.bodies[body]
        mass, com, J = part.inertial()
        R, p = inverse(self.frame[body])
        if mass or J.any():
            inertial = add(link, "inertial")
            add(inertial, "origin", xyz=R @ com + p, rpy=np.zeros(3))
            add(inertial, "mass", value=mass)
            J = R @ J @ R.T
            names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
            add(inertial, "inertia", **{key: J[at] for key, at in names.items()})
        for name, shape in part.shapes.items():
            self._shape(link, f"{body}.{name}", shape, (R, p))

    def _shape(self, link: ElementTree.Element, who: str, shape: Any, frame: Pose) -> None:
        """A visual shape, or one that both is drawn and collides."""
        parts = geometry_of(shape, self.path)
        if parts is None:
            self.left.add(f"{shape.type} shape", who)
        for pose, tag, given in parts or ():
            for role in ("visual",) if shape.visual else ("visual", "collision"):
                element = add(link, role)
                _origin(element, compose(frame, pose))
                add(add(element, "geometry"), tag, **given)
                if role == "visual" and shape.colour is not None:
                    digits = shape.colour[1:] + ("ff" if len(shape.colour) == 7 else "")
                    material = add(element, "material", name=shape.colour)
                    add(material, "color", rgba=[int(digits[k : k + 2], 16) / 255 for k in range(0, 8, 2)])

    # ---- joints

    def _joints(self, name: str, joint: Joint) -> None:
        """A joint, and links without mass where it has several axes."""
        parent = self.ground if joint.parent == GROUND else joint.parent
        place = compose(inverse(self.frame[joint.parent]), joint.pose())
        axes = axes_of(name, joint)
        if axes is None or any(axis.kind == "ball" for axis in axes):
            if axes is not None:
                self.left.add("spherical joint", name)
            axes = []  # held, where what cannot be said is left out
        if not axes:
            element = self._joint(name, "fixed", parent, joint.child, place)
        for k, axis in enumerate(axes):
            child = joint.child if k == len(axes) - 1 else f"{joint.child}.{axis.name}"
            if child != joint.child:
                add(self.root, "link", name=child)
            element = self._joint(axis.name, _KINDS[axis.kind], parent, child, place)
            self._values(element, joint, name, axis)
            parent, place = child, SAME
        q = start_of(joint, "q")
        if (q is not None and q.any()) or (joint.v is not None and any(joint.v)):
            self.left.note(f"joint {name!r}: URDF has no start values; q and v are left out")

    def _joint(self, name: str, kind: str, parent: str, child: str, place: Pose) -> ElementTree.Element:
        element = add(self.root, "joint", name=name, type=kind)
        _origin(element, place)
        add(element, "parent", link=parent)
        add(element, "child", link=child)
        return element

    def _values(self, element: ElementTree.Element, joint: Joint, name: str, axis: Axis) -> None:
        for key in ("armature", "stiffness"):
            if of_dof(joint, key, axis.dof):
                self.left.add(f"{key} of a joint", name)
        damping, friction = of_dof(joint, "damping", axis.dof), of_dof(joint, "friction", axis.dof)
        if axis.kind == "free":
            if damping or friction:
                self.left.add("damping or friction of a free joint", name)
            return
        add(element, "axis", xyz=tidy(axis.direction))
        limits = joint.limits if joint.limits_deg is None else tuple(np.radians(joint.limits_deg))
        effort, velocity = joint.effort_limit, joint.velocity_limit
        if limits is None and axis.kind == "slide":
            limits = (-WIDE, WIDE)
        if limits is not None or effort is not None or velocity is not None:
            low, high = limits or (None, None)
            add(element, "limit", lower=low, upper=high, effort=_or_wide(effort), velocity=_or_wide(velocity))
        if limits is not None and axis.kind == "hinge":
            element.set("type", "revolute")
        if damping or friction:
            add(element, "dynamics", damping=damping, friction=friction)
        if joint.mimic is not None:
            add(element, "mimic", joint=joint.mimic.joint, multiplier=joint.mimic.ratio, offset=joint.mimic.offset)


def geometry_of(shape: Any, path: Any) -> list[tuple[Pose, str, dict[str, Any]]] | None:
    """A shape as geometries, each with its pose, kind and size; None for what URDF does not have.

    A capsule is a cylinder and two spheres.
    """
    R, p = shape.pose()
    if shape.type == "box":
        return [((R, p), "box", {"size": shape.size})]
    if shape.type == "sphere":
        return [((R, p), "sphere", {"radius": shape.radius})]
    if shape.type == "mesh":
        scale = None if shape.scale == (1.0, 1.0, 1.0) else shape.scale
        return [((R, p), "mesh", {"filename": relative(shape.file, path), "scale": scale})]
    if shape.type not in ("cylinder", "capsule"):
        return None
    R = R @ rotation_to(shape.axis)
    length = {"radius": shape.radius, "length": shape.length}
    bar = ((R, p + R[:, 2] * shape.length / 2.0), "cylinder", length)
    ends = [((R, p + R[:, 2] * z), "sphere", {"radius": shape.radius}) for z in (0.0, shape.length)]
    return [bar, *(ends if shape.type == "capsule" else [])]


def _or_wide(limit: float | None) -> float:
    return WIDE if limit is None else limit


def _origin(element: ElementTree.Element, pose: Pose) -> None:
    """Position and roll, pitch, yaw; nothing where both are zero."""
    xyz, rpy = tidy(pose[1]), tidy(rpy_of(pose[0]))
    if any(xyz) or any(rpy):
        add(element, "origin", xyz=xyz, rpy=rpy)


def rpy_of(R: np.ndarray) -> np.ndarray:
    """Roll, pitch and yaw (3,) about fixed axes of a rotation: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-9:  # roll and yaw turn about the same axis
        return np.array([0.0, pitch, np.arctan2(-R[0, 1], R[1, 1])])
    return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])
