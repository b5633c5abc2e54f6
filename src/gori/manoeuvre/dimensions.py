"""What drivers and courses need to know of a vehicle: where its wheels are, how wide it is, how far it steers."""

import math
from dataclasses import dataclass

import numpy as np

from gori.errors import InputError
from gori.model import Model, assemble
from gori.spec.expression import closest


@dataclass(frozen=True)
class Dimensions:
    """Of one vehicle, as it stands in q."""

    vehicle: str
    wheelbase: float
    """[m]"""
    track: float
    """of the front wheels [m]"""
    width: float
    """over the tyres [m]"""
    front: float
    """front axle before the origin of the chassis [m]"""
    rear: float
    """rear axle before it: negative [m]"""
    radius: float
    """of the tyres [m]"""
    lock: float
    """mean angle of the steered wheels for a full turn to the left [rad], by its slope in the middle; 0: not steered"""
    wheels: tuple[str, ...]
    """the front ones first, left before right"""
    steered: tuple[str, ...]
    chassis: str
    joint_q: slice
    """places of the chassis in q: quaternion, position"""
    joint_v: slice
    """and in v: angular, linear, chassis axes"""

    @property
    def outline(self) -> np.ndarray:
        """Corners (4, 2) over the tyres, in the chassis frame [m]: front left, front right, rear right, rear left."""
        x0, x1, y = self.rear - self.radius, self.front + self.radius, 0.5 * self.width
        return np.array([[x1, y], [x1, -y], [x0, -y], [x0, y]])


def dimensions(model: Model, vehicle: str = "truck", q: np.ndarray | None = None) -> Dimensions:
    """The Dimensions of a vehicle of a Model, by its name; q is a closed pose, at first that of the Spec, assembled."""
    joints = {info.name: info for info in model.joints}
    if vehicle not in joints or joints[vehicle].type != "free":
        free = [info.name for info in model.joints if info.type == "free"]
        hint = closest(vehicle, free) or f"; vehicles here: {', '.join(free) or 'none'}"
        raise InputError(f"there is no vehicle {vehicle!r}{hint}")
    spec, info = model.spec, joints[vehicle]
    names = [name for name in spec.wheels if name.startswith(f"{vehicle}.")]
    if len(names) < 2:
        raise InputError(f"vehicle {vehicle!r} has no wheels, so it cannot be driven")
    q = assemble(model) if q is None else np.array(q, float)
    chassis = spec.joints[vehicle].child
    places = {name: _wheel(model, q, chassis, name)[0] for name in names}
    names.sort(key=lambda name: (-round(places[name][0], 1), -places[name][1]))
    front = [name for name in names if abs(places[name][0] - places[names[0]][0]) < 0.5]
    back = [name for name in names if abs(places[name][0] - places[names[-1]][0]) < 0.5]
    front_x, back_x = (float(np.mean([places[name][0] for name in axle])) for axle in (front, back))
    sides = [places[name][1] for name in front]
    reach = max(abs(places[name][1]) + 0.5 * spec.wheels[name].tyre.width for name in names)
    turned = _turned(model, q, vehicle, chassis, names)
    steered = tuple(name for name, angle in turned.items() if abs(angle) > 1e-3)
    return Dimensions(
        vehicle=vehicle,
        wheelbase=front_x - back_x,
        track=float(max(sides) - min(sides)),
        width=2.0 * float(reach),
        front=front_x,
        rear=back_x,
        radius=float(max(spec.wheels[name].tyre.radius for name in names)),
        lock=float(np.mean([turned[name] for name in steered])) if steered else 0.0,
        wheels=tuple(names),
        steered=steered,
        chassis=chassis,
        joint_q=info.q,
        joint_v=info.v,
    )


def _wheel(model: Model, q: np.ndarray, chassis: str, name: str) -> tuple[np.ndarray, float]:
    """Centre (3,) of a wheel in the chassis frame [m], and the angle of its heading to the left [rad]."""
    poses, wheel = model.forward_kinematics(q), model.spec.wheels[name]
    R, p = poses[chassis][:3, :3], poses[chassis][:3, 3]
    body = poses[wheel.body]
    axis = R.T @ body[:3, :3] @ wheel.axis
    return R.T @ (body[:3, :3] @ wheel.at + body[:3, 3] - p), math.atan2(-axis[0], axis[1])


def _turned(model: Model, q: np.ndarray, vehicle: str, chassis: str, names: list[str]) -> dict[str, float]:
    """Angles of the wheels for a full turn to the left [rad]: ten times those of a tenth of it."""
    parts = [part for name, part in model.spec.steering.items() if name.startswith(f"{vehicle}.")]
    if not parts:
        return dict.fromkeys(names, 0.0)
    share, there = 0.1, q.copy()
    for part in parts:
        there[model.joint(part.joint).q] += share * part.travel
    there = assemble(model, there, hold=[vehicle, *(part.joint for part in parts)]) if model.loops else there
    return {
        name: (_wheel(model, there, chassis, name)[1] - _wheel(model, q, chassis, name)[1]) / share for name in names
    }
