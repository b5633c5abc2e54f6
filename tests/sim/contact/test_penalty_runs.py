"""Runs with penalty contact: restitution, sticking, sliding, rolling, with every method; loops; States."""

import numpy as np
import pytest

import gori
from gori.errors import EnergyWarning
from gori.integrate import RK4, Adams, AdamsMoulton, Dopri5, GeneralizedAlpha, ImplicitEuler, Radau5, SemiImplicit
from gori.sim import Simulation
from tests.sim.contact.machines import HEIGHT, RADIUS, G, ball, box, four_bar, solid

METHODS = [
    RK4(step=1e-4), SemiImplicit(step=1e-4), Adams(step=2e-5), AdamsMoulton(step=1e-5), ImplicitEuler(step=2e-4),
    GeneralizedAlpha(step=1e-3), Dopri5(), Radau5(),
]  # fmt: skip


def kind(method):
    return method.kind


@pytest.mark.parametrize("e", [1.0, 0.8, 0.5, 0.2, 0.0])
def test_a_dropped_ball_rebounds_by_its_restitution(e):
    model = gori.compile(ball(restitution=e, stiffness=1e9))
    drop = 0.2
    start = model.state(q=[1, 0, 0, 0, 0, 0, RADIUS + drop])
    record = Simulation(model, RK4(step=2e-6), state=start).run(0.22, sample=2e-5)
    z, v = record["ball.z"], record["ball.vz"]
    last = np.flatnonzero(z >= RADIUS)[-1] if e > 0.1 else len(z) - 1
    assert v[last] > -1e-9
    # the speed at which it leaves the plane
    left = np.sqrt(v[last] ** 2 + 2 * G * max(z[last] - RADIUS, 0.0)) if e > 0.1 else np.max(v)
    assert left / np.sqrt(2 * G * drop) == pytest.approx(e, rel=0.01, abs=0.02)
    assert np.abs(record["energy.balance"]).max() < 1e-5 * G * drop


@pytest.mark.parametrize("method", METHODS, ids=kind)
@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_a_box_below_the_angle_of_friction_does_not_creep(method):
    model = gori.compile(box(np.arctan(0.45), friction=0.5))
    duration = 10.0 if method.kind == "rk4" else 1.0
    record = Simulation(model, method).run(duration, sample=duration / 10)
    x = record["box.x"]
    assert x[-1] < 1e-4
    assert abs(x[-1] - x[5]) < 1e-9 * (record.time[-1] - record.time[5])
    slope = np.arctan(0.45)
    assert np.allclose(record["box.contact"][-1], [-G * np.sin(slope), 0, G * np.cos(slope)], atol=1e-5)  # of 1 kg
    assert record["contact.points"][-1] == 4
    assert -1e-3 < record["contact.gap"][-1] < 0


@pytest.mark.parametrize("method", METHODS, ids=kind)
@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_a_box_above_it_slides(method):
    slope, mu = np.arctan(0.6), 0.5
    record = Simulation(gori.compile(box(slope, friction=mu)), method).run(0.4, sample=0.1)
    v = record["box.vx"]
    expected = G * (np.sin(slope) - mu * np.cos(slope))
    assert (v[-1] - v[2]) / (record.time[-1] - record.time[2]) == pytest.approx(expected, rel=1e-6)
    assert np.abs(record["box.wy"][-1]) < 1e-6


@pytest.mark.parametrize("method", METHODS, ids=kind)
@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_a_sliding_ball_comes_to_roll(method):
    """At 5/7 of its speed, after 2 v0 / (7 mu g)."""
    v0, mu = 2.0, 0.3
    model = gori.compile(ball(friction=mu))
    depth = (G / 1e7) ** (2 / 3)
    start = model.state(q=[1, 0, 0, 0, 0, 0, RADIUS - depth], v=[0, 0, 0, v0, 0, 0])
    until = 2 * v0 / (7 * mu * G)
    record = Simulation(model, method, state=start).run(0.28, sample=1e-3)
    vx, slip = record["ball.vx"], record["ball.vx"] - RADIUS * record["ball.wy"]
    assert vx[-1] == pytest.approx(5 / 7 * v0, rel=0.01)
    # the line along which slip falls meets zero
    sliding = slip > 0.1 * v0
    fall, first = np.polyfit(record.time[sliding], slip[sliding], 1)
    assert -first / fall == pytest.approx(until, rel=0.01)
    assert abs(slip[-1]) < 2e-3  # RADIUS is that of the surface, not of where it yields


