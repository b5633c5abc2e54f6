"""The exchange between bodies and a subsystem: whose motion, whose origin, which momentum, what work."""

import numpy as np
import pytest

import gori
from gori.errors import CouplingWarning, RestartWarning
from gori.sim.exchange import Work
from tests.reference.random_spec import random_spec
from tests.sim.coupled import MASS, STEP, STIFFNESS, Constant, Spring, simulate

SPEC = gori.Spec(
    gravity=(0, 0, 0),
    materials={"steel": {"E": 2e11}, "sand": {"E": 5e6, "density": 2500}},
    contacts={"sand/sand": {"restitution": 0.5, "friction": 0.3}, "sand/steel": {"restitution": 0.5, "friction": 0.3}},
    bodies={
        "box": {
            "mass": 0.1,
            "inertia": (1e-3, 1e-3, 1e-3),
            "shapes": {"bin": {"type": "box", "size": (0.04, 0.04, 0.04), "hollow": True, "material": "steel"}},
        }
    },
    joints={"guide": {"type": "prismatic", "parent": "ground", "child": "box"}},
    particles={"bed": {"material": "sand", "radius": 5e-3, "fill": {"shape": "box.bin", "count": 20}}},
)
WRENCH = np.array([0.3, -0.2, 0.1, 1.0, 2.0, -3.0])


def random_model(seed):
    """A random tree with all joint types, child poses, fixed joints and frames; and a state in motion."""
    rng = np.random.default_rng(seed)
    model = gori.compile(random_spec(rng, 5, fixed_fraction=0.3))
    return model, model.state(model.random(rng), rng.normal(size=model.nv))


@pytest.mark.parametrize("seed", range(8))
def test_a_subsystem_is_given_the_motion_of_the_bodies_that_it_names(seed):
    model, state = random_model(seed)
    seen = Constant(model.frame_names, np.zeros(6), step=3e-4)
    simulation = gori.Simulation(model, gori.RK4(step=STEP), subsystems=[seen], state=state)
    states = [simulation.snapshot]
    for _ in range(3):
        states.append(simulation.step())
    ends = [(seen.motions[0], 0)] + [(motion, -1) for motion in seen.motions[1:]] + [(seen.motions[1], 0)]
    for (motion, end), (_, q, v, _) in zip(ends, [*states, states[0]], strict=True):
        poses = model.forward_kinematics(q)
        for k, name in enumerate(seen.bodies):
            np.testing.assert_allclose(motion.rotation[end, k], poses[name][:3, :3], atol=1e-12)
            np.testing.assert_allclose(motion.position[end, k], poses[name][:3, 3], atol=1e-12)
            twist = np.concatenate([motion.angular_velocity[end, k], motion.velocity[end, k]])
            np.testing.assert_allclose(twist, model.jacobian(q, name) @ v, atol=1e-12 * (1.0 + np.abs(v).max()))
    # between the ends, velocities are those of the positions
    motion, h = seen.motions[1], STEP / 4
    mean = (motion.velocity[:-1] + motion.velocity[1:]) / 2.0
    np.testing.assert_allclose(np.diff(motion.position, axis=0) / h, mean, atol=1e-3 * (1.0 + np.abs(mean).max()))


@pytest.mark.parametrize("seed", range(8))
def test_a_constant_wrench_acts_as_at_the_origin_of_the_body(seed):
    """a of every sample is that of tau = J' w; so is the motion, but for the arm within a step, to second order."""
    model, state = random_model(seed)
    for name in model.frame_names:
        if name == "ground":
            continue
        given = gori.Simulation(model, gori.RK4(step=STEP), subsystems=[Constant([name], WRENCH)], state=state)
        rec = given.run(0.02, sample=STEP)
        for q, v, a in zip(rec.q, rec.v, rec["a"]):
            wanted = model.forward_dynamics(q, v, model.jacobian(q, name).T @ WRENCH)
            np.testing.assert_allclose(a, wanted, rtol=0, atol=1e-11 * (1.0 + np.abs(wanted).max()))
        acted = rec[f"{name}.wrench_from.constant"]
        np.testing.assert_allclose(acted, np.tile(WRENCH, (len(rec), 1)), atol=1e-12)
        tau = lambda t, q, v, name=name: model.jacobian(q, name).T @ WRENCH  # noqa: E731
        force = gori.Simulation(model, gori.RK4(step=STEP), forces=tau, state=state)
        force.run(0.02)
        np.testing.assert_allclose(given.q, force.q, atol=1e-5 * (1.0 + np.abs(force.v).max()))


