"""Files that hold a Spec: YAML, which is Gori's own, URDF, MJCF and SDFormat; and chains by Denavit-Hartenberg rows."""

import inspect
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gori.door import contents, one_description
from gori.errors import FileError, InputError
from gori.formats.dh import Chain, dh
from gori.formats.drivetrain import read_drivetrain
from gori.formats.schema import json_schema
from gori.formats.soils import soil_of as soil
from gori.formats.urdf import read_urdf
from gori.formats.xml import root_tag
from gori.formats.yaml import read_dh, read_yaml, write_yaml
from gori.spec import Spec
from gori.text.arguments import path_of
from gori.text.tir import read_tir

__all__ = [
    "Chain",
    "dh",
    "format_of",
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


def _read_mjcf(
    path: str | os.PathLike,
    within: str | os.PathLike | None = None,
    collide: str | None = None,
    keyframe: str | None = None,
    strict: bool = False,
) -> Spec:
    from gori.formats.mjcf import read_mjcf  # here, since few need it

    return read_mjcf(path, within, collide, keyframe, strict)


def _read_sdf(
    path: str | os.PathLike,
    base: str = "free",
    meshes: bool = False,
    strict: bool = False,
    collide: str | None = None,
    packages: Sequence[str | os.PathLike] = (),
) -> Spec:
    from gori.formats.sdf import read_sdf  # here, since few need it

    return read_sdf(path, base, meshes, strict, collide, packages)


_READERS = {
    ".yaml": read_yaml, ".yml": read_yaml, ".urdf": read_urdf, ".xacro": read_urdf, ".mjcf": _read_mjcf,
    ".sdf": _read_sdf, ".world": _read_sdf
}  # fmt: skip
_BY_ROOT = {"robot": read_urdf, "mujoco": _read_mjcf, "mujocoinclude": _read_mjcf, "sdf": _read_sdf}
_NAMES = {read_yaml: "YAML", read_urdf: "URDF", _read_mjcf: "MJCF", _read_sdf: "SDFormat"}


def load(path: str | os.PathLike, **options: Any) -> Spec:
    """The Spec in a file; its extension, or the root element of an .xml file, says how to read it, and `options` go to
    that reader.
    """
    file = path_of(path)
    if file.suffix.lower() == ".xacro" and options.get("xacro", False) is False:
        words = "is a xacro file: run xacro on it first, or trust its Python with xacro=True (--xacro)"
        raise FileError(words, path)
    reader = _reader(file)
    known = [name for name in inspect.signature(reader).parameters if name not in ("path", "text")]
    if unknown := [name for name in options if name not in known]:
        kind = file.suffix.lower() if file.suffix.lower() != ".xml" else _NAMES[reader]
        raise InputError(f"{kind} files take no option {', '.join(unknown)}; known: {', '.join(known) or 'none'}")
    with one_description():
        return reader(path, **options)


def format_of(path: str | os.PathLike) -> str:
    """The format of a file that holds a Spec: YAML, URDF, MJCF or SDFormat."""
    return _NAMES[_reader(path_of(path))]


def _reader(file: Path) -> Callable[..., Spec]:
    suffix = file.suffix.lower()
    if suffix == ".xml":
        tag = root_tag(contents(file))
        if tag not in _BY_ROOT:
            what = f"the root element is <{tag}>" if tag else "has no element"
            raise FileError(f"{what}: none of <mujoco> (MJCF), <robot> (URDF) and <sdf>", file)
        return _BY_ROOT[tag]
    if suffix not in _READERS:
        raise FileError(f"{suffix or 'no extension'} is not one of the formats {', '.join([*_READERS, '.xml'])}", file)
    return _READERS[suffix]


def save(spec: Spec, path: str | os.PathLike, lossy: bool = False) -> None:
    """Write a Spec to a YAML file; or as .urdf or .xml (MJCF), which do not hold all that a Spec does.

    lossy   URDF and MJCF: leave out what they cannot say, with a FormatWarning, instead of refusing
    """
    if not isinstance(spec, Spec):
        hint = ": model.spec is the Spec of a Model" if type(spec).__name__ == "Model" else ""
        raise InputError(f"save takes a Spec, not a {type(spec).__name__}{hint}")
    suffix = path_of(path).suffix.lower()
    if suffix in (".yaml", ".yml"):
        write_yaml(spec, path)
    elif suffix in (".urdf", ".xml", ".mjcf"):
        from gori.formats.export import write_mjcf, write_urdf  # here, since few need them

        (write_urdf if suffix == ".urdf" else write_mjcf)(spec, path, lossy)
    else:
        raise FileError("a Spec is saved as .yaml or .yml, as .urdf, or as .xml or .mjcf (MJCF)", path)
