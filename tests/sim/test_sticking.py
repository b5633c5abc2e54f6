"""Friction that sticks too fast for an explicit step: who is warned, and that the limit is where it is said to be."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import FrictionWarning
from gori.integrate import RK4, Adams, AdamsMoulton, Dopri5, GeneralizedAlpha, SemiImplicit
from gori.sim.sticking import too_fast, warn_of_friction
from gori.spec import GROUND, Spec
from tests.sim.machines import falling, hinge, with_forces
from tests.sim.test_simulation import simulate


def test_the_fastest_joint_is_named():
    model = gori.compile(hinge(friction=2.0, stick_stiffness=1e6))  # of inertia 1: 1000 rad/s
    found = too_fast(model, RK4(step=5e-3))
    assert found.joint == "axle" and found.rate == pytest.approx(1000.0) and found.longest == pytest.approx(2.78e-3)
    softer = gori.compile(hinge(friction=2.0, stick_stiffness=found.stiffness))
    assert too_fast(softer, RK4(step=5.0001e-3)).rate == pytest.approx(2.78 / 5e-3)
    assert too_fast(softer, RK4(step=4.9999e-3)) is None
    with pytest.warns(FrictionWarning, match=r"'axle' sticks with 1e\+03 rad/s: rk4 .* at most 0.0028 s") as caught:
        gori.Simulation(model, RK4(step=5e-3))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("method", [GeneralizedAlpha(step=0.1), Dopri5(), RK4(step=1e-3)])
def test_others_are_not(method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_friction(gori.compile(hinge(friction=2.0, stick_stiffness=1e6)), method)
        warn_of_friction(gori.compile(falling()), method)


@pytest.mark.parametrize("method", [RK4(step=1e-3), SemiImplicit(step=1e-3), Adams(step=1e-3, order=2)])
def test_a_chain_of_joints_that_all_stick(method):
    """Joints that move against each other are faster than each alone: their bristles are made for that."""
    link = {"mass": 1.0, "com": [0.25, 0, 0], "inertia": [0.01, 0.02, 0.02]}
    friction = (60.0, 40.0, 25.0, 12.0, 5.0, 1.5)
    joints = {
        f"j{k}": {"type": "revolute", "parent": f"b{k - 1}" if k else GROUND, "at": [0.5 * min(k, 1), 0, 0],
                  "child": f"b{k}", "axis": [0, 1, 0], "q_deg": 10.0 * (k % 3), "friction": friction[k]}
        for k in range(6)
    }  # fmt: skip
    spec = Spec(gravity=[0, 0, -3.0], bodies={f"b{k}": link for k in range(6)}, joints=joints)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FrictionWarning)
        rec = simulate(spec, method).run(30.0, sample=0.1, progress=False)
    assert np.abs(rec.v[-1]).max() < 1e-4 and np.abs(rec.q[-1] - rec.q[0]).max() < 0.02
    assert np.abs(rec["energy.balance"]).max() < 0.02


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("method", [RK4, SemiImplicit, Adams, AdamsMoulton])
@pytest.mark.filterwarnings("ignore::gori.errors.FrictionWarning")
def test_the_limit_is_where_it_is_said_to_be(method, order):
    """A joint under half of the load that it holds: at rest, or trembling; never away."""
    fields = {"order": order} if method in (Adams, AdamsMoulton) else {}
    spec = with_forces(hinge(friction=2.0, stick_stiffness=1e4), load={"type": "torque", "joint": "axle", "value": 1.0})
    speed = {}
    for share in (0.9, 1.15):
        step = share * method(**fields).decay_limit() / 100.0
        simulation = simulate(spec, method(step=step, **fields))
        simulation.step(2000)
        speed[share] = abs(simulation.v[0])
        assert np.abs(simulation.stepper.z).max() < 1e-2 and abs(simulation.q[0]) < 2.0
    assert speed[0.9] < 1e-9 and speed[1.15] > 1e-6