def test_rk4_keeps_its_order_while_a_box_sticks_and_while_it_slides():
    start = [1, 0, 0, 0, 0, 0, HEIGHT / 2 - 4.2e-5]
    for mu, v in ((0.5, [0, 0, 0, 2e-3, 0, 1e-3]), (0.1, [0, 0, 0.1, 0.5, 0.2, 0])):
        model, ends = gori.compile(box(0.1, friction=mu, restitution=1.0)), []
        for steps in (50, 100, 200, 800):
            simulation = Simulation(model, RK4(step=0.02 / steps), state=model.state(q=start, v=v))
            simulation.step(steps)
            ends.append(np.concatenate([simulation.q, simulation.v]))
        errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
        assert np.all(np.log2(np.divide(errors[:-1], errors[1:])) > 3.7)


def test_an_implicit_method_rests_with_a_step_beyond_the_explicit_limit():
    model = gori.compile(box(0.2))
    with pytest.warns(gori.errors.ContactWarning, match=r"box.s and ground.floor|ground.floor and box.s"):
        unstable = Simulation(model, RK4(step=0.01))
    with pytest.raises(gori.errors.SimulationError):
        unstable.run(2.0)
    with pytest.warns(EnergyWarning):  # of the first contact, within one step
        record = Simulation(model, GeneralizedAlpha(step=0.01)).run(2.0, sample=0.1)
    assert np.abs(record.v[-1]).max() < 1e-9
    assert record["contact.points"][-1] == 4


def test_rolling_friction_holds_a_ball_on_a_slope():
    """Below the angle mu_r it stands, above it rolls, slower than without; torsional friction stops a spin."""
    for slope in (0.015, 0.03):
        record = Simulation(gori.compile(ball(slope, rolling_friction=0.02, stiffness=1e9)), RK4(step=1e-4)).run(
            1.0, sample=0.1
        )
        v = record["ball.vx"]
        if slope < 0.02:
            assert abs(v[-1]) < 1e-9
        else:
            rate = (v[-1] - v[5]) / (record.time[-1] - record.time[5])
            assert rate == pytest.approx(5 / 7 * G * (np.sin(slope) - 0.02 * np.cos(slope)), rel=1e-3)
    model = gori.compile(ball(torsional_friction=0.02))
    start = model.state(v=[0, 0, 5.0, 0, 0, 0])
    record = Simulation(model, RK4(step=1e-4), state=start).run(1.5, sample=0.01)
    inertia, torque = 0.4 * RADIUS**2, 0.02 * RADIUS * G
    assert record["ball.wz"][50] == pytest.approx(5.0 - 0.5 * torque / inertia, rel=2e-3)
    assert abs(record["ball.wz"][-1]) < 1e-9


def test_a_loop_hits_a_stop():
    model = gori.compile(four_bar())
    record = Simulation(model, RK4(step=1e-4)).run(3.0, sample=1e-3)
    assert np.nanmin(record["contact.gap"]) > -0.01
    assert -1e-3 < record["contact.gap"][-1] < 0.0
    assert np.abs(record["energy.balance"]).max() < 1e-4
    assert np.abs(record.v[-1]).max() < 1e-6
    # reactions and accelerations of a recording know of the contact
    forces = record["a.reaction"][-1, 3:] + record["d.reaction"][-1, 3:] + record["right.contact"][-1]
    assert np.allclose(forces, [0, 0, 3 * G], atol=1e-5)
    assert np.abs(record["a"][-1]).max() < 1e-5
    assert np.allclose(record["ground.contact"], -record["right.contact"])


