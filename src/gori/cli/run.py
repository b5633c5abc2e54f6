"""`gori run`: from a file to a folder of results."""

import signal
from collections import Counter
from contextlib import suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from gori.cli.main import INTERRUPTED, OUT_OF_TIME
from gori.cli.reading import Reading, reads_machines
from gori.cli.terminal import collected_warnings, count, output, warn

if TYPE_CHECKING:
    from gori.record import Recording
    from gori.spec import Spec


class Device(StrEnum):
    cpu = "cpu"
    cuda = "cuda"


OptionalFile = Annotated[
    Path | None,
    typer.Argument(metavar="FILE", help="A description: .yaml, .urdf, .sdf or MJCF (.xml).", show_default=False),
]


@reads_machines
def run(
    reading: Reading,
    file: OptionalFile = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the results.", show_default="out/NAME")
    ] = None,
    duration: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds to simulate.", show_default="as in the file")
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="rk4, dopri5, ...", show_default="as in the file")
    ] = None,
    step: Annotated[
        float | None, typer.Option(metavar="S", help="Step of the method in seconds.", show_default="as in the file")
    ] = None,
    device: Annotated[
        Device | None, typer.Option(help="Where particles are computed.", show_default="as in the file")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Override a value: truck.payload.mass=600; may be repeated."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Also write the recorded channels as a table.")] = False,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="Draw no plots.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing results in the folder.")] = False,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Resume a run that was killed.", show_default=False)
    ] = None,
    max_wall: Annotated[
        float | None,
        typer.Option(metavar="S", help="Stop after this wall time, to be resumed later.", show_default=False),
    ] = None,
) -> None:
    """Simulate a file in time, and write results, tables and plots to a folder.

    Exit codes: 0 finished; 1 the run failed; 2 wrong input; 124 stopped by --max-wall; 129, 130, 143 stopped by
    SIGHUP, Ctrl-C, SIGTERM. A run that was stopped or killed continues with --resume.
    """
    from gori.errors import InputError, SimulationError
    from gori.sim.callers.signals import stop_signals
    from gori.sim.runfile import default_folder, resume_run, run_spec

    if resume is not None:
        given = {"FILE": file, "--out": out, "--duration": duration, "--method": method, "--step": step}
        given |= {"--device": device, "--set": changes or None, "--overwrite": overwrite or None}
        given |= {f"--{name}": value for name, value in reading.given.items()}
        if refused := [name for name, value in given.items() if value is not None]:
            raise InputError(f"--resume continues a run unchanged: it cannot be combined with {', '.join(refused)}")
        folder, work = resume, partial(resume_run, resume)
    elif file is None:
        raise InputError("give a file to run: gori run FILE.yaml, or gori run --resume DIR")
    else:
        spec = described(file, reading, changes or [], duration, method, step, device)
        folder = default_folder(file) if out is None else out
        work = partial(run_spec, spec, folder, overwrite=overwrite)
    try:
        with stop_signals():
            recording = work(csv=csv, plots=not no_plots, max_wall=max_wall)
    except SimulationError:
        show(folder)
        raise
    stopped_by = recording.info.get("stopped_by", "")
    if stopped_by.startswith("SIG"):
        with suppress(OSError):  # the terminal may have gone
            show(folder)
        raise typer.Exit(128 + signal.Signals[stopped_by])
    if not no_plots:
        draw_ruts(folder, recording)
        draw_particles(folder, recording)
    show(folder)
    if stopped_by:
        raise typer.Exit(OUT_OF_TIME if stopped_by == "max_wall" else INTERRUPTED)


def described(
    file: Path,
    reading: Reading,
    changes: list[str],
    duration: float | None,
    method: str | None,
    step: float | None,
    device: Device | None = None,
) -> "Spec":
    """The Spec of a file with the changes of the command line."""
    from gori.sim.runfile import with_run

    with collected_warnings(file) as messages:
        spec = reading.spec(file, [parted(change) for change in changes])
        spec = with_run(spec, duration, method, step, None if device is None else device.value)
    # a Spec that is changed warns again of what it warned of when it was read, without the line
    warn([one for one in messages if not any(one != other and other.endswith(one) for other in messages)])
    return spec


