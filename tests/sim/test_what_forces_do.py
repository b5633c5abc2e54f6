"""What motors, friction and limits must do, with every method."""

import numpy as np
import pytest

from gori.integrate import METHODS, RK4, Dopri5
from gori.model.state import State
from gori.spec import GROUND, Spec
from tests.sim.machines import falling, hinge, with_forces
from tests.sim.test_simulation import STICKING, simulate

RIGID = "time_stepping"
"""its friction of joints sticks without any give: an impulse, and no bristle"""


@pytest.mark.parametrize("kind", METHODS)
def test_motors_reach_their_target_within_their_limit(kind):
    motor = {"type": "motor", "joint": "axle", "kp": 100.0, "kd": 20.0, "limit": 2.0}
    simulation = simulate(with_forces(hinge(), m=motor), kind, force_values={"m": 1.5})
    rec = simulation.run(10.0, sample=0.01)
    push = np.diff(rec.v[:, 0]) / np.diff(rec.time)  # the inertia is 1
    assert np.abs(push).max() < 2.0 + 1e-6 and np.abs(push).max() > 1.9
    assert abs(rec["axle.q"][-1] - 1.5) < 1e-6 and abs(rec["axle.v"][-1]) < 1e-6
    held = simulate(with_forces(hinge(q=0.7), m=motor), kind).run(1.0)  # without a target it holds the start
    assert np.abs(held["axle.q"] - 0.7).max() < 1e-12


def slope(angle, mu=0.5, **joint):
    """A block of 2 kg on a slope, with the friction that its weight makes."""
    push = 2.0 * 9.81 * np.cos(angle) * mu
    axis = [np.cos(angle), 0.0, -np.sin(angle)]
    rail = {"type": "prismatic", "parent": GROUND, "child": "block", "axis": axis, "friction": push, **joint}
    return Spec(bodies={"block": {"mass": 2.0}}, joints={"rail": rail}), push


@pytest.mark.parametrize("kind", STICKING)
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_friction_sticks_below_the_friction_angle(kind, share):
    """Let go at once, with damping in the joint (see the next test for none): it ends where the bristle carries it."""
    stiffness = 2e4
    spec, push = slope(np.arctan(0.5 * share), stick_stiffness=stiffness, damping=2.0 * np.sqrt(stiffness * 2.0))
    settings = {"type": kind, **({} if METHODS[kind].adaptive else {"step": 2e-4})}
    q = simulate(spec, settings).run(5.0)["rail.q"]
    if kind == RIGID:
        assert np.abs(q).max() < 1e-12
        return
    assert q[-1] == pytest.approx(share * push / stiffness, rel=1e-5)
    assert abs(q[-1] - q[len(q) // 2]) < 1e-5 * push / stiffness  # and it has come to rest


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_friction_sticks_without_damping_in_the_joint(share):
    """The stick has damping of its own, critical: let go at once, the block does not overshoot, and the force on it
    rises to 1 + exp(-2) of the load.
    """
    spec, push = slope(np.arctan(0.5 * share), stick_stiffness=2e4)
    q = simulate(spec, RK4(step=2e-4)).run(5.0)["rail.q"] * 2e4 / push
    assert q[-1] == pytest.approx(share, rel=1e-9) and q.max() < 1.0001 * share


@pytest.mark.parametrize("kind", STICKING)
def test_friction_does_not_creep(kind):
    """100 s at 90 % of the friction angle, with steps of 1 ms, and shaken along the slope on the way."""
    spec, push = slope(np.arctan(0.5 * 0.9))
    shake = f"where(abs(t - 30) < 20, {0.05 * push}*sin(10*t), 0)"
    spec = with_forces(spec, shake={"type": "force", "joint": "rail", "value": shake})
    rec = simulate(spec, kind).run(100.0, sample=0.5)
    if kind == RIGID:
        assert np.abs(rec["rail.q"]).max() < 1e-12
        return
    before, during, after = (np.abs(rec.time - t) < 19.0 for t in (-10.0, 30.0, 80.0))
    assert np.ptp(rec["rail.q"][during]) > 0.05e-3
    rest = rec["rail.q"][(rec.time > 2.0) & before]
    assert np.ptp([*rest, *rec["rail.q"][after]]) < 1e-8 and 0.9e-3 < rest[0] < 1.2e-3
    assert np.abs(rec["rail.effort"]).max() <= push * (1.0 + 1e-12)


@pytest.mark.parametrize("kind", STICKING)
def test_friction_holds_what_it_holds(kind):
    """Set down with the bristles bent as far as the weight needs: nothing moves."""
    angle = np.arctan(0.5 * 0.9)
    spec, _ = slope(angle, stick_stiffness=2e4)
    z = np.array([2.0 * 9.81 * np.sin(angle) / 2e4])
    rec = simulate(spec, kind, state=State(0.0, np.zeros(1), np.zeros(1), z)).run(5.0)
    assert np.abs(rec["rail.q"]).max() < 1e-9


@pytest.mark.parametrize("kind", STICKING)
def test_friction_slides_above_the_friction_angle(kind):
    angle = np.arctan(0.8)
    settings = {"type": kind, **({} if METHODS[kind].adaptive else {"step": 2e-4})}
    rec = simulate(slope(angle)[0], settings).run(2.0)
    acceleration = 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))
    slide = rec["rail.v"][-1] - rec["rail.v"][-501]
    assert slide == pytest.approx(acceleration, rel=1e-3)


