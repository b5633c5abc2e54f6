"""A Jacobian updated by columns: the inverse B = A^-1 follows in O(n^2), without refactorisation.

Replacing column c by a is a rank-one update. With w = B a (B times the old column is e_c):

    B' = B - (w - e_c) (row c of B) / w_c         (Sherman and Morrison 1950; a pivot of Gauss and Jordan)

A itself is not needed, and B' a = e_c again to rounding, whatever errors B had. Errors in the other columns of B A - I
are multiplied by at most 1 + max |w_r / w_c|; `growth` follows them, and where they might degrade the result, or w_c is
very small, the whole matrix is recomputed.

The columns of a joint with several axes are updated together.
"""

from gori.integrate.dense import apply, dense_inverse, difference_step
from gori.integrate.implicit_memory import ERROR_DRIVEN, FASTEST, ROUND_ROBIN, size_of
from gori.integrate.step_equations import defect
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
def make_whole(machine, data, memory, y):
    """All columns at x."""
    head, step, state = memory.head[0], memory.step[0], memory.state
    code = dense_inverse(machine, data, memory, y)
    for k in range(data.tau.shape[0]):
        state.growth[k] = 1.0
        state.refreshed_step[k] = head.steps
        state.refreshed_way[k] = head.way
    head.made_for = step.cv if code == OK else 0.0
    return code


@block
def refresh(machine, data, memory, y, c):
    """Column c at x, after `defect` there. Returns the result code, and whether the inverse is still usable."""
    state, work = memory.state, memory.work
    head = memory.head[0]
    x, base, column, w = work.x, work.defect, work.column, work.product
    kept, change = x[c], difference_step(memory, work, c)
    x[c] = kept + change
    code = defect(machine, data, memory, y, x, column)
    x[c] = kept
    if code != OK:
        return code, True
    for k in range(x.shape[0]):
        column[k] = (column[k] - base[k]) / change
    apply(state.inverse, column, w)
    pivot, largest = abs(w[c]), 0.0
    for k in range(x.shape[0]):
        if k != c:
            largest = max(largest, abs(w[k]))
    if not pivot > SMALLEST_PIVOT * max(1.0, largest):
        return OK, False
    growth, worst = 1.0 + largest / pivot, 0.0
    for k in range(x.shape[0]):
        state.growth[k] = 1.0 if k == c else state.growth[k] * growth
        worst = max(worst, state.growth[k])
    replace_column(state.inverse, c, w)
    state.refreshed_step[c] = head.steps
    state.refreshed_way[c] = head.way
    head.refreshed += 1
    return OK, worst < LARGEST_GROWTH


@part
def best_body(machine, memory, state, work):
    """The row whose axes have the highest score, among those not yet updated in this step; 0 if there is none."""
    head = memory.head[0]
    best, row = 0.0, 0
    for i in range(1, machine.body_i.shape[0]):
        d = machine.body_i[i, V0]
        if state.refreshed_step[d] == head.steps:
            continue
        for k in range(d, d + machine.body_i[i, NDOF]):
            if work.score[k] > best:
                best, row = work.score[k], i
    return row


@part
def set_scores(memory, state, work):
    """Measure of how outdated a column is: the speed of its axis; or the displacement of the machine since its update,
    weighted by what the column multiplies.
    """
    head = memory.head[0]
    for k in range(work.score.shape[0]):
        if memory.step[0].strategy == FASTEST:
            work.score[k] = abs(work.v_end[k]) / work.axis_scale[k]
        else:
            work.score[k] = (head.way - state.refreshed_way[k]) * abs(state.last[k]) / work.axis_scale[k]


@block
def refresh_some(machine, data, memory, y):
    """The columns that the strategy chooses for this step, after `defect` at x."""
    state, work = memory.state, memory.work
    head, body_i, strategy = memory.head[0], machine.body_i, memory.step[0].strategy
    wanted = head.wanted if strategy == ERROR_DRIVEN else float(memory.settings[0].columns)
    if strategy == FASTEST or (strategy == ERROR_DRIVEN and wanted > 0.0):
        set_scores(memory, state, work)
    done, nrow = 0, body_i.shape[0]
    for _ in range(nrow - 1):
        if done >= wanted:
            break
        if strategy == ROUND_ROBIN:
            row = 1 + head.next_row
            head.next_row = row % (nrow - 1)
        else:
            row = best_body(machine, memory, state, work)
        if row == 0:
            break
        for c in range(body_i[row, V0], body_i[row, V0] + body_i[row, NDOF]):
            code, good = refresh(machine, data, memory, y, c)
            if code != OK:
                return code
            if not good:
                head.guarded += 1
                return make_whole(machine, data, memory, y)
            done += 1
    return OK


@block
def column_correction(machine, data, memory, y, renew, first):
    """dx = B (x - f) at x; first all columns are recomputed, or in the first trial of a step some of them."""
    head, step, work = memory.head[0], memory.step[0], memory.work
    code = defect(machine, data, memory, y, work.x, work.defect)
    if code != OK:
        return code
    if renew or head.made_for != step.cv:
        code = make_whole(machine, data, memory, y)
    elif first:
        head.way += step.length * size_of(work.v_end, work.axis_scale)
        code = refresh_some(machine, data, memory, y)
    apply(memory.state.inverse, work.defect, work.dx)
    return code
