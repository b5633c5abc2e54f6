"""Frames of grains while a run goes on: into a file, or a list where there is none."""

from pathlib import Path
from typing import Any

from gori.record import Frame, FrameFile, Frames
from gori.sim.particles.particles import Grains


def frames_beside(path: str | Path) -> Path:
    """The file of frames that belongs to a recording: run.h5 -> run.grains.h5."""
    path = Path(path)
    return path.with_name(f"{path.stem}.grains{path.suffix or '.h5'}")


class Framing:
    """Takes a frame every so often [s].

    path   of the recording; None: frames are kept in memory
    """

    def __init__(self, grains: Grains, every: float, path: Any, start: float, duration: float, overwrite: bool):
        self._grains, self.every, self._start, self._taken = grains, every, start, 0
        self.kept: list[Frame] = []
        self._path = None if path is None else frames_beside(path)
        self._file = None
        if self._path is not None:
            decimate = max((part.decimate for part in grains.settings.values()), default=1)
            frame = grains.frame(start)
            self._file = FrameFile(
                self._path,
                tuple(frame.poses),
                grains.materials,
                grains.model.spec,
                decimate=decimate,
                overwrite=overwrite,
                room=int(duration / every) + 8,
            )

    @classmethod
    def resume(cls, grains: Grains, every: float, path: Any, start: float, now: float) -> "Framing":
        """Go on with the frames of a run that stands at `now`."""
        self = cls.__new__(cls)
        self._grains, self.every, self._start, self.kept = grains, every, start, []
        self._path = frames_beside(path)
        self._file = FrameFile.resume(self._path, now + 1e-9)
        self._taken = self._file.frames
        return self

    def look(self, time: float) -> None:
        """Take a frame if it is time."""
        if time < self._start + self._taken * self.every - 1e-9:
            return
        self._taken += 1
        if self._file is None:
            self.kept.append(self._grains.frame(time))
        else:
            ident, place, motion = self._grains.bed.look()
            self._file.append(time, ident, place, motion, self._grains.matrices())

    def close(self) -> Any:
        """The frames: from the file, or the list."""
        if self._file is None:
            return self.kept
        self._file.close()
        assert self._path is not None
        return Frames(self._path)
