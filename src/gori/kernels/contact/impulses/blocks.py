"""Velocities of the solver in blocks of eight: one block is one SIMD value (`lanes.py`).

Velocities of a chain stand side by side; where the tree branches, and with each tree, a new block begins. A row of a
point has a piece w (3, 8) for each block that moves A or B, whichever tree that is of, so that its speeds and what its
impulses do are a few products of whole blocks. What is empty in a block stays zero.
"""

import numpy as np

from gori.kernels.jit import part
from gori.kernels.lanes import WIDTH
from gori.kernels.tree.columns import NDOF, PARENT, V0


def slots(body_i: np.ndarray, nv: int) -> np.ndarray:
    """(nv,) where each velocity stands in those of the solver."""
    children = np.bincount(body_i[1:, PARENT], minlength=len(body_i))
    found, end = np.zeros(nv, np.int64), 0
    for i in range(1, len(body_i)):
        parent = body_i[i, PARENT]
        if parent == 0 or parent != i - 1 or children[parent] > 1:
            end = -(-end // WIDTH) * WIDTH
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            found[k], end = end, end + 1
    return found


def velocities_at(place: np.ndarray, blocks: int) -> np.ndarray:
    """(8 blocks,) the velocity at each place, or -1."""
    found = np.full(WIDTH * blocks, -1, np.int64)
    found[place] = np.arange(len(place))
    return found


def ways(path: np.ndarray, path_of: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Blocks that move each row, in the order of its path to the ground; and (rows, 2) where they begin, and number."""
    way: list[int] = []
    found = np.zeros_like(path_of)
    for i, (first, count) in enumerate(path_of):
        blocks = list(dict.fromkeys((place[path[first : first + count]] // WIDTH).tolist()))
        found[i] = len(way), len(blocks)
        way += blocks
    return np.array(way, np.int64), found


def blocks_of(place: np.ndarray, first: int, count: int) -> list[int]:
    """Blocks of a branch of the ground, from its first velocity and their number."""
    return np.unique(place[first : first + count] // WIDTH).tolist()


@part
def find_block(block, first, end, b):
    """Where block b stands from `first` on; `end` if it does not."""
    for p in range(first, end):
        if block[p] == b:
            return p
    return end
