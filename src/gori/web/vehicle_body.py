"""A body for vehicles without shapes: a pick-up around its wheels, drawn by the viewer and used nowhere else."""

from typing import Any

import numpy as np

from gori.model import Model
from gori.web.shapes import Put

PAINT, GLASS, DARK = "#5b7f95", "#2b3a42", "#3a3d40"
_BOX = np.array([(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2),
                 (2, 4, 6), (1, 3, 5), (3, 7, 5)])  # fmt: skip
"""triangles of a hexahedron whose corner 4 z + 2 y + x is at the upper end of these axes"""


def vehicle_shapes(model: Model, body: str, put: Put) -> list[dict[str, Any]]:
    """Shapes of a body that carries a vehicle of four wheels or more and has none of its own; else none."""
    vehicle = model.vehicle
    roots = {} if vehicle is None else {carried: joint for joint, carried in vehicle.roots.items()}
    if vehicle is None or body not in roots:
        return []
    own = [wheel for wheel in vehicle.mounted if wheel.root == roots[body]]
    if len(own) < 4:
        return []
    poses = model.forward_kinematics(model.q0)
    base = np.linalg.inv(poses[body])
    centres = np.array([(base @ poses[wheel.body] @ [*wheel.at, 1.0])[:3] for wheel in own])
    radius = float(np.mean([wheel.radius for wheel in own]))
    widths = [model.spec.wheels[wheel.name].tyre.width for wheel in own]
    rear, front = float(centres[:, 0].min()), float(centres[:, 0].max())
    if front - rear < 2.0 * radius:  # wheels side by side: not a car
        return []
    half = float(np.abs(centres[:, 1]).max()) - 0.15 * max(widths)
    return _pickup(body, rear, front, half, radius, float(centres[:, 2].mean()), max(widths), put)


def _pickup(
    body: str, rear: float, front: float, half: float, radius: float, axle: float, wide: float, put: Put
) -> list[dict[str, Any]]:
    """Frame, bonnet, cab, windows and bed. x to the front, y to the left; lengths [m] in the frame of the chassis."""
    base, floor = front - rear, axle + 0.45 * radius
    inner = max(0.3 * half, half - wide)  # between the wheels
    belt, roof = floor + 0.62 * base * 0.45, floor + 0.62 * base * 0.45 + 0.17 * base
    nose, tail = front + 0.95 * radius + 0.12 * base, rear - 0.95 * radius - 0.12 * base
    dash, seat = front - 0.22 * base, front - 0.62 * base
    hull = floor + 0.55 * (belt - floor)
    guard = axle + 1.22 * radius
    parts = {
        # low part between the wheels, then what goes over them
        "frame": (_block(tail, nose, inner, floor - 0.06 * base, floor + 0.02), DARK),
        "sill": (_block(rear + 1.25 * radius, front - 1.25 * radius, half, floor - 0.05 * base, hull), PAINT),
        "bonnet": (_slab([(dash, belt), (nose - 0.05 * base, belt - 0.05 * base)], half, max(guard, hull)), PAINT),
        "front": (_block(front + 1.12 * radius, nose, half, floor - 0.02 * base, max(guard, hull) + 0.01), PAINT),
        "nose": (_block(front - 1.2 * radius, front + 1.2 * radius, inner, floor, max(guard, hull)), DARK),
        "cab": (_block(seat, dash + 0.01, half, hull - 0.01, belt), PAINT),
        "windows": (_prism(seat + 0.02 * base, dash, seat + 0.06 * base, dash - 0.17 * base, half * 0.985, half * 0.84,
                           belt, roof - 0.03 * base), GLASS),
        "roof": (_prism(seat + 0.05 * base, dash - 0.15 * base, seat + 0.07 * base, dash - 0.18 * base, half * 0.87,
                        half * 0.83, roof - 0.035 * base, roof), PAINT),
        "bed_floor": (_block(tail, seat, half * 0.98, max(guard, hull) - 0.04, max(guard, hull)), DARK),
        "bed_left": (_block(tail, seat, half, max(guard, hull) - 0.05, belt, half * 0.95), PAINT),
        "bed_right": (_block(tail, seat, -half * 0.95, max(guard, hull) - 0.05, belt, -half), PAINT),
        "tailgate": (_block(tail, tail + 0.03 * base, half, max(guard, hull) - 0.05, belt), PAINT),
        "bumper": (_block(tail, rear - 1.15 * radius, half, floor - 0.02 * base, max(guard, hull) - 0.03), PAINT),
    }  # fmt: skip
    entries = []
    for name, (vertices, colour) in parts.items():
        full = f"{body}.{name}"
        entries.append({
            "type": "mesh", "name": full, "at": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0], "colour": colour,
            "sketch": True, "vertices": put(f"{full}.vertices", vertices.astype(np.float32)),
            "triangles": put(f"{full}.triangles", _BOX.astype(np.uint32)),
        })  # fmt: skip
    return entries


def _block(back: float, ahead: float, left: float, low: float, high: float, right: float | None = None) -> np.ndarray:
    """Corners (8, 3) of a box; from left to -left, or to right."""
    sides = (-left if right is None else right, left)
    return np.array([(x, y, z) for z in (low, high) for y in sides for x in (back, ahead)])


def _slab(top: list[tuple[float, float]], half: float, low: float) -> np.ndarray:
    """Corners of a block whose upper face falls from the first (x, z) to the second."""
    (back, one), (ahead, two) = top
    heights = {back: one, ahead: two}
    return np.array(
        [(x, y, low if k == 0 else heights[x]) for k in (0, 1) for y in (-half, half) for x in (back, ahead)]
    )


def _prism(
    back: float, ahead: float, top_back: float, top_ahead: float, half: float, top_half: float, low: float, high: float
) -> np.ndarray:
    """Corners of a block that narrows upwards."""
    lower = [(x, y, low) for y in (-half, half) for x in (back, ahead)]
    return np.array(lower + [(x, y, high) for y in (-top_half, top_half) for x in (top_back, top_ahead)])
