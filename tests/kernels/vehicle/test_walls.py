"""Wheels at walls: the way out against brute force, and forces that have a potential."""

import math

import numpy as np
import pytest

from gori.kernels.vehicle import walls as kernel
from gori.kernels.vehicle.state import CONTACT
from gori.kernels.vehicle.wheels import touch
from gori.model.vehicle.terrain import terrain_tables
from gori.model.vehicle.tyre import tyre_row
from tests.kernels.vehicle.grounds import terrain
from tests.kernels.vehicle.tyres import FIALA
from tests.plain import plain, rows
from tests.reference.wheel_walls import way_out

R, RHO = FIALA.radius, 0.5 * FIALA.width
TYRE = rows(tyre_row(FIALA))[0]


def ground(**feature):
    tables = terrain_tables(terrain(features={"wall": feature}))
    return tables._replace(terrain=rows(tables.terrain), feature=rows(tables.feature), area=rows(tables.area))


def contact(centre, axis):
    c = CONTACT.zeros(1)
    c["centre"], c["axis"] = centre, np.array(axis) / np.linalg.norm(axis)
    return rows(c)[0]


def met(ground, centre, axis):
    c = contact(centre, axis)
    near = plain(kernel.meet_walls)(ground, TYRE, c)
    return near, c


def test_shares_go_smoothly_from_wall_to_ground():
    share = plain(kernel.wall_share)
    for sheer, gentle in ((kernel.SHEER, kernel.GENTLE), (0.45, 0.45 + kernel.BETWEEN)):
        assert share(sheer, sheer)[0] == 1.0 and share(gentle, sheer)[0] == pytest.approx(0.0, abs=1e-15)
        assert share(0.5 * (sheer + gentle), sheer)[0] == pytest.approx(0.5)
        for x in np.linspace(0.02, 0.78, 15):
            slope = (share(x + 1e-6, sheer)[0] - share(x - 1e-6, sheer)[0]) / 2e-6
            assert share(x, sheer)[1] == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_the_way_out_is_the_shortest(seed):
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3) * [1.0, 1.0, 0.4]
    axis /= np.linalg.norm(axis)
    out, up, lowest, yaw = rng.uniform(-0.2, 0.5), rng.uniform(-1.0, 0.4), rng.uniform(0.0, 0.4), rng.uniform(0, 6)
    o = np.array([math.cos(yaw), math.sin(yaw)])
    depth, phi, _ = plain(kernel.way_out)(R - RHO, RHO, axis[:2] @ o, axis[2], out, up, lowest)
    expected, angle = way_out([*(out * o), up], axis, R, RHO, np.zeros(3), o, lowest)
    assert depth == pytest.approx(expected, abs=1e-8) and phi == pytest.approx(angle, abs=1e-3)


@pytest.mark.parametrize(
    ("centre", "axis"),
    [
        ((-0.35, 0.3, 0.45), (0.0, 1.0, 0.0)),  # straight on, the top far above
        ((-0.30, 0.1, 0.45), (0.5, 1.0, 0.1)),  # at an angle
        ((-0.12, 0.0, 0.50), (1.0, 0.1, 0.05)),  # with its side
        ((-0.38, 0.0, 0.75), (0.0, 1.0, 0.0)),  # next to the edge
    ],
)
def test_forces_have_a_potential(centre, axis):
    """Force and moment are the gradient of the energy, by places and directions of the wheel."""
    wall, h = ground(type="step", height=0.9, yaw_deg=0.0), 1e-6
    near, c = met(wall, centre, axis)
    assert near == kernel.SHEER and c.wall_elastic > 0.0 and c.walls == 1.0

    def energy(centre, axis):
        return met(wall, centre, axis)[1].wall_elastic

    for k in range(3):
        e = h * np.eye(3)[k]
        slope = (energy(np.add(centre, e), axis) - energy(np.subtract(centre, e), axis)) / (2.0 * h)
        assert c.wall_force[k] == pytest.approx(-slope, rel=1e-4, abs=1.0)
        turn = [np.add(axis, side * np.cross(e, axis)) for side in (1.0, -1.0)]
        slope = (energy(centre, turn[0]) - energy(centre, turn[1])) / (2.0 * h)
        # the part about the axis turns the wheel, not its axis
        a = np.array(c.axis)
        moment = np.array(c.wall_moment) - (np.array(c.wall_moment) @ a) * a
        assert moment[k] == pytest.approx(-slope, rel=1e-3, abs=2.0)


