import math

import numpy as np
import pytest

from gori.kernels.tree.rnea import rnea_one
from tests.checks import close
from tests.kernels.tree.trees import case, wrench_rows
from tests.reference import dynamics as dyn


@pytest.mark.parametrize("seed", range(3))
def test_against_the_twin_with_wrenches(seed):
    model, tree, x, tables, work = case(seed)
    tau = np.empty(model.nv)
    check = rnea_one(*tables, x["q"], x["v"], x["a"], wrench_rows(model, x["wrenches"]), tau, *work)
    close(tau, dyn.rnea(tree, x["q"], x["v"], x["a"], x["wrenches"]), 1e-11)
    assert check == pytest.approx(tau.sum())


def test_wrong_lengths_are_told_by_nan():
    model, _, x, tables, work = case()
    none, tau = np.zeros((0, 10)), np.empty(model.nv)
    assert math.isnan(rnea_one(*tables, x["q"][:-1].copy(), x["v"], x["a"], none, tau, *work))
    assert math.isnan(rnea_one(*tables, x["q"], x["v"], np.zeros(model.nv + 1), none, tau, *work))
