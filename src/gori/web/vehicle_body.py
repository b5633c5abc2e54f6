"""A body for vehicles without shapes: a pick-up around its wheels, drawn by the viewer and used nowhere else."""

from typing import Any, NamedTuple

import numpy as np

from gori.model import Model
from gori.spec import Spring, Strut
from gori.web.shapes import Put

PAINT, GLASS, DARK, LAMP, RED = "#5b7f95", "#2b3a42", "#3a3d40", "#efe9d2", "#a63d40"
_BOX = np.array([(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2),
                 (2, 4, 6), (1, 3, 5), (3, 7, 5)])  # fmt: skip
"""triangles of a hexahedron whose corner 4 z + 2 y + x is at the upper end of these axes"""


def vehicle_shapes(model: Model, body: str, put: Put) -> list[dict[str, Any]]:
    """Shapes of a body that carries a vehicle of four wheels or more and has none of its own; else none."""
    car = car_of(model, body)
    entries = []
    for name, (vertices, colour) in ({} if car is None else car.parts()).items():
        full = f"{body}.{name}"
        entries.append({
            "type": "mesh", "name": full, "at": [0.0, 0.0, 0.0], "quaternion": [1.0, 0.0, 0.0, 0.0], "colour": colour,
            "sketch": True, "vertices": put(f"{full}.vertices", vertices.astype(np.float32)),
            "triangles": put(f"{full}.triangles", _BOX.astype(np.uint32)),
        })  # fmt: skip
    return entries


def car_of(model: Model, body: str) -> "Car | None":
    """The pick-up that fits to the wheels which a body carries; None: these are not the wheels of a car."""
    vehicle = model.vehicle
    roots = {} if vehicle is None else {carried: joint for joint, carried in vehicle.roots.items()}
    if vehicle is None or body not in roots:
        return None
    own = [wheel for wheel in vehicle.mounted if wheel.root == roots[body]]
    if len(own) < 4:
        return None
    poses = model.forward_kinematics(model.q0)
    base = np.linalg.inv(poses[body])
    centres = np.array([(base @ poses[wheel.body] @ [*wheel.at, 1.0])[:3] for wheel in own])
    radius = float(np.mean([wheel.radius for wheel in own]))
    wide = max(model.spec.wheels[wheel.name].tyre.width for wheel in own)
    rear, front = float(centres[:, 0].min()), float(centres[:, 0].max())
    if front - rear < 2.0 * radius:  # wheels side by side: not a car
        return None
    return Car(
        rear, front, float(np.abs(centres[:, 1]).max()) - 0.15 * wide, radius, float(centres[:, 2].mean()), wide,
        _mounts(model, body),
    )  # fmt: skip


def _mounts(model: Model, body: str) -> float:
    """Height of the uppermost end of a spring or strut on the body [m]; they are to be covered."""
    ends = []
    for force in model.spec.forces.values():
        if isinstance(force, Spring | Strut):
            ends += [at[2] for who, at in ((force.parent, force.at), (force.child, force.child_at)) if who == body]
    return max(ends, default=-np.inf)


class Lines(NamedTuple):
    """Edges of the bodywork [m]: heights, then places along it."""

    guard: float  # lower edge over the wheels
    belt: float  # lower edge of the windows
    roof: float
    lip: float  # the bonnet falls to this
    nose: float
    tail: float
    dash: float  # lower edge of the windscreen
    seat: float  # wall behind the seats


