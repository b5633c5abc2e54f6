"""Hull and arms of a vehicle that touch the ground: their shapes, the material, and how it touches that of the terrain.

Wheels touch the ground with their tyres at any angle (`kernels/vehicle/contact.py`), and have no shapes of their own.
"""

from typing import Any

import numpy as np

from gori.spec.vehicle.terrain import Terrain
from gori.vehicle.template import Vehicle

GROUND_MATERIAL = "ground"
"""of a terrain that names none"""


def touching(vehicle: Vehicle, name: str, terrain: Terrain) -> dict[str, Any]:
    """Plain data of shapes, materials and contacts, of the terrain if it has no material; empty without `contact`."""
    contact = vehicle.contact
    if contact is None:
        return {}
    material, other = f"{name}.hull", terrain.material or GROUND_MATERIAL
    surface = {"material": material, "collide": True}
    bodies = {f"{name}.chassis": {"shapes": {label: shape | surface for label, shape in vehicle.hull.items()}}}
    if contact.arms:
        for corner, axle in (("fl", vehicle.front), ("fr", vehicle.front), ("rl", vehicle.rear), ("rr", vehicle.rear)):
            for part in ("lower_arm", "upper_arm"):
                arm = getattr(axle, part)
                way = np.subtract(arm.ball, 0.5 * np.add(arm.front, arm.back)) * [1, 1 if corner[1] == "l" else -1, 1]
                length = float(np.linalg.norm(way))
                bar = {"type": "capsule", "axis": (way / length).tolist(), "length": length}
                bodies[f"{name}.{part}_{corner}"] = {"shapes": {"bar": bar | {"radius": contact.arm_radius} | surface}}
    law = {"friction": contact.friction, "restitution": contact.restitution, "stiffness": contact.stiffness}
    data: dict[str, Any] = {
        "bodies": bodies,
        "materials": {material: {"rigid": True}},
        "contacts": {f"{material}/{other}": law},
    }
    if terrain.material is None:
        data["materials"][other] = {"rigid": True}
        data["terrain"] = {"material": other}
    return data
