"""Tyres against their twins, and what any tyre must do: stay within friction, settle, stand still."""

import numba
import numpy as np
import pytest

from gori.kernels.vehicle import tyre as kernel
from gori.model.vehicle.tyre import tyre_row
from gori.spec.vehicle.tyre import COEFFICIENTS, FialaTyre
from tests.kernels.vehicle.tyres import FIALA, MAGIC, PLAIN
from tests.reference import tyres as twin

_forces, _rates, _step = kernel.tyre_forces, kernel.slip_rates, kernel.slip_step
_load, _radius, _stiffness = kernel.vertical_load, kernel.rolling_radius, kernel.slip_stiffness

forces = numba.njit(lambda p, N, mu, gamma, vx, vsx, vsy, u, w: _forces(p[0], N, mu, gamma, vx, vsx, vsy, u, w))
rates = numba.njit(lambda p, N, mu, vx, vsx, vsy, u, w: _rates(p[0], N, mu, vx, vsx, vsy, u, w))
slip_step = numba.njit(lambda p, N, mu, vx, vsx, vsy, u, w, dt: _step(p[0], N, mu, vx, vsx, vsy, u, w, dt))
load = numba.njit(lambda p, depth, rate: _load(p[0], depth, rate))
radius = numba.njit(lambda p, N, depth: _radius(p[0], N, depth))
stiffness = numba.njit(lambda p, N, mu: _stiffness(p[0], N, mu))

TYRES = {"fiala": FIALA, "magic": MAGIC, "plain magic": PLAIN}
V = 20.0


def at_slip(part, N, sx, sy, gamma=0.0, mu=0.8, vx=V, side=None):
    """Forces in steady motion at given slips: the deflections that they have there."""
    p = tyre_row(part, side)
    _, _, sigma_x, sigma_y, _ = stiffness(p, N, mu)
    return np.array(forces(p, N, mu, gamma, vx, -sx * abs(vx), -sy * abs(vx), sx * sigma_x, sy * sigma_y))


def settled(part, N, vx, vsx, vsy, mu=0.8, time=1.0, h=1e-4, u=0.0, w=0.0):
    p = tyre_row(part)
    for _ in range(round(time / h)):
        u, w = slip_step(p, N, mu, vx, vsx, vsy, u, w, h)
    return u, w


# ---- load


def test_load_is_a_spring_and_a_damper():
    p = tyre_row(FIALA)
    for depth, rate in ((0.02, 0.0), (0.02, 0.5), (0.001, 1.0), (0.02, -5.0), (-0.01, 1.0), (0.0, 1.0), (0.3, 0.0)):
        assert load(p, depth, rate) == pytest.approx(twin.load(FIALA, depth, rate))
    assert load(p, 0.02, -5.0) == 0.0  # it never pulls
    assert load(p, np.nan, 0.0) == 0.0


def test_load_table():
    rows = [[0.0, 0.0], [0.005, 585], [0.01, 1286], [0.02, 3477], [0.03, 6190], [0.08, 21699]]
    part = FialaTyre(**{k: v for k, v in twin.FIALA.items() if k != "stiffness"}, load_table=rows)
    p = tyre_row(part)
    for depth in np.linspace(-0.01, 0.15, 100):
        assert load(p, depth, 0.1) == pytest.approx(twin.load(part, depth, 0.1), abs=1e-9)
    assert load(p, 0.13, 0.0) == pytest.approx(21699 + 0.05 * (21699 - 6190) / 0.05)
    one = FialaTyre(**{k: v for k, v in twin.FIALA.items() if k != "stiffness"}, load_table=[[0.01, 3000]])
    assert load(tyre_row(one), 0.02, 0.0) == pytest.approx(6000.0)


