"""Closed machines for the tests of methods, away from singular poses for as long as they are used."""

import numpy as np
from scipy.integrate import solve_ivp

from gori.spec import GROUND, Spec
from gori.spec.base import quaternion
from tests.integrate.machines import q_rate
from tests.reference import loops


def slider_crank(speed: float = 6.0, rod: float = 0.3, **joint) -> Spec:
    """Haug's spatial slider-crank (1989, section 12.2): crank on x, ball, rod, universal cut, slider on the x axis.

    Five coordinates and four equations: one degree of freedom. It turns all the way for rods longer than 0.2362 m.
    """
    along = np.array([np.sqrt(rod**2 - 0.05), -0.1, -0.2]) / rod  # from the pin, at (0, 0.1, 0.2), to the slider
    across = np.cross([0.0, 0.0, 1.0], along)
    across /= np.linalg.norm(across)
    R = np.column_stack([along, across, np.cross(along, across)])
    return Spec(
        bodies={
            "crank": {"mass": 0.12, "inertia": [1e-4, 1e-4, 1e-5]},
            "rod": {"mass": 0.5, "com": [rod / 2, 0, 0], "inertia": [4e-4, 4e-3, 4e-3]},
            "slider": {"mass": 2.0, "inertia": [1e-4, 1e-4, 1e-4]},
        },
        joints={
            "axle": {
                "type": "revolute", "parent": GROUND, "child": "crank", "at": [0, 0.1, 0.12], "axis": [1, 0, 0],
                "v": speed, **joint,
            },
            "ball": {"type": "spherical", "parent": "crank", "child": "rod", "at": [0, 0, 0.08], "q": quaternion(R)},
            "rail": {"type": "prismatic", "parent": GROUND, "child": "slider", "axis": [1, 0, 0], "q": rod * along[0]},
        },
        cuts={
            "cross": {
                "type": "universal", "parent": "rod", "child": "slider", "at": [rod, 0, 0],
                "axis": [0, 1, 0], "axis2": [0, 0, 1],
            }
        },
    )  # fmt: skip


def slider_position(angle, rod: float = 0.3):
    """Where the slider of `slider_crank` is, from the angle of the crank: |pin - slider| = rod."""
    y, z = 0.1 - 0.08 * np.sin(angle), 0.12 + 0.08 * np.cos(angle)
    return np.sqrt(rod**2 - y**2 - z**2)


def rockers(speed: float = 2.0, driven: bool = False) -> Spec:
    """A four-bar in which no bar can turn all the way: 0.6, 0.5 and 0.6 m on feet 1 m apart; no gravity.

    Where bars B and D come into line, A turns back: there it cannot be the independent coordinate, and a motion of A
    cannot go on. No pose is singular.
    """

    def bar(length):
        return {"mass": 1.0, "com": [length / 2, 0, 0], "inertia": [1e-3, length**2 / 12, length**2 / 12]}

    return Spec(
        gravity=[0, 0, 0],
        bodies={"crank": bar(0.6), "coupler": bar(0.5), "rocker": bar(0.6)},
        joints={
            "A": {"type": "revolute", "parent": GROUND, "child": "crank", "q": 1.0, "v": speed},
            "B": {"type": "revolute", "parent": "crank", "child": "coupler", "at": [0.6, 0, 0], "guess": -1.0},
            "D": {"type": "revolute", "parent": GROUND, "child": "rocker", "at": [1, 0, 0], "guess": 2.0},
        },
        cuts={
            "C": {
                "type": "revolute", "parent": "coupler", "child": "rocker", "at": [0.5, 0, 0], "child_at": [0.6, 0, 0]
            }
        },
        motions={"drive": {"joint": "A", "speed": speed}} if driven else {},
    )  # fmt: skip


def row_of_squares(N: int, times, phi: float = 0.0, rate: float = 1.0):
    """phi and its rate of N four-bars in a row (IFToMM A02), by their one equation."""
    factor = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    done = solve_ivp(
        lambda _, y: [y[1], factor * np.sin(y[0])], (0.0, times[-1]), [phi, rate], "DOP853",
        t_eval=times, rtol=1e-13, atol=1e-14,
    )  # fmt: skip
    return done.y


def solution(spec: Spec, q0, v0, end: float, rtol: float = 1e-12):
    """q and v at the end, by DOP853 on the twin's accelerations, whose loops stay closed by themselves."""
    tree = loops.open_tree(spec)

    def f(_, y):
        q, v = y[: tree.nq], y[tree.nq :]
        return np.concatenate([q_rate(tree, q, v), loops.constrained(spec, q, v, np.zeros(tree.nv))[0]])

    done = solve_ivp(f, (0.0, end), np.concatenate([q0, v0]), "DOP853", rtol=rtol, atol=rtol)
    assert done.success
    return done.y[: tree.nq, -1], done.y[tree.nq :, -1]
