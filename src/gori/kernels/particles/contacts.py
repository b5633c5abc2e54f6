"""Forces between the grains of one chunk, and of grains of other chunks on them: eight contacts at a time.

The slots of a chunk stand in groups of eight, by class (`grains.py`). A group in which nothing touches costs a look at
the distances. What does not touch in a group that is computed has d = 0, which leaves no force and no history.
"""

import math

from gori.kernels.choose import where_less
from gori.kernels.jit import part
from gori.kernels.lanes import lanes_below, spread, transpose8
from gori.kernels.particles import tables as c
from gori.kernels.particles.grains import (
    ACROSS,
    CLASSES,
    CLOSE,
    HISTORY,
    LAW,
    MATERIALS,
    MIXED,
    N_FIXED,
    REACHED,
    REDUCED_MASS,
    REDUCED_RADIUS,
    ROWS,
    STEP,
    UNIFORM,
)
from gori.kernels.particles.law import contact, rolling
from gori.kernels.rows import (
    eight,
    eight_of,
    fetch4,
    fetch8,
    first_halves,
    halves,
    put_row8,
    row8,
    second_halves,
    turn4,
)

AHEAD = 32
"""slots between those that are asked for and those that are computed"""


@part
def rows8(a, k):
    """Eight rows of an array (n, 8), by column."""
    return transpose8((
        row8(a, k[0]), row8(a, k[1]), row8(a, k[2]), row8(a, k[3]),
        row8(a, k[4]), row8(a, k[5]), row8(a, k[6]), row8(a, k[7]),
    ))  # fmt: skip


@part
def between(x, i, j):
    """From eight grains to eight others: x, y, z and the difference of the radii."""
    return turn4(
        halves(x, j[0], j[4]) - halves(x, i[0], i[4]),
        halves(x, j[1], j[5]) - halves(x, i[1], i[5]),
        halves(x, j[2], j[6]) - halves(x, i[2], i[6]),
        halves(x, j[3], j[7]) - halves(x, i[3], i[7]),
    )


@part
def relative_velocity(v, i, j):
    """Velocity of eight grains against eight others (3)."""
    x, y, z, _ = turn4(
        first_halves(v, i[0], i[4]) - first_halves(v, j[0], j[4]),
        first_halves(v, i[1], i[5]) - first_halves(v, j[1], j[5]),
        first_halves(v, i[2], i[6]) - first_halves(v, j[2], j[6]),
        first_halves(v, i[3], i[7]) - first_halves(v, j[3], j[7]),
    )
    return x, y, z


@part
def sum_of_spins(v, i, j):
    x, y, z, _ = turn4(
        second_halves(v, i[0], i[4]) + second_halves(v, j[0], j[4]),
        second_halves(v, i[1], i[5]) + second_halves(v, j[1], j[5]),
        second_halves(v, i[2], i[6]) + second_halves(v, j[2], j[6]),
        second_halves(v, i[3], i[7]) + second_halves(v, j[3], j[7]),
    )
    return x, y, z


@part
def relative_spin(v, i, j):
    x, y, z, _ = turn4(
        second_halves(v, i[0], i[4]) - second_halves(v, j[0], j[4]),
        second_halves(v, i[1], i[5]) - second_halves(v, j[1], j[5]),
        second_halves(v, i[2], i[6]) - second_halves(v, j[2], j[6]),
        second_halves(v, i[3], i[7]) - second_halves(v, j[3], j[7]),
    )
    return x, y, z


@part
def add_row(load, k, row):
    put_row8(load, k, row8(load, k) + row)