def test_rolling_radius():
    assert radius(tyre_row(FIALA), 6000.0, 0.03) == pytest.approx(0.46)
    N, c = 6000.0, twin.MAGIC
    x = N / c["FNOMIN"]
    expected = 0.5 - c["FNOMIN"] / 4e5 * (c["DREFF"] * np.arctan(c["BREFF"] * x) + c["FREFF"] * x)
    assert radius(tyre_row(MAGIC), N, 0.015) == pytest.approx(expected)
    own = MAGIC.model_copy(update={"rolling_deflection": 1.0})
    assert radius(tyre_row(own), N, 0.015) == pytest.approx(0.485)
    assert radius(tyre_row(own), N, 10.0) == 0.25


# ---- laws


def test_fiala_against_its_twin():
    rng = np.random.default_rng(0)
    for _ in range(300):
        N, mu = rng.uniform(100, 20000), rng.uniform(0.1, 1.0)
        sx, sy = rng.normal(size=2) * 10 ** rng.uniform(-4, 0.2)
        Fx, Fy, Mz, My = at_slip(FIALA, N, sx, sy, mu=mu)
        np.testing.assert_allclose([Fx, Fy, Mz], twin.fiala(FIALA, N, mu / 0.8, sx, sy), rtol=1e-9, atol=1e-9)
        # the tread runs backward beyond slip -1
        assert My == pytest.approx(-0.015 * N * 0.47 * np.clip((1 + sx) * V / 0.2, -1, 1))


def test_magic_against_its_twin():
    rng = np.random.default_rng(1)
    for _ in range(300):
        N, mu, gamma = rng.uniform(1000, 25000), rng.uniform(0.2, 1.0), rng.uniform(-0.15, 0.15)
        sx, sy = rng.normal(size=2) * 10 ** rng.uniform(-3, 0)
        ours = at_slip(MAGIC, N, sx, sy, gamma, mu)
        expected = twin.magic(twin.MAGIC, 0.5, N, mu / 0.8, sx, -np.arctan(sy), gamma)
        np.testing.assert_allclose(ours[:3], expected, rtol=1e-9, atol=1e-6 * N)
    for name in COEFFICIENTS:  # every scale factor is felt where the twin feels it
        if name.startswith("L") and name not in ("LONGVL", "LSGKP", "LSGAL", "LMY"):
            c = twin.MAGIC | {name: 1.13}
            part = MAGIC.model_copy(update={"coefficients": c})
            expected = twin.magic(c, 0.5, 8000.0, 1.0, 0.05, -np.arctan(-0.06), 0.05)
            ours = at_slip(part, 8000.0, 0.05, -0.06, 0.05)
            np.testing.assert_allclose(ours[:3], expected, rtol=1e-9)
            assert not np.allclose(ours, at_slip(MAGIC, 8000.0, 0.05, -0.06, 0.05), rtol=1e-6), name


@pytest.mark.parametrize("name", ["fiala", "plain magic"])
def test_slope_at_no_slip(name):
    part, d = TYRES[name], 1e-6
    for N in (2000.0, 9000.0, 15000.0):
        Cx, Cy, _, _, _ = stiffness(tyre_row(part), N, 0.8)
        assert at_slip(part, N, d, 0.0)[0] / d == pytest.approx(Cx, rel=1e-4)
        assert at_slip(part, N, 0.0, d)[1] / d == pytest.approx(Cy, rel=1e-4)
    if name == "fiala":
        assert (Cx, Cy) == (193929.0, 50000.0)
    else:
        c = twin.MAGIC
        assert stiffness(tyre_row(part), c["FNOMIN"], 0.8)[0] == pytest.approx(c["PKX1"] * c["FNOMIN"])
        K = -c["PKY1"] * c["FNOMIN"] * np.sin(2 * np.arctan(1 / c["PKY2"]))
        assert stiffness(tyre_row(part), c["FNOMIN"], 0.8)[1] == pytest.approx(K)


