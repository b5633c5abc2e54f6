"""Distance of shapes from the terrain by trying many points: twin of `kernels/contact/terrain`."""

import numpy as np

from tests.reference.contact import in_world, sphere_of_directions


def grid_about(x, y, reach, n):
    a = np.linspace(-reach, reach, n)
    return x + a[:, None] + 0.0 * a, y + a[None, :] + 0.0 * a[:, None]


def distance(terrain, point, reach, rounds=12, n=61):
    """Of a point above the surface: the smallest over grids, each about the best of the one before [m]."""
    x, y = point[:2]
    best = np.inf
    for _ in range(rounds):
        gx, gy = grid_about(x, y, reach, n)
        square = (gx - point[0]) ** 2 + (gy - point[1]) ** 2 + (terrain.height(gx, gy) - point[2]) ** 2
        k = np.unravel_index(square.argmin(), square.shape)
        best, x, y, reach = np.sqrt(square[k]), gx[k], gy[k], 0.3 * reach
    return best


def clearance(terrain, shape, vertices, pose, n=80):
    """How far a shape can fall before it touches, at least to the width of the samples: the smallest vertical distance
    of points of its surface, and of the segments between them, from the ground [m].
    """
    points = in_world(shape, vertices, pose, sphere_of_directions(40 * n))
    points = np.unique(points.round(9), axis=0)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(points), (200 * n, 2))
    t = rng.uniform(0.0, 1.0, (200 * n, 1))
    inside = t * points[pairs[:, 0]] + (1.0 - t) * points[pairs[:, 1]]
    everything = np.concatenate([points, inside])
    return float((everything[:, 2] - terrain.height(everything[:, 0], everything[:, 1])).min())
