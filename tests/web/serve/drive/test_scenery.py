"""What the page of a drive is given first."""

import numpy as np
import pytest

from gori.spec.vehicle.terrain import Terrain
from gori.web.packet import unpack
from gori.web.serve.drive.grounds import drive_course
from gori.web.serve.drive.scenery import INSIDE, POST, border_posts, drive_scene
from gori.web.serve.drive.truck import DriveOptions, driven
from gori.web.vehicle_body import car_of


def test_the_driver_sits_in_the_cab_behind_the_windscreen():
    vehicle = driven(DriveOptions(course="lane_change"))
    head, arrays = unpack(drive_scene(vehicle)[0])
    cab = head["drive"]["cab"]
    eye, screen = np.array(cab["eye"]), cab["screen"]
    assert screen["z"] < eye[2] < screen["top_z"] and 0.3 < screen["x"] - eye[0] < 1.2 and 0 < eye[1] < screen["half"]
    assert cab == car_of(vehicle.model, vehicle.size.chassis).cab()
    hidden = head["drive"]["hides"]
    shapes = {shape["name"]: shape for shape in head["bodies"][head["drive"]["chassis"]]["shapes"]}
    assert set(hidden) <= set(shapes)
    corners = arrays[shapes[hidden[0]]["vertices"]]  # the eye is inside what is hidden
    assert (corners.min(axis=0) < eye).all() and (eye < corners.max(axis=0)).all()
    assert sum(shape["type"] == "cone" for shape in head["bodies"][0]["shapes"]) == len(vehicle.course.cones)


def test_a_vehicle_with_shapes_of_its_own_is_looked_over():
    vehicle = driven(DriveOptions(vehicle="examples/truck.yaml"))
    head, _ = unpack(drive_scene(vehicle)[0])
    cab = head["drive"]["cab"]
    assert len(cab["eye"]) == 3 and cab["eye"][2] > vehicle.size.radius


@pytest.mark.parametrize(("soil", "posts"), [("dry_sand", True), ("hard", False)])
def test_posts_stand_where_soft_soil_ends(soil, posts):
    head, _ = unpack(drive_scene(driven(DriveOptions(course="sand", soil=soil)))[0])
    assert any(shape["name"] == "posts" for shape in head["bodies"][0]["shapes"]) == posts
    terrain = Terrain(**drive_course("sand").ground("dry_sand"))
    vertices, triangles = border_posts(terrain)
    assert triangles.max() == len(vertices) - 1
    low = np.array(terrain.soft.at)
    room = np.minimum(vertices[:, :2] - low, low + terrain.soft.size - vertices[:, :2]).min(axis=1)
    assert np.allclose(room, INSIDE, atol=POST[0])
    feet = vertices.reshape(-1, 8, 3)[:, :4].mean(axis=1)
    assert np.allclose(feet[:, 2], terrain.height(feet[:, 0], feet[:, 1]), atol=1e-4)
