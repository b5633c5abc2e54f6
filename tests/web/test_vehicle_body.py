import numpy as np

from gori.web.vehicle_body import vehicle_shapes
from tests.web.machines import four_bar, truck


def test_a_chassis_without_shapes_gets_a_body_between_its_wheels():
    rec, _ = truck()
    arrays = {}

    def put(name, array):
        arrays[name] = array
        return name

    shapes = vehicle_shapes(rec.model, "truck.chassis", put)
    assert len(shapes) > 8 and all(shape["sketch"] for shape in shapes)
    for shape in shapes:
        vertices, triangles = arrays[shape["vertices"]].astype(float), arrays[shape["triangles"]]
        corners = vertices[triangles]
        volume = np.einsum("ni,ni->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
        assert volume > 0.0, shape["name"]  # triangles look outwards
    low = min(array[:, 2].min() for name, array in arrays.items() if name.endswith("vertices"))
    poses = rec.model.forward_kinematics(rec.model.q0)
    ground = min(poses[wheel.body][2, 3] - wheel.radius for wheel in rec.model.vehicle.mounted)
    assert poses["truck.chassis"][2, 3] + low > ground + 0.15  # above the ground


def test_other_bodies_get_none():
    rec, _ = truck()
    assert vehicle_shapes(rec.model, "truck.rack", lambda name, _: name) == []
    assert vehicle_shapes(four_bar().model, "crank", lambda name, _: name) == []
