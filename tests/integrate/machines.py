"""Machines with a solution to compare with: closed form, or DOP853 on the textbook twin of the equations of motion."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from gori.spec import GROUND, Spec
from tests.reference import dynamics as dyn
from tests.reference.spatial import quaternion_product, quaternion_to_rotation
from tests.reference.tree import Tree

G = 9.81
PERIOD = 2.36784194757624
"""of `pendulum` [s]"""


def pendulum() -> Spec:
    """A point mass of 1 kg on a bar of 1 m, from rest at 90 degrees: benchmark A01. q is zero at the bottom."""
    return Spec(
        bodies={"bob": {"mass": 1.0, "com": [0.0, 0.0, -1.0]}},
        joints={"pin": {"type": "revolute", "parent": GROUND, "child": "bob", "axis": [0, 1, 0], "q_deg": 90.0}},
    )


def pendulum_angle(t):
    """q and v of that pendulum: sin(q/2) = k cd(w t, k) with k = sin(45 deg)."""
    w, m = np.sqrt(G), 0.5
    sn, _, dn, _ = ellipj(w * np.asarray(t) + ellipk(m), m)  # sn(u + K) = cd(u)
    _, cn, _, _ = ellipj(w * np.asarray(t) + ellipk(m), m)
    q = 2.0 * np.arcsin(np.sqrt(m) * sn)
    return q, 2.0 * np.sqrt(m) * w * cn * dn / np.cos(q / 2.0)


def double_pendulum() -> Spec:
    bar = {"mass": 1.0, "com": [0.0, 0.0, -0.5], "inertia": [0.09, 0.08, 0.01]}
    axis = {"type": "revolute", "axis": [0, 1, 0]}
    return Spec(
        bodies={"upper": bar, "lower": bar},
        joints={
            "top": {**axis, "parent": GROUND, "child": "upper", "q": 1.2},
            "middle": {**axis, "parent": "upper", "child": "lower", "at": [0, 0, -1], "q": 0.7, "v": -1.0},
        },
    )


def spinning_top() -> Spec:
    """A heavy top on a ball joint, leaning by 0.5 rad."""
    return Spec(
        bodies={"top": {"mass": 1.5, "com": [0.0, 0.0, 0.3], "inertia": [0.02, 0.02, 0.03]}},
        joints={
            "tip": {
                "type": "spherical", "parent": GROUND, "child": "top",
                "q": [np.cos(0.25), np.sin(0.25), 0.0, 0.0], "v": [0.3, -0.2, 30.0],
            }
        },
    )  # fmt: skip


def ball_chain() -> Spec:
    """Three bars on ball joints."""
    bar = {"mass": 1.0, "com": [0.0, 0.1, -0.5], "inertia": [0.09, 0.08, 0.02]}
    quats = [[np.cos(a), np.sin(a), 0.0, 0.0] for a in (0.4, -0.3, 0.2)]
    joint = [{"type": "spherical", "q": quat, "v": [0.5, 1.0 - k, 0.8]} for k, quat in enumerate(quats)]
    return Spec(
        bodies={"a": bar, "b": bar, "c": bar},
        joints={
            "ja": joint[0] | {"parent": GROUND, "child": "a"},
            "jb": joint[1] | {"parent": "a", "child": "b", "at": [0, 0, -1]},
            "jc": joint[2] | {"parent": "b", "child": "c", "at": [0, 0, -1]},
        },
    )


MACHINES = {"pendulum": pendulum, "double pendulum": double_pendulum, "top": spinning_top, "ball chain": ball_chain}


def q_rate(tree, q, v):
    """q' (nq,) of the twin: v, or half of quaternion times (0, w), and R u for the position of a free joint."""
    rate = np.zeros(tree.nq)
    for link in tree.links:
        at, dof = link.q, link.v
        if link.joint.type not in ("spherical", "free"):
            rate[at] = v[dof]
            continue
        quat = q[at][:4]
        rate[at.start : at.start + 4] = 0.5 * quaternion_product(quat, np.array([0.0, *v[dof][:3]]))
        if link.joint.type == "free":
            rate[at.start + 4 : at.stop] = quaternion_to_rotation(quat) @ v[dof][3:]
    return rate


def solution(spec, q0, v0, times, rtol=1e-13):
    """q (N, nq) and v (N, nv) at the times, by DOP853."""
    tree = Tree(spec)

    def f(_, y):
        q, v = y[: tree.nq], y[tree.nq :]
        return np.concatenate([q_rate(tree, q, v), dyn.aba(tree, q, v, np.zeros(tree.nv))])

    y0 = np.concatenate([q0, v0])
    done = solve_ivp(f, (0.0, times[-1]), y0, "DOP853", t_eval=times, rtol=rtol, atol=rtol)
    assert done.success
    return done.y[: tree.nq].T, done.y[tree.nq :].T