@pytest.mark.parametrize("name", ["fiala", "plain magic"])
def test_symmetry(name):
    part = TYRES[name]
    for sx, sy in ((0.05, 0.1), (-0.2, 0.03), (0.01, -0.4)):
        Fx, Fy, Mz, _ = at_slip(part, 8000.0, sx, sy)
        np.testing.assert_allclose(at_slip(part, 8000.0, sx, -sy)[:3], [Fx, -Fy, -Mz], rtol=1e-9)
        np.testing.assert_allclose(at_slip(part, 8000.0, -sx, sy)[:2], [-Fx, Fy], rtol=1e-9)
        assert np.sign([Fx, Fy]).tolist() == np.sign([sx, sy]).tolist()
    assert np.sign(at_slip(part, 8000.0, 0.0, 0.03)[2]) == -1.0  # it turns the wheel into its motion


def test_mirrored_tyre():
    left = at_slip(MAGIC, 8000.0, 0.03, 0.05, 0.04, side="left")
    right = at_slip(MAGIC, 8000.0, 0.03, -0.05, -0.04, side="right")
    np.testing.assert_allclose(right, left * [1, -1, -1, 1], rtol=1e-12)
    assert tyre_row(MAGIC)["mirror"] == 1.0
    assert tyre_row(MAGIC.model_copy(update={"side": "any"}), "right")["mirror"] == 1.0


def test_friction_circle_of_fiala():
    rng = np.random.default_rng(2)
    for _ in range(500):
        N, mu = rng.uniform(0, 20000), rng.uniform(0.0, 1.0)
        vx, vsx, vsy = rng.normal(size=3) * 10 ** rng.uniform(-3, 1.5)
        u, w = rng.normal(size=2) * 10 ** rng.uniform(-4, 1)
        Fx, Fy, _, _ = forces(tyre_row(FIALA), N, mu, 0.0, vx, vsx, vsy, u, w)
        assert np.hypot(Fx, Fy) <= FIALA.friction_max * mu / 0.8 * N * (1 + 1e-12)


# ---- transient slip


@pytest.mark.parametrize("name", TYRES)
@pytest.mark.parametrize("vx", [12.0, -12.0, 3.0])
def test_steady_slip_is_the_usual_one(name, vx):
    part, N = TYRES[name], 8000.0
    vsx, vsy = -0.03 * abs(vx), 0.04 * abs(vx)
    u, w = settled(part, N, vx, vsx, vsy, time=6.0, h=1e-3)
    _, _, sigma_x, sigma_y, _ = stiffness(tyre_row(part), N, 0.8)
    assert (u / sigma_x, w / sigma_y) == (pytest.approx(0.03, rel=1e-6), pytest.approx(-0.04, rel=1e-6))
    Fx, Fy, _, My = forces(tyre_row(part), N, 0.8, 0.0, vx, vsx, vsy, u, w)
    assert Fx > 0.0 > Fy
    assert My * vx < 0.0


def test_relaxation_length():
    """After rolling by one relaxation length 1 - 1/e of the slip is there."""
    vx = 10.0
    _, w = settled(FIALA, 8000.0, vx, 0.0, -0.02 * vx, time=0.4 / vx, h=1e-5)
    assert w / 0.4 == pytest.approx(0.02 * (1 - np.exp(-1)), rel=1e-3)


@pytest.mark.parametrize("name", TYRES)
def test_rates_and_steps_agree(name):
    p, h = tyre_row(TYRES[name]), 1e-5
    for vx, vsx, vsy, time in (
        (10.0, 0.5, 0.3, 0.1),
        (0.3, 0.1, -0.1, 0.3),
        (5.0, 5.0, 1.0, 0.2),
        (0.0, -3.0, 0.5, 0.2),
    ):
        a = b = (0.0, 0.0)
        for _ in range(round(time / h)):
            a = slip_step(p, 8000.0, 0.8, vx, vsx, vsy, *a, h)
            b = tuple(x + h * d for x, d in zip(b, rates(p, 8000.0, 0.8, vx, vsx, vsy, *b)))
        np.testing.assert_allclose(a, b, rtol=5e-3, atol=1e-5)


