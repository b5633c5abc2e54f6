"""Closed loops in relative coordinates: the tree's dynamics, and the equations of the cuts and mimic joints.

q and v are those of the tree that remains without cuts and with every mimic joint free. The equations stand in the
order of the cuts of the Spec, each in the order of `loop_equations.EQUATIONS`, then of its mimic joints.

phi(q) = 0,  J v = 0,  J qdd + gamma = 0,  M qdd + J' lambda = tau - bias  (Featherstone 2008, chapter 8)

`wrenches` are as in `dynamics`. Nothing here is refused: states that do not close give what the formulas give.
"""

import numpy as np
from scipy.linalg import qr

from gori.spec import Spec
from tests.reference import dynamics as dyn
from tests.reference.loop_equations import EQUATIONS, equations, frames, motions
from tests.reference.spatial import skew
from tests.reference.tree import Tree

RANK = 1e-9
"""singular values below this part of the largest count as zero"""


def open_tree(spec: Spec) -> Tree:
    return Tree(spec, open_loops=True)


def mimics(spec: Spec):
    """Name and coupling of every mimic joint, in the order of the Spec."""
    return [(name, joint.mimic) for name, joint in spec.joints.items() if joint.mimic is not None]


# kinematics


def names(spec: Spec) -> list[str]:
    """Names of the equations: `D.x`, `D.ry`, `D.length`, `finger.mimic`."""
    cuts = [f"{name}.{kind}" for name, cut in spec.cuts.items() for kind in EQUATIONS[cut.type]]
    return [*cuts, *(f"{name}.mimic" for name, _ in mimics(spec))]


def cut_rows(spec: Spec, q, v):
    """Of every cut: its name, its frames A and B, and value, row and gamma of its equations."""
    tree = open_tree(spec)
    links = motions(tree, q, v, np.zeros(tree.nv))
    for name, cut in spec.cuts.items():
        A, B = frames(tree, cut, links)
        yield name, A, B, equations(cut, A, B)


def residual(spec: Spec, q):
    """phi (nc,): zero where every loop is closed [m, rad, or no unit for directions]."""
    tree = open_tree(spec)
    values = [value for *_, rows in cut_rows(spec, q, np.zeros(tree.nv)) for value, _, _ in rows]
    for name, mimic in mimics(spec):
        values.append(q[tree.q_slice[name]][0] - mimic.ratio * q[tree.q_slice[mimic.joint]][0] - mimic.offset)
    return np.array(values)


def jacobian(spec: Spec, q):
    """J (nc, nv): phi' = J v. A row is moment and force at p_B on what B does relative to A's body there."""
    tree = open_tree(spec)
    J = []
    for name, _, B, rows in cut_rows(spec, q, np.zeros(tree.nv)):
        cut = spec.cuts[name]
        relative = twist_jacobian(tree, q, cut.child, B.p) - twist_jacobian(tree, q, cut.parent, B.p)
        J += [row @ relative for _, row, _ in rows]
    for name, mimic in mimics(spec):
        row = np.zeros(tree.nv)
        row[tree.v_slice[name]], row[tree.v_slice[mimic.joint]] = 1.0, -mimic.ratio
        J.append(row)
    return np.array(J).reshape(-1, tree.nv)


def twist_jacobian(tree: Tree, q, body, point):
    """(6, nv): angular velocity of a body, and velocity of its point that is at `point` now; world axes."""
    J = dyn.jacobian(tree, q, body)
    r = point - dyn.poses(tree, q)[body][:3, 3]
    return np.vstack([J[:3], J[3:] - skew(r) @ J[:3]])


def gamma(spec: Spec, q, v):
    """J' v (nc,), J' the rate of J along v: phi'' where qdd = 0."""
    values = [value for *_, rows in cut_rows(spec, q, v) for _, _, value in rows]
    return np.array([*values, *(0.0 for _ in mimics(spec))])


