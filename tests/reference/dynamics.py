"""Kinematics and dynamics of a tree in body coordinates (Featherstone 2008, chapters 4 to 7).

q (nq,), v, a and tau (nv,) follow the links of the tree, depth first. `wrenches` maps names of bodies or frames to
(moment; force) in world axes, acting at the origin of that body or frame.
"""

import numpy as np

from gori.spec import GROUND
from tests.reference.spatial import (
    crf,
    crm,
    plucker,
    pose_of,
    quaternion_exp,
    quaternion_log,
    quaternion_product,
    quaternion_to_rotation,
    se3_exp,
    se3_log,
    skew,
)
from tests.reference.tree import Tree


def link_poses(tree: Tree, q):
    """R_WB, p_WB of every link."""
    X_BW = []
    for link in tree.links:
        X_CP, _, _ = link.move(q, np.zeros(tree.nv))
        X_BW.append(X_CP @ (X_BW[link.parent] if link.parent >= 0 else np.eye(6)))
    return [pose_of(X) for X in X_BW]


def poses(tree: Tree, q):
    """Pose (4, 4) in the world of every body and frame, and of the ground, by name."""
    links = link_poses(tree, q)
    result = {}
    for name in [GROUND, *tree.body_names, *tree.spec.frames]:
        index, R_BF, p_BF = tree.place(name)
        R_WB, p_WB = links[index] if index >= 0 else (np.eye(3), np.zeros(3))
        T_WF = np.eye(4)
        T_WF[:3, :3], T_WF[:3, 3] = R_WB @ R_BF, p_WB + R_WB @ p_BF
        result[name] = T_WF
    return result


def velocities(tree: Tree, q, v):
    """Twist (6,) of every link, body coordinates: v_i = X v_parent + S v."""
    twists = []
    for link in tree.links:
        X, S, _ = link.move(q, v)
        twists.append(X @ (twists[link.parent] if link.parent >= 0 else np.zeros(6)) + S @ v[link.v])
    return twists


def external_forces(tree: Tree, q, wrenches):
    """Sum of the wrenches on every link (6,), body coordinates."""
    links, where = link_poses(tree, q), poses(tree, q)
    forces = [np.zeros(6) for _ in tree.links]
    for name, wrench in (wrenches or {}).items():
        index, _, _ = tree.place(name)
        if index >= 0:
            R_WB, p_WB = links[index]
            # coordinates with world axes at the frame's origin, as seen from the link
            X = plucker(R_WB.T, R_WB.T @ (where[name][:3, 3] - p_WB))
            forces[index] += X.T @ np.asarray(wrench)
    return forces


def rnea(tree: Tree, q, v, a, wrenches=None):
    """Inverse dynamics tau (nv,): recursive Newton-Euler (table 5.1)."""
    base = np.concatenate([np.zeros(3), -tree.gravity])
    moves, twists, accelerations, forces = [], [], [], []
    for link, f_ext in zip(tree.links, external_forces(tree, q, wrenches)):
        X, S, c_J = link.move(q, v)
        root = link.parent < 0
        v_J = S @ v[link.v]
        V = X @ (np.zeros(6) if root else twists[link.parent]) + v_J
        A = X @ (base if root else accelerations[link.parent]) + S @ a[link.v] + c_J + crm(V) @ v_J
        moves.append((X, S))
        twists.append(V)
        accelerations.append(A)
        forces.append(link.inertia @ A + crf(V) @ link.inertia @ V - f_ext)

    tau = tree.armature * a
    for i in reversed(range(len(tree.links))):
        X, S = moves[i]
        link = tree.links[i]
        tau[link.v] += S.T @ forces[i]
        if link.parent >= 0:
            forces[link.parent] += X.T @ forces[i]
    return tau


