"""Drive trains as YAML files, and the library of them."""

import os
from pathlib import Path
from typing import Any

from gori.door import is_file
from gori.errors import FileError, SpecError
from gori.spec.vehicle.drivetrain import DriveTrain
from gori.text.yaml import parse, read_text

LIBRARY = Path(__file__).parents[1] / "vehicle" / "drivetrain"


def read_drivetrain(name: str | os.PathLike = "hmmwv", **changes: Any) -> DriveTrain:
    """A DriveTrain out of a YAML file, or of the library by its name. changes: fields in place of the file's."""
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        path = LIBRARY / f"{name}.yaml"
        if not is_file(path):
            known = ", ".join(sorted(file.stem for file in LIBRARY.glob("*.yaml")))
            raise FileError(f"there is no drive train {str(name)!r}; known: {known}, or give a .yaml file")
    data, places = parse(read_text(path), path)
    del data["gori"]
    try:
        return DriveTrain.model_validate(data | changes)
    except SpecError as error:
        at, message = error.problems[0] if error.problems else ("", str(error))
        raise FileError(f"{at}: {message}" if at else message, path, places.find(at)[1]) from None
