"""Mass matrix: the composite-rigid-body algorithm (Featherstone 2008, table 6.2, in world axes).

    M[d, e] = S_e' (I^c S_d moved to e's origin),  e on the way from d to the ground

I^c, the inertia of a whole subtree taken as rigid, is mass, h = m c and J about the origin.
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.aba import rotate_inertia
from gori.kernels.tree.batch import fill, lane_work, load, store
from gori.kernels.tree.columns import ARM, ARMATURE, ART, COM, MASS, NDOF, NQ, PARENT, V0, S
from gori.kernels.tree.kinematics import cross, place, turn
from gori.kernels.tree.rnea import TREE, symmetric_times, total

H, M = ART + 6, ART + 9  # where h and the mass stand, after J


@part
def composite(i, body_i, body_w):
    """Add the inertia of body i to its parent: at the parent's origin, r away.

    m' = m;  h' = h + m r;  J' = J + 2 (r.h) 1 - r h' - h r' + m ((r.r) 1 - r r')
    """
    p = body_i[i, PARENT]
    rx, ry, rz = body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2]
    hx, hy, hz, m = body_w[i, H], body_w[i, H + 1], body_w[i, H + 2], body_w[i, M]
    # with k = h + m r the shift is (r.h + r.k) 1 - r h' - k r', made of products r h and k r only
    kx, ky, kz = hx + m * rx, hy + m * ry, hz + m * rz
    xx, yy, zz = rx * (hx + kx), ry * (hy + ky), rz * (hz + kz)
    body_w[p, ART] += body_w[i, ART] + yy + zz
    body_w[p, ART + 1] += body_w[i, ART + 1] + xx + zz
    body_w[p, ART + 2] += body_w[i, ART + 2] + xx + yy
    body_w[p, ART + 3] += body_w[i, ART + 3] - rx * hy - kx * ry
    body_w[p, ART + 4] += body_w[i, ART + 4] - rx * hz - kx * rz
    body_w[p, ART + 5] += body_w[i, ART + 5] - ry * hz - ky * rz
    body_w[p, H] += kx
    body_w[p, H + 1] += ky
    body_w[p, H + 2] += kz
    body_w[p, M] += m


@part
def crba(body_i, body_f, q, mass_matrix, body_w, dof_w):
    """Fill mass_matrix (nv, nv), both triangles; entries of separate branches are left as they are (zero)."""
    place(body_i, body_f, q, body_w, dof_w)
    mass_entries(body_i, body_f, mass_matrix, body_w, dof_w)


@part
def mass_entries(body_i, body_f, mass_matrix, body_w, dof_w):
    """The same after `place`."""
    for i in range(1, body_i.shape[0]):
        m = body_f[i, MASS]
        cx, cy, cz = turn(body_w, i, m * body_f[i, COM], m * body_f[i, COM + 1], m * body_f[i, COM + 2])
        jxx, jyy, jzz, jxy, jxz, jyz = rotate_inertia(i, body_f, body_w)
        body_w[i, ART], body_w[i, ART + 1], body_w[i, ART + 2] = jxx, jyy, jzz
        body_w[i, ART + 3], body_w[i, ART + 4], body_w[i, ART + 5] = jxy, jxz, jyz
        body_w[i, H], body_w[i, H + 1], body_w[i, H + 2], body_w[i, M] = cx, cy, cz, m

    for i in range(body_i.shape[0] - 1, 0, -1):
        if body_i[i, PARENT] > 0:
            composite(i, body_i, body_w)
        for d in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            # the wrench that a unit acceleration of this axis needs: n = J s + h x t, f = m t - h x s
            sx, sy, sz = dof_w[d, S], dof_w[d, S + 1], dof_w[d, S + 2]
            tx, ty, tz = dof_w[d, S + 3], dof_w[d, S + 4], dof_w[d, S + 5]
            hx, hy, hz, m = body_w[i, H], body_w[i, H + 1], body_w[i, H + 2], body_w[i, M]
            nx, ny, nz = symmetric_times(body_w, ART, i, sx, sy, sz)
            ux, uy, uz = cross(hx, hy, hz, tx, ty, tz)
            nx, ny, nz = nx + ux, ny + uy, nz + uz
            fx, fy, fz = cross(sx, sy, sz, hx, hy, hz)
            fx, fy, fz = fx + m * tx, fy + m * ty, fz + m * tz
            mass_matrix[d, d] = sx * nx + sy * ny + sz * nz + tx * fx + ty * fy + tz * fz + body_f[i, ARMATURE]

            # the axes before it in the same joint, then those of the ancestors
            j, last = i, d
            while j > 0:
                for e in range(body_i[j, V0], last):
                    entry = (
                        dof_w[e, S] * nx + dof_w[e, S + 1] * ny + dof_w[e, S + 2] * nz
                        + dof_w[e, S + 3] * fx + dof_w[e, S + 4] * fy + dof_w[e, S + 5] * fz
                    )  # fmt: skip
                    mass_matrix[d, e] = entry
                    mass_matrix[e, d] = entry
                ux, uy, uz = cross(body_w[j, ARM], body_w[j, ARM + 1], body_w[j, ARM + 2], fx, fy, fz)
                nx, ny, nz = nx + ux, ny + uy, nz + uz
                j = body_i[j, PARENT]
                last = body_i[j, V0] + body_i[j, NDOF]


@kernel(f"f8({TREE}, f8[::1], f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def crba_one(body_i, body_f, q, mass_matrix, body_w, dof_w):
    """Returns the trace of M, for a check: NaN when the length of q is wrong."""
    if q.shape[0] != body_i[0, NQ]:
        return math.nan
    mass_matrix[:] = 0.0
    crba(body_i, body_f, q, mass_matrix, body_w, dof_w)
    trace = 0.0 * total(q)
    for k in range(mass_matrix.shape[0]):
        trace += mass_matrix[k, k]
    return trace


WORK = lane_work("MassWork", array("q", "nq", "", "positions"), array("mass", "nv nv", "", "mass matrix"))
carve = WORK.carve


@kernel(f"void({TREE}, i8, f8[:, ::1], f8[:, ::1], f8[::1])")
def crba_batch(body_i, body_f, nv, q, mass_matrix, work):
    """mass_matrix (B, nv * nv) of rows of states."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], nv)
    fill(w.mass, 0.0)
    for first in range(0, q.shape[0], WIDTH):
        load(q, first, w.q)
        crba(body_i, body_f, w.q, w.mass, w.body_w, w.dof_w)
        store(w.mass.reshape(w.mass.size), first, mass_matrix)