def crba(tree: Tree, q):
    """Mass matrix M (nv, nv): composite rigid bodies (table 6.2), armature on the diagonal."""
    moves = [link.move(q, np.zeros(tree.nv))[:2] for link in tree.links]
    composite = [link.inertia.copy() for link in tree.links]
    M = np.diag(tree.armature)
    for i in reversed(range(len(tree.links))):
        X, S = moves[i]
        link = tree.links[i]
        if link.parent >= 0:
            composite[link.parent] += X.T @ composite[i] @ X
        F = composite[i] @ S
        M[link.v, link.v] += S.T @ F
        j = i
        while tree.links[j].parent >= 0:
            F = moves[j][0].T @ F
            j = tree.links[j].parent
            M[link.v, tree.links[j].v] = F.T @ moves[j][1]
            M[tree.links[j].v, link.v] = M[link.v, tree.links[j].v].T
    return M


def aba(tree: Tree, q, v, tau, wrenches=None):
    """Forward dynamics a (nv,): articulated bodies (table 7.1), armature added to D."""
    moves, twists, bias, IA, pA = [], [], [], [], []
    for link, f_ext in zip(tree.links, external_forces(tree, q, wrenches)):
        X, S, c_J = link.move(q, v)
        v_J = S @ v[link.v]
        V = X @ (twists[link.parent] if link.parent >= 0 else np.zeros(6)) + v_J
        moves.append((X, S))
        twists.append(V)
        bias.append(c_J + crm(V) @ v_J)
        IA.append(link.inertia.copy())
        pA.append(crf(V) @ link.inertia @ V - f_ext)

    solved = [None] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        X, S = moves[i]
        link = tree.links[i]
        U = IA[i] @ S
        D = S.T @ U + np.diag(link.armature)
        u = tau[link.v] - S.T @ pA[i]
        solved[i] = U, D, u
        if link.parent >= 0:
            Ia = IA[i] - U @ np.linalg.solve(D, U.T)
            pa = pA[i] + Ia @ bias[i] + U @ np.linalg.solve(D, u)
            IA[link.parent] += X.T @ Ia @ X
            pA[link.parent] += X.T @ pa

    base = np.concatenate([np.zeros(3), -tree.gravity])
    a, accelerations = np.zeros(tree.nv), []
    for i, link in enumerate(tree.links):
        X, S = moves[i]
        U, D, u = solved[i]
        A = X @ (accelerations[link.parent] if link.parent >= 0 else base) + bias[i]
        a[link.v] = np.linalg.solve(D, u - U.T @ A)
        accelerations.append(A + S @ a[link.v])
    return a


def jacobian(tree: Tree, q, name):
    """J (6, nv) of a body or frame: (angular velocity; velocity of its origin) = J v, world axes."""
    links = link_poses(tree, q)
    point = poses(tree, q)[name][:3, 3]
    J = np.zeros((6, tree.nv))
    for i in tree.path(tree.place(name)[0]):
        link = tree.links[i]
        R_WB, p_WB = links[i]
        # twist of the link that this joint moves, seen with world axes at the frame's origin
        _, S, _ = link.move(q, np.zeros(tree.nv))
        J[:, link.v] = plucker(R_WB.T, R_WB.T @ (point - p_WB)) @ S
    return J


def center_of_mass(tree: Tree, q):
    """Centre of mass (3,) of all bodies, those welded to the ground too, world frame [m]."""
    moments = [link.mass * (p + R @ link.com) for link, (R, p) in zip(tree.links, link_poses(tree, q))]
    return sum(moments, np.zeros(3)) / sum(link.mass for link in tree.links)


def energy(tree: Tree, q, v):
    """Kinetic energy 1/2 v' M v, that of the armatures included, and potential energy -sum m g.c [J]."""
    kinetic = 0.5 * tree.armature @ v**2
    kinetic += sum(0.5 * V @ link.inertia @ V for link, V in zip(tree.links, velocities(tree, q, v)))
    return kinetic, -sum(link.mass for link in tree.links) * tree.gravity @ center_of_mass(tree, q)


def momentum(tree: Tree, q, v):
    """Momentum (6,) of the bodies, without the armatures: (angular about the centre of mass; linear), world axes."""
    total = np.zeros(6)
    for link, (R_WB, p_WB), V in zip(tree.links, link_poses(tree, q), velocities(tree, q, v)):
        total += plucker(R_WB, p_WB).T @ link.inertia @ V
    # from the world's origin to the centre of mass: h_c = h_o - c x l
    total[:3] -= skew(center_of_mass(tree, q)) @ total[3:]
    return total