@part
def add_rows(load, k, first, count, rows):
    """The first `count` of eight rows onto rows k - first of the table."""
    add_row(load, k[0] - first, rows[0])
    if count == 8:
        add_row(load, k[1] - first, rows[1])
        add_row(load, k[2] - first, rows[2])
        add_row(load, k[3] - first, rows[3])
        add_row(load, k[4] - first, rows[4])
        add_row(load, k[5] - first, rows[5])
        add_row(load, k[6] - first, rows[6])
        add_row(load, k[7] - first, rows[7])
    else:
        if count > 1:
            add_row(load, k[1] - first, rows[1])
        if count > 2:
            add_row(load, k[2] - first, rows[2])
        if count > 3:
            add_row(load, k[3] - first, rows[3])
        if count > 4:
            add_row(load, k[4] - first, rows[4])
        if count > 5:
            add_row(load, k[5] - first, rows[5])
        if count > 6:
            add_row(load, k[6] - first, rows[6])


@part
def times(factor, rows):
    return (
        factor * rows[0], factor * rows[1], factor * rows[2], factor * rows[3],
        factor * rows[4], factor * rows[5], factor * rows[6], factor * rows[7],
    )  # fmt: skip


@part
def forget(g, group):
    """A group in which nothing touches any more."""
    g.touching[group] = 0
    columns, none = g.kept_history.shape[1], spread(0.0)
    for q in range(columns):
        put_row8(g.history, group * columns + q, none)


@part
def laws_of_one(g, s):
    """KN ... C_ROLL where all grains are of one material."""
    p = g.pair_row
    return p[0, c.KN], p[0, c.CN], p[0, c.KT], p[0, c.CT], p[0, c.MU], p[0, c.MU_ROLL], p[0, c.C_ROLL]


@part
def laws_of_each(g, s):
    """KN ... C_ROLL of the pairs of slots s to s + 7."""
    kn, cn, kt, ct, mu, mu_roll, c_roll, _ = rows8(g.pair_row, eight(g.kind, s))
    return kn, cn, kt, ct, mu, mu_roll, c_roll


@part
def ask_for(g, x, v, s):
    """Ask for the others of slots s to s + 7, which will be read soon and stand anywhere in memory."""
    j = eight(g.other, s)
    fetch4(x, j[0])
    fetch4(x, j[1])
    fetch4(x, j[2])
    fetch4(x, j[3])
    fetch4(x, j[4])
    fetch4(x, j[5])
    fetch4(x, j[6])
    fetch4(x, j[7])
    fetch8(v, j[0])
    fetch8(v, j[1])
    fetch8(v, j[2])
    fetch8(v, j[3])
    fetch8(v, j[4])
    fetch8(v, j[5])
    fetch8(v, j[6])
    fetch8(v, j[7])


