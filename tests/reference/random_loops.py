"""Random closed machines, whose loops close exactly at a random pose; the same for the same generator.

Every function returns a Spec, q and v: the pose and a velocity that the loops allow. The Spec starts with them too.
"""

import numpy as np
from hypothesis import strategies as st

from gori.spec import GROUND, Spec
from gori.spec.joint import NQ
from gori.spec.loops.cut import Cut
from tests.reference.dynamics import poses
from tests.reference.loop_equations import EQUATIONS
from tests.reference.loops import consistent, jacobian, open_tree, rank
from tests.reference.random_spec import (
    ALL_TYPES,
    random_body,
    random_direction,
    random_placement,
    random_quaternion,
    random_spec,
    random_state,
)
from tests.reference.spatial import pose_of, rotation_to_quaternion
from tests.reference.tree import JOINTS

CUT_TYPES = tuple(EQUATIONS)
DOUBLED = ("fixed", "revolute", "prismatic", "cylindrical", "planar")
"""cuts that may be there twice along their axis"""
SINGLE = ("revolute", "prismatic", "helical")
WELL_CONDITIONED = 0.02
"""smallest singular value of J that is not zero, as a part of the largest: keeps clear of singular poses"""


def random_closed(rng, n=6, n_cuts=None, cut_types=CUT_TYPES, joint_types=ALL_TYPES, n_mimic=0, mobility=1, **options):
    """A random tree closed by cuts and mimic joints, whose equations are all independent.

    n, joint_types   bodies, and joint types to draw from; options are those of `random_spec`
    n_cuts           number of cuts; 1 to 3 if not given
    mobility         least number of degrees of freedom that remain
    """
    for _ in range(1000):
        count = rng.integers(1, 4) if n_cuts is None else n_cuts
        spec = random_spec(rng, n, joint_types, **options)
        tree = open_tree(spec)
        q, v, _ = random_state(rng, tree)
        where = poses(tree, q)
        cuts = {f"c{k}": random_cut(rng, where, cut_types[rng.integers(len(cut_types))]) for k in range(count)}
        spec = with_mimic(rng, rebuilt(spec, cuts=cuts), q, n_mimic)
        if spec is None:
            continue
        J = jacobian(spec, q)
        if rank(J) == len(J) <= tree.nv - mobility and conditioned(J):
            return started(spec, q, v)
    raise ValueError("no machine of this kind found: give more bodies or fewer cuts")


def random_overconstrained(rng, n=5, doubled=DOUBLED, **options):
    """A machine of `random_closed` with its cut twice: the second is the same joint at another place on the axis, like
    the two hinges of a door, so that its equations are redundant and the machine still moves.
    """
    spec, q, v = random_closed(rng, n, n_cuts=1, cut_types=doubled, **options)
    (cut,) = spec.cuts.values()
    # along the axis both frames stay what they were to each other
    shift = rng.uniform(0.2, 0.5) * np.array(cut.axis) / np.linalg.norm(cut.axis)
    (R_A, p_A), (R_B, p_B) = cut.pose(), cut.child_pose()
    again = changed(cut, at=p_A + R_A @ shift, child_at=p_B + R_B @ shift)
    return started(rebuilt(spec, cuts={"c0": cut, "again": again}), q, v)


def random_planar(rng, n=5, n_loops=1):
    """A machine that moves in a plane, turned anywhere in space: its revolute cuts have three redundant equations each.

    Joints are revolute about the plane's normal or slide in it; a loop is cut at a revolute joint.
    """
    for _ in range(1000):
        plane = {"quat": random_quaternion(rng)}
        bodies, joints = {}, {}
        for i in range(n):
            known = [GROUND, *bodies]
            parent = known[rng.integers(len(known))] if rng.random() < 0.4 else known[-1]
            turning = rng.random() < 0.8
            angle = rng.uniform(-np.pi, np.pi)
            joints[f"j{i}"] = {
                "type": "revolute" if turning else "prismatic",
                "parent": parent,
                "child": f"b{i}",
                "at": rng.uniform(-0.6, 0.6, 3),
                "child_at": rng.uniform(-0.6, 0.6, 3),
                "axis": [0.0, 0.0, 1.0] if turning else [np.cos(angle), np.sin(angle), 0.0],
            }
            if parent == GROUND:
                joints[f"j{i}"] |= plane
            bodies[f"b{i}"] = random_body(rng)
        spec = Spec(gravity=9.81 * random_direction(rng), bodies=bodies, joints=joints)
        tree = open_tree(spec)
        q, v, _ = random_state(rng, tree)
        where = poses(tree, q)
        cuts = {}
        for k in range(n_loops):
            parent, child = random_pair(rng, where)
            keys = {"at": rng.uniform(-0.6, 0.6, 3), "axis": [0.0, 0.0, 1.0]}
            if parent == GROUND:
                keys |= plane
            cuts[f"c{k}"] = closing_cut(rng, where, "revolute", parent, child, keys)
        spec = rebuilt(spec, cuts=cuts)
        J = jacobian(spec, q)
        if rank(J) == 2 * n_loops < tree.nv and conditioned(J):
            return started(spec, q, v)
    raise ValueError("no machine of this kind found: give more bodies or fewer loops")


