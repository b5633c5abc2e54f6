"""A rounded disc against a wedge, by brute force: the shortest way out over many directions.

The disc of radius R - rho with a rim rounded by rho reaches (R - rho) |n - (a.n) a| + rho in the direction -n. In the
direction n the wedge ends at its edge, for every n between the normal of its face and the vertical.
"""

import numpy as np


def way_out(centre, axis, R, rho, edge, out, lowest, count=200_001):
    """Depth [m] and angle of its direction above the level [rad].

    edge   a point of the upper edge of the wall (3,);  out: level direction out of it (2,)
    """
    phi = np.linspace(lowest, 0.5 * np.pi, count)
    n = np.column_stack([np.outer(np.cos(phi), out), np.sin(phi)])
    across = n - np.outer(n @ axis, axis)
    depth = (R - rho) * np.linalg.norm(across, axis=1) + rho - n @ np.subtract(centre, edge)
    best = int(np.argmin(depth))
    return float(depth[best]), float(phi[best])
