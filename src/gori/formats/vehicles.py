"""The Spec of a vehicle, however it is given: a template, or one of your own with bodies, joints and cuts."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gori.errors import InputError
from gori.formats.yaml import read_yaml
from gori.spec import Spec
from gori.spec.vehicle.terrain import Terrain
from gori.text.yaml import parse, read_text
from gori.vehicle import Vehicle
from gori.vehicle import spec as template_spec
from gori.vehicle.files import vehicle_file

AnyVehicle = str | os.PathLike | Vehicle | Spec
"""the name of a template that comes with Gori, a file of a template or of a Spec, or one of these that was read"""
OF_A_SPEC = ("bodies", "joints", "parts")
"""sections that a template does not have"""
OF_THE_RUN = ("run", "controls", "terrain")
"""sections of a Spec that say what a vehicle does, and where"""


def is_own(vehicle: Any) -> bool:
    """Whether a vehicle is a Spec, or a file of one, and not a template."""
    if isinstance(vehicle, Spec | Vehicle):
        return isinstance(vehicle, Spec)
    if not isinstance(vehicle, str | os.PathLike):
        raise InputError(
            f"a vehicle is the name of a template, a YAML file, or a Spec, not {type(vehicle).__name__}: {vehicle!r}"
        )
    file = vehicle_file(vehicle)
    data, _ = parse(read_text(file), file)
    used = data.get("use")
    return any(section in data for section in OF_A_SPEC) or (isinstance(used, str) and used.endswith(".urdf"))


def vehicle_spec(
    vehicle: AnyVehicle,
    name: str = "truck",
    set: Mapping[str, Any] | None = None,
    terrain: Mapping[str, Any] | Terrain | None = None,
) -> Spec:
    """The Spec of a vehicle on a terrain.

    name   of its parts, if it is a template; a vehicle of one's own has names already
    set    {dotted place: value}: in a template as in `gori.vehicle.vehicle`, in a Spec as in `Spec.set`
    """
    if not is_own(vehicle):
        if isinstance(vehicle, Vehicle) and set:
            raise InputError("set is for a file or a name; this vehicle has already been read")
        return template_spec(vehicle, name, set, terrain=terrain)  # type: ignore[arg-type]
    if isinstance(vehicle, Spec):
        described = vehicle.set(set) if set else vehicle
    else:
        described = read_yaml(vehicle_file(Path(str(vehicle))), set=dict(set or {}))
    data = {key: getattr(described, key) for key in described.model_fields_set if key not in OF_THE_RUN}
    return Spec(**data, terrain={} if terrain is None else terrain)
