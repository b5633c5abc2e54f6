"""Rates with contacts that rest, against hand calculations."""

import numpy as np
import pytest

import gori
from gori.kernels.impacts.rest import resting
from gori.kernels.machine import PROJECT, RATES
from tests.sim.contact.impact_machines import G, above, ball, machine, sphere, stopped_pendulum


def rates_of(simulation, state):
    """Accelerations with all that touches at a State at rest there."""
    simulation.state = state
    model, stepper = simulation.model, simulation.stepper
    points = model.contacts(state.q, 1e-9)
    friction = float(model.contact.tables.law["friction"].max()) if points else 0.0
    if points:
        simulation._kept.impacts.hold([(*p.shapes, p.feature, -1) for p in points], [friction] * len(points))
    k = np.zeros(len(stepper.y))
    assert resting(stepper.machine, stepper.data, 0.0, stepper.y, k, RATES) == 0
    return k[model.nq : model.nq + model.nv]


def test_a_ball_lies_and_rolls():
    model = ball(0.0, 0.5)
    simulation = gori.Simulation(model, gori.Dopri5(), impacts=True)
    np.testing.assert_allclose(rates_of(simulation, above(model, 0, 0, 0.1)), np.zeros(6), atol=1e-12)
    rolling = above(model, 0, 0, 0.1, w=np.array([0.0, 10.0, 0.0]), v=np.array([1.0, 0.0, 0.0]))
    a = rates_of(simulation, rolling)
    # velocities are in the axes of the ball, which turns: v' = a - w x v
    np.testing.assert_allclose(a, [0, 0, 0, 0, 0, 10.0], atol=1e-6)
    sliding = above(model, 0, 0, 0.1, v=np.array([1.0, 0.0, 0.0]))
    a = rates_of(simulation, sliding)
    np.testing.assert_allclose(a, [0, 0.5 * G / 0.04, 0, -0.5 * G, 0, 0], atol=1e-6)
    assert simulation.stepper.data.power[0] == pytest.approx(-0.5 * G)


def test_it_does_not_pull():
    model = ball(0.0)
    simulation = gori.Simulation(model, gori.Dopri5(), forces=lift, impacts=True)
    np.testing.assert_allclose(rates_of(simulation, above(model, 0, 0, 0.1)), [0, 0, 0, 0, 0, 20.0 - G], atol=1e-12)


def lift(t, q, v):
    return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 20.0])


def test_curvature():
    # a ball on an arm that runs over a fixed ball: the centre moves on a circle of the radius of both
    fixed = {"ground": {"shapes": {"stone": {"type": "sphere", "radius": 0.4, "material": "steel", "collide": True}}}}
    bodies = fixed | {"px": {}, "ball": sphere(0.1)}
    joints = {
        "x": {"type": "prismatic", "parent": "ground", "child": "px", "axis": [1, 0, 0]},
        "z": {"type": "prismatic", "parent": "px", "child": "ball", "axis": [0, 0, 1]},
    }
    model = machine(bodies, joints, 0.0, 0.0, floor=False)
    simulation = gori.Simulation(model, gori.Dopri5(), impacts=True)
    a = rates_of(simulation, model.state(q=[0.0, 0.5], v=[0.7, 0.0]))
    np.testing.assert_allclose(a, [0.0, -0.49 / 0.5], atol=1e-7)


def test_a_joint_at_its_limit():
    model = stopped_pendulum()
    simulation = gori.Simulation(model, gori.Dopri5(), impacts=True)
    simulation.state = model.state(q=[-0.3, 0.0])
    simulation._kept.impacts.hold([(0, 0, 0, 0)], [0.0])
    stepper = simulation.stepper
    k = np.zeros(len(stepper.y))
    assert resting(stepper.machine, stepper.data, 0.0, stepper.y, k, RATES) == 0
    free = model.forward_dynamics([-0.3, 0.0], np.zeros(2), np.zeros(2))
    assert free[0] > 0.0 and k[2] == pytest.approx(free[0])  # it parts from its lower limit: nothing holds it
    y = stepper.y.copy()
    assert resting(stepper.machine, stepper.data, 0.0, stepper.y, k, PROJECT) == 0 and np.array_equal(y, stepper.y)
