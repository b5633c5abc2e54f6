"""Closed machines in other engines, for comparison: Spec in, arrays out, in our order and conventions.

Pinocchio   the constrained dynamics of Carpentier et al. (2021), whose loops are exact at the level of accelerations:
            fixed cuts are its 6D, spherical ones its 3D constraints. It agrees to rounding.
MuJoCo      `weld` and `connect` equalities. They are soft: J qdd + R f = aref, R = (1 - d)/d diag(J M^-1 J') with the
            impedance d (solimp) at most 0.9999, so that qdd is off by 1e-4 to 1e-1. Hence qdd for four values of
            (1 - d)/d, and from them the limit at zero, which agrees to 1e-6 or better. Its aref knows no J' v: only
            machines at rest compare.
"""

import numpy as np
import pytest

from gori.spec import GROUND, Spec
from tests.reference.dynamics import poses
from tests.reference.loops import open_tree
from tests.reference.pinocchio_twin import pinocchio_twin
from tests.reference.spatial import rotation_to_quaternion
from tests.reference.tree import unit

PINOCCHIO_JOINTS = ("fixed", "revolute", "prismatic", "helical", "spherical", "free")
MUJOCO_JOINTS = ("fixed", "revolute", "prismatic", "spherical")
ENGINE_CUTS = ("fixed", "spherical")


def pinocchio_loops(spec: Spec, q, v, tau, mu=0.0, steps=1):
    """qdd (nv,), and the wrench {cut: (6,)} on its child as in `loops.reactions`.

    mu, steps   of its proximal iteration, for redundant equations: 1e-6 and 100 reach the exact qdd
    """
    pin = pytest.importorskip("pinocchio", minversion="4")
    tree = open_tree(spec)
    model, q_of, B, body = pinocchio_twin(tree)
    constraints = pin.StdVec_RigidConstraintModel()
    for cut in spec.cuts.values():
        kind = pin.ContactType.CONTACT_6D if cut.type == "fixed" else pin.ContactType.CONTACT_3D
        (joint_A, T_A), (joint_B, T_B) = body[cut.parent], body[cut.child]
        T_A, T_B = T_A * pin.SE3(*cut.pose()), T_B * pin.SE3(*cut.child_pose())
        constraints.append(pin.RigidConstraintModel(kind, model, joint_A, T_A, joint_B, T_B, pin.ReferenceFrame.LOCAL))
    data, results = model.createData(), pin.StdVec_RigidConstraintData()
    for constraint in constraints:
        results.append(constraint.createData())
    pin.initConstraintDynamics(model, data, constraints, results)
    settings = pin.ProximalSettings(1e-14, mu, steps)
    qdd = pin.constraintDynamics(model, data, q_of(q), B @ v, np.linalg.solve(B.T, tau), constraints, results, settings)

    wrenches = {}
    for (name, cut), result in zip(spec.cuts.items(), results):
        # its force acts on the first body, in the axes of frame A, which is where frame B is for a fixed cut
        R_WA = poses(tree, q)[cut.parent][:3, :3] @ cut.pose()[0]
        force = result.contact_force
        moment = force.angular if cut.type == "fixed" else np.zeros(3)
        wrenches[name] = -np.concatenate([R_WA @ moment, R_WA @ force.linear])
    return np.linalg.solve(B, qdd), wrenches


def mujoco_loops(spec: Spec, q, tau):
    """qdd (nv,) at rest: the limit of ever stiffer equalities, by the cubic through four of them (Lagrange)."""
    softness = np.array([1.01e-4, 2e-4, 4e-4, 8e-4])
    qdd = np.zeros(len(tau))
    for i, s in enumerate(softness):
        others = np.delete(softness, i)
        qdd += np.prod(others / (others - s)) * mujoco_soft_loops(spec, q, tau, 1.0 / (1.0 + s))
    return qdd


def mujoco_soft_loops(spec: Spec, q, tau, impedance):
    """qdd (nv,) at rest as it is for one impedance."""
    mujoco = pytest.importorskip("mujoco")
    tree, machine = open_tree(spec), mujoco.MjSpec()
    machine.option.gravity = spec.gravity
    machine.option.tolerance, machine.option.iterations = 0.0, 100
    machine.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    bodies = {GROUND: machine.worldbody}
    kinds = {
        "revolute": mujoco.mjtJoint.mjJNT_HINGE,
        "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
        "spherical": mujoco.mjtJoint.mjJNT_BALL,
    }
    for link in tree.links:
        joint = link.joint
        (R_PF, p_PF), (R_CJ, p_CJ) = joint.pose(), joint.child_pose()
        R_PC = R_PF @ R_CJ.T
        at = {"pos": p_PF - R_PC @ p_CJ, "quat": rotation_to_quaternion(R_PC)}
        body = bodies[link.name] = bodies[joint.parent].add_body(name=link.name, **at)
        mass, com, J = spec.bodies[link.name].inertial()
        body.explicitinertial, body.mass, body.ipos = True, mass, com
        body.fullinertia = J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        if joint.type != "fixed":
            axis = R_CJ @ unit(joint.axis)
            armature = joint.armature[0]
            body.add_joint(name=link.joint_name, type=kinds[joint.type], pos=p_CJ, axis=axis, armature=armature)
    for name, cut in spec.cuts.items():
        for side, body, (R, p) in (("A", cut.parent, cut.pose()), ("B", cut.child, cut.child_pose())):
            bodies[body].add_site(name=name + side, pos=p, quat=rotation_to_quaternion(R))
        weld = cut.type == "fixed"
        equality = machine.add_equality(
            name1=name + "A",
            name2=name + "B",
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            type=mujoco.mjtEq.mjEQ_WELD if weld else mujoco.mjtEq.mjEQ_CONNECT,
            solimp=[impedance, impedance, 0.001, 0.5, 2.0],
        )
        if weld:
            equality.data[10] = 10.0  # torque scale: R is not scaled with it, so that turning becomes 100 times stiffer

    model = machine.compile()
    data, qdd = mujoco.MjData(model), np.zeros(tree.nv)
    for name, at in tree.q_slice.items():
        data.qpos[model.joint(name).qposadr[0] :][: at.stop - at.start] = q[at]
        dof = tree.v_slice[name]
        data.qfrc_applied[model.joint(name).dofadr[0] :][: dof.stop - dof.start] = tau[dof]
    mujoco.mj_forward(model, data)
    for name, dof in tree.v_slice.items():
        qdd[dof] = data.qacc[model.joint(name).dofadr[0] :][: dof.stop - dof.start]
    return qdd
