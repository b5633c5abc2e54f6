"""Files that hold a Spec: YAML, which is Gori's own, and URDF; and chains by Denavit-Hartenberg rows."""

import inspect
import os
from typing import Any

from gori.door import one_description
from gori.errors import FileError, InputError
from gori.formats.dh import Chain, dh
from gori.formats.drivetrain import read_drivetrain
from gori.formats.schema import json_schema
from gori.formats.soils import soil_of as soil
from gori.formats.urdf import read_urdf
from gori.formats.yaml import read_dh, read_yaml, write_yaml
from gori.spec import Spec
from gori.text.arguments import path_of
from gori.text.tir import read_tir

__all__ = [
    "Chain",
    "dh",
    "json_schema",
    "load",
    "read_dh",
    "read_drivetrain",
    "read_tir",
    "read_urdf",
    "read_yaml",
    "save",
    "soil",
    "write_yaml",
]

_READERS = {".yaml": read_yaml, ".yml": read_yaml, ".urdf": read_urdf, ".xacro": read_urdf}


def load(path: str | os.PathLike, **options: Any) -> Spec:
    """The Spec in a file; its extension says how to read it, and `options` go to that reader."""
    suffix = path_of(path).suffix.lower()
    if suffix == ".xacro" and options.get("xacro", False) is False:
        words = "is a xacro file: run xacro on it first, or trust its Python with xacro=True (--xacro)"
        raise FileError(words, path)
    if suffix == ".sdf":
        words = "is SDFormat, which Gori does not read: make a URDF or MJCF file of it, which `gori convert` takes"
        raise FileError(words, path)
    if suffix not in _READERS:
        raise FileError(f"{suffix or 'no extension'} is not one of the formats {', '.join(_READERS)}", path)
    reader = _READERS[suffix]
    known = [name for name in inspect.signature(reader).parameters if name not in ("path", "text")]
    if unknown := [name for name in options if name not in known]:
        raise InputError(f"{suffix} files take no option {', '.join(unknown)}; known: {', '.join(known) or 'none'}")
    with one_description():
        return reader(path, **options)


def save(spec: Spec, path: str | os.PathLike) -> None:
    """Write a Spec to a YAML file."""
    if not isinstance(spec, Spec):
        hint = ": model.spec is the Spec of a Model" if type(spec).__name__ == "Model" else ""
        raise InputError(f"save takes a Spec, not a {type(spec).__name__}{hint}")
    if path_of(path).suffix.lower() not in (".yaml", ".yml"):
        raise FileError("a Spec is saved as .yaml or .yml", path)
    write_yaml(spec, path)
