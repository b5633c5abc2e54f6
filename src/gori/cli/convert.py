"""`gori convert`."""

from pathlib import Path
from typing import Annotated

import typer

from gori.cli.options import Base, File, Meshes, Strict, Within, read
from gori.cli.terminal import collected_warnings, count, output, warn


def convert(
    file: File,
    to: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write: .yaml, .urdf or .xml (MJCF).", show_default=False)
    ],
    base: Base = None,
    strict: Strict = False,
    meshes: Meshes = False,
    within: Within = None,
    lossy: Annotated[bool, typer.Option("--lossy", help="Leave out what URDF or MJCF cannot say.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace OUT if it exists.")] = False,
) -> None:
    """Write a YAML, URDF or MJCF file as another of these formats."""
    from gori.errors import FileError
    from gori.formats import save

    if to.exists() and not force:
        raise FileError("already exists: --force replaces it, including its comments", to)
    with collected_warnings(file) as messages:
        spec = read(file, base, strict, meshes, within=within)
        if to.suffix.lower() not in (".yaml", ".yml"):
            from gori.model import compile

            spec = compile(spec).spec  # a tree with cuts, also where joints close loops
        save(spec, to, lossy)
    bodies = sum(name != "ground" for name in spec.bodies)
    output().print(f"{to}: {count(bodies, 'body')}, {count(len(spec.joints), 'joint')}", soft_wrap=True)
    warn(messages)
