"""A second recording over the first: its film, drawn transparent, and what the two are called."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model import Model
from gori.record import Recording
from gori.web.film import Film, even_rows
from gori.web.packet import pack
from gori.web.poses import poses_of

MOST_FRAMES = 2000
_HERE, _OTHER = "this run", "the other run"


class Ghost:
    """The motion of another run of the same bodies.

    other   a Recording, or the file or folder of one
    """

    def __init__(self, model: Model, other: Recording | str | os.PathLike, title: str = ""):
        if not isinstance(other, Recording | str | os.PathLike):
            raise InputError(f"compare must be a Recording or its file, not a {type(other).__name__}")
        self._film = Film(other, title=title)
        self.recording, self.title, self.path = self._film.recording, self._film.title, self._film.path
        if not len(self.recording):
            raise InputError("compare: the recording has no samples")
        if self.recording.model.body_names != model.body_names:
            raise InputError("compare must be a Recording of a machine with the same bodies")

    def packet(self, names: tuple[str, str], most: int = MOST_FRAMES, kind: str = "film") -> bytes:
        """Its film: `names` are what the page calls the run itself, and this one."""
        rec = self.recording
        rows = even_rows(rec.time, most)
        arrays = {"times": rec.time[rows], "poses": poses_of(rec.model, rec.q[rows])}
        arrays["spin"] = self._film.spin()[rows].astype(np.float32)
        head: dict[str, Any] = {"type": kind, "ghost": True, "series": [], "thinned": None, "grain_times": []}
        return pack(head | {"names": list(names)} | {name: name for name in arrays}, arrays)


def names_of_both(title: str, path: Path | None, ghost: Ghost) -> tuple[str, str]:
    """What tells two runs apart: their titles; where these are the same, with the folders that hold them."""
    one, other = title or _HERE, ghost.title or _OTHER
    if one == other and path is not None and ghost.path is not None:
        a, b = (list(found.absolute().with_suffix("").parts) for found in (path, ghost.path))
        while len(a) > 1 and len(b) > 1 and a[-1] == b[-1]:
            a, b = a[:-1], b[:-1]
        one, other = f"{one} ({a[-1]})", f"{other} ({b[-1]})"
    return (one, other) if one != other else (one, f"{other}, compared")
