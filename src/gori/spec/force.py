"""Forces by name: on joints, on bodies, and between bodies.

A `Value` changes with time or state: a number, an expression (`expression.py`), or a table [[t, x], ...], linear
between its rows and held before the first and after the last. Signs: a positive force on a joint drives its q up.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import Index, NonNegative, Number, Part, Positive, Vector3, a_sequence, refuse_both
from gori.spec.expression import NAMES, READINGS, closest, parse
from gori.spec.joint import GROUND, NV, Pair, Six, closest_body, refuse_same_body
from gori.spec.loops.cut import AS_A_JOINT
from gori.spec.strut import Strut

if TYPE_CHECKING:
    from gori.spec.spec import Spec

# ---- values


def _value_tag(value: Any) -> str | None:
    """What pydantic adds to the place of a problem in a Value; in angle brackets, so that it is known there."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return "<number>"
    if isinstance(value, str):
        return "<expression>"
    return "<table>" if isinstance(value, (list, tuple, np.ndarray)) else None


def _an_expression(text: str) -> str:
    try:
        parse(text)
    except ValueError as error:
        raise PydanticCustomError("expression", "{words}", {"words": str(error)}) from None
    return text


def _a_table(rows: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...] | float:
    if len(rows) == 0:
        raise PydanticCustomError("table", "a table needs at least one row [t, x]", {})
    for k in range(1, len(rows)):
        before, now = rows[k - 1][0], rows[k][0]
        if now <= before:
            raise PydanticCustomError(
                "table",
                "times must increase from row to row: {now} follows {before}",
                {"now": now, "before": before, "inside": str(k)},
            )
    return rows[0][1] if len(rows) == 1 else rows  # one row is held for ever: a number


_Expression = Annotated[str, AfterValidator(_an_expression)]
_Table = Annotated[tuple[tuple[Number, Number], ...], BeforeValidator(a_sequence), AfterValidator(_a_table)]
Value = Annotated[
    Annotated[Number, Tag("<number>")]
    | Annotated[_Expression, Tag("<expression>")]
    | Annotated[_Table, Tag("<table>")],
    Discriminator(
        _value_tag,
        custom_error_type="value",
        custom_error_message="must be a number, an expression or a table [[t, x], ...]",
    ),
]


# ---- parts


class _OnJoint(Part):
    joint: str
    dof: Index = Field(0, description="degree of freedom of the joint, from 0")


class JointTorque(_OnJoint):
    """A moment on a degree of freedom that turns."""

    type: Literal["torque"]
    value: Value = Field(description="[N m]")


class JointForce(_OnJoint):
    """A force on a degree of freedom that slides."""

    type: Literal["force"]
    value: Value = Field(description="[N]")


class Wrench(Part):
    """A force and a moment on a body, at a point that is fixed to it."""

    type: Literal["wrench"]
    body: str = Field(description="body or frame")
    force: tuple[Value, Value, Value] = Field((0.0, 0.0, 0.0), description="[N]")
    moment: tuple[Value, Value, Value] = Field((0.0, 0.0, 0.0), description="about the point of application [N m]")
    at: Vector3 = Field((0.0, 0.0, 0.0), description="point of application, body frame [m]")
    axes: Literal["world", "body"] = Field("world", description="axes of force and moment")


class Spring(Part):
    """A spring and a damper along the line between two points: stiffness (distance - length) + damping rate pulls."""

    type: Literal["spring"]
    parent: str = Field(description="body or frame")
    at: Vector3 = Field((0.0, 0.0, 0.0), description="end on the parent, in its frame [m]")
    child: str = Field(description="body or frame")
    child_at: Vector3 = Field((0.0, 0.0, 0.0), description="end on the child, in its frame [m]")
    stiffness: NonNegative = Field(description="[N/m]")
    damping: NonNegative = Field(0.0, description="[N s/m]")
    length: NonNegative | None = Field(None, description="free length [m]; default: the length in the initial pose")

    @model_validator(mode="after")
    def _two_bodies(self):
        refuse_same_body(self)
        return self


