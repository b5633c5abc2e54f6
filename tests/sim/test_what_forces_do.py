"""What motors, friction and limits must do, with every method."""

import numpy as np
import pytest

from gori.integrate import METHODS, RK4, Dopri5
from gori.model.state import State
from gori.spec import GROUND, Spec
from tests.sim.machines import falling, hinge, with_forces
from tests.sim.test_simulation import STICKING, simulate


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
    """Let go at once, with damping in the joint (see the next test for none): dz/dq = 1 - z s/F ends at the deflection
    -ln(1 - share) F/s, which is less than 2 F/s up to 86 % of the friction.
    """
    stiffness = 2e4
    spec, push = slope(np.arctan(0.5 * share), stick_stiffness=stiffness, damping=2.0 * np.sqrt(stiffness * 2.0))
    settings = {"type": kind, **({} if METHODS[kind].adaptive else {"step": 2e-4})}
    q = simulate(spec, settings).run(5.0)["rail.q"]
    print(f"\n{kind}: creeps {q.max() * stiffness / push:.3f} F/s at {share} of the friction angle")
    assert 0.0 < q.max() < 2.0 * push / stiffness
    assert q[-1] == pytest.approx(-np.log(1.0 - share) * push / stiffness, rel=5e-3)
    assert abs(q[-1] - q[len(q) // 2]) < 1e-3 * push / stiffness  # and it has come to rest


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9])
def test_friction_sticks_without_damping_in_the_joint(share):
    """The stick has damping of its own. Let go at once, the block overshoots a little; then it does not move."""
    spec, push = slope(np.arctan(0.5 * share), stick_stiffness=2e4)
    q = simulate(spec, RK4(step=2e-4)).run(5.0)["rail.q"] * 2e4 / push
    print(f"\nends at {q[-1]:.3f} F/s; {-np.log(1.0 - share):.3f} if loaded slowly")
    assert -np.log(1.0 - share) * 0.99 < q[-1] < 3.0 and abs(q[-1] - q[-201]) < 1e-6


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


def test_dahl_friction_in_closed_form():
    """At constant speed the bristle bends as z = F/s (1 - exp(-s v t / F))."""
    spec = hinge(friction=2.0, stick_stiffness=40.0, armature=1e20, v=0.1)  # too heavy to slow down
    rec = simulate(spec, Dopri5(rtol=1e-10, atol=1e-12)).run(3.0)
    np.testing.assert_allclose(
        rec.z[:, 0], 2.0 / 40.0 * (1.0 - np.exp(-40.0 * 0.1 * rec.time / 2.0)), rtol=0, atol=1e-9
    )


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
