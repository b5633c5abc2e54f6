"""What a drive showed while it was recorded: rows of samples for the file, and frames with ruts to show it again."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gori.web.serve.drive.replay import Piece
from gori.web.serve.keeping import LONGEST_KEPT
from gori.web.serve.ruts import RutMap

RUTS_EVERY = 0.05
"""time between two pieces of ruts that are kept [s]"""
LATE = 0.05
"""a frame that is so late is left out of a replay [s]"""
NOT_KEPT = ("rows", "stones", "ruts")


class Tape:
    """One recording in memory.

    rows     of samples (n, columns), as they came
    frames   as they were shown: controls, wheels, gear, real-time ratio; each with ruts pressed since the one before
    """

    def __init__(self, ruts: RutMap | None):
        self.rows: list[np.ndarray] = []
        self.frames: list[tuple[dict[str, Any], Piece | None]] = []
        self.start = None if ruts is None else ruts.depth.copy()
        """depth of all cells when it began [m]"""
        self._pieces: list[np.ndarray] = []
        self._pieced = -np.inf

    @property
    def length(self) -> float:
        """[s]"""
        return float(self.rows[-1][-1, 0] - self.rows[0][0, 0]) if self.rows else 0.0

    @property
    def full(self) -> bool:
        """Whether no more is kept."""
        return self.length > LONGEST_KEPT

    def add(self, frame: dict[str, Any], ruts: RutMap | None, cells: np.ndarray | None) -> None:
        """A frame with the rows that came with it, and the cells that have changed."""
        if cells is not None and len(cells):
            self._pieces.append(cells)
        if "rows" not in frame:
            return
        self.rows.append(frame["rows"])
        moment, piece = float(frame["rows"][-1, 0]), None
        if ruts is not None and self._pieces and moment - self._pieced >= RUTS_EVERY:
            changed = np.unique(np.concatenate(self._pieces))
            piece, self._pieces, self._pieced = (changed, ruts.depth[changed]), [], moment
        kept = {key: value for key, value in frame.items() if key not in NOT_KEPT}
        self.frames.append(({**kept, "row": frame["rows"][-1]}, piece))


def play(tape: Tape, show: Callable[[dict[str, Any], Piece | None], bool]) -> None:
    """Show the frames of a tape at the pace of the clock, until `show` says that it is enough."""
    began, first = time.perf_counter(), tape.frames[0][0]["row"][0]
    waiting: list[Piece] = []
    for frame, ruts in tape.frames:
        if ruts is not None:
            waiting.append(ruts)
        left = began + frame["row"][0] - first - time.perf_counter()
        if left > 0.0:
            time.sleep(left)
        elif left < -LATE:
            continue
        pieces, waiting = waiting, []
        latest = tuple(np.concatenate([piece[k] for piece in pieces]) for k in range(2)) if pieces else None
        if not show(frame, latest):  # pyright: ignore[reportArgumentType]
            return
