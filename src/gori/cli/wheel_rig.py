"""`gori wheel-rig`: one wheel on soft soil, pull, torque and sinkage against slip."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from gori.cli.terminal import errors, output

if TYPE_CHECKING:
    from gori.analysis.wheel_rig import RigTable

MOST = 1000
"""values that a range may stand for"""


def wheel_rig(
    soil: Annotated[
        str | None, typer.Option(metavar="NAME", help="A soil from the library, or a YAML file.", show_default=False)
    ] = None,
    load: Annotated[float, typer.Option(metavar="N", help="Load on the wheel [N].")] = 6000.0,
    radius: Annotated[float, typer.Option(metavar="M", help="Radius of the wheel [m].")] = 0.47,
    width: Annotated[float, typer.Option(metavar="M", help="Width of the wheel [m].")] = 0.3,
    stiffness: Annotated[
        float | None, typer.Option(metavar="N/M", help="Radial stiffness of its tyre.", show_default="rigid wheel")
    ] = None,
    slip: Annotated[
        str, typer.Option(metavar="SLIPS", help="One value, several (0,0.1,0.3), or first:last:count.")
    ] = "0:0.6:7",
    slip_angle: Annotated[
        str,
        typer.Option(metavar="DEG", help="Angle from heading to velocity: one value, several, or first:last:count."),
    ] = "0",
    cell: Annotated[
        float | None, typer.Option(metavar="M", help="Size of a soil cell [m].", show_default="radius / 40")
    ] = None,
    passes: Annotated[int, typer.Option(help="Number of passes over the same track.")] = 1,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Plot the curves to a file.", show_default=False)
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write the table to a file.", show_default=False)
    ] = None,
    soils: Annotated[bool, typer.Option("--soils", help="List the soils of the library instead.")] = False,
) -> None:
    """Test one wheel on soft soil: drawbar pull, torque and sinkage against slip and slip angle."""
    from gori.analysis.wheel_rig import RigWheel, rig
    from gori.errors import InputError
    from gori.formats.soils import soil_names

    if soils:
        _list_soils()
        return
    if soil is None:
        raise InputError(f"name a soil: --soil {soil_names()[0]}; gori wheel-rig --soils lists all")
    wheel = RigWheel(radius=radius, width=width, stiffness=stiffness)
    slips, angles = numbers(slip, "--slip"), numbers(slip_angle, "--slip-angle")
    with _bar() as progress:
        table = rig(wheel, soil, load, slips, angles, cell, passes, progress)
    _show(table)
    if csv is not None:
        _write(csv, table)
    if plot is not None:
        _draw(plot, table)


def numbers(text: str, name: str) -> list[float]:
    """`0.1`, `0,0.1,0.3` or `first:last:count` as numbers."""
    import numpy as np

    from gori.errors import InputError

    try:
        if ":" not in text:
            return [float(part) for part in text.split(",")]
        first, last, count = text.split(":")
        if not re.fullmatch(r"\d+", count) or not 1 <= int(count) <= MOST:
            raise ValueError
        return np.linspace(float(first), float(last), int(count)).tolist()
    except ValueError:
        raise InputError(
            f"{name} takes numbers, such as 0.2, 0,0.1,0.3 or 0:0.6:7 (first:last:count), not {text!r}"
        ) from None


class _bar:
    """A bar on stderr where a person is looking; nothing for runs of less than two seconds."""

    def __enter__(self) -> Any:
        from gori.sim.progress import Progress

        self._bar: Any = None

        def move(done: int, all_: int) -> None:
            if self._bar is None:
                self._bar = Progress(sys.stderr.isatty(), 0.0, float(all_))
            self._bar.move(float(done))

        return move

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()


def _list_soils() -> None:
    from gori.formats.soils import soil_names, soil_of

    table = Table.grid(padding=(0, 2, 0, 0))
    for name in soil_names():
        found = soil_of(name)
        table.add_row(name, found.type, found.source)
    output().print(table)


def _show(table: "RigTable") -> None:
    rows = Table.grid(padding=(0, 3, 0, 0))
    angles, turns = bool(table.slip_angle_deg.any()), bool(table.turn.max() > 1)
    heads = ["slip"] + ["angle deg"] * angles + ["pass"] * turns
    heads += ["pull N", *["side N"] * angles, "torque N m", "sinkage mm", "area cm2"]
    for head in heads:
        rows.add_column(head, justify="right")
    rows.add_column()
    rows.add_row(*heads, "", style="bold")
    for k in range(len(table.slip)):
        cells = [f"{table.slip[k]:.3g}"]
        cells += [f"{table.slip_angle_deg[k]:.3g}"] * angles + [f"{table.turn[k]}"] * turns
        cells += [f"{table.pull[k]:.1f}"] + [f"{table.side[k]:.1f}"] * angles
        cells += [f"{table.torque[k]:.2f}", f"{1e3 * table.sinkage[k]:.2f}", f"{1e4 * table.area[k]:.1f}"]
        rows.add_row(*cells, "" if table.steady[k] else "digs itself in")
    output().print(rows)


def _write(path: Path, table: "RigTable") -> None:
    import numpy as np

    from gori.errors import InputError

    try:
        np.savetxt(path, table.rows(), delimiter=",", header=",".join(table.COLUMNS), comments="", fmt="%.9g")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    errors().print(f"{path}", soft_wrap=True)


def _draw(path: Path, table: "RigTable") -> None:
    from gori.errors import InputError

    try:
        table.plot(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be plotted: {error}") from None
    errors().print(f"{path}", soft_wrap=True)
