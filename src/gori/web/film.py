"""A Recording as packets: the film of its bodies, series of its channels, grains, arrows and ruts."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import GoriError, InputError
from gori.model import Model
from gori.model.state import State
from gori.record import Frames, Recording, read_checkpoint
from gori.record.columns import stored_columns
from gori.record.damage import reading
from gori.record.rows import ending, open_file, read_header
from gori.sim.channels import add_channels
from gori.sim.particles.framing import frames_beside
from gori.sim.runfile import open_run
from gori.sim.trace import Trace
from gori.text.arguments import path_of
from gori.web.arrows import arrows_of
from gori.web.channels import default_channels, series_packet, series_part
from gori.web.grains import colour_limits, grains_packet
from gori.web.packet import pack
from gori.web.poses import poses_of
from gori.web.ruts import ruts_packet
from gori.web.scene import Scene

MOST_FRAMES = 2000


class Film:
    """What pages ask of a Recording.

    recording     a Recording, or the file or folder of a run, also of one that is still written: `refresh`
    most_frames   poses are sent of at most so many samples, spread evenly over time
    state         at the end of the run, for its ruts; of a file it is read from there
    channels      that charts show at first; default: what the file asks for, or a few
    """

    def __init__(
        self,
        recording: Recording | str | os.PathLike,
        most_frames: int = MOST_FRAMES,
        state: State | None = None,
        title: str = "",
        channels: list[str] | None = None,
    ):
        self.channels = channels
        self.path: Path | None = None
        if not isinstance(recording, Recording):
            path = path_of(recording)
            self.path = path / "run.h5" if path.is_dir() else path
            self._stamp = _stamp(self.path)
            recording = open_run(self.path)
            title = title or (
                path.name if path.is_dir() else path.stem if path.stem != "run" else path.absolute().parent.name
            )
        if most_frames < 2:
            raise InputError(f"most_frames must be 2 or more, not {most_frames!r}")
        self.recording, self.most_frames, self.state, self.title = recording, most_frames, state, title
        self.ghost: Recording | None = None
        """another run, whose channels go with those of this one"""
        self._limits: tuple[float, float] | None = None
        self._size: float | None = None

    @property
    def model(self) -> Model:
        return self.recording.model

    @property
    def growing(self) -> bool:
        """Whether a run may still write on it."""
        return self.path is not None and self.recording.info.get("end") == "running or killed"

    def refresh(self) -> bool:
        """Read the file again if it has grown; True if there is something new. The Model is not compiled again."""
        if self.path is None or not self.path.is_file() or (stamp := _stamp(self.path)) == self._stamp:
            return False
        before = len(self.recording), self.recording.info.get("end")
        self.recording, self._stamp, self._limits = _reopened(self.path, self.model), stamp, None
        return (len(self.recording), self.recording.info.get("end")) != before

    # ---- packets

    def scene(self, **options: Any) -> Scene:
        """The Scene of its Model, with its channels."""
        scene = Scene(self.model, "film", self.recording, title=self.title, **options)
        self._size = scene.extent.size
        return scene

    @property
    def rows(self) -> np.ndarray:
        """Samples (n,) of which poses are sent, spread evenly over time."""
        return even_rows(self.recording.time, self.most_frames)

    @property
    def grain_times(self) -> np.ndarray:
        """Times (n,) [s] of the frames of particles."""
        frames = self.recording.frames
        if isinstance(frames, Frames):
            return np.asarray(frames.times, float)
        return np.array([frame.time for frame in frames or ()], float)

    def packet(self, grain_rows: np.ndarray | None = None, thinned: str | None = None) -> bytes:
        """The film packet.

        grain_rows   frames of particles that there are to be asked for; default: all
        thinned      further words on what is left out
        """
        rec, rows = self.recording, self.rows
        times = self.grain_times if grain_rows is None else self.grain_times[grain_rows]
        arrays = {"times": rec.time[rows], "poses": poses_of(self.model, rec.q[rows])}
        arrays |= {"spin": self.spin()[rows].astype(np.float32), "grain_times": times}
        head: dict[str, Any] = {"type": "film", **{name: name for name in arrays}}
        words = [] if len(rows) == len(rec) else [f"{len(rows)} of {len(rec)} samples are shown"]
        words += [] if thinned is None else [thinned]
        entries = []
        for k, name in enumerate(default_channels(rec) if self.channels is None else self.channels):
            entry, columns = series_part(rec, name, self.most_frames, self.ghost)
            arrays |= {f"series.{k}.{key}": array for key, array in columns.items()}
            entries.append(entry | {key: f"series.{k}.{key}" for key in columns})
        head |= {
            "series": entries,
            "thinned": "; ".join(words) or None,
            "samples": len(rec),
            "complete": not self.growing,
        }
        if len(times):
            head["grains"] = {"limits": list(self.limits), "label": "speed [m/s]", "count": self.most_grains}
        return pack(head, arrays)

    @property
    def most_grains(self) -> int:
        """Of all frames the largest number of particles."""
        frames = self.recording.frames
        if isinstance(frames, Frames):
            return int(frames.counts.max(initial=0))
        return max(map(len, frames or ()), default=0)

    def spin(self) -> np.ndarray:
        """Angle (samples, wheels) [rad] that each wheel has turned: the integral of its recorded speed. A wheel is no
        body of the tree, and its angle is not a state.
        """
        rec, vehicle = self.recording, self.model.vehicle
        wheels = () if vehicle is None else vehicle.wheels
        out = np.zeros((len(rec), len(wheels)))
        step = np.diff(rec.time)
        for k, wheel in enumerate(wheels):
            if f"{wheel}.speed" in rec:
                speed = rec[f"{wheel}.speed"]
                out[1:, k] = np.cumsum(0.5 * (speed[1:] + speed[:-1]) * step)
        return out

    def series(self, name: str) -> bytes:
        """A channel over time; an InputError for an unknown one."""
        return series_packet(self.recording, name, ghost=self.ghost)

    def arrows(self, kind: str) -> bytes:
        """Arrows of the samples of the film: "contact", "reaction" or "force"."""
        if self._size is None:
            self.scene()
        return pack(*arrows_of(self.recording, kind, self.rows, self._size or 1.0))

    def ruts(self) -> bytes | None:
        """Ruts in soft soil at the end, with the time at which each came to be; None without soft soil."""
        state = self.state
        if state is None and self.path is not None and self.model.spec.terrain is not None:
            try:
                state = read_checkpoint(self.path)
            except GoriError:  # the recording can be seen without it
                state = None
        return ruts_packet(self.recording, state)

    @property
    def limits(self) -> tuple[float, float]:
        """Of the colours of grains, the same for all frames."""
        if self._limits is None:
            self._limits = colour_limits(self.recording.frames)
        return self._limits

    def grains(self, k: int, most: int = 60_000, number: int | None = None) -> bytes:
        """Particles of frame k, at most so many; the page knows it by another number, if one is given."""
        frames = self.recording.frames
        if frames is None or not 0 <= k < len(frames):
            raise InputError(f"there is no frame {k} of particles: there are {0 if frames is None else len(frames)}")
        return grains_packet(frames[k], k if number is None else number, most, self.limits)


def even_rows(time: np.ndarray, most: int) -> np.ndarray:
    """Rows of at most so many samples, spread evenly over time, the first and the last among them."""
    if len(time) <= most:
        return np.arange(len(time))
    after = np.clip(np.searchsorted(time, np.linspace(time[0], time[-1], most)), 1, len(time) - 1)
    wanted = np.linspace(time[0], time[-1], most)
    rows = np.where(wanted - time[after - 1] < time[after] - wanted, after - 1, after)
    return np.unique(np.concatenate([rows, [0, len(time) - 1]]))[:most] if most > 2 else np.array([0, len(time) - 1])


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _reopened(path: Path, model: Model) -> Recording:
    """The Recording in a file as `open_run` reads it, with a Model that is known."""
    file = open_file(path)
    try:
        header = read_header(file)
        columns, end = stored_columns(file, None)
        with reading(path, "what it says of the run (info)"):
            recording = Recording.of_columns(model, columns, ending(end) | header.info | {"end": end})
    except BaseException:
        file.close()
        raise
    add_channels(recording, Trace(recording))
    if frames_beside(path).is_file():
        recording.frames = Frames(frames_beside(path))
    return recording
