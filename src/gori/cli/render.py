"""`gori render`: pictures and films of a run without a window."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gori.cli.reading import Reading, Source, is_machine, reads_machines
from gori.cli.terminal import file_size, output


@reads_machines
def render(
    file: Source,
    reading: Reading,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A picture .png or a film .mp4.", show_default=False)],
    at: Annotated[
        float | None, typer.Option(metavar="S", help="Time of the picture in seconds.", show_default="the last")
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="iso, front, back, left, right, top, bottom, chase, follow."),
    ] = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Width and height in pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(help="Pictures per second of a film.")] = 30.0,
    trail: Annotated[
        list[str] | None, typer.Option(metavar="BODY", help="Draw the path of a body or frame; may be repeated.")
    ] = None,
    arrows: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="contact, reaction or force; may be repeated.")
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="On a dark background.")] = False,
) -> None:
    """Draw a machine or a run as the viewer shows it, by a browser without a window."""
    from gori.web.render import size_of, to_picture

    source: Any = reading.model(file) if is_machine(file) else file
    if source is file:
        reading.refuse(file)
    options = {"trails": trail or (), "arrows": arrows or (), "dark": dark}
    to_picture(source, out, at, camera, size_of(size), fps, **options)
    output().print(f"{out}: {file_size(out.stat().st_size)}", soft_wrap=True)
