"""The whole Jacobian of a step as a matrix, and Newton's direction with it: O(n^2) to make, O(n^3) to solve.

    A = I - cv f_v - cq f_x = M^-1 N,      N = M + cv C + cq K

with C and K taken for the accelerations f.
N is analytic, by `kernels/tree/derivatives.py`, and so are the forces on single axes; what other forces add is
differenced. With `differences` all of A is: n forward dynamics. The analytic N takes q(x) (+) dq for q(x + dx): for
ball and free joints it leaves out how the rotation within the step bends dq, a relative error of h |w| / 2 in the terms
with K.
"""

from gori.integrate.lapack import solve, solve_again, solve_all
from gori.integrate.trial import (
    DIFFERENCE,
    axis_derivatives,
    defect,
    generalised_force,
    look_ahead,
    residual,
    simple,
)
from gori.integrate.work import (
    CAREFUL,
    COLUMN,
    CQ,
    CV,
    DEFECT,
    DIAGONAL,
    DIFFERENCES,
    DX,
    FALL,
    FORCES,
    PIVOTS,
    PRODUCT,
    REFRESHED,
    RESIDUAL,
    SCALE,
    SPEED,
    WHOLE,
    X,
)
from gori.kernels.codes import OK, SINGULAR
from gori.kernels.jit import block, part
from gori.kernels.tree.derivatives import inverse_derivatives
from gori.kernels.tree.rnea import rnea


@part
def difference_step(work, c):
    """How far to change x[c] so that the coordinate itself moves by DIFFERENCE."""
    return DIFFERENCE * work.vectors[SCALE, c] / work.head[CQ]


@part
def count_whole(work):
    work.head[WHOLE] += 1.0
    work.head[REFRESHED] += work.vectors.shape[1]


@block
def linearise(machine, data, work, y, a):
    """RESIDUAL at X, N for accelerations a (nv,) into squares[0] and M into squares[2], by columns."""
    x, r, G = work.vectors[X], work.vectors[RESIDUAL], work.vectors[FORCES]
    nv, cv, cq = x.shape[0], work.head[CV], work.head[CQ]
    K, C, M = work.squares[0], work.squares[1], work.squares[2]
    K[:] = 0.0
    C[:] = 0.0
    M[:] = 0.0
    look_ahead(machine, work, y, x)
    q, v = work.ahead, work.vectors[SPEED]
    inverse_derivatives(
        machine.body_i, machine.body_f, q, v, a, K, C, M, data.body_w, data.dof_w, work.body_d, work.dof_d
    )
    none = machine.body_f[:0]
    rnea(machine.body_i, machine.body_f, q, v, x, none[:, :4], none[:, :6], r, data.body_w, data.dof_w)
    code = generalised_force(machine, data, work, G)
    if code != OK:
        return code
    for c in range(nv):
        r[c] -= G[c]
        for k in range(nv):
            K[c, k] = M[c, k] + cv * C[c, k] + cq * K[c, k]
    if simple(machine):
        axis_derivatives(machine, work, data.values)
        for c in range(nv):
            K[c, c] += work.vectors[DIAGONAL, c]
        return OK
    moved = work.vectors[COLUMN]
    for c in range(nv):
        kept, change = x[c], difference_step(work, c)
        x[c] = kept + change
        look_ahead(machine, work, y, x)
        code = generalised_force(machine, data, work, moved)
        x[c] = kept
        if code != OK:
            return code
        for k in range(nv):
            K[c, k] -= (moved[k] - G[k]) / change
    return OK


@block
def difference(machine, data, work, y):
    """DEFECT at X, and A into squares[0], by columns."""
    x, base, moved = work.vectors[X], work.vectors[DEFECT], work.vectors[COLUMN]
    code = defect(machine, data, work, y, x, base)
    for c in range(x.shape[0]):
        if code != OK:
            break
        kept, change = x[c], difference_step(work, c)
        x[c] = kept + change
        code = defect(machine, data, work, y, x, moved)
        x[c] = kept
        for k in range(x.shape[0]):
            work.squares[0, c, k] = (moved[k] - base[k]) / change
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
def dense_correction(machine, data, work, y, a, renew):
    """DX at X; the matrix is made anew, or is still the last one.

    N DX = RESIDUAL, N for accelerations a; with care N DX = M DEFECT, N for accelerations f; or A DX = DEFECT.
    """
    vectors, dx, careful = work.vectors, work.vectors[DX], work.head[CAREFUL] != 0.0
    differences = work.head[DIFFERENCES] != 0.0
    if (careful or differences) and not (differences and renew):
        code = defect(machine, data, work, y, vectors[X], vectors[DEFECT])
        if code != OK:
            return code
    if renew:
        count_whole(work)
        if differences:
            code = difference(machine, data, work, y)
        else:
            code = linearise(machine, data, work, y, vectors[FALL] if careful else a)
    elif not (careful or differences):
        code = residual(machine, data, work, y, vectors[X], vectors[X], vectors[RESIDUAL])
    else:
        code = OK
    if code != OK:
        return code
    if careful and not differences:
        apply(work.squares[2], vectors[DEFECT], dx)
    else:
        for k in range(dx.shape[0]):
            dx[k] = vectors[DEFECT, k] if differences else vectors[RESIDUAL, k]
    if renew:
        return OK if solve(work.squares[0], vectors[PIVOTS], dx) == 0 else SINGULAR
    solve_again(work.squares[0], vectors[PIVOTS], dx)
    return OK


@block
def dense_inverse(machine, data, work, y):
    """A^-1 = N^-1 M into squares[2], by columns, with all of A made at X, after `defect` there."""
    count_whole(work)
    code = linearise(machine, data, work, y, work.vectors[FALL])
    if code != OK:
        return code
    if solve(work.squares[0], work.vectors[PIVOTS], work.vectors[PRODUCT]) != 0:  # for the factors, not for the product
        return SINGULAR
    solve_all(work.squares[0], work.vectors[PIVOTS], work.squares[2], work.squares[1])
    return OK
