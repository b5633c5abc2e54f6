"""The twins of closed loops proved: differences, each other, other engines, and machines worked out by hand."""

import numpy as np
import pytest
from hypothesis import example, given, settings

from gori.spec import GROUND, Spec
from tests.checks import close
from tests.reference import absolute, loops
from tests.reference import dynamics as dyn
from tests.reference.loop_equations import EQUATIONS
from tests.reference.loop_oracles import (
    ENGINE_CUTS,
    MUJOCO_JOINTS,
    PINOCCHIO_JOINTS,
    mujoco_loops,
    pinocchio_loops,
)
from tests.reference.random_loops import (
    CUT_TYPES,
    changed,
    closed_machines,
    four_bars,
    random_closed,
    random_overconstrained,
    random_planar,
    rebuilt,
    start,
)
from tests.reference.random_spec import random_spec, random_state
from tests.reference.spatial import rotation_to_quaternion
from tests.reference.tree import Tree

SEEDS = range(5)
MAKERS = {
    "closed": random_closed,
    "mimic": lambda rng: random_closed(rng, n_mimic=2),
    "twice": random_overconstrained,
    "planar": lambda rng: random_planar(rng, 7, 2),
}


def machine(kind, seed):
    """A random machine and its state, tau, and wrenches on two bodies and a frame."""
    rng = np.random.default_rng(seed)
    spec, q, v = MAKERS[kind](rng)
    wrenches = {name: rng.normal(size=6) for name in ["b0", "b1", *list(spec.frames)[:1]]}
    return spec, q, v, rng.normal(size=len(v)), wrenches


# equations


def along(f, spec, q, v):
    """Rate of f(spec, q) at the joint velocity v, by differences."""
    tree = loops.open_tree(spec)
    return dyn.derivative(lambda s: f(spec, dyn.integrate(tree, q, s * v)))


@pytest.mark.parametrize("kind", CUT_TYPES)
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_rates_of_the_equations(kind, seed):
    """J and gamma are the derivatives of the residual and of J v, where the loop is closed and where it is not; those
    of a screw, whose angle needs its axes in one line, only where it is.
    """
    rng = np.random.default_rng(seed)
    spec, closed, _ = random_closed(rng, n_cuts=1, cut_types=(kind,), n_mimic=1)
    tree = loops.open_tree(spec)
    assert len(loops.names(spec)) == len(loops.residual(spec, closed)) == len(EQUATIONS[kind]) + 1
    close(loops.residual(spec, closed), 0.0, 1e-14)
    for q in (closed, dyn.integrate(tree, closed, 0.3 * rng.normal(size=tree.nv)))[: 1 if kind == "helical" else 2]:
        J = np.column_stack([along(loops.residual, spec, q, e) for e in np.eye(tree.nv)])
        close(loops.jacobian(spec, q), J, 1e-10)
        v = rng.normal(size=tree.nv)
        if kind == "helical":
            v -= np.linalg.pinv(J) @ (J @ v)
        v /= np.linalg.norm(v)
        close(loops.gamma(spec, q, v), along(loops.jacobian, spec, q, v) @ v, 1e-10)


