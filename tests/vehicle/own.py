"""A vehicle that is no template: names of its own, sliding pillars in front, a solid rear axle on links."""

import numpy as np

import gori
from gori import vehicle

FRONT, REAR, TRACK, RADIUS = 1.4, -1.3, 1.5, 0.4699


def own_vehicle(terrain=None, drive=True, axle="links"):
    """The Spec. axle="bushing": the solid axle hangs on bushings, and nothing else locates its free joint."""
    template = vehicle.spec("hmmwv")
    tyre = template.wheels["truck.wheel_fl"].tyre.model_dump(exclude_unset=True)
    half = 0.5 * TRACK
    bodies = {
        "frame": {"mass": 1500.0, "com": [0.0, 0.0, 0.2], "inertia": [500.0, 1800.0, 2000.0]},
        "bar": {"mass": 10.0, "inertia": [1.0, 0.1, 1.0]},
        "beam": {"mass": 150.0, "inertia": [40.0, 5.0, 40.0]},
    }
    joints = {
        "base": {"type": "free", "parent": "ground", "child": "frame", "q": [1, 0, 0, 0, 0, 0, RADIUS]},
        "slider": {
            "type": "prismatic",
            "parent": "frame",
            "child": "bar",
            "at": [FRONT - 0.2, 0, 0],
            "axis": [0, -1, 0],
        },
        "tail": {"type": "free", "parent": "frame", "child": "beam", "q": [1, 0, 0, 0, REAR, 0, 0]},
    }
    cuts, forces, wheels = {}, {}, {}
    leg = {"type": "strut", "stiffness": 40e3, "length": 0.62, "compression": 2500.0, "rebound": 2500.0}
    for name, side in (("left", 1.0), ("right", -1.0)):
        pillar, y = f"pillar_{name}", side * half
        bodies[pillar] = {"mass": 40.0, "inertia": [1.0, 1.0, 1.0]}
        joints[pillar] = {
            "type": "cylindrical",
            "parent": "frame",
            "child": pillar,
            "at": [FRONT, y, 0],
            "axis": [0, 0, 1],
        }
        cuts[f"rod_{name}"] = {
            "type": "distance", "parent": "bar", "child": pillar, "at": [0, side * (half - 0.5), 0],
            "child_at": [-0.2, -0.1 * side, 0], "length": 0.4}  # fmt: skip
        forces[f"front_leg_{name}"] = leg | {
            "parent": "frame",
            "child": pillar,
            "at": [FRONT, y - 0.1 * side, 0.5],
            "child_at": [0, -0.1 * side, 0],
        }
        forces[f"rear_leg_{name}"] = leg | {
            "parent": "frame",
            "child": "beam",
            "at": [REAR, 0.8 * y, 0.5],
            "child_at": [0, 0.8 * y, 0],
        }
        if axle == "links":
            cuts[f"link_{name}"] = {
                "type": "distance", "parent": "frame", "child": "beam", "at": [REAR + 0.6, 0.6 * y, 0],
                "child_at": [0, 0.6 * y, 0], "length": 0.6}  # fmt: skip
        wheels[f"car.front_{name}"] = {"body": pillar, "axis": [0, 1, 0], "inertia": 5.0, "brake": 2500.0, "tyre": tyre}
        wheels[f"car.rear_{name}"] = {
            "body": "beam",
            "at": [0, y, 0],
            "axis": [0, 1, 0],
            "inertia": 5.0,
            "brake": 2500.0,
            "tyre": tyre,
        }
    if axle == "links":
        cuts["top_link"] = {
            "type": "distance",
            "parent": "frame",
            "child": "beam",
            "at": [REAR + 0.6, 0, 0.3],
            "child_at": [0, 0, 0.25],
            "length": float(np.hypot(0.6, 0.05)),
        }
        cuts["panhard"] = {
            "type": "distance",
            "parent": "frame",
            "child": "beam",
            "at": [REAR - 0.1, 0.5, 0],
            "child_at": [-0.1, -0.5, 0],
            "length": 1.0,
        }
    else:
        forces["mount"] = {
            "type": "bushing", "parent": "frame", "child": "beam", "at": [REAR, 0, 0],
            "stiffness": [0, 2e4, 2e4, 2e5, 2e5, 0], "damping": [0, 400, 400, 4e3, 4e3, 0]}  # fmt: skip
    data = {"bodies": bodies, "joints": joints, "cuts": cuts, "forces": forces, "wheels": wheels}
    data["steering"] = {"car.wheel": {"joint": "slider", "travel": 0.06, "stiffness": 1e6, "damping": 2e4}}
    if drive:
        train = template.drivetrains["truck.drivetrain"].model_dump(exclude_unset=True)
        order = ("car.front_left", "car.front_right", "car.rear_left", "car.rear_right")
        data["drivetrains"] = {"car.train": train | {"chassis": "frame", "wheels": order}}
    return gori.Spec(**data, terrain=terrain or {})


def mean_speed(model, state):
    """Of the wheels' circumference [m/s]."""
    return float(np.mean(state.vehicle["wheel"]["angular_velocity"])) * RADIUS
