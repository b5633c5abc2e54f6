"""Where a vehicle starts: on the ground, at a place, with a heading."""

from typing import Any

import numpy as np

from gori.errors import SpecError
from gori.spec.base import quaternion
from gori.spec.vehicle.terrain import Terrain
from gori.vehicle.template import Vehicle

SAMPLES = 61
"""places around the lower half of a wheel that are kept out of the ground"""


def terrain_of(data: Any) -> Terrain:
    """The terrain of a Spec out of plain data, or itself; its problems have their place in the Spec."""
    if isinstance(data, Terrain):
        return data
    try:
        return Terrain.model_validate({} if data is None else data)
    except SpecError as error:
        error.problems = tuple((f"terrain.{at}".rstrip("."), message) for at, message in error.problems)
        error.args = ("\n".join(f"{at}: {message}" for at, message in error.problems),)
        raise


def start_pose(
    vehicle: Vehicle, terrain: Terrain, at: tuple[float, float] = (0.0, 0.0), yaw_deg: float = 0.0
) -> list[float]:
    """Coordinates (7,) of the chassis: quaternion w x y z, position [m].

    The suspension is in its design position, the chassis lies as the plane of the terrain does, and the vehicle touches
    the ground with its unloaded tyres, or with the first of them where the ground is not a plane.
    """
    (gx, gy), yaw = terrain.grade, np.radians(yaw_deg)
    up = np.array([-gx, -gy, 1.0]) / np.sqrt(1.0 + gx * gx + gy * gy)
    ahead = np.array([np.cos(yaw), np.sin(yaw), gx * np.cos(yaw) + gy * np.sin(yaw)])
    ahead /= np.linalg.norm(ahead)
    R = np.column_stack([ahead, np.cross(up, ahead), up])

    turn = np.linspace(-0.5, 0.5, SAMPLES) * np.pi
    rim = vehicle.wheel.tyre["radius"] * np.column_stack([np.sin(turn), 0.0 * turn, -np.cos(turn)])
    hubs = [np.add(axle.at, axle.hub) * [1.0, side, 1.0] for axle in (vehicle.front, vehicle.rear) for side in (1, -1)]
    points = np.concatenate([hub + rim for hub in hubs]) @ R.T + [*at, 0.0]
    lift = float((terrain.height(points[:, 0], points[:, 1]) - points[:, 2]).max())
    return [*quaternion(R), *map(float, at), lift]
