"""The oracle proved: identities between its algorithms, differences of its poses, Lagrange, and Pinocchio."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.linalg import expm

from gori.spec import GROUND, Spec
from gori.spec.base import rotation_to
from tests.reference import dynamics as dyn
from tests.reference import spatial as sp
from tests.reference.pinocchio_twin import pinocchio_twin
from tests.reference.random_spec import ALL_TYPES, random_spec, random_state, specs
from tests.reference.tree import Tree

SEEDS = range(6)


def machine(seed, n=7, **options):
    """A random tree, its state, and wrenches on a body, a frame and the ground."""
    rng = np.random.default_rng(seed)
    tree = Tree(random_spec(rng, n, **options))
    q, v, a = random_state(rng, tree)
    names = [tree.body_names[rng.integers(n)], "f0", GROUND]
    return tree, q, v, a, {name: rng.normal(size=6) for name in names}


def close(actual, expected, tolerance):
    expected = np.asarray(expected)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max(initial=0.0)))


# spatial algebra


def test_cross_products_and_transforms():
    rng = np.random.default_rng(0)
    a, b, f = rng.normal(size=(3, 6))
    R, p = sp.se3_exp(rng.normal(size=6))
    X = sp.plucker(R, p)
    close(sp.skew(a[:3]) @ b[:3], np.cross(a[:3], b[:3]), 1e-15)
    close(X @ sp.crm(a) @ b, sp.crm(X @ a) @ X @ b, 1e-13)
    close((sp.crm(a) @ b) @ f, -b @ (sp.crf(a) @ f), 1e-13)
    close(sp.plucker_inverse(X) @ X, np.eye(6), 1e-14)
    close(sp.pose_of(X)[1], p, 1e-14)
    # a twist of A seen in B: the velocity of the point of the body that is at p
    close(X @ a, np.concatenate([R.T @ a[:3], R.T @ (a[3:] + np.cross(a[:3], p))]), 1e-14)


def test_rigid_inertia_is_that_of_its_points():
    rng = np.random.default_rng(1)
    masses, points, V = rng.uniform(1, 2, 5), rng.normal(size=(5, 3)), rng.normal(size=6)
    com = masses @ points / masses.sum()
    J = sum(m * sp.skew(r - com) @ sp.skew(r - com).T for m, r in zip(masses, points))
    T = sum(0.5 * m * np.sum((V[3:] + np.cross(V[:3], r)) ** 2) for m, r in zip(masses, points))
    close(0.5 * V @ sp.rigid_inertia(masses.sum(), com, J) @ V, T, 1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0, np.pi - 1e-6])
def test_exponentials_and_logarithms(angle):
    rng = np.random.default_rng(2)
    w = rng.normal(size=3)
    w *= angle / np.linalg.norm(w)
    twist = np.concatenate([w, rng.normal(size=3)])
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = sp.skew(w), twist[3:]
    T = expm(generator)
    R, p = sp.se3_exp(twist)
    close(R, T[:3, :3], 1e-13)
    close(p, T[:3, 3], 1e-13)
    close(sp.so3_exp(w), sp.quaternion_to_rotation(sp.quaternion_exp(w)), 1e-14)
    close(sp.so3_log(R), w, 1e-13)
    close(sp.se3_log(R, p), twist, 1e-12)
    close(sp.quaternion_log(-sp.quaternion_exp(w)), w, 1e-13)


# identities


@settings(max_examples=40, deadline=None)
@given(specs())
def test_forward_and_inverse_dynamics_agree(spec):
    tree = Tree(spec)
    rng = np.random.default_rng(0)
    q, v, a = random_state(rng, tree)
    wrenches = {tree.body_names[-1]: rng.normal(size=6), "f1": rng.normal(size=6)}
    tau = dyn.rnea(tree, q, v, a, wrenches)
    M = dyn.crba(tree, q)
    rest = np.zeros(tree.nv)
    columns = [dyn.rnea(tree, q, rest, e) - dyn.rnea(tree, q, rest, rest) for e in np.eye(tree.nv)]
    close(M, np.array(columns).reshape(tree.nv, tree.nv).T, 1e-11)
    close(M, M.T, 1e-14)
    if tree.nv:
        assert np.linalg.eigvalsh(M)[0] > 0.0
    close(dyn.aba(tree, q, v, tau, wrenches), a, 1e-9)
    close(dyn.energy(tree, q, v)[0], 0.5 * v @ M @ v, 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_balance(seed):
    tree, q, v, a, wrenches = machine(seed)
    tau = dyn.rnea(tree, q, v, a, wrenches)

    # a motion with velocity v and acceleration a at t = 0; the tangent map of integrate is I + O(t)
    def total(t):
        return sum(dyn.energy(tree, dyn.integrate(tree, q, t * v), v + t * a))

    outside = sum(wrench @ dyn.jacobian(tree, q, name) @ v for name, wrench in wrenches.items())
    close(dyn.derivative(total), v @ tau + outside, 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_lagrange(seed):
    """tau = d/dt dT/dv - dT/dq + dV/dq, from energies alone, where v is the derivative of q."""
    types = [kind for kind in ALL_TYPES if kind not in ("spherical", "free")]
    tree, q, v, a, _ = machine(seed, types=types)

    def momenta(t):
        q_t, v_t = q + t * v + t * t / 2 * a, v + t * a
        return np.array([dyn.derivative(lambda s, e=e: dyn.energy(tree, q_t, v_t + s * e)[0]) for e in np.eye(tree.nv)])

    def lagrangian(x):
        kinetic, potential = dyn.energy(tree, q + x, v)
        return kinetic - potential

    slope = [dyn.derivative(lambda s, e=e: lagrangian(s * e)) for e in np.eye(tree.nv)]
    close(dyn.rnea(tree, q, v, a), dyn.derivative(momenta) - slope, 1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_follow_the_poses(seed):
    tree, q, v, _, _ = machine(seed)

    def moved(t):
        return dyn.poses(tree, dyn.integrate(tree, q, t * v))

    start, rates = dyn.poses(tree, q), {}
    for name in start:
        rates[name] = dyn.derivative(lambda t, name=name: moved(t)[name])
    for name, T in start.items():
        W = rates[name][:3, :3] @ T[:3, :3].T
        twist = np.array([W[2, 1], W[0, 2], W[1, 0], *rates[name][:3, 3]])
        close(dyn.jacobian(tree, q, name) @ v, twist, 1e-9)
    # at constant v, the second derivative of a position is Jdot v
    name, h = "f0", 0.01
    second = [(moved(s)[name] - 2 * start[name] + moved(-s)[name])[:3, 3] / s**2 for s in (2 * h, h)]
    curve = (4 * second[1] - second[0]) / 3
    close((dyn.jacobian_dot(tree, q, v, name) @ v)[3:], curve, 1e-4)


@pytest.mark.parametrize("seed", SEEDS)
def test_momentum(seed):
    """Linear momentum is m dc/dt; of a tree that floats, only gravity changes it, whatever its joints do."""
    tree, q, v, _, _ = machine(seed)
    mass = sum(link.mass for link in tree.links)
    speed = dyn.derivative(lambda t: dyn.center_of_mass(tree, dyn.integrate(tree, q, t * v)))
    close(dyn.momentum(tree, q, v)[3:], mass * speed, 1e-9)

    spec = tree.spec
    first = tree.links[0]
    joints = {name: joint for name, joint in spec.joints.items() if joint.parent != GROUND}
    rooted = {name: joint for name, joint in spec.joints.items() if joint.parent == GROUND and name != first.joint_name}
    hung = {name: joint.model_copy(update={"parent": first.name}) for name, joint in rooted.items()}
    base = {first.joint_name: {"type": "free", "parent": GROUND, "child": first.name}}
    floating = Tree(Spec(gravity=spec.gravity, bodies=spec.bodies, joints=base | joints | hung, frames=spec.frames))
    q, v, _ = random_state(np.random.default_rng(seed), floating)
    a = dyn.aba(floating, q, v, np.zeros(floating.nv))
    rate = dyn.derivative(lambda t: dyn.momentum(floating, dyn.integrate(floating, q, t * v), v + t * a))
    close(rate, [0, 0, 0, *(mass * floating.gravity)], 1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_integrate_and_difference_are_inverse(seed):
    tree, q, v, _, _ = machine(seed)
    v *= 0.5
    close(dyn.difference(tree, q, dyn.integrate(tree, q, v)), v, 1e-12)
    half = dyn.integrate(tree, q, 0.5 * v)
    close(dyn.integrate(tree, half, 0.5 * v), dyn.integrate(tree, q, v), 1e-13)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_derivatives_of_forward_and_inverse_dynamics_agree(seed):
    """da/dx = -M^-1 dtau/dx at the same point."""
    tree, q, v, a, wrenches = machine(seed, n=4)
    tau = dyn.rnea(tree, q, v, a, wrenches)
    tau_q, tau_v, tau_a = dyn.rnea_derivatives(tree, q, v, a, wrenches)
    a_q, a_v, a_tau = dyn.aba_derivatives(tree, q, v, tau, wrenches)
    M = dyn.crba(tree, q)
    close(tau_a, M, 1e-10)
    close(a_tau, np.linalg.inv(M), 1e-9)
    close(a_q, -np.linalg.solve(M, tau_q), 1e-8)
    close(a_v, -np.linalg.solve(M, tau_v), 1e-8)


# joints


PARTS = {
    "cylindrical": lambda x, y, z: [("revolute", z), ("prismatic", z)],
    "universal": lambda x, y, z: [("revolute", z), ("revolute", x)],
    "planar": lambda x, y, z: [("prismatic", x), ("prismatic", y), ("revolute", z)],
}


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_joints_of_many_freedoms_are_chains_of_simple_ones(kind, seed):
    rng = np.random.default_rng(seed)
    spec = random_spec(rng, 3, types=[kind], armature_fraction=1.0)
    bodies, joints = dict(spec.bodies), {}
    for name, joint in spec.joints.items():
        x, y, z = rotation_to(joint.axis).T
        steps = PARTS[kind](x if joint.axis2 is None else np.array(joint.axis2), y, z)
        armature = np.broadcast_to(joint.armature, len(steps))
        parent, last = joint.parent, len(steps) - 1
        for k, (type_, axis) in enumerate(steps):
            child = joint.child if k == last else f"{name}.{k}"
            keys = {"type": type_, "parent": parent, "child": child, "axis": axis, "armature": armature[k]}
            if k == 0:
                keys |= {"at": joint.at, "rpy_deg": joint.rpy_deg, "quat": joint.quat}
            if k == last:
                keys |= {key: getattr(joint, key) for key in ("child_at", "child_rpy_deg", "child_quat")}
            else:
                bodies[child] = {}
            joints[f"{name}.{k}"] = keys
            parent = child
    whole = Tree(spec)
    parts = Tree(Spec(gravity=spec.gravity, bodies=bodies, joints=joints, frames=spec.frames))
    q, v, a = random_state(rng, whole)
    assert whole.nv == parts.nv
    close(dyn.rnea(whole, q, v, a), dyn.rnea(parts, q, v, a), 1e-12)
    close(dyn.crba(whole, q), dyn.crba(parts, q), 1e-12)
    for name, T in dyn.poses(whole, q).items():
        close(T, dyn.poses(parts, q)[name], 1e-13)


def test_helical_pitch_is_per_turn():
    spec = Spec(
        bodies={"nut": {"mass": 1.0, "inertia": [1, 1, 1]}},
        joints={"screw": {"type": "helical", "parent": "ground", "child": "nut", "pitch": 0.3}},
    )
    close(dyn.poses(Tree(spec), np.array([2 * np.pi]))["nut"][:3, 3], [0, 0, 0.3], 1e-15)


def test_velocity_of_spherical_and_free_joints_is_in_the_body_frame():
    """v of a spherical joint is R_WB' w also where the joint frame is turned on the child."""
    for kind in ("spherical", "free"):
        tree, q, v, _, _ = machine(3, n=1, types=[kind])
        T = dyn.poses(tree, q)["b0"]
        twist = dyn.jacobian(tree, q, "b0") @ v
        close(T[:3, :3].T @ twist[:3], v[:3], 1e-13)
        if kind == "free":
            close(T[:3, :3].T @ twist[3:], v[3:], 1e-13)


