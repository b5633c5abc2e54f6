"""What a vehicle is made of: the parts of a template, as files have them.

Lengths in metres, x forward, y left, z up. Points of an axle are those of its left side in the design position, from
the axle's own origin; the right side is the mirror image. Points of all else are in the chassis frame.
"""

from typing import Annotated, Any, Literal, NoReturn

import numpy as np
from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.errors import SpecError
from gori.spec.base import Direction, Named, NonNegative, Part, Positive, Share, Vector3
from gori.spec.body import Moments, impossible_inertia
from gori.spec.shape import Shape
from gori.spec.strut import Strut
from gori.spec.vehicle.drivetrain import DriveTrain
from gori.spec.vehicle.tyre import TYRES

NEAR = 1e-3
"""points that are nearer to each other, or to an axis, count as the same [m]"""


class _Described(Part):
    """A part that may say where its figures come from."""

    source: str | None = None
    description: str | None = None


class _Heavy(_Described):
    mass: Positive = Field(description="[kg]")
    inertia: Moments = Field(description="about the centre of mass [kg m2]: xx yy zz, or xx yy zz xy xz yz")

    def moments(self) -> np.ndarray:
        """Inertia as a matrix (3, 3)."""
        xx, yy, zz, xy, xz, yz = (*self.inertia, 0.0, 0.0, 0.0)[:6]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @model_validator(mode="after")
    def _possible(self):
        if words := impossible_inertia(self.mass, np.zeros(3), self.moments()):
            raise PydanticCustomError("inertia", "{words}", {"words": words, "inside": "inertia"})
        return self


class Chassis(_Heavy):
    """The sprung body, without payload."""

    com: Vector3 = Field(description="centre of mass [m]")


class Payload(_Described):
    """A box of cargo, fixed to the chassis."""

    mass: NonNegative = Field(0.0, description="[kg]")
    at: Vector3 = Field((0.0, 0.0, 0.0), description="its centre [m]")
    size: tuple[NonNegative, NonNegative, NonNegative] = Field((0.0, 0.0, 0.0), description="length, width, height [m]")


class Arm(_Heavy):
    """A wishbone. Its inertia: x along the pivots, z across the plane of the arm."""

    front: Vector3 = Field(description="front pivot on the chassis [m]")
    back: Vector3 = Field(description="rear pivot on the chassis [m]")
    ball: Vector3 = Field(description="ball joint on the knuckle [m]")
    com: Vector3 = Field(description="centre of mass [m]")

    @model_validator(mode="after")
    def _is_an_arm(self):
        if _distance(self.front, self.back) < NEAR:
            raise PydanticCustomError("arm", "front and back are the same point: the axis is undefined", {})
        if off_line(self.ball, self.front, self.back) < NEAR:
            raise PydanticCustomError(
                "arm", "ball lies on the axis of the arm, so the arm cannot guide the knuckle", {}
            )
        return self


class Knuckle(_Heavy):
    """The upright, without spindle and wheel."""

    com: Vector3 = Field(description="centre of mass [m]")


class TieRod(_Described):
    """A rod without mass from the rack (or, of the rear axle, the chassis) to the knuckle."""

    inner: Vector3 = Field(description="end on the rack or the chassis [m]")
    outer: Vector3 = Field(description="end on the knuckle [m]")
    length: Positive | None = Field(None, description="[m]; default: the length in the design position")


class LineTemplate(Strut):
    """A strut between chassis (`at`) and lower arm (`child_at`)."""

    type: Literal["strut"] = "strut"
    parent: Literal["chassis"] = Field("chassis", exclude=True)  # pyright: ignore[reportIncompatibleVariableOverride]
    child: Literal["lower_arm"] = Field("lower_arm", exclude=True)  # pyright: ignore[reportIncompatibleVariableOverride]


class AxleTemplate(_Described):
    """Two double wishbones, one the mirror image of the other."""

    at: Vector3 = Field(description="origin of the axle's points, in the chassis frame [m]")
    hub: Vector3 = Field(description="centre of the wheel [m]")
    lower_arm: Arm
    upper_arm: Arm
    knuckle: Knuckle
    tie_rod: TieRod
    spring: LineTemplate
    damper: LineTemplate

    @model_validator(mode="after")
    def _can_carry(self):
        low, high = self.lower_arm.ball, self.upper_arm.ball
        if _distance(low, high) < NEAR:
            _refuse("upper_arm.ball", "the balls of both arms are the same point: the knuckle is not located")
        if off_line(self.tie_rod.outer, low, high) < NEAR:
            _refuse("tie_rod.outer", "lies on the steering axis, so the tie rod cannot steer the knuckle")
        if _distance(self.tie_rod.inner, self.tie_rod.outer) < NEAR:
            _refuse("tie_rod", "inner and outer are the same point")
        for name in ("spring", "damper"):
            line = getattr(self, name)
            if _distance(line.at, line.child_at) < NEAR:
                _refuse(name, "at and child_at are the same point: the direction of the strut is undefined")
        return self