class Torsion(_OnJoint):
    """A spring and a damper about a joint: tau = preload - stiffness (q - rest) - damping v."""

    type: Literal["torsion"]
    stiffness: NonNegative = Field(description="[N m/rad]")
    damping: NonNegative = Field(0.0, description="[N m s/rad]")
    rest: Number | None = Field(None, description="q at which the torque equals the preload [rad]; default: 0")
    rest_deg: Number | None = Field(None, description="same in [deg]")
    preload: Number = Field(0.0, description="torque at rest [N m]")

    @model_validator(mode="after")
    def _one_rest(self):
        refuse_both(self, "rest", "rest_deg")
        return self

    def rest_q(self) -> float:
        """q at which the torque is the preload [rad]."""
        return float(np.radians(self.rest_deg)) if self.rest_deg is not None else self.rest or 0.0


class Bushing(Pair):
    """A rubber mount: springs and dampers between a frame on the parent and one on the child, in all six directions.

    parent and child may be bodies or frames. The springs have a potential, (r.Kr + d.Kd)/2 with the rotation vector r
    and the deflection d of the child's frame, seen from the parent's.
    """

    type: Literal["bushing"]
    stiffness: Six = Field(description="about x y z [N m/rad], then along x y z [N/m], in the parent's frame")
    damping: Six = Field(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), description="about x y z [N m s/rad], then along x y z [N s/m]"
    )


class Motor(_OnJoint):
    """A drive: tau = kp (target - q) + kd (target_velocity - v), within +-limit."""

    type: Literal["motor"]
    target: Value | None = Field(None, description="[rad, m]; default: the initial value of q")
    target_velocity: Value = Field(0.0, description="[rad/s, m/s]")
    kp: NonNegative = Field(0.0, description="[N m/rad, N/m]")
    kd: NonNegative = Field(0.0, description="[N m s/rad, N s/m]")
    limit: Positive | None = Field(None, description="largest torque or force [N m, N]")

    @model_validator(mode="after")
    def _does_something(self):
        given = self.model_fields_set
        if self.target is not None and "kp" not in given:
            raise PydanticCustomError("motor", "a motor with a target needs kp", {})
        if not {"kp", "kd"} & given:
            raise PydanticCustomError("motor", "a motor needs kp or kd", {})
        return self


FORCES = {
    "torque": JointTorque,
    "force": JointForce,
    "wrench": Wrench,
    "spring": Spring,
    "strut": Strut,
    "torsion": Torsion,
    "bushing": Bushing,
    "motor": Motor,
}
Force = Annotated[
    JointTorque | JointForce | Wrench | Spring | Strut | Torsion | Bushing | Motor,
    Field(discriminator="type"),
]


# ---- what needs the rest of the Spec

SLIDING = {"prismatic": (0,), "cylindrical": (1,), "planar": (0, 1), "free": (3, 4, 5)}
"""degrees of freedom that do not turn, by type of joint"""

Problems = Iterator[tuple[str, str]]
"""dotted place in the Spec, and words"""


def values_of(force: Any) -> Iterator[tuple[str, Any]]:
    """All Values of a force, each with its place in it: ("value", ..), ("force.0", ..)."""
    match force:
        case JointTorque() | JointForce():
            yield "value", force.value
        case Wrench():
            for name in ("force", "moment"):
                yield from ((f"{name}.{k}", value) for k, value in enumerate(getattr(force, name)))
        case Motor():
            if force.target is not None:
                yield "target", force.target
            yield "target_velocity", force.target_velocity


def check_forces(spec: "Spec") -> Problems:
    """Problems of the forces of a Spec whose joints and bodies are valid."""
    taken = {GROUND: "the ground"}
    for group, word in (("joints", "joint"), ("bodies", "body"), ("frames", "frame"), ("cuts", "cut")):
        taken |= dict.fromkeys(getattr(spec, group), f"a {word}")
    for name, force in spec.forces.items():
        at = f"forces.{name}"
        if name in taken:
            yield at, f"force {name!r} has the name of {taken[name]}: choose another name"
        match force:
            case _OnJoint():
                yield from _check_joint(at, force, spec)
            case Wrench():
                yield from _check_wrench(at, force, spec)
            case Spring() | Strut() | Bushing():
                yield from _check_ends(at, force, spec)
        for place, value in values_of(force):
            if isinstance(value, str):
                names = dict.fromkeys(str(argument) for operation, argument in parse(value) if operation == "name")
                for unknown in names:
                    if words := _misnamed(unknown, spec):
                        yield f"{at}.{place}", words


