"""Diagonal velocities: coordinates x of the velocities of a tree in which its mass matrix is the unit matrix (Jain and
Rodriguez 1995). Kinetic energy is x'x / 2, and an impulse whose row of J is j changes x by the same row that measures
its speed:

    speed = w x,      x += w' p,      w = j M^-1/2,      M^-1 = M^-1/2 M^-T/2

After `articulate` (`tree/aba.py`) every axis has S, U and 1/D. With u = S' f of the recursion inward, which takes
f -= U u/D after each axis, M^-1/2 follows from it without one outward:

    w = u / sqrt(D)                       on the axes from the body to the ground; zero on all others
    x = sqrt(D) (v + U' a / D)            a: what the axes before it give their body
    v = x / sqrt(D) - U' a / D            so v and x can be turned into each other in O(n)

So a point costs what the way from its body to the ground is long, not what its tree is large. Trees that loops hold
have velocities for x (`held.py`). x stands in blocks of eight (`blocks.py`).
"""

import math

from gori.kernels.contact.impulses.blocks import find_block
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes, spread
from gori.kernels.tree.columns import ARM, D_INV, NDOF, PARENT, V0, S, U
from gori.kernels.tree.kinematics import cross

ROWS_AT_ONCE = 2
"""rows of three directions that are carried together, in one lane each (`lanes.py`)"""


@part
def is_diagonal(memory, i):
    """Whether the velocities of the branch of row i are diagonal ones to the solver."""
    return i > 0 and memory.branch[i, 4] == 0


@part
def take_roots(memory, dof_w):
    """1 / sqrt(D) of all axes, after `articulate`."""
    for k in range(memory.root.shape[0]):
        memory.root[k] = math.sqrt(dof_w[k, D_INV])


@part
def before_axes(body_i, body_w, carried, i):
    """Velocity (angular, of the origin) that its parent gives to row i; of the ground and its children: none."""
    p = body_i[i, PARENT]
    if p == 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    wx, wy, wz = carried[p, 0], carried[p, 1], carried[p, 2]
    ux, uy, uz = cross(wx, wy, wz, body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2])
    return wx, wy, wz, ux + carried[p, 3], uy + carried[p, 4], uz + carried[p, 5]


@part
def given_by(dof_w, k, V):
    """Velocity of axis k that goes with V, the velocity that the axes before it give its body: U' V / D."""
    given = dof_w[k, U] * V[0] + dof_w[k, U + 1] * V[1] + dof_w[k, U + 2] * V[2]
    given += dof_w[k, U + 3] * V[3] + dof_w[k, U + 4] * V[4] + dof_w[k, U + 5] * V[5]
    return given * dof_w[k, D_INV]


@part
def add_axis(dof_w, k, V, rate):
    """V with the velocity of axis k."""
    return (
        V[0] + dof_w[k, S] * rate, V[1] + dof_w[k, S + 1] * rate, V[2] + dof_w[k, S + 2] * rate,
        V[3] + dof_w[k, S + 3] * rate, V[4] + dof_w[k, S + 4] * rate, V[5] + dof_w[k, S + 5] * rate,
    )  # fmt: skip


@part
def carry_on(carried, i, V):
    """Note the velocity of row i for its children."""
    carried[i, 0], carried[i, 1], carried[i, 2] = V[0], V[1], V[2]
    carried[i, 3], carried[i, 4], carried[i, 5] = V[3], V[4], V[5]


@block
def to_diagonal(machine, data, v, x):
    """x of the solver from the velocities v (nv,); after `take_roots`."""
    body_i, body_w, dof_w, memory = machine.body_i, data.body_w, data.dof_w, data.contact_memory
    root, place, carried = memory.root, memory.place, memory.carried
    for i in range(1, body_i.shape[0]):
        first, end = body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]
        if not is_diagonal(memory, i):
            for k in range(first, end):
                x[place[k]] = v[k]
            continue
        V = before_axes(body_i, body_w, carried, i)
        for k in range(first, end):
            x[place[k]] = (v[k] + given_by(dof_w, k, V)) / root[k]
            V = add_axis(dof_w, k, V, v[k])
        carry_on(carried, i, V)


