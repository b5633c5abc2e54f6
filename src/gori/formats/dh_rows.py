"""Denavit-Hartenberg rows: frames, links with the joints that carry them, cut sections."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from gori.spec import GROUND, Body, Mimic, Part, Placed
from gori.spec.base import NonNegative, Number, refuse_both
from gori.spec.joint import NonNegatives, Numbers, Range

DOF = {"fixed": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3}
ANGLES = {"universal": 2, "spherical": 3}
"""joints that turn about more than one axis"""
PER_DOF = ("v", "damping", "friction", "stiffness", "armature", "rest", "rest_deg")
"""fields with one number for all degrees of freedom of a joint, or one for each"""
_OF_ONE = ("offset", "offset_deg", "limits", "limits_deg", "mimic")


def _a_link(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _indicator(value: Any) -> Any:
    if isinstance(value, bool) or value not in (0, 1):
        raise PydanticCustomError(
            "indicator", "must be 0 (revolute) or 1 (prismatic), not {value}", {"value": repr(value)}
        )
    return int(value)


_Link = Annotated[
    str, BeforeValidator(_a_link), WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 0}]})
]
_Indicator = Annotated[int, BeforeValidator(_indicator), WithJsonSchema({"enum": [0, 1]})]


def _refuse_field(name: str, message: str) -> None:
    raise PydanticCustomError("field", "{message}", {"message": message, "inside": name})


class DHRow(Part):
    """A frame, and the link it sits on: psi, c (convention branched alone), alpha, a, theta, d."""

    on: _Link | None = Field(None, description="number or name of a link; 0 or ground is the base")
    psi: Number | None = Field(None, description="angle about z to the common normal [rad], convention branched")
    psi_deg: Number | None = None
    c: Number | None = Field(None, description="travel along z to the common normal [m], convention branched")
    alpha: Number | None = Field(None, description="angle about x, from one z to the next [rad]")
    alpha_deg: Number | None = None
    a: Number = Field(0.0, description="travel along x, from one z to the next [m]")
    theta: Numbers | None = Field(
        None,
        description="angle about z [rad]; for a revolute joint its initial value (universal: 2, spherical: 3 angles)",
    )
    theta_deg: Numbers | None = None
    d: Number | None = Field(None, description="travel along z [m]; for a prismatic joint its initial value")

    @model_validator(mode="after")
    def _one_unit(self):
        for name in ("psi", "alpha", "theta"):
            refuse_both(self, name, f"{name}_deg")
        for name in ("theta", "theta_deg"):
            given, most = getattr(self, name), self.angles_wanted()
            if given is not None and len(given) not in (1, most):
                count = "1 number" if most == 1 else f"1 or {most} numbers"
                _refuse_field(name, f"{name} needs {count} here, has {len(given)}")
        return self

    def angles_wanted(self) -> int:
        """How many numbers theta may have."""
        return 1

    def angle(self, name: str) -> float:
        """psi, alpha, offset or the first theta [rad]; zero if it is not given."""
        return float(np.atleast_1d(self.angles(name))[0])

    def angles(self, name: str) -> np.ndarray:
        """All numbers of an angle [rad]."""
        degrees, radians = getattr(self, f"{name}_deg"), getattr(self, name)
        return np.radians(degrees) if degrees is not None else np.array(0.0 if radians is None else radians)


class Link(DHRow, Body):
    """A link and the joint that carries it. Mass, centre, inertia and shapes are those of a body, in the link's frame.

    The joint's coordinate is theta (it turns) or d (it slides), so theta or d in the row is where q starts; with an
    `offset` the coordinate is q = theta - offset, or d - offset. The other one of the two is a constant.
    """

    joint: Literal["fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical"] | None = Field(
        None, description="revolute by default; the last three become revolute and prismatic joints"
    )
    s: _Indicator | None = Field(None, description="joint indicator: 0 revolute, 1 prismatic")
    offset: Number | None = Field(None, description="theta or d of the joint where q = 0 [rad, m]")
    offset_deg: Number | None = None
    v: Numbers | None = Field(None, description="initial velocity [rad/s, m/s]")
    limits: Range | None = Field(None, description="lowest and highest q [rad, m]")
    limits_deg: Range | None = None
    limit_stiffness: NonNegative | None = Field(None, description="stiffness of the limit stops [N m/rad, N/m]")
    limit_damping: NonNegative | None = Field(None, description="damping of the limit stops [N m s/rad, N s/m]")
    velocity_limit: NonNegative | None = Field(None, description="[rad/s, m/s]")
    effort_limit: NonNegative | None = Field(None, description="[N m, N]")
    damping: NonNegatives = Field((0.0,), description="[N m s/rad, N s/m]")
    friction: NonNegatives = Field((0.0,), description="Coulomb friction [N m, N]")
    stick_stiffness: NonNegative | None = Field(
        None, description="stiffness of the stick state of friction [N m/rad, N/m]"
    )
    stiffness: NonNegatives = Field((0.0,), description="[N m/rad, N/m]")
    rest: Numbers | None = Field(None, description="q at which the spring is relaxed [rad, m]")
    rest_deg: Numbers | None = None
    armature: NonNegatives = Field((0.0,), description="reflected inertia of the drive [kg m2, kg]")
    mimic: Mimic | None = Field(None, description="follow another joint, by its name in the Spec: J2")

    @model_validator(mode="after")
    def _fits_joint(self):
        refuse_both(self, "offset", "offset_deg")
        if self.s is not None and self.joint not in (None, ("revolute", "prismatic")[self.s]):
            _refuse_field("s", f"indicator {self.s} is a {('revolute', 'prismatic')[self.s]} joint, not {self.joint}")
        if self.offset_deg is not None and self.kind == "prismatic":
            _refuse_field("offset_deg", "offset_deg is for rotational joints; this one is prismatic")
        dof = DOF[self.kind]
        for name in _OF_ONE if dof != 1 else ():
            if getattr(self, name) is not None:
                _refuse_field(name, f"{name} is for joints of one degree of freedom; this one is {self.kind}")
        for name in PER_DOF if dof else ():
            value = getattr(self, name)
            if value is not None and len(value) not in (1, dof):
                count = "1 number" if dof == 1 else f"1 or {dof} numbers"
                _refuse_field(name, f"{name} needs {count} for a {self.kind} joint, has {len(value)}")
        return self

    @property
    def kind(self) -> str:
        return self.joint or ("revolute", "prismatic")[self.s or 0]

    def angles_wanted(self) -> int:
        return ANGLES.get(self.kind, 1)


class Sections(Part):
    """A link cut in two: frame C on the part nearer to the base and R on the other coincide where it is whole."""

    C: DHRow
    R: DHRow
    type: Literal["fixed", "revolute", "prismatic", "cylindrical", "universal", "planar", "spherical"] = Field(
        "fixed",
        description="fixed where a link is cut; otherwise the type of the cut joint, whose axis is z of C and R",
    )


class ChainBase(Placed):
    """The frame of link 0."""

    body: str = Field(GROUND, description="the body that the chain is attached to")