def test_joints_bear_a_wrench_where_it_acts():
    """A load that is fixed to a slider, beside it: its joint takes what the subsystem gives, at the load's origin."""
    fixed = {"type": "fixed", "parent": "cart", "child": "load", "at": [0.0, 0.3, 0.2]}
    spec = gori.Spec(
        bodies={"cart": {"mass": 2.0, "inertia": [1, 1, 1]}, "load": {"mass": 3.0, "inertia": [1, 1, 1]}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": [1, 0, 0]}, "bolt": fixed},
    )
    simulation = gori.Simulation(gori.compile(spec), gori.RK4(step=STEP), subsystems=[Constant(["load"], WRENCH)])
    rec = simulation.run(0.01, sample=STEP)
    force = 3.0 * (np.array([WRENCH[3] / 5.0, 0.0, 0.0]) - [0.0, 0.0, -9.81]) - WRENCH[3:]
    wanted = np.concatenate([-WRENCH[:3], force])
    np.testing.assert_allclose(rec["bolt.reaction"], np.tile(wanted, (len(rec), 1)), atol=1e-9)


def test_a_joint_that_is_fixed_to_the_ground_bears_a_wrench():
    bolt = {"type": "fixed", "parent": "ground", "child": "pump", "at": [0.5, 0.0, 0.2], "rpy_deg": [0, 90, 0]}
    spec = gori.Spec(bodies={"pump": {"mass": 3.0, "inertia": [1, 1, 1]}}, joints={"bolt": bolt})
    simulation = gori.Simulation(gori.compile(spec), gori.RK4(step=STEP), subsystems=[Constant(["pump"], WRENCH)])
    rec = simulation.run(0.01, sample=STEP)
    wanted = np.concatenate([-WRENCH[:3], [0.0, 0.0, 3.0 * 9.81] - WRENCH[3:]])
    np.testing.assert_allclose(rec["bolt.reaction"], np.tile(wanted, (len(rec), 1)), atol=1e-9)
    np.testing.assert_allclose(rec["pump.wrench_from.constant"], np.tile(WRENCH, (len(rec), 1)), atol=1e-12)
    assert not simulation.exchanges["constant"].given.any()  # what stands still receives no momentum


# ---- momentum


@pytest.mark.parametrize("method", [gori.RK4(step=1e-3), gori.GeneralizedAlpha(step=1e-3)], ids=lambda m: m.kind)
def test_no_momentum_is_lost_between_a_free_box_and_its_grains(method):
    simulation = gori.Simulation(gori.compile(SPEC), method)
    at_rest = simulation.state
    simulation.state = at_rest.replace(v=at_rest.v + 0.5)
    coupling, worst = simulation.exchanges["particles"], 0.0
    for _ in range(150):
        simulation.advance()
        on_its_way = (coupling.impulse - coupling.given)[5]
        worst = max(worst, abs(0.1 * simulation.v[0] + simulation.particles.momentum[2] + on_its_way - 0.05))
    assert simulation.particles.momentum[2] > 0.01
    assert worst < 1e-15


def test_bodies_receive_what_was_given():
    simulation = simulate(Spring())
    simulation.run(0.5)
    exchange = simulation.exchanges["spring"]
    np.testing.assert_allclose(exchange.given[3], MASS * simulation.v[0], rtol=1e-12)
    np.testing.assert_allclose(exchange.impulse - exchange.given, 1e-3 * exchange.wrench[0], atol=1e-14)
    np.testing.assert_allclose(exchange.pending, 1e-3 * exchange.wrench, atol=1e-15)


def test_momentum_is_kept_where_events_cut_steps_and_where_the_step_changes():
    events = {f"e{k}": gori.Event(f"rail.q - {x}", action="record") for k, x in enumerate((0.05, 0.0111, -0.03))}
    one = simulate(Spring(), events=events)
    for _ in range(400):
        one.step()
        exchange = one.exchanges["spring"]
        np.testing.assert_allclose(MASS * one.v[0], exchange.given[3], atol=1e-12)
        np.testing.assert_allclose(exchange.impulse - exchange.given, exchange.pending[0], atol=1e-12)
    assert len(one.event_log) > 5
    with pytest.warns(RestartWarning):
        other = simulate(Spring(), step=2e-3, state=one.state)
    other.run(0.1)
    exchange = other.exchanges["spring"]
    np.testing.assert_allclose(MASS * other.v[0], exchange.given[3], atol=1e-12)
    np.testing.assert_allclose(exchange.impulse - exchange.given, 2e-3 * exchange.wrench[0], atol=1e-12)


def test_a_wrench_of_the_start_is_given_as_well():
    simulation = simulate(Constant(["block"], WRENCH))
    exchange = simulation.exchanges["constant"]
    np.testing.assert_allclose(exchange.pending[0], STEP * WRENCH)
    np.testing.assert_array_equal(exchange.impulse[3:], exchange.pending[0, 3:])
    simulation.run(0.05)
    np.testing.assert_allclose(MASS * simulation.v[0], 0.05 * WRENCH[3], rtol=1e-12)
    np.testing.assert_allclose((exchange.impulse - exchange.given)[3:], STEP * WRENCH[3:], atol=1e-14)


# ---- order and work


def test_an_oscillator_of_first_order_in_the_step():
    """A force that lags by T acts as a negative damping of k T: the amplitude grows by it, to first order.

    The mean over the ends of four sub-steps is taken H / 8 after the middle of the step, so T is 7/8 of H.
    """
    rec = simulate(Spring()).run(2.0, sample=1e-3)
    omega, grows = np.sqrt(STIFFNESS / MASS), 0.5 * 0.875e-3 * STIFFNESS / MASS
    exact = 0.1 * np.exp(grows * rec.time) * np.cos(omega * rec.time)
    assert np.abs(rec["rail.q"] - exact).max() < 0.02 * np.abs(exact).max()
    np.testing.assert_allclose(rec["spring.travel"], rec["rail.q"], atol=1e-12)  # outputs are those of the sample
    assert rec.units("spring.travel") == ("m",)
    # the wrench of a sample acted in the step that ended there: so the accelerations found afterwards are the run's
    np.testing.assert_allclose(rec["rail.a"], rec["block.wrench_from.spring"][:, 3] / MASS, atol=1e-12)


def test_the_account_of_work():
    """On the bodies: their kinetic energy. Made by the lag: what the energy of the oscillation has grown by, and an
    eighth that the spring loses as it looks at the ends of four sub-steps.
    """
    simulation = simulate(Spring())
    simulation.run(1.0, sample=1e-3)
    work = simulation.exchanges["spring"].work
    v, x = simulation.v[0], simulation.q[0]
    np.testing.assert_allclose(work.on_bodies, 0.5 * MASS * v * v, rtol=2e-3)
    total = 0.5 * MASS * v * v + 0.5 * STIFFNESS * x * x
    np.testing.assert_allclose(work.of_lag * 7.0 / 8.0, total - 0.5 * STIFFNESS * 0.01, rtol=0.02)
    assert work.turnover > abs(work.given)
    assert Work(3.0, 2.0, 5.0).of_lag == 1.0


def test_a_run_whose_lag_has_made_much_energy_ends_with_a_warning(recwarn):
    with pytest.warns(CouplingWarning, match=r"'spring'.* lag of one step of 0.001 s has given the bodies .* J"):
        simulate(Spring(stiffness=8000.0)).run(0.5)  # a hundred steps a period, without damping
    recwarn.clear()
    simulate(Spring(stiffness=40.0)).run(2.0)
    simulate(Spring(stiffness=0.0)).run(0.1)
    simulate(Constant(["block"], WRENCH)).run(0.1)
    assert not [w for w in recwarn if issubclass(w.category, CouplingWarning)]


def test_damping_above_stiffness_times_step_keeps_it_stable():
    """The rule of the docs: c > k H."""
    amplitude = {}
    for share in (0.0, 0.5, 2.0):
        rec = simulate(Spring(stiffness=2000.0, damping=share * 2000.0 * STEP)).run(3.0, sample=1e-3)
        amplitude[share] = np.abs(rec["rail.q"][-300:]).max()
    assert amplitude[0.0] > 0.2 and amplitude[0.5] > 0.11 and amplitude[2.0] < 0.05


def test_the_account_goes_on_from_a_state():
    one = simulate(Spring())
    one.run(0.2)
    other = simulate(Spring(), state=one.state)
    assert other.exchanges["spring"].work == one.exchanges["spring"].work
    np.testing.assert_array_equal(other.exchanges["spring"].wrench, one.exchanges["spring"].wrench)
