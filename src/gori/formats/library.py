"""What a description only names: soils, tyres, drive trains and terrains out of the library or out of files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gori.door import is_file, rows_of_numbers
from gori.errors import FileError, GoriError
from gori.formats.drivetrain import read_drivetrain
from gori.formats.soils import soil_of
from gori.text.arguments import path_of
from gori.text.tir import read_tir
from gori.text.yaml import Place, parse, read_text

SUFFIXES = (".yaml", ".yml")


def fetch(data: dict[str, Any], path: str | os.PathLike | None, folder: Path, places: Place) -> None:
    """Put into plain data of a Spec what it names:

    terrain: course.yaml                        a terrain in a file of its own
    terrain: {field: {heights: hill.csv}}       rows of heights; also .npy
    terrain: {soft: {soil: lete_sand}}          a soil by name, or a .yaml file
    wheels: {w: {tyre: tyre.yaml}}              or a .tir file
    drivetrains: {d: {use: hmmwv}}              by name or a .yaml file; fields beside it take the place of its own
    """

    def get(at: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except GoriError as error:
            if isinstance(error, FileError) and error.line is not None:
                raise
            raise FileError(f"{at}: {error}", path, places.find(at)[1]) from None

    if isinstance(name := data.get("terrain"), str):
        data["terrain"] = get("terrain", lambda: _terrain(_file(name, folder)))
    _fetch_ground(data.get("terrain"), folder, get)
    for key, wheel in _items(data.get("wheels")):
        if isinstance(tyre := wheel.get("tyre"), str):
            wheel["tyre"] = get(f"wheels.{key}.tyre", lambda tyre=tyre: _tyre(_file(tyre, folder)))
    for key, train in _items(data.get("drivetrains")):
        if "use" in train:
            use = train.pop("use")
            base = get(f"drivetrains.{key}.use", lambda use=use: read_drivetrain(_named(use, folder)))
            data["drivetrains"][key] = base.model_dump(exclude_unset=True) | train


def _fetch_ground(terrain: Any, folder: Path, get: Callable) -> None:
    soft, field = (terrain.get(key) if isinstance(terrain, dict) else None for key in ("soft", "field"))
    if isinstance(soft, dict) and isinstance(soil := soft.get("soil"), str):
        soft["soil"] = get("terrain.soft.soil", lambda: soil_of(_named(soil, folder))).model_dump(exclude_unset=True)
    if isinstance(field, dict) and isinstance(name := field.get("heights"), str):
        field["heights"] = get("terrain.field.heights", lambda: _heights(_file(name, folder)))


def _items(group: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(key, part) for key, part in group.items() if isinstance(part, dict)] if isinstance(group, dict) else []


def _named(name: Any, folder: Path) -> str | Path:
    """A name of the library, or a file relative to the folder."""
    return folder / name if Path(str(name)).suffix in SUFFIXES else str(name)


def _file(name: str, folder: Path) -> Path:
    file = Path(os.path.normpath(folder / path_of(name)))
    if not is_file(file):
        raise FileError(f"there is no file {name!r} in {folder}")
    return file


def _plain(file: Path) -> tuple[dict[str, Any], Place]:
    data, places = parse(read_text(file), file)
    return {key: value for key, value in data.items() if key not in ("gori", "source", "description")}, places


def _terrain(file: Path) -> dict[str, Any]:
    if file.suffix not in SUFFIXES:
        raise FileError(f"{file.name} is not a .yaml file")
    data, places = _plain(file)

    def get(at: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except GoriError as error:
            at = at.removeprefix("terrain.")
            raise FileError(f"{at}: {error}", file, places.find(at)[1]) from None

    _fetch_ground(data, file.parent, get)
    return data


def _tyre(file: Path) -> dict[str, Any]:
    if file.suffix.lower() == ".tir":
        return read_tir(file).model_dump(exclude_unset=True)
    if file.suffix not in SUFFIXES:
        raise FileError(f"{file.name} is neither a .yaml nor a .tir file")
    return _plain(file)[0]


def _heights(file: Path) -> np.ndarray:
    try:
        return rows_of_numbers(file)
    except FileError as error:
        raise FileError(f"{file.name} {error.reason}") from None
