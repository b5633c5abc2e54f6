import numpy as np
import pytest

from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.tree.transposed import WORK, transposed_batch
from tests.checks import SIZES, close, machine, states
from tests.kernels.tree.trees import case
from tests.reference import dynamics as dyn


def transposed(model, q, v, tau, g):
    tables, out = model.kernel_tables, np.full((3, len(q), model.nv), np.nan)
    work = aligned(WIDTH * WORK.size(nrow=len(tables.body_i), nq=model.nq, nv=model.nv))
    work[:] = np.nan
    transposed_batch(tables.body_i, tables.body_f, q, v, tau, g, *out, work)
    return out


@pytest.mark.parametrize("seed", range(3))
def test_against_differences_of_the_twin(seed):
    model, tree, x, _, _ = case(seed)
    found = transposed(model, *(x[name][None] for name in ("q", "v", "tau", "a")))
    for ours, twin in zip(found, dyn.aba_transposed(tree, x["q"], x["v"], x["tau"], x["a"])):
        close(ours[0], twin, 1e-6)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("count", SIZES)
def test_against_the_derivatives_in_matrices(count, floating):
    for seed in range(8):
        model, tree = machine(seed, n=12, floating=floating)
        x = states(tree, count, seed)
        found = transposed(model, x["q"], x["v"], x["tau"], x["a"])
        for ours, matrices in zip(found, model.derivatives(x["q"], x["v"], x["tau"])):
            close(ours, np.einsum("bi,bij->bj", x["a"], matrices), 1e-11)
