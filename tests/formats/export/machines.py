"""Machines that the tests of export share, and how their coordinates are compared."""

import numpy as np

import gori
from gori.spec.base import quaternion, rotation

HEAVY = {"mass": 2.0, "com": [0.1, 0.2, 0.3], "inertia": [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]}
POSE = {"at": [0.1, -0.2, 0.3], "rpy_deg": [10, 20, 30], "child_at": [0.3, 0.1, -0.1], "child_rpy_deg": [-40, 20, 15]}
AXIS = {"axis": [1, 2, -0.5]}
JOINTS = {
    "fixed": {"type": "fixed"},
    "revolute": {"type": "revolute", **AXIS},
    "prismatic": {"type": "prismatic", **AXIS},
    "cylindrical": {"type": "cylindrical", **AXIS},
    "universal": {"type": "universal", "axis": [1, 0, 0.5], "axis2": [0, 1, 0]},
    "planar": {"type": "planar", **AXIS},
    "spherical": {"type": "spherical"},
    "free": {"type": "free"},
}


def machine(kind: str, **fields) -> gori.Spec:
    """A joint of a kind between two bodies, and a hinge beyond it; free joints hang from the ground."""
    base = "ground" if kind == "free" else "a"
    unturned = {"spherical": ("child_rpy_deg",), "free": ("child_at", "child_rpy_deg")}
    pose = {key: value for key, value in POSE.items() if key not in unturned.get(kind, ())}
    return gori.Spec(
        bodies={"a": HEAVY, "b": HEAVY, "c": HEAVY},
        joints={
            "first": {"type": "revolute", "parent": "ground", "child": "a", **AXIS, **POSE},
            "tested": {"parent": base, "child": "b", **JOINTS[kind], **pose, **fields},
            "last": {"type": "revolute", "parent": "b", "child": "c", **AXIS, **POSE},
        },
    )


def chain() -> gori.Spec:
    """Hinges and slides in a row, with massless bodies between them."""
    return gori.Spec(
        bodies={"m": {}, "n": {}, "a": HEAVY},
        joints={
            "i": {"type": "revolute", "parent": "ground", "child": "m", **AXIS, **POSE},
            "j": {"type": "prismatic", "parent": "m", "child": "n", **AXIS, **POSE, "q": 0.2},
            "k": {"type": "revolute", "parent": "n", "child": "a", **AXIS, **POSE, "v": 0.4},
        },
    )


def in_the_world(spec: gori.Spec, model: gori.Model, q: np.ndarray) -> np.ndarray:
    """q with free joints as poses in the world, where a Spec has them on the joint's frame."""
    out = q.copy()
    for info in model.joints:
        if info.type == "free":
            R, p = spec.joints[info.name].pose()
            at = info.q.start
            out[at : at + 4] = quaternion(R @ rotation(None, tuple(q[at : at + 4])))
            out[at + 4 : at + 7] = p + R @ q[at + 4 : at + 7]
    return out


def same_dynamics(spec: gori.Spec, other: gori.Spec) -> None:
    """Mass matrix and bias of two machines whose coordinates are alike, except for free joints."""
    ours, theirs = (gori.compile(one, open_loops=True) for one in (spec, other))
    assert ours.nv == theirs.nv
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, v = ours.random(rng), rng.normal(size=ours.nv)
        there = in_the_world(spec, ours, q)
        M, b = ours.mass_matrix(q), ours.bias(q, v)
        assert np.allclose(theirs.mass_matrix(there), M, rtol=0, atol=1e-12 * np.abs(M).max())
        assert np.allclose(theirs.bias(there, v), b, rtol=0, atol=1e-11 * np.abs(b).max())
