"""Energy drift of trees without losses: double pendulum, spinning top, chain of ball joints; 5 s, step 1 ms."""

from collections.abc import Iterator

import numpy as np

import gori
from validation.a01_pendulum import METHODS, first_order_of_trees
from validation.check import Check, attempt, order, small
from validation.solvers import Solver

CASE = "trees, energy"
BOUNDS = {"rk4": 1e-6, "dopri5": 1e-6, "radau5": 1e-6, "adams": 1e-3, "generalized_alpha": 1e-3}
"""drift over the largest kinetic energy"""


def double_pendulum() -> gori.Model:
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": (0.084, 0.084, 0.001)}
    joints = {
        "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": (0, 1, 0), "q": 0.8},
        "elbow": {
            "type": "revolute",
            "parent": "upper",
            "child": "lower",
            "at": (0, 0, -1),
            "axis": (0, 1, 0),
            "q": 0.4,
        },
    }
    return gori.compile(gori.Spec(bodies={"upper": rod, "lower": rod}, joints=joints))


def top() -> gori.Model:
    body = {"mass": 1, "com": (0, 0, 0.3), "inertia": (0.01, 0.01, 0.02)}
    tilt = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)
    joint = {"type": "spherical", "parent": "ground", "child": "top", "q": tilt, "v": (0, 0, 60)}
    return gori.compile(gori.Spec(bodies={"top": body}, joints={"tip": joint}))


def ball_chain() -> gori.Model:
    link = {"mass": 0.5, "com": (0, 0, -0.25), "inertia": (0.011, 0.011, 0.001)}
    names = [f"link{k}" for k in range(5)]
    joints = {}
    for k, name in enumerate(names):
        parent = names[k - 1] if k else "ground"
        joints[f"ball{k}"] = {"type": "spherical", "parent": parent, "child": name, "at": (0, 0, -0.5 if k else 0)}
    joints["ball0"]["q"] = (np.cos(0.5), 0.0, np.sin(0.5), 0.0)
    return gori.compile(gori.Spec(bodies=dict.fromkeys(names, link), joints=joints))


def drift(solver: Solver, model: gori.Model) -> float:
    """Largest, over 5 s, as a share of the largest kinetic energy."""
    rec = solver.run(model, 5.0, sample=0.01)
    energy = rec["energy.total"]
    return float(np.abs(energy - energy[0]).max() / rec["energy.kinetic"].max())


def checks(long: bool = False) -> Iterator[Check]:
    machines = {"double pendulum": double_pendulum(), "spinning top": top(), "chain of 5 balls": ball_chain()}
    for name, model in machines.items():
        for solver in map(Solver, METHODS):
            yield from attempt(CASE, solver, accurate, name, model)
        # the top turns by a sixteenth of a radian in a step of 1 ms: too coarse to see an order
        for solver in first_order_of_trees(1e-4 if name == "spinning top" else 1e-3):
            yield from attempt(CASE, solver, convergent, name, model)


def accurate(solver: Solver, name: str, model: gori.Model) -> Iterator[Check]:
    yield small(CASE, f"{name}, drift / T", solver, drift(solver, model), BOUNDS[solver.kind])


def convergent(solver: Solver, name: str, model: gori.Model) -> Iterator[Check]:
    coarse, fine = drift(solver, model), drift(solver.halved(), model)
    yield order(CASE, f"drift, {name}", solver, solver.order, coarse, fine, 0.2)
