"""Steps of Simulations beside each other, for derivatives by differences; on loops, along them."""

from typing import NamedTuple

import numpy as np

import gori
from gori.model import Model
from gori.spec import Spec
from tests.reference.loops import jacobian, residual

D = 1e-6


class Changes(NamedTuple):
    """Small changes of where machines start, per unit, and of where they then arrive: (changes, 2 nv)."""

    start: np.ndarray
    end: np.ndarray


def on_loops(model: Model, spec: Spec, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The state next to q and v on the loops."""
    for _ in range(8):
        q = model.integrate(q, -np.linalg.pinv(jacobian(spec, q), rcond=1e-9) @ residual(spec, q))
    J = jacobian(spec, q)
    return q, v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v)


def stepped(model: Model, q: np.ndarray, v: np.ndarray, h: float, steps: int = 1, **values: float):
    """q and v of a Simulation after steps; values: of forces."""
    run = gori.Simulation(model, gori.SemiImplicit(step=h), state=model.state(q, v), force_values=values)
    run.step(steps)
    return run.q, run.v


def changes_along(
    model: Model, spec: Spec, q: np.ndarray, v: np.ndarray, h: float, seed: int = 0, steps: int = 1, count: int = 3
) -> Changes:
    """Random changes along the loops."""
    rng, nv = np.random.default_rng(seed), model.nv
    J = jacobian(spec, q)
    along = np.eye(nv) - np.linalg.pinv(J, rcond=1e-9) @ J
    starts, ends = [], []
    for dq, dv in rng.normal(size=(count, 2, nv)):
        up, down = (on_loops(model, spec, model.integrate(q, x * along @ dq), v + x * dv) for x in (D, -D))
        high, low = (stepped(model, *state, h, steps) for state in (up, down))
        for found, (a, b) in ((starts, (up, down)), (ends, (high, low))):
            found.append(np.concatenate([model.difference(b[0], a[0]), a[1] - b[1]]) / (2.0 * D))
    return Changes(np.array(starts), np.array(ends))
