"""Grains as pictures and films: shaded spheres, walls as lines, colours with a scale, time, and a measure of length."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import FileError, InputError, MissingPackageError
from gori.record import Frame, Frames
from gori.sim.progress import Progress
from gori.view.grain_stage import DPI, GrainStage, Pair


def picture(
    grains: Frame | Frames,
    path: str | os.PathLike | None = None,
    walls: Any = None,
    colour: str = "speed",
    view: tuple[float, float] = (-60.0, 25.0),
    cut: Pair | None = None,
    limits: tuple[float, float] | None = None,
    box: Pair | None = None,
    size: float = 8.0,
) -> Any:
    """A still picture of grains; returns the figure, and saves it to `path`.

    grains   a Frame; of Frames the last one
    walls    Model or Spec whose shapes are drawn, or [(body, points (n, 3))]; default: those in the file; False: none
    colour   "speed", "radius", "ident" or "material"
    view     azimuth and elevation of the eye [deg]; (-90, 0) looks along y, (-90, 90) from above
    cut      (point, normal): grains on the side to which the normal points are left out
    limits   of the colours; default: from 0 for the speed, else from the least to the largest
    box      (low, high), corners of what is seen [m]; default: walls and grains, but a few that flew away
    size     of the picture, the longer side [inches]; 100 pixels each
    """
    stage = GrainStage(grains, walls, colour, view, cut, limits, box, size)
    stage.show(grains if isinstance(grains, Frame) else grains[-1])
    if path is not None:
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            stage.figure.savefig(path, dpi=DPI)
        except (OSError, ValueError) as error:
            raise FileError(f"cannot be written: {error}", path) from None
    return stage.figure


def animate(
    frames: Frames,
    path: str | os.PathLike,
    walls: Any = None,
    colour: str = "speed",
    view: tuple[float, float] = (-60.0, 25.0),
    cut: Pair | None = None,
    limits: tuple[float, float] | None = None,
    box: Pair | None = None,
    size: float = 6.0,
    fps: float = 25.0,
    every: int = 1,
    progress: bool = True,
) -> Path:
    """A film of frames, as `picture` shows them: .gif, .mp4 (needs ffmpeg), or .html with controls.

    fps     pictures per second of the film
    every   take each n-th frame
    """
    import matplotlib
    from matplotlib.animation import FuncAnimation

    path = Path(path)
    if not len(frames):
        raise InputError(f"there is nothing to see: {frames.path} holds no frames")
    if not (np.isfinite(fps) and fps > 0.0):
        raise InputError(f"fps must be a positive number, not {fps!r}")
    if every < 1:
        raise InputError(f"every must be 1 or more, not {every!r}")
    writer = _writer(path, fps)
    frames = frames[::every]
    stage = GrainStage(frames, walls, colour, view, cut, limits, box, size)
    bar = Progress(progress, float(frames.times[0]), float(frames.times[-1]) + 1e-9)

    def show(k: int) -> list:
        stage.show(frames[k])
        bar.move(float(frames.times[k]))
        return []

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        film = FuncAnimation(stage.figure, show, len(frames), init_func=list, blit=False)
        if writer is None:
            with matplotlib.rc_context({"animation.embed_limit": 500.0, "savefig.dpi": DPI}):
                rate: Any = fps
                path.write_text(film.to_jshtml(fps=rate))
        else:
            film.save(path, writer=writer, dpi=DPI)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", path) from None
    finally:
        bar.close()
    return path


def _writer(path: Path, fps: float) -> Any:
    """What makes the film; None for a page."""
    from matplotlib.animation import FFMpegWriter, PillowWriter

    rate: Any = fps
    match path.suffix:
        case ".html":
            return None
        case ".gif":
            return PillowWriter(fps=rate)
        case ".mp4":
            if not FFMpegWriter.isAvailable():
                raise MissingPackageError("a .mp4 film needs the program ffmpeg: install it, or make a .gif or .html")
            # most players want an even count of pixels and this way of storing colours
            even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p"]
            return FFMpegWriter(fps=rate, codec="h264", bitrate=-1, extra_args=[*even, "-crf", "20"])
    raise InputError(f"a film is a .gif, .mp4 or .html file, not {path.name!r}")