def test_order_and_names_of_the_equations():
    spec, _, _ = four_bars(1)
    rod = {"type": "distance", "parent": "up0", "child": "up1", "length": 1.0}
    follow = changed(spec.joints["foot0"], mimic={"joint": "foot1", "ratio": 2.0, "offset": 0.3})
    cuts, joints = {"D": spec.cuts["pin0"], "rod": rod}, {**spec.joints, "foot0": follow}
    spec = rebuilt(spec, cuts=cuts, joints=joints)
    assert loops.names(spec) == ["D.x", "D.y", "D.z", "D.rx", "D.ry", "rod.length", "foot0.mimic"]
    tree = loops.open_tree(spec)
    q = np.zeros(tree.nq)
    q[tree.q_slice["foot0"]], q[tree.q_slice["foot1"]] = 0.7, 0.1
    close(loops.residual(spec, q)[-1], 0.7 - 2.0 * 0.1 - 0.3, 1e-15)
    # at q = 0 all bars lie along x, and both sides of the pin are at x = 2
    close(loops.residual(spec, np.zeros(tree.nq))[:6], 0.0, 1e-15)
    # frame B turned by +0.1 about x of A makes rx positive
    tilted = spec.set("cuts.D.child_quat", (np.cos(0.05), np.sin(0.05), 0.0, 0.0))
    close(loops.residual(tilted, np.zeros(tree.nq))[:5], [0, 0, 0, np.sin(0.1), 0], 1e-15)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_machines_close_and_assemble(kind, seed):
    spec, q, v, _, _ = machine(kind, seed)
    J = loops.jacobian(spec, q)
    close(loops.residual(spec, q), 0.0, 1e-14)
    close(J @ v, 0.0, 1e-12)
    assert np.linalg.norm(v) > 0.1
    for mine, given_back in zip((q, v), start(spec)):
        assert np.array_equal(mine, given_back)
    redundant = {"closed": 0, "mimic": 0, "twice": len(J) // 2, "planar": 6}[kind]
    assert len(J) - loops.rank(J) == redundant

    apart = dyn.integrate(loops.open_tree(spec), q, 0.05 * np.random.default_rng(seed).normal(size=len(v)))
    assert np.abs(loops.residual(spec, apart)).max() > 1e-4
    close(loops.residual(spec, loops.assemble(spec, apart)), 0.0, 1e-13)


def test_what_cannot_close_is_not_assembled():
    spec, q, _ = four_bars(1)
    apart = spec.set("joints.foot1.at", [5.0, 0.0, 0.0])
    with pytest.raises(ArithmeticError, match="do not close"):
        loops.assemble(apart, q)


# dynamics


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_reduced_equation_gives_the_same(kind, seed):
    spec, q, v, tau, wrenches = machine(kind, seed)
    tree, J = loops.open_tree(spec), loops.jacobian(spec, q)
    qdd, multipliers = loops.constrained(spec, q, v, tau, wrenches)
    close(J @ qdd, -loops.gamma(spec, q, v), 1e-11)
    close(dyn.rnea(tree, q, v, qdd, wrenches) + J.T @ multipliers, tau, 1e-11)
    N = loops.null_space(J.T)
    close(multipliers - N @ (N.T @ multipliers), multipliers, 1e-11)  # of least length
    chosen = loops.independent(spec, q)
    assert len(chosen) == tree.nv - loops.rank(J) > 0
    for mine, other in zip((qdd, multipliers), loops.partition(spec, q, v, tau, chosen, wrenches)):
        close(mine, other, 1e-10)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(8))
def test_absolute_coordinates_give_the_same(kind, seed):
    spec, q, v, tau, wrenches = machine(kind, seed)
    qdd, _ = loops.constrained(spec, q, v, tau, wrenches)
    other = absolute.solve(spec, q, v, tau, wrenches)
    close(other.qdd, qdd, 1e-10)
    for name, acceleration in loops.center_accelerations(spec, q, v, qdd).items():
        close(other.accelerations[name], acceleration, 1e-10)
    reactions, unique = loops.reactions(spec, q, v, tau, wrenches), loops.unique_part(spec, q)
    assert {*reactions} == {*other.reactions} == {*unique} == {*spec.joints, *spec.cuts}
    for name, P in unique.items():
        close(P @ other.reactions[name], P @ reactions[name], 1e-10)
    if kind in ("closed", "mimic"):
        assert all(np.array_equal(P, np.eye(6)) for P in unique.values())


