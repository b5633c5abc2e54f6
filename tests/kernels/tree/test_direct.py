import numpy as np
import pytest

from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.tree.direct import WORK, direct_batch
from tests.checks import close, machine, states, take
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
