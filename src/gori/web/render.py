"""`gori render`: pictures and films of a recording without a window, taken by the viewer in a headless browser."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import FileError, InputError, MissingPackageError
from gori.model import Model
from gori.record import Recording
from gori.sim.progress import Progress
from gori.text.arguments import file_of
from gori.text.whole import whole_file
from gori.web.browser import Browser, png_of
from gori.web.drawings import Drawings
from gori.web.export import options_of, page_text
from gori.web.film import Film

SIZE = (1280, 720)
LARGEST = 7680
"""pixels of a side"""
ROOM_MB = 400.0
"""of the page that is drawn: large, as nobody keeps it"""
FFMPEG = "films (.mp4) need the program ffmpeg: install it, or run pip install 'gori[video]'"
MOST_PICTURES = 20_000


def to_picture(
    source: "Recording | Model | str | os.PathLike",
    path: str | os.PathLike,
    at: float | None = None,
    camera: str | None = None,
    size: tuple[int, int] = SIZE,
    fps: float = 30.0,
    *,
    trails: Iterable[str] = (),
    arrows: Iterable[str] = (),
    drawings: Drawings | None = None,
    dark: bool | None = None,
    progress: bool = True,
) -> Path:
    """Draw a Recording (or a Model, or the file or folder of a run) as the viewer shows it: .png at a time, or .mp4.

    at       time of the picture [s]; default: the last. A film runs over all of the recording, as fast as the machine
    camera   "iso", "front", "back", "left", "right", "top", "bottom", "chase" or "follow"
    size     width and height [pixels]
    fps      pictures per second of a film
    """
    path = file_of(path)
    if path.suffix.lower() not in (".png", ".mp4"):
        raise InputError(f"a picture is a .png and a film an .mp4 file, not {path.name!r}")
    width, height = _size(size)
    if not (np.isfinite(fps) and fps > 0.0):
        raise InputError(f"fps must be a positive number, not {fps!r}")
    film = path.suffix.lower() == ".mp4"
    encoder = find_ffmpeg() if film else None
    options = options_of(trails, arrows, None, camera) | {"bare": True, "dark": dark}
    start, end = _span(source := source if isinstance(source, Model) else Film(source).recording)
    times = _times(at, start, end, fps, film)
    text = page_text(source, ROOM_MB, path.stem, options, drawings=drawings)
    with tempfile.TemporaryDirectory(prefix="gori-render-") as folder, Browser(width, height) as browser:
        page = Path(folder) / "page.html"
        page.write_text(text, encoding="utf-8")
        shots = Shots(browser, page, camera)
        with whole_file(path) as part:
            part.parent.mkdir(parents=True, exist_ok=True)
            if encoder is None:
                part.write_bytes(shots.at(times[0]))
            else:
                _encode(encoder, shots, times, fps, part, progress)
    return path


class Shots:
    """Pictures of a page, one after the other."""

    def __init__(self, browser: Browser, page: Path, camera: str | None):
        self._browser = browser
        browser.open(page.absolute().as_uri())
        browser.wait_for("!!(window.gori && window.gori.page)", "the viewer", 120.0)
        browser.run("window.gori.page.ready.then(() => true)")
        browser.run("window.gori.page.pause()")
        if camera is not None:
            browser.run(f"Promise.resolve(window.gori.page.camera({json.dumps(camera)})).then(() => true)")

    def at(self, time: float) -> bytes:
        """PNG at a time [s]."""
        script = f"Promise.resolve(window.gori.page.seek({float(time)!r})).then(() => window.gori.page.picture())"
        return png_of(self._browser.run(script))


def _size(size: Any) -> tuple[int, int]:
    try:
        width, height = (int(side) for side in size)
    except (TypeError, ValueError):
        raise InputError(f"size must be width and height, such as (1280, 720), not {size!r}") from None
    if not (16 <= width <= LARGEST and 16 <= height <= LARGEST):
        raise InputError(f"size must be 16 to {LARGEST} pixels each way, not {width} x {height}")
    return width, height


def size_of(text: str) -> tuple[int, int]:
    """1280x720 as two numbers."""
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise InputError(f"a size is written 1280x720, not {text!r}")
    return _size((width, height))


def _span(source: Any) -> tuple[float, float]:
    if isinstance(source, Recording):
        if not len(source):
            raise InputError("nothing to draw: the recording has no samples")
        return float(source.time[0]), float(source.time[-1])
    return 0.0, 0.0


def _times(at: float | None, start: float, end: float, fps: float, film: bool) -> np.ndarray:
    """Times of the pictures [s]."""
    if not film:
        time = end if at is None else float(at)
        if not start - 1e-9 <= time <= end + 1e-9:
            raise InputError(f"there is no picture at t = {time:g} s: the recording covers {start:g} to {end:g} s")
        return np.array([time])
    if at is not None:
        raise InputError("a film runs over all of the recording: leave out the time (--at), or write a .png")
    count = int((end - start) * fps + 1e-9) + 1
    if count > MOST_PICTURES:
        raise InputError(f"{end - start:g} s at {fps:g} pictures per second are {count}, more than {MOST_PICTURES}")
    return start + np.arange(count) / fps


def find_ffmpeg() -> str:
    """The program ffmpeg, on PATH or of the package imageio-ffmpeg."""
    if found := shutil.which("ffmpeg"):
        return found
    try:
        import imageio_ffmpeg  # pyright: ignore[reportMissingImports]

        return imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise MissingPackageError(FFMPEG) from None


def _encode(ffmpeg: str, shots: Shots, times: np.ndarray, fps: float, path: Path, progress: bool) -> None:
    # most players want an even count of pixels and this way of storing colours
    even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    source = ["-f", "image2pipe", "-c:v", "png", "-framerate", f"{fps:g}", "-i", "-"]
    command = [ffmpeg, "-loglevel", "error", "-y", *source, *even, "-c:v", "libx264", "-crf", "20", str(path)]
    bar = Progress(progress, float(times[0]), float(times[-1]) + 1e-9)
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log)
        assert process.stdin is not None
        try:
            for time in times:
                process.stdin.write(shots.at(float(time)))
                bar.move(float(time))
            process.stdin.close()
        except BrokenPipeError:  # it has ended: what it said follows
            pass
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            bar.close()
        if process.wait():
            log.seek(0)
            words = log.read().decode(errors="replace").strip().splitlines()[-2:]
            raise FileError(f"ffmpeg could not write it: {' / '.join(words)}", path)
