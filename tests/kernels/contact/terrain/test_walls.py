"""Points against walls of the terrain: face, edge, corner, and the shorter way out."""

import numpy as np
import pytest

from gori.kernels.contact.narrow.work import SPOT
from gori.kernels.contact.tables import SHAPE
from gori.kernels.contact.terrain import walls as kernel
from gori.spec.vehicle.terrain import Terrain
from tests.kernels.contact.tables import contact_tables
from tests.plain import plain, records, rows

BLOCK = {"type": "trapezoid", "at": [0, 0], "length": 2.004, "top": 2.0, "height": 0.5, "width": 2.0}


def spots(point, radius=0.1, reach=0.05, **feature):
    terrain = Terrain.model_validate({"features": {"block": BLOCK | feature}})
    tables = records(contact_tables(SHAPE.zeros(0), terrain=terrain))
    spot = rows(SPOT.zeros(8))
    count, *foot = plain(kernel.touch_walls)(tables, *point, radius, reach, 3, spot, 0)
    return spot[:count], foot


@pytest.mark.parametrize(
    ("point", "gap", "normal"),
    [
        ((-0.12, 0.0, 0.2), 0.02, (-1, 0, 0)),
        ((1.0, 1.12, 0.2), 0.02, (0, 1, 0)),
        ((2.004 + 0.12, 0.3, 0.2), 0.02, (1, 0, 0)),
        ((1.0, 1.06, 0.58), 0.0, (0, 0.6, 0.8)),  # over the edge
        ((-0.059, 1.08, 0.2), 0.0, (-0.6, 0.8, 0)),  # at the corner of two walls
    ],
)
def test_outside(point, gap, normal):
    found, foot = spots(point)
    assert len(found) == 1
    assert found[0].gap == pytest.approx(gap, abs=2e-3)
    np.testing.assert_allclose([found[0].nx, found[0].ny, found[0].nz], normal, atol=0.02)
    np.testing.assert_allclose(foot, point[:2])


def test_far_away_and_on_top():
    assert len(spots((-0.3, 0.0, 0.2))[0]) == len(spots((1.0, 0.0, 0.55))[0]) == 0


def test_inside_the_shorter_way_counts():
    """Near the face it is the way out, and the ground is looked for beside it; below the top it is the ground."""
    found, foot = spots((1.0, 0.98, 0.2), radius=0.0)
    assert found[0].gap == pytest.approx(-0.02) and found[0].ny == pytest.approx(1.0)
    assert foot[1] > 1.0 and foot[0] == 1.0
    found, foot = spots((1.0, 0.8, 0.49), radius=0.0)
    assert len(found) == 0 and tuple(foot) == (1.0, 0.8)


def test_holes_have_walls_inside():
    found, _ = spots((0.12, 0.0, -0.2), height=-0.5)
    assert (
        len(found) == 1
        and found[0].gap == pytest.approx(0.02, abs=2e-3)
        and found[0].nx == pytest.approx(1.0, abs=0.01)
    )
    assert len(spots((-0.5, 0.0, 0.1), height=-0.5)[0]) == 0


def test_a_full_table_keeps_the_deepest():
    spot, count = rows(SPOT.zeros(2)), 0
    for k, gap in enumerate((0.3, 0.1, 0.2)):
        count = plain(kernel.put_spot)(spot, count, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, gap, k)
    assert count == 2 and sorted(spot.gap) == [0.1, 0.2]
