"""`gori convert`."""

from pathlib import Path
from typing import Annotated

import typer

from gori.cli.options import Base, File, Meshes, Strict, Within, read
from gori.cli.terminal import collected_warnings, count, output, warn


def convert(
    file: File,
    to: Annotated[Path, typer.Argument(metavar="OUT.yaml", help="The YAML file to write.", show_default=False)],
    base: Base = None,
    strict: Strict = False,
    meshes: Meshes = False,
    within: Within = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace OUT.yaml if it exists.")] = False,
) -> None:
    """Write a URDF, MJCF or YAML file as Gori's YAML."""
    from gori.errors import FileError
    from gori.formats import save

    if to.exists() and not force:
        raise FileError("already exists: --force replaces it, including its comments", to)
    with collected_warnings(file) as messages:
        spec = read(file, base, strict, meshes, within=within)
    save(spec, to)
    bodies = sum(name != "ground" for name in spec.bodies)
    output().print(f"{to}: {count(bodies, 'body')}, {count(len(spec.joints), 'joint')}", soft_wrap=True)
    warn(messages)