def _check_ends(at: str, force: Any, spec: "Spec") -> Problems:
    """Ends are bodies, or frames of two different bodies."""
    bodies = []
    for side in ("parent", "child"):
        end = getattr(force, side)
        bodies.append(spec.frames[end].body if end in spec.frames else end)
        if bodies[-1] != GROUND and bodies[-1] not in spec.bodies:
            known = [*spec.bodies, *spec.frames]
            yield f"{at}.{side}", f"{side} {end!r} is not a body or frame{closest_body(end, known)}"
    if bodies[0] == bodies[1]:
        ends = f"parent {force.parent!r} and child {force.child!r}"
        yield f"{at}.child", f"{ends} are on the same body, {bodies[0]!r}: a {force.type} between them has no effect"


def _check_wrench(at: str, force: Wrench, spec: "Spec") -> Problems:
    body = force.body
    if body in spec.frames:
        body = spec.frames[body].body
    if body == GROUND:
        yield f"{at}.body", f"{force.body!r} is the ground, or fixed to it: a wrench on it has no effect"
    elif body not in spec.bodies:
        yield f"{at}.body", f"{body!r} is not a body or frame{closest(body, [*spec.bodies, *spec.frames])}"


def _check_joint(at: str, force: Any, spec: "Spec") -> Problems:
    if force.joint in spec.cuts:
        yield f"{at}.joint", f"{force.joint!r} is a cut, and takes no {force.type}: {AS_A_JOINT}"
        return
    if force.joint not in spec.joints:
        yield f"{at}.joint", f"{force.joint!r} is not a joint{closest(force.joint, spec.joints)}"
        return
    kind = spec.joints[force.joint].type
    joint, nv = f"joint {force.joint!r}", NV[kind]
    if nv == 0:
        yield f"{at}.joint", f"{joint} is fixed: a {force.type} on it has no effect"
        return
    if force.type in ("motor", "torsion") and kind in ("spherical", "free"):
        yield (
            f"{at}.joint",
            f"{joint} is {kind}, and its q contains a quaternion: a {force.type} needs a single coordinate",
        )
        return
    if force.dof >= nv:
        known = "only 0" if nv == 1 else f"0 to {nv - 1}"
        yield f"{at}.dof", f"{joint} is {kind} and has no degree of freedom {force.dof}: {known}"
        return
    slides = force.dof in SLIDING.get(kind, ())
    which = joint if nv == 1 else f"degree of freedom {force.dof} of {joint}"
    if force.type == "force" and not slides:
        yield f"{at}.type", f"{which} is rotational ({kind}): write type: torque"
    elif force.type == "torque" and slides:
        yield f"{at}.type", f"{which} is translational ({kind}): write type: force"
    elif force.type == "torsion" and slides:
        yield f"{at}.type", f"{which} is translational ({kind}): give the joint stiffness, damping and rest instead"


def _misnamed(name: str, spec: "Spec") -> str | None:
    """The problem with a name in an expression."""
    joint, _, coordinate = name.rpartition(".")
    if name == "t" or (coordinate in READINGS and (joint in spec.bodies or joint in spec.frames) and joint != GROUND):
        return None
    if coordinate in ("q", "v") and joint in spec.joints:
        kind = spec.joints[joint].type
        if NV[kind] == 1:
            return None
        return f"{name!r}: joint {joint!r} is {kind}; expressions can use only joints with one degree of freedom"
    if coordinate in ("q", "v") and joint in spec.cuts:
        return f"{name!r}: {joint!r} is a cut, which forces cannot read, as events and motions can: {AS_A_JOINT}"
    known = [f"{joint}.{end}" for joint, part in spec.joints.items() if NV[part.type] == 1 for end in "qv"]
    known += [f"{body}.{end}" for body in (*spec.bodies, *spec.frames) if body != GROUND for end in READINGS]
    return f"unknown name {name!r}{closest(name, known) or f'; known names are {NAMES}'}"
