import math

import numpy as np
import pytest

from gori.kernels.tree.aba import aba_one
from gori.kernels.tree.columns import D_INV, MASS
from tests.checks import close
from tests.kernels.tree.trees import case, wrench_rows
from tests.reference import dynamics as dyn


@pytest.mark.parametrize("seed", range(3))
def test_against_the_twin_with_wrenches(seed):
    model, tree, x, tables, work = case(seed)
    qdd = np.empty(model.nv)
    check = aba_one(*tables, x["q"], x["v"], x["tau"], wrench_rows(model, x["wrenches"]), qdd, *work)
    close(qdd, dyn.aba(tree, x["q"], x["v"], x["tau"], x["wrenches"]), 1e-9)
    assert check == pytest.approx(qdd.sum())
    assert (work[1][:, D_INV] > 0.0).all()


def test_an_axis_without_inertia_is_told_by_nan():
    model, _, x, (body_i, body_f), work = case(types=("revolute",))
    body_f = body_f.copy()
    body_f[1:, MASS:] = 0.0
    qdd = np.empty(model.nv)
    assert math.isnan(aba_one(body_i, body_f, x["q"], x["v"], x["tau"], np.zeros((0, 10)), qdd, *work))
