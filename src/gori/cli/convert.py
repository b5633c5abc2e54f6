"""`gori convert`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gori.cli.reading import Reading, Source, is_machine, reads_machines
from gori.cli.terminal import collected_warnings, count, file_size, output, warn

SCENES = (".glb", ".usda", ".usdc", ".usd", ".usdz")
"""what a run can be written as, too"""
SPECS = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


@reads_machines
def convert(
    file: Source,
    to: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="To write: .yaml, .urdf, .xml (MJCF), .glb (glTF), or .usda, .usdc, .usdz (USD).",
            show_default=False,
        ),
    ],
    reading: Reading,
    frames: Annotated[int, typer.Option(metavar="N", help="Of a run: samples of its motion, at most.", min=2)] = 2000,
    grains: Annotated[int, typer.Option(metavar="N", help="USD: particles, at most.", min=0)] = 100_000,
    lossy: Annotated[bool, typer.Option("--lossy", help="Leave out what URDF or MJCF cannot say.")] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace OUT if it exists.")] = False,
) -> None:
    """Write a YAML, URDF, MJCF or SDFormat file as YAML, URDF or MJCF, or a machine or run as glTF or USD."""
    from gori.errors import FileError

    machine, suffix = is_machine(file), to.suffix.lower()
    if suffix not in (known := (*SPECS, *SCENES) if machine else SCENES):
        words = f"{'a machine' if machine else 'a run'} is written as {', '.join(known)}"
        raise FileError(f"{words}, not as {to.suffix or 'a file without an extension'}", to)
    if to.is_dir():
        raise FileError("cannot be written: it is a folder", to)
    if to.exists() and not force:
        raise FileError(f"already exists: --force replaces it{', including its comments' * (suffix in SPECS)}", to)
    if suffix in SCENES:
        _write_scene(file, to, reading, frames, grains)
    else:
        _write_spec(file, to, reading, lossy)


def _write_spec(file: Path, to: Path, reading: Reading, lossy: bool) -> None:
    """A machine in a format that can be read again."""
    from gori.formats import save

    with collected_warnings(file) as messages:
        spec = reading.spec(file)
        if to.suffix.lower() not in (".yaml", ".yml"):
            from gori.model import compile

            spec = compile(spec).spec  # a tree with cuts, also where joints close loops
        save(spec, to, lossy)
    output().print(f"{to}: {_counts(spec)}", soft_wrap=True)
    warn(messages)


def _write_scene(file: Path, to: Path, reading: Reading, frames: int, grains: int) -> None:
    """A machine where it stands, or a run as an animation."""
    from gori.web import to_gltf, to_usd

    if is_machine(file):
        what: Any = reading.model(file)
        words = _counts(what.spec)
    else:
        from gori.sim.runfile import open_run

        reading.refuse(file)
        what = open_run(file)
        words = f"{what.time[-1] - what.time[0]:g} s" if len(what) else "no samples"
    if to.suffix.lower() == ".glb":
        to_gltf(what, to, frames)
    else:
        to_usd(what, to, frames, grains)
    output().print(f"{to}: {words}, {file_size(to.stat().st_size)}", soft_wrap=True)


def _counts(spec: Any) -> str:
    bodies = sum(name != "ground" for name in spec.bodies)
    return f"{count(bodies, 'body')}, {count(len(spec.joints), 'joint')}"
