"""Ground for tests: planes, fields, features, and all of them at once."""

import numpy as np

from gori.spec.vehicle.terrain import Terrain


def terrain(**given):
    return Terrain.model_validate(given)


RNG = np.random.default_rng(5)


FIELD = {"at": [-2.0, -1.0], "cell": 0.5, "cell_y": 0.25, "heights": RNG.uniform(-0.1, 0.1, (9, 11))}


BUMP = {"type": "trapezoid", "at": [1.0, 0.2], "yaw_deg": 30.0}


GROUNDS = {
    "plane": terrain(at=[1, 2, 3], grade=[0.2, -0.1]),
    "field": terrain(grade=[0.05, 0.02], field=FIELD),
    "bump": terrain(features={"bump": BUMP}),
    "narrow bump": terrain(features={"bump": BUMP | {"width": 0.8, "top": 0.1, "height": -0.05}}),
    "sine": terrain(features={"wave": {"type": "sine", "length": 1.5, "height": 0.1, "yaw_deg": -50}}),
    "ramp": terrain(features={"up": {"type": "ramp", "height": 0.5, "length": 2}}),
    "ramp and down": terrain(features={"up": {"type": "ramp", "height": 0.5, "length": 2, "top": 1, "down": 0.5}}),
    "all": terrain(
        grade=[0.1, 0.0],
        field=FIELD,
        features={"bump": BUMP, "wave": {"type": "sine", "length": 1, "height": 0.1}},
        patches={
            "ice": {"at": [0, 0], "size": [2, 1], "yaw_deg": 20, "friction": 0.1},
            "wet": {"at": [0.5, 0], "size": [1, 1], "friction": 0.4},
        },
    ),
}
