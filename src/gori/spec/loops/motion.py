"""Motions that are given beforehand: of one coordinate of a joint, or of the base that the machine stands on.

Lengths in metres, angles in radians. A motion over time is a number, an expression of t alone, or a table
[[t, x], ...]. Its velocity and acceleration follow from it, so it has to be smooth: an expression is differentiated
(`derivative.py`), a table is followed by a cubic spline that begins and ends at rest, since outside its times the
motion is held. Where a table is to begin or end at speed, give it rows before the start and after the end of the run.
A spline may swing past its rows, which `table_curve` can tell; `interpolation: pchip` never does (Fritsch and Butland
1984), but its acceleration jumps at each row.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import Index, Number, Part, Positive, a_sequence, refuse_both
from gori.spec.derivative import derivative
from gori.spec.expression import closest, parse
from gori.spec.force import Value
from gori.spec.joint import GROUND, NQ, QUATERNION

if TYPE_CHECKING:
    from gori.spec.spec import Spec

BASE = "base"
"""name of the body that a moving base becomes; its joints begin with `base.`"""


def _of_time(value: Any) -> Any:
    """Expressions of t alone that can be differentiated twice; numbers and tables pass."""
    if not isinstance(value, str):
        return value
    program = parse(value)
    for operation, name in program:
        if operation == "name" and name != "t":
            raise PydanticCustomError(
                "motion",
                "{name} is not allowed here: a prescribed motion is an expression of t alone; "
                "to follow the state of the machine use a force of type motor",
                {"name": repr(name)},
            )
    try:
        derivative(derivative(program))
    except ValueError as error:
        raise PydanticCustomError("motion", "{words}", {"words": str(error)}) from None
    return value


OverTime = Annotated[Value, AfterValidator(_of_time)]
Interpolation = Literal["spline", "pchip"]
PAST = 0.05
"""share of the range of a table by which a spline may leave it in silence"""
_Three = Annotated[tuple[OverTime, OverTime, OverTime], BeforeValidator(a_sequence)]


class Motion(Part):
    """A coordinate of a joint that moves as given, whatever force that takes: by its value, or by a steady speed."""

    joint: str
    axis: Index = Field(0, description="coordinate of the joint, from 0; for a cylindrical joint 1 is the travel")
    value: OverTime | None = Field(None, description="q as a function of time [rad, m]")
    interpolation: Interpolation = Field(
        "spline", description="of a table: a cubic spline, or pchip, which never goes past its rows; both begin at rest"
    )
    speed: Number | None = Field(None, description="q = start + speed t [rad/s, m/s]")
    start: Number | None = Field(None, description="with speed: q at t = 0 [rad, m]; default: the joint's initial q")
    weight: Positive = Field(
        1.0, description="of its drive, where more motions than degrees of freedom share the load: the larger, the less"
    )

    @model_validator(mode="after")
    def _one_way(self):
        refuse_both(self, "value", "speed")
        if self.value is None and self.speed is None:
            raise PydanticCustomError("motion", "a motion needs value or speed", {})
        if self.start is not None and self.speed is None:
            raise PydanticCustomError(
                "motion", "start is for speed; a value defines its own start", {"inside": "start"}
            )
        if self.interpolation != "spline" and not isinstance(self.value, tuple):
            raise PydanticCustomError("motion", "is for a value that is a table", {"inside": "interpolation"})
        return self


class Base(Part):
    """A base that moves as given: all that is joined to the ground stands on it.

    Its pose is Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll): roll, pitch and yaw about fixed axes.
    """

    position: _Three = Field((0.0, 0.0, 0.0), description="x, y, z as functions of time [m]")
    rpy: _Three = Field((0.0, 0.0, 0.0), description="roll, pitch, yaw as functions of time [rad]")
    interpolation: Interpolation = Field("spline", description="of tables: a cubic spline, or pchip")


# ---- tables


def table_curve(rows: Any, interpolation: str) -> Any:
    """The piecewise cubic (scipy's PPoly) through the rows (t, x) of a table, at rest at both ends."""
    from scipy.interpolate import CubicHermiteSpline, CubicSpline, PchipInterpolator

    t, x = np.array(rows, float).T
    if interpolation == "spline":
        return CubicSpline(t, x, bc_type="clamped")
    slopes = PchipInterpolator(t, x).derivative()(t)
    slopes[[0, -1]] = 0.0
    return CubicHermiteSpline(t, x, slopes)


def farthest_past(rows: Any) -> tuple[float, float, float] | None:
    """Where the spline of a table leaves the range of its rows by more than PAST of it: time [s], value, and how far as
    a share of the range; None if it does not.
    """
    x = np.array(rows, float)[:, 1]
    low, high = x.min(), x.max()
    curve = table_curve(rows, "spline")
    turns = curve.derivative().roots(extrapolate=False)
    turns = turns[np.isfinite(turns)]
    if high == low or not len(turns):
        return None
    values = curve(turns)
    past = np.maximum(values - high, low - values) / (high - low)
    k = int(np.argmax(past))
    return (float(turns[k]), float(values[k]), float(past[k])) if past[k] > PAST else None


def swinging_tables(spec: "Spec") -> list[tuple[str, str]]:
    """Warnings of motions whose spline goes where no row of the table is, as (dotted place, message)."""
    tables = [(f"motions.{name}.value", one.value, one) for name, one in spec.motions.items()]
    if spec.base is not None:
        for field in ("position", "rpy"):
            tables += [(f"base.{field}.{k}", value, spec.base) for k, value in enumerate(getattr(spec.base, field))]
    found = []
    for at, rows, part in tables:
        if isinstance(rows, tuple) and part.interpolation == "spline" and (past := farthest_past(rows)) is not None:
            t, x, share = past
            found.append((
                at,
                f"the spline through this table goes to {x:.4g} at t = {t:.4g} s, past its rows by "
                f"{100.0 * share:.0f} % of their range: take interpolation: pchip, or more rows where the motion "
                "shall rest",
            ))  # fmt: skip
    return found


# ---- what needs the rest of the Spec


def check_motions(spec: "Spec") -> Iterator[tuple[str, str]]:
    """Dotted place and words of what is wrong with the motions of a Spec whose joints are in order."""
    taken = {GROUND: "the ground"}
    for group, word in (("bodies", "body"), ("frames", "frame"), ("cuts", "cut"), ("forces", "force")):
        taken |= dict.fromkeys(getattr(spec, group), f"a {word}")
    driven: dict[tuple[str, int], str] = {}
    for name, motion in spec.motions.items():
        at = f"motions.{name}"
        if name in taken and not (name in spec.cuts and name == motion.joint):
            yield at, f"motion {name!r} has the name of {taken[name]}: choose another name"
        elif name in spec.joints and name != motion.joint:
            yield at, f"motion {name!r} has the name of a joint that it does not move: choose another name"
        if words := _no_coordinate(motion, spec):
            field, reason = words
            yield f"{at}.{field}", reason
            continue
        leader = _leader(motion.joint, spec)
        other = driven.setdefault((leader, motion.axis), name)
        if other != name:
            same = spec.motions[other].joint == motion.joint
            which = f"joint {motion.joint!r}" if same else f"joints that mimic each other, led by {leader!r}"
            which += f", axis {motion.axis}" if NQ[_joints(spec)[leader].type] > 1 else ""
            yield at, f"motions {other!r} and {name!r} both prescribe {which}: remove one"


def _joints(spec: "Spec") -> dict[str, Any]:
    """Joints and cuts: motions move coordinates of both."""
    return {**spec.joints, **spec.cuts}


def _no_coordinate(motion: Motion, spec: "Spec") -> tuple[str, str] | None:
    """The field and the reason why a motion moves no coordinate."""
    joints = _joints(spec)
    if motion.joint not in joints:
        return "joint", f"{motion.joint!r} is not a joint{closest(motion.joint, joints)}"
    joint, kind = f"joint {motion.joint!r}", joints[motion.joint].type
    if kind == "distance":
        return "joint", f"cut {motion.joint!r} is a rod of fixed length, which has no coordinates to move"
    if kind == "fixed":
        return "joint", f"{joint} is fixed: it does not move; make it revolute or prismatic"
    if kind in QUATERNION:
        instead = "three revolute" if kind == "spherical" else "three prismatic and three revolute"
        return "joint", (
            f"{joint} is {kind}, and its q contains a quaternion, which single coordinates cannot prescribe: "
            f"use {instead} joints with massless bodies between them"
        )
    if motion.axis >= NQ[kind]:
        known = "only 0" if NQ[kind] == 1 else f"0 to {NQ[kind] - 1}"
        return "axis", f"{joint} is {kind} and has no axis {motion.axis}: {known}"
    return None


def _leader(joint: str, spec: "Spec") -> str:
    """The joint that is at the end of all mimic, or the joint itself."""
    while joint in spec.joints and (mimic := spec.joints[joint].mimic) is not None:
        joint = mimic.joint
    return joint
