"""Templates out of files: parts that `use` other files, values that are set, and the line of each mistake."""

import os
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from gori.door import DEEPEST, is_file
from gori.errors import FileError, SpecError
from gori.text.tir import read_tir
from gori.text.yaml import Place, parse, read_text
from gori.vehicle.template import Vehicle

PARTS = Path(__file__).parent / "parts"
"""folder of the parts that come with Gori"""
SUFFIXES = (".yaml", ".yml")
TIR = ".tir"

Origins = dict[str, tuple[str | os.PathLike | None, int | None]]
"""file and line of each dotted place; no line for what was set"""


def read_vehicle(
    path: str | os.PathLike,
    set: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    lines: Mapping[str, tuple[str | os.PathLike | None, int]] | None = None,
) -> Vehicle:
    """The template in a file, or one that comes with Gori, by name.

    set      {dotted place: value}, such as {"payload.mass": 600, "front.spring.stiffness": 2e5}; where the value names
             a YAML file, or a .tir file for a tyre, that file takes the place of the part
    folder   that names of files are relative to; default: the working folder
    lines    file and line of each value that is set, for messages
    """
    folder = Path.cwd() if folder is None else folder
    file = vehicle_file(path, folder)
    data, origins = _read(file, ())
    for place, value in (set or {}).items():
        at = (lines or {}).get(place, (file, None))
        origins = {name: origin for name, origin in origins.items() if not f"{name}.".startswith(f"{place}.")}
        origins[place] = at
        if isinstance(value, str) and value.endswith((*SUFFIXES, TIR)):
            where = (None, None) if at[1] is None else at
            found = _find(value, [folder, file.parent, PARTS], f"set {place!r}", *where)
            value, inside = _part(found, (file,))
            origins |= {f"{place}.{name}".rstrip("."): origin for name, origin in inside.items()}
        try:
            _put(data, place, value)
        except SpecError as error:
            raise error if at[1] is None else FileError(str(error), *at) from None
    try:
        return Vehicle.model_validate(data)
    except SpecError as error:
        raise _at_their_lines(error, origins, tuple(set or ())) from None


def vehicle_file(path: str | os.PathLike, folder: Path | None = None) -> Path:
    """The file of a vehicle, given by path or by the name of one that comes with Gori: hmmwv, or vehicle/hmmwv.yaml."""
    name = os.fspath(path)
    if Path(path).suffix.lower() in SUFFIXES:
        library = [PARTS / Path(name).name] if Path(name).parent == Path("vehicle") else []
        return _find(name, [folder or Path.cwd(), PARTS], "vehicle", others=library)
    file = PARTS / f"{name}.yaml"
    if name not in vehicles():
        known = ", ".join(vehicles())
        raise FileError(f"{name!r} is not a vehicle included in Gori ({known}), or a .yaml file")
    return file


def vehicles() -> list[str]:
    """Names of the vehicles that come with Gori."""
    return [file.stem for file in sorted(PARTS.glob("*.yaml")) if "\nchassis:" in file.read_text(encoding="utf-8")]


def _find(
    name: str,
    folders: Sequence[Path],
    who: str,
    file: str | os.PathLike | None = None,
    line: int | None = None,
    others: Sequence[Path] = (),
) -> Path:
    """A file by its name relative to one of the folders."""
    for place in (*(Path(os.path.normpath(folder / name)) for folder in folders), *others):
        if is_file(place):
            return place
    raise FileError(f"{who}: there is no file {name!r} in {' or '.join(dict.fromkeys(map(str, folders)))}", file, line)


def _part(file: Path, users: tuple[Path, ...]) -> tuple[dict[str, Any], Origins]:
    """Plain data of a part's file, and where all of it stands."""
    if file.suffix.lower() == TIR:
        return read_tir(file).model_dump(exclude_unset=True), {"": (file, 1)}
    return _read(file, users)


def _read(file: Path, users: tuple[Path, ...]) -> tuple[dict[str, Any], Origins]:
    """Plain data of a file with what it uses in place, and where all of it stands."""
    data, places = parse(read_text(file), file)
    data.pop("gori")
    origins: Origins = {"": (file, places.line)}
    return _used(data, places, "", file, (*users, file), origins), origins


def _used(data: dict[str, Any], places: Place, at: str, file: Path, users: tuple[Path, ...], origins: Origins) -> Any:
    """A mapping with the files in place that it and its parts use: theirs first, then what is written beside."""
    result: dict[str, Any] = {}
    if "use" in data:
        name, line = data["use"], places.find("use")[1]
        if not isinstance(name, str) or not name:
            raise FileError(f"{at}use: must be the name of a file, not {name!r}", file, line)
        other = _find(name, [file.parent, PARTS], f"{at}use", file, line)
        if other in users:
            ring = " -> ".join(user.name for user in (*users[users.index(other) :], other))
            raise FileError(f"{at}use: files use each other in a cycle: {ring}", file, line)
        if len(users) > DEEPEST:
            raise FileError(f"{at}use: files use each other more than {DEEPEST} deep", file, line)
        result, inside = _part(other, users)
        origins |= {f"{at}{place}".rstrip("."): origin for place, origin in inside.items()}
    for key, value in data.items():
        if key == "use":
            continue
        place = places.inside.get(key, places)
        origins[f"{at}{key}"] = (file, place.line)
        if isinstance(value, dict):
            value = _used(value, place, f"{at}{key}.", file, users, origins)
        result[key] = _over(result.get(key), value)
    return result


def _over(old: Any, new: Any) -> Any:
    """New data on top of old: mappings key by key, all else replaced."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return old | {key: _over(old.get(key), value) for key, value in new.items()}


def _put(data: dict[str, Any], place: str, value: Any) -> None:
    """Set a value at a dotted place."""
    if not isinstance(place, str):
        raise SpecError(f"what to set must be the name of a field, such as 'chassis.mass', not {place!r}")
    *path, last = place.split(".")
    for k, key in enumerate(path):
        data = data.setdefault(key, {})
        if not isinstance(data, dict):
            raise SpecError(f"cannot set {place!r}: {'.'.join(path[: k + 1])!r} is not a mapping; set it as a whole")
    data[last] = deepcopy(value)


def _at_their_lines(error: SpecError, origins: Origins, given: tuple[str, ...]) -> FileError:
    """The same problems, each with its file and line; of a part as a whole, where a value in it was set."""
    found = []
    for field, message in error.problems:
        inside = [at for at in given if at.startswith(f"{field}.")]
        known = max((at for at in origins if at == "" or f"{field}.".startswith(f"{at}.")), key=len)
        known = inside[0] if inside else known
        where, line = origins[known]
        found.append((where, line, f"{field}: {message}{' (from `set`)' if line is None else ''}"))
    (where, line, first), *rest = found
    return FileError("\n".join([first, *(str(FileError(words, at, k)) for at, k, words in rest)]), where, line)
