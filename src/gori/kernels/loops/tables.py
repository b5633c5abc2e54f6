"""The tables of the cuts, and the memory of the solvers: one flat array, cut into named pieces."""

from typing import Any, NamedTuple

import numpy as np

from gori.kernels.jit import part
from gori.kernels.tree.columns import NQ

# cut_i (ncut, N_CUT_I) int64: rows of the bodies A (parent) and B (child), the row where both ways to the ground meet,
# first equation and number of equations, first place in path_i and number of axes there, first place in jac
ROW_A, ROW_B, ROOT, FIRST, EQUATIONS, PATH, AXES, JAC = 0, 1, 2, 3, 4, 5, 6, 7
N_CUT_I = 8

# cut_f (ncut, N_CUT_F) float64: frames of the cut on A and on B, in the frames of their rows; the length, or ratio and
# offset of a mimic joint
R_A, P_A, R_B, P_B, LENGTH, OFFSET = 0, 9, 12, 21, 24, 25
N_CUT_F = 26

# eq_i (ne, N_EQ_I) int64
EQ_KIND = 0
EQ_A = 1  # axis of A; or of COUPLED and DRIVEN: index in q
EQ_B = 2  # of COUPLED: index in q of the joint that leads; of DRIVEN: the first of three signals
EQ_DOF = 3  # of DRIVEN: the degree of freedom
N_EQ_I = 4

ALONG = 0  # e . (p_B - p_A) = 0, e an axis of A
TILT_X = 1  # -y_A . z_B = 0
TILT_Y = 2  # x_A . z_B = 0
CROSSED = 3  # z_A . z_B = 0
TURNED = 4  # twice the vector part of the quaternion of B seen from A, one component
DISTANT = 5  # |p_B - p_A| = length
COUPLED = 6  # q - ratio q_leading - offset = 0
DRIVEN = 7  # q - s(t) = 0

# path_i (npath,) int64: the degrees of freedom that move B against A: first those that carry A, then those that carry B
# sparse_i: see `factors.py`

# head (N_HEAD,): tolerance of positions and of velocities; equations that are always redundant; pivot below which
# coordinates should be chosen anew; pivot below which a pose is so near to a singular one that the method should step
# over it; what stands for zero in the factors, as a share of what is typical for each equation
TOLERANCE, SLIP_TOLERANCE, DEFICIT, POOR, WINDOW, EPSILON = 0, 1, 2, 3, 4, 5
# kept: whether multipliers and accelerations of the last evaluation are there, whether factors with M are, whether
# bodies, cuts and J stand at the state in `stood`: JUST_PLACED, or WITH_FACTORS that were made there
KNOWN, FACTORED, STANDS = 6, 7, 8
JUST_PLACED, WITH_FACTORS = 1.0, 2.0
# of the last factors: smallest pivot but for the redundant ones, by the best that there was; the best ones, of the
# factors with M and of those with the unit matrix;  counts: evaluations, factors, corrections
PIVOT, BEST_M, BEST_1, EVALUATED, MADE, CORRECTED = 9, 10, 11, 12, 13, 14
# of frozen factors: accuracy of accelerations, as a share of the largest; by which share corrections shrink; times of
# the last evaluation, and of the one before
ACCURACY, SHRINKS, LATEST, FORMER = 15, 16, 17, 18
N_HEAD = 19


# spot (ncut, N_SPOT): p_B from the origins of B and of A, p_B - p_A, and the velocity of p_B seen from A, world axes
FROM_B, FROM_A, APART, DRIFT = 0, 3, 6, 9
N_SPOT = 12


