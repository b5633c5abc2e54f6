"""Frames of particles while a run goes on: into a file, or a list where there is none."""

from pathlib import Path
from typing import Any

from gori.record import FrameFile, Frames, ParticleFrame
from gori.sim.particles.particles import Particles
from gori.spec import Spec


def frames_beside(path: str | Path) -> Path:
    """The file of frames that belongs to a recording: run.h5 -> run.particles.h5."""
    path = Path(path)
    return path.with_name(f"{path.stem}.particles{path.suffix or '.h5'}")


class Framing:
    """Takes a frame every so often [s].

    path   of the recording; None: frames are kept in memory
    spec   kept with them, so that pictures can show the walls
    """

    def __init__(
        self, particles: Particles, spec: Spec, every: float, path: Any, start: float, duration: float, overwrite: bool
    ):
        self._particles, self.every, self._start, self._taken = particles, every, start, 0
        self.kept: list[ParticleFrame] = []
        self._path = None if path is None else frames_beside(path)
        self._file = None
        if self._path is not None:
            frame = particles.frame(start)
            self._file = FrameFile(
                self._path,
                tuple(frame.poses),
                particles.materials,
                spec,
                decimate=particles.tables.decimate,
                overwrite=overwrite,
                capacity=int(duration / every) + 8,
                groups=particles.tables.names,
            )

    @classmethod
    def resume(cls, particles: Particles, every: float, path: Any, start: float, now: float) -> "Framing":
        """Go on with the frames of a run that stands at `now`."""
        self = cls.__new__(cls)
        self._particles, self.every, self._start, self.kept = particles, every, start, []
        self._path = frames_beside(path)
        self._file = FrameFile.resume(self._path, now + 1e-9)
        self._taken = self._file.frames
        return self

    def take(self, time: float) -> None:
        """Take a frame if it is time."""
        if time < self._start + self._taken * self.every - 1e-9:
            return
        self._taken += 1
        if self._file is None:
            self.kept.append(self._particles.frame(time))
        else:
            ids, sphere, motion = self._particles.engine.snapshot()
            self._file.append(time, ids, sphere, motion, self._particles.matrices(), self._particles.group[ids])

    def close(self) -> Any:
        """The frames: from the file, or the list."""
        if self._file is None:
            return self.kept
        self._file.close()
        assert self._path is not None
        return Frames(self._path)
