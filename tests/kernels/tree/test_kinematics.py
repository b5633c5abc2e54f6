import math

import numpy as np
import pytest

from gori.kernels.tree.kinematics import poses_one
from tests.checks import close
from tests.kernels.tree.trees import case
from tests.reference import dynamics as dyn


@pytest.mark.parametrize("seed", range(3))
def test_poses_against_the_twin(seed):
    model, tree, x, tables, work = case(seed)
    t, pose = model.kernel_tables, np.full((len(model.frame_names), 12), np.nan)
    assert math.isfinite(poses_one(*tables, t.frame_i, t.frame_f, x["q"], pose, *work))
    expected = dyn.poses(tree, x["q"])
    for row, name in zip(pose, model.frame_names):
        close(row[:9].reshape(3, 3), expected[name][:3, :3], 1e-12)
        close(row[9:], expected[name][:3, 3], 1e-12)


def test_what_is_not_finite_is_told():
    model, _, x, tables, work = case()
    t, pose = model.kernel_tables, np.empty((len(model.frame_names), 12))
    x["q"][0] = np.inf
    assert not math.isfinite(poses_one(*tables, t.frame_i, t.frame_f, x["q"], pose, *work))
