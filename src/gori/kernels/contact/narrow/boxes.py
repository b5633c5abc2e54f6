"""Boxes against boxes by the theorem of separating axes.

Two boxes are apart if they are so along one of 15 axes: three face normals of each, and nine cross products of edges.
In the frame of A, with R = R_AB, C = |R| and t = o_B, the gap along a face normal of A and of B is

    |t_i| - a_i - sum_j C_ij b_j,       |R_.j.t| - b_j - sum_i C_ij a_i

and along e_i x R_.j likewise by the length of that product (Gottschalk et al. 1996; Ericson 2005, section 4.4.1). The
largest of them is the gap; if it is negative, its axis is the normal of least depth. Where boxes are apart it is a
lower bound, and exact if both closest features overlap along it, which the caller finds out (`manifold.py`).
"""

import math

from gori.kernels.jit import block

PARALLEL_EDGES = 1e-12
"""squared sine of the angle between two edges, below which face normals stand for their cross product"""
PREFER_FACE = 1e-7
"""share of the size of the smaller box by which a face of B must be better than those of A, and an edge axis better
than both: noise does not change the normal"""


@block
def box_axis(a, b, pose_ab, limit, answer):
    """Normal from A to B and gap of both cores along it into `answer`, in the frame of A; False if beyond the limit."""
    ax, ay, az = a.size[0], a.size[1], a.size[2]
    bx, by, bz = b.size[0], b.size[1], b.size[2]
    tx, ty, tz = pose_ab[9], pose_ab[10], pose_ab[11]

    # faces of A
    best, nx, ny, nz = -math.inf, 0.0, 0.0, 0.0
    for i in range(3):
        t = pose_ab[9 + i]
        gap = abs(t) - a.size[i]
        gap -= abs(pose_ab[3 * i]) * bx + abs(pose_ab[3 * i + 1]) * by + abs(pose_ab[3 * i + 2]) * bz
        if gap > best:
            s = 1.0 if t >= 0.0 else -1.0
            best = gap
            nx, ny, nz = (s if i == 0 else 0.0), (s if i == 1 else 0.0), (s if i == 2 else 0.0)
    if best > limit:
        return False

    # faces of B
    size = min(ax + ay + az, bx + by + bz)
    for j in range(3):
        x, y, z = pose_ab[j], pose_ab[3 + j], pose_ab[6 + j]
        t = x * tx + y * ty + z * tz
        gap = abs(t) - b.size[j] - abs(x) * ax - abs(y) * ay - abs(z) * az
        if gap > best + PREFER_FACE * size:
            s = 1.0 if t >= 0.0 else -1.0
            best, nx, ny, nz = gap, s * x, s * y, s * z
    if best > limit:
        return False

    # edges: l = e_i x R_.j, whose i-th component is zero
    best += PREFER_FACE * size
    edge = False
    for i in range(3):
        p, q = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            lp, lq = -pose_ab[3 * q + j], pose_ab[3 * p + j]
            squared = lp * lp + lq * lq
            if squared < PARALLEL_EDGES:
                continue
            g, h = (j + 1) % 3, (j + 2) % 3
            t = lp * pose_ab[9 + p] + lq * pose_ab[9 + q]
            reach = abs(lp) * a.size[p] + abs(lq) * a.size[q]
            reach += abs(pose_ab[3 * i + h]) * b.size[g] + abs(pose_ab[3 * i + g]) * b.size[h]
            gap = abs(t) - reach
            # compared without a root: gap / |l| > best
            if (gap * gap > best * best * squared and gap > 0.0) or (
                best < 0.0 and (gap > 0.0 or gap * gap < best * best * squared)
            ):
                share = 1.0 / math.sqrt(squared)
                best, edge = gap * share, True
                share = share if t >= 0.0 else -share
                lp, lq = lp * share, lq * share
                nx = 0.0 if i == 0 else (lp if p == 0 else lq)
                ny = 0.0 if i == 1 else (lp if p == 1 else lq)
                nz = 0.0 if i == 2 else (lp if p == 2 else lq)
                if best > limit:
                    return False
    answer.nx, answer.ny, answer.nz = nx, ny, nz
    answer.distance = best if edge else best - PREFER_FACE * size
    return True