class Rack(_Heavy):
    """Rack steering: a bar that slides on the chassis, held by a servo at the wanted travel."""

    at: Vector3 = Field(description="its centre of mass [m]")
    axis: Direction = Field(description="direction of travel that steers left")
    travel: Positive = Field(description="travel to either side [m]")
    stiffness: Positive = Field(description="of the servo [N/m]")
    damping: NonNegative = Field(description="of the servo [N s/m]")


class WheelTemplate(_Described):
    """Spindle, rim and tyre: mass and inertia across the axis go with the knuckle, the spin with the drive train."""

    mass: Positive = Field(description="[kg]")
    inertia: tuple[Positive, Positive, Positive] = Field(description="x, y (spin axis) and z [kg m2]")
    brake: NonNegative = Field(description="largest brake torque [N m]")
    tyre: dict[str, Any] = Field(description="type and fields of the tyre")

    @model_validator(mode="after")
    def _round(self):
        if self.inertia[0] != self.inertia[2]:
            raise PydanticCustomError("wheel", "a wheel is axisymmetric: x and z must be equal", {"inside": "inertia"})
        if (kind := self.tyre.get("type")) not in TYRES:
            words = f"{kind!r} is not one of {', '.join(map(repr, TYRES))}" if kind else "'type' is missing"
            _refuse("tyre.type", words)
        _whole(TYRES[kind], "tyre", plain_tyre(self.tyre))
        return self


class DragTemplate(_Described):
    """Resistance of the air: 0.5 density area_cd speed^2, at a point of the chassis."""

    at: Vector3 = (0.0, 0.0, 0.0)
    area_cd: NonNegative = Field(description="frontal area times drag coefficient [m2]")
    density: NonNegative = Field(1.2, description="air density [kg/m3]")


class HullBody(Part):
    """Shapes of a hull, as those of a body."""

    shapes: Named[Shape]


class ContactTemplate(_Described):
    """How hull and arms touch the ground; without it they touch nothing."""

    friction: NonNegative = Field(0.6, description="Coulomb friction coefficient")
    restitution: Share = Field(0.1, description="normal coefficient of restitution")
    stiffness: Positive = Field(1e7, description="normal force k d^1.5 of each point [N/m^1.5]")
    arms: bool = Field(True, description="arms touch the ground, too: a bar from the middle of the pivots to the ball")
    arm_radius: Positive = Field(0.03, description="of these bars [m]")
    wheels: tuple[str, ...] = Field(
        (), description="materials that wheels touch with a shape of their own; the terrain is left to the tyres"
    )
    wheel_friction: NonNegative = Field(0.0, description="of wheels on these; it acts on their angular velocity, too")
    wheel_restitution: Share = Field(0.1, description="of wheels on these")


def _switch(value: Any) -> Any:
    """`contact: true` is contact as it is by default."""
    return {} if value is True else (None if value is False else value)


class Vehicle(_Described):
    """A four-wheeled vehicle: 14 bodies, 27 coordinates, 16 equations, 11 degrees of freedom."""

    gori: Literal[1] = 1
    chassis: Chassis
    payload: Payload = Field(default_factory=lambda: Payload.model_validate({}))
    front: AxleTemplate
    rear: AxleTemplate
    steering: Rack
    wheel: WheelTemplate
    drivetrain: dict[str, Any] | None = None
    drag: DragTemplate | None = None
    hull: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="shapes of the chassis that touch the ground where there is `contact`"
    )
    contact: Annotated[ContactTemplate | None, BeforeValidator(_switch)] = Field(
        None, description="true, or how hull and arms touch the ground; default: they do not"
    )

    @model_validator(mode="after")
    def _can_drive(self):
        if self.drivetrain is not None:
            _whole(DriveTrain, "drivetrain", self.drivetrain)
        for name, shape in self.hull.items():
            _whole(HullBody, "hull", {"shapes": {name: shape}})
        if self.contact is not None and not self.hull:
            _refuse("contact", "needs a hull: add hull: {belly: {type: box, size: [...], at: [...]}}")
        return self


def plain_tyre(data: dict[str, Any]) -> dict[str, Any]:
    """Fields of a tyre alone, without where they come from."""
    return {key: value for key, value in data.items() if key not in ("source", "description")}


def off_line(point: Any, one: Any, other: Any) -> float:
    """Distance of a point from the line through two others [m]."""
    along = np.subtract(other, one) / np.linalg.norm(np.subtract(other, one))
    return float(np.linalg.norm(np.cross(np.subtract(point, one), along)))


def _distance(one: Any, other: Any) -> float:
    return float(np.linalg.norm(np.subtract(one, other)))


def _whole(kind: type[Part], name: str, data: dict[str, Any]) -> None:
    """Refuse plain data of a part that the Spec would refuse; here its file and line are known."""
    try:
        kind.model_validate(data)
    except SpecError as error:
        at, message = error.problems[0]
        _refuse(f"{name}.{at}".rstrip("."), message)


def _refuse(place: str, words: str) -> NoReturn:
    raise PydanticCustomError("axle", "{words}", {"words": words, "inside": place})
