"""Implicit Euler: v' = v + h a(q', v'), q' = q (+) h v'. Order 1, damps everything fast; for stiff machines.

Linearly implicit: one solve a step, (M + h C + h^2 K) dv = h (M a - h K v), the Newton step from the old state.
Newton-converged: iterates r(q', v', (v' - v)/h) = 0 with the matrix M/h + C + h K until the residual has gone.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.integrate.contract import Fixed
from gori.integrate.linearise import MOST, RESIDUAL, carve, judge, linearise, size, slide_states, solve
from gori.integrate.march import RUN, marching
from gori.kernels.accelerations import NO_CONVERGENCE, OK, SINGULAR, accelerations, finite, health
from gori.kernels.columns import NQ
from gori.kernels.configuration import integrate
from gori.kernels.jit import kernel, part


@part
def linear_step(machine, scratch, memory, t, h, y):
    nq, nv = machine.body_i[0, NQ], scratch.tau.shape[0]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
    squares, body_d, dof_d, vectors, spare = carve(memory, machine, scratch)
    a, dv, zdot = vectors[4], vectors[5], spare[1]
    code = accelerations(machine, t, q, v, z, a, zdot, scratch)
    if code != OK:
        return code
    code = linearise(machine, t, q, v, z, a, h, squares, body_d, dof_d, vectors, spare[0], zdot, scratch)
    if code != OK:
        return code
    K, C, M, A = squares[0], squares[1], squares[2], squares[3]
    for r in range(nv):
        dv[r] = 0.0
    for c in range(nv):
        for r in range(nv):
            dv[r] += h * (M[c, r] * a[c] - h * K[c, r] * v[c])
            A[c, r] = M[c, r] + h * (C[c, r] + h * K[c, r])
    if not solve(A, dv):
        return SINGULAR
    for k in range(nv):
        v[k] += dv[k]
        dv[k] = h * v[k]
    integrate(machine.body_i, q, dv, q)
    slide_states(machine, v, z, h)
    return health(v, scratch.dof_w)


@part
def newton_step(machine, scratch, memory, t, h, y):
    nq, nv = machine.body_i[0, NQ], scratch.tau.shape[0]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
    squares, body_d, dof_d, vectors, spare = carve(memory, machine, scratch)
    K, C, M, A = squares[0], squares[1], squares[2], squares[3]
    a, move, new, zdot, dx = vectors[4], vectors[5], vectors[6], vectors[7], vectors[8]
    slid, ahead = vectors[9][: z.shape[0]], spare[0]
    for k in range(nv):
        new[k] = v[k]
    before, halvings = 0.0, 0
    for trial in range(MOST):
        for k in range(nv):
            a[k] = (new[k] - v[k]) / h
            move[k] = h * new[k]
        integrate(machine.body_i, q, move, ahead)
        for k in range(z.shape[0]):
            slid[k] = z[k]
        slide_states(machine, new, slid, h)
        code = linearise(
            machine, t + h, ahead, new, slid, a, h, squares, body_d, dof_d, vectors, spare[1], zdot, scratch
        )
        if code != OK:
            return code
        verdict, norm = judge(vectors, M, a, A[0, 0], before, trial, halvings)
        if verdict == 1:
            for k in range(nq):
                q[k] = ahead[k]
            for k in range(nv):
                v[k] = new[k]
            for k in range(z.shape[0]):
                z[k] = slid[k]
            return finite(v)
        if verdict == 2:
            halvings += 1
            for k in range(nv):
                dx[k] *= 0.5
                new[k] += dx[k]
            continue
        before, halvings = norm, 0
        for c in range(nv):
            dx[c] = vectors[RESIDUAL][c]
            for row in range(nv):
                A[c, row] = M[c, row] / h + C[c, row] + h * K[c, row]
        if not solve(A, dx):
            return SINGULAR
        for k in range(nv):
            new[k] -= dx[k]
    return NO_CONVERGENCE


_linear, _newton = marching(linear_step), marching(newton_step)


@kernel(RUN)
def implicit_euler_run(machine, scratch, memory, clock, count, y, samples, watch):
    return _linear(machine, scratch, memory, clock, count, y, samples, watch)


@kernel(RUN)
def newton_euler_run(machine, scratch, memory, clock, count, y, samples, watch):
    return _newton(machine, scratch, memory, clock, count, y, samples, watch)


@dataclass(frozen=True)
class ImplicitEuler(Fixed):
    """Implicit Euler with the full analytic Jacobian.

    newton   iterate to convergence; otherwise one linear solve a step (linearly implicit)
    """

    newton: bool = False
    kind: ClassVar[str] = "implicit_euler"

    @property
    def run(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return newton_euler_run if self.newton else implicit_euler_run

    def memory(self, nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
        return np.zeros((1, size(nrow, nq, nv)))
