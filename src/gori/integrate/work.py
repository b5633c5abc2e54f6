"""The memory of implicit methods: one flat array, cut into named pieces.

All implicit methods look for accelerations x with x = f(q(x), v(x)), where

    v(x) = base_v + cv x,     q(x) = q (+) (base_m + cq x)

are the state at the end of the step; f is forward dynamics. They differ in base_v, base_m, cv, cq alone.
"""

from typing import Any, NamedTuple

import numpy as np

from gori.kernels.jit import part
from gori.kernels.tree.columns import KIND, NDOF, NQ, P_PJ, V0
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D
from gori.kernels.tree.joints import FREE, PRISMATIC
from gori.kernels.tree.tree_solve import N_BODY_N, N_DOF_N

FULL, FROZEN, ROUND_ROBIN, FASTEST, ERROR_DRIVEN, MATRIX_FREE = 0, 1, 2, 3, 4, 5

# head: settings of the strategy and of the method
STRATEGY, COLUMNS, TOLERANCE, DIFFERENCES, NEWTON, RHO_INF = 0, 1, 2, 3, 4, 5
# of the present step: cv, cq, its length, the time at its end; whether it is done with care, whether with one
# correction (`newton.py`)
CV, CQ, LENGTH, TIME, CAREFUL, ONCE = 6, 7, 8, 9, 10, 11
# kept from step to step: whether weights are there, whether the last accelerations are, cv that the inverse was made
# for (0: none), the row to refresh next, the way travelled by the joints, columns wanted
WEIGHED, KNOWN, MADE_FOR, NEXT, WAY, WANTED = 12, 13, 14, 15, 16, 17
# counts since the start: whole matrices made because the inverse had become bad; steps, columns refreshed, whole
# matrices made, iterations, products with N
GUARDED, STEPS, REFRESHED, WHOLE, ITERATIONS, PRODUCTS = 18, 19, 20, 21, 22, 23
N_HEAD = 24

# vectors (N_VECTORS, nv): unknown and its change, x - f, force residual, generalised force, forward dynamics, state at
# the end and where it starts from; scales of the axes; a column in work and its product with the inverse; what acts on
# single axes; scores for choosing; the last change of x; pivots of the factors; step and way at which a column was last
# refreshed, and how errors of the inverse may have grown since; accelerations of the last step, and
# generalized-alpha's own; residual for given accelerations; forces on bodies along the axes
X, DX, DEFECT, RESIDUAL, FORCES, FALL, SPEED, MOVE, BASE_V, BASE_M = range(10)
SCALE, COLUMN, PRODUCT, DIAGONAL, SCORE, TAKEN, PIVOTS, STAMP, SINCE, GROWTH, LAST, ALPHA, GIVEN, HANDED = range(10, 24)
N_VECTORS = 24

KRYLOV = 40
"""largest dimension of the Krylov space"""


class Work(NamedTuple):
    """Pieces of the memory."""

    head: Any
    vectors: Any
    ahead: Any  # (nq,) position at the end of the step
    slid: Any  # (nz,) states of friction elements at the end of the step
    zdot: Any  # (nz,)
    body_d: Any  # for the derivatives
    dof_d: Any
    squares: Any  # (3, nv, nv) by columns, if the strategy keeps a matrix
    body_n: Any  # for the solve in O(n), if it does not
    dof_n: Any
    basis: Any  # (KRYLOV + 1, nv)
    small: Any  # (KRYLOV + 4, KRYLOV + 1)


def memory_of(settings: dict[int, float], nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
    """Zeros for `carve`, with the head filled in."""
    size = N_HEAD + N_VECTORS * nv + nq + 2 * nz + nrow * N_BODY_D + nv * N_DOF_D
    if settings[STRATEGY] == MATRIX_FREE:
        size += nrow * N_BODY_N + nv * N_DOF_N + (KRYLOV + 1) * (nv + KRYLOV + 4)
    else:
        size += 3 * nv * nv
    memory = np.zeros((1, size))
    for place, value in settings.items():
        memory[0, place] = value
    return memory


@part
def carve(memory, machine, data, nz):
    """The Work of a flat memory."""
    flat = memory.reshape(memory.size)
    nrow, nq, nv = machine.body_i.shape[0], machine.body_i[0, NQ], data.tau.shape[0]
    dense = flat[STRATEGY] != MATRIX_FREE
    a = N_HEAD + N_VECTORS * nv
    b = a + nq + 2 * nz
    c = b + nrow * N_BODY_D
    d = c + nv * N_DOF_D
    side = nv if dense else 0
    rows, axes, wide = (0, 0, 0) if dense else (nrow, nv, KRYLOV + 1)
    e = d + 3 * side * side
    f = e + rows * N_BODY_N
    g = f + axes * N_DOF_N
    h = g + wide * nv
    return Work(
        flat[:N_HEAD],
        flat[N_HEAD:a].reshape((N_VECTORS, nv)),
        flat[a : a + nq],
        flat[a + nq : a + nq + nz],
        flat[a + nq + nz : b],
        flat[b:c].reshape((nrow, N_BODY_D)),
        flat[c:d].reshape((nv, N_DOF_D)),
        flat[d:e].reshape((3, side, side)),
        flat[e:f].reshape((rows, N_BODY_N)),
        flat[f:g].reshape((axes, N_DOF_N)),
        flat[g:h].reshape((wide, nv)),
        flat[h : h + wide * (KRYLOV + 4)].reshape((KRYLOV + 4, wide)),
    )


@part
def weigh(machine, work):
    """Scales that make axes comparable: 1 for angles; for travel the mean distance between joints [m], or 1."""
    body_i, body_f, scale = machine.body_i, machine.body_f, work.vectors[SCALE]
    total, count = 0.0, 0
    for i in range(2, body_i.shape[0]):
        arm = (body_f[i, P_PJ] ** 2 + body_f[i, P_PJ + 1] ** 2 + body_f[i, P_PJ + 2] ** 2) ** 0.5
        if arm > 0.0:
            total += arm
            count += 1
    length = total / count if count > 0 else 1.0
    for i in range(1, body_i.shape[0]):
        kind, d = body_i[i, KIND], body_i[i, V0]
        for k in range(body_i[i, NDOF]):
            scale[d + k] = length if kind == PRISMATIC or (kind == FREE and k >= 3) else 1.0
    work.head[WEIGHED] = 1.0


@part
def size_of(x, scale):
    """Largest component, each by its scale."""
    largest = 0.0
    for k in range(x.shape[0]):
        part = abs(x[k]) / scale[k]
        if part > largest or part * 0.0 != 0.0:  # what is not a number stays
            largest = part
    return largest
