"""`gori view`: a machine or a run in the browser, or as one file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gori.cli.reading import Reading, Source, is_machine, reads_machines
from gori.cli.terminal import file_size, output


@reads_machines
def view(
    file: Source,
    reading: Reading,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write one file instead of starting a server.")
    ] = None,
    limit: Annotated[float, typer.Option(metavar="MB", help="With --save: the largest size of the file.")] = 20.0,
    compare: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Another run of the same machine, drawn as a ghost.")
    ] = None,
    trail: Annotated[
        list[str] | None, typer.Option(metavar="BODY", help="Draw the path of a body or frame; may be repeated.")
    ] = None,
    camera: Annotated[str | None, typer.Option(metavar="NAME", help="iso, front, left, top, chase, ...")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open nothing.")] = False,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this machine need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0: a free one.", min=0, max=65535)] = 0,
) -> None:
    """Show a machine or a run in the browser; a run also while it is written."""
    from gori.errors import InputError

    if compare is not None and is_machine(file):
        raise InputError(f"--compare draws another run over a run, and {file} is a machine")
    if not is_machine(file):
        reading.refuse(file)
    title = file.resolve().parent.name if file.stem == "run" else file.resolve().stem
    if save is not None:
        from gori.web.export import to_html

        source: Any = reading.model(file) if is_machine(file) else file
        to_html(source, save, limit, title=title, trails=trail or (), camera=camera, compare=compare)
        output().print(f"{save}: {file_size(save.stat().st_size)}", soft_wrap=True)
        return

    from gori.web.export import options_of
    from gori.web.pages import built

    built("view")  # says what to do where pages are missing, before anything is read
    from gori.web.serve import MachineSession, RecordedSession, serve

    options = options_of(trail or (), camera=camera)
    if is_machine(file):
        session: Any = MachineSession(reading.model(file), title)
    else:
        session = RecordedSession(file, title, ghost=compare)
    session.options = options
    serve(session, host=host, port=port, open_browser=not no_browser)
