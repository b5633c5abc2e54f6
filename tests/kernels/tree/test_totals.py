import numpy as np

from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.tree.totals import ANGULAR, CENTER, KINETIC, N_TOTALS, POTENTIAL, WORK, totals_batch
from tests.checks import close, machine, states
from tests.reference import dynamics as dyn


def test_against_the_twin():
    model, tree = machine(5)
    t, x = model.kernel_tables, states(tree, 3, 5)
    work = aligned(WIDTH * WORK.size(nrow=len(t.body_i), nq=model.nq, nv=model.nv))
    work[:] = np.nan
    out = np.full((3, N_TOTALS), np.nan)
    totals_batch(t.body_i, t.body_f, x["q"], x["v"], out, work)
    for row, q, v in zip(out, x["q"], x["v"]):
        close(row[[KINETIC, POTENTIAL]], dyn.energy(tree, q, v), 1e-11)
        close(row[CENTER : CENTER + 3], dyn.center_of_mass(tree, q), 1e-12)
        close(row[ANGULAR : ANGULAR + 6], dyn.momentum(tree, q, v), 1e-11)
