"""A Jacobian that is refreshed by columns: the inverse B = A^-1 follows in O(n^2), it is never factored again.

A new column a in place of column c is a change of rank one. With w = B a (B times the old column is e_c):

    B' = B - (w - e_c) (row c of B) / w_c         (Sherman and Morrison 1950; a pivot of Gauss and Jordan)

A itself is not needed, and B' a = e_c again to rounding, whatever errors B had. Errors in the other columns of B A - I
are multiplied by at most 1 + max |w_r / w_c|; GROWTH follows them, and where they might spoil the result, or w_c is
tiny, the whole matrix is made anew.

The columns of a joint of several axes are refreshed together.
"""

from gori.integrate.dense import apply, dense_inverse, difference_step
from gori.integrate.trial import defect
from gori.integrate.work import (
    COLUMN,
    COLUMNS,
    CV,
    DEFECT,
    DX,
    ERROR_DRIVEN,
    FASTEST,
    GROWTH,
    GUARDED,
    LAST,
    LENGTH,
    MADE_FOR,
    NEXT,
    PRODUCT,
    REFRESHED,
    ROUND_ROBIN,
    SCALE,
    SCORE,
    SINCE,
    SPEED,
    STAMP,
    STEPS,
    STRATEGY,
    WANTED,
    WAY,
    X,
    size_of,
)
from gori.kernels.codes import OK
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import NDOF, V0

SMALLEST_PIVOT, LARGEST_GROWTH = 1e-3, 1e8


@part
def replace_column(B, c, w):
    """B becomes the inverse of A with another column c, w = B times that column; w is changed."""
    n = w.shape[0]
    inverse = 1.0 / w[c]
    w[c] -= 1.0
    for k in range(n):
        share = B[k, c] * inverse
        for r in range(n):
            B[k, r] -= w[r] * share


@block
def make_whole(machine, data, work, y):
    """All columns at X."""
    code = dense_inverse(machine, data, work, y)
    for k in range(work.vectors.shape[1]):
        work.vectors[GROWTH, k] = 1.0
        work.vectors[STAMP, k] = work.head[STEPS]
        work.vectors[SINCE, k] = work.head[WAY]
    work.head[MADE_FOR] = work.head[CV] if code == OK else 0.0
    return code


@block
def refresh(machine, data, work, y, c):
    """Column c at X, after `defect` there. Returns the result code, and whether the inverse is still good."""
    x, base, column, w = work.vectors[X], work.vectors[DEFECT], work.vectors[COLUMN], work.vectors[PRODUCT]
    kept, change = x[c], difference_step(work, c)
    x[c] = kept + change
    code = defect(machine, data, work, y, x, column)
    x[c] = kept
    if code != OK:
        return code, True
    for k in range(x.shape[0]):
        column[k] = (column[k] - base[k]) / change
    apply(work.squares[2], column, w)
    pivot, largest = abs(w[c]), 0.0
    for k in range(x.shape[0]):
        if k != c:
            largest = max(largest, abs(w[k]))
    if not pivot > SMALLEST_PIVOT * max(1.0, largest):
        return OK, False
    growth, worst = 1.0 + largest / pivot, 0.0
    for k in range(x.shape[0]):
        work.vectors[GROWTH, k] = 1.0 if k == c else work.vectors[GROWTH, k] * growth
        worst = max(worst, work.vectors[GROWTH, k])
    replace_column(work.squares[2], c, w)
    work.vectors[STAMP, c] = work.head[STEPS]
    work.vectors[SINCE, c] = work.head[WAY]
    work.head[REFRESHED] += 1.0
    return OK, worst < LARGEST_GROWTH


@part
def best_body(machine, work):
    """The row whose axes have the highest score, among those not yet refreshed in this step; 0 if there is none."""
    best, row = 0.0, 0
    for i in range(1, machine.body_i.shape[0]):
        d = machine.body_i[i, V0]
        if work.vectors[STAMP, d] == work.head[STEPS]:
            continue
        for k in range(d, d + machine.body_i[i, NDOF]):
            if work.vectors[SCORE, k] > best:
                best, row = work.vectors[SCORE, k], i
    return row


@part
def set_scores(work):
    """What says that a column may be out of date: the speed of its axis; or the way that the machine has gone since,
    times what the column multiplies.
    """
    vectors = work.vectors
    for k in range(vectors.shape[1]):
        if work.head[STRATEGY] == FASTEST:
            vectors[SCORE, k] = abs(vectors[SPEED, k]) / vectors[SCALE, k]
        else:
            vectors[SCORE, k] = (work.head[WAY] - vectors[SINCE, k]) * abs(vectors[LAST, k]) / vectors[SCALE, k]


@block
def refresh_some(machine, data, work, y):
    """The columns that the strategy chooses for this step, after `defect` at X."""
    body_i, strategy = machine.body_i, work.head[STRATEGY]
    wanted = work.head[WANTED] if strategy == ERROR_DRIVEN else work.head[COLUMNS]
    if strategy == FASTEST or (strategy == ERROR_DRIVEN and wanted > 0.0):
        set_scores(work)
    done, nrow = 0, body_i.shape[0]
    for _ in range(nrow - 1):
        if done >= wanted:
            break
        if strategy == ROUND_ROBIN:
            row = 1 + int(work.head[NEXT])
            work.head[NEXT] = row % (nrow - 1)
        else:
            row = best_body(machine, work)
        if row == 0:
            break
        for c in range(body_i[row, V0], body_i[row, V0] + body_i[row, NDOF]):
            code, good = refresh(machine, data, work, y, c)
            if code != OK:
                return code
            if not good:
                work.head[GUARDED] += 1.0
                return make_whole(machine, data, work, y)
            done += 1
    return OK


@block
def column_correction(machine, data, work, y, renew, first):
    """DX = B (x - f) at X; before, all columns are made anew, or at the first trial of a step some of them."""
    code = defect(machine, data, work, y, work.vectors[X], work.vectors[DEFECT])
    if code != OK:
        return code
    if renew or work.head[MADE_FOR] != work.head[CV]:
        code = make_whole(machine, data, work, y)
    elif first:
        work.head[WAY] += work.head[LENGTH] * size_of(work.vectors[SPEED], work.vectors[SCALE])
        code = refresh_some(machine, data, work, y)
    apply(work.squares[2], work.vectors[DEFECT], work.vectors[DX])
    return code
