"""What drivers and courses need to know of a vehicle: where its wheels are, how wide it is, how far it steers."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model import Model, assemble
from gori.spec.expression import closest
from gori.spec.vehicle.control import owner


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

    def x(self, run: Any) -> float:
        """Where the chassis is along x now [m]; run: a Simulation."""
        return float(run.q[self.joint_q.start + 4])

    def speed(self, run: Any) -> float:
        """Ahead, along the chassis [m/s]."""
        return float(run.v[self.joint_v.start + 3])

    @property
    def outline(self) -> np.ndarray:
        """Corners (4, 2) over the tyres, in the chassis frame [m]: front left, front right, rear right, rear left."""
        x0, x1, y = self.rear - self.radius, self.front + self.radius, 0.5 * self.width
        return np.array([[x1, y], [x1, -y], [x0, -y], [x0, y]])


def driven_vehicle(model: Model) -> str:
    """The name of the one vehicle that a Model has: that of its drive train, before the dot."""
    names = dict.fromkeys(map(owner, model.spec.drivetrains))
    if len(names) != 1:
        words = f"has {len(names)}: {', '.join(names)}" if names else "has no drive train"
        raise InputError(f"a manoeuvre needs one vehicle with a drive train; this Spec {words}")
    return next(iter(names))


def root_of(model: Model, vehicle: str) -> str:
    """The free joint on the ground that carries a vehicle: of its own name, or that of the wheels which it drives."""
    tables = model.vehicle
    roots = {} if tables is None else tables.roots
    if tables is None and any(info.name == vehicle and info.type == "free" for info in model.joints):
        raise InputError(f"vehicle {vehicle!r} has no wheels, so it cannot be driven")
    if vehicle in roots:
        return vehicle
    driven = [name for key, train in model.spec.drivetrains.items() if owner(key) == vehicle for name in train.wheels]
    found = dict.fromkeys(wheel.root for wheel in (tables.mounted if tables else ()) if wheel.name in driven)
    if len(found) == 1 and (root := next(iter(found))) in roots:
        return root
    known = [*roots, *dict.fromkeys(map(owner, model.spec.drivetrains))]
    hint = closest(vehicle, known) or f"; vehicles here: {', '.join(dict.fromkeys(known)) or 'none'}"
    raise InputError(f"there is no vehicle {vehicle!r}{hint}. A vehicle stands on the ground by a free joint")


def dimensions(model: Model, vehicle: str = "truck", q: np.ndarray | None = None) -> Dimensions:
    """The Dimensions of a vehicle of a Model, by its name; q is a closed pose, at first that of the Spec, assembled.

    x of the body on its free joint looks ahead, y to the left, and the axes of its wheels too.
    """
    root, spec = root_of(model, vehicle), model.spec
    assert model.vehicle is not None
    info, chassis = model.joint(root), model.vehicle.roots[root]
    names = [wheel.name for wheel in model.vehicle.mounted if wheel.root == root]
    if len(names) < 2:
        raise InputError(f"vehicle {vehicle!r} has no wheels, so it cannot be driven")
    q = assemble(model) if q is None else np.array(q, float)
    places = {name: _wheel(model, q, chassis, name)[0] for name in names}
    names.sort(key=lambda name: (-round(places[name][0], 1), -places[name][1]))
    front = [name for name in names if abs(places[name][0] - places[names[0]][0]) < 0.5]
    back = [name for name in names if abs(places[name][0] - places[names[-1]][0]) < 0.5]
    front_x, back_x = (float(np.mean([places[name][0] for name in axle])) for axle in (front, back))
    sides = [places[name][1] for name in front]
    reach = max(abs(places[name][1]) + 0.5 * spec.wheels[name].tyre.width for name in names)
    turned = _turned(model, q, root, chassis, names)
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


def _turned(model: Model, q: np.ndarray, root: str, chassis: str, names: list[str]) -> dict[str, float]:
    """Angles of the wheels for a full turn to the left [rad]: ten times those of a tenth of it."""
    parts = [part for part in model.spec.steering.values() if _carried_by(model, part.joint, chassis)]
    if not parts:
        return dict.fromkeys(names, 0.0)
    share, there = 0.1, q.copy()
    for part in parts:
        there[model.joint(part.joint).q] += share * part.travel
    there = assemble(model, there, hold=[root, *(part.joint for part in parts)]) if model.loops else there
    return {
        name: (_wheel(model, there, chassis, name)[1] - _wheel(model, q, chassis, name)[1]) / share for name in names
    }


def _carried_by(model: Model, joint: str, chassis: str) -> bool:
    """Whether a joint is on a chassis, or on something that hangs on it."""
    above = {part.child: part.parent for part in model.spec.joints.values()}
    body = model.spec.joints[joint].parent
    while body != chassis and body in above:
        body = above[body]
    return body == chassis
