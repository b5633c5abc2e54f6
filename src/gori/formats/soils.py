"""Soils by name, out of the library, or out of YAML files."""

from pathlib import Path
from typing import Any

from gori.errors import FileError, InputError, SpecError
from gori.spec.expression import closest
from gori.spec.vehicle.soil import BekkerSoil, ExponentialSoil
from gori.text.arguments import is_one_of, path_of
from gori.text.yaml import parse, read_text

LIBRARY = Path(__file__).parent.parent / "vehicle" / "soils"
_KINDS: dict[Any, type[ExponentialSoil] | type[BekkerSoil]] = {"exponential": ExponentialSoil, "bekker": BekkerSoil}


def soil_names() -> list[str]:
    """Names of all soils of the library."""
    return sorted(file.stem for file in LIBRARY.glob("*.yaml"))


def soil_of(data: Any) -> ExponentialSoil | BekkerSoil:
    """A soil out of its name in the library, the path of a YAML file, plain data, or itself."""
    if isinstance(data, (ExponentialSoil, BekkerSoil)):
        return data
    if isinstance(data, dict):
        return _checked(data)
    if not isinstance(data, (str, Path)):
        raise InputError(f"a soil is a name, a file, or a mapping, not {data!r}")
    if path_of(data).suffix in (".yaml", ".yml"):
        return read_soil(data)
    file = LIBRARY / f"{data}.yaml"
    if str(data) not in soil_names():
        hint = closest(str(data), soil_names()) or f"; known: {', '.join(soil_names())}"
        raise InputError(f"there is no soil {str(data)!r}{hint}")
    return read_soil(file)


def read_soil(path: str | Path) -> ExponentialSoil | BekkerSoil:
    """The soil in a YAML file."""
    data, places = parse(read_text(path), path)
    del data["gori"]
    try:
        return _checked(data)
    except SpecError as error:
        at, words = error.problems[0] if error.problems else ("", str(error))
        raise FileError(f"{at}: {words}" if at else words, path, places.find(at)[1]) from None


def _checked(data: dict[str, Any]) -> ExponentialSoil | BekkerSoil:
    if not is_one_of(data.get("type"), _KINDS):
        error = SpecError(f"type: {data.get('type')!r} is not one of {', '.join(map(repr, _KINDS))}")
        error.problems = (("type", str(error).removeprefix("type: ")),)
        raise error
    return _KINDS[data["type"]].model_validate(data)
