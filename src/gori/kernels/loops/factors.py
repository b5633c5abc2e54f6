"""Sparse factors L D L' of the symmetric matrix [H J'; J -eps], its pattern known beforehand (Davis 2006, section 4.8).

Axes are eliminated from the leaves to the ground, which keeps the pattern of a tree's mass matrix, and each equation as
soon as the last of its axes is gone. So loops that follow each other, as in a ladder, cost in proportion to their
number. -eps in place of zero makes pivots of redundant or singular equations harmless: repeated with the last
multipliers (`solve`), what eps changes fades away by eps/(sigma^2 + eps) each time, sigma the singular values. Likewise
`extra` stands for the inertia of axes that have none in the tree, but whose motion the loops determine.
"""

from gori.kernels.jit import part
from gori.kernels.loops.straight import factor_in_code, gather_mass_in_code


@part
def gather_mass(machine, m, nv, n):
    """Entries and diagonal of [M J'; J -eps]."""
    s, work, state = machine.pattern, m.work, m.state
    arrays = (work.mass, work.jac, state.extra_inertia, state.eps_mass, work.entries, work.diagonal)
    if gather_mass_in_code(machine, arrays):
        return
    for p in range(s.source.shape[0]):
        d = s.source_row[p]
        m.work.entries[p] = m.work.mass[d, s.source[p]] if d >= 0 else m.work.jac[s.source[p]]
    for k in range(n):
        d = s.order[k]
        m.work.diagonal[k] = m.work.mass[d, d] + m.state.extra_inertia[d] if d < nv else -m.state.eps_mass[d - nv]


@part
def gather_dependent(s, m, nv, n):
    """Entries and diagonal of [1 J'; J -eps] with the columns of dependent coordinates only."""
    for k in range(n):
        d = s.order[k]
        m.work.diagonal[k] = 1.0 if d < nv else -m.state.eps_unit[d - nv]
        for p in range(s.start[k], s.start[k + 1]):
            other, of_mass = s.order[s.row[p]], s.source_row[p] >= 0
            m.work.entries[p] = 0.0 if of_mass else m.work.jac[s.source[p]] * m.state.dependent[min(other, d)]


@part
def subtract_at(y, rows, L, first, end, value):
    """y[rows[i]] -= L[i] value for i = first .. end - 1.

    These rows differ, which no compiler knows: here all of a group are read before one is written, so that reads do not
    wait for each other. On a GPU, whose reads take hundreds of cycles, a vehicle waits for most of its step here.
    """
    i = first
    while i + 4 <= end:
        a, b, c, d = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        ya, yb, yc, yd = y[a], y[b], y[c], y[d]
        la, lb, lc, ld = L[i], L[i + 1], L[i + 2], L[i + 3]
        y[a], y[b], y[c], y[d] = ya - la * value, yb - lb * value, yc - lc * value, yd - ld * value
        i += 4
    if i + 2 <= end:
        a, b = rows[i], rows[i + 1]
        ya, yb, la, lb = y[a], y[b], L[i], L[i + 1]
        y[a], y[b] = ya - la * value, yb - lb * value
        i += 2
    if i < end:
        y[rows[i]] -= L[i] * value


@part
def factor(machine, m, n):
    """lower, and one over the pivots, from entries and diagonal."""
    s, L, D_inv, y = machine.pattern, m.state.lower, m.state.over_pivots, m.work.x
    if factor_in_code(machine, (m.work.entries, m.work.diagonal, L, D_inv)):
        return
    for k in range(n):
        y[k] = 0.0
    for k in range(n):
        pivot = m.work.diagonal[k]
        for p in range(s.start[k], s.start[k + 1]):
            y[s.row[p]] = m.work.entries[p]
        for p in range(s.lower_start[k], s.lower_start[k + 1]):
            j, end = s.column[p], s.at[p]
            value = y[j]
            y[j] = 0.0
            subtract_at(y, s.lower_row, L, s.below[j], end, value)
            L[end] = value * D_inv[j]
            pivot -= L[end] * value
        D_inv[k] = 1.0 / pivot


@part
def substitute(s, m, n):
    """x (n,) = (L D L')^-1 x, in the order of elimination."""
    L, D_inv, x = m.state.lower, m.state.over_pivots, m.work.x
    for k in range(n):
        subtract_at(x, s.lower_row, L, s.below[k], s.below[k + 1], x[k])
    for k in range(n - 1, -1, -1):
        value = x[k] * D_inv[k]
        for p in range(s.below[k], s.below[k + 1]):
            value -= L[p] * x[s.lower_row[p]]
        x[k] = value


@part
def smallest_pivot(machine, m, nv, n, eps):
    """The smallest pivot of the equations, each by what is typical for it, after leaving out as many as are always
    redundant.

    eps   that the factors were made with: head.epsilon times what is typical;  gamma is scratch
    """
    s, head = machine.pattern, m.head[0]
    if eps.shape[0] == 0:  # all equations are redundant
        return 1.0
    for k in range(n):
        e = s.order[k] - nv
        if e >= 0:
            m.work.gamma[e] = -head.epsilon / (eps[e] * m.state.over_pivots[k])
    smallest = 1.0
    for _ in range(head.redundant + 1):
        which = 0
        for e in range(1, m.work.gamma.shape[0]):
            if m.work.gamma[e] < m.work.gamma[which]:
                which = e
        smallest = m.work.gamma[which]
        m.work.gamma[which] = 1e300
    return smallest
