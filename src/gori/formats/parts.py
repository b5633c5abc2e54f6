"""Vehicles in a description: `parts: {truck: {use: hmmwv, set: {payload.mass: 600}}}`, each under its own name."""

import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from gori.errors import FileError, SpecError
from gori.formats.use import changed
from gori.spec.base import Number, Part, a_sequence
from gori.spec.vehicle.terrain import Terrain
from gori.text.yaml import Place
from gori.vehicle import Vehicle, read_vehicle, vehicle

TEMPLATE = tuple(name for name in Vehicle.model_fields if name not in ("gori", "source", "description"))
"""what a template has at its top: a file with some of these is one"""


class Use(Part):
    """A vehicle out of a template."""

    use: str = Field(description="template: a YAML file, or the name of one included in Gori, such as hmmwv")
    set: dict[str, Any] = Field(
        default_factory=dict,
        description="{dotted path in the template: value}; a .yaml or .tir file replaces a part",
    )
    at: Annotated[tuple[Number, Number], BeforeValidator(a_sequence)] = Field(
        (0.0, 0.0), description="initial x and y [m]"
    )
    yaw_deg: Number = Field(0.0, description="initial heading, from the x axis [deg]")


def expanded(parts: Any, terrain: Terrain, path: str | os.PathLike | None, folder: Path, places: Place) -> dict:
    """Plain data of all parts: {part: plain data}.

    terrain   that they start on
    folder    that names of files are relative to
    places    lines of the whole file `path`
    """
    if not isinstance(parts, dict):
        raise FileError(f"parts: must be a mapping, not {parts!r}", path, places.find("parts")[1])
    made: dict[str, dict[str, Any]] = {}
    for name, data in parts.items():
        at = f"parts.{name}"
        try:
            use = Use.model_validate({} if data is None else data)
        except SpecError as error:
            field, message = error.problems[0]
            field = f"{at}.{field}".rstrip(".")
            raise FileError(f"{field}: {message}", path, places.find(field)[1]) from None
        lines = {key: (path, places.find(f"{at}.set.{key}")[1]) for key in use.set}
        try:
            template = read_vehicle(use.use, use.set, folder, lines)
        except FileError as error:
            if error.line is None:  # there is none, or not one that can be read: the mistake is here
                raise FileError(f"{at}.use: {error}", path, places.find(f"{at}.use")[1]) from None
            raise
        made[name] = vehicle(template, name, terrain=terrain, at=use.at, yaw_deg=use.yaw_deg)
    return made


def merged(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """All parts as the plain data of one Spec."""
    data: dict[str, Any] = {}
    for part in parts.values():
        data = changed(data, part)
    return data


def set_in_parts(parts: Any, name: str, value: Any) -> bool:
    """Set a value in the template of a part, if the name leads there: truck.payload.mass. Whether it did."""
    for part in parts if isinstance(parts, dict) else ():
        place = name.removeprefix(f"{part}.")
        if place != name and place.partition(".")[0] in TEMPLATE and isinstance(parts[part], dict):
            parts[part]["set"] = dict(parts[part].get("set") or {}) | {place: value}
            return True
    return False
