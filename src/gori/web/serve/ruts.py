"""Ruts that stay: depths of all cells of soft soil, and which of them each page has not got yet."""

from typing import Any

import numpy as np

KEPT_CHANGES = 3000
"""looks that are remembered; a page that is further behind gets all cells"""


class RutMap:
    """Depths of cells [m], and the order in which they changed."""

    def __init__(self, cells: int):
        self.depth = np.zeros(cells, np.float32)
        self._changes: list[np.ndarray] = []
        self._first = 0
        """number of the first change that is remembered"""
        self.era = 0
        """it grows when the soil is fresh again"""

    @property
    def last(self) -> int:
        """Number after the latest change."""
        return self._first + len(self._changes)

    def change(self, cells: np.ndarray, depth: np.ndarray) -> None:
        """Cells are as deep now."""
        self.depth[cells] = depth
        self._changes.append(cells)
        if len(self._changes) > 2 * KEPT_CHANGES:
            del self._changes[:KEPT_CHANGES]
            self._first += KEPT_CHANGES

    def clear(self) -> None:
        """Fresh soil."""
        self.depth[:] = 0.0
        self._first, self._changes, self.era = self.last, [], self.era + 1

    def news(self, memory: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, bool] | None:
        """Cells and depths that a page has not got, and whether it must forget all others; None: nothing is new.

        memory   of this page; it is brought up to date
        """
        since, era = memory.get("ruts", (-1, -1))
        memory["ruts"] = (self.last, self.era)
        fresh = era != self.era
        if fresh or since < self._first:
            cells = np.flatnonzero(self.depth).astype(np.uint32)
            return (cells, self.depth[cells], True) if fresh or len(cells) else None
        pieces = self._changes[since - self._first :]
        if not pieces:
            return None
        cells = np.unique(np.concatenate(pieces))
        return cells, self.depth[cells], False
