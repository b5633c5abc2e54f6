"""A machine on a moving base as a machine on the ground: the base becomes a body on joints whose motions are given."""

import math
from typing import Any

from gori.model.loops.motions import motion_values
from gori.spec import GROUND, Bushing, Fill, Motion, Region, Spec, Spring, Strut
from gori.spec.loops.motion import BASE

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_STEPS = (("x", _X), ("y", _Y), ("z", _Z), ("yaw", _Z), ("pitch", _Y), ("roll", _X))
"""from the ground to the base: Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll)"""


def with_moving_base(spec: Spec) -> Spec:
    """A Spec without `base` that moves in the same way.

    What stood on the ground (joints, cuts, gears, frames, springs, struts, bushings, walls and boxes of particles)
    stands on a massless body `base`. It
    is carried by joints `base.x`, `base.y`, `base.z`, `base.yaw`, `base.pitch` and `base.roll`, massless bodies between
    them, each with a motion of the same name and the start coordinate and velocity of that motion. They are the first
    coordinates of the machine. A step that is zero is left out, one that is another number is a fixed joint.
    """
    if spec.base is None:
        return spec
    roll, pitch, yaw = spec.base.rpy
    steps = [
        (name, axis, value)
        for (name, axis), value in zip(_STEPS, (*spec.base.position, yaw, pitch, roll))
        if value != 0.0
    ] or [("x", _X, 0.0)]  # a base that rests is a body all the same

    bodies, joints, motions = {}, {}, {}
    parent = GROUND
    for k, (name, axis, value) in enumerate(steps):
        child = f"{BASE}.{name}.carriage" if k + 1 < len(steps) else BASE
        bodies[child] = {}
        joints[f"{BASE}.{name}"] = {"parent": parent, "child": child} | _joint(spec, name, axis, value)
        if not isinstance(value, float):
            motions[f"{BASE}.{name}"] = _motion(spec, name, value)
        parent = child

    parts: dict[str, Any] = {field: getattr(spec, field) for field in spec.model_fields_set if field != "base"}
    parts["bodies"] = bodies | {name: body for name, body in spec.bodies.items() if name != GROUND}
    if GROUND in spec.bodies:
        weightless = {"density": None, "mass": None}
        shapes = spec.bodies[GROUND].shapes.items()
        parts["bodies"][BASE] = {
            "shapes": {name: shape.model_copy(update=weightless if shape.heavy else {}) for name, shape in shapes}
        }
    parts["joints"] = joints | {name: _joined(_moved(joint, "parent")) for name, joint in spec.joints.items()}
    parts["cuts"] = {name: _joined(_moved(cut, "parent", "child")) for name, cut in spec.cuts.items()}
    parts["gears"] = {name: _moved_gear(gear) for name, gear in spec.gears.items()}
    parts["motions"] = motions | spec.motions
    parts["forces"] = {
        name: _moved(force, "parent", "child") if isinstance(force, Spring | Strut | Bushing) else force
        for name, force in spec.forces.items()
    }
    parts["frames"] = {name: _moved(frame, "body") for name, frame in spec.frames.items()}
    for group in ("particles", "inlets", "outlets"):
        parts[group] = {name: _moved_particles(part) for name, part in getattr(spec, group).items()}
    parts["no_contact"] = tuple(tuple(_moved_name(name) for name in pair) for pair in spec.no_contact)
    return Spec.model_validate(parts)


def _motion(spec: Spec, name: str, value: Any) -> dict[str, Any]:
    """The motion of one step."""
    assert spec.base is not None
    more = {"interpolation": spec.base.interpolation} if isinstance(value, tuple) else {}
    return {"joint": f"{BASE}.{name}", "value": value, **more}


def _joint(spec: Spec, name: str, axis: tuple[float, ...], value: Any) -> dict[str, Any]:
    """The joint of one step, without its bodies."""
    slides = name in ("x", "y", "z")
    if isinstance(value, float):
        if slides:
            return {"type": "fixed", "at": [value * along for along in axis]}
        return {"type": "fixed", "quat": [math.cos(value / 2.0), *(math.sin(value / 2.0) * about for about in axis)]}
    ((q, v, _),) = motion_values(Motion.model_validate(_motion(spec, name, value)), 0.0, [0.0])
    return {"type": "prismatic" if slides else "revolute", "axis": axis, "q": q, "v": v}


def _moved_particles(part: Any) -> Any:
    """A group of particles, an inlet or an outlet whose boxes and shapes that are the ground's are the base's."""
    if isinstance(part, Fill) and part.shape is not None and part.shape.startswith(f"{GROUND}."):
        return part.model_copy(update={"shape": BASE + part.shape.removeprefix(GROUND)})
    boxes = {name: _moved_particles(value) for name, value in part if isinstance(value, Fill | Region)}
    part = part.model_copy(update=boxes)
    # with a box or a fill, the body is not that of the part
    own = isinstance(part, Region) or any(getattr(part, name, None) is not None for name in ("positions", "below"))
    return _moved(part, "body") if own else part


def _moved_gear(gear: Any) -> Any:
    """A gear of whose bodies the ground is the base."""
    bodies = tuple(BASE if body == GROUND else body for body in gear.bodies)
    return _moved(gear, "carrier").model_copy(update={"bodies": bodies})


def _moved_name(name: str) -> str:
    """A body or shape of the ground as one of the base."""
    return BASE + name.removeprefix(GROUND) if name == GROUND or name.startswith(f"{GROUND}.") else name


def _joined(part: Any) -> Any:
    """A joint or cut on the base, which like the ground touches what it carries."""
    return part.model_copy(update={"contact": True} if BASE in (part.parent, part.child) else {})


def _moved(part: Any, *sides: str) -> Any:
    """A part whose sides that are the ground are the base."""
    return part.model_copy(update={side: BASE for side in sides if getattr(part, side) == GROUND})
