"""Coordinates of a joint from the motion of its frames A on the parent and B on the child: the joint functions of
`tree.py` the other way round.

With T the pose of B in A, and V the twist of B relative to A in the axes of B,

    T = X_J(q),    V = S(q) v,    V' = S(q) a + c_J(q, v)

solved for q by the geometry of each type, and for v and a by least squares. Angles are within half a turn, quaternions
have w >= 0.
"""

import numpy as np

from gori.spec.base import rotation_to
from gori.spec.joint import NV
from tests.reference.loop_equations import GROUNDED, Motion, motions
from tests.reference.loops import open_tree
from tests.reference.spatial import rotation_to_quaternion
from tests.reference.tree import JOINTS, unit


def coordinates(spec, name, q, v, a):
    """q, v and a of a joint or cut of a Spec, for those of its tree; parent and child are those of the Spec."""
    joint = {**spec.joints, **spec.cuts}[name]
    tree = open_tree(spec)
    links = motions(tree, q, v, a)
    sides = []
    for body, pose in ((joint.parent, joint.pose()), (joint.child, joint.child_pose())):
        index, _, _ = tree.place(body)
        sides.append((links[index] if index >= 0 else GROUNDED).frame(*pose))
    return of_frames(joint, *sides)


def of_frames(joint, A: Motion, B: Motion):
    """The same for the motions of both frames."""
    d, w = B.p - A.p, B.w - A.w
    u = B.u - A.u - np.cross(A.w, d)
    V = np.concatenate([B.R.T @ w, B.R.T @ u])
    rate = np.concatenate([
        B.R.T @ (B.alpha - A.alpha - np.cross(B.w, w)),
        B.R.T @ (B.a - A.a - np.cross(A.alpha, d) - np.cross(A.w, B.u - A.u) - np.cross(B.w, u)),
    ])  # fmt: skip
    own = POSITIONS[joint.type](joint, A.R.T @ B.R, A.R.T @ d)
    S = JOINTS[joint.type](joint, own, np.zeros(NV[joint.type]))[1]
    if joint.type == "spherical":  # in the axes of B, which a joint of the tree has in common with its child
        S = np.eye(6)[:, :3]
    v = np.linalg.lstsq(S, V, rcond=None)[0]
    c_J = JOINTS[joint.type](joint, own, v)[2]
    return own, v, np.linalg.lstsq(S, rate - c_J, rcond=None)[0]


def angle(axis, before, after):
    """The turn about an axis that leads from one direction across it to another."""
    return np.arctan2(axis @ np.cross(before, after), before @ after)


def turn(joint, R, p):
    x, _, axis = rotation_to(joint.axis).T
    return np.array([angle(axis, x, R @ x)])


def travel(joint, R, p):
    return np.array([unit(joint.axis) @ p])


def screw(joint, R, p):
    """The travel tells how many turns."""
    near, here = travel(joint, R, p) / (joint.pitch / (2.0 * np.pi)), turn(joint, R, p)
    return here + 2.0 * np.pi * np.round((near - here) / (2.0 * np.pi))


def universal(joint, R, p):
    """R = R1 R2: the first carries axis2 along, the second is seen from the child."""
    axis = unit(joint.axis)
    axis2 = unit(rotation_to(axis)[:, 0] if joint.axis2 is None else joint.axis2)
    return np.array([angle(axis, axis2, R @ axis2), angle(axis2, R.T @ axis, axis)])


def planar(joint, R, p):
    x, y, _ = rotation_to(joint.axis).T
    return np.array([x @ p, y @ p, *turn(joint, R, p)])


def ball(joint, R, p):
    quat = np.array(rotation_to_quaternion(R))
    return quat if quat[0] >= 0.0 else -quat


POSITIONS = {
    "revolute": turn,
    "prismatic": travel,
    "helical": screw,
    "cylindrical": lambda *given: np.array([*turn(*given), *travel(*given)]),
    "universal": universal,
    "planar": planar,
    "spherical": ball,
}