def _contacts_of_a_chunk(law, laws_of, mixed):
    """The loop over the contacts of a chunk, for one law, one or several materials, and one or several radii or
    rolling: what is the same for all contacts of a run is decided when it is compiled."""

    @part
    def eight_contacts(g, x, v, load, first, s, count, across):
        """The group of slots s to s + 7, of which `count` count, added to `load`. Whether an overlap is too deep.

        across   whether the others are grains of other chunks, which get their part there
        """
        group = s >> 3
        i, j = eight(g.owner, s), eight(g.other, s)
        nx, ny, nz, wider = between(x, i, j)
        square = nx * nx + ny * ny + nz * nz
        fixed = 0 if g.run_i[UNIFORM] else group * N_FIXED
        reach = row8(g.fixed, fixed + REACHED)
        touching = lanes_below(square, reach * reach)
        if touching == 0:
            if g.touching[group] != 0:
                forget(g, group)
            return False
        g.touching[group] = touching

        dt, tiny, h, none = g.run_f[STEP], g.pair_f[0, c.TINY], g.history, spread(0.0)
        at = group * g.kept_history.shape[1]
        R, m = row8(g.fixed, fixed + REDUCED_RADIUS), row8(g.fixed, fixed + REDUCED_MASS)
        close = row8(g.fixed, fixed + CLOSE)
        kn, cn, kt, ct, mu, mu_roll, c_roll = laws_of(g, s)

        # where, and how fast; all so written that both grains find the same to the last bit
        distance = math.sqrt(square)
        to_one = distance / square
        nx, ny, nz = nx * to_one, ny * to_one, nz * to_one
        d = where_less(square, reach * reach, reach - distance, none)
        vx, vy, vz = relative_velocity(v, i, j)
        sx, sy, sz = sum_of_spins(v, i, j)
        mean = 0.5 * distance
        wx, wy, wz = mean * sx, mean * sy, mean * sz
        if mixed:
            # the contact lies mean + half from i, mean - half from j
            half = -0.5 * wider
            qx, qy, qz = relative_spin(v, i, j)
            wx, wy, wz = wx + half * qx, wy + half * qy, wz + half * qz
        ux = vx + (wy * nz - wz * ny)
        uy = vy + (wz * nx - wx * nz)
        uz = vz + (wx * ny - wy * nx)
        spin = 0.5 * (sx * nx + sy * ny + sz * nz)

        Fn, fx, fy, fz, hx, hy, hz = contact(
            law, kn, cn, kt, ct, mu, 0.5, 1.0, 0.0, tiny, dt,
            d, R, m, nx, ny, nz, ux, uy, uz, spin, row8(h, at), row8(h, at + 1), row8(h, at + 2),
        )  # fmt: skip
        put_row8(h, at, hx)
        put_row8(h, at + 1, hy)
        put_row8(h, at + 2, hz)

        # torque: (mean + half) t on i, (mean - half) t on j, and what resists rolling
        tx, ty, tz = ny * fz - nz * fy, nz * fx - nx * fz, nx * fy - ny * fx
        fx, fy, fz = fx - Fn * nx, fy - Fn * ny, fz - Fn * nz
        rows = transpose8((fx, fy, fz, none, mean * tx, mean * ty, mean * tz, none))
        add_rows(load, i, first, count, rows)
        if not across:
            add_rows(load, j, first, count, times(eight_of(-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 0.0), rows))
        if mixed:
            tx, ty, tz = half * tx, half * ty, half * tz
            if g.run_i[HISTORY] > 4:
                mx, my, mz, hx, hy, hz = rolling(
                    kt, mu_roll, c_roll, 1.0, tiny, dt, d, R, m, Fn, nx, ny, nz,
                    qx, qy, qz, spin, row8(h, at + 3), row8(h, at + 4), row8(h, at + 5),
                )  # fmt: skip
                put_row8(h, at + 3, hx)
                put_row8(h, at + 4, hy)
                put_row8(h, at + 5, hz)
                tx, ty, tz = tx + mx, ty + my, tz + mz
            rows = transpose8((none, none, none, none, tx, ty, tz, none))
            add_rows(load, i, first, count, rows)
            if not across:
                add_rows(load, j, first, count, times(spread(-1.0), rows))
        return lanes_below(square, close * close) != 0

    @part
    def all_contacts(g, x, v, load, chunk, level):
        deep, first = False, chunk * g.run_i[ROWS]
        last = g.other.shape[0] - 8
        for k in range(CLASSES):
            if k % ACROSS > level + 1:
                continue
            stop = g.class_end[chunk, k]
            for s in range(g.class_begin[chunk, k], stop, 8):
                ask_for(g, x, v, min(s + AHEAD, last))
                deep = eight_contacts(g, x, v, load, first, s, min(8, stop - s), k >= ACROSS) or deep
        return deep

    return all_contacts


_plain = _contacts_of_a_chunk(c.HERTZ, laws_of_one, False)
_hertz = _contacts_of_a_chunk(c.HERTZ, laws_of_each, True)
_voigt = _contacts_of_a_chunk(c.VOIGT, laws_of_each, True)


@part
def pair_forces(g, x, v, load, chunk, level):
    """Contacts of the grains of a chunk with grains, added to `load`. Whether an overlap is too deep.

    level   of gaps that count (`grains.py`)
    """
    if g.run_i[LAW] != c.HERTZ:
        return _voigt(g, x, v, load, chunk, level)
    if g.run_i[MIXED] or g.run_i[MATERIALS] > 1:
        return _hertz(g, x, v, load, chunk, level)
    return _plain(g, x, v, load, chunk, level)
