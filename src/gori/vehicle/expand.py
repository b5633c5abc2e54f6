"""A template as a Spec: bodies, joints, cuts and struts by name, and what wheels, steering and drive train need.

    truck                free joint of truck.chassis             6 coordinates
    truck.rack           prismatic on the chassis                1
    truck.lower_arm_fl   revolute on the chassis                 1 for each of fl, fr, rl, rr
    truck.knuckle_fl     spherical on the lower arm              3
    truck.upper_arm_fl   revolute on the chassis                 1
    truck.upper_ball_fl  spherical cut, upper arm - knuckle      3 equations
    truck.tie_rod_fl     distance cut, rack (rear: chassis) - knuckle   1 equation

In the design position all bodies have the axes of the chassis, and q of all joints on it is zero. The frame of the
chassis is that of the template, of an arm the middle between its pivots, of a knuckle the centre of the wheel. Arms
turn with positive q as the wheel goes up, on both sides.
"""

from typing import Any

import numpy as np

from gori.spec import GROUND
from gori.spec.body import combine
from gori.vehicle.template import Arm, AxleTemplate, Vehicle, plain_tyre

CORNERS = ("fl", "fr", "rl", "rr")
"""front or rear, left or right"""
MIRROR = np.diag([1.0, -1.0, 1.0])
"""from the left side to the right"""


def expand(vehicle: Vehicle, name: str = "truck") -> dict[str, Any]:
    """Plain data of bodies, joints, cuts and forces, under their names, in the design position with the tyres' unloaded
    radius above the ground z = 0.
    """
    mass, com, inertia = chassis_inertial(vehicle)
    chassis, rack, steering = f"{name}.chassis", f"{name}.rack", vehicle.steering
    height = max(vehicle.wheel.tyre["radius"] - axle.at[2] - axle.hub[2] for axle in (vehicle.front, vehicle.rear))
    bodies = {
        chassis: _body(mass, com, inertia),
        rack: _body(steering.mass, np.zeros(3), steering.moments()),
    }
    joints = {
        name: {"type": "free", "parent": GROUND, "child": chassis, "q": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height]},
        rack: {"type": "prismatic", "parent": chassis, "child": rack, "at": _list(steering.at),
               "axis": _list(steering.axis), "limits": [-steering.travel, steering.travel]},
    }  # fmt: skip
    data: dict[str, Any] = {"bodies": bodies, "joints": joints, "cuts": {}, "forces": {}}
    for corner in CORNERS:
        _add_corner(data, vehicle, name, corner)
    return data


def independent(name: str = "truck") -> tuple[str, ...]:
    """Joints whose 11 coordinates make good independent ones: chassis, rack and lower arms."""
    return (name, f"{name}.rack", *(f"{name}.lower_arm_{corner}" for corner in CORNERS))


def _add_corner(data: dict[str, Any], vehicle: Vehicle, name: str, corner: str) -> None:
    axle = vehicle.front if corner[0] == "f" else vehicle.rear
    chassis, rack = f"{name}.chassis", f"{name}.rack"
    lower, upper, knuckle = (f"{name}.{part}_{corner}" for part in ("lower_arm", "upper_arm", "knuckle"))
    left = corner[1] == "l"

    def point(p):
        """In the chassis frame, on the side of this corner."""
        return (np.eye(3) if left else MIRROR) @ (np.array(axle.at) + p)

    hub, balls = point(axle.hub), {lower: point(axle.lower_arm.ball), upper: point(axle.upper_arm.ball)}
    origins = {}
    for part, arm in ((lower, axle.lower_arm), (upper, axle.upper_arm)):
        front, back = point(arm.front), point(arm.back)
        origins[part] = 0.5 * (front + back)
        axis = front - back if left else back - front  # so that positive q lifts the wheel
        data["bodies"][part] = _body(arm.mass, point(arm.com) - origins[part], _mirrored(arm_inertia(arm), left))
        data["joints"][part] = {
            "type": "revolute", "parent": chassis, "child": part, "at": _list(origins[part]),
            "axis": _list(axis / np.linalg.norm(axis)),
        }  # fmt: skip
    data["bodies"][knuckle] = _body(*_knuckle(vehicle, axle, left, hub))
    data["joints"][knuckle] = {
        "type": "spherical", "parent": lower, "child": knuckle, "at": _list(balls[lower] - origins[lower]),
        "child_at": _list(balls[lower] - hub),
    }  # fmt: skip
    data["cuts"][f"{name}.upper_ball_{corner}"] = {
        "type": "spherical", "parent": upper, "child": knuckle, "at": _list(balls[upper] - origins[upper]),
        "child_at": _list(balls[upper] - hub),
    }  # fmt: skip

    inner, outer = point(axle.tie_rod.inner), point(axle.tie_rod.outer)
    steered = corner[0] == "f"
    data["cuts"][f"{name}.tie_rod_{corner}"] = {
        "type": "distance", "parent": rack if steered else chassis, "child": knuckle,
        "at": _list(inner - vehicle.steering.at if steered else inner), "child_at": _list(outer - hub),
        "length": axle.tie_rod.length or float(np.linalg.norm(outer - inner)),
    }  # fmt: skip

    for part in ("spring", "damper"):
        line = getattr(axle, part)
        data["forces"][f"{name}.{part}_{corner}"] = line.model_dump(exclude_unset=True) | {
            "type": "strut", "parent": chassis, "child": lower, "at": _list(point(line.at)),
            "child_at": _list(point(line.child_at) - origins[lower]),
        }  # fmt: skip