@pytest.mark.parametrize("method", [RK4(step=1e-4), GeneralizedAlpha(step=1e-3), Dopri5()], ids=kind)
def test_a_state_saved_while_it_sticks_goes_on_bit_for_bit(method, tmp_path):
    model = gori.compile(box(np.arctan(0.45), restitution=0.3, rolling_friction=0.01))
    whole = Simulation(model, method)
    whole.run(0.02, sample=0.01)
    whole.state.save(tmp_path / "state.npz")
    state = gori.State.load(tmp_path / "state.npz")
    assert state.parts["contact"]["points"]["sticking"].all() and len(state.parts["contact"]["points"]) == 4
    other = Simulation(model, method, state=state)
    assert other.state == whole.state
    first, second = whole.run(0.02, sample=0.001), other.run(0.02, sample=0.001)
    assert np.array_equal(first.q, second.q) and np.array_equal(first.v, second.v)
    assert np.array_equal(first["box.contact"], second["box.contact"])
    assert whole.state == other.state


@pytest.mark.parametrize("method", [Dopri5(), Radau5()], ids=kind)
def test_adaptive_methods_do_not_step_through_a_body(method):
    """A small ball that is thrown at a thin plate from afar, in free flight until then."""
    plate = solid("box", size=[1, 1, 0.01])
    model = gori.compile(ball(gravity=0.0, radius=0.01, floor=plate, restitution=0.5))
    start = model.state(q=[1, 0, 0, 0, 0, 0, 5.0], v=[0, 0, 0, 0, 0, -10.0])
    record = Simulation(model, method, state=start).run(1.0, sample=0.01)
    assert record["ball.vz"][-1] == pytest.approx(5.0, rel=1e-3)


IMPLICIT = [ImplicitEuler(step=0.01), ImplicitEuler(step=0.01, jacobian="full"), GeneralizedAlpha(step=0.01)]


@pytest.mark.parametrize("method", IMPLICIT, ids=lambda method: f"{method.kind} {method.jacobian.kind}")
@pytest.mark.parametrize("slope", [0.0, 0.6])
@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_long_implicit_steps_on_a_stiff_plane(method, slope):
    """A box falls by 5 mm, k = 1e9: it rests as deep as its weight presses it in, or slides as friction lets it."""
    mu, angle = 0.5, np.arctan(slope)
    model = gori.compile(box(angle, friction=mu, stiffness=1e9))
    start = model.state(q=[1, 0, 0, 0, 0, 0, HEIGHT / 2 + 5e-3])
    record = Simulation(model, method, state=start).run(1.0, sample=0.1)
    if slope == 0.0:
        assert record["contact.gap"][-1] == pytest.approx(-((G / 4 / 1e9) ** (2 / 3)), rel=1e-6)
        assert np.abs(record.v[-1]).max() < 1e-9
    v, expected = record["box.vx"], G * (np.sin(angle) - mu * np.cos(angle)) if slope > 0.0 else 0.0
    assert (v[-1] - v[5]) / (record.time[-1] - record.time[5]) == pytest.approx(expected, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("method", [IMPLICIT[0], IMPLICIT[2]], ids=kind)
@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_contact_with_the_ground_is_in_the_solve_in_O_n(method):
    """Boxes that land one after the other: without that a step takes 17 and more products, and each box a few."""
    one = box(stiffness=1e9)
    bodies, joints = {"ground": one.bodies["ground"]}, {}
    for i in range(10):
        bodies[f"b{i}"] = one.bodies["box"]
        at = [0.5 * i, 0.0, HEIGHT / 2 + 5e-4 * (i + 1)]
        joints[f"j{i}"] = {"type": "free", "parent": "ground", "child": f"b{i}", "q": [1, 0, 0, 0, *at]}
    spec = gori.Spec(gravity=[0, 0, -G], materials=one.materials, contacts=one.contacts, bodies=bodies, joints=joints)
    simulation = Simulation(gori.compile(spec), method)
    record = simulation.run(1.0, sample=0.1)
    found = simulation.report["jacobian"]
    assert np.abs(record.v[-1]).max() < 1e-9 and record["contact.points"][-1] == 40
    assert found["products_per_step"] < 4.0 * found["iterations_per_step"]
