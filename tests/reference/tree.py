"""The kinematic tree of a Spec, and what each type of joint does (Featherstone 2008, chapters 3 and 4).

A joint function takes the joint, its q and its v, and returns, all in the frame that the joint moves (the successor):

X_J   (6, 6)    Plücker transform from the joint frame on the parent to the joint frame on the child
S     (6, nv)   motion subspace: twist of the child relative to the parent = S v
c_J   (6,)      velocity product: the apparent derivative of S, times v (section 3.5); zero where S is constant
"""

import numpy as np

from gori.spec import GROUND, Joint, Spec
from gori.spec.base import rotation_to
from gori.spec.joint import NQ, NV
from tests.reference.spatial import plucker, plucker_inverse, quaternion_to_rotation, rigid_inertia, so3_exp

O3 = np.zeros(3)
O6 = np.zeros(6)


def unit(a):
    return np.array(a) / np.linalg.norm(a)


def column(angular, linear):
    return np.concatenate([angular, linear])


def fixed(joint, q, v):
    return np.eye(6), np.zeros((6, 0)), O6


def revolute(joint, q, v):
    axis = unit(joint.axis)
    return plucker(so3_exp(axis * q[0]), O3), column(axis, O3)[:, None], O6


def prismatic(joint, q, v):
    axis = unit(joint.axis)
    return plucker(np.eye(3), axis * q[0]), column(O3, axis)[:, None], O6


def helical(joint, q, v):
    """The pitch of the Spec is in metres per turn."""
    axis = unit(joint.axis)
    travel = joint.pitch / (2.0 * np.pi) * axis
    return plucker(so3_exp(axis * q[0]), travel * q[0]), column(axis, travel)[:, None], O6


def cylindrical(joint, q, v):
    """q: angle, travel."""
    axis = unit(joint.axis)
    S = np.column_stack([column(axis, O3), column(O3, axis)])
    return plucker(so3_exp(axis * q[0]), axis * q[1]), S, O6


def universal(joint, q, v):
    """q: angle about axis, then angle about axis2, which the first turn carries along.

    R = R1 R2, and the child sees the first axis as R2' axis, which turns at -v2 about axis2.
    """
    axis = unit(joint.axis)
    axis2 = unit(rotation_to(axis)[:, 0] if joint.axis2 is None else joint.axis2)
    R1, R2 = so3_exp(axis * q[0]), so3_exp(axis2 * q[1])
    first = R2.T @ axis
    S = np.column_stack([column(first, O3), column(axis2, O3)])
    return plucker(R1 @ R2, O3), S, column(-np.cross(axis2, first) * v[0] * v[1], O3)


def planar(joint, q, v):
    """q: x, y along two axes fixed to the parent, then the angle about the normal.

    The child sees the x and y axes as R' x and R' y, which turn at -v3 about the normal.
    """
    x, y, normal = (unit(direction) for direction in rotation_to(joint.axis).T)
    R = so3_exp(normal * q[2])
    S = np.column_stack([column(O3, R.T @ x), column(O3, R.T @ y), column(normal, O3)])
    c_J = column(O3, -np.cross(normal * v[2], R.T @ (x * v[0] + y * v[1])))
    return plucker(R, x * q[0] + y * q[1]), S, c_J


def spherical(joint, q, v):
    """q: quaternion w x y z of the joint frame on the child; v: angular velocity, in the axes of the child's body."""
    R_CJ, _ = joint.child_pose()
    return plucker(quaternion_to_rotation(q), O3), np.vstack([R_CJ.T, np.zeros((3, 3))]), O6


def free(joint, q, v):
    """q: quaternion w x y z, then position of the child's frame in the joint frame; v: twist in the child's frame."""
    return plucker(quaternion_to_rotation(q[:4]), q[4:]), np.eye(6), O6


JOINTS = {
    "fixed": fixed,
    "revolute": revolute,
    "prismatic": prismatic,
    "helical": helical,
    "cylindrical": cylindrical,
    "universal": universal,
    "planar": planar,
    "spherical": spherical,
    "free": free,
}


class Link:
    """A body, the joint that carries it, and the index of its parent (ground: -1)."""

    def __init__(self, name: str, joint_name: str, joint: Joint, spec: Spec, parent: int, at_q: int, at_v: int):
        self.name, self.joint_name, self.joint, self.parent = name, joint_name, joint, parent
        self.mass, self.com, J_com = spec.bodies[name].inertial()
        self.inertia = rigid_inertia(self.mass, self.com, J_com)
        self.q = slice(at_q, at_q + NQ[joint.type])
        self.v = slice(at_v, at_v + NV[joint.type])
        self.armature = np.broadcast_to(joint.armature if NV[joint.type] else (), NV[joint.type]).astype(float)
        self.X_FP = plucker(*joint.pose())  # from the parent to the joint frame on it
        self.X_CM = plucker_inverse(plucker(*joint.child_pose()))  # from the joint frame on the child to the child

    def move(self, q, v):
        """X_CP (6, 6) from the parent, S (6, nv) and c_J (6,), in body coordinates, for the whole q and v."""
        X_J, S, c_J = JOINTS[self.joint.type](self.joint, q[self.q], v[self.v])
        return self.X_CM @ X_J @ self.X_FP, self.X_CM @ S, self.X_CM @ c_J


class Tree:
    """Links of a Spec, depth first; children in the order in which their joints stand in the Spec.

    Cuts are left out, and so are springs, dampers and friction of the joints: tau stands for all of them.

    open_loops   leave mimic out too: the joint is free; otherwise it is refused
    """

    def __init__(self, spec: Spec, open_loops: bool = False):
        self.spec, self.gravity, self.open_loops = spec, np.array(spec.gravity), open_loops
        self.links: list[Link] = []
        self.nq = self.nv = 0
        self._grow(GROUND, -1)
        self.body_names = [link.name for link in self.links]
        moving = [link for link in self.links if NV[link.joint.type]]
        self.joint_names = [link.joint_name for link in moving]
        self.q_slice = {link.joint_name: link.q for link in moving}
        self.v_slice = {link.joint_name: link.v for link in moving}
        self.armature = np.concatenate([np.zeros(0), *(link.armature for link in self.links)])

    def _grow(self, body: str, index: int) -> None:
        for name, joint in self.spec.joints.items():
            if joint.parent != body:
                continue
            if joint.mimic is not None and not self.open_loops:
                raise NotImplementedError(f"joint {name!r}: the reference tree knows no mimic joints")
            link = Link(joint.child, name, joint, self.spec, index, self.nq, self.nv)
            self.links.append(link)
            self.nq, self.nv = link.q.stop, link.v.stop
            self._grow(joint.child, len(self.links) - 1)

    def place(self, name: str):
        """Link index (ground: -1), and R and p on that link, of a body, a frame or the ground."""
        if name in self.spec.frames:
            frame = self.spec.frames[name]
            return self.place(frame.body)[0], *frame.pose()
        return -1 if name == GROUND else self.body_names.index(name), np.eye(3), np.zeros(3)

    def path(self, index: int) -> list[int]:
        """Indices of the links from this one down to the ground's child."""
        return [] if index < 0 else [index, *self.path(self.links[index].parent)]
