"""Generalized-alpha on the Lie group (Arnold and Bruels 2007): order 2, damping of high frequencies by rho_inf.

    q' = q (+) h (v + h ((1/2 - beta) a + beta a')),     v' = v + h ((1 - gamma) a + gamma a')
    (1 - alpha_m) a' + alpha_m a = (1 - alpha_f) vdot' + alpha_f vdot,     r(q', v', vdot') = 0

by Newton's method for vdot' with the matrix M + h gamma c C + h^2 beta c K, c = (1 - alpha_f)/(1 - alpha_m).
rho_inf = 1 keeps all frequencies, 0 kills the highest in one step.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError
from gori.integrate.contract import Fixed
from gori.integrate.linearise import MOST, RESIDUAL, carve, judge, linearise, size, slide_states, solve
from gori.integrate.march import RUN, marching
from gori.kernels.accelerations import NO_CONVERGENCE, OK, SINGULAR, accelerations, finite
from gori.kernels.columns import NQ
from gori.kernels.configuration import integrate
from gori.kernels.jit import kernel, part

# the first numbers of the memory: rho_inf, whether a and vdot are known, then vdot (nv,) and a (nv,)
RHO, KNOWN, KEPT = 0, 1, 2


@part
def alpha_step(machine, scratch, memory, t, h, y):
    nq, nv = machine.body_i[0, NQ], scratch.tau.shape[0]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
    flat = memory.reshape(memory.size)
    vdot, a = flat[KEPT : KEPT + nv], flat[KEPT + nv : KEPT + 2 * nv]
    squares, body_d, dof_d, vectors, spare = carve(flat[KEPT + 2 * nv :], machine, scratch)
    K, C, M, A = squares[0], squares[1], squares[2], squares[3]
    rate, move, speed, zdot, dx = vectors[4], vectors[5], vectors[6], vectors[7], vectors[8]
    slid, ahead = vectors[9][: z.shape[0]], spare[0]
    rho = flat[RHO]
    am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2
    ratio = (1.0 - af) / (1.0 - am)
    if flat[KNOWN] == 0.0:
        code = accelerations(machine, t, q, v, z, vdot, zdot, scratch)
        if code != OK:
            return code
        for k in range(nv):
            a[k] = vdot[k]
        flat[KNOWN] = 1.0

    for k in range(nv):
        rate[k] = vdot[k]
    before, halvings = 0.0, 0
    for trial in range(MOST):
        for k in range(nv):
            new = ((1.0 - af) * rate[k] + af * vdot[k] - am * a[k]) / (1.0 - am)
            speed[k] = v[k] + h * ((1.0 - gamma) * a[k] + gamma * new)
            move[k] = h * (v[k] + h * ((0.5 - beta) * a[k] + beta * new))
        integrate(machine.body_i, q, move, ahead)
        for k in range(z.shape[0]):
            slid[k] = z[k]
        slide_states(machine, speed, slid, h)
        code = linearise(
            machine, t + h, ahead, speed, slid, rate, h, squares, body_d, dof_d, vectors, spare[1], zdot, scratch
        )
        if code != OK:
            return code
        verdict, norm = judge(vectors, M, rate, A[0, 0], before, trial, halvings)
        if verdict == 1:
            for k in range(nq):
                q[k] = ahead[k]
            for k in range(nv):
                a[k] = ((1.0 - af) * rate[k] + af * vdot[k] - am * a[k]) / (1.0 - am)
                vdot[k] = rate[k]
                v[k] = speed[k]
            for k in range(z.shape[0]):
                z[k] = slid[k]
            return finite(v)
        if verdict == 2:
            halvings += 1
            for k in range(nv):
                dx[k] *= 0.5
                rate[k] += dx[k]
            continue
        before, halvings = norm, 0
        for c in range(nv):
            dx[c] = vectors[RESIDUAL][c]
            for row in range(nv):
                A[c, row] = M[c, row] + ratio * h * (gamma * C[c, row] + h * beta * K[c, row])
        if not solve(A, dx):
            return SINGULAR
        for k in range(nv):
            rate[k] -= dx[k]
    return NO_CONVERGENCE


_march = marching(alpha_step)


@kernel(RUN)
def generalized_alpha_run(machine, scratch, memory, clock, count, y, samples, watch):
    return _march(machine, scratch, memory, clock, count, y, samples, watch)


@dataclass(frozen=True)
class GeneralizedAlpha(Fixed):
    """Generalized-alpha: order 2, implicit; rho_inf between 0 and 1 is what remains of the highest frequencies."""

    rho_inf: float = 0.8
    kind: ClassVar[str] = "generalized_alpha"
    run: ClassVar[Any] = generalized_alpha_run

    def __post_init__(self):
        super().__post_init__()
        if not 0.0 <= self.rho_inf <= 1.0:
            raise InputError(f"generalized_alpha: rho_inf must lie between 0 and 1, not {self.rho_inf!r}")

    def memory(self, nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
        memory = np.zeros((1, KEPT + 2 * nv + size(nrow, nq, nv)))
        memory[0, RHO] = self.rho_inf
        return memory

    def forget(self, memory: np.ndarray) -> None:
        memory[0, KNOWN] = 0.0
