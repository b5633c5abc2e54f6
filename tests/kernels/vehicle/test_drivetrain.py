"""One step of a drive train against its twin and its differential equations; brakes, locks, and the books."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from gori.kernels.vehicle import drivetrain as k
from gori.kernels.vehicle.state import WORKS
from gori.model.vehicle.drivetrain import train_energy
from tests.kernels.vehicle.trains import HMMWV, RPM, Bench
from tests.reference import drivetrain as twin

LOSSES = ("converter_loss", "clutch_loss", "gear_loss")


def changed(**sections):
    """The HMMWV's drive train with other values: changed(gearbox={"clutch": 100})."""
    data = HMMWV.model_dump()
    for name, value in sections.items():
        data[name] = data[name] | value if isinstance(value, dict) else value
    return type(HMMWV)(**data)


def axles(*kinds, shares=None):
    shares = [1.0 / len(kinds)] * len(kinds) if shares is None else shares
    return [{"share": share, "differential": kind} for kind, share in zip(kinds, shares)]


def balance(bench, energy):
    """What the books do not explain of the change of kinetic energy [J]."""
    s = bench.s
    given = s["engine_work"] + s["ground_work"] - s["brake_work"] - sum(s[column] for column in LOSSES)
    return train_energy(bench.tables, s, bench.w) - energy - given


# ---- laws


@pytest.mark.parametrize("throttle", [0.0, 0.1, 0.6, 1.0])
def test_engine_follows_its_map_and_governors(throttle):
    """The torque that has acted in a short step, in neutral, from below idle to overspeed."""
    train = changed(engine={"lag": 0.0})
    for rpm in np.linspace(570.0, 4100.0, 41):
        bench = Bench(train)
        bench.s["engine"] = bench.s["turbine"] = rpm * RPM
        bench.run(dt=1e-9, throttle=throttle, selector=k.NEUTRAL)
        assert_allclose(bench.told["engine_torque"], twin.engine(train, rpm * RPM, throttle), atol=1e-3)


@pytest.mark.parametrize("sr", [-0.5, 0.0, 0.05, 0.45, 0.9, 0.95, 0.99, 1.0, 1.02, 1.5, 2.5])
def test_converter_follows_its_tables(sr):
    bench = Bench()
    p = 250.0
    bench.s["engine"], bench.s["turbine"] = p, sr * p
    bench.run(dt=1e-9, selector=k.NEUTRAL)
    assert_allclose(
        [bench.told["pump_torque"], bench.told["turbine_torque"]], twin.converter(HMMWV, p, sr * p), atol=1e-3
    )


def test_converter_stall_torque():
    """(1600 rev/min over 81 rev/min per sqrt(lbf ft))^2 is 529 N m."""
    assert_allclose(twin.converter(HMMWV, 1600 * RPM, 0.0), (529.0, 1.75 * 529.0), rtol=1e-3)


# ---- one step against the twin


def random_case(seed):
    random = np.random.default_rng(seed)
    kinds = random.choice(["open", "locked"], 2)
    shares = [(0.5, 0.5), (0.3, 0.7), (0.0, 1.0)][seed % 3]
    train = changed(
        axles=axles(*kinds, shares=shares),
        engine={"lag": 0.0},
        gearbox={"clutch": float(random.choice([60.0, 1500.0]))},
    )
    gear = int(random.choice([-1, 1, 2, 4]))
    low, dt = bool(random.integers(2)), float(random.choice([1e-4, 1e-3, 5e-3]))
    w = random.normal(0.0, random.choice([0.01, 1.0, 10.0]), 4)
    spins = random.uniform(4.0, 9.0, 4)
    bench = Bench(train, w, gear, k.LOW if low else k.HIGH, spins)
    bench.s["engine"] = random.uniform(70.0, 370.0)
    bench.ground[:] = random.normal(0.0, 1000.0, 4)
    bench.cap[:] = random.choice([0.0, 500.0, 4000.0, 1e5], 4)
    return bench, train, gear, low, dt, random.uniform(0.0, 1.0)


