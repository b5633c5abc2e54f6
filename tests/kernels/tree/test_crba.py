import math

import numpy as np
import pytest

from gori.kernels.tree.crba import crba_one
from tests.checks import close
from tests.kernels.tree.trees import case
from tests.reference import dynamics as dyn


@pytest.mark.parametrize("seed", range(3))
def test_against_the_twin(seed):
    model, tree, x, tables, work = case(seed)
    M = np.full((model.nv, model.nv), np.nan)
    assert crba_one(*tables, x["q"], M, *work) == pytest.approx(np.trace(M))
    close(M, dyn.crba(tree, x["q"]), 1e-11)


def test_wrong_length_of_q():
    model, _, x, tables, work = case()
    assert math.isnan(crba_one(*tables, x["q"][1:].copy(), np.empty((model.nv, model.nv)), *work))