@pytest.mark.parametrize("name", TYRES)
def test_sliding_reaches_the_whole_slip(name):
    """A locked wheel at speed is at slip -1, where friction is lowest."""
    part = TYRES[name]
    u, w = settled(part, 8000.0, 10.0, 10.0, 0.0, time=2.0, h=1e-3)
    _, _, sigma_x, _, _ = stiffness(tyre_row(part), 8000.0, 0.8)
    assert u / sigma_x == pytest.approx(-1.0, rel=1e-3)
    assert w == 0.0
    if name == "fiala":
        Fx = forces(tyre_row(part), 8000.0, 0.8, 0.0, 10.0, 10.0, 0.0, u, w)[0]
        assert Fx == pytest.approx(-0.5568 * 8000.0, rel=1e-3)


@pytest.mark.parametrize("name", TYRES)
def test_no_wind_up(name):
    """After spinning on the spot the spring is at its friction limit, not as far as the wheel has turned."""
    part = TYRES[name]
    u, w = settled(part, 8000.0, 0.0, -5.0, 0.0, time=3.0, h=1e-3)
    u, w = settled(part, 8000.0, 0.0, 0.0, 0.0, time=0.01, h=1e-3, u=u, w=w)
    Cx, _, sigma_x, _, limit = stiffness(tyre_row(part), 8000.0, 0.8)
    assert u == pytest.approx(3.0 * limit * sigma_x / Cx)
    # and by its rates it gets there as well
    u = 1.0
    for _ in range(200):
        u += 1e-3 * rates(tyre_row(part), 8000.0, 0.8, 0.0, 0.0, 0.0, u, 0.0)[0]
    assert u == pytest.approx(3.0 * limit * sigma_x / Cx, rel=1e-6)


def test_deflection_vanishes_in_the_air():
    assert slip_step(tyre_row(FIALA), 0.0, 0.8, 5.0, 1.0, 1.0, 0.1, 0.1, 1e-3) == (0.0, 0.0)
    du, dw = rates(tyre_row(FIALA), 0.0, 0.8, 5.0, 1.0, 1.0, 0.1, -0.1)
    assert du < 0.0 < dw


@numba.njit
def park(p, m, g_x, g_y, time, h, by_rates, v):
    """A mass on one locked wheel on a slope: displacement forward and to the left, and its speeds."""
    N, mu = m * 9.81, 0.8
    x = y = vy = u = w = 0.0
    largest = 0.0
    for k in range(int(time / h)):
        Fx, Fy, _, _ = _forces(p[0], N, mu, 0.0, v, v, vy, u, w)
        v += h * (Fx / m - g_x)
        vy += h * (Fy / m - g_y)
        x += h * v
        y += h * vy
        if k * h > 5.0:
            largest = max(largest, abs(v), abs(vy))
        if by_rates:
            du, dw = _rates(p[0], N, mu, v, v, vy, u, w)
            u += h * du
            w += h * dw
        else:
            u, w = _step(p[0], N, mu, v, v, vy, u, w, h)
    return x, y, largest


@pytest.mark.parametrize("by_rates", [True, False])
@pytest.mark.parametrize("name", TYRES)
def test_parked_on_a_slope(name, by_rates):
    """Ten minutes on 20 %, askew: it settles within five seconds, and then does not move at all."""
    p = tyre_row(TYRES[name])
    slope = 0.2 * 9.81 * np.array([0.8, 0.6])
    early = park(p, 640.0, *slope, 6.0, 1e-3, by_rates, 0.0)
    late = park(p, 640.0, *slope, 600.0, 1e-3, by_rates, 0.0)
    assert np.abs(early[:2]).max() < 0.05
    np.testing.assert_allclose(late[:2], early[:2], atol=1e-9)
    assert late[2] < 1e-8


def test_slides_on_a_slope_that_is_too_steep():
    x, y, _ = park(tyre_row(FIALA), 640.0, 1.2 * 9.81, 0.0, 2.0, 1e-3, False, 0.0)
    assert x < -2.0
    assert abs(y) < 1e-9


