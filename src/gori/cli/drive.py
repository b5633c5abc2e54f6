"""`gori drive`: drive a vehicle in the browser, in real time."""

from pathlib import Path
from typing import Annotated

import typer

Host = Annotated[str, typer.Option(help="Address to listen on; others than this machine need a token.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0: a free one.", min=0, max=65535)]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")]


def drive(
    course: Annotated[
        str, typer.Option(metavar="NAME", help="flat, lane_change, rough, slope, sand or bump.")
    ] = "sand",
    soil: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Soft soil from the library, or a YAML file; hard: none.", show_default="as the course"
        ),
    ] = None,
    vehicle: Annotated[str, typer.Option(metavar="NAME", help="A vehicle included in Gori, or a YAML file.")] = "hmmwv",
    payload: Annotated[float, typer.Option(metavar="KG", help="Load that is fixed to the chassis.")] = 0.0,
    stones: Annotated[int, typer.Option(metavar="N", help="Stones in the bed.", min=0)] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder that keeps recordings.", show_default="download in the page"),
    ] = None,
    no_browser: NoBrowser = False,
    host: Host = "127.0.0.1",
    port: Port = 0,
) -> None:
    """Drive in the browser: keys, gamepad or touch; soft soil keeps the ruts."""
    from gori.web.pages import built

    built("drive")  # says what to do where pages are missing, before anything is computed
    from gori.web.serve.app import serve
    from gori.web.serve.drive.session import DriveSession
    from gori.web.serve.drive.truck import DriveOptions

    options = DriveOptions(vehicle=vehicle, course=course, soil=soil, payload=payload, stones=stones)
    session = DriveSession(options, folder=out)
    session.settle()  # says where the soil does not carry the vehicle
    serve(session, host=host, port=port, open_browser=not no_browser)
