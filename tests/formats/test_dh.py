"""Chains by Denavit-Hartenberg rows, against closed forms, against screws written out, and against plain joints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gori
from gori.spec.base import quaternion
from tests.checks import close

INERTIA = {"mass": 2.0, "com": (0.1, -0.2, 0.05), "inertia": (0.3, 0.4, 0.5, 0.02, -0.03, 0.01)}


def screw_z(angle, length):
    """Screw(z, angle, length) as the appendix of Kim and Kim (1993) prints it."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, length], [0, 0, 0, 1]])


def screw_x(angle, length):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def turn(axis, angle):
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(4)
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def standard(theta, d, a, alpha):
    return screw_z(theta, d) @ screw_x(alpha, a)


# ---- arms in closed form


def test_planar_two_links():
    l1, l2, m1, m2, g = 0.7, 0.4, 1.5, 0.8, 9.81
    rows = [{"a": l1, "mass": m1, "com": (-l1 / 2, 0, 0)}, {"a": l2, "mass": m2, "com": (-l2 / 2, 0, 0)}]
    model = gori.compile(gori.dh("standard", rows).spec(gravity=(0, -g, 0)))
    q1, q2 = q = np.array([0.6, -1.1])
    tip = model.forward_kinematics(q)["L2"]
    close(tip[:3, 3], [l1 * np.cos(q1) + l2 * np.cos(q1 + q2), l1 * np.sin(q1) + l2 * np.sin(q1 + q2), 0], 1e-15)
    close(tip, turn("z", q1 + q2) + [[0, 0, 0, x] for x in (*tip[:3, 3], 0)], 1e-15)
    M12 = m2 * (l1 * l2 / 2 * np.cos(q2) + l2**2 / 4)
    M11 = m1 * l1**2 / 4 + m2 * (l1**2 + l1 * l2 * np.cos(q2) + l2**2 / 4)
    close(model.mass_matrix(q), [[M11, M12], [M12, m2 * l2**2 / 4]], 1e-15)
    hold2 = m2 * g * l2 / 2 * np.cos(q1 + q2)
    close(model.gravity_force(q), [(m1 / 2 + m2) * l1 * g * np.cos(q1) + hold2, hold2], 1e-14)


PUMA = {"a2": 0.4318, "a3": 0.0203, "d3": 0.15005, "d4": 0.4318}
PUMA_STANDARD = [
    {"alpha_deg": 90},
    {"a": PUMA["a2"]},
    {"d": PUMA["d3"], "a": PUMA["a3"], "alpha_deg": -90},
    {"d": PUMA["d4"], "alpha_deg": 90},
    {"alpha_deg": -90},
    {},
]
PUMA_CRAIG = [
    {},
    {"alpha_deg": -90},
    {"a": PUMA["a2"], "d": PUMA["d3"]},
    {"a": PUMA["a3"], "alpha_deg": -90, "d": PUMA["d4"]},
    {"alpha_deg": 90},
    {"alpha_deg": -90},
]


