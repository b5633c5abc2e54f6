"""Displacement limits: of particles in a sub-step, and of walls before lists are due. For CPU and GPU."""

import math

from gori.kernels.jit import part
from gori.kernels.particles.columns import EVERYWHERE, POS

FASTEST = 0.25
"""radii that a particle may move in a sub-step; more is an error"""


@part
def way_back(g, b, pose):
    """How body b is put back to where it was when the lists were made: a point x of it to x + A x + c; A (9), c (3).

    Particles carried by a body, their home, hardly move relative to it. All zero if b is -1.
    """
    q = POS
    if b < 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if g.settings[0].turns == 0:
        return (
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            g.listed_pose[b, q] - pose[b, q],
            g.listed_pose[b, q + 1] - pose[b, q + 1],
            g.listed_pose[b, q + 2] - pose[b, q + 2],
        )  # fmt: skip
    xx, xy, xz = turned_back(g, b, pose, 0)
    yx, yy, yz = turned_back(g, b, pose, 3)
    zx, zy, zz = turned_back(g, b, pose, 6)
    px, py, pz = pose[b, q], pose[b, q + 1], pose[b, q + 2]
    return (
        xx - 1.0, xy, xz, yx, yy - 1.0, yz, zx, zy, zz - 1.0,
        g.listed_pose[b, q] - xx * px - xy * py - xz * pz,
        g.listed_pose[b, q + 1] - yx * px - yy * py - yz * pz,
        g.listed_pose[b, q + 2] - zx * px - zy * py - zz * pz,
    )  # fmt: skip


@part
def turned_back(g, b, pose, row):
    """A row of R0 R^T."""
    x, y, z = g.listed_pose[b, row], g.listed_pose[b, row + 1], g.listed_pose[b, row + 2]
    return (
        x * pose[b, 0] + y * pose[b, 1] + z * pose[b, 2],
        x * pose[b, 3] + y * pose[b, 4] + z * pose[b, 5],
        x * pose[b, 6] + y * pose[b, 7] + z * pose[b, 8],
    )


@part
def put_back(back, x, y, z):
    """A x of `way_back`."""
    return (
        back[0] * x + back[1] * y + back[2] * z,
        back[3] * x + back[4] * y + back[5] * z,
        back[6] * x + back[7] * y + back[8] * z,
    )


@part
def walls_moved(g, pose, back):
    """Whether a wall, seen from the particles' home, may have come nearer to a particle than the lists allow for."""
    limit, home = 0.5 * g.skin[0], g.settings[0].home
    for b in range(g.settings[0].bodies):
        if g.extent[b] < 0.0:  # no wall: particles that ride on a vehicle leave the bare ground behind
            continue
        if b == home and g.settings[0].turns == 1:
            continue
        q, turn, far = POS, 0.0, g.extent[b]
        x, y, z = pose[b, q], pose[b, q + 1], pose[b, q + 2]
        ex, ey, ez = put_back(back, x, y, z)
        dx = x - g.listed_pose[b, q] + (ex + back[9])
        dy = y - g.listed_pose[b, q + 1] + (ey + back[10])
        dz = z - g.listed_pose[b, q + 2] + (ez + back[11])
        for k in range(3):  # columns of R
            x, y, z = pose[b, k], pose[b, k + 3], pose[b, k + 6]
            ex, ey, ez = put_back(back, x, y, z)
            ex, ey, ez = (
                ex + x - g.listed_pose[b, k],
                ey + y - g.listed_pose[b, k + 3],
                ez + z - g.listed_pose[b, k + 6],
            )
            turn += ex * ex + ey * ey + ez * ez
        if far >= EVERYWHERE:  # a plane: as far as there are particles
            x, y, z = g.listed_pose[b, q], g.listed_pose[b, q + 1], g.listed_pose[b, q + 2]
            if home >= 0:
                x, y, z = (
                    x - g.listed_pose[home, q],
                    y - g.listed_pose[home, q + 1],
                    z - g.listed_pose[home, q + 2],
                )
            far = g.settings[0].roam + math.sqrt(x * x + y * y + z * z)
        # |R - R0| is at least as large, over sqrt 2, as the chord of the angle
        if math.sqrt(dx * dx + dy * dy + dz * dz) + math.sqrt(0.5 * turn) * far > limit:
            return True
    return False
