"""The whole Jacobian of a step as a matrix, and Newton's direction with it: O(n^2) to make, O(n^3) to solve.

    A = I - cv f_v - cq f_x = M^-1 N,      N = M + cv C + cq K

with C and K taken for the accelerations f.
N is analytic, by `kernels/tree/derivatives.py`, and so are the forces on single axes; others are
differenced. With `differences` all of A is: n forward dynamics. The analytic N takes q(x) (+) dq for q(x + dx): for
spherical and free joints it neglects how rotation within the step changes dq, a relative error h |w| / 2 in the terms
with K.
"""

from gori.integrate.lapack import solve, solve_again, solve_all
from gori.integrate.step_equations import (
    DIFFERENCE,
    axis_derivatives,
    defect,
    end_state,
    generalised_force,
    residual,
    simple,
)
from gori.kernels.codes import OK, SINGULAR
from gori.kernels.jit import block, part
from gori.kernels.tree.derivatives import inverse_derivatives
from gori.kernels.tree.rnea import rnea


@part
def difference_step(memory, work, c):
    """How far to change x[c] so that the coordinate itself moves by DIFFERENCE."""
    return DIFFERENCE * work.axis_scale[c] / memory.step[0].cq


@part
def count_whole(memory, nv):
    head = memory.head[0]
    head.whole += 1
    head.refreshed += nv


@block
def linearise(machine, data, memory, y, a):
    """`residual` at x, N for accelerations a (nv,) into `jacobian` and M into `mass`, by columns."""
    work, dense = memory.work, memory.dense
    x, r, G = work.x, work.residual, work.forces
    nv, cv, cq = x.shape[0], memory.step[0].cv, memory.step[0].cq
    K, C, M = dense.jacobian, dense.damping, dense.mass
    K[:] = 0.0
    C[:] = 0.0
    M[:] = 0.0
    end_state(machine, memory, work, y, x)
    q, v = work.q_end, work.v_end
    inverse_derivatives(
        machine.body_i, machine.body_f, q, v, a, (K, C, M), data.body_w, data.dof_w, dense.body_d, dense.dof_d
    )
    none = machine.body_f[:0]
    rnea(machine.body_i, machine.body_f, q, v, x, none[:, :4], none[:, :6], r, data.body_w, data.dof_w)
    code = generalised_force(machine, data, memory, G)
    if code != OK:
        return code
    for c in range(nv):
        r[c] -= G[c]
        for k in range(nv):
            K[c, k] = M[c, k] + cv * C[c, k] + cq * K[c, k]
    if simple(machine):
        axis_derivatives(machine, memory, work, data.values)
        for c in range(nv):
            K[c, c] += work.diagonal[c]
        return OK
    moved = work.column
    for c in range(nv):
        kept, change = x[c], difference_step(memory, work, c)
        x[c] = kept + change
        end_state(machine, memory, work, y, x)
        code = generalised_force(machine, data, memory, moved)
        x[c] = kept
        if code != OK:
            return code
        for k in range(nv):
            K[c, k] -= (moved[k] - G[k]) / change
    return OK


@block
def difference(machine, data, memory, y):
    """`defect` at x, and A into `jacobian`, by columns."""
    work, dense = memory.work, memory.dense
    x, base, moved = work.x, work.defect, work.column
    code = defect(machine, data, memory, y, x, base)
    for c in range(x.shape[0]):
        if code != OK:
            break
        kept, change = x[c], difference_step(memory, work, c)
        x[c] = kept + change
        code = defect(machine, data, memory, y, x, moved)
        x[c] = kept
        for k in range(x.shape[0]):
            dense.jacobian[c, k] = (moved[k] - base[k]) / change
    return code


@part
def apply(B, x, out):
    """out = B x, with B by columns."""
    n = x.shape[0]
    for r in range(n):
        out[r] = 0.0
    c = 0
    while c + 4 <= n:
        x0, x1, x2, x3 = x[c], x[c + 1], x[c + 2], x[c + 3]
        for r in range(n):
            out[r] += B[c, r] * x0 + B[c + 1, r] * x1 + B[c + 2, r] * x2 + B[c + 3, r] * x3
        c += 4
    for k in range(c, n):
        for r in range(n):
            out[r] += B[k, r] * x[k]


@block
def dense_correction(machine, data, memory, y, a, renew):
    """dx at x; the matrix is recomputed, or reused.

    N dx = residual, N for accelerations a; with care N dx = M defect, N for accelerations f; or A dx = defect.
    """
    work, dense = memory.work, memory.dense
    dx, careful, differences = work.dx, memory.step[0].careful != 0, memory.settings[0].differences != 0
    if (careful or differences) and not (differences and renew):
        code = defect(machine, data, memory, y, work.x, work.defect)
        if code != OK:
            return code
    if renew:
        count_whole(memory, data.tau.shape[0])
        if differences:
            code = difference(machine, data, memory, y)
        else:
            code = linearise(machine, data, memory, y, work.forward if careful else a)
    elif not (careful or differences):
        code = residual(machine, data, memory, y, work.x, work.x, work.residual)
    else:
        code = OK
    if code != OK:
        return code
    if careful and not differences:
        apply(dense.mass, work.defect, dx)
    else:
        for k in range(dx.shape[0]):
            dx[k] = work.defect[k] if differences else work.residual[k]
    if renew:
        return OK if solve(dense.jacobian, dense.pivots, dx) == 0 else SINGULAR
    solve_again(dense.jacobian, dense.pivots, dx)
    return OK


@block
def dense_inverse(machine, data, memory, y):
    """A^-1 = N^-1 M into `inverse`, by columns, with all of A made at x, after `defect` there."""
    work, dense = memory.work, memory.dense
    inverse = memory.state.inverse
    count_whole(memory, data.tau.shape[0])
    code = linearise(machine, data, memory, y, work.forward)
    if code != OK:
        return code
    if solve(dense.jacobian, dense.pivots, work.product) != 0:  # for the factors, not for the product
        return SINGULAR
    for c in range(inverse.shape[0]):
        for r in range(inverse.shape[0]):
            inverse[c, r] = dense.mass[c, r]
    solve_all(dense.jacobian, dense.pivots, inverse, dense.damping)
    return OK
