import numpy as np

from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.tree.jacobian import WORK, jacobian_batch, jacobian_rate_batch
from tests.checks import close, machine, states
from tests.reference import dynamics as dyn


def test_against_the_twin():
    model, tree = machine(4)
    t, x, k = model.kernel_tables, states(tree, 9, 4), model.frame("f0")
    point = int(t.frame_i[k]), t.frame_f[k, 9:].copy()
    work = aligned(WIDTH * WORK.size(nrow=len(t.body_i), nq=model.nq, nv=model.nv))
    work[:] = np.nan
    J, rate = np.full((2, 9, 6 * model.nv), np.nan)
    jacobian_batch(t.body_i, t.body_f, *point, x["q"], J, work)
    jacobian_rate_batch(t.body_i, t.body_f, *point, x["q"], x["v"], rate, work)
    for b in range(9):
        close(J[b].reshape(6, -1), dyn.jacobian(tree, x["q"][b], "f0"), 1e-12)
        close(rate[b].reshape(6, -1), dyn.jacobian_dot(tree, x["q"][b], x["v"][b], "f0"), 1e-6)
