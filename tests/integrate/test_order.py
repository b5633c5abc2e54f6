"""Orders of convergence of all methods, energy, quaternions, and agreement with DOP853 and closed forms."""

from functools import cache

import numpy as np
import pytest

import gori
from gori.integrate import METHODS, Dopri5, method_of
from gori.model.state import State
from gori.sim import Event, Simulation
from tests.checks import machine
from tests.integrate.machines import MACHINES, pendulum, pendulum_angle, solution
from tests.reference.random_spec import random_state

END = 0.5
"""[s]: long enough for the errors to build up, short enough for no chaos"""

FIXED = {
    # settings: expected order, and how many steps the coarsest run takes
    ("semi_implicit",): (1, 500),
    ("rk4",): (4, 50),
    ("implicit_euler",): (1, 500),
    ("implicit_euler", ("newton", True)): (1, 500),
    ("generalized_alpha",): (2, 100),
    ("adams", ("order", 2)): (2, 200),
    ("adams", ("order", 3)): (3, 200),
    ("adams", ("order", 4)): (4, 200),
    ("adams_moulton", ("order", 2)): (2, 200),
    ("adams_moulton", ("order", 3)): (3, 200),
    ("adams_moulton", ("order", 4)): (4, 200),
}


def id_of(settings):
    return "_".join([settings[0], *(f"{name}_{value}" for name, value in settings[1:])])


FINER = {"pendulum": 1, "double pendulum": 1, "top": 8, "ball chain": 1}
"""the top turns about ten times as fast as the others"""


def test_all_methods_have_a_row_here():
    assert {row[0] for row in FIXED} | {"dopri5"} == set(METHODS)


@cache
def model_of(name):
    return gori.compile(MACHINES[name]())


@cache
def reference(name):
    """q and v at END."""
    if name == "pendulum":
        q, v = pendulum_angle(END)
        return np.array([q]), np.array([v])
    model = model_of(name)
    q, v = solution(model.spec, model.q0, model.v0, [END])
    return q[0], v[0]


def error(name, q, v):
    """Distance from the reference: in the tangent space of q, and in v."""
    q_ref, v_ref = reference(name)
    return np.linalg.norm(np.concatenate([model_of(name).difference(q_ref, q), v - v_ref]))


def error_of(name, method):
    rec = Simulation(model_of(name), method).run(END, sample=END, progress=False)
    assert rec.time[-1] == pytest.approx(END, abs=1e-15)
    return error(name, rec.q[-1], rec.v[-1])


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("settings", FIXED, ids=id_of)
def test_order_of_fixed_steps(settings, name):
    expected, count = FIXED[settings]
    count *= FINER[name]
    errors = []
    for k in range(4):
        method = method_of({"type": settings[0], "step": END / (count << k), **dict(settings[1:])})
        errors.append(error_of(name, method))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    words = " ".join(f"{order:.3f}" for order in orders)
    print(f"\norder {settings[0]:18s} {name:16s} expected {expected}: {words}  error {errors[-1]:.1e}")
    assert errors[-1] < errors[0] < 0.2  # small enough to speak of an order
    # the next term of this one's error is large, and fades only where rounding begins
    last, all_of_them = (0.2, 0.45) if settings == ("adams_moulton", ("order", 4)) else (0.1, 0.3)
    assert abs(orders[-1] - expected) < last
    assert (np.abs(orders - expected) < all_of_them).all()


