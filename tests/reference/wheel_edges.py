"""Where a wheel next to walls is a disc, and how far a point is from a block, in textbook NumPy.

Walls are segments on a map, found by trying many points of each; a block is an intersection of half-spaces, the
distance from which is found by projecting onto it, over and over (Dykstra).
"""

import numpy as np


def smooth(t):
    """From 1 at t = 0 to 0 at t = 1."""
    t = np.clip(t, 0.0, 1.0)
    return 1.0 - t * t * (3.0 - 2.0 * t)


def disc_share(centre, R, walls):
    """s; walls: each a list of segments (from, to) on the map, (2,) each, its foot and its head."""
    share = 1.0
    for wall in walls:
        square = np.inf
        for start, end in wall:
            t = np.linspace(0.0, 1.0, 20001)[:, None]
            square = min(square, np.min(np.sum((start + t * (end - start) - centre[:2]) ** 2, axis=1)))
        share *= 1.0 - smooth((square - R * R) / ((1.25 * R) ** 2 - R * R))
    return share


def from_block(point, normals, offsets, rounds=4000):
    """Distance of a point outside of the intersection of half-spaces n.x <= offset; inside, minus the way out."""
    gaps = normals @ point - offsets
    if gaps.max() <= 0.0:
        return gaps.max()
    x, corrections = point.copy(), np.zeros((len(normals), 3))
    for _ in range(rounds):
        for k, n in enumerate(normals):
            y = x + corrections[k]
            x = y - max(0.0, n @ y - offsets[k]) * n
            corrections[k] = y - x
    return np.linalg.norm(point - x)
