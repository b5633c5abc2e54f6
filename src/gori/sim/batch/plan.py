"""Where the arrays of many machines stand in one memory (`kernels/batch/members.py`)."""

from collections.abc import Mapping

import numpy as np

from gori.kernels.batch.members import APART, HALF, SHARED, SIDE_BY_SIDE, TILE, TILED, WORD, Laid, Tree, leaves
from gori.kernels.batch.regions import Regions
from gori.sim.batch.devices import LINE


class MemoryPlan:
    """Where the arrays of a tree stand in one memory, with as many machines as there are.

    own_arrays   those that each machine has for itself, tables of the Machine last; shared: those that all have;
                 by path
    moving       how many of its own arrays are no tables
    at           where each begins in the memory; image_at: in an image of one machine
    regions      places that a program has decided; arrays that it does not use come after those
    tile         bytes of a tile of machines
    size, image  bytes of both; own: bytes of one machine
    """

    def __init__(self, tree: Tree, used: frozenset[str] | set[str], count: int, regions: Regions | None = None):
        self._tree, self.count, self._regions = tree, count, regions
        found = {path: laid for path, laid in leaves(tree) if path in used and laid.array.size}
        own = {path: laid for path, laid in found.items() if laid.place != SHARED}
        tables = {path: laid for path, laid in own.items() if path.startswith("machine.")}
        self.own_arrays = {path: laid for path, laid in own.items() if path not in tables} | tables
        self.moving = len(own) - len(tables)
        self.shared = {path: laid for path, laid in found.items() if laid.place == SHARED}
        self.at: dict[str, int] = {}
        self.image_at: dict[str, int] = {}
        self.size = self.tile = self.image = self.own = 0
        self._count = count
        if regions is None:
            self._one_after_the_other(found)
        else:
            self._in_regions(found, regions)
        for path, laid in self.own_arrays.items():
            self.image_at[path] = self.image
            self.image += -(-laid.nbytes // WORD) * WORD
            self.own += laid.nbytes

    def _one_after_the_other(self, found: Mapping[str, Laid]) -> None:
        """Each array of all machines, and then tile after tile."""
        for path, laid in found.items():
            if laid.place != TILED:
                self.at[path] = self._take(laid.nbytes * (1 if laid.place == SHARED else self.count))
        for path, laid in found.items():
            if laid.place == TILED:
                self.at[path] = self.size + self.tile
                self.tile += laid.nbytes * TILE
        self.size += self.tile * -(-self.count // TILE)

    def _in_regions(self, found: Mapping[str, Laid], regions: Regions) -> None:
        """Where the program expects them."""
        places = {path: regions.place(path, laid) for path, laid in found.items()}
        scale = {SHARED: 1, APART: self.count, SIDE_BY_SIDE: self.count, TILED: TILE}
        self.tile = regions.sizes[TILED] * TILE
        self._begin = [self._take(regions.sizes[place] * scale[place]) for place in (SHARED, APART, SIDE_BY_SIDE)]
        self._begin.append(self._take(self.tile * -(-self.count // TILE)))
        self.at = {path: self._begin[laid.place] + scale[laid.place] * places[path] for path, laid in found.items()}

    def _take(self, size: int) -> int:
        """The beginning of so many bytes more."""
        begin = self.size
        self.size += -(-size // LINE) * LINE
        return begin

    def words(self, address: int) -> np.ndarray:
        """The table that compiled code gets: the size of a tile, and address and shape of each array, in the order of
        `Members`.
        """
        if self._regions is not None:
            return np.array([self.tile, *(address + begin for begin in self._begin)], np.int64)
        words: list[int] = [self.tile]
        for path, laid in leaves(self._tree):
            words += [address + self.at[path] if path in self.at else 0, *laid.array.shape]
        return np.array(words, np.int64)

    def apart(self, path: str) -> tuple[int, int, int]:
        """How far apart stand tiles of machines, the machines of a tile, and the words of a machine [bytes]."""
        laid = self.own_arrays[path]
        if laid.place == TILED:
            item = HALF if laid.single else WORD
            return self.tile, item, item * TILE
        if laid.place == APART:
            return TILE * laid.nbytes, laid.nbytes, WORD
        return TILE * WORD, WORD, WORD * self._count

    def table(self, address: int, image: int) -> np.ndarray:
        """For `kernels/batch/copies.py`."""
        return np.array(
            [
                (address + self.at[path], image + self.image_at[path], laid.words, *self.apart(path))
                for path, laid in self.own_arrays.items()
            ],
            np.int64,
        )
