"""Momentum across the exchange between bodies and grains."""

import pytest

import gori

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
