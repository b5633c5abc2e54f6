import math

import numpy as np
import pytest

from gori.kernels.tree.aba import ROUNDING, aba, aba_one
from gori.kernels.tree.columns import D_INV, FLOOR, INERTIA, MASS
from tests.checks import close
from tests.kernels.tree.trees import case, wrench_rows
from tests.plain import plain
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


def test_what_counts_as_rounding_is_measured_by_all_that_an_axis_carries():
    """A pivot is compared with ROUNDING times traces and masses of the subtree, from which nothing is subtracted."""
    model, _, x, (body_i, body_f), work = case(4, types=("revolute", "prismatic"))
    floors = []
    note = {"above": lambda D, floor: floors.append((D, floor)) or D}
    none = np.zeros((0, 4)), np.zeros((0, 6))
    plain(aba, note)(body_i, body_f, x["q"], x["v"], x["tau"], *none, np.empty(model.nv), *work)
    D, floor = np.array(floors).T
    assert len(floors) == model.nv and (1e3 * floor < D).all()
    most = body_f[1:, INERTIA : INERTIA + 3].sum() + body_f[1:, MASS].sum() * len(body_i) ** 2
    assert (floor > 0.0).all() and floor.max() < 10.0 * ROUNDING * most
    joined = body_i[1:, 6] > 1
    assert np.isfinite(work[0][1:][joined, FLOOR : FLOOR + 2]).all()
