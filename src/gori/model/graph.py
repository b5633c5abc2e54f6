"""From the Spec's joints to rows: depth-first order, fixed joints merged, compound joints expanded."""

from dataclasses import dataclass, field

import numpy as np

from gori.kernels.tree.joints import FREE, HELICAL, PRISMATIC, REVOLUTE, SPHERICAL, WELD
from gori.spec import GROUND, Joint, Spec
from gori.spec.base import rotation_to
from gori.spec.body import combine

Pose = tuple[np.ndarray, np.ndarray]
"""rotation (3, 3) and position (3,)"""

_X, _Y = rotation_to([1.0, 0.0, 0.0]), rotation_to([0.0, 1.0, 0.0])


@dataclass
class BodyRow:
    """One internal body: moved by one joint of the kernels, made of the user's bodies that are fixed to each other."""

    parent: int
    kind: int
    pose: Pose  # joint frame on the parent row
    pitch: float = 0.0
    armature: float = 0.0
    end: int = 0
    parts: list = field(default_factory=list)  # inertials of the user's bodies, in the row's frame

    @property
    def nq(self) -> int:
        return {WELD: 0, SPHERICAL: 4, FREE: 7}.get(self.kind, 1)

    @property
    def nv(self) -> int:
        return {WELD: 0, SPHERICAL: 3, FREE: 6}.get(self.kind, 1)


@dataclass
class BodyTree:
    """Rows in depth-first order, and where the user's joints and bodies are in them."""

    rows: list[BodyRow]
    joints: dict[str, list[int]]  # movable joints in order -> their rows
    bodies: dict[str, tuple[int, Pose]]  # bodies in order -> row, and pose in the row's frame


def compose(a: Pose, b: Pose) -> Pose:
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def invert(a: Pose) -> Pose:
    return a[0].T, -a[0].T @ a[1]


def turned(R: np.ndarray) -> Pose:
    return R, np.zeros(3)


def expand(joint: Joint) -> list[tuple[int, Pose, float]]:
    """The kernels' joints that make up one joint of the Spec: kind, placement after the one before, pitch [m/rad].

    The last item is a weld: it carries the joint frame itself, to which the child is fixed.
    """
    axis = rotation_to(joint.axis)
    back = (WELD, turned(axis.T), 0.0)
    match joint.type:
        case "fixed":
            return [(WELD, turned(np.eye(3)), 0.0)]
        case "revolute":
            return [(REVOLUTE, turned(axis), 0.0), back]
        case "prismatic":
            return [(PRISMATIC, turned(axis), 0.0), back]
        case "helical":
            return [(HELICAL, turned(axis), (joint.pitch or 0.0) / (2.0 * np.pi)), back]
        case "cylindrical":
            return [(REVOLUTE, turned(axis), 0.0), (PRISMATIC, turned(np.eye(3)), 0.0), back]
        case "universal":
            second = rotation_to(axis[:, 0] if joint.axis2 is None else joint.axis2)
            return [
                (REVOLUTE, turned(axis), 0.0),
                (REVOLUTE, turned(axis.T @ second), 0.0),
                (WELD, turned(second.T), 0.0),
            ]
        case "planar":
            return [
                (PRISMATIC, turned(axis @ _X), 0.0),
                (PRISMATIC, turned(_X.T @ _Y), 0.0),
                (REVOLUTE, turned(_Y.T), 0.0),
                back,
            ]
        case "spherical":
            return [(SPHERICAL, turned(np.eye(3)), 0.0), (WELD, turned(np.eye(3)), 0.0)]
        case _:
            return [(FREE, turned(np.eye(3)), 0.0), (WELD, turned(np.eye(3)), 0.0)]


def build(spec: Spec) -> BodyTree:
    """Rows of a Spec. Siblings stand in the order of their joints in the Spec; no recursion, so chains may be long."""
    children: dict[str, list[str]] = {GROUND: [], **{body: [] for body in spec.bodies}}
    for name, joint in spec.joints.items():
        children[joint.parent].append(name)

    identity = turned(np.eye(3))
    tree = BodyTree([BodyRow(0, WELD, identity)], {}, {GROUND: (0, identity)})
    todo = list(reversed(children[GROUND]))
    while todo:
        name = todo.pop()
        joint = spec.joints[name]
        row, pose = tree.bodies[joint.parent]
        pose = compose(pose, joint.pose())
        moved = []
        for k, (kind, step, pitch) in enumerate(expand(joint)):
            pose = compose(pose, step)
            if kind != WELD:
                armature = joint.armature[min(k, len(joint.armature) - 1)]
                tree.rows.append(BodyRow(row, kind, pose, pitch, armature))
                row, pose = len(tree.rows) - 1, identity
                moved.append(row)
        if moved:
            tree.joints[name] = moved
        pose = compose(pose, invert(joint.child_pose()))
        tree.bodies[joint.child] = row, pose
        mass, com, inertia = spec.bodies[joint.child].inertial()
        R, p = pose
        tree.rows[row].parts.append((mass, p + R @ com, R @ inertia @ R.T))
        todo.extend(reversed(children[joint.child]))

    for index in range(len(tree.rows) - 1, -1, -1):
        row = tree.rows[index]
        row.end = max(row.end, index + 1)
        tree.rows[row.parent].end = max(tree.rows[row.parent].end, row.end)
    return tree


def inertial_about_origin(row: BodyRow) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about the row's origin."""
    mass, com, inertia = combine(row.parts) if row.parts else (0.0, np.zeros(3), np.zeros((3, 3)))
    return mass, com, inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
