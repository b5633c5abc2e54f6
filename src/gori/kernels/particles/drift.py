"""How far things may move: grains in a sub-step, and walls before lists are due. For CPU and GPU."""

import math

from gori.kernels.jit import part
from gori.kernels.particles import grains as gr

FASTEST = 0.25
"""radii that a grain may move in a sub-step; more is an error"""


@part
def drift_of_home(g, pose):
    """How far the body has moved whose translation the grains share, since the lists were made."""
    b = g.run_i[gr.HOME]
    if b < 0:
        return 0.0, 0.0, 0.0
    q = gr.POS
    return (
        pose[b, q] - g.pose_before[b, q],
        pose[b, q + 1] - g.pose_before[b, q + 1],
        pose[b, q + 2] - g.pose_before[b, q + 2],
    )


@part
def walls_moved(g, pose, sx, sy, sz):
    """Whether a wall may have come nearer than the lists allow for."""
    limit = 0.5 * g.run_f[gr.SKIN]
    for b in range(g.run_i[gr.BODIES]):
        if g.extent[b] < 0.0:  # no wall: grains that ride on a vehicle leave the bare ground behind
            continue
        q, turn = gr.POS, 0.0
        dx = pose[b, q] - g.pose_before[b, q] - sx
        dy = pose[b, q + 1] - g.pose_before[b, q + 1] - sy
        dz = pose[b, q + 2] - g.pose_before[b, q + 2] - sz
        for k in range(9):
            e = pose[b, k] - g.pose_before[b, k]
            turn += e * e
        # |R - R0| is at least as large, over sqrt 2, as the chord of the angle
        if math.sqrt(dx * dx + dy * dy + dz * dz) + math.sqrt(0.5 * turn) * g.extent[b] > limit:
            return True
    return False
