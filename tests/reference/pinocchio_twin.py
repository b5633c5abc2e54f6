"""A tree of the reference in Pinocchio."""

import numpy as np
import pytest

from gori.spec import GROUND


def pinocchio_twin(tree):
    """The same tree in Pinocchio: model, function q -> its q, B with its v = B v, and joint id and pose of each body.

    Its bodies sit in the joint frame, so its spherical v is R_CJ' v; its free v is linear first.
    """
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.gravity = pin.Motion(tree.gravity, np.zeros(3))
    body = {GROUND: (0, pin.SE3.Identity())}
    ids = {}
    for link in tree.links:
        joint = link.joint
        parent, T_JP = body[joint.parent]
        T_JF, T_MC = T_JP * pin.SE3(*joint.pose()), pin.SE3(*joint.child_pose()).inverse()
        axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
        if joint.type == "fixed":
            body[link.name] = parent, T_JF * T_MC
        else:
            kind = {
                "revolute": lambda axis=axis: pin.JointModelRevoluteUnaligned(axis),
                "prismatic": lambda axis=axis: pin.JointModelPrismaticUnaligned(axis),
                "helical": lambda axis=axis, j=joint: pin.JointModelHelicalUnaligned(axis, j.pitch / (2 * np.pi)),
                "spherical": pin.JointModelSpherical,
                "free": pin.JointModelFreeFlyer,
            }[joint.type]()
            ids[link.joint_name] = model.addJoint(parent, kind, T_JF, link.joint_name)
            body[link.name] = ids[link.joint_name], T_MC
        mass, com, J = tree.spec.bodies[link.name].inertial()
        model.appendBodyToJoint(body[link.name][0], pin.Inertia(mass, com, J), body[link.name][1])

    B, armature = np.zeros((tree.nv, tree.nv)), np.zeros(tree.nv)
    for link in tree.links:
        if link.joint.type == "fixed":
            continue
        block = np.eye(link.v.stop - link.v.start)
        if link.joint.type == "spherical":
            block = link.joint.child_pose()[0].T
        elif link.joint.type == "free":
            block = block[[3, 4, 5, 0, 1, 2]]
        at = model.joints[ids[link.joint_name]].idx_v
        B[at : at + len(block), link.v] = block
        armature[at : at + len(block)] = link.armature
    model.armature = armature

    def q_of(q):
        result = np.zeros(model.nq)
        for link in tree.links:
            if link.joint.type == "fixed":
                continue
            w = q[link.q]
            if link.joint.type in ("spherical", "free"):
                w = np.concatenate([w[4:], w[1:4], w[:1]])
            at = model.joints[ids[link.joint_name]].idx_q
            result[at : at + len(w)] = w
        return result

    return model, q_of, B, body