class Car(NamedTuple):
    """What decides on the body; lengths [m] in the frame of the chassis, x to the front, y to the left."""

    rear: float  # axles
    front: float
    half: float  # width
    radius: float  # wheels
    axle: float  # height
    wide: float  # of a tyre
    mounts: float  # height of what is to be covered

    @property
    def lines(self) -> "Lines":
        """Edges of the bodywork."""
        rear, front, _, radius, axle, _, mounts = self
        base = front - rear
        guard = axle + 1.22 * radius
        belt = max(axle + 0.45 * radius + 0.28 * base, guard + 0.1 * base, mounts + 0.06 * base)
        overhang = 0.95 * radius + 0.12 * base
        return Lines(
            guard, belt, belt + 0.17 * base, max(belt - 0.06 * base, mounts + 0.02 * base), front + overhang,
            rear - overhang, front - 0.22 * base, front - 0.62 * base,
        )  # fmt: skip

    def cab(self) -> dict[str, Any]:
        """Eye of the driver, on the left, and the windscreen before it: its edges and half its width [m]."""
        base, lines = self.front - self.rear, self.lines
        _, belt, roof, _, _, _, dash, seat = lines
        screen = {"x": dash, "z": belt, "half": 0.97 * self.half}
        screen |= {"top_x": dash - 0.17 * base, "top_z": roof - 0.03 * base, "top_half": 0.84 * self.half}
        return {"eye": [seat + 0.14 * base, 0.4 * self.half, belt + 0.1 * base], "screen": screen}

    def parts(self) -> dict[str, tuple[np.ndarray, str]]:
        """Corners (8, 3) and colours of frame, wells that hold the ends of struts, bonnet, cab, windows, bed and
        lights. No two faces lie in one plane.
        """
        rear, front, half, radius, axle, wide, mounts = self
        base, floor = front - rear, axle + 0.45 * radius
        guard, belt, roof, lip, nose, tail, dash, seat = self.lines
        inner = max(0.3 * half, half - wide)  # between the wheels
        wall, skirt, gap = 0.04 * half, floor - 0.05 * base, 1.2 * radius
        lamp, depth = 0.16 * half, 0.01 * base
        light = guard + 0.35 * (lip - guard), guard + 0.75 * (lip - guard)
        return {
            "frame": (_block(tail + 0.02, nose - 0.02, inner, floor - 0.06 * base, floor + 0.02), DARK),
            "nose": (_block(front - gap, front + gap, inner - 0.01, floor, guard + 0.01), DARK),
            "tail": (_block(rear - gap, rear + gap, inner - 0.01, floor, guard + 0.01), DARK),
            "sill": (_block(rear + gap, front - gap, half, skirt, guard), PAINT),
            "front": (_block(front + gap, nose, half, skirt, guard), PAINT),
            "bumper": (_block(tail, rear - gap, half, skirt, guard), PAINT),
            "bonnet": (_slab([(dash, belt), (nose, lip)], half, guard), PAINT),
            "cab": (_block(seat, dash, half, guard, belt), PAINT),
            "windows": (_prism(seat + 0.02 * base, dash, seat + 0.06 * base, dash - 0.17 * base, half * 0.985,
                               half * 0.84, belt, roof - 0.03 * base), GLASS),
            "roof": (_prism(seat + 0.05 * base, dash - 0.15 * base, seat + 0.07 * base, dash - 0.18 * base,
                            half * 0.87, half * 0.83, roof - 0.035 * base, roof), PAINT),
            "bed_floor": (_block(tail + wall, seat, half - wall, guard, max(guard + 0.03, mounts + 0.01)), DARK),
            "bed_left": (_block(tail + wall, seat, half, guard, belt, half - wall), PAINT),
            "bed_right": (_block(tail + wall, seat, wall - half, guard, belt, -half), PAINT),
            "tailgate": (_block(tail, tail + wall, half, guard, belt), PAINT),
            "grille": (_block(nose - depth, nose + depth, half - 2.2 * lamp, *light), DARK),
            "lamp_left": (_block(nose - depth, nose + depth, half - 0.4 * lamp, *light, half - 1.8 * lamp), LAMP),
            "lamp_right": (_block(nose - depth, nose + depth, 1.8 * lamp - half, *light, 0.4 * lamp - half), LAMP),
            "tail_left": (_block(tail - depth, tail + depth, half - 0.2 * lamp, *light, half - lamp), RED),
            "tail_right": (_block(tail - depth, tail + depth, lamp - half, *light, 0.2 * lamp - half), RED),
        }  # fmt: skip


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
