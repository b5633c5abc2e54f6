"""Ruts that are shown: those of the present, or those of a recording that is shown again."""

import numpy as np

from gori.web.serve.ruts import RutMap

Piece = tuple[np.ndarray, np.ndarray]
"""cells and their depths [m]"""


class DriveReplay:
    """Whether a recording is shown in the place of the present, and which ruts with it. Callers hold a lock.

    ruts   that pages see; None: there is no soft soil
    turn   number of the replay that is shown; 0: none
    """

    def __init__(self, ruts: RutMap | None):
        self.ruts, self.turn, self._turns = ruts, 0, 0
        self._present: np.ndarray | None = None

    def begin(self, start: np.ndarray | None) -> int:
        """Show the ruts (cells,) that were there when a recording began; the number of this replay."""
        self.end()
        self._turns += 1
        self.turn = self._turns
        if self.ruts is not None and start is not None:
            self._present = self.ruts.depth.copy()
            self._lay(start)
        return self.turn

    def end(self) -> None:
        """Show the present again."""
        self.turn, present, self._present = 0, self._present, None
        if present is not None:
            self._lay(present)

    def fresh(self) -> None:
        """The vehicle stands on soil that nothing has touched, and that is shown."""
        self.turn, self._present = 0, None
        if self.ruts is not None:
            self.ruts.clear()

    def press(self, piece: Piece | None) -> np.ndarray | None:
        """Cells are as deep at present, which may not be what is shown; these cells."""
        if self.ruts is None or piece is None:
            return None
        if self._present is None:
            self.ruts.change(*piece)
        else:
            self._present[piece[0]] = piece[1]
        return piece[0]

    def show(self, piece: Piece | None) -> None:
        """Cells of the recording are as deep now."""
        if self.ruts is not None and piece is not None:
            self.ruts.change(*piece)

    def _lay(self, depth: np.ndarray) -> None:
        """Ruts of all cells as they are given, and no others."""
        assert self.ruts is not None
        self.ruts.clear()
        cells = np.flatnonzero(depth)
        self.ruts.change(cells, depth[cells])
