"""One semi-implicit step, v' = v + h a(q, v, u), q' = q (+) h v', as a linear map of small changes of where it starts.

Changes of q and q' are steps in tangent coordinates, seen from the axes of the bodies as they stand before and after.
With A = da/dq, B = da/dv, C = da/du, and P, J the derivatives of q (+) h v' by q and by h v' (`model/tangents.py`):

    dv' = h A dq + (1 + h B) dv + h C du        dq' = P dq + h J dv'

P and J are one but for joints with a quaternion. A, B and C follow from derivatives of forward dynamics and of the
forces tau on the axes: A = da/dq|tau + M^-1 dtau/dq, B = da/dv|tau + M^-1 dtau/dv, C = M^-1 dtau/du.
"""

from typing import NamedTuple

import numpy as np

from gori.model import Model
from gori.model.axis_forces import AxisForces, AxisForcesAt, ForceTerm
from gori.model.tangents import QuaternionStep, quaternion_steps


class LinearSteps(NamedTuple):
    """The map at rows of states.

    h        step [s]
    q, v     the states
    forces   on the axes there, and their derivatives
    inputs   number of the inputs
    turns    P and J of joints with a quaternion
    """

    model: Model
    h: float
    q: np.ndarray
    v: np.ndarray
    forces: AxisForcesAt
    inputs: int
    turns: list[QuaternionStep]

    def jacobians(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of (q', v') by (q, v) (rows, 2 nv, 2 nv), and by the inputs (rows, 2 nv, inputs)."""
        forces, (rows, nv) = self.forces, self.v.shape
        by_q, by_v, by_tau = self.model.derivatives(self.q, self.v, forces.tau)
        whole = np.zeros((rows, 2 * nv, 2 * nv + self.inputs))
        place, speed = whole[:, :nv], whole[:, nv:]
        speed[:, :, :nv] = by_q + by_tau * forces.own_q[:, None]
        speed[:, :, nv : 2 * nv] = by_v + by_tau * forces.own_v[:, None]
        for first, terms in ((0, forces.across_q), (nv, forces.across_v), (2 * nv, forces.by_inputs)):
            for axis, column, value in terms:
                speed[:, :, first + column] += by_tau[:, :, axis] * value[:, None]
        speed *= self.h
        speed[:, :, nv : 2 * nv] += np.eye(nv)

        place[:] = self.h * speed
        place[:, :, :nv] += np.eye(nv)
        for at, turned, moved in self.turns:
            place[:, at] = self.h * moved @ speed[:, at]
            place[:, at, at] += turned
        return whole[:, :, : 2 * nv], whole[:, :, 2 * nv :]

    def pulled_back(self, of_q: np.ndarray, of_v: np.ndarray, rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """From derivatives of a number by q' and v' (rows, nv) to those by q, v and the inputs, of some of the rows."""
        forces = self.forces
        back_q, back_v, back_inputs = of_q.copy(), of_v + self.h * of_q, np.zeros((len(of_q), self.inputs))
        for at, turned, moved in self.turns:
            back_q[:, at] = _times(of_q[:, at], turned[rows])
            back_v[:, at] = of_v[:, at] + self.h * _times(of_q[:, at], moved[rows])
        by_q, by_v, of_tau = self.model.transposed_derivatives(
            self.q[rows], self.v[rows], forces.tau[rows], self.h * back_v
        )
        back_q += by_q + of_tau * forces.own_q[rows]
        back_v += by_v + of_tau * forces.own_v[rows]
        for out, terms in ((back_q, forces.across_q), (back_v, forces.across_v), (back_inputs, forces.by_inputs)):
            _add_transposed(terms, of_tau, rows, out)
        return back_q, back_v, back_inputs


def linear_steps(
    model: Model, forces: AxisForces, h: float, t: np.ndarray, q: np.ndarray, v: np.ndarray, inputs: np.ndarray
) -> LinearSteps:
    """Of steps h from times (rows,) and states (rows, nq) and (rows, nv), with inputs (rows, inputs)."""
    now = forces.at(t, q, v, inputs)
    turns = []
    if model.nq > model.nv:
        turns = quaternion_steps(model, h * (v + h * model.forward_dynamics(q, v, now.tau)))
    return LinearSteps(model, h, q, v, now, inputs.shape[1], turns)


def _add_transposed(terms: list[ForceTerm], of_tau: np.ndarray, rows: slice, out: np.ndarray) -> None:
    for axis, column, value in terms:
        out[:, column] += of_tau[:, axis] * value[rows]


def _times(rows: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """Rows (n, a) times matrices (n, a, b)."""
    return np.matmul(rows[:, None], matrices)[:, 0]
