import numpy as np
import pytest

from gori.formats.dh_expand import row_pose, screw
from gori.formats.dh_rows import DHRow
from tests.checks import close


def test_screws_turn_about_and_move_along_one_axis():
    T = screw("z", np.pi / 2, 0.3)
    close(T @ [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.3, 1.0], 1e-15)
    T = screw("x", np.pi / 2, 0.3)
    close(T @ [0.0, 1.0, 0.0, 1.0], [0.3, 0.0, 1.0, 1.0], 1e-15)


@pytest.mark.parametrize(("convention", "order"), [("standard", "zx"), ("modified", "xz")])
def test_a_row_is_two_screws_in_the_order_of_its_convention(convention, order):
    row = DHRow(a=0.4, alpha=0.3, d=0.2, theta=0.7)
    screws = {"z": screw("z", 0.7, 0.2), "x": screw("x", 0.3, 0.4)}
    close(row_pose(row, convention), screws[order[0]] @ screws[order[1]], 1e-15)
