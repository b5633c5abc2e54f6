"""Wheels that lean, from upright to lying: no jump in force or moment, and no energy from closed paths."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.vehicle import leaning as kernel
from gori.kernels.vehicle import wheels
from gori.kernels.vehicle.state import CELL, CONTACT, FOOTPRINT, NEVER, PATCH, WHEEL_OUTPUT, WHEEL_STATE
from gori.model.vehicle.soil import soil_row
from gori.model.vehicle.terrain import sampled_field
from tests.kernels.vehicle.leaners import (
    ACROSS,
    ALONG,
    DITCH,
    PLANE,
    RHO,
    SLOPE,
    STILL,
    TYRE,
    WALL,
    R,
    axis_at,
    ground,
    wrench,
)
from tests.kernels.vehicle.soils import SAND
from tests.plain import plain, rows
from tests.reference import leaning as twin

PLACES = {
    "plane": (PLANE, (0.0, 0.0), (0.44, 0.35, 0.12)),
    "slope": (SLOPE, (0.1, -0.1), (0.44, 0.35, 0.12)),
    "in a ditch, along it": (ALONG, (0.0, 0.1), (-0.05, -0.2)),
    "in a ditch, across it": (ACROSS, (0.1, 0.0), (-0.05, -0.2)),
}


def test_share_of_the_disc():
    for q in np.linspace(0.0, 1.0, 41):
        x, slope = plain(kernel.upright_share)(q)
        assert x == pytest.approx(twin.share(q), abs=1e-14)
        near = [plain(kernel.upright_share)(q + e)[0] for e in (1e-7, -1e-7)]
        assert slope == pytest.approx((near[0] - near[1]) / 2e-7, abs=1e-4)


@pytest.mark.parametrize("camber_deg", [0, 10, 18, 22, 30, 40, 60, 80, 90])
def test_energy_on_a_plane_is_the_twins(camber_deg):
    camber = np.radians(camber_deg)
    for b in (0.3, 0.22, 0.1):
        energy, force, _, _ = wrench(PLANE, (0.0, 0.0, b), axis_at(camber))
        # the balls stand as the axis has them: one is the lowest where it leans along y
        assert energy == pytest.approx(twin.energy(b, camber, TYRE.stiffness, R, RHO), rel=1e-9, abs=1e-9)
        slope = [twin.energy(b + e, camber, TYRE.stiffness, R, RHO) for e in (1e-6, -1e-6)]
        assert force[2] == pytest.approx((slope[1] - slope[0]) / 2e-6, rel=1e-5, abs=1e-3)


def test_the_load_of_an_upright_wheel_is_the_springs():
    for camber in np.radians([0.0, 1.0, 5.0, 15.0]):
        _, force, moment, contact = wrench(PLANE, (0.0, 0.0, 0.42), axis_at(camber))
        spring = TYRE.stiffness * (R - 0.42 / np.cos(camber))
        np.testing.assert_allclose(force, [0.0, 0.0, max(0.0, spring)], rtol=1e-12, atol=1e-9)
        if camber == 0.0:
            assert np.abs(moment).max() == 0.0 and np.abs(contact.lean_moment).max() == 0.0


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("yaw", [0.0, 0.3])
def test_no_jump_from_upright_to_lying(name, yaw):
    """Where neighbours of 0.5 degrees differ most, a step of 0.5 / 4096 degrees changes a 4096th as much, or twice."""
    here, (x, y), heights = PLACES[name]

    def at(camber, z):
        _, force, moment, _ = wrench(here, (x, y, z), axis_at(camber, yaw))
        return np.concatenate([force, moment / R])

    for z in heights:
        cambers = np.radians(np.linspace(0.0, 90.0, 181))
        found = np.array([at(camber, z) for camber in cambers])
        steps, most = np.linalg.norm(np.diff(found, axis=0), axis=1), np.linalg.norm(found, axis=1).max()
        assert most > 1000.0 and steps.max() < 0.12 * most
        low, high = cambers[steps.argmax()], cambers[steps.argmax() + 1]
        for _ in range(12):
            middle = 0.5 * (low + high)
            ends = [at(camber, z) for camber in (low, middle, high)]
            first = np.linalg.norm(ends[1] - ends[0]) > np.linalg.norm(ends[2] - ends[1])
            low, high = (low, middle) if first else (middle, high)
        assert np.linalg.norm(at(high, z) - at(low, z)) < 2.5 * steps.max() / 4096.0


@pytest.mark.parametrize("name", PLACES)
def test_force_and_moment_are_the_gradient_of_the_energy(name):
    here, (x, y), heights = PLACES[name]
    for camber in np.radians([5.0, 20.0, 27.0, 33.0, 45.0, 70.0, 89.0]):
        centre, a = np.array([x, y, heights[-1]]), axis_at(camber, 0.2)
        energy, force, moment, _ = wrench(here, centre, a)
        assert energy > 1.0
        moment = moment - (moment @ a) * a
        for k, e in enumerate(1e-6 * np.eye(3)):
            slope = (wrench(here, centre + e, a)[0] - wrench(here, centre - e, a)[0]) / 2e-6
            turn = (wrench(here, centre, a + np.cross(e, a))[0] - wrench(here, centre, a - np.cross(e, a))[0]) / 2e-6
            size = np.linalg.norm(force)
            assert force[k] == pytest.approx(-slope, abs=1e-5 * size)
            assert moment[k] == pytest.approx(-turn, abs=1e-5 * size * R)


@pytest.mark.parametrize("name", PLACES)
def test_closed_paths_gain_nothing(name):
    """Lower upright, lean over, lift, straighten up: the work of force and moment, by what was stored at most."""
    here, (x, y), heights = PLACES[name]
    low, high, tilt = heights[-1], heights[-1] + 0.25, np.radians(75.0)
    corners = [(high, 0.0), (low, 0.0), (low, tilt), (high, tilt), (high, 0.0)]
    points, weights = np.polynomial.legendre.leggauss(12)
    work, stored, heading = 0.0, 0.0, np.array([1.0, 0.0, 0.0])
    for (z0, c0), (z1, c1) in itertools.pairwise(corners):
        for piece in range(12):
            for point, weight in zip(points, weights):
                t = (piece + 0.5 + 0.5 * point) / 12.0
                energy, force, moment, _ = wrench(here, (x, y, z0 + t * (z1 - z0)), axis_at(c0 + t * (c1 - c0)))
                work += weight / 24.0 * (force[2] * (z1 - z0) + moment @ heading * (c1 - c0))
                stored = max(stored, energy)
    assert stored > 100.0 and abs(work) < 1e-3 * stored


KERB = ground(features={"a": {"type": "step", "height": 0.15, "yaw_deg": 90.0}})  # higher for y > 0
POST = ground(features={"a": {"type": "step", "height": 0.3, "length": 0.1, "width": 0.1, "at": [-0.05, 0.0]}})
BLOCK = ground(features={"a": {"type": "step", "height": 0.2, "length": 0.8, "width": 0.6, "at": [-0.4, 0.0]}})
TRENCH = ground(features={"a": DITCH | {"length": 0.2, "at": [0.0, -0.1]}})
EDGES = {"kerb": KERB, "ditch": ALONG, "narrow ditch": TRENCH, "post": POST, "block": BLOCK}
DEEPEST = 0.1
"""deflection of the tyre [m] up to which forces must not jump: deeper, the shortest way out of a wall may change"""


def _sweeps():
    """Straight ways over an edge: (start, end), each x, y, z, camber and yaw; sideways, askew, leaning, sinking."""
    for yaw, camber in ((0.0, 0.0), (0.0, 0.3), (0.5, -0.2), (1.0, 0.1), (1.3, 0.25), (1.57, 0.0)):
        yield (0.05, -0.75, 0.42, camber, yaw), (0.05, 0.75, 0.42, camber, yaw)
        yield (0.05, -0.75, 0.57, camber, yaw), (0.05, 0.75, 0.57, camber, yaw)
        yield (0.05, 0.1, 0.9, camber, yaw), (0.05, 0.1, 0.42, camber, yaw)
    for y, yaw in ((-0.2, 0.0), (0.05, 0.4), (0.3, 1.2)):
        yield (0.0, y, 0.5, -1.5, yaw), (0.0, y, 0.5, 1.5, yaw)
    yield (0.0, -0.1, 0.45, 0.1, -1.6), (0.0, -0.1, 0.45, 0.1, 1.6)


@pytest.mark.parametrize("name", EDGES)
def test_nothing_jumps_at_edges(name):
    """Sweeps over edges in 60 steps: where energy or wrench change most, a 1024th of a step changes a 1024th, or up
    to ten times as much.

    And the gradient of the energy is the wrench along the sweep, tried at three places of each.
    """
    here, touched = EDGES[name], 0

    def at(pose):
        x, y, z, camber, yaw = pose
        axis = axis_at(camber, yaw)
        energy, force, moment, _ = wrench(here, (x, y, z), axis)
        return np.concatenate([[energy / DEEPEST], force, (moment - (moment @ axis) * axis) / R])

    for start, end in _sweeps():
        path = np.array(start) + np.linspace(0.0, 1.0, 61)[:, None] * np.subtract(end, start)
        found = np.array([at(pose) for pose in path])
        shallow = found[:, 0] * DEEPEST < 0.5 * TYRE.stiffness * DEEPEST**2
        most = np.linalg.norm(found[shallow], axis=1).max(initial=0.0)
        steps = np.linalg.norm(np.diff(found, axis=0), axis=1) * (shallow[1:] & shallow[:-1])
        if most < 300.0 or not steps.max() > 0.0:
            continue
        low, high = path[steps.argmax()], path[steps.argmax() + 1]
        for _ in range(10):
            middle = 0.5 * (low + high)
            ends = [at(pose) for pose in (low, middle, high)]
            first = np.linalg.norm(ends[1] - ends[0]) > np.linalg.norm(ends[2] - ends[1])
            low, high = (low, middle) if first else (middle, high)
        assert np.linalg.norm(at(high) - at(low)) < 10.0 * steps.max() / 1024.0 + 1e-3, (start, end)
        touched += 1
    assert touched > 5


@pytest.mark.parametrize("name", EDGES)
def test_wrench_at_edges_is_the_gradient_of_the_energy(name):
    here, rng, touched, off = EDGES[name], np.random.default_rng(7), 0, []
    for _ in range(60):
        centre = np.append(rng.uniform(-0.6, 0.6, 2), rng.uniform(0.4, 0.6))
        a = axis_at(rng.uniform(-0.6, 0.6), rng.uniform(-np.pi, np.pi))
        energy, force, moment, _ = wrench(here, centre, a)
        if not 10.0 < energy < 0.5 * TYRE.stiffness * DEEPEST**2:
            continue
        moment = moment - (moment @ a) * a
        for k, e in enumerate(1e-6 * np.eye(3)):
            slope = (wrench(here, centre + e, a)[0] - wrench(here, centre - e, a)[0]) / 2e-6
            turn = (wrench(here, centre, a + np.cross(e, a))[0] - wrench(here, centre, a - np.cross(e, a))[0]) / 2e-6
            off += [abs(force[k] + slope) / np.linalg.norm(force), abs(moment[k] + turn) / np.linalg.norm(force) / R]
        touched += 1
    assert touched > 4 and max(off) < 1e-3


def test_closed_paths_over_a_kerb_gain_nothing():
    """Lower the wheel on the kerb, push it over the edge, lift it, bring it back; or lean it over beside the edge."""
    for camber in (0.0, 0.2):
        high, low = 1.0, 0.58
        for corners in (
            [(0.15, high, camber), (0.15, low, camber), (-0.25, low, camber), (-0.25, high, camber)],
            [(-0.1, high, camber), (-0.1, low, camber), (-0.1, low, camber + 1.3), (-0.1, high, camber + 1.3)],
        ):
            points, weights = np.polynomial.legendre.leggauss(10)
            work, stored, heading = 0.0, 0.0, np.array([1.0, 0.0, 0.0])
            for a, b in itertools.pairwise([*corners, corners[0]]):
                way = np.subtract(b, a)
                for piece, (point, weight) in itertools.product(range(14), zip(points, weights)):
                    y, z, lean = a + (piece + 0.5 + 0.5 * point) / 14.0 * way
                    energy, force, moment, _ = wrench(KERB, (0.0, y, z), axis_at(lean))
                    work += weight / 28.0 * (force[1] * way[0] + force[2] * way[1] + moment @ heading * way[2])
                    stored = max(stored, energy)
            assert stored > 50.0 and abs(work) < 2e-3 * stored


def test_a_ring_at_a_wall_has_no_friction_and_on_the_ground_all_of_it():
    high = ground(features={"a": {"type": "step", "height": 2.0, "at": [0.0, 0.25], "yaw_deg": 90.0}})
    _, force, _, contact = wrench(high, (0.0, 0.25 - RHO + 0.02, 0.9), axis_at(0.0))
    assert force[1] < -1000.0 and abs(force[2]) < 10.0 and contact.friction == pytest.approx(0.0, abs=1e-9)
    assert wrench(KERB, (0.0, 0.2, 0.6), axis_at(0.0))[3].friction == pytest.approx(0.8)


def test_the_load_next_to_a_kerb_is_that_of_the_disc():
    for depth in (0.01, 0.03, 0.06):
        _, force, _, _ = wrench(KERB, (0.0, 0.25, 0.15 + R - depth), axis_at(0.0))
        assert force[2] == pytest.approx(TYRE.stiffness * depth, rel=0.03)


def test_the_lean_against_a_field_and_its_slope():
    hills = ground(field=sampled_field(lambda x, y: 0.1 * np.sin(x) + 0.08 * np.cos(y), (-3, 3), (-3, 3), 0.1))
    a, c = axis_at(0.4, 0.3), np.array([0.2371, 0.3117, 0.5])
    m, nx, ny, nz, by_x, by_y = plain(kernel.lean_of)(hills, c, a, R)
    assert m == pytest.approx(a @ [nx, ny, nz]) and np.hypot(np.hypot(nx, ny), nz) == pytest.approx(1.0)
    assert nx / -nz == pytest.approx(0.1 * np.cos(0.2371) * np.sin(R) / R, abs=2e-3)
    for k, slope in enumerate((by_x, by_y)):
        e = 1e-6 * np.eye(3)[k]
        ends = [plain(kernel.lean_of)(hills, c + side * e, a, R)[0] for side in (1.0, -1.0)]
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6)


def test_a_lying_wheel_touches_a_wall_with_its_tread():
    _, force, _, _ = wrench(WALL, (0.0, 0.25 - R + 0.03, 0.4), (0.0, 0.02, 1.0))
    assert force[1] < -1000.0 and abs(force[2]) < 0.01 * -force[1]


def test_no_jump_on_soft_soil():
    """A wheel leans over above untouched sand: neighbours of 0.5 degrees, and of a quarter of that."""
    tables = ground()
    soil = rows(soil_row(SAND, (-2.0, -2.0), (4.0, 4.0), 0.05))
    cells = rows(CELL.zeros(int(soil["nx"][0] * soil["ny"][0])))
    cells["stamp"] = NEVER
    soft = tables._replace(soil=soil, cells=cells)

    def at(camber):
        contact, out, state = (rows(kind.zeros(1))[0] for kind in (CONTACT, WHEEL_OUTPUT, WHEEL_STATE))
        # a NumPy record has a `flat` of its own
        patch, zero = rows(PATCH.zeros(1))[0], FOOTPRINT.zeros(1)[0]
        foot = SimpleNamespace(**{name: zero[name].copy() for name in zero.dtype.names})
        contact.centre[:], contact.axis[:] = (0.012, 0.007, 0.35), axis_at(camber)
        code = plain(wheels.sink)(soft, STILL, TYRE, state, 0.0, contact, (0.0, 0.0, 0), foot, patch, out)
        assert code == 0
        return np.concatenate([out.hub_force, out.hub_moment / R])

    coarse, fine = ([at(camber) for camber in np.radians(np.arange(0.0, 90.01, step))] for step in (0.5, 0.125))
    steps = [np.linalg.norm(np.diff(found, axis=0), axis=1).max() for found in (coarse, fine)]
    most = np.linalg.norm(coarse, axis=1).max()
    assert most > 1000.0 and steps[0] < 0.03 * most and steps[1] < 0.3 * steps[0]