@pytest.mark.parametrize("seed", range(60))
def test_step_is_the_twins(seed):
    bench, train, gear, low, dt, throttle = random_case(seed)
    s, w = bench.s.copy(), bench.w.copy()
    p, t, w_new, q = twin.step(
        train, bench.spins, s["engine"], s["turbine"], 0.0, w, bench.ground, bench.cap, dt, throttle, gear, low, low
    )
    energy = train_energy(bench.tables, s, w)
    selector = gear if gear > 0 else k.REVERSE
    # a gear that is in force stays, whatever the wheels do
    bench.run(dt=dt, throttle=throttle, brake=1.0, selector=selector)
    assert bench.s["gear"] == gear
    scale = 1.0 + np.abs(w_new).max()
    assert_allclose(bench.w, w_new, atol=1e-7 * scale)
    assert_allclose(bench.s["turbine"], t, atol=1e-6 * (1.0 + abs(t)))
    assert_allclose(bench.s["engine"], p, rtol=1e-6)
    assert_allclose(bench.s["clutch_torque"], q, atol=1e-4 * (1.0 + abs(q)))
    assert abs(balance(bench, energy)) < 1e-9 * energy
    assert (np.abs(bench.brake) <= bench.cap + 1e-9).all()
    # a brake below its capacity holds the wheel
    free = np.abs(bench.brake) >= bench.cap * (1.0 - 1e-9)
    assert ((bench.w == 0.0) | free | np.repeat(bench.tables.axle["locked"], 2).astype(bool)).all()


def test_torques_of_wheels_and_half_shafts():
    """D w' = drive + ground + brake on each wheel; the half shaft carries the drive over the hub's ratio and loss."""
    bench = Bench(speed=20.0, gear=2)
    bench.ground[:], bench.cap[:] = (-900.0, -800.0, -700.0, -600.0), 200.0
    bench.run(50, throttle=0.7, selector=2)
    w = bench.w.copy()
    bench.run(1, throttle=0.7, brake=0.5, selector=2)
    assert_allclose(7.3 * (bench.w - w) / 1e-3, bench.drive + bench.ground + bench.brake, rtol=1e-9)
    assert_allclose(bench.brake, -100.0)
    assert_allclose(bench.shaft * 1.92 * 0.96, bench.drive)


# ---- in time