def integrate(tree: Tree, q, dv):
    """q (nq,) after unit time at the constant joint velocity dv (nv,). Quaternions come out normalised."""
    result = np.zeros(tree.nq)
    for link in tree.links:
        q_i, dv_i = q[link.q], dv[link.v]
        if link.joint.type == "spherical":
            # R_PB = R(q) R_CJ', and R_PB exp(dv) = R(q) exp(R_CJ' dv) R_CJ'
            R_CJ, _ = link.joint.child_pose()
            result[link.q] = quaternion_product(q_i / np.linalg.norm(q_i), quaternion_exp(R_CJ.T @ dv_i))
        elif link.joint.type == "free":
            _, p = se3_exp(dv_i)
            quat = quaternion_product(q_i[:4] / np.linalg.norm(q_i[:4]), quaternion_exp(dv_i[:3]))
            result[link.q] = *quat, *(q_i[4:] + quaternion_to_rotation(q_i[:4]) @ p)
        else:
            result[link.q] = q_i + dv_i
    return result


def difference(tree: Tree, q0, q1):
    """dv (nv,) such that integrate(q0, dv) is the configuration q1; turns of pi at most for quaternions."""
    conjugate = np.array([1.0, -1.0, -1.0, -1.0])
    dv = np.zeros(tree.nv)
    for link in tree.links:
        a, b = q0[link.q], q1[link.q]
        if link.joint.type == "spherical":
            R_CJ, _ = link.joint.child_pose()
            turn = quaternion_product(conjugate * a / np.linalg.norm(a), b / np.linalg.norm(b))
            dv[link.v] = R_CJ @ quaternion_log(turn)
        elif link.joint.type == "free":
            R0, R1 = quaternion_to_rotation(a[:4]), quaternion_to_rotation(b[:4])
            dv[link.v] = se3_log(R0.T @ R1, R0.T @ (b[4:] - a[4:]))
        else:
            dv[link.v] = b - a
    return dv


def derivative(f, h=0.01):
    """df/dt at t = 0: central differences with h, h/2, h/4, extrapolated to sixth order (Richardson)."""
    d1, d2, d3 = ((f(s) - f(-s)) / (2.0 * s) for s in (h, h / 2.0, h / 4.0))
    return (64.0 * d3 - 20.0 * d2 + d1) / 45.0


def jacobian_dot(tree: Tree, q, v, name):
    """dJ/dt (6, nv) along the motion with joint velocity v, by differences."""
    speed = 1.0 + np.linalg.norm(v)
    return speed * derivative(lambda s: jacobian(tree, integrate(tree, q, s * v / speed), name))


def columns(tree: Tree, f):
    """df/dx (n, nv) at x = 0 of f(x), x (nv,), one column a direction."""
    directions = [derivative(lambda s, e=e: f(s * e)) for e in np.eye(tree.nv)]
    return np.column_stack([np.zeros((tree.nv, 0)), *directions])


def rnea_derivatives(tree: Tree, q, v, a, wrenches=None):
    """d tau/dq in the tangent space, d tau/dv, d tau/da, each (nv, nv). Wrenches stay constant in world axes."""
    return (
        columns(tree, lambda x: rnea(tree, integrate(tree, q, x), v, a, wrenches)),
        columns(tree, lambda x: rnea(tree, q, v + x, a, wrenches)),
        columns(tree, lambda x: rnea(tree, q, v, a + x, wrenches)),
    )


def aba_derivatives(tree: Tree, q, v, tau, wrenches=None):
    """da/dq in the tangent space, da/dv, da/dtau, each (nv, nv). Wrenches stay constant in world axes."""
    return (
        columns(tree, lambda x: aba(tree, integrate(tree, q, x), v, tau, wrenches)),
        columns(tree, lambda x: aba(tree, q, v + x, tau, wrenches)),
        columns(tree, lambda x: aba(tree, q, v, tau + x, wrenches)),
    )


def aba_transposed(tree: Tree, q, v, tau, g):
    """How g' a changes with q in the tangent space, with v and with tau, each (nv,)."""
    return tuple(g @ by for by in aba_derivatives(tree, q, v, tau))
