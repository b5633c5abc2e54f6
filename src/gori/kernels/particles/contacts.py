"""Forces between the particles of one chunk, and of particles of other chunks on them: eight contacts at a time.

The slots of a chunk are in groups of eight, by class (`arrays.py`). A group in which nothing touches costs a
comparison of distances. What does not touch in a group that is computed has d = 0, so no force and no history.
"""

import math

from gori.kernels.choose import where_less
from gori.kernels.jit import part
from gori.kernels.lanes import lanes_below, spread, transpose8
from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import ACROSS, CLASSES
from gori.kernels.particles.geometry import moment, slip, spin_about, surface_velocity, whole_force
from gori.kernels.particles.law import Constants, PairLaw, Touch, contact, pair_law, rolling
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
"""prefetch distance in slots"""


@part
def rows8(a, k):
    """Eight rows of an array (n, 8), by column."""
    return transpose8((
        row8(a, k[0]), row8(a, k[1]), row8(a, k[2]), row8(a, k[3]),
        row8(a, k[4]), row8(a, k[5]), row8(a, k[6]), row8(a, k[7]),
    ))  # fmt: skip


@part
def less(a, b):
    return a - b


@part
def plus(a, b):
    return a + b


def _of_pairs(half_row, combine):
    """Of eight particles and eight others: four columns of their rows, combined."""

    @part
    def columns(rows, i, j):
        return turn4(
            combine(half_row(rows, i[0], i[4]), half_row(rows, j[0], j[4])),
            combine(half_row(rows, i[1], i[5]), half_row(rows, j[1], j[5])),
            combine(half_row(rows, i[2], i[6]), half_row(rows, j[2], j[6])),
            combine(half_row(rows, i[3], i[7]), half_row(rows, j[3], j[7])),
        )

    return columns


difference = _of_pairs(halves, less)
"""of spheres: centres (3), and radii"""
relative_velocity = _of_pairs(first_halves, less)
relative_spin, sum_of_spins = _of_pairs(second_halves, less), _of_pairs(second_halves, plus)
"""of motion: three columns, and one that is not used"""


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
    """A group without contact any more."""
    g.touching[group] = 0
    columns, none = g.kept_history.shape[1], spread(0.0)
    for q in range(columns):
        put_row8(g.history, group * columns + q, none)


@part
def laws_of_one(g, s):
    """The PairLaw where all particles are of one material."""
    return pair_law(g.pair_row, 0)


@part
def laws_of_each(g, s):
    """The PairLaws of slots s to s + 7."""
    kn, cn, kt, ct, mu, mu_roll, c_roll, _ = rows8(g.pair_row, eight(g.kind, s))
    return PairLaw(kn, cn, kt, ct, mu, mu_roll, c_roll)


@part
def ask_for(g, x, v, s):
    """Prefetch the others of slots s to s + 7, which will be read soon and are scattered in memory."""
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

        across   whether the others are particles of other chunks, which get their part there
        """
        settings, group = g.settings[0], s >> 3
        i, j = eight(g.owner, s), eight(g.other, s)
        nx, ny, nz, wider = difference(x, j, i)
        square = nx * nx + ny * ny + nz * nz
        at = 0 if settings.uniform else group * c.N_CONSTANTS
        reach = row8(g.pair_constants, at + c.REACHED)
        touching = lanes_below(square, reach * reach)
        if touching == 0:
            if g.touching[group] != 0:
                forget(g, group)
            return False
        g.touching[group] = touching

        none, h = spread(0.0), g.history
        constants = Constants(0.5, 1.0, 0.0, g.pair_f[0, c.TINY], settings.step)
        R, m = row8(g.pair_constants, at + c.REDUCED_RADIUS), row8(g.pair_constants, at + c.REDUCED_MASS)
        close = row8(g.pair_constants, at + c.CLOSE)
        pair, at = laws_of(g, s), group * g.kept_history.shape[1]

        distance = math.sqrt(square)
        to_one = distance / square
        nx, ny, nz = nx * to_one, ny * to_one, nz * to_one
        d = where_less(square, reach * reach, reach - distance, none)
        vx, vy, vz, _ = relative_velocity(v, i, j)
        sx, sy, sz, _ = sum_of_spins(v, i, j)
        mean = 0.5 * (distance + settings.full_arm * d)
        if mixed:
            skew = -0.5 * wider
            qx, qy, qz, _ = relative_spin(v, i, j)
            wx, wy, wz = surface_velocity(mean, sx, sy, sz, skew, qx, qy, qz)
        else:
            wx, wy, wz = mean * sx, mean * sy, mean * sz
        ux, uy, uz = slip(nx, ny, nz, vx, vy, vz, wx, wy, wz)
        touch = Touch(d, R, m, nx, ny, nz, ux, uy, uz, spin_about(0.5, nx, ny, nz, sx, sy, sz))

        Fn, fx, fy, fz, hx, hy, hz = contact(law, pair, constants, touch, row8(h, at), row8(h, at + 1), row8(h, at + 2))
        put_row8(h, at, hx)
        put_row8(h, at + 1, hy)
        put_row8(h, at + 2, hz)

        # torque: (mean + skew) t on i, (mean - skew) t on j, and what resists rolling
        tx, ty, tz = moment(nx, ny, nz, fx, fy, fz)
        fx, fy, fz = whole_force(Fn, nx, ny, nz, fx, fy, fz)
        rows = transpose8((fx, fy, fz, none, mean * tx, mean * ty, mean * tz, none))
        add_rows(load, i, first, count, rows)
        if not across:
            add_rows(load, j, first, count, times(eight_of(-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 0.0), rows))
        if mixed:
            tx, ty, tz = skew * tx, skew * ty, skew * tz
            if settings.history > 4:
                mx, my, mz, hx, hy, hz = rolling(
                    pair, constants, touch, Fn, qx, qy, qz, row8(h, at + 3), row8(h, at + 4), row8(h, at + 5)
                )
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
        deep, first = False, chunk * g.progress[0].rows
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
    """Contacts of the particles of a chunk with particles, added to `load`. Whether an overlap is too deep.

    level   of gaps that count (`arrays.py`)
    """
    settings = g.settings[0]
    if settings.law != c.HERTZ:
        return _voigt(g, x, v, load, chunk, level)
    if settings.mixed or settings.materials > 1:
        return _hertz(g, x, v, load, chunk, level)
    return _plain(g, x, v, load, chunk, level)
