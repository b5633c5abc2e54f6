"""The surface of the terrain for bodies: tangent planes, nearest points against the twin, ruts of soft soil."""

import numpy as np
import pytest

from gori.kernels.contact.tables import SHAPE
from gori.kernels.contact.terrain import surface as kernel
from gori.kernels.vehicle.state import CELL
from gori.spec.vehicle.terrain import Terrain
from tests.kernels.contact.tables import contact_tables
from tests.plain import plain, records, rows
from tests.reference.terrain_contact import distance

NO_CELLS = rows(CELL.zeros(0))


def tables_of(**terrain):
    part = Terrain.model_validate(terrain)
    return part, records(contact_tables(SHAPE.zeros(0), terrain=part))


def rough(rng):
    heights = 0.1 * rng.normal(size=(9, 9))
    ramp = {"type": "ramp", "at": [0.3, 0], "height": 0.4, "length": 1.0, "yaw_deg": 30}
    field = {"at": [-2, -2], "cell": 0.5, "heights": heights}
    return {"field": field, "grade": [0.1, -0.05], "features": {"ramp": ramp}}


@pytest.mark.parametrize("seed", range(8))
def test_nearest_point(seed):
    rng = np.random.default_rng(seed)
    part, tables = tables_of(**rough(rng))
    x, y = rng.uniform(-1.5, 1.5, 2)
    point = np.array([x, y, part.height(x, y) + rng.uniform(0.02, 0.12)])
    gap, *normal = plain(kernel.nearest)(tables, NO_CELLS, *point, x, y)
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    foot = point - gap * np.array(normal)
    assert foot[2] == pytest.approx(part.height(*foot[:2]), abs=1e-9)
    assert gap == pytest.approx(distance(part, point, 0.2), rel=0.02)


def test_planes_are_exact():
    _, tables = tables_of(grade=[0.3, -0.2], at=[0, 0, 0.1])
    n = np.array([-0.3, 0.2, 1.0]) / np.sqrt(1.13)
    for gap in (0.2, -0.05):
        x, y, z = np.array([1.0, 2.0, 0.1 + 0.3 - 0.4]) + gap * n
        for found in (
            plain(kernel.nearest)(tables, NO_CELLS, x, y, z, x, y),
            plain(kernel.over_surface)(tables, NO_CELLS, x, y, z, x, y),
        ):
            np.testing.assert_allclose(found, [gap, *n], atol=1e-9)
    np.testing.assert_allclose(plain(kernel.mean_normal)(tables, NO_CELLS, 1.0, 1.0, 0.5), n)


def test_walls_have_no_slope():
    _, tables = tables_of(features={"kerb": {"type": "step", "at": [0, 0], "height": 0.2}}, grade=[0.1, 0.0])
    _, gx, gy = plain(kernel.surface)(tables, NO_CELLS, 0.5e-3, 0.0)
    assert (gx, gy) == pytest.approx((0.1, 0.0))


def test_ruts():
    """The surface of a cell that was pressed in: what does not come back, and the slip sinkage."""
    import gori

    _, tables = tables_of(soft={"soil": gori.soil("lete_sand"), "size": [2, 1], "cell": 0.1})
    soil = tables.soil[0]
    cells = rows(CELL.zeros(int(soil.nx * soil.ny)))
    here = cells[5 * soil.nx + 7]
    here.z_max, here.z_dyn = 0.04, 0.01
    depth = 0.04 * (1.0 - soil.rebound) + 0.01
    assert plain(kernel.surface)(tables, cells, 0.75, 0.55)[0] == pytest.approx(-depth)
    assert plain(kernel.surface)(tables, cells, 0.80, 0.55)[0] == pytest.approx(-0.5 * depth)
    assert plain(kernel.surface)(tables, cells, 5.0, 0.55) == (0.0, 0.0, 0.0)
    h, gx, _ = plain(kernel.surface)(tables, cells, 0.77, 0.55)
    there, _, _ = plain(kernel.surface)(tables, cells, 0.77 + 1e-6, 0.55)
    assert gx == pytest.approx((there - h) / 1e-6, rel=1e-4)
