"""Arguments that several commands share, and how they reach the reader of a file."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gori.spec import Spec


class BaseKind(StrEnum):
    fixed = "fixed"
    free = "free"


class Device(StrEnum):
    cpu = "cpu"
    cuda = "cuda"


File = Annotated[
    Path, typer.Argument(metavar="FILE", help="A description: .yaml, .urdf, .sdf or MJCF (.xml).", show_default=False)
]
Base = Annotated[
    BaseKind | None,
    typer.Option(
        help="URDF, SDFormat: fix the root link, or let it move freely.", show_default="fixed; of SDFormat free"
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")]
Within = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="MJCF: folder that holds all its files.", show_default="that of the file"),
]
Packages = Annotated[
    list[Path] | None,
    typer.Option(metavar="DIR", help="URDF, SDFormat: folder with packages or models; may be repeated."),
]
Xacro = Annotated[
    bool, typer.Option("--xacro", help="URDF: expand macros; runs Python that stands in the file, so trust it first.")
]
Meshes = Annotated[bool, typer.Option("--meshes", help="URDF, SDFormat: keep mesh shapes; their files must exist.")]


def read(
    file: Path,
    base: BaseKind | None,
    strict: bool,
    meshes: bool = False,
    changes: list[tuple[str, Any]] | None = None,
    within: Path | None = None,
    more: dict[str, Any] | None = None,
) -> "Spec":
    """The Spec in a file, with other values. Only options that were given are passed on: no format takes all.

    more   options of one format, by name
    """
    from gori.formats import load

    options: dict[str, Any] = dict(more or {})
    if base is not None:
        options["base"] = base.value
    if within is not None:
        options["within"] = within
    options |= {name: True for name, given in (("strict", strict), ("meshes", meshes)) if given}
    if file.suffix.lower() in (".yaml", ".yml"):
        return load(file, **options, **({"set": dict(changes)} if changes else {}))
    spec = load(file, **options)
    return spec.set(dict(changes)) if changes else spec
