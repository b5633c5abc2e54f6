"""What URDF and MJCF have in common: a tree of bodies, moved by hinges, slides, balls and free joints.

A joint of several axes becomes several of one axis: `planar` is two slides and a hinge. Coordinates keep their order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gori.errors import SpecError
from gori.formats.left_out import LeftOut
from gori.spec import GROUND, Joint, Spec
from gori.spec.base import rotation_to
from gori.spec.joint import NV

Pose = tuple[np.ndarray, np.ndarray]
"""rotation (3, 3) and position (3,)"""
SAME: Pose = (np.eye(3), np.zeros(3))


@dataclass
class Axis:
    """One part of a joint: a hinge or slide along a direction in the joint's frame; a ball, or a free joint, whole."""

    name: str
    kind: str
    dof: int
    direction: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))


def axes_of(name: str, joint: Joint) -> list[Axis] | None:
    """The parts of a joint, none if it is fixed; None if there is no such joint elsewhere."""
    if joint.type == "fixed":
        return []
    if joint.type in ("spherical", "free"):
        return [Axis(name, {"spherical": "ball"}.get(joint.type, joint.type), 0)]
    E = rotation_to(joint.axis)
    along = E[:, 2]
    parts: dict[str, list[tuple[str, np.ndarray]]] = {
        "revolute": [("hinge", along)],
        "prismatic": [("slide", along)],
        "cylindrical": [("hinge", along), ("slide", along)],
        "universal": [("hinge", along), ("hinge", E[:, 0] if joint.axis2 is None else rotation_to(joint.axis2)[:, 2])],
        "planar": [("slide", E[:, 0]), ("slide", E[:, 1]), ("hinge", along)],
    }
    if joint.type not in parts:
        return None
    found = parts[joint.type]
    names = [name] if len(found) == 1 else [f"{name}.{k}" for k in range(len(found))]
    return [Axis(own, kind, k, axis) for k, (own, (kind, axis)) in enumerate(zip(names, found, strict=True))]


def of_dof(joint: Joint, field_name: str, dof: int) -> float:
    """A value of a joint for one degree of freedom: the only one, or its own."""
    values = getattr(joint, field_name)
    return float(values[min(dof, len(values) - 1)])


def start_of(joint: Joint, field_name: str) -> np.ndarray | None:
    """Start coordinates `q`, or `rest`, in radians; None if they are not given."""
    degrees = getattr(joint, f"{field_name}_deg")
    given = getattr(joint, field_name)
    if field_name == "q" and given is None and degrees is None:
        given, degrees = joint.guess, joint.guess_deg
    if degrees is not None:
        return np.radians(degrees)
    return None if given is None else np.array(given)


def compose(a: Pose, b: Pose) -> Pose:
    """b after a."""
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def inverse(a: Pose) -> Pose:
    """The way back."""
    return a[0].T, -a[0].T @ a[1]


class Branches:
    """The joints of a Spec as a tree: `children[body]` are names of the joints that hang from it, in their order."""

    def __init__(self, spec: Spec):
        self.spec = spec
        self.children: dict[str, list[str]] = {GROUND: [], **{body: [] for body in spec.bodies}}
        self.carrier: dict[str, str] = {}
        for name, joint in spec.joints.items():
            if joint.child == GROUND or joint.child in self.carrier:
                raise SpecError(
                    f"joint {name!r} closes a loop, or carries the ground: save gori.compile(spec).spec, whose joints "
                    "form a tree with cuts"
                )
            self.carrier[joint.child] = name
            self.children[joint.parent].append(name)

    def joints(self) -> Iterator[str]:
        """All joints, each after the one that carries its parent; depth first, in the order of the Spec."""
        todo = list(reversed(self.children[GROUND]))
        while todo:
            name = todo.pop()
            yield name
            todo += reversed(self.children[self.spec.joints[name].child])

    def used(self) -> set[str]:
        """Bodies that something besides joints refers to."""
        spec = self.spec
        found = {frame.body for frame in spec.frames.values()}
        for cut in spec.cuts.values():
            found |= {cut.parent, cut.child}
        for force in spec.forces.values():
            found |= {getattr(force, key) for key in ("body", "parent", "child") if hasattr(force, key)}
        return found | {name.partition(".")[0] for pair in spec.no_contact for name in pair}


def note_sections(spec: Spec, left: LeftOut, written: tuple[str, ...]) -> None:
    """List all sections that another format has no place for."""
    groups = ("gears", "motions", "forces", "cuts", "frames", "wheels", "steering", "drivetrains", "drag", "controls",
              "particles", "inlets", "outlets")  # fmt: skip
    for group in groups:
        if group not in written and (names := list(getattr(spec, group))):
            left.add(group, *names)
    for section in ("terrain", "base"):
        if section not in written and getattr(spec, section) is not None:
            left.add(section)


def check_joints(spec: Spec, left: LeftOut) -> None:
    """List joints of a kind that neither format has, and those whose fields only Gori has."""
    for name, joint in spec.joints.items():
        if NV[joint.type] and axes_of(name, joint) is None:
            left.add(f"{joint.type} joint", name)
        for field_name in ("limit_stiffness", "limit_damping", "stick_stiffness", "compliance"):
            if getattr(joint, field_name) is not None:
                left.add(f"{field_name} of a joint", name)
