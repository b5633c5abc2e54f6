"""Hull and arms of a vehicle that touch the ground: their shapes, the material, and how it touches that of the terrain.

Wheels touch the terrain with their tyres at any angle (`kernels/vehicle/leaning.py`). Shapes of other bodies they touch
with cylinders of a material of their own, which never touches the terrain.
"""

from typing import Any

import numpy as np

from gori.errors import SpecError
from gori.spec.vehicle.terrain import Terrain
from gori.spec.vehicle.tyre import TYRES
from gori.vehicle.expand import CORNERS
from gori.vehicle.template import ContactTemplate, Vehicle, plain_tyre

GROUND_MATERIAL = "ground"
"""of a terrain that names none"""
RUBBER_NU = 0.49
"""Poisson's ratio of the material of wheels"""


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
    if contact.wheels:
        _add_wheels(vehicle, contact, name, other, data)
    if terrain.material is None:
        data["materials"][other] = {"rigid": True}
        data["terrain"] = {"material": other}
    return data


def _add_wheels(vehicle: Vehicle, contact: ContactTemplate, name: str, ground: str, data: dict[str, Any]) -> None:
    """A cylinder for each wheel, as soft as its tyre, and how it touches the materials that are listed."""
    tyre = TYRES[vehicle.wheel.tyre["type"]].model_validate(plain_tyre(vehicle.wheel.tyre))
    material, width = f"{name}.tyre", tyre.width
    wheel = {"type": "cylinder", "radius": tyre.radius, "length": width, "at": [0.0, -0.5 * width, 0.0]}
    wheel |= {"axis": [0.0, 1.0, 0.0], "material": material, "collide": True}
    for corner in CORNERS:
        data["bodies"][f"{name}.knuckle_{corner}"] = {"shapes": {"wheel": wheel | {"wheel": f"{name}.wheel_{corner}"}}}
    data["materials"][material] = {"E": soft_modulus(tyre), "nu": RUBBER_NU}
    for touched in contact.wheels:
        if touched == ground:
            raise SpecError(
                f"contact.wheels lists {touched!r}, the material of the terrain, which tyres touch already: give "
                "bodies that wheels shall touch another material"
            )
        law = {"friction": contact.wheel_friction, "restitution": contact.wheel_restitution}
        data["contacts"][f"{material}/{touched}"] = law


def soft_modulus(tyre: Any) -> float:
    """E [Pa] with which a cylinder that touches a rigid plane with the two ends of a line is as stiff as its tyre where
    that carries its load at a tenth of its radius: 2 k d^1.5 = F(d), k = 4/3 E / (1 - nu^2) sqrt(R).
    """
    d = 0.1 * tyre.radius
    if tyre.load_table is None:
        force = tyre.stiffness * d
    else:
        depths, loads = np.vstack([(0.0, 0.0), *tyre.load_table]).T
        force = float(np.interp(d, depths, loads))
    return float(0.375 * (1.0 - RUBBER_NU**2) * force / (d**1.5 * np.sqrt(tyre.radius)))