@pytest.mark.parametrize("name", MACHINES)
def test_order_of_dopri5_with_a_forced_step(name):
    """With tolerances that never bite and a largest step, the formula shows its own order."""
    count = 25 * FINER[name]
    errors = [error_of(name, Dopri5(rtol=1e8, atol=1e8, largest_step=END / (count << k))) for k in range(3)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    print(f"\norder dopri5 {name:16s} expected 5:", *(f"{o:.3f}" for o in orders), f"error {errors[-1]:.1e}")
    assert (np.abs(orders - 5) < 0.5).all()


@pytest.mark.parametrize("name", MACHINES)
def test_error_of_dopri5_follows_the_tolerance(name):
    tolerances = 10.0 ** -np.arange(5, 12)
    errors = np.array([error_of(name, Dopri5(rtol=tol, atol=tol)) for tol in tolerances])
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    print(f"\ndopri5 {name:16s} error ~ tol^{slope:.2f}; error / tol", *(f"{e:.1f}" for e in errors / tolerances))
    assert 0.8 < slope < 1.25
    assert (errors < 300.0 * tolerances).all()


@pytest.mark.parametrize("name", MACHINES)
def test_samples_of_dopri5_are_as_good_as_its_steps(name):
    """Dense output between steps: no sample is much worse than the end."""
    model, times = model_of(name), np.linspace(0.0, END, 101)
    rec = Simulation(model, Dopri5(rtol=1e-8, atol=1e-8)).run(END, sample=END / 100, progress=False)
    np.testing.assert_allclose(rec.time, times, rtol=0, atol=1e-15)
    q, v = solution(model.spec, model.q0, model.v0, times)
    errors = np.linalg.norm(np.column_stack([model.difference(q, rec.q), rec.v - v]), axis=1)
    print(f"\ndopri5 {name}: largest error of a sample {errors.max():.1e}, at the end {errors[-1]:.1e}")
    assert errors.max() < 3e-6


def drift(name, method):
    """Largest change of energy over 2 s, relative to the largest kinetic energy."""
    rec = Simulation(model_of(name), method).run(2.0, progress=False)
    energy = rec["energy.total"]
    return np.abs(energy - energy[0]).max() / rec["energy.kinetic"].max()


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("settings", FIXED, ids=id_of)
def test_energy_drift_vanishes_with_the_order(settings, name):
    expected, _ = FIXED[settings]
    steps = np.array([1e-2, 5e-3, 2.5e-3] if expected == 4 else [1e-3, 5e-4, 2.5e-4]) / FINER[name]
    drifts = [drift(name, method_of({"type": settings[0], "step": h, **dict(settings[1:])})) for h in steps]
    order = np.log2(drifts[-2] / drifts[-1])
    words = "  ".join(f"{d:.1e} (h = {1e3 * h:g} ms)" for d, h in zip(drifts, steps))
    print(f"\nenergy {settings[0]:18s} {name:16s} {words}, order {order:.2f}")
    assert order > expected - 0.25
    assert drifts[0] < 0.3


@pytest.mark.parametrize("name", MACHINES)
def test_energy_drift_of_dopri5(name):
    drifts = [drift(name, Dopri5(rtol=tol, atol=tol)) for tol in (1e-6, 1e-9)]
    print(f"\nenergy dopri5 {name:16s} {drifts[0]:.1e} (1e-6)  {drifts[1]:.1e} (1e-9)")
    assert drifts[0] < 1e-4 and drifts[1] < 1e-7


def test_semi_implicit_euler_keeps_energy_bounded():
    """It is symplectic: the energy error of the pendulum swings, after 400 periods no more than in the first 10."""
    simulation = Simulation(model_of("pendulum"), {"type": "semi_implicit", "step": 5e-3})
    energy = simulation.run(2.36784194757624 * 400, sample=5e-3, progress=False)["energy.total"]
    first, last = (np.abs(part - energy[0]).max() for part in (energy[:5000], energy[-5000:]))
    assert last < 1.1 * first


@pytest.mark.parametrize("kind", METHODS)
def test_quaternions_stay_unit(kind):
    spec = MACHINES["ball chain"]().model_dump(exclude_unset=True)
    spec["bodies"]["d"] = spec["bodies"]["a"]
    spec["joints"]["jd"] = {"type": "free", "parent": "ground", "child": "d", "v": [3, 5, -4, 1, 0, 0]}
    spec["bodies"]["e"] = spec["bodies"]["a"]
    spec["joints"]["je"] = {"type": "revolute", "parent": "ground", "child": "e", "axis": [1, 0, 0], "q": 1.0}
    model = gori.compile(gori.Spec(**spec))
    settings = {"rtol": 1e-4, "atol": 1e-4} if METHODS[kind].adaptive else {"step": 1e-2}
    events = {"down": Event("je.q"), "time": Event("t - 0.3333")}
    rec = Simulation(model, method_of({"type": kind, **settings}), events=events).run(3.0, sample=0.01, progress=False)
    assert len(rec.info["events"]) >= 2
    for info in model.joints[:4]:
        lengths = np.linalg.norm(rec.q[:, info.q][:, :4], axis=1)
        if info.nq > 1:
            assert np.abs(lengths - 1.0).max() < 1e-14


# ---- A01: the planar pendulum


PERIOD = 2.36784194757624


def test_period_of_the_pendulum():
    events = {"right": Event("pin.q", when="falling"), "left": Event("pin.q", when="rising")}
    simulation = Simulation(gori.compile(pendulum()), Dopri5(rtol=1e-12, atol=1e-12), events=events)
    met = simulation.run(5 * PERIOD, progress=False).info["events"]
    assert [name for name, _ in met] == ["right", "left"] * 5
    times = np.array([time for _, time in met])
    error = np.abs(times - PERIOD * (0.25 + 0.5 * np.arange(10))).max()
    print(f"\nA01 with dopri5: crossings of ten half periods to {error:.1e} s")
    assert error < 1e-9


def test_period_of_the_pendulum_with_fixed_steps():
    simulation = Simulation(gori.compile(pendulum()), {"type": "rk4", "step": 1e-3}, events={"down": "pin.q"})
    times = np.array([time for _, time in simulation.run(5 * PERIOD, progress=False).info["events"]])
    error = np.abs(times - PERIOD * (0.25 + 0.5 * np.arange(10))).max()
    print(f"\nA01 with rk4, 1 ms: crossings of ten half periods to {error:.1e} s")
    assert error < 1e-9


def test_pendulum_all_along():
    rec = Simulation(gori.compile(pendulum()), Dopri5(rtol=1e-12, atol=1e-12)).run(10.0, sample=0.01, progress=False)
    q, v = pendulum_angle(rec.time)
    np.testing.assert_allclose(rec["pin.q"], q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(rec["pin.v"], v, rtol=0, atol=1e-9)


# ---- random trees against DOP853


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_against_dop853(seed):
    model, tree = machine(seed, n=4, floating=seed == 4)
    q0, v0, _ = random_state(np.random.default_rng(seed), tree)
    q, v = solution(model.spec, q0, v0, [0.3], rtol=1e-12)
    simulation = Simulation(model, Dopri5(rtol=1e-11, atol=1e-11), state=State(0.0, q0, v0))
    rec = simulation.run(0.3, sample=0.3, progress=False)
    scale = max(1.0, np.abs(v).max())
    error = max(np.abs(model.difference(q[0], rec.q[-1])).max(), np.abs(rec.v[-1] - v[0]).max()) / scale
    print(f"\ntree {seed}: {model.nv} dof, largest speed {scale:.1f}, error {error:.1e}")
    assert error < 1e-8
