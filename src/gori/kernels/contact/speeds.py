"""Directions of a contact point, and its speeds along them from the velocities of the machine."""

from gori.kernels.jit import part


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
def normal_speed(row, memory, v):
    """Speed of a point along its normal [m/s]."""
    jac, path, at, n = memory.jac, memory.path, row.at, 0.0
    if row.direct == 1:
        for c in range(row.count_a):
            n += jac[at + c] * v[row.first_a + c]
        at += row.count_a
        for c in range(row.count_b):
            n += jac[at + c] * v[row.first_b + c]
    else:
        for c in range(row.count_a):
            n += jac[at + c] * v[path[row.path_a + c]]
        at += row.count_a
        for c in range(row.count_b):
            n += jac[at + c] * v[path[row.path_b + c]]
    return n


@part
def tangential_speeds(row, memory, v):
    """Speeds of a point along its tangents [m/s]."""
    jac, path, width, s, t = memory.jac, memory.path, row.count_a + row.count_b, 0.0, 0.0
    at = row.at + width
    if row.direct == 1:
        for c in range(row.count_a):
            x = v[row.first_a + c]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
        at += row.count_a
        for c in range(row.count_b):
            x = v[row.first_b + c]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
    else:
        for c in range(row.count_a):
            x = v[path[row.path_a + c]]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
        at += row.count_a
        for c in range(row.count_b):
            x = v[path[row.path_b + c]]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
    return s, t


@part
def speeds(row, memory, v):
    """Speeds of a point along its three directions [m/s]."""
    s, t = tangential_speeds(row, memory, v)
    return normal_speed(row, memory, v), s, t