class Memory(NamedTuple):
    """Pieces of the memory of a solver."""

    head: Any
    lam: Any  # (ne,) multipliers
    lam_former: Any  # (ne,) of the evaluation before; of frozen factors alone
    gap: Any  # (ne,) Phi
    slip: Any  # (ne,) J v - nu
    gamma: Any  # (ne,)
    eps_m: Any  # (ne,) what stands for zero in the factors with M
    eps_1: Any  # (ne,) and in those with the unit matrix
    wrench: Any  # (ne, 6) moment and force of each equation at p_B, world axes, on B
    spot: Any  # (ncut, N_SPOT) where the cuts are
    jac: Any  # (njac,) J by cuts, equation after equation
    extra: Any  # (nv,) added to the diagonal of M where the tree alone would have no inertia
    dependent: Any  # (nv,) 1 for coordinates that follow, 0 for independent ones
    force: Any  # (nv,) tau - bias
    accel: Any  # (nv,) accelerations of the last evaluation
    former: Any  # (nv,) of the one before; of frozen factors alone
    move: Any  # (nv,)
    product: Any  # (nv,)
    q: Any  # (nq,) the state on the loops
    v: Any  # (nv,)
    stood: Any  # (nq + nv,)
    mass: Any  # (nv, nv)
    entries: Any  # of the matrix above its diagonal
    diagonal: Any  # (nv + ne,)
    lower: Any  # factors
    over_pivots: Any  # (nv + ne,) one over the pivots
    x: Any  # (nv + ne,)
    columns: Any  # (nv, nv) for the reduced equation
    reduced: Any  # (nv, nv)


def shapes(nq: int, nv: int, ncut: int, ne: int, sparse_i: np.ndarray) -> list[tuple[int, ...]]:
    """Shapes of the pieces, in order."""
    n, square = nv + ne, (nv, nv)
    njac, entries, lower = (int(k) for k in sparse_i[:3])
    return [
        (N_HEAD,), (ne,), (ne,), (ne,), (ne,), (ne,), (ne,), (ne,), (ne, 6), (ncut, N_SPOT), (njac,), (nv,), (nv,),
        (nv,), (nv,), (nv,), (nv,), (nv,), (nq,), (nv,), (nq + nv,), square, (entries,), (n,), (lower,), (n,), (n,),
        square, square,
    ]  # fmt: skip


def memory_of(nq: int, nv: int, ncut: int, ne: int, sparse_i: np.ndarray, extra: int) -> tuple[np.ndarray, Memory]:
    """A new memory, flat, and its pieces; extra: numbers after them."""
    parts = shapes(nq, nv, ncut, ne, sparse_i)
    flat = np.zeros(sum(int(np.prod(shape)) for shape in parts) + extra)
    pieces, start = [], 0
    for shape in parts:
        size = int(np.prod(shape))
        pieces.append(flat[start : start + size].reshape(shape))
        start += size
    return flat, Memory(*pieces)


@part
def carve(machine, data):
    """The Memory of a solver."""
    flat, nq, nv, ne = data.loop, machine.body_i[0, NQ], data.tau.shape[0], machine.eq_i.shape[0]
    s, ncut = machine.sparse_i, machine.cut_i.shape[0]
    njac, entries, lower, n, square = s[0], s[1], s[2], nv + ne, nv * nv
    a = N_HEAD
    b = a + 7 * ne
    c = b + 6 * ne
    d = c + N_SPOT * ncut
    e = d + njac
    f = e + 7 * nv
    g = f + nq
    stood = g + nv
    h = stood + nq + nv
    i = h + square
    j = i + entries
    k = j + n
    m = k + lower
    o = m + n
    p = o + n
    return Memory(
        flat[:a],
        flat[a : a + ne],
        flat[a + ne : a + 2 * ne],
        flat[a + 2 * ne : a + 3 * ne],
        flat[a + 3 * ne : a + 4 * ne],
        flat[a + 4 * ne : a + 5 * ne],
        flat[a + 5 * ne : a + 6 * ne],
        flat[a + 6 * ne : b],
        flat[b:c].reshape((ne, 6)),
        flat[c:d].reshape((ncut, N_SPOT)),
        flat[d:e],
        flat[e : e + nv],
        flat[e + nv : e + 2 * nv],
        flat[e + 2 * nv : e + 3 * nv],
        flat[e + 3 * nv : e + 4 * nv],
        flat[e + 4 * nv : e + 5 * nv],
        flat[e + 5 * nv : e + 6 * nv],
        flat[e + 6 * nv : f],
        flat[f:g],
        flat[g:stood],
        flat[stood:h],
        flat[h:i].reshape((nv, nv)),
        flat[i:j],
        flat[j:k],
        flat[k:m],
        flat[m:o],
        flat[o:p],
        flat[p : p + square].reshape((nv, nv)),
        flat[p + square : p + 2 * square].reshape((nv, nv)),
    )
