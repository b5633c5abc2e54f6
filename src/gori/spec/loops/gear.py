"""Gears, racks and belts between two bodies that turn on a third one, the carrier.

Both are one equation: their pitch lines move together. They transmit a force along a line of action (the flank of the
teeth, the span of a belt) that the bearings have to bear: that is what sets them apart from `mimic`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import Count, NonNegative, Number, Part, Positive
from gori.spec.joint import GROUND, closest_body

if TYPE_CHECKING:
    from gori.spec.spec import Spec


def _sharp(degrees: float) -> float:
    if not -60.0 < degrees < 60.0:
        raise PydanticCustomError("angle", "must be within +-60 degrees, is {degrees}", {"degrees": f"{degrees:g}"})
    return degrees


PressureAngle = Annotated[NonNegative, AfterValidator(_sharp)]
HelixAngle = Annotated[Number, AfterValidator(_sharp)]


class _Pair(Part):
    bodies: tuple[str, str]
    carrier: str | None = Field(
        None, description="body that holds both axes; default: the one that both bodies have a joint with"
    )
    position: Number = Field(
        0.0,
        description="middle of the teeth or belt along the axis, from the origin of the first body, or of the second "
        "where the first is the ground [m]",
    )


class GearPair(_Pair):
    """Two gears on parallel axes: the pitch circles roll on each other, teeth push along the line of action.

    The pressure angle is that of the normal section; a positive helix angle is a right-hand one of the first gear.
    """

    type: Literal["gear"]
    radii: tuple[Positive, Positive] | None = Field(None, description="pitch radii, which fit the distance [m]")
    teeth: tuple[Count, Count] | None = Field(None, description="or their numbers of teeth, which share the distance")
    internal: bool = Field(False, description="the larger one is a ring with teeth inside")
    pressure_angle_deg: PressureAngle = Field(20.0, description="[deg]")
    helix_angle_deg: HelixAngle = Field(0.0, description="[deg]; 0 for spur gears")

    @model_validator(mode="after")
    def _one_size(self):
        if (self.radii is None) == (self.teeth is None):
            raise PydanticCustomError("gear", "a gear needs radii or teeth, one of them", {})
        sizes = self.radii or self.teeth or (1.0, 1.0)
        if self.internal and sizes[0] == sizes[1]:
            inside = {"inside": "radii" if self.teeth is None else "teeth"}
            raise PydanticCustomError("gear", "an internal gear must be smaller than its ring", inside)
        return self


class RackDrive(_Pair):
    """A gear, the first body, and a rack, which slides: the pitch line of the rack rolls on the gear."""

    type: Literal["rack"]
    radius: Positive = Field(description="pitch radius of the gear [m]")
    pressure_angle_deg: PressureAngle = Field(20.0, description="[deg]")


class BeltDrive(_Pair):
    """A belt or chain over two pulleys: it runs without slip, and one span pulls more than the other."""

    type: Literal["belt"]
    radii: tuple[Positive, Positive] = Field(description="[m]")
    crossed: bool = Field(False, description="pulleys turn in opposite directions")
    tension: NonNegative = Field(0.0, description="of both spans without load [N]; a span that would push is slack")


MeshedPair = Annotated[GearPair | RackDrive | BeltDrive, Field(discriminator="type")]


def check_gears(spec: "Spec") -> Iterator[tuple[str, str]]:
    """Dotted place and words of what is wrong with the gears of a Spec whose joints and bodies are in order."""
    groups = ("bodies", "body"), ("joints", "joint"), ("cuts", "cut"), ("forces", "force"), ("motions", "motion")
    taken = {GROUND: "the ground"} | dict.fromkeys(spec.frames, "a frame")
    for group, word in groups:
        taken |= dict.fromkeys(getattr(spec, group), f"a {word}")
    for name, gear in spec.gears.items():
        at = f"gears.{name}"
        if name in taken:
            yield at, f"gear {name!r} has the name of {taken[name]}: choose another name"
        for place, body in (("bodies.0", gear.bodies[0]), ("bodies.1", gear.bodies[1]), ("carrier", gear.carrier)):
            if body is not None and body != GROUND and body not in spec.bodies:
                yield f"{at}.{place}", f"{body!r} is not a body{closest_body(body, spec.bodies)}"
        if len({*gear.bodies, gear.carrier}) < 3:
            yield at, f"gear {name!r} needs three different bodies: two that mesh, and the carrier of their axes"
