"""The vehicle that is driven, on its course, as a Model; with a load, rigid or of stones, if asked for."""

import math
from dataclasses import dataclass
from typing import Any

from gori.errors import InputError
from gori.formats.vehicles import is_own, vehicle_spec
from gori.manoeuvre.dimensions import Dimensions, dimensions, driven_vehicle
from gori.model import Model, compile
from gori.spec import Spec
from gori.web.serve.drive.grounds import DriveCourse, drive_course

STONE_RADIUS = 0.03
"""[m]"""
STONE_MODULUS = 1e7
"""Young's modulus of stones [Pa]: a two-thousandth of that of limestone, for the sake of real time; softer ones would
allow steps in which a stone on a fast truck moves too far"""
STONE_DENSITY = 2500.0
MOST_STONES = 20_000
BED = {"type": "box", "size": [2.0, 1.64, 0.7], "at": [-1.43, 0.0, 0.93], "hollow": True, "open": ["z+"]}
"""inside of the bed, in the chassis frame [m]"""


@dataclass(frozen=True)
class DriveOptions:
    """What `gori drive` is asked for.

    vehicle   template or file;  soil: name or file, None: as the course has it, "hard": none
    payload   rigid load [kg];  stones: number of stones in the bed
    """

    vehicle: str = "hmmwv"
    course: str = "flat"
    soil: str | None = None
    payload: float = 0.0
    stones: int = 0


@dataclass(frozen=True)
class DrivenVehicle:
    """A Model of one vehicle on its course."""

    options: DriveOptions
    course: DriveCourse
    model: Model
    size: Dimensions

    @property
    def soil(self) -> str | None:
        """Name of the soil; None: hard ground."""
        name = self.options.soil or self.course.soil
        return None if name == "hard" else name

    @property
    def sinks(self) -> str:
        """What to tell where the soil does not carry it."""
        soil = (self.soil or "the ground").replace("_", " ")
        load = f" with {self.options.payload:g} kg of payload" if self.options.payload else ""
        return (
            f"{soil} does not carry {self.options.vehicle}{load}: it sinks in where it stands. "
            "Choose firmer soil (--soil)" + (" or less payload (--payload)" if load else "")
        )

    @property
    def note(self) -> str | None:
        """What is not as it would be in nature; None: nothing."""
        if not self.options.stones:
            return None
        mass = self.options.stones * STONE_DENSITY * 4.0 / 3.0 * math.pi * STONE_RADIUS**3
        return (
            f"{self.options.stones} stones of {1e3 * STONE_RADIUS:g} mm radius, {mass:.0f} kg; their stiffness is "
            f"lowered to E = {1e-6 * STONE_MODULUS:g} MPa so that they can be computed in real time"
        )


def driven(options: DriveOptions) -> DrivenVehicle:
    """The vehicle on its course, compiled."""
    course = drive_course(options.course)
    if not 0.0 <= options.payload <= 20_000.0:
        raise InputError(f"the payload must be 0 to 20000 kg, not {options.payload!r}")
    if not 0 <= options.stones <= MOST_STONES:
        raise InputError(f"the number of stones must be 0 to {MOST_STONES}, not {options.stones!r}")
    own = is_own(options.vehicle)
    if own and options.payload:
        raise InputError("a payload can be added to templates only: put it into the file of the vehicle")
    changes = {"payload.mass": options.payload} if options.payload else {}
    spec = vehicle_spec(options.vehicle, "truck", changes, terrain=course.ground(options.soil))
    if options.stones:
        if own:
            raise InputError("stones need the bed of a template: put particles into the file of the vehicle")
        spec = _with_stones(spec, options.stones)
    model = compile(spec)
    return DrivenVehicle(options, course, model, dimensions(model, driven_vehicle(model)))


def _with_stones(spec: Spec, count: int) -> Spec:
    data: dict[str, Any] = spec.model_dump(exclude_unset=True)
    bodies, chassis = dict(data["bodies"]), "truck.chassis"
    shapes = {**bodies[chassis].get("shapes", {}), "bed": {**BED, "material": "steel"}}
    data["bodies"] = bodies | {chassis: {**bodies[chassis], "shapes": shapes}}
    touch = {"restitution": 0.3, "friction": 0.5}
    data["materials"] = {
        **data.get("materials", {}),
        "steel": {"E": 2.1e11, "nu": 0.3},
        "stone": {"E": STONE_MODULUS, "nu": 0.25, "density": STONE_DENSITY},
    }
    data["contacts"] = {**data.get("contacts", {}), "stone/stone": touch, "stone/steel": touch}
    fill = {"shape": f"{chassis}.bed", "count": count, "packing": "poured", "seed": 1}
    data["particles"] = {"stones": {"material": "stone", "radius": STONE_RADIUS, "fill": fill}}
    return Spec(**data)
