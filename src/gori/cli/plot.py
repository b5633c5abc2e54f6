"""`gori plot`: channels of a recording as a picture."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gori.cli.terminal import output


def plot(
    file: Annotated[
        Path, typer.Argument(metavar="RUN.h5", help="A recording, or the folder of a run.", show_default=False)
    ],
    channels: Annotated[
        list[str] | None,
        typer.Argument(metavar="CHANNEL...", help="Channels, such as energy.total or 'wheel_*.q'.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="File to save it to.", show_default="show a window")
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="Print the channels and their units instead.")] = False,
) -> None:
    """Draw channels of a recording over time."""
    from gori.errors import InputError
    from gori.sim.runfile import channel_names, open_run

    recording = open_run(file)
    if listing:
        table = Table.grid(padding=(0, 2, 0, 0))
        for name in channel_names(recording, channels or ["*"]):
            table.add_row(name, " ".join(dict.fromkeys(unit for unit in recording.units(name) if unit)))
        output().print(table)
        return
    if not channels:
        raise InputError(f"name channels to plot, such as energy.total: gori plot --list {file} lists them")
    names = channel_names(recording, channels)
    if out is not None:
        recording.plot(*names, path=out)
        output().print(f"{out}: {', '.join(names)}", soft_wrap=True)
        return

    import matplotlib.pyplot as plt

    if plt.get_backend().lower() == "agg":
        raise InputError("no display available: save to a file with --out FILE.png")
    recording.plot(*names)
    plt.show()
