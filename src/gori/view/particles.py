"""Particles as pictures and films: shaded spheres, walls as lines, colours with a scale, time, and a length."""

import os
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from gori.errors import FileError, InputError, MissingPackageError
from gori.record import Frames, ParticleFrame
from gori.sim.progress import Progress
from gori.text.arguments import path_of
from gori.view.particle_stage import DPI, Appearance, ParticleStage


def picture(
    particles: ParticleFrame | Frames, path: str | os.PathLike | None = None, **appearance: Unpack[Appearance]
) -> Any:
    """A still picture of particles; returns the figure, and saves it to `path`.

    particles    a ParticleFrame; of Frames the last one
    appearance   walls, colour, view, cut, limits, box, size: see `Appearance`
    """
    stage = ParticleStage(particles, **appearance)
    stage.show(particles if isinstance(particles, ParticleFrame) else particles[-1])
    if path is not None:
        path = path_of(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            stage.figure.savefig(path, dpi=DPI)
        except (OSError, ValueError) as error:
            raise FileError(f"cannot be written: {error}", path) from None
    return stage.figure


def animate(
    frames: Frames,
    path: str | os.PathLike,
    fps: float = 25.0,
    every: int = 1,
    progress: bool = True,
    **appearance: Unpack[Appearance],
) -> Path:
    """A film of frames, as `picture` shows them: .gif, .mp4 (needs ffmpeg), or .html with controls.

    fps     pictures per second of the film
    every   take each n-th frame
    """
    import matplotlib
    from matplotlib.animation import FuncAnimation

    path = path_of(path)
    if not len(frames):
        raise InputError(f"nothing to draw: {frames.path} contains no frames")
    if not (np.isfinite(fps) and fps > 0.0):
        raise InputError(f"fps must be a positive number, not {fps!r}")
    if every < 1:
        raise InputError(f"every must be 1 or more, not {every!r}")
    writer = _writer(path, fps)
    frames = frames[::every]
    stage = ParticleStage(frames, **{"size": 6.0, **appearance})
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
                raise MissingPackageError(".mp4 needs the program ffmpeg: install it, or write a .gif or .html")
            # most players want an even count of pixels and this way of storing colours
            even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p"]
            return FFMpegWriter(fps=rate, codec="h264", bitrate=-1, extra_args=[*even, "-crf", "20"])
    raise InputError(f"an animation is a .gif, .mp4 or .html file, not {path.name!r}")
