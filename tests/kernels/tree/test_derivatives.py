import numpy as np
import pytest

from gori.kernels.tree.derivatives import WORK, forward_derivatives_one
from tests.checks import close
from tests.kernels.tree.trees import case
from tests.reference import dynamics as dyn


@pytest.mark.parametrize("seed", range(3))
def test_against_differences_of_the_twin(seed):
    model, tree, x, tables, _ = case(seed)
    work = np.full(WORK.size(nrow=len(tables[0]), nq=model.nq, nv=model.nv), np.nan)
    out = np.full((3, model.nv, model.nv), np.nan)
    check = forward_derivatives_one(*tables, x["q"], x["v"], x["tau"], out, work)
    assert check == pytest.approx(dyn.aba(tree, x["q"], x["v"], x["tau"]).sum())
    for ours, twin in zip(out, dyn.aba_derivatives(tree, x["q"], x["v"], x["tau"])):
        close(ours, twin, 1e-6)
