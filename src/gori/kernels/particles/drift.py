"""How far things may move: grains in a sub-step, and walls before lists are due. For CPU and GPU."""

import math

from gori.kernels.jit import part
from gori.kernels.particles import grains as gr
from gori.kernels.particles.tables import EVERYWHERE

FASTEST = 0.25
"""radii that a grain may move in a sub-step; more is an error"""


@part
def way_back(g, b, pose):
    """How body b is put back to where it was when the lists were made: a point x of it to x + A x + c; A (9), c (3).

    Grains that ride on a body, their home, hardly move when they are seen from it. All zero if b is -1.
    """
    q = gr.POS
    if b < 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if g.run_i[gr.TURNS] == 0:
        return (
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            g.pose_before[b, q] - pose[b, q],
            g.pose_before[b, q + 1] - pose[b, q + 1],
            g.pose_before[b, q + 2] - pose[b, q + 2],
        )  # fmt: skip
    xx, xy, xz = turned_back(g, b, pose, 0)
    yx, yy, yz = turned_back(g, b, pose, 3)
    zx, zy, zz = turned_back(g, b, pose, 6)
    px, py, pz = pose[b, q], pose[b, q + 1], pose[b, q + 2]
    return (
        xx - 1.0, xy, xz, yx, yy - 1.0, yz, zx, zy, zz - 1.0,
        g.pose_before[b, q] - xx * px - xy * py - xz * pz,
        g.pose_before[b, q + 1] - yx * px - yy * py - yz * pz,
        g.pose_before[b, q + 2] - zx * px - zy * py - zz * pz,
    )  # fmt: skip


@part
def turned_back(g, b, pose, row):
    """A row of R0 R^T."""
    x, y, z = g.pose_before[b, row], g.pose_before[b, row + 1], g.pose_before[b, row + 2]
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
    """Whether a wall, seen from the grains' home, may have come nearer to a grain than the lists allow for."""
    limit, home = 0.5 * g.run_f[gr.SKIN], g.run_i[gr.HOME]
    for b in range(g.run_i[gr.BODIES]):
        if g.extent[b] < 0.0:  # no wall: grains that ride on a vehicle leave the bare ground behind
            continue
        if b == home and g.run_i[gr.TURNS] == 1:
            continue
        q, turn, far = gr.POS, 0.0, g.extent[b]
        x, y, z = pose[b, q], pose[b, q + 1], pose[b, q + 2]
        ex, ey, ez = put_back(back, x, y, z)
        dx = x - g.pose_before[b, q] + (ex + back[9])
        dy = y - g.pose_before[b, q + 1] + (ey + back[10])
        dz = z - g.pose_before[b, q + 2] + (ez + back[11])
        for k in range(3):  # columns of R
            x, y, z = pose[b, k], pose[b, k + 3], pose[b, k + 6]
            ex, ey, ez = put_back(back, x, y, z)
            ex, ey, ez = (
                ex + x - g.pose_before[b, k],
                ey + y - g.pose_before[b, k + 3],
                ez + z - g.pose_before[b, k + 6],
            )
            turn += ex * ex + ey * ey + ez * ez
        if far >= EVERYWHERE:  # a plane: as far as there are grains
            x, y, z = g.pose_before[b, q], g.pose_before[b, q + 1], g.pose_before[b, q + 2]
            if home >= 0:
                x, y, z = (
                    x - g.pose_before[home, q],
                    y - g.pose_before[home, q + 1],
                    z - g.pose_before[home, q + 2],
                )
            far = g.run_f[gr.ROAM] + math.sqrt(x * x + y * y + z * z)
        # |R - R0| is at least as large, over sqrt 2, as the chord of the angle
        if math.sqrt(dx * dx + dy * dy + dz * dz) + math.sqrt(0.5 * turn) * far > limit:
            return True
    return False