@settings(max_examples=20, deadline=None)
@given(closed_machines())
@example(random_closed(np.random.default_rng(446), 4))  # a loop that says nothing
@example(random_closed(np.random.default_rng(1754), 6))  # one that says next to nothing
def test_absolute_coordinates_give_the_same_anywhere(case):
    spec, q, v = case
    tau = np.ones(len(v))
    other = absolute.solve(spec, q, v, tau)
    close(other.qdd, loops.constrained(spec, q, v, tau)[0], 1e-9)
    unique = loops.unique_part(spec, q)  # a few of these machines have equations that follow from others
    for name, wrench in loops.reactions(spec, q, v, tau).items():
        close(unique[name] @ other.reactions[name], unique[name] @ wrench, 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_joint_transmits_along_its_freedoms_is_the_drive(seed):
    """S' reaction = tau - armature qdd at every joint of the tree."""
    spec, q, v, tau, wrenches = machine("closed", seed)
    tree = loops.open_tree(spec)
    qdd, _ = loops.constrained(spec, q, v, tau, wrenches)
    where = dyn.poses(tree, q)
    for link in tree.links:
        wrench = loops.reactions(spec, q, v, tau, wrenches)[link.joint_name]
        T = where[link.name]
        arm = T[:3, :3] @ link.joint.child_pose()[1]
        on_body = np.concatenate([T[:3, :3].T @ (wrench[:3] + np.cross(arm, wrench[3:])), T[:3, :3].T @ wrench[3:]])
        close(link.move(q, v)[1].T @ on_body, (tau - tree.armature * qdd)[link.v], 1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_a_cut_does_what_the_joint_of_its_type_does(seed):
    """Every body of a tree flies by itself, and cuts of the same types hold it: accelerations and reactions stay."""
    rng = np.random.default_rng(seed)
    types = tuple(kind for kind in CUT_TYPES if kind != "distance")
    spec = random_spec(rng, 5, types, armature_fraction=0.0, fixed_fraction=0.2)
    tree = Tree(spec)
    q, v, _ = random_state(rng, tree)
    wrenches = {name: rng.normal(size=6) for name in ["b0", "f0"]}
    keys = (
        "type",
        "parent",
        "child",
        "at",
        "rpy_deg",
        "quat",
        "child_at",
        "child_rpy_deg",
        "child_quat",
        "axis",
        "axis2",
        "pitch",
    )
    cuts = {f"c.{name}": joint.model_dump(include=set(keys), exclude_unset=True) for name, joint in spec.joints.items()}
    joints = {f"fly.{body}": {"type": "free", "parent": GROUND, "child": body} for body in spec.bodies}
    loose = rebuilt(spec, joints=joints, cuts=cuts)

    flying, where, moving = loops.open_tree(loose), dyn.poses(tree, q), dyn.velocities(tree, q, v)
    q_loose, v_loose = np.zeros(flying.nq), np.zeros(flying.nv)
    for link in flying.links:
        T = where[link.name]
        q_loose[link.q] = *rotation_to_quaternion(T[:3, :3]), *T[:3, 3]
        v_loose[link.v] = moving[tree.body_names.index(link.name)]
    close(loops.residual(loose, q_loose), 0.0, 1e-14)
    close(loops.jacobian(loose, q_loose) @ v_loose, 0.0, 1e-12)

    qdd = dyn.aba(tree, q, v, np.zeros(tree.nv), wrenches)
    qdd_loose, _ = loops.constrained(loose, q_loose, v_loose, np.zeros(flying.nv), wrenches)
    expected = loops.center_accelerations(spec, q, v, qdd)
    for name, acceleration in loops.center_accelerations(loose, q_loose, v_loose, qdd_loose).items():
        close(acceleration, expected[name], 1e-9)
    held = loops.reactions(loose, q_loose, v_loose, np.zeros(flying.nv), wrenches)
    for name, wrench in loops.reactions(spec, q, v, np.zeros(tree.nv), wrenches).items():
        close(held[f"c.{name}"], wrench, 1e-9)
    for body in spec.bodies:
        close(held[f"fly.{body}"], 0.0, 1e-9)


# other engines


@pytest.mark.parametrize("seed", range(10))
def test_against_pinocchio(seed):
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng, cut_types=ENGINE_CUTS, joint_types=PINOCCHIO_JOINTS)
    tau = rng.normal(size=len(v))
    qdd, wrenches = pinocchio_loops(spec, q, v, tau)
    close(loops.constrained(spec, q, v, tau)[0], qdd, 1e-11)
    reactions = loops.reactions(spec, q, v, tau)
    for name, wrench in wrenches.items():
        close(reactions[name], wrench, 1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_redundant_equations_against_pinocchio(seed):
    rng = np.random.default_rng(seed)
    spec, q, v = random_overconstrained(rng, doubled=("fixed",), joint_types=PINOCCHIO_JOINTS)
    tau = rng.normal(size=len(v))
    qdd, _ = pinocchio_loops(spec, q, v, tau, mu=1e-6, steps=100)
    close(loops.constrained(spec, q, v, tau)[0], qdd, 1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_at_rest_against_mujoco(seed):
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng, cut_types=ENGINE_CUTS, joint_types=MUJOCO_JOINTS)
    tau = rng.normal(size=len(v))
    close(loops.constrained(spec, q, 0.0 * v, tau)[0], mujoco_loops(spec, q, tau), 1e-5)


# by hand


def arch(right_foot, apex):
    """Two bars of 3 kg that lean against each other in the x-y plane: feet at x = 0 and 2 a, apex at (a, h)."""
    a, h = 1.2, 0.9
    length, lean = np.hypot(a, h), np.arctan2(h, a)
    bar = {"mass": 3.0, "com": [0.5 * length, 0, 0], "inertia": [0.01, 0.3, 0.3]}
    right = {"type": right_foot, "parent": GROUND, "child": "right", "at": [2 * a, 0, 0]}
    tip = [length, 0.0, 0.0]
    spec = Spec(
        gravity=[0.0, -10.0, 0.0],
        bodies={"left": bar, "right": bar},
        joints={"A": {"type": "revolute", "parent": GROUND, "child": "left"}, "B": right},
        cuts={"C": {"type": apex, "parent": "left", "child": "right", "at": tip, "child_at": tip}},
        frames={"load": {"body": "left", "at": [0.5 * length, 0, 0]}},
    )
    q = np.array([lean, np.pi - lean] if right_foot == "revolute" else [lean, np.pi - lean, 0.0])
    return spec, q, a, h


@pytest.mark.parametrize("right_foot, apex", [("cylindrical", "spherical"), ("revolute", "revolute")])
def test_three_hinged_arch(right_foot, apex):
    """Weights W = 30 N at the middle of both bars, and a load P = 100 N down at the middle of the left one.

    Moments about A for the whole:   V_B 2a = P a/2 + W a/2 + W 3a/2   so  V_B = P/4 + W,  V_A = 3P/4 + W
    Moments about C for the right:   V_B a = H h + W a/2               so  H = a (P/4 + W/2) / h
    The feet push inwards with H; on the right bar C gives (H, W - V_B).

    With a cylindrical foot and a spherical apex the frame is statically determinate also in space; of three revolute
    joints, three equations are redundant, and what is unique of the reactions is the plane's part.
    """
    spec, q, a, h = arch(right_foot, apex)
    P, W = 100.0, 30.0
    load = {"load": np.array([0, 0, 0, 0, -P, 0])}
    still, no_drive = np.zeros(len(q)), np.zeros(len(q))
    J = loops.jacobian(spec, q)
    assert loops.rank(J) == len(q) and len(J) == (3 if apex == "spherical" else 5)
    close(loops.residual(spec, q), 0.0, 1e-15)
    close(loops.constrained(spec, q, still, no_drive, load)[0], 0.0, 1e-12)
    V_B, H = P / 4 + W, a * (P / 4 + W / 2) / h
    expected = {"A": (H, 3 * P / 4 + W), "B": (-H, V_B), "C": (H, W - V_B)}
    for found in (
        loops.reactions(spec, q, still, no_drive, load),
        absolute.solve(spec, q, still, no_drive, load).reactions,
    ):
        for name, (x, y) in expected.items():
            close(found[name], [0, 0, 0, x, y, 0], 1e-12)


@pytest.mark.parametrize("N, phi, rate", [(1, 0.3, 0.0), (2, 0.0, 1.0), (2, 0.8, -1.5), (3, -0.5, 2.0)])
def test_four_bars_against_their_one_equation(N, phi, rate):
    """phi'' = g ((N+1)/2 + N) / ((N+1)/3 + N) sin(phi): N + 1 bars that lean, and N that go along."""
    spec, q, v = four_bars(N, phi, rate)
    tree, J = loops.open_tree(spec), loops.jacobian(spec, q)
    close(loops.residual(spec, q), 0.0, 1e-15)
    close(J @ v, 0.0, 1e-14)
    assert loops.rank(J) == 2 * N == tree.nv - 1
    expected = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N) * np.sin(phi)
    tau = np.zeros(tree.nv)
    for qdd in (
        loops.constrained(spec, q, v, tau)[0],
        loops.partition(spec, q, v, tau, [tree.v_slice["foot0"].start])[0],
        absolute.solve(spec, q, v, tau).qdd,
    ):
        for k in range(N + 1):
            close(qdd[tree.v_slice[f"foot{k}"]], -expected, 1e-12)
        for k in range(N):
            close(qdd[tree.v_slice[f"elbow{k}"]], expected, 1e-12)


def test_distance_is_a_pendulum():
    """A ball on a rod of length L in free flight: phi'' of the rod is -g sin/L, and its pull m (v^2/L + g cos)."""
    L, angle, speed, m = 1.3, 0.6, 2.0, 0.7
    out = np.array([np.sin(angle), 0.0, -np.cos(angle)])
    along = np.array([np.cos(angle), 0.0, np.sin(angle)])
    spec = Spec(
        bodies={"ball": {"mass": m, "inertia": [0.1, 0.1, 0.1]}},
        joints={"fly": {"type": "free", "parent": GROUND, "child": "ball"}},
        cuts={"rod": {"type": "distance", "parent": GROUND, "child": "ball", "length": L}},
    )
    q, v = np.array([1.0, 0, 0, 0, *(L * out)]), np.array([0, 0, 0, *(speed * along)])
    qdd, _ = loops.constrained(spec, q, v, np.zeros(6))
    close(qdd[3:] @ along, -9.81 * np.sin(angle), 1e-13)
    close(qdd[3:] @ out, -(speed**2) / L, 1e-13)
    pull = loops.reactions(spec, q, v, np.zeros(6))["rod"]
    close(pull, [0, 0, 0, *(-m * (speed**2 / L + 9.81 * np.cos(angle)) * out)], 1e-12)


def test_a_mimic_joint_is_a_gear():
    """Two wheels on fixed axes, the second at -3 times the first: (J1 + 9 J2) qdd = tau1 - 3 tau2."""
    wheel = {"mass": 1.0, "inertia": [1.0, 1.0, 0.4]}
    follow = {"mimic": {"joint": "one", "ratio": -3.0}}
    spec = Spec(
        bodies={"w1": {**wheel, "inertia": [1.0, 1.0, 0.5]}, "w2": {**wheel, "inertia": [0.2, 0.2, 0.1]}},
        joints={
            "one": {"type": "revolute", "parent": GROUND, "child": "w1"},
            "two": {"type": "revolute", "parent": GROUND, "child": "w2", "at": [1, 0, 0], **follow},
        },
    )
    qdd, (multiplier,) = loops.constrained(spec, np.zeros(2), np.zeros(2), np.array([2.0, 0.1]))
    expected = (2.0 - 0.3) / (0.5 + 0.9)
    close(qdd, [expected, -3.0 * expected], 1e-14)
    close(multiplier, 0.1 - 0.1 * -3.0 * expected, 1e-14)
