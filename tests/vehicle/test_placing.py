"""Where a vehicle starts: on the plane, on bumps, with a heading."""

import numpy as np
import pytest

from gori.errors import SpecError
from gori.spec.vehicle.terrain import Terrain
from gori.vehicle import read_vehicle
from gori.vehicle.placing import start_pose, terrain_of
from tests.reference.spatial import quaternion_to_rotation

TRUCK = read_vehicle("hmmwv")
RADIUS = TRUCK.wheel.tyre["radius"]
HUBS = np.array([np.add(axle.at, axle.hub) * [1, side, 1] for axle in (TRUCK.front, TRUCK.rear) for side in (1, -1)])


def placed(**terrain):
    """Rotation and position of the chassis, and the ground."""
    at, yaw = terrain.pop("where", (0.0, 0.0)), terrain.pop("yaw_deg", 0.0)
    ground = Terrain.model_validate(terrain)
    q = np.array(start_pose(TRUCK, ground, at, yaw))
    assert q[4:6].tolist() == list(at)
    return quaternion_to_rotation(q[:4]), q[4:], ground


@pytest.mark.parametrize("yaw", [0.0, 35.0, -120.0, 180.0])
@pytest.mark.parametrize("grade", [(0.0, 0.0), (0.3, -0.1)])
def test_on_a_plane_all_or_the_lower_tyres_touch(grade, yaw):
    R, p, ground = placed(grade=grade, where=(3.0, -2.0), yaw_deg=yaw, at=[1, 1, 0.5])
    normal = np.array([-grade[0], -grade[1], 1.0]) / np.hypot(1.0, np.hypot(*grade))
    np.testing.assert_allclose(R[:, 2], normal, atol=1e-12)
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(np.radians(yaw)) or abs(yaw) == 180.0
    centres = HUBS @ R.T + p
    above = (centres[:, 2] - ground.height(centres[:, 0], centres[:, 1])) * normal[2]
    assert above.min() == pytest.approx(RADIUS, rel=2e-3) and above.min() >= RADIUS - 1e-12


def test_on_a_bump_the_first_tyre_touches():
    """A kerb under the front wheels alone lifts the whole vehicle by its height, still level."""
    flat = placed()[1][2]
    kerb = {"kerb": {"type": "step", "at": [HUBS[0, 0] - 0.6, 0], "height": 0.1}}
    R, p, _ = placed(features=kerb)
    np.testing.assert_allclose(R, np.eye(3), atol=1e-12)
    assert p[2] == pytest.approx(flat + 0.1, abs=1e-6)
    hole = {"hole": {"type": "trapezoid", "at": [HUBS[0, 0] - 1, 0], "length": 2, "top": 1.9, "height": -0.3}}
    assert placed(features=hole)[1][2] == pytest.approx(flat, abs=1e-9)  # the rear wheels carry it


def test_a_heading_turns_the_footprint():
    """Ground that rises beside the vehicle does not touch it; turned by 90 degrees it does."""
    ramp = {"ramp": {"type": "step", "at": [0, 1.5], "yaw_deg": 90, "height": 0.2}}
    assert placed(features=ramp)[1][2] == pytest.approx(placed()[1][2], abs=1e-9)
    assert placed(features=ramp, yaw_deg=90.0)[1][2] == pytest.approx(placed()[1][2] + 0.2, abs=1e-6)


def test_terrain_out_of_plain_data():
    ground = Terrain.model_validate({"friction": 0.5})
    assert terrain_of(ground) is ground and terrain_of({"friction": 0.5}) == ground and terrain_of(None) == Terrain()
    with pytest.raises(SpecError, match=r"terrain\.features\.a: type 'hill'") as caught:
        terrain_of({"features": {"a": {"type": "hill"}}})
    assert caught.value.problems[0][0].startswith("terrain.features.a")
