"""`gori convert`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gori.cli.options import Base, File, Meshes, Packages, Strict, Within, Xacro, read
from gori.cli.terminal import collected_warnings, count, output, warn


def convert(
    file: File,
    to: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="To write: .yaml, .urdf, .xml (MJCF) or .glb (glTF).", show_default=False),
    ],
    base: Base = None,
    strict: Strict = False,
    meshes: Meshes = False,
    within: Within = None,
    packages: Packages = None,
    xacro: Xacro = False,
    lossy: Annotated[bool, typer.Option("--lossy", help="Leave out what URDF or MJCF cannot say.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace OUT if it exists.")] = False,
) -> None:
    """Write a YAML, URDF, MJCF or SDFormat file as YAML, URDF or MJCF, or a machine or run as glTF."""
    from gori.errors import FileError
    from gori.formats import save

    if to.exists() and not force:
        raise FileError("already exists: --force replaces it, including its comments", to)
    scene = to.suffix.lower() == ".glb"
    if scene and (file.is_dir() or file.suffix.lower() == ".h5"):
        _write_run(file, to)
        return
    with collected_warnings(file) as messages:
        more: dict[str, Any] = {"packages": packages} if packages else {}
        more |= {"xacro": True} if xacro else {}
        meshes = meshes or (scene and file.suffix.lower() in (".urdf", ".xacro", ".sdf", ".world"))
        spec = read(file, base, strict, meshes, within=within, more=more)
        if scene:
            _write_machine(spec, to)
        else:
            if to.suffix.lower() not in (".yaml", ".yml"):
                from gori.model import compile

                spec = compile(spec).spec  # a tree with cuts, also where joints close loops
            save(spec, to, lossy)
    bodies = sum(name != "ground" for name in spec.bodies)
    output().print(f"{to}: {count(bodies, 'body')}, {count(len(spec.joints), 'joint')}", soft_wrap=True)
    warn(messages)


def _write_run(run: Path, to: Path) -> None:
    """A recording as an animation."""
    from gori.sim.runfile import open_run
    from gori.web import to_gltf

    recording = open_run(run / "run.h5" if run.is_dir() else run)
    to_gltf(recording, to)
    output().print(f"{to}: {recording.time[-1] - recording.time[0]:g} s", soft_wrap=True)


def _write_machine(spec: Any, to: Path) -> None:
    """A machine where it stands."""
    from gori.model import compile
    from gori.web import to_gltf

    to_gltf(compile(spec), to)
