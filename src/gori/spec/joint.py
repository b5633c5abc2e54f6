"""Joints and cuts."""

from collections.abc import Iterable
from functools import partial
from itertools import combinations
from typing import Annotated, Any, Literal, LiteralString

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import (
    Direction,
    NonNegative,
    Number,
    Part,
    Placed,
    Quaternion,
    Vector3,
    a_sequence,
    refuse_both,
    rotation,
)
from gori.spec.expression import closest

GROUND = "ground"
_OTHER_NAMES_OF_GROUND = ("world", "base", "base_link", "earth", "floor", "origin")

JointType = Literal[
    "fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free"
]
NQ = {"fixed": 0, "revolute": 1, "prismatic": 1, "helical": 1, "cylindrical": 2, "universal": 2, "planar": 3,
      "spherical": 4, "free": 7}  # fmt: skip
NV = NQ | {"spherical": 3, "free": 6}
QUATERNION = ("spherical", "free")
"""types whose q begins with a quaternion"""
_TURNING = ("revolute", "helical", "universal")
_OF_MOTION = ("q", "q_deg", "guess", "guess_deg", "v", "limits", "limits_deg", "limit_stiffness", "limit_damping",
              "velocity_limit", "effort_limit", "damping", "friction", "stick_stiffness", "stiffness", "rest",
              "rest_deg", "armature", "mimic")  # fmt: skip
"""fields that mean nothing where nothing moves"""
_ZERO = ("damping", "friction", "stiffness", "armature")
"""those of them that are zero unless given"""


def closest_body(name: str, bodies: Iterable[str]) -> str:
    """A hint for a name that is no body."""
    other = f"; the fixed body is called {GROUND!r}" if name.lower() in _OTHER_NAMES_OF_GROUND else ""
    return closest(name, [*bodies, GROUND]) + other


def _as_list(value):
    value = a_sequence(value)
    return value if isinstance(value, (list, tuple)) or value is None else (value,)


def _one_or_list(**number) -> WithJsonSchema:
    number["type"] = "number"
    return WithJsonSchema({"anyOf": [number, {"type": "array", "items": number}]})


Numbers = Annotated[tuple[Number, ...], BeforeValidator(_as_list), _one_or_list()]
Range = Annotated[tuple[Number, Number], BeforeValidator(a_sequence)]
NonNegatives = Annotated[tuple[NonNegative, ...], BeforeValidator(_as_list), _one_or_list(minimum=0)]
Six = Annotated[
    tuple[NonNegative, NonNegative, NonNegative, NonNegative, NonNegative, NonNegative], BeforeValidator(a_sequence)
]


class Mimic(Part):
    """q of this joint = ratio * q of the other + offset."""

    joint: str
    ratio: Number = 1.0
    offset: Number = 0.0


def refuse_same_body(part) -> None:
    if part.parent == part.child:
        raise PydanticCustomError("self", "parent and child are the same body, {body}", {"body": repr(part.child)})


class Pair(Placed):
    """Two bodies and a frame on each: `at` on the parent, `child_at` on the child."""

    parent: str
    child: str
    child_at: Vector3 = Field((0.0, 0.0, 0.0), description="joint origin in the child's frame [m]")
    child_rpy_deg: Vector3 | None = None
    child_quat: Quaternion | None = None

    @model_validator(mode="after")
    def _one_child_rotation(self):
        refuse_both(self, "child_rpy_deg", "child_quat")
        refuse_same_body(self)
        return self

    def child_pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Rotation (3, 3) and position (3,) of the joint frame in the child's frame."""
        return rotation(self.child_rpy_deg, self.child_quat), np.array(self.child_at)


class Connection(Pair):
    """Two bodies that are joined."""

    contact: bool = Field(
        False, description="whether shapes of the two bodies can touch each other; by default joined bodies do not"
    )
    axis: Direction = Field((0.0, 0.0, 1.0), description="joint axis, or normal of a planar joint, in the joint frame")
    axis2: Direction | None = Field(None, description="second axis of type universal, perpendicular to the first")
    compliance: Six | None = Field(
        None,
        description="about x y z [rad/(N m)], then along x y z [m/N], in the frame on the parent: how reactions are "
        "shared where rigid-body mechanics leaves that open",
    )