@pytest.mark.parametrize(
    ("feature", "centre"),
    [
        ({"length": 0.5}, (-0.35, 0.1, 0.45)),  # 83 degrees: at the face,
        ({"length": 0.5}, (-0.20, 0.1, 0.95)),  # at the edge,
        ({"length": 0.5}, (-0.1, 0.1, 1.2)),  # half on top
        ({"length": 1.0}, (-0.3, 0.1, 0.5)),  # 76 degrees
        ({"length": 1.0}, (0.0, 0.1, 1.12)),
        ({"length": 2.0}, (-0.3, 0.1, 0.4)),  # 63 degrees: face and ground
        ({"length": 1.0, "top": 0.0}, (0.03, 0.1, 0.6)),  # a ridge
        ({"length": 1.0, "width": 3.0}, (-0.3, 0.1, 0.5)),
    ],
)
def test_a_flank_that_leans_has_one_potential(feature, centre):
    """Ground and walls together: no tread stands on a face that is a wall."""
    here = ground(**{"type": "trapezoid", "height": 1.0} | feature)

    def touched(centre):
        c = contact(centre, (0.0, 1.0, 0.0))
        plain(touch)(here, TYRE, c)
        return c, c.elastic + c.wall_elastic

    c, energy = touched(centre)
    assert energy > 10.0
    force = np.array(c.wall_force) + c.load * np.array(c.normal) + np.array(c.lean_force)
    for k, e in enumerate(1e-6 * np.eye(3)):
        slope = (touched(np.add(centre, e))[1] - touched(np.subtract(centre, e))[1]) / 2e-6
        assert force[k] == pytest.approx(-slope, rel=1e-4, abs=1.0)


@pytest.mark.parametrize("width", [None, 6.0, 2.0, 0.3])
@pytest.mark.parametrize("across", [0.0, 0.1])
def test_a_block_is_a_wall_before_the_axle_is_inside(width, across):
    """As high as its top, from the front and at each of its widths."""
    shape = {"type": "step", "height": 1.0} | ({} if width is None else {"width": width})
    _, c = met(ground(**shape), (-0.40, across, 0.47), (0.0, 1.0, 0.0))
    assert c.wall_force[0] == pytest.approx(-TYRE.stiffness * (R - 0.4), rel=0.02)


@pytest.mark.parametrize("yaw", [90.0, -90.0])
def test_the_long_side_of_a_block_is_a_wall(yaw):
    block = ground(type="step", height=1.0, length=20.0, width=2.0, at=[1.0, -10.0 * np.sign(yaw)], yaw_deg=yaw)
    _, c = met(block, (-0.4, 0.0, 0.47), (0.0, 1.0, 0.0))
    assert c.wall_force[0] == pytest.approx(-TYRE.stiffness * (R - 0.4), rel=1e-6)


def test_how_high_a_block_is():
    def heights(feature, *places):
        row = rows(terrain_tables(terrain(features={"a": feature})).feature)[0]
        return [plain(kernel.crest)(row, s) for s in places]

    ramp = {"type": "ramp", "height": 1.0, "length": 2.0, "top": 3.0}
    assert heights(ramp, -1.0, 1.0, 3.0, 6.0, 8.0) == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert heights({"type": "step", "height": 1.0, "length": 3.0}, -1.0, 1.0, 4.0) == [1.0, 1.0, 1.0]


def test_what_is_no_wall():
    """Gentle flanks, tops, and walls that are far away."""
    flat = (0.0, 1.0, 0.0)
    assert met(ground(type="ramp", height=0.5, length=2.0), (0.5, 0.0, 0.5), flat)[0] == 0
    assert met(ground(type="sine", height=0.5, length=2.0), (0.5, 0.0, 0.5), flat)[0] == 0
    step = ground(type="step", height=0.5)
    near, c = met(step, (0.5, 0.0, 0.5 + R - 0.02), flat)
    assert near == kernel.SHEER and c.walls == 0.0 and c.wall_load == 0.0  # on top of it
    assert met(step, (-3.0, 0.0, R), flat)[0] == 0


def test_a_wall_pushes_back_and_never_pulls():
    wall = ground(type="step", height=2.0)
    c = contact((-0.4, 0.0, 0.5), (0.0, 1.0, 0.0))
    for speed in (-30.0, 0.0, 30.0):
        c.velocity[0] = speed
        c.wall_load, c.haste[1] = 0.0, 0.0
        plain(kernel.meet_walls)(wall, TYRE, c)
        assert c.wall_load >= 0.0 and c.wall_force[0] <= 0.0
        assert (c.haste[1] > 0.0) == (speed > 0.0)


def test_both_walls_of_a_ditch_and_the_sides_of_a_block():
    ditch = ground(type="step", height=-1.0, length=0.8)
    _, c = met(ditch, (0.401, 0.0, -0.4), (0.0, 1.0, 0.0))
    assert c.walls == 2.0 and c.wall_force[0] == pytest.approx(0.0, abs=1e-6)
    block = ground(type="step", height=1.0, length=3.0, width=2.0)
    _, c = met(block, (1.5, 1.0 + RHO - 0.02, 0.5), (0.0, 1.0, 0.0))
    assert c.wall_force[1] > 0.0 and abs(c.wall_force[0]) < 1e-9
