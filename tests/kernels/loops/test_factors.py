"""Sparse factors of [H J'; J -eps]: solutions, and pivots of redundant equations."""

import numpy as np
import pytest

from gori.kernels.loops.factors import factor, gather_dependent, gather_mass, smallest_pivot, substitute
from gori.kernels.tree.crba import mass_entries
from tests.checks import close
from tests.kernels.loops.closed import dense_jacobian
from tests.kernels.loops.test_cuts import placed
from tests.plain import plain
from tests.reference import dynamics as dyn
from tests.reference import loops


def solved(made, right):
    """(L D L')^-1 right, in the order of axes and equations."""
    s, m, n = made.machine.pattern, made.m, len(right)
    order = s.order
    plain(factor)(made.machine, m, n)
    m.work.x[:] = right[order]
    plain(substitute)(s, m, n)
    result = np.empty(n)
    result[order] = m.work.x
    return result


@pytest.mark.parametrize("seed", range(4))
def test_the_matrix_with_the_masses(seed):
    made = placed(seed, n_mimic=seed % 2)
    machine, data, m, nv = made.machine, made.data, made.m, len(made.v)
    J, M = dense_jacobian(made), dyn.crba(loops.open_tree(made.spec), made.q)
    n = nv + len(J)
    m.state.eps_mass[:] = 1e-3
    plain(mass_entries)(machine.body_i, machine.body_f, m.work.mass, data.body_w, data.dof_w)
    plain(gather_mass)(machine, m, nv, n)
    K = np.block([[M + np.diag(m.state.extra_inertia), J.T], [J, -1e-3 * np.eye(len(J))]])
    right = np.random.default_rng(seed).normal(size=n)
    close(solved(made, right), np.linalg.solve(K, right), 1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_the_matrix_of_dependent_coordinates(seed):
    made = placed(seed)
    m, nv, J = made.m, len(made.v), dense_jacobian(made)
    n = nv + len(J)
    m.state.eps_unit[:] = 1e-3
    dependent = np.ones(nv)
    dependent[loops.independent(made.spec, made.q)] = 0.0
    m.state.dependent[:] = dependent
    plain(gather_dependent)(made.machine.pattern, m, nv, n)
    J = J * dependent
    K = np.block([[np.eye(nv), J.T], [J, -1e-3 * np.eye(len(J))]])
    right = np.random.default_rng(seed).normal(size=n)
    close(solved(made, right), np.linalg.solve(K, right), 1e-8)


def test_the_pattern_is_that_of_the_factors():
    """Each number of L is listed by rows and by columns alike."""
    pattern = placed(1).machine.pattern
    by_columns = {
        (k, row)
        for k in range(len(pattern.order))
        for row in pattern.lower_row[pattern.below[k] : pattern.below[k + 1]]
    }
    by_rows = {
        (pattern.column[p], k) for k in range(len(pattern.order)) for p in range(*pattern.lower_start[k : k + 2])
    }
    assert by_columns == by_rows and sorted(pattern.at) == list(range(len(pattern.lower_row)))
    assert all(
        pattern.lower_row[pattern.at[p]] == k
        for k in range(len(pattern.order))
        for p in range(*pattern.lower_start[k : k + 2])
    )


def test_the_smallest_pivot_leaves_out_what_is_always_redundant():
    """Pivots of the equations by what is typical for each: 0.1, 1e-9 and 0.5."""
    made = placed(0)
    nv, ne = len(made.v), len(made.kept)
    n, m = nv + ne, made.m
    head, eps = m.head[0], np.full(ne, 1e-6)
    head.epsilon = 1e-6
    pivots = np.linspace(0.1, 0.9, ne)
    pivots[1] = 1e-9
    for k in range(n):
        e = made.machine.pattern.order[k] - nv
        m.state.over_pivots[k] = -1.0 / pivots[e] if e >= 0 else 1.0
    for redundant, expected in ((0, 1e-9), (1, 0.1)):
        head.redundant = redundant
        assert plain(smallest_pivot)(made.machine, m, nv, n, eps) == pytest.approx(expected)
    assert plain(smallest_pivot)(made.machine, m, nv, n, np.zeros(0)) == 1.0
