"""Levels of sizes, each of which has a grid of its own: how many make the search for neighbours cheapest.

Of one grid the cells are as wide as the largest particles reach; a few large ones among many small ones make them hold
many. Several grids are more cells to look into. What a particle has to do is counted, in pairs that are looked at.
"""

import numpy as np

MOST = 4
"""levels"""
CELL = 10.0
"""what a cell costs, in pairs that are looked at"""
ONCE = 0.5
"""share of the pairs of one grid that are looked at: each once, where rows stand in the order of their cells"""
SOLID = 0.6
"""share of the volume that particles take"""


def size_levels(radii: np.ndarray, skin: float) -> np.ndarray:
    """Largest radius of each level of sizes [m], falling, for particles of these radii and a skin [m]."""
    ways = {levels.tobytes(): levels for levels in (levels_of(radii, count) for count in range(1, MOST + 1))}
    return min(ways.values(), key=lambda levels: search_cost(radii, levels, skin))


def levels_of(radii: np.ndarray, count: int) -> np.ndarray:
    """So many levels, or fewer: in steps of the same ratio."""
    least, largest = float(radii.min()), float(radii.max())
    bounds = largest * (least / largest) ** (np.arange(count) / count)
    return np.unique([radii[radii <= bound * (1.0 + 1e-12)].max() for bound in bounds])[::-1]


def search_cost(radii: np.ndarray, levels: np.ndarray, skin: float) -> float:
    """Pairs that a particle looks at to find its neighbours, with cells counted as some, on the average."""
    volume = 4.0 / 3.0 * np.pi * (radii**3).sum() / SOLID
    level, cost, share = np.searchsorted(-levels, -radii, side="right") - 1, 0.0, ONCE if len(levels) == 1 else 1.0
    for k, largest in enumerate(levels):
        width, inside = 2.0 * largest + skin, np.count_nonzero(level == k)
        cells = (2.0 * (radii + largest + skin) / width + 1.0) ** 3
        cost += float(cells.mean()) * (CELL + share * inside * width**3 / volume)
    return cost