def assemble(spec: Spec, q, tolerance=1e-13, steps=100):
    """q near the given one at which the loops close: Newton's method, q <- q (+) s (-J+ phi).

    J+ by SVD, so that redundant equations do no harm; s halves until |phi| shrinks (damping).
    """
    tree = open_tree(spec)
    phi = residual(spec, q)
    for _ in range(steps):
        if np.abs(phi).max(initial=0.0) <= tolerance:
            return q
        step = -np.linalg.pinv(jacobian(spec, q), rcond=1e-7) @ phi
        s = 1.0
        while s > 1e-6:
            q_new = dyn.integrate(tree, q, s * step)
            phi_new = residual(spec, q_new)
            if np.linalg.norm(phi_new) < np.linalg.norm(phi):
                break
            s *= 0.5
        else:
            break  # no step makes them smaller
        q, phi = q_new, phi_new
    raise ArithmeticError(f"the loops do not close: {np.abs(phi).max():.2g} remains")


def rank(J):
    return int(np.linalg.matrix_rank(J, tol=RANK * max(np.linalg.norm(J, 2), 1e-3))) if J.size else 0


def null_space(J):
    """Orthonormal columns (nv, nv - rank) with J N = 0: the motions that the loops allow."""
    return np.linalg.svd(J)[2][rank(J) :].T if J.size else np.eye(J.shape[1])


def consistent(spec: Spec, q, v):
    """The velocity nearest to v that the loops allow."""
    N = null_space(jacobian(spec, q))
    return N @ (N.T @ v)


def independent(spec: Spec, q) -> list[int]:
    """Degrees of freedom (nv - rank of them) that determine all others well: those that pivoted QR of J leaves."""
    J = jacobian(spec, q)
    order = qr(J, pivoting=True, mode="r")[1] if J.size else np.arange(J.shape[1])
    return sorted(int(dof) for dof in order[rank(J) :])


# dynamics


def constrained(spec: Spec, q, v, tau, wrenches=None):
    """Accelerations qdd (nv,) and multipliers lambda (nc,), these of least length where equations are redundant.

    [M J'; J 0] [qdd; lambda] = [tau - bias; -gamma], by the pseudo-inverse of the whole matrix, refined once: alone it
    leaves rounding of some 1e-12, which depends on the processor.
    """
    tree = open_tree(spec)
    M, J = dyn.crba(tree, q), jacobian(spec, q)
    bias = dyn.rnea(tree, q, v, np.zeros(tree.nv), wrenches)
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    inverse, right = np.linalg.pinv(K, rcond=RANK, hermitian=True), np.concatenate([tau - bias, -gamma(spec, q, v)])
    x = inverse @ right
    x += inverse @ (right - K @ x)
    return x[: tree.nv], x[tree.nv :]


def partition(spec: Spec, q, v, tau, chosen, wrenches=None):
    """qdd (nv,) and lambda (nc,) by the reduced equation of the independent coordinates v; w are the others.

    B = -Jw+ Jv,  qdd_w = B qdd_v - Jw+ gamma,  (Mvv + Mvw B + B' Mwv + B' Mww B) qdd_v
    = (tau - bias)_v + B' (tau - bias)_w + (Mvw + B' Mww) Jw+ gamma;  Jw+ by SVD (Wehage and Haug 1982).

    chosen   indices of v among the degrees of freedom, such as `independent` gives
    """
    tree = open_tree(spec)
    M, J, g = dyn.crba(tree, q), jacobian(spec, q), gamma(spec, q, v)
    force = tau - dyn.rnea(tree, q, v, np.zeros(tree.nv), wrenches)
    n, w = list(chosen), [dof for dof in range(tree.nv) if dof not in set(chosen)]
    Jw_inverse = np.linalg.pinv(J[:, w], rcond=RANK)
    B = -Jw_inverse @ J[:, n]
    across = M[np.ix_(n, w)] + B.T @ M[np.ix_(w, w)]
    reduced = M[np.ix_(n, n)] + B.T @ M[np.ix_(w, n)] + across @ B
    qdd = np.zeros(tree.nv)
    qdd[n] = np.linalg.solve(reduced, force[n] + B.T @ force[w] + across @ Jw_inverse @ g)
    qdd[w] = B @ qdd[n] - Jw_inverse @ g
    return qdd, Jw_inverse.T @ (force - M @ qdd)[w]