def refuse_field(part: Any, name: str, message: LiteralString, **words: Any) -> None:
    """An error at a field of a joint or cut, or at the whole if that field is what is missing."""
    inside = {"inside": name} if name in part.model_fields_set else {}
    raise PydanticCustomError("field", message, {"type": part.type, "name": name, **words, **inside})


def check_axes(part: Any, kind: str, without: tuple[str, ...]) -> None:
    if "axis" in part.model_fields_set and part.type in without:
        refuse_field(part, "axis", "a {type} {kind} has no axis", kind=kind)
    if part.axis2 is not None:
        if part.type != "universal":
            refuse_field(part, "axis2", "axis2 is for universal {kind}s; this one is {type}", kind=kind)
        if abs(np.dot(part.axis, part.axis2)) > 1e-6 * np.linalg.norm(part.axis) * np.linalg.norm(part.axis2):
            refuse_field(part, "axis2", "axis2 must be perpendicular to axis")


class Joint(Connection):
    """The child moves on the parent.

    Coordinates, in this order: revolute, prismatic, helical 1; cylindrical angle, travel; universal angle about
    axis, angle about axis2; planar x, y, angle; spherical quaternion w x y z; free quaternion w x y z, then x y z.
    Per-coordinate fields take one number for all, or a list with one number for each degree of freedom.
    """

    type: JointType
    pitch: Number | None = Field(None, description="travel of a helical joint [m per turn]")
    q: Numbers | None = Field(None, description="initial coordinates [rad, m]")
    q_deg: Numbers | None = Field(None, description="initial angle [deg]")
    guess: Numbers | None = Field(
        None, description="rough initial coordinates of a joint in a loop, from which its assembly starts [rad, m]"
    )
    guess_deg: Numbers | None = Field(None, description="rough initial angle of a joint in a loop [deg]")
    v: Numbers | None = Field(None, description="initial velocity [rad/s, m/s]")
    limits: Range | None = Field(None, description="lowest and highest q [rad, m]")
    limits_deg: Range | None = None
    limit_stiffness: NonNegative | None = Field(
        None,
        description="stiffness of the limit stops [N m/rad, N/m]; limits act in a simulation only if this is given",
    )
    limit_damping: NonNegative | None = Field(None, description="damping of the limit stops [N m s/rad, N s/m]")
    velocity_limit: NonNegative | None = Field(None, description="[rad/s, m/s]")
    effort_limit: NonNegative | None = Field(None, description="[N m, N]")
    damping: NonNegatives = Field((0.0,), description="[N m s/rad, N s/m]")
    friction: NonNegatives = Field((0.0,), description="Coulomb friction [N m, N]")
    stick_stiffness: NonNegative | None = Field(
        None, description="stiffness of the stick state of friction [N m/rad, N/m]; by default chosen by the simulation"
    )
    stiffness: NonNegatives = Field((0.0,), description="[N m/rad, N/m]")
    rest: Numbers | None = Field(None, description="q at which the spring is relaxed [rad, m]")
    rest_deg: Numbers | None = None
    armature: NonNegatives = Field((0.0,), description="reflected inertia of the drive [kg m2, kg]")
    mimic: Mimic | None = None
    reversed: bool = Field(
        False,
        description="set by gori.compile where it swapped parent and child to form the tree: reactions are still those "
        "on the child as written",
    )

    @model_validator(mode="after")
    def _fits_type(self):
        refuse = partial(refuse_field, self)
        for names in combinations(("q", "q_deg", "guess", "guess_deg"), 2):
            refuse_both(self, *names)
        refuse_both(self, "limits", "limits_deg")
        refuse_both(self, "rest", "rest_deg")
        nq, nv = NQ[self.type], NV[self.type]
        if (self.pitch is not None) != (self.type == "helical"):
            refuse("pitch", "pitch is required for helical joints and not allowed for others; this one is {type}")
        check_axes(self, "joint", without=("fixed", "spherical", "free"))
        for name in _OF_MOTION if self.type == "fixed" else ():
            if name in self.model_fields_set and getattr(self, name) is not None:
                refuse(name, "a fixed joint has no {name}")
        for name in ("q_deg", "guess_deg", "limits_deg", "rest_deg"):
            if getattr(self, name) is not None and self.type not in _TURNING:
                refuse(name, "{name} is for rotational joints; this one is {type}")
        for name in ("limits", "limits_deg", "mimic"):
            if getattr(self, name) is not None and nv != 1:
                refuse(name, "{name} is for joints of one degree of freedom; this one is {type}")
        for name in ("limits", "limits_deg"):
            value = getattr(self, name)
            if value is not None and value[0] > value[1]:
                refuse(name, "the lower limit {low} is above the upper {high}", low=value[0], high=value[1])
        if self.limit_stiffness is not None and self.limits is None and self.limits_deg is None:
            refuse("limit_stiffness", "limit_stiffness is for joints with limits")
        if self.limit_damping is not None and self.limit_stiffness is None:
            refuse("limit_damping", "limit_damping needs limit_stiffness")
        for name in ("damping", "friction", "stiffness", "armature", "v"):
            value = getattr(self, name)
            if value is not None and len(value) not in (1, nv):
                count = "1 number" if nv == 1 else f"1 or {nv} numbers"
                refuse(name, "{name} needs {count} for a {type} joint, has {has}", count=count, has=len(value))
        if self.type == "free":
            if any(self.armature):
                refuse("armature", "a free joint has no drive and cannot have armature")
            if any(self.child_at):
                refuse("child_at", "a free joint refers to the child's own frame: child_at is not allowed")
        if self.type in ("spherical", "free") and (self.child_rpy_deg or self.child_quat):
            refuse(
                "child_quat",
                "a {type} joint refers to the child's own axes: rotate the joint frame on the parent instead",
            )
        if self.type == "spherical" and len(set(self.armature)) > 1:
            refuse("armature", "a spherical joint takes one armature for all directions")
        for name in ("q", "q_deg", "guess", "guess_deg", "rest", "rest_deg"):
            value = getattr(self, name)
            if value is not None and len(value) != nq:
                count = "1 number" if nq == 1 else f"{nq} numbers"
                refuse(name, "{name} needs {count} for a {type} joint, has {has}", count=count, has=len(value))
        for name in ("q", "guess", "rest") if self.type in QUATERNION else ():
            value = getattr(self, name)
            if value is not None and abs(np.linalg.norm(value[:4]) - 1) > 1e-3:
                refuse(name, "{name} must begin with a unit quaternion w x y z")
        return self

    @property
    def given(self) -> bool:
        """Whether initial coordinates are given, to be kept."""
        return self.q is not None or self.q_deg is not None

    @property
    def guessed(self) -> bool:
        """Whether initial coordinates are known roughly."""
        return self.guess is not None or self.guess_deg is not None

    def own(self) -> list[str]:
        """Fields that say something of its motion: what would be lost if it became a cut."""
        given = {name: getattr(self, name) for name in _OF_MOTION}
        return [name for name, value in given.items() if value is not None and (name not in _ZERO or any(value))]

    def warning(self) -> tuple[str, str] | None:
        """A field that is probably wrong, and why."""
        name = "q" if self.q is not None else "q_deg"
        start, limits = getattr(self, name), self.limits or self.limits_deg
        if start is None or limits is None:
            return None
        if name == "q" and self.limits is None:
            limits = np.radians(limits)
        if name == "q_deg" and self.limits_deg is None:
            limits = np.degrees(limits)
        low, high = limits
        if low - 1e-9 <= start[0] <= high + 1e-9:
            return None
        hint = "; did you mean q_deg?" if name == "q" and self.type in _TURNING else ""
        return name, f"{name} lies outside its limits: {start[0]:g} is not within {low:g} and {high:g}{hint}"
