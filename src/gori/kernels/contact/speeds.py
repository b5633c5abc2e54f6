"""Directions of a contact point, and its speeds along them from the velocities of the machine."""

from gori.kernels.jit import part
from gori.kernels.lanes import lanes, lanes_of, spread, sum8


@part
def tangents(nx, ny, nz):
    """Two unit vectors across a unit normal and each other (Duff et al. 2017)."""
    sign = 1.0 if nz >= 0.0 else -1.0
    a = -1.0 / (sign + nz)
    b = nx * ny * a
    return 1.0 + sign * nx * nx * a, sign * b, -sign * nx, b, sign + ny * ny * a, -ny


@part
def along(vector, direction):
    """Part of a vector along a direction."""
    return vector[0] * direction[0] + vector[1] * direction[1] + vector[2] * direction[2]


@part
def normal_speed(row, memory, x):
    """Speed of a point along its normal [m/s], from the velocities x of the solver (`impulses/blocks.py`)."""
    w, block, blocks, n = lanes(memory.w), memory.block, lanes_of(x), spread(0.0)
    for p in range(row.at, row.at + row.count):
        n = n + w[p, 0] * blocks[block[p]]
    return sum8(n)


@part
def tangential_speeds(row, memory, x):
    """Speeds of a point along its tangents [m/s]."""
    w, block, blocks, s, t = lanes(memory.w), memory.block, lanes_of(x), spread(0.0), spread(0.0)
    for p in range(row.at, row.at + row.count):
        eight = blocks[block[p]]
        s = s + w[p, 1] * eight
        t = t + w[p, 2] * eight
    return sum8(s), sum8(t)


@part
def speeds(row, memory, x):
    """Speeds of a point along its three directions [m/s]."""
    s, t = tangential_speeds(row, memory, x)
    return normal_speed(row, memory, x), s, t