def four_bars(N=1, phi=0.0, rate=0.0, cut_type="revolute"):
    """N four-bars in a row, N + 1 upright bars and N across, all of 1 m and 1 kg, upright at phi = 0 (IFToMM A02).

    It moves in the x-y plane, gravity along -y. Upright bars lean by phi towards +x, at `rate` [rad/s].
    """
    bar = {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [1e-3, 1.0 / 12.0, 1.0 / 12.0]}
    bodies, joints, cuts = {}, {}, {}
    up = 0.5 * np.pi - phi
    for k in range(N + 1):
        bodies[f"up{k}"] = bar
        joints[f"foot{k}"] = {
            "type": "revolute",
            "parent": GROUND,
            "child": f"up{k}",
            "at": [k, 0, 0],
            "q": up,
            "v": -rate,
        }
    for k in range(N):
        bodies[f"over{k}"] = bar
        elbow = {"type": "revolute", "parent": f"up{k}", "child": f"over{k}", "at": [1, 0, 0]}
        joints[f"elbow{k}"] = {**elbow, "q": -up, "v": rate}
        cuts[f"pin{k}"] = {
            "type": cut_type, "parent": f"over{k}", "child": f"up{k + 1}", "at": [1, 0, 0], "child_at": [1, 0, 0]
        }  # fmt: skip
    spec = Spec(gravity=[0.0, -9.81, 0.0], bodies=bodies, joints=joints, cuts=cuts)
    return spec, *start(spec)


# parts


def random_pair(rng, where):
    """Two places to join: different bodies, or a body and the ground."""
    known = [name for name in where if name == GROUND or name.startswith("b")]
    parent, child = rng.choice(known, 2, replace=False)
    return str(parent), str(child)


def random_cut(rng, where, kind):
    """A cut of a type anywhere between two bodies, closed at the poses `where`."""
    return closing_cut(rng, where, kind, *random_pair(rng, where), random_placement(rng))


def closing_cut(rng, where, kind, parent, child, keys):
    """Frame A as `keys` place it; frame B where the cut's joint, moved at random, carries it at the poses `where`."""
    keys = {"type": kind, "parent": parent, "child": child, **keys}
    if kind == "distance":
        keys["child_at"] = rng.uniform(-0.6, 0.6, 3)
        a = (where[parent] @ [*keys.get("at", (0.0, 0.0, 0.0)), 1.0])[:3]
        b = (where[child] @ [*keys["child_at"], 1.0])[:3]
        return Cut(**keys, length=np.linalg.norm(b - a))
    if kind not in ("fixed", "spherical"):
        keys.setdefault("axis", random_direction(rng))
    if kind == "helical":
        keys["pitch"] = rng.uniform(0.5, 2.0)
    if kind == "universal" and rng.random() < 0.7:
        across = np.cross(keys["axis"], random_direction(rng))
        keys["axis2"] = across / np.linalg.norm(across)
    cut = Cut(**keys)
    q = random_quaternion(rng) if kind == "spherical" else rng.uniform(-1.0, 1.0, NQ[kind])
    T_WA, T_AB = np.eye(4), np.eye(4)
    T_WA[:3, :3], T_WA[:3, 3] = cut.pose()
    T_AB[:3, :3], T_AB[:3, 3] = pose_of(JOINTS[kind](cut, q, np.zeros(6))[0])
    T_CB = np.linalg.solve(where[child], where[parent] @ T_WA @ T_AB)
    return Cut(**keys, child_at=T_CB[:3, 3], child_quat=rotation_to_quaternion(T_CB[:3, :3]))


def with_mimic(rng, spec, q, count):
    """Some joints of one degree of freedom follow others, as they already do at q; None if there are too few."""
    single = [name for name, joint in spec.joints.items() if joint.type in SINGLE]
    if len(single) <= count:
        return None
    order = list(rng.permutation(single))
    tree, joints = open_tree(spec), dict(spec.joints)
    for k in range(count):  # each follows one of those after it: no rings, and chains now and then
        name, other = str(order[k]), str(order[rng.integers(k + 1, len(order))])
        ratio = rng.uniform(0.3, 2.0) * rng.choice([-1.0, 1.0])
        offset = q[tree.q_slice[name]][0] - ratio * q[tree.q_slice[other]][0]
        joints[name] = changed(joints[name], mimic={"joint": other, "ratio": ratio, "offset": offset})
    return rebuilt(spec, joints=joints)


def conditioned(J):
    """Whether the singular values of J are clearly zero or clearly not."""
    s = np.linalg.svd(J, compute_uv=False)
    return bool(s[: rank(J)].min(initial=np.inf) > WELL_CONDITIONED * s.max(initial=0.0))


def changed(part, **fields):
    """The same joint or cut with other fields."""
    return type(part)(**{**part.model_dump(exclude_unset=True), **fields})


def rebuilt(spec, **groups):
    """The same Spec with whole groups replaced."""
    data = {name: getattr(spec, name) for name in ("gravity", "bodies", "joints", "cuts", "frames")}
    return Spec(**{**data, **groups})


def started(spec, q, v):
    """The Spec that starts at q and at the velocity nearest to v that its loops allow; with that q and v."""
    tree, v = open_tree(spec), consistent(spec, q, v)
    joints = dict(spec.joints)
    for name, at in tree.q_slice.items():
        joints[name] = changed(joints[name], q=q[at], v=v[tree.v_slice[name]])
    return rebuilt(spec, joints=joints), q, v


def start(spec):
    """q and v with which a Spec starts, where every moving joint gives them."""
    tree = open_tree(spec)
    q, v = np.zeros(tree.nq), np.zeros(tree.nv)
    for name, at in tree.q_slice.items():
        q[at], v[tree.v_slice[name]] = spec.joints[name].q, spec.joints[name].v
    return q, v


def closed_machines(max_bodies=7, make=random_closed, **options):
    """Strategy for (Spec, q, v): a number of bodies, which shrinks, and a seed."""
    return st.builds(
        lambda n, seed: make(np.random.default_rng(seed), n, **options),
        st.integers(4, max_bodies),
        st.integers(0, 2**32 - 1),
    )