def reactions(spec: Spec, q, v, tau, wrenches=None):
    """Wrench on the child at every joint, fixed ones too, and at every cut: {name: (6,)}.

    Moment about the origin of the joint frame on the child, then force; world axes. It is the whole of what the joint
    transmits: with the drive's part tau - armature qdd, and that of a mimic joint's coupling. Where equations are
    redundant it rests on multipliers of least length: `unique_part` tells what of it does not depend on that.
    """
    tree = open_tree(spec)
    qdd, multipliers = constrained(spec, q, v, tau, wrenches)
    return transmitted(spec, q, loads(tree, q, v, qdd, wrenches), multipliers)


def loads(tree: Tree, q, v, qdd, wrenches=None):
    """What joints and cuts together must put on each link (6,), about the world's origin: Newton and Euler.

    force = m (a_c - g) - external,  moment about the centre of mass = J alpha + w x J w - external
    """
    result = []
    for link, motion in zip(tree.links, motions(tree, q, v, qdd)):
        mass, com, inertia = tree.spec.bodies[link.name].inertial()
        center = motion.frame(np.eye(3), com)
        J = motion.R @ inertia @ motion.R.T
        force = mass * (center.a - tree.gravity)
        moment = J @ motion.alpha + np.cross(motion.w, J @ motion.w)
        result.append(np.concatenate([moment + np.cross(center.p, force), force]))
    where = dyn.poses(tree, q)
    for name, wrench in (wrenches or {}).items():
        index, _, _ = tree.place(name)
        if index >= 0:
            result[index] = result[index] - about_origin(wrench, where[name][:3, 3])
    return result


def about_origin(wrench, point):
    """A wrench at a point, moved to the world's origin; about_origin(wrench, -point) moves it back."""
    return np.concatenate([wrench[:3] + np.cross(point, wrench[3:]), wrench[3:]])


def transmitted(spec: Spec, q, needed, multipliers):
    """Wrenches of joints and cuts, from the loads of the links (about the world's origin) and the multipliers.

    A cut puts -sum lambda row on its child and the opposite on its parent; then, from the tips to the ground, a joint
    carries what its child needs beside the cuts, and all that the child's own joints carry.
    """
    tree = open_tree(spec)
    needed, result, k = [*needed], {}, 0
    for name, _, B, rows in cut_rows(spec, q, np.zeros(tree.nv)):
        result[name] = -sum(multipliers[k + i] * row for i, (_, row, _) in enumerate(rows))
        k += len(rows)
        for body, sign in ((spec.cuts[name].child, 1.0), (spec.cuts[name].parent, -1.0)):
            index, _, _ = tree.place(body)
            if index >= 0:
                needed[index] = needed[index] - sign * about_origin(result[name], B.p)
    where = dyn.poses(tree, q)
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        T = where[link.name]
        origin = T[:3, :3] @ link.joint.child_pose()[1] + T[:3, 3]
        result[link.joint_name] = about_origin(needed[i], -origin)
        if link.parent >= 0:
            needed[link.parent] = needed[link.parent] + needed[i]
    return result


def unique_part(spec: Spec, q):
    """{joint or cut: P (6, 6)}: P reaction is the part of a reaction that is unique, where equations are redundant.

    It is what no multipliers with J' lambda = 0 change (Wojtyra 2009, "Joint reactions in rigid body mechanisms with
    dependent constraints"); P = 1 where the whole reaction is unique.
    """
    tree = open_tree(spec)
    still = [np.zeros(6) for _ in tree.links]
    changes = [transmitted(spec, q, still, multipliers) for multipliers in null_space(jacobian(spec, q).T).T]
    result = {}
    for name in [*spec.joints, *spec.cuts]:
        U, s, _ = np.linalg.svd(np.column_stack([np.zeros(6), *(change[name] for change in changes)]))
        U = U[:, : np.count_nonzero(s > 1e-8)]
        result[name] = np.eye(6) - U @ U.T
    return result


def center_accelerations(spec: Spec, q, v, qdd):
    """{body: (6,)}: angular acceleration, and acceleration of the centre of mass; world axes."""
    tree = open_tree(spec)
    result = {}
    for link, motion in zip(tree.links, motions(tree, q, v, qdd)):
        center = motion.frame(np.eye(3), spec.bodies[link.name].inertial()[1])
        result[link.name] = np.concatenate([center.alpha, center.a])
    return result
