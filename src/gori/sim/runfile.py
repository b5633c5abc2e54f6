"""A run out of a file, and the folder that it leaves:

run.h5         the states, written while the run goes on
run.particles.h5  frames of particles, if the file asks for them, likewise
run.yaml       the Spec as it was used
channels.csv   the channels of `run.record`, when asked for
plot_1.png     the plots of `run.plots`; if there are none, of `run.record`
summary.json   method, steps, particles, wall time, energy, events, and how the run ended
"""

import json
import math
import os
import time as wall
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import FileError, GoriError, InputError, RecordError, SimulationError
from gori.formats import load, save
from gori.integrate import loops_of, method_of
from gori.model import Model, compile
from gori.record import Frames, Recording, read_checkpoint
from gori.record.channels import WORK
from gori.record.lock import Lock
from gori.sim.channels import add_channels
from gori.sim.contact.impacts import impacts_of
from gori.sim.events import Event
from gori.sim.grid import require_seconds
from gori.sim.particles.framing import frames_beside
from gori.sim.simulation import Simulation
from gori.sim.trace import Trace
from gori.sim.vehicle.rest import at_rest
from gori.spec import Run, Spec
from gori.text.arguments import path_of
from gori.text.whole import whole_file

MOST_IN_PLOT = 24
"""channels in a plot that nobody asked for; more are hard to tell apart"""


def run_file(
    path: str | os.PathLike,
    out: str | os.PathLike | None = None,
    csv: bool = False,
    plots: bool = True,
    progress: bool = True,
    overwrite: bool = False,
    max_wall: float | None = None,
    **options: Any,
) -> Recording:
    """Run what a file describes in its section `run`, and leave a folder with the results.

    out         the folder; default: out/NAME, with the name of the file
    csv         write channels.csv, too
    overwrite   replace the results of an earlier run in that folder; else that is an error
    max_wall    wall time after which the run is stopped [s]; `resume_run` goes on
    options     of the reader of the file

    When the run fails, the folder holds all that was computed before, and the SimulationError is raised.
    """
    folder = default_folder(path) if out is None else Path(out)
    return run_spec(load(path, **options), folder, csv, plots, progress, overwrite, max_wall)


def default_folder(path: str | os.PathLike) -> Path:
    return Path("out") / Path(path).stem


def with_run(
    spec: Spec,
    duration: float | None = None,
    method: str | None = None,
    step: float | None = None,
    device: str | None = None,
) -> Spec:
    """The Spec with another duration, method or step, and particles on another device. Settings of a replaced method
    are discarded.
    """
    run = {} if spec.run is None else spec.run.model_dump(exclude_unset=True)
    new = dict(run)
    if duration is not None:
        new["duration"] = duration
    if method is not None and method != run.get("method", {}).get("type"):
        new["method"] = {"type": method}
    if step is not None:
        new["method"] = {"type": "rk4"} | new.get("method", {}) | {"step": step}
    if device is not None:
        groups = [*spec.particles, *spec.inlets]
        if not groups:
            raise InputError(f"device {device} is for particles, but there are none")
        kept = new.get("subsystems", {})
        new["subsystems"] = kept | {name: kept.get(name, {}) | {"device": device} for name in groups}
    return spec if new == run else spec.set("run", new)


def run_spec(
    spec: Spec,
    out: str | os.PathLike,
    csv: bool = False,
    plots: bool = True,
    progress: bool = True,
    overwrite: bool = False,
    max_wall: float | None = None,
) -> Recording:
    """As `run_file`, of a Spec."""
    if spec.run is None:
        raise InputError("no duration given: add a section such as 'run: {duration: 5}', or give a duration")
    folder, settings = Path(out), spec.run
    if max_wall is not None:
        require_seconds("max_wall", max_wall)
    model = compile(spec)
    try:
        method = method_of(dict(settings.method))
    except InputError as error:
        raise InputError(f"run.method: {error}") from None
    try:
        loops = None if settings.loops is None else loops_of(dict(settings.loops))
    except InputError as error:
        raise InputError(f"run.loops: {error}") from None
    try:
        impacts = None if settings.impacts is None else impacts_of(dict(settings.impacts))
    except InputError as error:
        raise InputError(f"run.{error}") from None
    start = None
    if settings.start == "equilibrium":
        start = at_rest(model, 0.0 if settings.speed is None else settings.speed)
    simulation = Simulation(model, method, events=_events(settings), loops=loops, state=start, impacts=impacts)
    # names are looked up now: a run of hours must not end with an unknown one
    time, q, v, z, extra = simulation.first_sample()
    first = Recording(model, time, q, v, z, extra)
    add_channels(first, Trace(first))
    names = _Names(first, settings)
    method.run.load()  # now, so that the wall time is that of the run

    run = partial(simulation.run, settings.duration, settings.sample, folder / "run.h5", progress, max_wall=max_wall)
    with _locked(folder):
        _clear(folder, overwrite)
        with whole_file(folder / "run.yaml") as part:
            save(spec, part)
        try:
            return _Results(folder, names, csv, plots, 0.0).of(run)
        except InputError:
            if not (folder / "run.h5").exists():  # it did not begin: nothing here to be careful with
                (folder / "run.yaml").unlink()
            raise


