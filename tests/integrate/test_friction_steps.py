"""Joint friction in implicit steps: a joint comes to rest and stays, and reversals converge."""

import numpy as np
import pytest

import gori
from gori.integrate import STRATEGIES


def slider(load, v=0.0):
    """A light slider with Coulomb friction of 10 N and a load along the rail."""
    return gori.compile(
        gori.Spec(
            gravity=(0, 0, 0),
            bodies={"block": gori.spec.Body(mass=0.01, inertia=(1e-6, 1e-6, 1e-6))},
            joints={
                "rail": gori.spec.Joint(
                    type="prismatic", parent="ground", child="block", axis=(1, 0, 0), friction=10.0, v=v
                )
            },
            forces={"load": {"type": "force", "joint": "rail", "value": load}},
        )
    )


@pytest.mark.parametrize("kind", STRATEGIES)
@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize("load, step", [(5.0, 1e-3), (9.9, 1e-2), (0.0, 1e-2)])
def test_a_loaded_joint_comes_to_rest(kind, newton, load, step):
    """The deceleration F/m would reverse the motion within a step: h F / m is up to 10 m/s."""
    model = slider(load, v=-7.0)
    simulation = gori.Simulation(model, gori.ImplicitEuler(step, jacobian=kind, newton=newton))
    simulation.step(300)
    rest = simulation.state
    assert abs(rest.v[0]) < 1e-6
    simulation.step(300)
    assert abs(simulation.state.q[0] - rest.q[0]) < 1e-5


@pytest.mark.parametrize("kind", STRATEGIES)
def test_a_joint_shaken_to_and_fro(kind):
    """A load that changes sides: all strategies slide as an explicit method with small steps does."""
    model = slider("15*sin(20*t)")
    exact = gori.Simulation(model, gori.Dopri5(rtol=1e-8, atol=1e-10)).run(0.6, sample=0.1, progress=False)
    rec = gori.Simulation(model, gori.ImplicitEuler(1e-3, jacobian=kind)).run(0.6, sample=0.1, progress=False)
    assert np.abs(rec.q - exact.q).max() < 0.05 * np.ptp(exact.q)
    assert np.ptp(exact.q) > 0.1
