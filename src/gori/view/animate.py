"""A recorded motion as a film, or as pictures side by side."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model.arrays import numbers_of
from gori.record import Recording
from gori.sim.progress import Progress
from gori.spec import GROUND
from gori.text.arguments import names_of, path_of
from gori.view.skeleton import PLANES, Outline, Pose, Skeleton, add_ground, in_world, new_axes, outline

FLAT = 1e-6
"""depth of a motion, by its size, that counts as none"""
MOST = 2000
"""pictures of a film"""


def animate(
    recording: Recording,
    path: str | os.PathLike,
    every: float | None = None,
    fps: float = 25.0,
    view: str | None = None,
    trails: Iterable[str] = (),
    size: float = 5.0,
    progress: bool = True,
    follow: str | None = None,
) -> Path:
    """Write a film of a Recording: a .gif, or a .html page with controls, which is better for long ones.

    every    time between pictures [s]; default: 1/fps, so that it runs as fast as the machine did
    fps      pictures per second of the film
    view     "xy", "xz", "yz" or "3d"; default: the plane if the machine moves in one of them
    trails   bodies or frames whose paths are drawn
    size     of a picture, the longer side [inches]; 100 pixels each
    follow   body or frame that the picture goes along with, such as the chassis of a vehicle
    """
    import matplotlib
    from matplotlib.animation import FuncAnimation, PillowWriter

    _require_recording(recording)
    path = path_of(path)
    if path.suffix not in (".gif", ".html"):
        raise InputError(f"an animation is a .gif or .html file, not {path.name!r}")
    for name, value in (("fps", fps), ("every", 1.0 if every is None else every)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{name} must be a positive number, not {value!r}")
    every = 1.0 / fps if every is None else every
    span = float(recording.time[-1] - recording.time[0]) if len(recording) else 0.0
    if int(span / every) >= MOST:
        raise InputError(f"{span:g} s, an image every {every:g} s: that is more than {MOST} images; increase `every`")
    times = float(recording.time[0]) + every * np.arange(int(span / every + 1e-9) + 1) if len(recording) else []
    stage = Stage(recording, view, size, names_of(trails, "trails"), follow)
    figure = stage.figure(1)
    (show,) = stage.fill(figure, 1)
    bar = Progress(progress, float(recording.time[0]), float(recording.time[-1]) + 1e-9)

    def picture(k: int) -> list:
        show(times[k])
        bar.move(float(times[k]))
        return []

    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        # the first picture is not drawn twice: there is nothing to set up
        rate: Any = fps
        film = FuncAnimation(figure, picture, len(times), init_func=list, blit=False)
        if path.suffix == ".gif":
            film.save(path, writer=PillowWriter(fps=rate), dpi=100)
        else:
            with matplotlib.rc_context({"animation.embed_limit": 500.0, "savefig.dpi": 100}):
                path.write_text(film.to_jshtml(fps=rate))
    finally:
        bar.close()
    return path


def _require_recording(recording: object) -> None:
    if not isinstance(recording, Recording):
        raise InputError(f"a Recording is needed here, not a {type(recording).__name__}")


def pictures(
    recording: Recording,
    times: Iterable[float],
    path: str | os.PathLike | None = None,
    view: str | None = None,
    trails: Iterable[str] = (),
    size: float = 3.0,
    follow: str | None = None,
) -> Any:
    """Pictures at given times [s] side by side; returns the figure, and saves it to `path`; as `animate`."""
    _require_recording(recording)
    times = numbers_of(times, "times", least=1).reshape(-1).tolist()
    if not times:
        raise InputError("pictures needs at least one time")
    stage = Stage(recording, view, size, names_of(trails, "trails"), follow)
    for time in times:
        if not recording.time[0] - 1e-9 <= time <= recording.time[-1] + 1e-9:
            span = f"{recording.time[0]:g} to {recording.time[-1]:g} s"
            raise InputError(f"there is no image at t = {time:g} s: the recording covers {span}")
    figure = stage.figure(len(times))
    for time, show in zip(times, stage.fill(figure, len(times))):
        show(time)
    if path is not None:
        path_of(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=100)
    return figure


class Stage:
    """Where a Recording plays: its outline, the view, and limits that hold all of the motion."""

    def __init__(
        self, recording: Recording, view: str | None, size: float, trails: list[str], follow: str | None = None
    ):
        if not len(recording):
            raise InputError("nothing to draw: the recording has no samples")
        self.recording, self.trails = recording, trails
        self.outline: Outline = outline(recording.model.spec)
        self._paths = {name: recording[f"{name}.position"] for name in trails}
        parts = [*self.outline.lines, *self.outline.joints, *self.outline.cuts]
        few = np.unique(np.linspace(0, len(recording) - 1, 200).astype(int))
        self._centre = recording[f"{follow}.position"] if follow else np.zeros((len(recording), 3))
        seen = [points - self._centre[k] for k in few for points in in_world(parts, self._pose(k))]
        trailed = [] if follow else list(self._paths.values())
        cloud = np.concatenate([*(seen or [np.zeros((1, 3))]), *trailed])
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        extent = high - low
        self.view = view or self._plane(few, extent.max())
        # also what is narrow in one direction gets some room there
        middle, half = (low + high) / 2.0, np.maximum(extent, 0.3 * extent.max() + 1e-9) * 0.55
        self._low, self._high = middle - half, middle + half
        self._size = size

    def _plane(self, few: np.ndarray, size: float) -> str:
        """The plane that all bodies move in, if there is one."""
        rec, across = self.recording, {0, 1, 2}
        for body in rec.model.body_names:
            p, R = rec[f"{body}.position"][few], rec[f"{body}.rotation"][few]
            turned = np.einsum("nki,ki->nk", R, R[0])  # cosines between the world's axes, and where they are carried
            across &= {k for k in range(3) if np.ptp(p[:, k]) <= FLAT * size and turned[:, k].min() > 1.0 - FLAT**2}
        planes = [name for name, axes in PLANES.items() if not across & set(axes)]
        return planes[0] if len(across) == 1 else "3d"

    def _pose(self, k: int) -> Callable[[str], Pose]:
        rec = self.recording
        return lambda body: (
            (np.eye(3), np.zeros(3)) if body == GROUND else (rec[f"{body}.rotation"][k], rec[f"{body}.position"][k])
        )

    def figure(self, columns: int) -> Any:
        """An empty figure, not shown on a screen."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        width, height = 1.0, 1.0
        if self.view in PLANES:
            sides = (self._high - self._low)[list(PLANES[self.view])]
            width, height = sides / sides.max()
        edge = 0.9  # room for labels [inches]
        figure = Figure(figsize=(columns * (self._size * width + edge), self._size * height + edge))
        FigureCanvasAgg(figure)
        if self.view in PLANES:
            figure.set_layout_engine("constrained")
        else:
            figure.subplots_adjust(left=0.0, right=1.0, bottom=0.02, top=0.93, wspace=0.0)
        return figure

    def fill(self, figure: Any, columns: int) -> list[Callable[[float], None]]:
        """Axes with the machine in them; each is shown at a time by calling what is returned."""
        shows = []
        for column in range(columns):
            ax = new_axes(figure, self.view, (1, columns, column + 1))
            which = range(3) if self.view == "3d" else PLANES[self.view]
            if self.view == "3d":
                ax.set_box_aspect(self._high - self._low, zoom=0.82)
                ax.tick_params(labelsize="x-small")
                ax.locator_params(nbins=4)
            shows.append(self._show(ax, list(which)))
        return shows

    def _show(self, ax: Any, which: list[int]) -> Callable[[float], None]:
        terrain = self.recording.model.spec.terrain
        ground = None if terrain is None else add_ground(ax, self.view)
        skeleton = Skeleton(self.outline, ax, self.view)
        trails = {name: ax.plot(*[[]] * len(which), color="tab:gray", linewidth=1.0)[0] for name in self.trails}
        title = ax.set_title(" ", fontsize="medium")

        def show(time: float) -> None:
            k = int(np.argmin(np.abs(self.recording.time - time)))
            skeleton.place(self._pose(k))
            low, high = self._low + self._centre[k], self._high + self._centre[k]
            for axis, j in zip("xyz", which):
                ax.set(**{f"{axis}lim": (low[j], high[j])})
            if terrain is not None and ground is not None:
                ground(terrain, low, high)
            for name, artist in trails.items():
                past = self._paths[name][: k + 1].T[which]
                artist.set_data_3d(*past) if self.view == "3d" else artist.set_data(*past)
            title.set_text(f"t = {time:.3g} s")

        return show
