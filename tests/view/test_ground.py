import numpy as np
import pytest

from gori.spec.vehicle.terrain import Terrain
from gori.view.ground import _round, ground_lines

LOW, HIGH = np.array([-1.0, -2.0, 0.0]), np.array([5.0, 2.0, 1.0])


def test_lines_lie_on_the_ground_within_the_window():
    terrain = Terrain()
    points = ground_lines(terrain, LOW, HIGH, "3d")
    there = points[~np.isnan(points[:, 0])]
    assert len(there) > 100 and (there[:, :2] >= LOW[:2]).all() and (there[:, :2] <= HIGH[:2]).all()
    assert np.allclose(there[:, 2], terrain.height(there[:, 0], there[:, 1]))
    assert np.isnan(points[-1]).all()


def test_a_section_and_nothing_from_above():
    section = ground_lines(Terrain(), LOW, HIGH, "xz")[:-1]
    assert section[0, 0] == LOW[0] and section[-1, 0] == HIGH[0] and np.ptp(section[:, 1]) == 0.0
    assert len(ground_lines(Terrain(), LOW, HIGH, "xy")) == 0


@pytest.mark.parametrize(("length", "rounded"), [(0.9, 1.0), (1.0, 1.0), (1.2, 2.0), (30.0, 50.0), (0.06, 0.1)])
def test_cells_have_round_lengths(length, rounded):
    assert _round(length) == pytest.approx(rounded)