def running_gear(vehicle: Vehicle, name: str = "truck") -> dict[str, Any]:
    """Plain data of wheels, steering, drive train and drag, under their names."""
    chassis, wheel, steering = f"{name}.chassis", vehicle.wheel, vehicle.steering
    wheels = {
        f"{name}.wheel_{corner}": {
            "body": f"{name}.knuckle_{corner}", "at": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0],
            "inertia": wheel.inertia[1], "tyre": plain_tyre(wheel.tyre), "brake": wheel.brake,
        }
        for corner in CORNERS
    }  # fmt: skip
    data: dict[str, Any] = {
        "wheels": wheels,
        "steering": {
            f"{name}.steering": {
                "joint": f"{name}.rack", "travel": steering.travel, "stiffness": steering.stiffness,
                "damping": steering.damping,
            }
        },
    }  # fmt: skip
    if vehicle.drivetrain is not None:
        data["drivetrains"] = {f"{name}.drivetrain": vehicle.drivetrain | {"wheels": list(wheels), "chassis": chassis}}
    if vehicle.drag is not None:
        drag = vehicle.drag.model_dump(exclude={"source", "description"})
        data["drag"] = {f"{name}.drag": {"body": chassis} | drag | {"at": _list(drag["at"])}}
    return data


# ---- inertia


def chassis_inertial(vehicle: Vehicle) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia of chassis and payload, chassis frame."""
    chassis, payload = vehicle.chassis, vehicle.payload
    squares = np.square(payload.size)
    box = payload.mass / 12.0 * np.diag(squares.sum() - squares)
    return combine(
        [(chassis.mass, np.array(chassis.com), chassis.moments()), (payload.mass, np.array(payload.at), box)]
    )


def arm_inertia(arm: Arm) -> np.ndarray:
    """Inertia of a left arm in the axes of the chassis: its own x runs along the pivots, its z across its plane."""
    x = np.subtract(arm.front, arm.back)
    z = np.cross(x, np.subtract(arm.ball, arm.back))
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    R = np.column_stack([x, np.cross(z, x), z])
    return R @ arm.moments() @ R.T


def _knuckle(vehicle: Vehicle, axle: AxleTemplate, left: bool, hub: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia of upright and wheel, from the hub; the wheel's spin is not among it."""
    wheel, knuckle = vehicle.wheel, axle.knuckle
    across = np.diag([wheel.inertia[0], 0.0, wheel.inertia[2]])
    arm = np.subtract(knuckle.com, axle.hub)
    mass, com, inertia = combine([(knuckle.mass, arm, knuckle.moments()), (wheel.mass, np.zeros(3), across)])
    return mass, com if left else MIRROR @ com, _mirrored(inertia, left)


def _mirrored(inertia: np.ndarray, left: bool) -> np.ndarray:
    return inertia if left else MIRROR @ inertia @ MIRROR


def _body(mass: float, com: np.ndarray, inertia: np.ndarray) -> dict[str, Any]:
    moments = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    return {"mass": float(mass), "com": _list(com), "inertia": _list(moments)}


def _list(values: Any) -> list[float]:
    return [float(value) + 0.0 for value in values]