def test_friction_in_closed_form():
    """While it slips the bristle bends as z = F/s (1 - exp(-s t / d)), whatever the speed; where the wheel stops, it
    goes back by what the bristle holds.
    """
    spec = hinge(friction=2.0, stick_stiffness=40.0, v=3.0)  # of inertia 1: d = 2 sqrt(40), and it stops after 1.5 s
    rec = simulate(spec, Dopri5(rtol=1e-10, atol=1e-12)).run(6.0)
    slips = rec.time < 1.4
    relaxed = 2.0 / 40.0 * (1.0 - np.exp(-40.0 / (2.0 * np.sqrt(40.0)) * rec.time))
    np.testing.assert_allclose(rec.z[slips, 0], relaxed[slips], rtol=0, atol=1e-9)
    np.testing.assert_allclose(rec["axle.v"][slips], 3.0 - 2.0 * rec.time[slips], rtol=0, atol=1e-9)
    assert rec["axle.q"][-1] == pytest.approx(3.0**2 / (2.0 * 2.0) - 2.0 / 40.0, abs=1e-3)


STEP = {
    "implicit_euler": {"step": 1e-4},
    "time_stepping": {"step": 1e-4},
    "dopri5": {"rtol": 1e-8},
    "radau5": {"rtol": 1e-8},
}
AMPLITUDE = {
    "implicit_euler": 2e-2,
    "time_stepping": 2e-2,
    "semi_implicit": 3e-3,
}  # what first order costs without friction, too


@pytest.mark.parametrize("kind", STICKING)
def test_swings_lose_the_same_amplitude_each(kind):
    """A mass on a spring, up to 10 m/s: each half swing is shorter by 2 F/k than the one before; steps of 1 ms."""
    spec = falling(axis=[1, 0, 0], stiffness=100.0, rest=0.0, friction=2.0)
    rec = simulate(spec, {"type": kind, **STEP.get(kind, {"step": 1e-3})}).run(3.0, sample=1e-3)
    q, v, force = rec["rail.q"], rec["rail.v"], -100.0 * rec["rail.q"]
    turned = np.flatnonzero(v[1:-1] * v[2:] < 0.0) + 1
    expected = (1.0 - 0.04 * np.arange(1, 10)) * -((-1.0) ** np.arange(9))
    np.testing.assert_allclose(q[turned[-9:]], expected, rtol=0, atol=AMPLITUDE.get(kind, 1e-3))
    friction = rec["rail.effort"] - force
    assert np.abs(friction).max() < 2.0 + 1e-9
    assert np.abs(rec["energy.balance"]).max() < 50.0 * (2e-2 if kind in AMPLITUDE else 2e-4)


@pytest.mark.parametrize("kind", STICKING)
def test_it_stops_at_the_right_place(kind):
    """1 m, -0.7 m, 0.4 m, -0.1 m: there the spring is weaker than friction."""
    spec = falling(axis=[1, 0, 0], stiffness=100.0, rest=0.0, friction=15.0)
    rec = simulate(spec, {"type": kind, **STEP.get(kind, {"step": 1e-3})}).run(5.0, sample=0.01)
    assert rec["rail.q"][-1] == pytest.approx(-0.1, abs=5e-3)  # sticking is elastic, over 1 mm to both sides
    assert abs(rec["rail.v"][-1]) < 1e-6 and np.abs(rec["rail.q"][rec.time > 3.0] - rec["rail.q"][-1]).max() < 1e-6


@pytest.mark.parametrize("kind", STICKING)
def test_fast_joints_with_friction(kind):
    """50 rad/s, at which the bristle would bend through in a fiftieth of a step."""
    step = {} if METHODS[kind].adaptive else {"step": 1e-3}
    rec = simulate(hinge(friction=5.0, v=50.0), {"type": kind, **step}).run(11.0)
    slides = rec.time < 9.99
    np.testing.assert_allclose(rec["axle.v"][slides], 50.0 - 5.0 * rec.time[slides], rtol=0, atol=1e-6)
    assert abs(rec["axle.v"][-1]) < 1e-6 and rec["axle.q"][-1] == pytest.approx(250.0, rel=2e-4)


@pytest.mark.parametrize("kind", METHODS)
def test_soft_limits_hold(kind):
    """A fall of 1 m on a stop of 10 kN/m: no deeper than energy allows, never pulled back, at rest at m g / k."""
    spec = falling(limits=[0.0, 5.0], limit_stiffness=1e4, limit_damping=50.0)
    settings = {"type": kind, **({} if METHODS[kind].adaptive else {"step": 1e-4})}
    rec = simulate(spec, settings).run(4.0, sample=1e-3)
    q = rec["rail.q"]
    deepest = -(9.81 + np.sqrt(9.81**2 + 2 * 1e4 * 9.81)) / 1e4  # k x^2 / 2 = m g (1 + x), without damping
    assert deepest < q.min() < 0.5 * deepest
    assert q[-1] == pytest.approx(-9.81 / 1e4, abs=1e-6)
    push = np.diff(rec["rail.v"]) / np.diff(rec.time) + 9.81
    assert push.min() > -1e-3 * push.max()


def test_limits_without_stiffness_do_nothing():
    rec = simulate(falling(limits=[0.0, 5.0])).run(1.0)
    assert rec["rail.q"][-1] == pytest.approx(1.0 - 9.81 / 2)
