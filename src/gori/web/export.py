"""`gori.to_html`: a machine or a recording as one file that opens offline by double click."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model import Model
from gori.model.state import State
from gori.record import Recording
from gori.text.arguments import file_of, names_of
from gori.text.whole import whole_file
from gori.web.arrows import KINDS
from gori.web.channels import channel_list, default_channels, series_packet
from gori.web.drawings import Drawings
from gori.web.film import Film, even_rows
from gori.web.ghost import MOST_FRAMES as GHOST_FRAMES
from gori.web.ghost import Ghost, names_of_both
from gori.web.packet import join, pack, unpack
from gori.web.pages import Built, built, document, squeezed
from gori.web.scene import Scene
from gori.web.shapes import MOST_TRIANGLES

CAMERAS = ("iso", "front", "back", "left", "right", "top", "bottom", "chase", "follow")
LIMIT_MB = 20.0
SHARES = {"film": 0.35, "ghost-film": 0.15, "series": 0.12, "arrows": 0.12}
"""of the room that the page and the scene leave, at most; particles get the rest"""
FEWEST_FRAMES, FEWEST_GRAINS = 40, 1000
"""below these the other one is thinned first"""
COARSER, SPARE = (MOST_TRIANGLES, 20_000, 5_000, 1_000, 200), 0.3
"""triangles of a mesh, until so much of the room is left for the motion"""
SAMPLES = 1000
"""of a series that nobody asked for"""
LONG = 100_000
"""samples from which on forces are not traced for channels that nobody asked for"""
_REPEATED = (".x", ".y", ".z", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz", ".quaternion")
"""ends of channels that are columns of others"""
_TRACED = (".reaction", ".acceleration", ".a", ".drive", ".tangential", ".torque", ".pull")


def to_html(
    source: "Recording | Model | str | os.PathLike",
    path: str | os.PathLike,
    limit_mb: float = LIMIT_MB,
    *,
    title: str = "",
    trails: Iterable[str] = (),
    arrows: Iterable[str] = (),
    channels: Iterable[str] | None = None,
    camera: str | None = None,
    compare: "Recording | str | os.PathLike | None" = None,
    drawings: Drawings | None = None,
    state: State | None = None,
) -> Path:
    """Write a Recording (or a Model, or the file or folder of a run) as one HTML file with the viewer inside.

    limit_mb   size of the file: what is larger is thinned (frames, particles), and the page says so
    trails     bodies or frames whose paths are drawn
    arrows     shown at first: "contact", "reaction", "force"
    channels   of the charts at first; default: those of the section `run`, or a few
    camera     "iso", "front", "back", "left", "right", "top", "bottom", "chase" or "follow"
    compare    another Recording of a machine with the same bodies, or its file, drawn as a ghost
    state      `simulation.state` at the end of the run: its ruts are drawn as they are
    """
    path = file_of(path)
    options = options_of(trails, arrows, channels, camera)
    text = page_text(source, limit_mb, title or path.stem, options, compare=compare, drawings=drawings, state=state)
    with whole_file(path) as part:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
    return path


def options_of(
    trails: Iterable[str] = (), arrows: Iterable[str] = (), channels: Iterable[str] | None = None, camera: Any = None
) -> dict[str, Any]:
    """window.gori.options, checked."""
    kinds = names_of(arrows, "arrows")
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InputError(f"arrows are {', '.join(KINDS)}, not {unknown[0]!r}")
    if camera is not None and camera not in CAMERAS:
        raise InputError(f"camera must be one of {', '.join(CAMERAS)}, not {camera!r}")
    shown = None if channels is None else names_of(channels, "channels")
    return {"trails": names_of(trails, "trails"), "arrows": kinds, "channels": shown, "camera": camera}


def page_text(
    source: Any,
    limit_mb: float = LIMIT_MB,
    title: str = "",
    options: dict[str, Any] | None = None,
    *,
    compare: Recording | str | os.PathLike | None = None,
    drawings: Drawings | None = None,
    state: State | None = None,
    page: Built | None = None,
) -> str:
    """The text of the file that `to_html` writes."""
    if isinstance(limit_mb, bool) or not isinstance(limit_mb, (int, float)) or not limit_mb > 0.0:
        raise InputError(f"limit_mb must be a positive number of megabytes, not {limit_mb!r}")
    page, options = page or built("view"), options or options_of()
    shell = len(document(page, [], options, title).encode())
    room = round(limit_mb * 1e6) - shell
    if room < 20_000:
        raise InputError(f"limit_mb = {limit_mb:g}: the page alone takes {shell / 1e6:.2f} MB: raise it")
    parts = Parts(source, title, options, state, room)
    if compare is not None:
        parts.add_ghost(compare, title)
    if drawings is not None and len(drawings):
        parts.add("drawings", drawings.packet(parts.scene.names))
    return document(page, parts.complete(), options, title)


class Parts:
    """The packets of a file, within a number of bytes."""

    def __init__(self, source: Any, title: str, options: dict[str, Any], state: State | None, room: int):
        self.options, self.found = options, dict[str, str]()
        self.film: Film | None = None
        if isinstance(source, Recording) and not len(source):
            raise InputError("nothing to show: the recording has no samples")
        if not isinstance(source, Model):
            self.film = Film(source, state=state, title=title, channels=options["channels"])
            self._check_names(self.film.recording)
            film = self.film
            self._fit_scene(lambda triangles: film.scene(triangles=triangles), room)
        else:
            self._fit_scene(lambda triangles: Scene(source, "film", title=title, triangles=triangles), room)
        if self.room < 0:
            raise InputError(f"the shapes alone take {-self.room / 1e6:.2f} MB more than limit_mb allows: raise it")
        self._whole = self.room
        self.words: list[str] = []

    def _fit_scene(self, make: Any, room: int) -> None:
        """make(triangles) with meshes as fine as the room allows."""
        self._coarse: str | None = None
        finest = None
        for triangles in COARSER:
            if finest is not None and triangles >= finest:
                continue
            self.scene = make(triangles)
            self._head = self.scene.head()
            if finest is not None:
                self._coarse = f"meshes are drawn with at most {triangles} triangles each"
            self.room = room - len(squeezed(join([pack(self._head, self.scene.arrays)])))
            if self.room > SPARE * room:
                return
            meshes = [array for name, array in self.scene.arrays.items() if name.endswith(".triangles")]
            finest = max(map(len, meshes), default=0)

    def _check_names(self, recording: Recording) -> None:
        for name in self.options["trails"]:
            if f"{name}.position" not in recording:
                raise InputError(f"trails: {name!r} is not a body or frame of the recording")
        for name in self.options["channels"] or ():
            recording._channel(name)  # refused here, with the closest name

    def add(self, name: str, *packets: bytes) -> None:
        """A part, whatever room it takes."""
        self.found[name] = squeezed(join(packets))
        self.room -= len(self.found[name])

    def _fitting(self, name: str, make: Any, count: int, fewest: int = 2) -> int:
        """Add make(n) with the largest n up to `count` that fits into its share; returns n."""
        room, n = min(self.room, SHARES[name] * self._whole), count
        while True:
            text = squeezed(join(make(n)))
            if len(text) <= room or n <= fewest:
                break
            n = max(fewest, min(n - 1, int(0.95 * n * room / len(text))))
        self.found[name] = text
        self.room -= len(text)
        return n

    def complete(self) -> list[tuple[str, str]]:
        """All parts, in the order in which a page wants them."""
        film = self.film
        if film is None:
            self.add("film", self._still())
        else:
            if (ruts := film.ruts()) is not None:
                self.add("ruts", ruts)
            self._add_series(film)
            self._add_arrows(film)
            self._add_film(film)
        self.found["scene"] = squeezed(join([pack(self._head, self.scene.arrays)]))
        return [(name, self.found.pop(name)) for name in ("scene", "film") if name in self.found] + [
            *self.found.items()
        ]

    def _still(self) -> bytes:
        """A film of one picture."""
        arrays = {"times": np.zeros(1), "poses": self.scene.start[None], "grain_times": np.zeros(0)}
        wheels = len(self.scene.model.spec.wheels)
        head = {"type": "film", **{name: name for name in (*arrays, "spin")}, "series": [], "thinned": self._coarse}
        return pack(head, arrays | {"spin": np.zeros((1, wheels), np.float32)})

    def _add_series(self, film: Film) -> None:
        """Channels, those that were asked for first; what is left out is not listed either."""
        rec = film.recording
        asked = self.options["channels"]
        first = default_channels(rec) if asked is None else asked
        others = [entry["name"] for entry in channel_list(rec) if not entry["name"].endswith(_REPEATED)]
        if len(rec) > LONG:
            others = [name for name in others if not name.endswith(_TRACED) and name != "a"]
        room, packets, listed = min(self.room, SHARES["series"] * self._whole), [], list(first)
        for name in dict.fromkeys(others):
            if name in first:  # these are in the film
                continue
            packet = series_packet(rec, name, SAMPLES, film.ghost)
            room -= 0.9 * len(packet)
            if room < 0:
                break
            packets.append(packet)
            listed.append(name)
        if packets:
            self.add("series", *packets)
        self._head["channels"] = [entry for entry in self._head["channels"] if entry["name"] in listed]

    def _add_arrows(self, film: Film) -> None:
        """Arrows that were asked for; and of runs that are not long all others."""
        kinds = KINDS if len(film.recording) <= LONG else self.options["arrows"]
        whole = film.most_frames

        def packets(count: int) -> list[bytes]:
            film.most_frames = count
            try:
                made = [film.arrows(kind) for kind in kinds]
            finally:
                film.most_frames = whole
            return [packet for packet in made if unpack(packet)[0]["names"]]

        if kinds and packets(2):
            self._fitting("arrows", packets, min(whole, SAMPLES, len(film.recording)))

    def _add_film(self, film: Film) -> None:
        whole, rows, words = film.most_frames, np.arange(len(film.grain_times)), None

        def packets(count: int) -> list[bytes]:
            film.most_frames = count
            try:
                return [film.packet(rows, "; ".join(filter(None, (words, self._coarse))) or None)]
            finally:
                film.most_frames = whole

        samples = min(whole, len(film.recording))
        count = self._fitting("film", packets, samples)
        if len(rows):
            rows, words = self._add_grains(film)
            self.room += len(self.found.pop("film"))
            self._fitting("film", packets, count)  # again, with the frames of particles that are there

    def _add_grains(self, film: Film) -> tuple[np.ndarray, str | None]:
        """Frames of particles, thinned in time and in number alike; returns the frames, and words."""
        frames, grains = len(film.grain_times), max(film.most_grains, 1)
        sample = squeezed(join([film.grains(frames // 2, grains)]))
        each = len(sample) / max(unpack(film.grains(frames // 2, grains))[0]["drawn"], 1)
        share = 0.92 * self.room / (each * frames * grains)
        n, most = frames, grains
        if share < 1.0:
            n = min(frames, max(FEWEST_FRAMES, round(frames * share**0.5)))
            most = min(grains, max(FEWEST_GRAINS, int(grains * share * frames / n)))
        while True:
            rows = even_rows(film.grain_times, max(2, n))
            text = squeezed(join(film.grains(int(k), most, number) for number, k in enumerate(rows)))
            if len(text) <= self.room or (n <= 2 and most <= 1):
                break
            factor = 0.95 * self.room / len(text)
            n, most = (max(2, int(n * factor)), most) if most <= FEWEST_GRAINS else (n, max(1, int(most * factor)))
        self.found["grains"] = text
        self.room -= len(text)
        words = [] if len(rows) == frames else [f"{len(rows)} of {frames} frames of particles"]
        words += [] if most >= grains else [f"{most} of {grains} particles"]
        return rows, f"to keep the file small it has {' and '.join(words)}" if words else None

    def add_ghost(self, other: "Recording | str | os.PathLike", title: str) -> None:
        """Another motion of the same bodies."""
        ghost = Ghost(self.scene.model, other)
        if self.film is not None:
            self.film.ghost = ghost.recording
        names = names_of_both(title, None if self.film is None else self.film.path, ghost)
        most = min(GHOST_FRAMES, len(ghost.recording))
        self._fitting("ghost-film", lambda count: [ghost.packet(names, count)], most)
