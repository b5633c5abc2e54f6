"""States beside a singular pose, on the branch that the machine is on: what they have in common holds at the pose too.

At the pose itself J does not determine accelerations and reactions, and next to it they are noise. Along a branch they
are smooth, so they are interpolated from states on both sides. These are found by coordinates T'q of the branch, with T
the tangents of the branch at one of them,

    Phi(q_k, t) = 0,   T' (q_k - q) = k d T' v,        J v_k = nu,   T' v_k = T' v

which determines them well though J alone does not.
"""

from typing import NamedTuple

import numpy as np

from gori.model.loops.branches import is_singular, tangents
from gori.model.loops.newton import ASSEMBLED, close_from
from gori.model.model import Model

ASIDE = 0.02
"""how far beside a singular pose the nearest states are [rad, or the size of the machine]"""
NODES = {-3: 0.05, -2: -0.3, -1: 0.75, 1: 0.75, 2: -0.3, 3: 0.05}
"""where they are, and what each counts: a polynomial of degree 5"""
SLOPES = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
"""what each counts in the derivative"""
REGULAR = 1e-5
"""smallest singular value of (J; T'), by the largest, of a state that will do"""


class Side(NamedTuple):
    """A state beside a singular pose."""

    time: float
    q: np.ndarray
    v: np.ndarray


class Branch:
    """The branch through a singular pose q that velocities v lie on."""

    def __init__(self, model: Model, q: np.ndarray, v: np.ndarray, time: float):
        self.model, self.q, self.v, self.time = model, q, v, time
        self.scale = model.loop_system.column_scale
        self.delay = ASIDE / np.abs(v / self.scale).max()
        """time in which the machine comes to the nearest state beside it [s]"""
        self.driven = bool(model.motion_names)
        near = close_from(model, self._predicted(1.0), np.ones(model.nv, bool), np.ones(model.nv), self._time(1.0))
        self.T = tangents(model, near.q, self._time(1.0)).N

    def _time(self, k: float) -> float:
        return self.time + k * self.delay if self.driven else self.time

    def _predicted(self, k: float) -> np.ndarray:
        return self.model.integrate(self.q, k * self.delay * self.v)

    def side(self, k: float) -> Side | None:
        """The state so many times `delay` before or behind; None if there is none."""
        model, system, time, T = self.model, self.model.loop_system, self._time(k), self.T
        predicted = q = self._predicted(k)
        for _ in range(30):
            terms = system.terms(q, time=time)
            matrix = np.vstack([system.scaled(terms.J), T.T])
            rest = np.concatenate([terms.gap * system.row_scale, T.T @ (model.difference(predicted, q) / self.scale)])
            step = np.linalg.lstsq(matrix, -rest, rcond=1e-12)[0]
            q = model.integrate(q, step * self.scale)
            if np.abs(step).max() <= 1e-15:
                break
        terms = system.terms(q, time=time)
        matrix = np.vstack([system.scaled(terms.J), T.T])
        values = np.linalg.svd(matrix, compute_uv=False)
        far = np.linalg.norm(model.difference(predicted, q) / self.scale)
        if np.linalg.norm(terms.gap * system.row_scale) > ASSEMBLED or far > max(2.0 * abs(k) * ASIDE, 0.1):
            return None
        if len(matrix) < model.nv or values[-1] <= REGULAR * values[0]:
            return None
        rest = np.concatenate([terms.slip * system.row_scale, -T.T @ (self.v / self.scale)])
        v = np.linalg.lstsq(matrix, -rest, rcond=1e-12)[0] * self.scale
        return Side(time, q, v)

    def sides(self) -> dict[int, Side] | None:
        """States at all NODES; None if one is missing."""
        found = {k: self.side(k) for k in NODES}
        return None if None in found.values() else found  # pyright: ignore[reportReturnType]


def branch_at(model: Model, q: np.ndarray, v: np.ndarray, time: float) -> Branch | None:
    """The branch at a singular pose; None at any other pose, at rest, and where v lies on no branch."""
    if not v.any():
        return None
    at = tangents(model, q, time)
    if not is_singular(at) or not at.on_branch(at.N.T @ (v / model.loop_system.column_scale)):
        return None
    return Branch(model, q, v, time)