def test_braking_to_a_halt():
    """A locked wheel from 10 m/s slides v^2 / (2 mu g) within the two friction coefficients, stops, and stays."""
    x, _, largest = park(tyre_row(FIALA), 640.0, 0.0, 0.0, 20.0, 1e-3, False, 10.0)
    stop = 100.0 / (2 * 9.81)
    assert stop / 0.9835 < x < stop / 0.5568
    assert largest < 1e-6


@numba.njit
def drive(p, m, J, torque, time, h):
    """A mass on one wheel that is driven from rest on the level. Speed, slip speed, and energies in and kept."""
    N, mu, depth = m * 9.81, 0.8, 0.02
    Re = _radius(p[0], N, depth)
    v = spin = u = w = work = heat = 0.0
    for _ in range(int(time / h)):
        vsx = v - spin * Re
        u, w = _step(p[0], N, mu, v, vsx, 0.0, u, w, h)
        Fx, _, _, My = _forces(p[0], N, mu, 0.0, v, vsx, 0.0, u, w)
        before = spin
        v += h * Fx / m
        spin += h * (torque - Fx * Re + My) / J
        work += h * torque * 0.5 * (before + spin)
        heat -= h * (Fx * (v - spin * Re) + My * spin)
    return v, v - spin * Re, work, 0.5 * m * v * v + 0.5 * J * spin * spin + heat


@pytest.mark.parametrize("name", TYRES)
@pytest.mark.parametrize("torque", [400.0, -400.0])
def test_driven_from_rest(name, torque):
    """It speeds up as its torque, inertia and rolling resistance say, and the energies balance."""
    p, m, J = tyre_row(TYRES[name]), 640.0, 7.3
    v, vsx, work, kept = drive(p, m, J, torque, 4.0, 2e-4)
    N, R = m * 9.81, TYRES[name].radius
    Re = radius(p, N, 0.02)
    drag = (0.015 if name == "fiala" else 0.0095) * N * R
    expected = np.sign(torque) * (abs(torque) - drag) / Re / (m + J / Re**2) * 4.0
    assert v == pytest.approx(expected, rel=0.03)
    assert vsx * torque < 0.0
    assert abs(vsx) < 0.03 * abs(v)
    assert kept == pytest.approx(work, rel=2e-3)


# ---- never NaN

EXTREMES = (0.0, 1e-300, -1e-12, 1e-3, 1.0, -40.0, 1e6)


@pytest.mark.parametrize("name", TYRES)
def test_never_nan(name):
    p = tyre_row(TYRES[name])
    rng = np.random.default_rng(7)
    loads, frictions = (0.0, -5.0, 1e-300, 1e-6, 1.0, 8000.0, 1e6), (0.0, 1e-12, 0.8, 3.0)
    for _ in range(3000):
        N, mu, gamma = rng.choice(loads), rng.choice(frictions), rng.choice([0.0, 0.1, -1.5707963, 1.5707964])
        vx, vsx, vsy, u, w = rng.choice(EXTREMES, 5)
        out = [*forces(p, N, mu, gamma, vx, vsx, vsy, u, w), *rates(p, N, mu, vx, vsx, vsy, u, w)]
        out += [*slip_step(p, N, mu, vx, vsx, vsy, u, w, 1e-3), radius(p, N, u), load(p, u, vx)]
        assert np.isfinite(out).all(), (N, mu, gamma, vx, vsx, vsy, u, w, out)
        if N <= 0.0 or mu == 0.0:
            assert out[:4] == [0.0] * 4


def test_nothing_at_rest():
    assert forces(tyre_row(FIALA), 8000.0, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0) == (0.0, 0.0, 0.0, 0.0)


def test_rolling_resistance_is_smooth_through_zero():
    speeds = np.linspace(-1.0, 1.0, 2001)
    My = np.array([forces(tyre_row(FIALA), 8000.0, 0.8, 0.0, v, 0.0, 0.0, 0.0, 0.0)[3] for v in speeds])
    assert np.abs(np.diff(My)).max() < 0.01 * np.abs(My).max()
    assert (My * speeds <= 0.0).all()