def test_first_order_towards_the_differential_equations():
    train = changed(engine={"lag": 0.0})
    ground = np.array([-500.0, -400.0, -600.0, -550.0])

    def rates(_, y):
        p, w = y[0], y[1:]
        return np.concatenate(
            [[x] if np.isscalar(x) else x for x in twin.rates(train, (7.3,) * 4, p, w, ground, 0.8, 2)]
        )

    exact = solve_ivp(rates, (0.0, 0.5), [180.0, 20.0, 20.0, 20.0, 20.0], rtol=1e-10, atol=1e-10, max_step=1e-3).y[
        :, -1
    ]
    errors = []
    for dt in (4e-3, 2e-3, 1e-3, 5e-4):
        bench = Bench(train, 20.0, 2)
        bench.s["engine"], bench.ground[:] = 180.0, ground
        bench.run(round(0.5 / dt), dt, throttle=0.8, selector=2)
        errors.append(np.abs(np.array([bench.s["engine"], *bench.w]) - exact).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[-1] < 0.05
    assert (np.abs(orders - 1.0) < 0.15).all(), (errors, orders)


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 5e-3])
def test_stiff_converter_needs_no_small_steps(dt):
    """A small turbine near sr = 1, let go: explicit steps of 1 ms would ring."""
    train = changed(converter={"inertia": 0.02}, engine={"lag": 0.0})
    bench = Bench(train)
    bench.s["engine"], bench.s["turbine"] = 300.0, 290.0
    slips = []
    for _ in range(round(0.3 / dt)):
        bench.run(1, dt, throttle=0.3, selector=k.NEUTRAL)
        slips.append(bench.s["engine"] - bench.s["turbine"])
    assert np.abs(slips[len(slips) // 2 :]).max() < 0.5
    assert np.count_nonzero(np.diff(np.sign(np.diff(slips)))) <= 2  # it settles, without ringing


# ---- brakes


@pytest.mark.parametrize("transfer", [k.HIGH, k.LOW])
def test_held_wheels_stand_exactly(transfer):
    """Idling in gear against the brakes, with the ground pulling: nothing moves, no torque changes."""
    bench = Bench(gear=1, transfer=transfer)
    bench.ground[:] = (300.0, -200.0, 100.0, 0.0)
    bench.run(20000, brake=1.0, selector=k.AUTOMATIC)
    before = bench.out.copy()
    for _ in range(100):
        bench.run(1, brake=1.0)
        assert (bench.w == 0.0).all()
        assert_allclose(bench.out, before, rtol=1e-9, atol=1e-6)
    assert_allclose(bench.drive + bench.brake + bench.ground, 0.0, atol=1e-6)


def test_brakes_stop_wheels_and_do_not_turn_them_back():
    bench = Bench(speed=10.0)
    bench.cap[:] = (1000.0, 0.0, 4000.0, 50.0)
    bench.run(30, brake=1.0, selector=k.NEUTRAL)
    assert bench.w[2] == 0.0 and (bench.w[[0, 1, 3]] > 0.0).all()
    bench.run(5000, brake=1.0, selector=k.NEUTRAL)
    assert (bench.w >= 0.0).all() and bench.w[0] == bench.w[2] == bench.w[3] == 0.0


def test_brake_takes_the_energy_of_the_wheels():
    bench = Bench(changed(transfer={"inertia": 0.0}), speed=20.0)
    energy = train_energy(bench.tables, bench.s, bench.w)
    bench.run(1000, brake=1.0, selector=k.NEUTRAL)
    D = 7.3 + 0.1 * 1.92**2
    assert_allclose(bench.s["brake_work"], 4 * 0.5 * D * 20.0**2, rtol=1e-12)
    assert abs(balance(bench, energy)) < 1e-9 * energy


# ---- differentials


@pytest.mark.parametrize(
    ("kinds", "centre"), [(("open", "open"), "locked"), (("locked", "open"), "open"), (("locked", "locked"), "locked")]
)
def test_locking_keeps_angular_momentum(kinds, centre):
    train = changed(axles=axles(*kinds), transfer={"centre": centre, "inertia": 0.0})
    w = np.array([3.0, 5.0, 8.0, 12.0])
    bench = Bench(train, w)
    bench.run(1, 1e-3, selector=k.NEUTRAL)
    mean = bench.w.reshape(2, 2).mean(axis=1)
    for axle, kind in enumerate(kinds):
        a, b = bench.w[2 * axle : 2 * axle + 2]
        assert (a == b) if kind == "locked" else (b - a > 1.0)
    if centre == "locked":
        assert_allclose(mean[0], mean[1], rtol=1e-12)
        assert_allclose(bench.w.sum(), w.sum(), rtol=1e-12)
    else:
        assert_allclose(bench.w, [4.0, 4.0, 8.0, 12.0], rtol=1e-12)
    assert bench.s["gear_loss"] > 0.0


def test_open_differentials_leave_one_wheel_on_ice():
    """One wheel without grip takes the speed; the others get no more torque than it."""
    bench = Bench(gear=1)
    bench.cap[:] = (0.0, 4000.0, 4000.0, 4000.0)
    bench.run(2000, throttle=0.3, brake=1.0, selector=1)
    assert bench.w[0] > 30.0 and (bench.w[1:] == 0.0).all()
    locked = Bench(changed(axles=axles("locked", "locked"), transfer={"centre": "locked"}), gear=1)
    locked.cap[:] = bench.cap
    locked.run(2000, throttle=0.3, brake=1.0, selector=1)
    assert (locked.w == 0.0).all()


def test_share_of_the_centre_differential():
    bench = Bench(changed(axles=axles("open", "open", shares=(0.3, 0.7))), speed=20.0, gear=2)
    bench.run(200, throttle=0.5, selector=2)
    D = np.array([7.3 + 0.1 * 1.92**2] * 4)
    w = bench.w.copy()
    bench.run(1, throttle=0.5, selector=2)
    push = D * (bench.w - w)  # no ground: all of it comes from the drive
    assert_allclose(push[2] / push[0], 7.0 / 3.0, rtol=1e-9)


# ---- any input


@pytest.mark.parametrize("seed", range(8))
def test_never_nan(seed):
    """Any pedals, levers and torques, at any step: finite, and the books close."""
    random = np.random.default_rng(seed)
    train = changed(axles=axles(*random.choice(["open", "locked"], 3)))
    bench = Bench(train, spins=(7.3,) * 6)
    for _ in range(400):
        bench.ground[:] = random.normal(0.0, 3000.0, 6) - 300.0 * bench.w
        throttle, brake = random.choice([-1.0, 0.0, 0.5, 1.0, 7.0, np.nan], 2)
        selector = random.choice([-9.0, -1.0, 0.0, 1.0, 3.0, 10.0, 12.0, 1e9, np.nan])
        energy = train_energy(bench.tables, bench.s, bench.w)
        for name in WORKS:
            bench.s[name] = 0.0
        bench.run(
            7, random.choice([1e-4, 1e-3, 2e-2]), throttle, brake, selector, random.choice([0, 1, 2, 3, 1e9, np.nan])
        )
        assert np.isfinite(bench.rows.view("f8")).all() and np.isfinite(bench.w).all() and np.isfinite(bench.out).all()
        assert abs(balance(bench, energy)) < 1e-8 * (energy + max(abs(bench.s[name]) for name in WORKS))
        assert bench.s["engine"] >= 0.8 * 700.0 * RPM


def test_no_allocation():
    """A thousand steps count as little as one: only the arrays that are passed in."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    bench, counts = Bench().run(1), []
    for n in (1, 1000):
        before = rtsys.get_allocation_stats().alloc
        bench.run(n, throttle=1.0, brake=0.1)
        counts.append(rtsys.get_allocation_stats().alloc - before)
    assert counts[0] == counts[1]
