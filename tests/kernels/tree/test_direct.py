import numpy as np
import pytest

from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.tree.columns import INERTIA, MASS
from gori.kernels.tree.direct import WORK, direct_batch, factorise
from tests.checks import close, machine, states, take
from tests.plain import plain
from tests.reference import dynamics as dyn


@pytest.mark.parametrize("seed", range(2))
def test_against_the_twin(seed):
    model, tree = machine(seed)
    t, x = model.kernel_tables, states(tree, 5, seed)
    work = aligned(WIDTH * WORK.size(nrow=len(t.body_i), nq=model.nq, nv=model.nv, nw=0))
    work[:] = np.nan
    qdd = np.empty((5, model.nv))
    none = np.zeros((0, 4)), np.zeros((5, 0))
    direct_batch(t.dof_i, t.body_i, t.body_f, none[0], x["q"], x["v"], x["tau"], none[1], qdd, work)
    for k in range(5):
        one = take(x, k)
        close(qdd[k], dyn.aba(tree, one["q"], one["v"], one["tau"]), 1e-9)


def test_states_without_inertia_about_an_axis_are_marked_each_by_itself():
    model, tree = machine(1, n=3, types=("spherical",))
    t, x = model.kernel_tables, states(tree, 9, 1)
    body_f = t.body_f.copy()
    body_f[-1, MASS:] = 0.0
    body_f[-1, MASS], body_f[-1, INERTIA : INERTIA + 2] = 1.0, 1.0  # a rod
    work = aligned(WIDTH * WORK.size(nrow=len(t.body_i), nq=model.nq, nv=model.nv, nw=0))
    qdd, none = np.empty((9, model.nv)), (np.zeros((0, 4)), np.zeros((9, 0)))
    direct_batch(t.dof_i, t.body_i, body_f, none[0], x["q"], x["v"], x["tau"], none[1], qdd, work)
    assert np.isnan(qdd).any(axis=1).all()


def test_a_pivot_that_is_rounding_is_not_a_number():
    """Of one body the floor of an axis grows with what the axis before it has left: 0.1 / 1e-10."""
    dof_i, body_f = np.array([[-1, 1, 2], [0, 1, 2]]), np.ones((2, MASS + 1))
    for coupling, left, sound in ((0.0, 1e-3, True), (1e-5, 1e-6, False), (1e-5, 1e-3, True)):
        M = np.array([[1.0 * left + coupling**2 / 1e-10, coupling], [coupling, 1e-10]])
        with np.errstate(invalid="ignore"):
            plain(factorise)(body_f, dof_i, np.full(2, 1e-14), M)
        assert np.isfinite(M[0, 0]) == sound