@block
def from_diagonal(machine, data, x, free, before, v):
    """Velocities v (nv,) of x, from those `before` (nv,) of `free`: what no impulse moved stays as it was."""
    body_i, body_w, dof_w, memory = machine.body_i, data.body_w, data.dof_w, data.contact_memory
    root, place, carried = memory.root, memory.place, memory.carried
    for i in range(1, body_i.shape[0]):
        first, end = body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]
        if not is_diagonal(memory, i):
            for k in range(first, end):
                v[k] = before[k] + (x[place[k]] - free[place[k]])
            continue
        V = before_axes(body_i, body_w, carried, i)
        for k in range(first, end):
            rate = root[k] * (x[place[k]] - free[place[k]]) - given_by(dof_w, k, V)
            v[k] = before[k] + rate
            V = add_axis(dof_w, k, V, rate)
        carry_on(carried, i, V)


@part
def carry_inward(machine, data, i):
    """Rows w of the wrenches in `force`, lanes at the origin of body i: `load` from 0 on, for each axis from the body
    to the ground, in the order of `path`.
    """
    body_i, body_w, dof_w, memory = machine.body_i, data.body_w, data.dof_w, data.contact_memory
    load, force, root, first = lanes(memory.load), lanes(memory.force), memory.root, 0
    nx, ny, nz, fx, fy, fz = force[0], force[1], force[2], force[3], force[4], force[5]
    while i > 0:
        count = body_i[i, NDOF]
        for c in range(count - 1, -1, -1):
            k = body_i[i, V0] + c
            u = dof_w[k, S] * nx + dof_w[k, S + 1] * ny + dof_w[k, S + 2] * nz
            u = u + dof_w[k, S + 3] * fx + dof_w[k, S + 4] * fy + dof_w[k, S + 5] * fz
            load[first + c] = u * root[k]
            u = u * dof_w[k, D_INV]
            nx, ny, nz = nx - dof_w[k, U] * u, ny - dof_w[k, U + 1] * u, nz - dof_w[k, U + 2] * u
            fx, fy, fz = fx - dof_w[k, U + 3] * u, fy - dof_w[k, U + 4] * u, fz - dof_w[k, U + 5] * u
        ux, uy, uz = cross(body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2], fx, fy, fz)
        nx, ny, nz = nx + ux, ny + uy, nz + uz
        first += count
        i = body_i[i, PARENT]


@part
def no_forces(memory):
    """Before the wrenches that `carry_inward` carries."""
    force = lanes(memory.force)
    for c in range(6):
        force[c] = spread(0.0)


@part
def note_forces_of(memory, t, sign, turning):
    """Wrenches of unit impulses along `directions` at `arm` from the origin of a body, times the sign, as the rows t of
    those that are carried together. turning = 1: of torques about the directions.
    """
    force, n = memory.force, memory.directions
    for d in range(3):
        lane, x, y, z = 3 * t + d, sign * n[d, 0], sign * n[d, 1], sign * n[d, 2]
        if turning == 1:
            force[0, lane], force[1, lane], force[2, lane] = x, y, z
        else:
            force[0, lane], force[1, lane], force[2, lane] = cross(memory.arm[0], memory.arm[1], memory.arm[2], x, y, z)
            force[3, lane], force[4, lane], force[5, lane] = x, y, z


@part
def take_rows(row, memory, t, i):
    """Add the rows t of `load`, of body i, to those of a point."""
    w, load, path, first = memory.w, memory.load, memory.path, memory.path_of[i, 0]
    p, b = 0, -1
    for c in range(memory.path_of[i, 1]):
        slot = memory.place[path[first + c]]
        if slot // WIDTH != b:
            b = slot // WIDTH
            p = find_block(memory.block, row.at, row.at + row.count, b)
        for d in range(3):
            w[p, d, slot % WIDTH] += load[c, 3 * t + d]