@pytest.mark.parametrize(
    "q, position, rotation",
    [
        # the zero, ready, stretched and nominal poses of Corke's Robotics Toolbox, which prints four digits
        ([0, 0, 0, 0, 0, 0], [0.4521, -0.15005, 0.4318], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ([0, 90, -90, 0, 0, 0], [0.0203, -0.15005, 0.8636], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ([0, 0, -90, 0, 0, 0], [0.8636, -0.15005, -0.0203], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
        ([0, 45, 180, 0, 45, 0], [0.5963, -0.1501, -0.01435], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    ],
)
def test_puma_560_at_known_poses(q, position, rotation):
    model = gori.compile(gori.dh("standard", PUMA_STANDARD).spec())
    flange = model.forward_kinematics(np.radians(q))["L6"]
    np.testing.assert_allclose(flange[:3, 3], position, atol=6e-5)  # half of the last digit printed
    close(flange[:3, :3], rotation, 1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_puma_560_by_matrices_multiplied(seed):
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, 6)
    poses = gori.compile(gori.dh("standard", PUMA_STANDARD).spec()).forward_kinematics(q)
    T = np.eye(4)
    for k, row in enumerate(PUMA_STANDARD):
        T = T @ standard(q[k], row.get("d", 0), row.get("a", 0), np.radians(row.get("alpha_deg", 0)))
        close(poses[f"L{k + 1}"], T, 1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_puma_560_of_craig_in_closed_form(seed):
    """Craig, Introduction to Robotics (1986), equations (3.14): all of p, and r11, r13, r23, r33."""
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, 6)
    T = gori.compile(gori.dh("modified", PUMA_CRAIG).spec()).forward_kinematics(q)["L6"]
    (c1, c2, _, c4, c5, c6), (s1, s2, _, s4, s5, s6) = np.cos(q), np.sin(q)
    c23, s23 = np.cos(q[1] + q[2]), np.sin(q[1] + q[2])
    a2, a3, d3, d4 = PUMA.values()
    reach = a2 * c2 + a3 * c23 - d4 * s23
    close(T[:3, 3], [c1 * reach - d3 * s1, s1 * reach + d3 * c1, -a3 * s23 - a2 * s2 - d4 * c23], 1e-14)
    r11 = c1 * (c23 * (c4 * c5 * c6 - s4 * s6) - s23 * s5 * c6) + s1 * (s4 * c5 * c6 + c4 * s6)
    r13 = -c1 * (c23 * c4 * s5 + s23 * c5) - s1 * s4 * s5
    r23 = -s1 * (c23 * c4 * s5 + s23 * c5) + c1 * s4 * s5
    close(T[[0, 0, 1, 2], [0, 2, 2, 2]], [r11, r13, r23, s23 * c4 * s5 - c23 * c5], 1e-14)


def body_in(T, mass, com, inertia):
    """A body given in one frame, as a row in another, on which the first stands at T."""
    J = np.diag(inertia[:3])
    J[[0, 0, 1], [1, 2, 2]] = J[[1, 2, 2], [0, 0, 1]] = inertia[3:]
    R = T[:3, :3]
    J = R @ J @ R.T
    return {"mass": mass, "com": R @ com + T[:3, 3], "inertia": [*np.diag(J), J[0, 1], J[0, 2], J[1, 2]]}


@pytest.mark.parametrize("convention", ["modified", "branched"])
def test_conventions_describe_the_same_robot(convention):
    """Modified frame i is the standard one without its last screw, which goes to the next row."""
    rng = np.random.default_rng(7)
    rows = [dict(zip(("theta", "d", "a", "alpha"), rng.normal(size=4)), s=s) for s in (0, 1, 0, 0, 1)]
    others, alpha, a = [], 0.0, 0.0
    for row in rows:
        others.append({"alpha": alpha, "a": a, "theta": row["theta"], "d": row["d"], "s": row["s"]})
        alpha, a = row["alpha"], row["a"]
        others[-1] |= body_in(screw_x(alpha, a), **INERTIA)
        row |= INERTIA
    one = gori.compile(gori.dh("standard", rows, effectors=[{}]).spec())
    other = gori.compile(gori.dh(convention, others, effectors=[{"alpha": alpha, "a": a}]).spec())
    close(one.q0, other.q0, 0.0)
    for q in (one.q0, one.random(1)):
        v, tau = rng.normal(size=(2, 5))
        close(one.forward_kinematics(q)["E1"], other.forward_kinematics(q)["E1"], 1e-14)
        close(one.mass_matrix(q), other.mass_matrix(q), 1e-13)
        close(one.forward_dynamics(q, v, tau), other.forward_dynamics(q, v, tau), 1e-12)


# ---- the branched form against its equation


lengths = st.floats(-2.0, 2.0, allow_subnormal=False)
row = st.fixed_dictionaries(dict.fromkeys(("psi", "c", "alpha", "a", "theta", "d"), lengths))


def branched(row):
    """Equation (5) of Kim and Kim (1993)."""
    return screw_z(row["psi"], row["c"]) @ screw_x(row["alpha"], row["a"]) @ screw_z(row["theta"], row["d"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(row, st.integers(0, 1), st.floats(0, 1, exclude_max=True)), min_size=1, max_size=7), row)
def test_branched_form_is_its_equation(rows, tool):
    links = [{**row, "s": s, "on": int(share * k)} for k, (row, s, share) in enumerate(rows, 1)]
    tool_on = links[len(links) // 2]["on"]
    chain = gori.dh("branched", links, effectors=[{**tool, "on": tool_on}])
    model = gori.compile(chain.spec())

    def check(q, links):
        poses, T = model.forward_kinematics(q), [np.eye(4)]
        for k, link in enumerate(links, 1):
            T.append(T[link["on"]] @ branched(link))
            close(poses[f"L{k}"], T[-1], 1e-13)
        close(poses["E1"], T[tool_on] @ branched(tool), 1e-13)

    check(model.q0, links)  # theta and d are where q starts
    q = model.random(0)
    moved = [link | {"d" if link["s"] else "theta": q[model.joint(f"J{k}").q][0]} for k, link in enumerate(links, 1)]
    check(q, moved)


def test_slide_and_offset():
    rows = {"rail": {"joint": "prismatic", "theta_deg": 90, "d": 0.3, "alpha_deg": 90, "a": 1.0, "limits": (0, 1)},
            "arm": {"theta_deg": 50, "offset_deg": 20, "d": 0.1, "damping": 0.2}}  # fmt: skip
    spec = gori.dh("standard", rows).spec()
    assert list(spec.bodies) == ["rail", "arm"] and list(spec.joints) == ["J_rail", "J_arm"]
    assert spec.joints["J_rail"].limits == (0, 1) and spec.joints["J_arm"].damping == (0.2,)
    model = gori.compile(spec)
    close(model.q0, [0.3, np.radians(30)], 1e-15)
    poses = model.forward_kinematics([0.7, 0.4])
    rail = standard(np.pi / 2, 0.7, 1.0, np.pi / 2)
    close(poses["rail"], rail, 1e-15)
    close(poses["arm"], rail @ standard(0.4 + np.radians(20), 0.1, 0, 0), 1e-15)


@pytest.mark.parametrize("convention", ["standard", "modified", "branched"])
def test_fixed_link_stands_where_its_row_says(convention):
    row = {"theta": 0.3, "d": 0.2, "a": 0.4, "alpha": 0.5}
    model = gori.compile(gori.dh(convention, [{"joint": "fixed", **row}]).spec())
    T = standard(**row) if convention == "standard" else branched({"psi": 0.0, "c": 0.0, **row})
    assert model.nq == 0
    close(model.forward_kinematics([])["L1"], T, 1e-15)


# ---- base, cut sections


def test_chain_on_a_body_of_its_own():
    base = {"body": "truck", "at": (1, 2, 3), "rpy_deg": (0, 0, 90)}
    row = {"a": 0.5, "alpha": 0.2, "theta": 0.1, "d": 0.3}
    chain = gori.dh("modified", [row], base=base, effectors=[{"on": 0, "a": 0.2}])
    truck = {"type": "free", "parent": "ground", "child": "truck"}
    model = gori.compile(chain.spec(bodies={"truck": gori.spec.Body(mass=1.0)}, joints={"drive": truck}))
    q = model.random(3)
    poses = model.forward_kinematics(q)
    mount = poses["truck"] @ turn("z", np.pi / 2)
    mount[:, 3] = poses["truck"] @ [1, 2, 3, 1]
    q1 = q[model.joint("J1").q][0]
    close(poses["L1"], mount @ branched({"psi": 0, "c": 0, **row, "theta": q1}), 1e-14)
    close(poses["E1"], mount @ screw_x(0.0, 0.2), 1e-14)


@pytest.mark.parametrize("convention", ["standard", "branched"])
def test_sections_give_the_cut(convention):
    extra = {"psi": 0.4, "c": -0.2} if convention == "branched" else {}
    c = {"a": 0.3, "alpha": 0.7, "theta": -0.4, "d": 0.1, **extra}
    r = {"a": -0.5, "alpha": 1.7, "theta": 2.4, "d": 0.6, **extra}
    cuts = {
        "rod": {"C": {"on": 0, **c}, "R": {"on": 2, **r}},
        "pin": {"C": {"on": 1}, "R": {"on": 2}, "type": "revolute"},
    }
    spec = gori.dh(convention, [{"a": 1}, {"a": 1}], cuts=cuts, base={"at": (0, 0, 1)}).spec()

    def explicit(row):
        if convention == "branched":
            return branched(row)
        return standard(row["theta"], row["d"], row["a"], row["alpha"])

    cut = spec.cuts["cut_rod"]
    assert (cut.type, cut.parent, cut.child) == ("fixed", "ground", "L2")
    R, p = cut.pose()
    close(p, explicit(c)[:3, 3] + [0, 0, 1], 1e-15)
    close(R, explicit(c)[:3, :3], 1e-15)
    R, p = cut.child_pose()
    close(p, explicit(r)[:3, 3], 1e-15)
    close(R, explicit(r)[:3, :3], 1e-15)
    assert (spec.cuts["cut_pin"].type, spec.cuts["cut_pin"].parent) == ("revolute", "L1")

    # the sections are frames as well
    poses = gori.compile(spec, open_loops=True).forward_kinematics([0.3, 0.9])
    close(poses["C_rod"], poses["ground"] @ screw_z(0.0, 1.0) @ explicit(c), 1e-15)
    close(poses["R_rod"], poses["L2"] @ explicit(r), 1e-14)


# ---- joints of several degrees of freedom, decomposed


ROW = {"psi": 0.3, "c": 0.1, "alpha": -0.8, "a": 0.4, "d": 0.25}
LOAD = {"psi": 0.2, "alpha": 1.1, "a": 0.3, **INERTIA}


def pair(kind, row=ROW):
    """A decomposed joint that carries a link, on which another one turns; and the same with a plain joint."""
    ours = gori.dh("branched", [{"joint": kind, **row, **INERTIA}, LOAD]).spec()
    T = screw_z(row["psi"], row["c"]) @ screw_x(row["alpha"], row["a"])
    if kind != "cylindrical":
        T = T @ screw_z(0.0, row["d"])
    plain = {"type": kind, "parent": "ground", "child": "L1", "at": T[:3, 3], "quat": quaternion(T[:3, :3])}
    plain |= {"axis2": (1, 0, 0)} if kind == "universal" else {}
    native = gori.Spec(bodies={"L1": INERTIA, "L2": INERTIA}, joints={"J1": plain, "J2": ours.joints["J2"]})
    return gori.compile(ours), gori.compile(native)


@pytest.mark.parametrize("kind, simple", [
    ("cylindrical", ["revolute", "prismatic"]), ("universal", ["revolute"] * 2), ("spherical", ["revolute"] * 3)
])  # fmt: skip
def test_decomposed_joint_is_in_line_at_zero(kind, simple):
    model = pair(kind, ROW | {"theta": 0.0} if kind != "cylindrical" else ROW)[0]
    assert [info.type for info in model.joints] == [*simple, "revolute"]
    names = [f"L1_{k}" for k in range(1, len(simple))]
    assert list(model.body_names) == [*names, "L1", "L2"]
    assert all(model.spec.bodies[name].inertial()[0] == 0.0 for name in names)
    poses = model.forward_kinematics(np.zeros(model.nq))
    for name in names:
        close(poses[name], poses["L1"], 1e-15)


@pytest.mark.parametrize("kind", ["cylindrical", "universal"])
def test_decomposed_joint_is_the_plain_one(kind):
    model, native = pair(kind)
    q, (v, tau) = model.random(5), np.random.default_rng(5).normal(size=(2, 3))
    for name in ("L1", "L2"):
        close(model.forward_kinematics(q)[name], native.forward_kinematics(q)[name], 1e-14)
    close(model.mass_matrix(q), native.mass_matrix(q), 1e-14)
    close(model.forward_dynamics(q, v, tau), native.forward_dynamics(q, v, tau), 1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_decomposed_sphere_reaches_every_rotation(seed):
    """R = Rz(q1) Rx(q2) Ry(q3) solved for q; velocities follow by w = E qd, so M is E' M E and the motion the same."""
    model, native = pair("spherical")
    rng = np.random.default_rng(seed)
    there = native.random(rng)
    T0 = native.forward_kinematics(native.neutral())["L1"]
    R = T0[:3, :3].T @ native.forward_kinematics(there)["L1"][:3, :3]
    q = np.array([np.arctan2(-R[0, 1], R[1, 1]), np.arcsin(R[2, 1]), np.arctan2(-R[2, 0], R[2, 2]), there[4]])
    close((turn("z", q[0]) @ turn("x", q[1]) @ turn("y", q[2]))[:3, :3], R, 1e-14)
    for name in ("L1", "L2"):
        close(model.forward_kinematics(q)[name], native.forward_kinematics(there)[name], 1e-14)

    v, tau = rng.normal(size=(2, 4))
    E, rate = np.eye(4), np.zeros((4, 4))
    E[:3, :3] = model.jacobian(q, "L1", axes="body")[:3, :3]
    rate[:3, :3] = model.jacobian_rate(q, v, "L1", axes="body")[:3, :3]
    close(model.mass_matrix(q), E.T @ native.mass_matrix(there) @ E, 1e-14)
    qdd = model.forward_dynamics(q, v, E.T @ tau)
    close(E @ qdd + rate @ v, native.forward_dynamics(there, E @ v, tau), 1e-12)


def test_decomposed_joint_takes_starts_and_damping_of_each_part():
    row = {"joint": "spherical", "theta_deg": [10, 20, 30], "damping": [1, 2, 3], "friction": 0.5, "mass": 1.0}
    spec = gori.dh("standard", {"ball": row, "bolt": {"joint": "cylindrical", "theta": 0.1, "d": 0.2}}).spec()
    joints = spec.joints
    assert list(joints) == ["J_ball_1", "J_ball_2", "J_ball_3", "J_bolt_1", "J_bolt_2"]
    assert [joint.damping for joint in joints.values()][:3] == [(1.0,), (2.0,), (3.0,)]
    assert [joint.friction for joint in joints.values()][:3] == [(0.5,)] * 3
    close(gori.compile(spec).q0, [*np.radians([10, 20, 30]), 0.1, 0.2], 1e-15)
