"""What moves a vehicle on the ground: wheels, steering, resistance of the air; drive trains are in `drivetrain.py`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from gori.spec.base import Direction, NonNegative, Part, Positive, Vector3
from gori.spec.expression import closest
from gori.spec.joint import GROUND, closest_body
from gori.spec.vehicle.control import owner
from gori.spec.vehicle.tyre import Tyre

if TYPE_CHECKING:
    from gori.spec.spec import Spec


class Wheel(Part):
    """A wheel on a body that carries it. Its mass, and its inertia across the axis, belong to that body."""

    body: str = Field(description="body that carries it, such as a knuckle")
    at: Vector3 = Field((0.0, 0.0, 0.0), description="wheel centre in the body frame [m]")
    axis: Direction = Field((0.0, 1.0, 0.0), description="spin axis, to the left of the vehicle")
    inertia: Positive = Field(description="about the spin axis, rim and tyre [kg m2]")
    tyre: Tyre
    brake: NonNegative = Field(0.0, description="largest brake torque [N m]")


class Steering(Part):
    """A servo that leads a joint, such as a rack, to where the driver wants it."""

    joint: str
    travel: Positive = Field(description="full travel to one side [m, rad]; left is positive")
    stiffness: Positive = Field(description="[N/m, N m/rad]")
    damping: NonNegative = Field(0.0, description="[N s/m, N m s/rad]")


class Drag(Part):
    """Resistance of the air: 0.5 density area_cd speed^2, at a point of a body."""

    body: str
    at: Vector3 = (0.0, 0.0, 0.0)
    area_cd: NonNegative = Field(description="frontal area times drag coefficient [m2]")
    density: NonNegative = Field(1.2, description="air density [kg/m3]")


def check_wheels(spec: "Spec") -> Iterator[tuple[str, str]]:
    """What is wrong with wheels, steering, drive trains and drag of a Spec whose joints and bodies are in order."""

    def a_body(at: str, body: str | None) -> Iterator[tuple[str, str]]:
        if body == GROUND:
            yield at, "a vehicle cannot be attached to the ground"
        elif body not in spec.bodies:
            yield at, f"{body!r} is not a body{closest_body(str(body), spec.bodies)}"

    for name, wheel in spec.wheels.items():
        yield from a_body(f"wheels.{name}.body", wheel.body)
    for name, drag in spec.drag.items():
        yield from a_body(f"drag.{name}.body", drag.body)
    steered: dict[str, str] = {}
    for name, steering in spec.steering.items():
        if steering.joint not in spec.joints:
            words = f"{steering.joint!r} is not a joint{closest(steering.joint, spec.joints)}"
            yield f"steering.{name}.joint", words
        elif spec.joints[steering.joint].type not in ("revolute", "prismatic"):
            yield f"steering.{name}.joint", f"joint {steering.joint!r} must be revolute or prismatic"
        if (other := steered.setdefault(owner(name), name)) != name:
            yield (
                f"steering.{name}",
                f"{owner(name)!r} already has the steering {other!r}: use the name of another vehicle",
            )
    driven: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name, train in spec.drivetrains.items():
        at = f"drivetrains.{name}"
        if train.chassis is None:
            yield f"{at}.chassis", "a drive train needs the body that engine and gearbox are mounted on"
        else:
            yield from a_body(f"{at}.chassis", train.chassis)
        if (other := owners.setdefault(owner(name), name)) != name:
            yield at, f"{owner(name)!r} already has the drive train {other!r}: their inputs would have the same names"
        if not train.wheels:
            yield f"{at}.wheels", "a drive train needs the names of its wheels, left and right of each axle"
        for wheel in train.wheels:
            if wheel not in spec.wheels:
                yield f"{at}.wheels", f"{wheel!r} is not a wheel{closest(wheel, spec.wheels)}"
            elif wheel in driven:
                yield f"{at}.wheels", f"wheel {wheel!r} is already driven by {driven[wheel]!r}"
            else:
                driven[wheel] = name
    if spec.run is not None:
        if isinstance(spec.run.speed, dict):
            free = [name for name, joint in spec.joints.items() if joint.type == "free"]
            for name in spec.run.speed:
                if name not in free:
                    yield f"run.speed.{name}", f"{name!r} is not a vehicle{closest(name, free)}"
        if spec.run.start == "equilibrium" and not spec.wheels:
            yield "run.start", "there are no wheels: equilibrium is for vehicles"
    if spec.wheels and spec.terrain is None:
        yield "wheels", "wheels need terrain: add terrain: {} for a level plane"
