"""Random machines and states; the same for the same generator."""

import numpy as np
from hypothesis import strategies as st

from gori.spec import GROUND, Spec
from gori.spec.joint import NQ, NV
from tests.reference.tree import Tree

ALL_TYPES = tuple(NQ)


def random_direction(rng):
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def random_quaternion(rng):
    quat = rng.normal(size=4)
    return quat / np.linalg.norm(quat)


def random_placement(rng, prefix=""):
    """Keys of a placement: a position mostly, and a rotation in one of its forms mostly."""
    keys = {}
    if rng.random() < 0.9:
        keys[prefix + "at"] = rng.uniform(-0.6, 0.6, 3)
    form = rng.random()
    if form < 0.4:
        keys[prefix + "quat"] = random_quaternion(rng)
    elif form < 0.8:
        keys[prefix + "rpy_deg"] = rng.uniform(-180.0, 180.0, 3)
    return keys


def random_body(rng):
    """Mass, centre of mass and inertia of six point masses: physical by construction, and never a rod or a point."""
    masses = rng.uniform(0.1, 1.0, 6)
    points = rng.normal(scale=0.3, size=(6, 3)) + rng.uniform(-0.3, 0.3, 3)
    com = masses @ points / masses.sum()
    d = points - com
    J = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, d))
    return {"mass": masses.sum(), "com": com, "inertia": J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]}


def random_joint(rng, kind, parent, child, armature_fraction):
    keys = {"type": kind, "parent": parent, "child": child, **random_placement(rng)}
    if kind != "free":
        keys |= random_placement(rng, "child_")
    if kind == "spherical":  # it turns the child's own axes
        keys = {key: value for key, value in keys.items() if key not in ("child_quat", "child_rpy_deg")}
    if kind not in ("fixed", "spherical", "free") and rng.random() < 0.8:
        keys["axis"] = random_direction(rng) * rng.uniform(0.5, 2.0)
    if kind == "helical":
        keys["pitch"] = rng.uniform(-2.0, 2.0)
    if kind == "universal" and rng.random() < 0.7:
        across = np.cross(keys.get("axis", (0.0, 0.0, 1.0)), random_direction(rng))
        keys["axis2"] = across / np.linalg.norm(across)
    if kind not in ("fixed", "free") and rng.random() < armature_fraction:
        many = kind != "spherical" and rng.random() < 0.5
        keys["armature"] = rng.uniform(0.01, 0.5, NV[kind] if many else 1)
    return keys


def random_spec(rng, n, types=ALL_TYPES, branching=0.5, fixed_fraction=0.1, armature_fraction=0.4, n_frames=3) -> Spec:
    """A random tree of n bodies, each with mass.

    types               joint types to draw from
    branching           chance that a body hangs from any earlier body or the ground, not from the one before it
    fixed_fraction      chance that a joint is fixed, where types has fixed among others
    armature_fraction   chance that a joint that may have an armature has one
    n_frames            named frames, on any body or the ground
    """
    bodies, joints = {}, {}
    moving = [kind for kind in types if kind != "fixed"]
    for i in range(n):
        known = [GROUND, *bodies]
        parent = known[rng.integers(len(known))] if rng.random() < branching else known[-1]
        still = not moving or ("fixed" in types and rng.random() < fixed_fraction)
        kind = "fixed" if still else moving[rng.integers(len(moving))]
        bodies[f"b{i}"] = random_body(rng)
        joints[f"j{i}"] = random_joint(rng, kind, parent, f"b{i}", armature_fraction)
    known = [GROUND, *bodies]
    frames = {f"f{i}": {"body": known[rng.integers(n + 1)], **random_placement(rng)} for i in range(n_frames)}
    return Spec(
        gravity=9.81 * random_direction(rng), bodies=shuffled(rng, bodies), joints=shuffled(rng, joints), frames=frames
    )


def shuffled(rng, items: dict) -> dict:
    """The same items in another order: a Spec need not name a parent before its child."""
    keys = list(items)
    return {keys[i]: items[keys[i]] for i in rng.permutation(len(keys))}


def random_state(rng, tree: Tree):
    """q (unit quaternions, angles of any size up to pi), v and a."""
    q = rng.uniform(-1.0, 1.0, tree.nq)
    for link in tree.links:
        if link.joint.type in ("revolute", "helical", "universal"):
            q[link.q] *= np.pi
        elif link.joint.type == "cylindrical":
            q[link.q.start] *= np.pi
        elif link.joint.type == "planar":
            q[link.q.stop - 1] *= np.pi
        elif link.joint.type in ("spherical", "free"):
            q[link.q.start : link.q.start + 4] = random_quaternion(rng)
    return q, rng.normal(size=tree.nv), rng.normal(size=tree.nv)


def specs(max_bodies=8, types=ALL_TYPES):
    """Strategy for Specs: a number of bodies, which shrinks, and a seed."""
    return st.builds(
        lambda n, seed: random_spec(np.random.default_rng(seed), n, types),
        st.integers(1, max_bodies),
        st.integers(0, 2**32 - 1),
    )