def resume_run(
    folder: str | os.PathLike,
    csv: bool = False,
    plots: bool = True,
    progress: bool = True,
    max_wall: float | None = None,
) -> Recording:
    """Go on with a run that was killed or interrupted, from its last checkpoint, and write its results."""
    folder = Path(folder)
    if not (folder / "run.h5").is_file():
        raise FileError("contains no run to resume: it has no run.h5", folder)
    with _locked(folder):
        return _resume(folder, csv, plots, progress, max_wall)


def _resume(folder: Path, csv: bool, plots: bool, progress: bool, max_wall: float | None) -> Recording:
    path = folder / "run.h5"
    if (words := str(read_summary(folder).get("ended", ""))).startswith(("finished", "stopped")):
        raise FileError(f"contains a completed run ({words}): there is nothing to resume", folder)
    before, checkpoint = open_run(path), read_checkpoint(path)
    settings = before.model.run_settings
    if settings is None:
        raise FileError("was not made by gori run: use Simulation.resume", path)
    since = 0.0 if checkpoint is None else checkpoint.time
    if "method" not in before.info:
        raise FileError("does not say the method of its run: it cannot be continued", path)
    method_of(before.info["method"]).run.load()
    run = partial(Simulation.resume, path, progress, max_wall=max_wall, events=_events(settings))
    return _Results(folder, _Names(before, settings), csv, plots, since).of(run)


def open_run(path: str | os.PathLike) -> Recording:
    """The Recording of a run, with the channels of its forces, wheels and particles, and their frames: a file, or the
    folder of a run.
    """
    file = path_of(path) / "run.h5" if path_of(path).is_dir() else path_of(path)
    recording = Recording.load(file)
    add_channels(recording, Trace(recording))
    if frames_beside(file).is_file():
        recording.frames = Frames(frames_beside(file))
    return recording


def _events(settings: Run) -> dict[str, str | Event]:
    return {name: Event(event.value, event.when, event.action) for name, event in settings.events.items()}


