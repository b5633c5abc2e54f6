"""`gori play`: examples with sliders in the browser."""

from typing import Annotated

import typer

from gori.cli.drive import Host, NoBrowser, Port


def play(
    example: Annotated[
        str,
        typer.Argument(
            metavar="EXAMPLE",
            help="four-bar, slider-crank, quick-return, scissor-lift, stewart, governor or tray.",
        ),
    ] = "four-bar",
    no_browser: NoBrowser = False,
    host: Host = "127.0.0.1",
    port: Port = 0,
) -> None:
    """Change lengths, masses and speeds of examples by sliders, and see motion and forces at once."""
    from gori.web.pages import built

    built("play")
    from gori.errors import InputError
    from gori.web.serve.app import serve
    from gori.web.serve.messages import MessageError
    from gori.web.serve.play.session import PlaySession

    try:
        session = PlaySession(example)
    except MessageError as error:
        raise InputError(str(error)) from None
    serve(session, host=host, port=port, open_browser=not no_browser)
