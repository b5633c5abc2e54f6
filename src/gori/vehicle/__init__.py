"""Vehicles as templates that expand into a Spec: parts are YAML files that can be swapped."""

import os
from collections.abc import Mapping
from typing import Any

from gori.spec import Spec
from gori.spec.vehicle.terrain import Terrain
from gori.vehicle.expand import CORNERS, expand, independent, running_gear
from gori.vehicle.files import read_vehicle, vehicles
from gori.vehicle.placing import start_pose, terrain_of
from gori.vehicle.template import Vehicle
from gori.vehicle.touching import touching

__all__ = [
    "CORNERS",
    "Vehicle",
    "expand",
    "independent",
    "read_vehicle",
    "running_gear",
    "spec",
    "start_pose",
    "terrain_of",
    "vehicle",
    "vehicles",
]

BODIES = ("bodies", "joints", "cuts", "forces")
"""what is left of a vehicle without its running gear"""


def vehicle(
    path: str | os.PathLike | Vehicle = "hmmwv",
    name: str = "truck",
    set: Mapping[str, Any] | None = None,
    terrain: Terrain | None = None,
    at: tuple[float, float] = (0.0, 0.0),
    yaw_deg: float = 0.0,
) -> dict:
    """Plain data of a vehicle, all its parts under its name: bodies, joints, cuts, forces, and the running gear
    (wheels, steering, drivetrains, drag).

    path      a template: a YAML file, or the name of one that comes with Gori; or a template that was read
    set       {dotted place in the template: value}: {"payload.mass": 600, "wheel.tyre": "my_tyre.yaml"}
    terrain   that it starts on; default: a level plane
    at        initial x and y [m]
    yaw_deg   its heading, from the x axis [deg]
    """
    template = path if isinstance(path, Vehicle) else read_vehicle(path, set)
    data = expand(template, name) | running_gear(template, name)
    ground = terrain_of(terrain)
    data["joints"][name]["q"] = start_pose(template, ground, at, yaw_deg)
    touched = touching(template, name, ground)
    for body, shapes in touched.pop("bodies", {}).items():
        data["bodies"][body] |= shapes
    return data | touched


def spec(
    path: str | os.PathLike = "hmmwv",
    name: str = "truck",
    set: Mapping[str, Any] | None = None,
    running_gear: bool = True,
    terrain: Mapping[str, Any] | Terrain | None = None,
    at: tuple[float, float] = (0.0, 0.0),
    yaw_deg: float = 0.0,
) -> Spec:
    """The Spec of a vehicle on its terrain, level ground if nothing is said; without running gear, the bodies on their
    suspension alone. Arguments as of `vehicle`.
    """
    ground = terrain_of(terrain)
    data = vehicle(path, name, set, ground, at, yaw_deg)
    material = data.pop("terrain", {}).get("material", ground.material)
    if not running_gear:
        data = {key: data[key] for key in (*BODIES, "materials", "contacts") if key in data}
        return Spec(**data) if material is None else Spec(**data, terrain={"material": material})
    return Spec(**data, terrain=ground.model_copy(update={"material": material}))
