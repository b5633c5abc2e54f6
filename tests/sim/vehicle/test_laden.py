"""Vehicles that carry particles: how they stand, and how they roll from there."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.model.variants import with_rigid_loads
from gori.sim.vehicle.laden import loads
from gori.spec import Spec

BED = {"type": "box", "size": [1.8, 1.6, 0.8], "at": [-1.05, 0.0, 1.0], "hollow": True, "open": ["z+"]}
CONTACT = {"restitution": 0.3, "friction": 0.4, "rolling_friction": 0.2}


def laden(count=40, more=None):
    """The HMMWV-like vehicle with grains in its bed."""
    data = vehicle.spec("hmmwv").model_dump(exclude_unset=True)
    data["bodies"]["truck.chassis"]["shapes"] = {"bed": BED | {"material": "steel"}}
    data["materials"] = {"steel": {"E": 2e11}, "stone": {"E": 2e8, "density": 2500.0}}
    data["contacts"] = {"stone/stone": CONTACT, "stone/steel": CONTACT}
    fill = {"shape": "truck.chassis.bed", "count": count, "packing": "poured"}
    data["particles"] = {"load": {"material": "stone", "radius": 0.1, "fill": fill}}
    return gori.compile(Spec(**data | (more or {})))


@pytest.fixture(scope="module")
def model():
    return laden()


@pytest.fixture(scope="module")
def state(model):
    return gori.at_rest(model)


def wheel_loads(simulation):
    return np.array([simulation.channel(f"truck.wheel_{corner}.load") for corner in vehicle.CORNERS])


def test_wheels_carry_vehicle_and_grains(model, state):
    assert state.time == 0.0 and not state.v.any()
    simulation = gori.Simulation(model, gori.RK4(1e-3), state=state)
    mass = simulation.particles.mass.sum()
    assert mass == pytest.approx(40 * 2500.0 * 4.0 / 3.0 * np.pi * 1e-3)
    assert wheel_loads(simulation).sum() == pytest.approx(9.81 * (model.mass + mass), rel=0.005)
    # it stays there, and all grains stay in the bed
    before = model.forward_kinematics(simulation.q)["truck.chassis"]
    simulation.inputs["truck.brake"] = 1.0
    simulation.advance(200)
    after = model.forward_kinematics(simulation.q)["truck.chassis"]
    np.testing.assert_allclose(after, before, atol=1e-3)
    local = (simulation.particles.position - after[:3, 3]) @ after[:3, :3] - BED["at"]
    assert (np.abs(local[:, :2]) < 0.5 * np.array([1.8, 1.6])).all() and (local[:, 2] > -0.41).all()


def test_it_stands_as_with_a_rigid_load(model, state):
    simulation = gori.Simulation(model, gori.RK4(1e-3), state=state)
    rigid = with_rigid_loads(model, loads(simulation.particles))
    assert rigid.mass == pytest.approx(model.mass + simulation.particles.mass.sum()) and rigid.nv == model.nv
    still = gori.Simulation(rigid, gori.RK4(1e-3), state=gori.at_rest(rigid))
    np.testing.assert_allclose(wheel_loads(simulation), wheel_loads(still), rtol=1e-3)
    np.testing.assert_allclose(simulation.q, still.q, atol=1e-4)


def test_the_load_as_a_rigid_body():
    """Two grains in a bed that is tilted and away from the origin: mass, centre, inertia by hand."""
    places = [[0.2, 0.0, 0.11], [-0.2, 0.0, 0.11]]
    particles = {"material": "stone", "radius": 0.1, "positions": places, "body": "truck.chassis"}
    simulation = gori.Simulation(laden(more={"particles": {"load": particles}}), gori.RK4(1e-3))
    mass, com, inertia = loads(simulation.particles)["truck.chassis"]
    one = 2500.0 * 4.0 / 3.0 * np.pi * 1e-3
    assert mass == pytest.approx(2.0 * one)
    np.testing.assert_allclose(com, [0.0, 0.0, 0.11], atol=1e-12)
    own, far = 0.8 * one * 0.01, 2.0 * one * 0.04
    np.testing.assert_allclose(inertia, np.diag([own, own + far, own + far]), atol=1e-9)


def test_grains_roll_along(model, state):
    rolling = gori.at_rest(model, speed=6.0, standing=state)
    simulation = gori.Simulation(model, gori.RK4(1e-3), state=rolling)
    np.testing.assert_allclose(simulation.particles.velocity[:, 0], 6.0, atol=0.01)
    pose = model.forward_kinematics(simulation.q)["truck.chassis"]
    before = (simulation.particles.position - pose[:3, 3]) @ pose[:3, :3]
    simulation.inputs["truck.selector"] = "N"
    made = simulation.particles.contacts()["rebuilds"]
    simulation.advance(200)
    pose = model.forward_kinematics(simulation.q)["truck.chassis"]
    assert pose[0, 3] > 1.1
    moved = (simulation.particles.position - pose[:3, 3]) @ pose[:3, :3] - before
    assert np.abs(moved).max() < 0.05
    # 1.2 m of road are no reason to look for neighbours again
    assert simulation.particles.contacts()["rebuilds"] - made <= 20
