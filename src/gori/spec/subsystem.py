"""What is fast, and takes steps of its own between those of the bodies: drive trains and particles."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from gori.spec.base import Count, Part, Positive, a_number
from gori.spec.expression import closest

if TYPE_CHECKING:
    from gori.spec.spec import Spec


def _auto(value: Any) -> Any:
    if value == "auto":
        return value
    if isinstance(value, str):
        raise PydanticCustomError("auto", "must be auto or a positive number, not {value}", {"value": repr(value)})
    number = a_number(value)
    if number <= 0.0:
        raise PydanticCustomError("auto", "must be positive, is {value}", {"value": f"{number:g}"})
    return number


Auto = Annotated[
    float | Literal["auto"],
    BeforeValidator(_auto),
    WithJsonSchema({"anyOf": [{"const": "auto"}, {"type": "number", "exclusiveMinimum": 0}]}),
]


class SubsystemSettings(Part):
    """How a drive train or a group of particles is computed."""

    step: Auto = Field(
        "auto",
        description="largest step [s]; the smallest of all drive trains, and of all particle groups, applies; "
        "auto is for particles: from their stiffness",
    )
    device: Literal["cpu", "cuda"] = Field("cpu", description="particles: device")
    skin: Auto = Field("auto", description="particles: neighbour-list skin [m]")
    frames: Positive | None = Field(
        None, description="particles: interval between stored frames [s]; default: no frames"
    )
    decimate: Count = Field(1, description="particles: store every n-th particle in frames")
    torque_arm: Literal["contact", "radius"] = Field(
        "contact",
        description="particles: arm of the friction force about the centre. contact: to the contact point, the radius "
        "less half of the overlap, at a wall less the overlap; radius: the radius",
    )


def check_subsystems(spec: "Spec") -> Iterator[tuple[str, str]]:
    """What is wrong with the subsystems of a run."""
    if spec.run is None:
        return
    particles = {**spec.particles, **spec.inlets}
    first = ""
    for name, part in spec.run.subsystems.items():
        at = f"run.subsystems.{name}"
        if name in spec.drivetrains:
            if part.step == "auto":
                yield f"{at}.step", "a drive train needs its step in seconds, such as 2e-4"
            for field in part.model_fields_set - {"step"}:
                yield f"{at}.{field}", f"{field!r} is for particles, but {name!r} is a drive train: remove it"
        elif name in particles:
            one = spec.run.subsystems[first or name]
            if one.device != part.device:
                yield f"{at}.device", f"all particles must be on one device, but {first!r} is on {one.device}"
            if one.torque_arm != part.torque_arm:
                yield f"{at}.torque_arm", f"must be the same for all particles, but {first!r} has {one.torque_arm}"
            first = first or name
        else:
            known = [*spec.drivetrains, *particles]
            kinds = "neither a drive train nor a group of particles" if particles else "not a drive train"
            yield at, f"{name!r} is {kinds}{closest(name, known)}"
