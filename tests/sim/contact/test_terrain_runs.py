"""Bodies that fall on the terrain come to rest on it, by impulses and by the penalty law."""

import numpy as np
import pytest

import gori
from gori.spec import Spec

FIELD = {"at": [-2, -2], "cell": 0.2, "heights": 0.03 * np.random.default_rng(1).normal(size=(21, 21))}
BOWL = [[0.1 * (x * x + y * y) for x in np.linspace(-2, 2, 21)] for y in np.linspace(-2, 2, 21)]
SHAPES = {"box": {"type": "box", "size": [0.4, 0.3, 0.2]}, "ball": {"type": "sphere", "radius": 0.1}}


def spec_on(**terrain):
    """A box and a ball 0.4 m over the ground, apart."""
    turn = np.array([0.9, 0.1, 0.2, 0.1]) / np.linalg.norm([0.9, 0.1, 0.2, 0.1])
    law = {"friction": 0.6, "restitution": 0.1, "rolling_friction": 0.1, "stiffness": 3e5}
    return Spec(
        materials={"wood": {"rigid": True}, "rock": {"rigid": True}},
        contacts={"wood/rock": law},
        terrain=terrain | {"material": "rock"},
        bodies={
            name: {"shapes": {"hull": shape | {"density": 800, "material": "wood", "collide": True}}}
            for name, shape in SHAPES.items()
        },
        joints={
            name: {"type": "free", "parent": "ground", "child": name, "q": [*turn, 0.5 * k, 0.1, 0.6]}
            for k, name in enumerate(SHAPES)
        },
    )


@pytest.mark.parametrize("method", [gori.RK4(step=5e-4)])
@pytest.mark.parametrize(
    "terrain",
    [
        {"field": FIELD},
        {"features": {"bump": {"type": "trapezoid", "at": [-0.3, 0]}}, "field": {**FIELD, "heights": BOWL}},
    ],
)
def test_box_and_ball_come_to_rest(method, terrain):
    model = gori.compile(spec_on(**terrain))
    simulation = gori.Simulation(model, method)
    rec = simulation.run(4.0, sample=0.02)
    energy = rec["energy.total"]
    assert energy.max() <= energy[0] + 1e-9 * abs(energy[0])
    x, y, z = (np.array([rec[f"box.{c}"] for c in "xyz"])).tolist()
    assert np.ptp(z[-50:]) < 1e-3 and np.ptp(x[-50:]) < 1e-3 and np.ptp(y[-50:]) < 1e-3
    for name in SHAPES:
        points = [point for point in model.contacts(simulation.state.q, reach=5e-3) if point.a == f"{name}.hull"]
        assert points and min(point.gap for point in points) > -5e-3
