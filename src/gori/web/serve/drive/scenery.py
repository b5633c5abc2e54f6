"""What the page of a drive is given first: the vehicle with a cab to look out of, its course, cones, and posts where
soft soil ends.
"""

from typing import Any

import numpy as np

from gori.spec.vehicle.terrain import Terrain
from gori.web.extent import shape_points
from gori.web.packet import pack
from gori.web.poses import body_order
from gori.web.scene import Scene
from gori.web.serve.drive.truck import DrivenVehicle
from gori.web.vehicle_body import car_of, vehicle_shapes

CONE = {"type": "cone", "radius": 0.16, "length": 0.55, "top_radius": 0.03, "colour": "#e8682a"}
POST = (0.14, 0.14, 0.9)
"""length, width and height of a post [m]"""
POSTS = 6.0
"""between two posts [m]"""
INSIDE = 1.0
"""posts stand so far from the end of the soil [m]"""
ABOVE = 0.15
"""height of the eye above a body that is not drawn by the viewer [m]"""
CORNERS = np.array([(x, y, z) for z in (0.0, 1.0) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
FACES = np.array([(4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5),
                  (3, 7, 5)])  # fmt: skip
"""triangles of a post without its foot"""


def drive_scene(vehicle: DrivenVehicle) -> tuple[bytes, tuple[int, int] | None]:
    """The scene packet, and the grid of soft soil."""
    course, model, size = vehicle.course, vehicle.model, vehicle.size
    room = ((*course.low, 0.0), (*course.high, 0.0))
    scene = Scene(model, "drive", title=course.title, room=room)
    head = scene.head()
    number = body_order(model).index(size.chassis)
    chassis, ground = head["bodies"][number], head["bodies"][0]["shapes"]

    def put(name: str, array: np.ndarray) -> str:
        scene.arrays[name] = array
        return name

    if vehicle.options.stones:  # the bed that they touch is not drawn, but the bodywork around it
        chassis["shapes"] = vehicle_shapes(model, size.chassis, put) or chassis["shapes"]
    terrain = model.spec.terrain
    if terrain is not None:
        for k, (x, y) in enumerate(course.cones):
            at = [float(x), float(y), float(terrain.height(x, y))]
            ground.append({**CONE, "name": f"cone {k}", "at": at, "quaternion": [1, 0, 0, 0]})
        if terrain.soft is not None:
            vertices, triangles = border_posts(terrain)
            ground.append({
                "type": "mesh", "name": "posts", "at": [0, 0, 0], "quaternion": [1, 0, 0, 0], "colour": "#d0433f",
                "vertices": put("posts.vertices", vertices), "triangles": put("posts.triangles", triangles),
            })  # fmt: skip
    head["drive"] = {
        "vehicle": vehicle.options.vehicle, "course": vehicle.options.course, "soil": vehicle.soil,
        "note": vehicle.note, "wheels": list(model.spec.wheels), "chassis": number, "wheelbase": size.wheelbase,
        "width": size.width, "cab": cab_of(vehicle, chassis["shapes"], scene.arrays),
        "hides": [f"{size.chassis}.windows"],
    }  # fmt: skip
    soft = head["terrain"]["soft"] if head["terrain"] else None
    return pack(head, scene.arrays), None if soft is None else tuple(soft["shape"])


def cab_of(vehicle: DrivenVehicle, shapes: list[dict[str, Any]], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Where the driver's eye is in the frame of the chassis [m]: in the cab of a drawn body, else above all."""
    car, size = car_of(vehicle.model, vehicle.size.chassis), vehicle.size
    if car is not None and any(shape.get("sketch") for shape in shapes):
        return car.cab()
    clouds = [shape_points(shape, arrays) for shape in shapes]
    top = max((float(cloud[:, 2].max()) for cloud in clouds), default=2.0 * size.radius)
    return {"eye": [0.5 * (size.front + size.rear), 0.18 * size.width, top + ABOVE], "screen": None}


def border_posts(terrain: Terrain) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) [m] and triangles of posts that stand along the end of the soft soil."""
    assert terrain.soft is not None
    low = np.array(terrain.soft.at) + INSIDE
    size = np.array(terrain.soft.size) - 2.0 * INSIDE
    counts = np.maximum(1, np.round(size / POSTS)).astype(int)
    x, y = (low[k] + size[k] * np.linspace(0.0, 1.0, counts[k] + 1) for k in range(2))
    ends = [(a, b) for a in x for b in (y[0], y[-1])] + [(a, b) for b in y[1:-1] for a in (x[0], x[-1])]
    at = np.array(ends)
    feet = np.column_stack([at, terrain.height(at[:, 0], at[:, 1])])
    vertices = (feet[:, None] + CORNERS * POST).reshape(-1, 3)
    triangles = (FACES[None] + 8 * np.arange(len(at))[:, None, None]).reshape(-1, 3)
    return vertices.astype(np.float32), triangles.astype(np.uint32)
