"""A wheel on the grid: statics, symmetry, energy, memory, slopes, the tyre in series, and places that are none."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.codes import NOT_FINITE, OFF_GRID, OK
from gori.kernels.vehicle.patch import soft_wheel
from gori.kernels.vehicle.state import CONTACT, FOOTPRINT, PATCH, WHEEL_STATE
from gori.kernels.vehicle.tables import AREA, FEATURE, TERRAIN, TYRE, Ground
from gori.model.vehicle.soil import fresh_cells, soil_row
from gori.spec.vehicle.soil import ExponentialSoil
from tests.kernels.vehicle.soils import LOAM, SAND

R, B = 0.47, 0.3


@numba.njit
def call(ground, tyre, s, contact, spin, t, dt, commit, foot, patch):
    return soft_wheel(ground, tyre[0], s[0], contact[0], spin, t, dt, commit, foot[0], patch[0])


def numbers(records):
    """All numbers of records, in one row."""
    return np.atleast_1d(records).view("f8")


def steady(rows):
    """Means over rows of a run, as one row."""
    mean = PATCH.zeros(1)
    for name in PATCH.dtype.names:
        mean[name] = rows[name].mean(axis=0)
    return mean[0]


class Bench:
    """One wheel on a level or sloping piece of soil."""

    def __init__(self, soil=LOAM, cell=0.02, size=3.0, grade=(0.0, 0.0), stiffness=0.0, damping=0.0, radius=R):
        self.soil = soil_row(soil, (-0.5 * size, -0.5 * size), (size, size), cell)
        self.cells = fresh_cells(self.soil)
        terrain, self.tyre, self.s = TERRAIN.zeros(1), TYRE.zeros(1), WHEEL_STATE.zeros(1)
        terrain["grade"] = grade
        self.ground = Ground(terrain, FEATURE.zeros(0), AREA.zeros(0), np.zeros(0), self.soil, self.cells)
        self.tyre["radius"], self.tyre["width"] = radius, B
        self.tyre["stiffness"], self.tyre["damping"] = stiffness, damping
        self.t = 0.0

    def __call__(self, c, a=(0, 1, 0), v=(0, 0, 0), w=(0, 0, 0), spin=0.0, d=None, dt=1e-3, commit=1):
        out, contact, foot = PATCH.zeros(1), CONTACT.zeros(1), FOOTPRINT.zeros(1)
        out.view("f8")[:] = 7.0
        foot["radius"] = np.nan  # work: nothing may be taken from it
        self.t += dt * commit
        if d is not None:
            self.s["deflection"] = d
        contact["centre"], contact["axis"] = c, np.array(a, float) / np.linalg.norm(a)
        contact["velocity"], contact["angular_velocity"] = v, w
        self.code = call(self.ground, self.tyre, self.s, contact, float(spin), self.t, float(dt), commit, foot, out)
        return out[0]

    def roll(self, slip, sinkage, count=400, speed=1.0, dt=2e-3, yaw=0.0, x=-0.8):
        """Rolls at a fixed height; the results of each step."""
        heading, spin = np.array([math.cos(yaw), math.sin(yaw)]), speed / (1 - slip) / R
        rows = []
        for k in range(count):
            at = (x + k * dt * speed) * heading
            rows.append(
                self((*at, R - sinkage), (-math.sin(yaw), math.cos(yaw), 0), (*(speed * heading), 0), spin=spin, dt=dt)
            )
        return np.array(rows, PATCH.dtype)


def test_plate_carries_its_pressure():
    """A wheel so large that it is flat: load = area * pressure, as a plate."""
    big, z = 2000.0, 0.02
    bench = Bench(SAND, size=1.0, cell=0.01, radius=big)
    out = bench((0, 0, big - z))
    assert bench.code == OFF_GRID  # it is longer than the grid
    assert out["area"] == pytest.approx(1.0 * B, rel=1e-12)
    assert out["force"][2] == pytest.approx(float(SAND.pressure(z)) * B, rel=0.02)


def test_standing_wheel_is_symmetric():
    out = Bench()((0, 0, R - 0.02))
    assert out["force"][2] > 1000.0 and out["sinkage"] == pytest.approx(0.02)
    for balanced in (*out["force"][:2], *out["moment"], out["torque"]):
        assert abs(balanced) < 1e-9 * out["force"][2]


def test_air_gives_nothing():
    bench = Bench()
    assert not numbers(bench((0, 0, R + 1e-6))).any() and bench.code == OK
    assert not numbers(bench((50, 0, R + 1e-6))).any() and bench.code == OK  # above ground that is not there
    assert (bench.cells["z_max"] == 0.0).all()


def test_trial_leaves_no_trace():
    bench = Bench(SAND)
    bench.roll(0.2, 0.02, 50)
    before = bench.cells.copy()
    trial = bench((-0.7, 0, R - 0.03), v=(1, 0, 0), spin=2.5, commit=0)
    assert np.array_equal(bench.cells, before) and trial["force"][2] > 0.0
    bench.t -= 1e-3
    assert np.array_equal(bench((-0.7, 0, R - 0.03), v=(1, 0, 0), spin=2.5), trial)
    assert not np.array_equal(bench.cells, before)


def test_memory_of_a_rut():
    bench = Bench(SAND)
    first = bench.roll(0.3, 0.02)
    track = bench.cells["z_max"] > 0.0
    assert bench.cells["z_dyn"][track].max() > 1e-3 and bench.cells["j"][track].max() > 0.01
    assert track.mean() < 0.4
    again = bench.roll(0.3, 0.02)
    assert (
        again["force"][200:, 2].mean() < 0.5 * first["force"][200:, 2].mean()
    )  # at the same height the rut carries less
    assert (bench.cells["z_dyn"] >= 0.0).all()


@pytest.mark.parametrize("soil", [SAND, LOAM], ids=["exponential", "bekker"])
def test_work_goes_into_the_soil(soil):
    """Torque times spin = pull times speed + what the soil keeps: compaction in the rut, and friction."""
    bench = Bench(soil.model_copy(update={"slip_sinkage": None}), cell=0.01)
    speed, slip, z = 1.0, 0.15, 0.03
    rows = bench.roll(slip, z, 600, speed)[300:]
    spin = speed / (1 - slip) / R
    given = -rows["torque"].mean() * spin - rows["force"][:, 0].mean() * speed
    depth = np.linspace(0, z, 2001)
    P = soil.pressure(depth, B)
    compaction = speed * B * (np.trapezoid(P, depth) - 0.5 * P[-1] * z * soil.rebound)
    friction = given - compaction
    # the tread slips by v s / (1 - s) at the bottom; the mean stress is the torque's
    expected = -rows["torque"].mean() / R * speed * slip / (1 - slip)
    assert 0.0 < compaction < given
    assert friction == pytest.approx(expected, rel=0.15)


def test_soil_never_gives_energy():
    rng = np.random.default_rng(3)
    bench, work = Bench(SAND, cell=0.03), 0.0
    c, dt = np.array([0.0, 0.0, R]), 2e-4
    for _ in range(20):
        v, spin = rng.uniform(-1, 1, 3) * (1, 0.3, 0.1), rng.uniform(-3, 3)
        for _ in range(100):
            c = c + v * dt
            c[2] = max(c[2], R - 0.08)
            out = bench(c, v=v, spin=spin, dt=dt)
            work -= (out["force"] @ v + out["torque"] * spin) * dt
        v[2] = 0.0
    assert work > 0.0


def test_stress_is_one_vector():
    """Sliding along and across at once never gives more than the strongest stress."""
    bench = Bench(SAND.model_copy(update={"cohesion": 0.0, "slip_sinkage": None}))
    for k in range(400):
        out = bench((1e-4 * k, 1e-4 * k, R - 0.01), v=(0.1, 0.1, 0))
        assert (
            math.hypot(-out["torque"] / R, out["force"][1])
            <= 1.02 * out["force"][2] * math.tan(math.radians(31.1)) * 1.08
        )


@pytest.mark.parametrize("spring", [0.0, 4e5], ids=["rigid", "tyre"])
def test_stands_without_creep(spring):
    """Pushed by less than the soil holds, a wheel with its load stands still for ever; let go, it comes back a bit."""
    bench, mass, dt = Bench(SAND, cell=0.02, stiffness=spring, damping=3e3), 600.0, 1e-3
    x, z, v, w, places = 0.0, R, 0.0, 0.0, []
    for k in range(9000):
        out = bench((x, 0, z), v=(v, 0, w), dt=dt)
        push = 0.2 * mass * 9.81 if 1000 < k < 6000 else 0.0
        v += dt * (push + out["force"][0]) / mass
        w += dt * ((out["force"][2] - 4e3 * w) / mass - 9.81)
        x, z = x + dt * v, z + dt * w
        places.append(x)
    assert 1e-5 < places[4000] < 0.02
    assert abs(places[5999] - places[4000]) < 1e-6
    assert 0.0 < places[-1] < places[5999] - 1e-5
    assert abs(v) < 1e-6 and abs(w) < 1e-6
    assert out["force"][2] == pytest.approx(mass * 9.81, rel=1e-6)


@pytest.mark.parametrize("yaw", [0.4, math.pi / 2, 2.5, -2.0])
def test_direction_on_the_grid_does_not_matter(yaw):
    straight = steady(Bench(LOAM, cell=0.01).roll(0.2, 0.03)[200:])
    turned = steady(Bench(LOAM, cell=0.01).roll(0.2, 0.03, yaw=yaw)[200:])
    ahead = turned["force"][0] * math.cos(yaw) + turned["force"][1] * math.sin(yaw)
    assert ahead == pytest.approx(straight["force"][0], rel=0.01)
    assert turned["force"][2] == pytest.approx(straight["force"][2], rel=0.01)
    assert turned["torque"] == pytest.approx(straight["torque"], rel=0.01)


def test_slope_turns_the_force():
    """Standing normal to a slope is standing on the level, turned."""
    level = Bench(LOAM, cell=0.005)((0, 0, R - 0.03))
    grade = 0.3
    n = np.array([-grade, 0, 1]) / math.hypot(grade, 1)
    sloped = Bench(LOAM, cell=0.005, grade=(grade, 0.0))((R - 0.03) * n)
    assert sloped["sinkage"] == pytest.approx(0.03, abs=1e-9)
    assert sloped["load"] == pytest.approx(level["force"][2], rel=0.02)
    assert sloped["force"][0] / sloped["force"][2] == pytest.approx(-grade, rel=0.05)
    banked = Bench(LOAM, cell=0.005, grade=(0.0, grade))((R - 0.03) * n[[1, 0, 2]], a=(0, 1, grade))
    assert banked["load"] == pytest.approx(level["force"][2], rel=0.03)


def test_camber_loads_the_lower_edge():
    out = Bench(LOAM, cell=0.01)((0, 0, R - 0.03), a=(0, 1, -0.1))
    assert out["force"][2] > 0.0 and out["sinkage"] > 0.0
    assert abs(out["moment"][0]) > 10.0  # the pressure is at the lower, left edge


def test_forces_are_smooth_in_height():
    bench = Bench(LOAM, cell=0.02)
    heights = np.linspace(R + 0.001, R - 0.06, 600)
    loads = np.array([bench((0, 0, z), commit=0)["force"][2] for z in heights])
    assert (np.diff(loads) >= 0.0).all()
    assert np.diff(loads).max() < 0.02 * loads[-1]


def test_slopes_of_the_load():
    bench = Bench(LOAM, cell=0.01)
    now = bench((0, 0, R - 0.03))
    deeper, back = (bench((0, 0, R - 0.03 - h), commit=0)["force"][2] for h in (1e-5, -1e-5))
    assert now["k_down"] == pytest.approx((deeper - now["force"][2]) / 1e-5, rel=0.1)
    assert now["k_up"] == pytest.approx((now["force"][2] - back) / 1e-5, rel=0.1)


def drop_on(soil, hub, stiffness=4e5, damping=3e3, speed=0.1, count=600):
    """Load and deflection of a tyre whose hub goes down to a height and stays there."""
    bench = Bench(soil, cell=0.02, stiffness=stiffness, damping=damping)
    for k in range(count):
        out = bench((0, 0, max(hub, R - 1e-3 * speed * k)))
    return out["load"], out["deflection"], out["sinkage"]


def test_hard_soil_is_a_road():
    """The harder the soil, the nearer the load to that of the tyre on hard ground, k (R - hub)."""
    hub, k = R - 0.02, 4e5
    errors = []
    for hardness in (1, 10, 100, 1000):
        soil = ExponentialSoil(**(SAND.model_dump() | {"p0": SAND.p0 * hardness, "slip_sinkage": None}))
        load, d, sinkage = drop_on(soil, hub)
        assert load == pytest.approx(k * d, rel=1e-3)
        assert sinkage + d == pytest.approx(0.02, abs=1e-6)
        errors.append(1.0 - load / (k * 0.02))
    assert errors == sorted(errors, reverse=True)
    assert 0.0 <= errors[-1] < 0.005


@pytest.mark.parametrize("hardness", [1, 10, 1000])
def test_landing_and_bouncing_stay_sane(hardness):
    """Dropped from 0.2 m, a wheel with a tyre comes to rest on soil of any hardness, at its weight."""
    soil = ExponentialSoil(**(SAND.model_dump() | {"p0": SAND.p0 * hardness, "slip_sinkage": None}))
    bench, mass, dt = Bench(soil, cell=0.05, stiffness=4e5, damping=3e3), 600.0, 1e-3
    z, w, peak = R + 0.2, 0.0, 0.0
    for _ in range(8000):
        out = bench((0, 0, z), v=(0, 0, w), dt=dt)
        peak = max(peak, out["force"][2])
        w += dt * (out["force"][2] / mass - 9.81)
        z += dt * w
    assert out["force"][2] == pytest.approx(mass * 9.81, rel=1e-3) and abs(w) < 1e-4
    assert peak < 1.5 * mass * math.sqrt(4e5 / mass) * math.sqrt(2 * 9.81 * 0.2)
    assert out["deflection"] == pytest.approx(mass * 9.81 / 4e5, rel=0.01)  # on rock the last bit comes slowly


def test_off_the_grid_is_told():
    bench = Bench()
    out = bench((1.4, 0, R - 0.02))
    assert bench.code == OFF_GRID and np.isfinite(numbers(out)).all()
    out = bench((30, 30, R - 0.02))
    assert bench.code == OFF_GRID and out["force"][2] == 0.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e300])
def test_no_place_is_told(bad):
    bench = Bench()
    for change in ({"c": (bad, 0, 0)}, {"v": (0, bad, 0)}, {"spin": bad}, {"d": bad}):
        out = bench(**({"c": (0, 0, R - 0.02)} | change))
        assert bench.code == NOT_FINITE and not numbers(out).any()
    assert not np.isnan(numbers(bench.cells)).any()


def test_never_nan():
    """Wheels in all positions, buried, on their side, upside down, with and without tyre."""
    rng = np.random.default_rng(0)
    bench = Bench(SAND, cell=0.05)
    for _ in range(3000):
        c, a = rng.uniform(-1, 1, 3) * (1, 1, 0.8), rng.normal(size=3)
        v, w = rng.normal(size=3) * 10, rng.normal(size=3)
        d, dt = rng.choice([0.0, 1e-9, 0.03, 0.2]), rng.choice([0.0, 1e-4, 1e-2])
        out = bench(c, a, v, w, rng.normal() * 50, d, dt)
        assert np.isfinite(numbers(out)).all()
    assert np.isfinite(numbers(bench.cells)).all()