def parted(change: str) -> tuple[str, Any]:
    """Name and value of NAME=VALUE; the value is read as in a YAML file."""
    from gori.errors import InputError
    from gori.text.yaml import read_value

    name, equals, text = change.partition("=")
    if not (name and equals):
        raise InputError(f"--set takes NAME=VALUE, such as truck.mass=600, not {change!r}")
    try:
        return name, read_value(text)
    except ValueError as refused:
        raise InputError(f"--set {change}: {refused}") from None


def draw_ruts(folder: Path, recording: "Recording") -> None:
    """ruts.png, if the vehicles went over soft soil: as the end of the run left it."""
    terrain = recording.model.spec.terrain
    if terrain is None or terrain.soft is None:
        return
    from gori.record import read_checkpoint
    from gori.view import ruts

    saved = read_checkpoint(folder / "run.h5")
    if saved is not None:
        ruts(recording.model, saved, folder / "ruts.png")


def draw_particles(folder: Path, recording: "Recording") -> None:
    """particles.png: the last frame, if frames were asked for."""
    if recording.frames is not None and len(recording.frames):
        from gori.view.particles import picture

        picture(recording.frames, folder / "particles.png")


def show(folder: Path) -> None:
    """A few lines on a run, out of its summary."""
    from gori.sim.runfile import read_summary

    about = read_summary(folder)
    if not about:
        return
    rows = {
        "simulated": f"{about['time']:.6g} s, {about['ended'].partition(':')[0]}",
        "method": _method(about),
        "wall time": f"{about['wall_time']:.3g} s" + _factor(about["real_time_factor"]),
        "energy": _energy(about["energy"]),
    }
    if "particles" in about:
        rows["particles"] = _particles(about)
    if about["events"]:
        met = Counter(event["name"] for event in about["events"])
        rows["events"] = ", ".join(f"{name} {number}" for name, number in met.items())
    if about["ended"].startswith("interrupted"):
        rows["to continue"] = f"gori run --resume {folder}"
    rows["files"] = f"{folder}: {' '.join(sorted(path.name for path in folder.iterdir() if path.is_file()))}"
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, words in rows.items():
        table.add_row(Text(name, "bold"), words)
    output().print(table)


def _method(about: dict[str, Any]) -> str:
    method = about["method"]
    how = ", ".join(f"{name} {method[name]:g}" for name in ("step", "rtol", "atol") if name in method)
    how += f", loops by {about['loops']['type']}" if "loops" in about else ""
    return f"{method['type']}, {how}: {count(about['steps'], 'step')}, {count(about['samples'], 'sample')}"


def _particles(about: dict[str, Any]) -> str:
    particles, steps = about["particles"], max(1, about["steps"])
    words = f"{particles['count']} on {particles['device']}, {count(particles['substeps'], 'sub-step')} of at most "
    words += f"{particles['step']:.3g} s in a step: {1e3 * about['wall_time'] / steps:.3g} ms; "
    words += f"{count(particles['contacts'], 'contact')}"
    words += f", {count(particles['frames'], 'frame')}" if "frames" in particles else ""
    for name, inlet in particles.get("inlets", {}).items():
        words += f"; {inlet['made']} came by {name}" + (f", {inlet['waiting']} wait" if inlet["waiting"] else "")
    return words


def _factor(factor: float | None) -> str:
    return "" if factor is None else f", {factor:.3g} times real time"


def _energy(energy: dict[str, float | None]) -> str:
    if energy["drift"] is not None:
        return f"drift {energy['drift']:.2g} of the largest kinetic energy"
    if energy["start"] is None or energy["end"] is None:
        return "out of bounds"
    words = f"{energy['start']:.6g} J at the start, {energy['end']:.6g} J at the end"
    if energy.get("work") is not None and energy.get("balance") is not None:
        words += f", {energy['work']:.6g} J of work, balance {energy['balance']:.2g} J"
    return words