def read_summary(folder: str | os.PathLike) -> dict[str, Any]:
    """What summary.json says; nothing where it is not there."""
    try:
        found = json.loads((Path(folder) / "summary.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


# ---- the folder


def _locked(folder: Path) -> Lock:
    """The folder, made if need be, for one run alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot be used for results: {error.strerror or error}", folder) from None
    return Lock(folder)


def _clear(folder: Path, overwrite: bool) -> None:
    """What an earlier run left in the folder goes, or is the reason not to run."""
    try:
        names = ("run.h5", "run.yaml", "channels.csv", "summary.json", "ruts.png", "run.particles.h5", "particles.png")
        old = [*(folder / name for name in names if (folder / name).exists()), *folder.glob("plot_[0-9]*.png")]
        if old and not overwrite:
            raise FileError(
                f"contains the results of an earlier run ({old[0].name}): choose another folder, or pass "
                "overwrite=True (--overwrite)",
                folder,
            )
        for file in old:
            file.unlink()
    except OSError as error:
        raise FileError(f"cannot be used for results: {error.strerror or error}", folder) from None


class _Names:
    """The channels to show, by name."""

    def __init__(self, recording: Recording, settings: Run):
        self.record = _named(recording, settings.record, "run.record") if recording.model.nv else ()
        plots = [_named(recording, patterns, f"run.plots.{k}") for k, patterns in enumerate(settings.plots)]
        few = [self.record[k : k + MOST_IN_PLOT] for k in range(0, len(self.record), MOST_IN_PLOT)]
        self.plots = plots or few


def _named(recording: Recording, patterns: Iterable[str], where: str) -> tuple[str, ...]:
    try:
        names = channel_names(recording, patterns)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if not any(recording[name].size for name in names):
        raise InputError(f"{where}: {', '.join(names) or 'an empty list'} has no columns")
    return names


def channel_names(recording: Recording, patterns: Iterable[str]) -> tuple[str, ...]:
    """Names of the channels that are like the patterns, each once; NAME.* leaves out what is no number to look at."""
    names: dict[str, None] = {}
    for pattern in patterns:
        found = [pattern] if pattern in recording else recording.select(pattern)
        if pattern.endswith(".*"):
            found = [name for name in found if not name.endswith(".determined")]
        names |= dict.fromkeys(found)
    return tuple(names)


class _Results:
    """Writes what came out of a run, however it ended."""

    def __init__(self, folder: Path, names: _Names, csv: bool, plots: bool, since: float):
        self.folder, self.names, self.csv, self.plots, self.since = folder, names, csv, plots, since

    def of(self, run: Callable[[], Recording]) -> Recording:
        began = wall.perf_counter()
        try:
            recording = run()
        except SimulationError as error:
            if error.recording is not None:
                try:
                    self._write(error.recording, wall.perf_counter() - began, f"failed: {error}")
                except GoriError as second:  # the first trouble is the one to tell of
                    error.add_note(str(second))
            raise
        except RecordError as error:  # of what is safe in the file, if there is room for a few lines
            with suppress(GoriError):
                self._write(open_run(self.folder), wall.perf_counter() - began, f"failed: {error}")
            raise
        self._write(recording, wall.perf_counter() - began, None)
        return recording

    def _write(self, recording: Recording, seconds: float, failure: str | None) -> None:
        about = summary(recording, failure) | {"wall_time": seconds}
        about["real_time_factor"] = (about["time"] - self.since) / seconds if seconds > 0.0 else None
        text = json.dumps(about, indent=2)
        with whole_file(self.folder / "summary.json") as part:
            part.write_text(text + "\n", encoding="utf-8")
        if recording.info.get("stopped_by", "").startswith("SIG"):
            return  # whoever sent it does not wait for pictures
        if self.csv:
            with whole_file(self.folder / "channels.csv") as part:
                recording.to_csv(part, *self.names.record)
        for k, names in enumerate(self.names.plots if self.plots else ()):
            with whole_file(self.folder / f"plot_{k + 1}.png") as part:
                recording.plot(*names, path=part)


# ---- the summary


def summary(recording: Recording, failure: str | None) -> dict[str, Any]:
    """What there is to say of a run: plain data."""
    settings, info = recording.model.run_settings, recording.info
    reached = float(recording.time[-1] - recording.time[0])
    events = info.get("events", ())
    given = {} if settings is None else settings.events
    stops = [name for name, _ in events if name in given and given[name].action == "stop"]
    if failure is not None:
        ended = failure
    elif info.get("interrupted"):
        ended = f"interrupted by {info['stopped_by']}"
    elif stops:
        ended = f"stopped by {stops[0]}"
    else:
        ended, reached = "finished", info["duration"]  # the last sample may be earlier
    return {
        "ended": ended,
        "time": reached,
        "method": info["method"],
        **({"loops": info["loops"]} if "loops" in info else {}),
        **({"particles": info["particles"] | _framed(recording)} if "particles" in info else {}),
        "steps": info.get("steps", 0),
        "samples": len(recording),
        "sample": info["sample"],
        "energy": energy(recording),
        "events": [{"name": name, "time": time} for name, time in events],
    }


def _framed(recording: Recording) -> dict[str, int]:
    frames = recording.frames
    return {} if frames is None else {"frames": len(frames)}


def energy(recording: Recording) -> dict[str, float | None]:
    """Energy of inertia, gravity and springs at both ends [J], of particles too but for their contacts. Its drift is
    told where nothing else does work.

    work      of all that has no potential
    balance   largest |E - E0 - work|
    drift     largest deviation from the start, over the largest kinetic energy
    """
    kinetic, total = recording["energy.kinetic"], recording["energy.total"]
    largest = float(kinetic.max())
    drift = None
    if conservative(recording.model) and largest > 0.0:
        drift = _finite(float(np.abs(total - total[0]).max()) / largest)
    particles = recording.info.get("particle_energy", {})
    found = {name: float(total[k]) + particles.get(name, 0.0) for k, name in ((0, "start"), (-1, "end"))}
    if WORK in recording:
        found["work"] = float(recording[WORK][-1] - recording[WORK][0])
        found["balance"] = float(np.abs(recording["energy.balance"]).max())
    return {name: _finite(value) for name, value in found.items()} | {"drift": drift}


def conservative(model: Model) -> bool:
    """Whether gravity alone does work."""
    if model.motion_names:
        return False
    return len(model.forces.element_i) == 0 and model.vehicle is None and model.particles is None


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
