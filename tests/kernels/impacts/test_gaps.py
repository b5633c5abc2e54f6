"""Watched gaps, against closed forms."""

import numpy as np
import pytest

import gori
from gori.kernels.impacts.gaps import FAR, near_gap
from gori.kernels.impacts.rest import resting
from gori.kernels.machine import GAPS
from tests.plain import plain, rows
from tests.sim.contact.impact_machines import ball, block, stopped_pendulum


def gaps_at(simulation, q, v=None):
    stepper = simulation.stepper
    values = np.zeros(len(stepper.events_met()))
    y = np.concatenate([q, np.zeros(simulation.model.nv) if v is None else v, [0.0]])
    assert resting(stepper.machine, stepper.data, 0.0, y, values, GAPS) == 0
    return values


def test_near_and_far():
    simulation = gori.Simulation(ball(0.5), gori.Dopri5(), impacts=True)
    for height in (1e5, 3.0, 0.1 + 1e-6, 0.1, 0.1 - 1e-6):
        (gap,) = gaps_at(simulation, [1.0, 0, 0, 0, 0, 0, height])
        assert gap == pytest.approx(height - 0.1, abs=1e-12)
    shape = rows(simulation.model.contact.tables.shape)
    assert plain(near_gap)(shape[0], shape[1]) == pytest.approx(0.05 * 0.1) and FAR > 1e6


def test_joint_limits():
    simulation = gori.Simulation(stopped_pendulum(), gori.Dopri5(), impacts=True)
    np.testing.assert_allclose(gaps_at(simulation, [1.0, 0.0]), [1.3, 2.0])
    simulation._kept.impacts.hold([(0, 0, 0, 0)], [0.0])
    np.testing.assert_allclose(gaps_at(simulation, [-0.3 + 3e-8, 0.0]), [1e-7 - 3e-8, 3.3], atol=1e-15)


def test_the_other_corner_of_a_block():
    model, tilt = block(0.1, 0.4, 1.0), 0.05
    simulation = gori.Simulation(model, gori.Dopri5(), impacts=True)
    q = np.array([0.0, 0.1 * np.sin(tilt) + 0.4 * np.cos(tilt), tilt])
    simulation._kept.impacts.hold([(*p.shapes, p.feature, -1) for p in model.contacts(q, 1e-9)], [1.0, 1.0])
    assert gaps_at(simulation, q)[0] == pytest.approx(1e-7, abs=1e-12)  # the corners that rest
    q[2] = -1e-3
    q[1] = 0.1 * np.sin(q[2]) + 0.4 * np.cos(q[2])  # turned the other way: the others are in the floor
    assert gaps_at(simulation, q)[0] == pytest.approx(-0.2 * np.sin(1e-3), rel=1e-9)
