"""Options of the readers of files, the same for each command that takes a machine."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gori.cli.terminal import collected_warnings, warn

if TYPE_CHECKING:
    from gori.model import Model
    from gori.spec import Spec

MACHINES = (".yaml", ".yml", ".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".world")
HDF5 = b"\x89HDF\r\n\x1a\n"
WITH_MESHES = (".urdf", ".xacro", ".sdf", ".world")
"""whose meshes are read where they are to be seen"""

Source = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A machine (.yaml, .urdf, .sdf, MJCF), a recording (.h5), or the folder of a run.",
        show_default=False,
    ),
]


class BaseKind(StrEnum):
    fixed = "fixed"
    free = "free"


@dataclass(frozen=True)
class Reading:
    """What `gori.load` is told besides the file. Options of a format are refused for files of another one."""

    base: Annotated[
        BaseKind | None,
        typer.Option(
            help="URDF, SDFormat: fix the root link, or let it move freely.", show_default="fixed; of SDFormat free"
        ),
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False
    meshes: Annotated[bool, typer.Option("--meshes", help="URDF, SDFormat: read mesh shapes, too.")] = False
    packages: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="URDF, SDFormat: folder with packages or models; may be repeated."),
    ] = None
    srdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="URDF: file that names links which never touch.")
    ] = None
    xacro: Annotated[
        bool,
        typer.Option("--xacro", help="URDF: expand macros; runs Python that stands in the file, so trust it first."),
    ] = False
    within: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="MJCF: folder that holds all its files.", show_default="that of the file"),
    ] = None
    keyframe: Annotated[
        str | None, typer.Option(metavar="NAME", help="MJCF: keyframe to start from.", show_default="as in the file")
    ] = None
    collide: Annotated[
        str | None, typer.Option(metavar="MATERIAL", help="URDF, SDFormat, MJCF: shapes collide, of this material.")
    ] = None

    @property
    def given(self) -> dict[str, Any]:
        """Options that were given, as `gori.load` takes them: no format takes all."""
        found = {field.name: getattr(self, field.name) for field in fields(self) if getattr(self, field.name)}
        return found | ({} if self.base is None else {"base": self.base.value})

    def spec(self, file: Path, changes: list[tuple[str, Any]] | None = None) -> "Spec":
        """The Spec in a file, with other values."""
        from gori.formats import load

        if file.suffix.lower() in (".yaml", ".yml"):
            return load(file, **self.given, **({"set": dict(changes)} if changes else {}))
        spec = load(file, **self.given)
        return spec.set(dict(changes)) if changes else spec

    def model(self, file: Path) -> "Model":
        """The Model in a file, with meshes where their files are there; warnings are printed."""
        from gori.errors import GoriError
        from gori.model import compile

        with collected_warnings(file) as messages:
            if file.suffix.lower() in WITH_MESHES and not self.meshes:
                try:
                    model = compile(replace(self, meshes=True).spec(file))
                except GoriError as error:  # shapes of files that are missing, or no trimesh: the rest can be seen
                    model = compile(self.spec(file))
                    messages.append(f"without its meshes: {error}")
            else:
                model = compile(self.spec(file))
        warn(messages)
        return model

    def refuse(self, run: Path) -> None:
        """Options of machines for a run, which holds its machine."""
        from gori.errors import InputError

        if self.given:
            words = ", ".join(f"--{name}" for name in self.given)
            raise InputError(f"{words} {'is' if len(self.given) == 1 else 'are'} for machines, and {run} is a run")


def reads_machines(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of Reading in the place of its parameter `reading`."""
    signature = inspect.signature(command)
    options = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
        for field in fields(Reading)
    ]

    @wraps(command)
    def with_options(**given: Any) -> None:
        reading = Reading(**{option.name: given.pop(option.name) for option in options})
        command(**given, reading=reading)

    own = [parameter for name, parameter in signature.parameters.items() if name != "reading"]
    with_options.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
    return with_options


def is_machine(file: Path) -> bool:
    """Whether a file describes a machine, or is meant to; else it is a run: a folder or an HDF5 file."""
    if file.suffix.lower() in MACHINES or not file.is_file():
        return file.suffix.lower() in MACHINES
    with open(file, "rb") as start:
        return start.read(len(HDF5)) != HDF5
