"""`gori vehicle`: drive a manoeuvre, print its figures, and write a report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from gori.cli.run import parted
from gori.cli.terminal import errors, output

if TYPE_CHECKING:
    from gori.manoeuvre import Result

KMH = 3.6


def vehicle(
    manoeuvre: Annotated[
        str | None, typer.Argument(metavar="MANOEUVRE", help="Name of the manoeuvre: see --list.", show_default=False)
    ] = None,
    vehicle: Annotated[str, typer.Option(metavar="NAME", help="A vehicle included in Gori, or a YAML file.")] = "hmmwv",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change the vehicle: payload.mass=600.", show_default=False),
    ] = None,
    soil: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Soft soil from the library, or a YAML file.", show_default="hard ground"),
    ] = None,
    speed: Annotated[
        float | None, typer.Option(metavar="KM/H", help="Speed.", show_default="depends on the manoeuvre")
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=VALUE", help="Any other argument: radius=60, search=true.", show_default=False
        ),
    ] = None,
    loops: Annotated[str | None, typer.Option(metavar="NAME", help="Loop solver.", show_default="multipliers")] = None,
    step: Annotated[float, typer.Option(metavar="S", help="Step of the bodies [s].")] = 1e-3,
    plot: Annotated[bool, typer.Option("--plot", help="Write a report with plots.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the report.", show_default="out/vehicle")
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List manoeuvres, their options, and vehicles instead.")
    ] = False,
) -> None:
    """Drive a vehicle through a manoeuvre: figures, pictures, a report."""
    from gori.errors import InputError
    from gori.integrate import Adams
    from gori.manoeuvre import MANOEUVRES, arguments_of
    from gori.manoeuvre import manoeuvre as drive

    if listing:
        _list()
        return
    if manoeuvre is None:
        raise InputError(f"name a manoeuvre: {', '.join(MANOEUVRES)}; see gori vehicle --list")
    name = manoeuvre.replace("-", "_")
    arguments: dict[str, Any] = dict(map(_parted, options or []))
    if speed is not None:
        if "speed" not in arguments_of(name):
            raise InputError(f"{name} takes no speed")
        arguments["speed"] = speed / KMH
    if soil is not None:
        arguments["soil"] = soil
    changed = dict(map(parted, changes or []))
    result = drive(name, vehicle=vehicle, set=changed, loops=loops, method=Adams(step=step, order=2), **arguments)
    show(result)
    if plot or out is not None:
        page = result.report(Path("out") / "vehicle" if out is None else out)
        errors().print(f"{page}", soft_wrap=True)


def _parted(option: str) -> tuple[str, Any]:
    from gori.errors import InputError

    try:
        return parted(option)
    except InputError as error:
        raise InputError(str(error).replace("--set", "--option")) from None


def show(result: "Result") -> None:
    """The figures as a table."""
    console = output()
    console.print(Text(result.about, "bold"))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    for figure in result.figures:
        table.add_row(figure.name, figure.text(), "" if figure.unit == "yes/no" else figure.unit)
    console.print(table)
    for note in result.notes:
        console.print(Text(note, "dim"))


def _list() -> None:
    from gori.manoeuvre import MANOEUVRES, ManoeuvreSetup, about, arguments_of
    from gori.vehicle import vehicles

    shared = set(vars(ManoeuvreSetup()))
    table = Table.grid(padding=(0, 2, 0, 0))
    for name in MANOEUVRES:
        own = [key for key in arguments_of(name) if key not in shared]
        table.add_row(Text(name, "bold"), about(name), Text(" ".join(own), "dim"))
    console = output()
    console.print(table)
    console.print(f"vehicles: {', '.join(vehicles())}; soils: gori wheel-rig --soils")