def test_order_of_links():
    joint = {"type": "revolute"}
    spec = Spec(
        bodies={name: {"mass": 1.0} for name in "abcd"},
        joints={
            "jd": {**joint, "parent": "b", "child": "d"},
            "jb": {**joint, "parent": "ground", "child": "b"},
            "ja": {"type": "fixed", "parent": "b", "child": "a"},
            "jc": {"type": "spherical", "parent": "a", "child": "c"},
        },
    )
    tree = Tree(spec)
    assert tree.body_names == ["b", "d", "a", "c"]
    assert tree.joint_names == ["jb", "jd", "jc"]
    assert tree.q_slice["jc"] == slice(2, 6) and tree.v_slice["jc"] == slice(2, 5)
    assert (tree.nq, tree.nv) == (6, 5)


# Pinocchio


@pytest.mark.parametrize("seed", range(12))
def test_against_pinocchio(seed):
    pin = pytest.importorskip("pinocchio")
    types = ("fixed", "revolute", "prismatic", "helical", "spherical", "free")
    tree, q, v, a, wrenches = machine(seed, n=8, types=types)
    model, q_of, B, body = pinocchio_twin(tree)
    data = model.createData()
    q_p, v_p, a_p = q_of(q), B @ v, B @ a
    assert (model.nq, model.nv) == (tree.nq, tree.nv)

    # poses, Jacobians
    pin.forwardKinematics(model, data, q_p, v_p, a_p)
    where = dyn.poses(tree, q)
    for name in tree.body_names:
        close(where[name], (data.oMi[body[name][0]] * body[name][1]).homogeneous, 1e-10)
    pin.computeJointJacobians(model, data, q_p)
    pin.computeJointJacobiansTimeVariation(model, data, q_p, v_p)
    for link in tree.links:
        if link.joint.type == "free":
            at, axes = body[link.name][0], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            J = pin.getJointJacobian(model, data, at, axes) @ B
            Jdot = pin.getJointJacobianTimeVariation(model, data, at, axes) @ B
            close(dyn.jacobian(tree, q, link.name), J[[3, 4, 5, 0, 1, 2]], 1e-10)
            close(dyn.jacobian_dot(tree, q, v, link.name), Jdot[[3, 4, 5, 0, 1, 2]], 1e-9)

    # dynamics, with wrenches in the axes of its joints
    forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(model.njoints)])
    for name, wrench in wrenches.items():
        index = tree.place(name)[0]
        at = body[tree.body_names[index]][0] if index >= 0 else 0
        world = pin.SE3(np.eye(3), where[name][:3, 3]).act(pin.Force(wrench[3:], wrench[:3]))
        forces[at] += data.oMi[at].actInv(world)
    tau = dyn.rnea(tree, q, v, a, wrenches)
    close(tau, B.T @ pin.rnea(model, data, q_p, v_p, a_p, forces), 1e-10)
    a_again = pin.aba(model, data, q_p, v_p, np.linalg.solve(B.T, tau), forces)
    close(dyn.aba(tree, q, v, tau, wrenches), np.linalg.solve(B, a_again), 1e-10)
    M = np.triu(pin.crba(model, data, q_p))
    close(dyn.crba(tree, q), B.T @ (M + np.triu(M, 1).T) @ B, 1e-10)

    # centre of mass, momentum, energy; it leaves out bodies that are welded to the ground
    if model.inertias[0].mass == 0.0:
        close(dyn.center_of_mass(tree, q), pin.centerOfMass(model, data, q_p), 1e-10)
        h = pin.computeCentroidalMomentum(model, data, q_p, v_p)
        close(dyn.momentum(tree, q, v), np.concatenate([h.angular, h.linear]), 1e-10)
        close(dyn.energy(tree, q, v)[1], pin.computePotentialEnergy(model, data, q_p), 1e-10)

    # integrate and difference
    q1 = dyn.integrate(tree, q, 0.7 * v)
    close(pin.difference(model, q_p, q_of(q1)), B @ (0.7 * v), 1e-10)
    close(dyn.difference(tree, q, q1), 0.7 * v, 1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_derivatives_against_pinocchio(seed):
    pin = pytest.importorskip("pinocchio")
    tree, q, v, a, _ = machine(seed, n=5, types=("revolute", "prismatic", "helical", "spherical", "free"))
    model, q_of, B, _ = pinocchio_twin(tree)
    data = model.createData()
    tau = dyn.rnea(tree, q, v, a)
    ours = dyn.rnea_derivatives(tree, q, v, a) + dyn.aba_derivatives(tree, q, v, tau)
    theirs = pin.computeRNEADerivatives(model, data, q_of(q), B @ v, B @ a)
    for mine, other in zip(ours[:2], theirs):
        close(mine, B.T @ other @ B, 1e-9)
    theirs = pin.computeABADerivatives(model, data, q_of(q), B @ v, np.linalg.solve(B.T, tau))
    for mine, other in zip(ours[3:5], theirs):
        close(mine, np.linalg.solve(B, other @ B), 1e-8)
