"""Friction of joints in a step of impulses: |p| <= h F on an axis, and its velocity is zero where |p| < h F.

F is the Coulomb force of the law that all methods share (`forces/elements.py`), without its bristle: what sticks
stands. The state z of the bristle is set to what it would be under the mean force of the step, f = -s z, from which the
next step starts, and another method goes on.
"""

import math

from gori.kernels.contact.impulses.blocks import find_block
from gori.kernels.contact.impulses.held import respond
from gori.kernels.forces.elements import friction_force
from gori.kernels.forces.parameters import FRICTION_F
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes, lanes_of, spread, sum8
from gori.kernels.tree.columns import ARM, D_INV, NDOF, PARENT, V0, S, U
from gori.kernels.tree.kinematics import cross


@part
def leave_out_friction(machine, data, v, z, zdot):
    """Take the bristles out of forces, power and rates of z, after `apply_forces`."""
    axes = data.contact_memory.axes
    for k in range(axes.shape[0]):
        axis = axes[k]
        force, _ = friction_force(machine.element_f[axis.element], v[axis.dof], z[axis.state])
        data.tau[axis.dof] -= force
        data.power[0] -= force * v[axis.dof]
        zdot[axis.state] = 0.0


@part
def put_number(memory, axis, slot, number):
    """Put a number of the row of an axis at its place."""
    p = find_block(memory.axis_block, axis.at, axis.at + axis.count, slot // WIDTH)
    memory.axis_w[p, slot % WIDTH] = number


@part
def carry_axis_inward(machine, data, axis):
    """Row w of an axis, for each axis on the way to the ground, as `carry_inward` has that of a point."""
    body_i, body_w, dof_w, memory = machine.body_i, data.body_w, data.dof_w, data.contact_memory
    nx, ny, nz, fx, fy, fz, i = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, axis.row
    while i > 0:
        count = body_i[i, NDOF]
        for c in range(count - 1, -1, -1):
            k = body_i[i, V0] + c
            u = dof_w[k, S] * nx + dof_w[k, S + 1] * ny + dof_w[k, S + 2] * nz
            u += dof_w[k, S + 3] * fx + dof_w[k, S + 4] * fy + dof_w[k, S + 5] * fz
            if k == axis.dof:
                u += 1.0
            put_number(memory, axis, memory.place[k], u * memory.root[k])
            u *= dof_w[k, D_INV]
            nx, ny, nz = nx - dof_w[k, U] * u, ny - dof_w[k, U + 1] * u, nz - dof_w[k, U + 2] * u
            fx, fy, fz = fx - dof_w[k, U + 3] * u, fy - dof_w[k, U + 4] * u, fz - dof_w[k, U + 5] * u
        ux, uy, uz = cross(body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2], fx, fy, fz)
        nx, ny, nz = nx + ux, ny + uy, nz + uz
        i = body_i[i, PARENT]


@part
def hold_axis(machine, data, axis):
    """The same of an axis that loops hold."""
    c, force = data.contact_memory, data.loops.work.force
    for k in range(force.shape[0]):
        force[k] = 0.0
    force[axis.dof] = 1.0
    respond(machine, data)
    for k in range(c.branch[axis.row, 0], c.branch[axis.row, 0] + c.branch[axis.row, 1]):
        put_number(c, axis, c.place[k], data.loops.work.move[k])


@block
def lay_axes(machine, data, z, h):
    """Rows, bounds and impulses to start from, of all axes with friction; after `articulate` and `take_roots`."""
    c = data.contact_memory
    for k in range(c.axes.shape[0]):
        axis = c.axes[k]
        if axis.along == 1:
            carry_axis_inward(machine, data, axis)
            axis.mobility = 0.0
            for p in range(axis.at, axis.at + axis.count):
                for lane in range(WIDTH):
                    axis.mobility += c.axis_w[p, lane] * c.axis_w[p, lane]
        else:
            hold_axis(machine, data, axis)
            axis.mobility = data.loops.work.move[axis.dof]
        p = machine.element_f[axis.element]
        axis.weight = math.sqrt(max(axis.mobility, 0.0))
        axis.bound = h * p[FRICTION_F.coulomb]
        axis.impulse = min(max(-h * p[FRICTION_F.stiffness] * z[axis.state], -axis.bound), axis.bound)


@part
def speed_of_axis(axis, memory, x):
    """Velocity of an axis from the velocities of the solver."""
    if axis.along == 0:
        return x[axis.slot]
    w, blocks, speed = lanes(memory.axis_w), lanes_of(x), spread(0.0)
    for p in range(axis.at, axis.at + axis.count):
        speed = speed + w[p] * blocks[memory.axis_block[p]]
    return sum8(speed)


@part
def push_axis(axis, memory, x, impulse):
    """Add the velocities of an impulse on an axis."""
    w, blocks = lanes(memory.axis_w), lanes_of(x)
    for p in range(axis.at, axis.at + axis.count):
        b = memory.axis_block[p]
        blocks[b] = blocks[b] + impulse * w[p]


@part
def solve_axis(axis, memory, x):
    """Impulse of one axis with all others held; returns the change of its velocity."""
    if not axis.mobility > 0.0:
        return 0.0
    p = min(max(axis.impulse - speed_of_axis(axis, memory, x) / axis.mobility, -axis.bound), axis.bound)
    change = p - axis.impulse
    axis.impulse = p
    if change != 0.0:
        push_axis(axis, memory, x, change)
    return abs(change) * axis.mobility


@part
def note_axes(machine, data, before, after, z, h):
    """z of each axis under the mean force of the step; returns the work of friction [J]."""
    axes, work = data.contact_memory.axes, 0.0
    for k in range(axes.shape[0]):
        axis = axes[k]
        z[axis.state] = -axis.impulse / (h * machine.element_f[axis.element, FRICTION_F.stiffness])
        work += 0.5 * axis.impulse * (before[axis.dof] + after[axis.dof])
    return work
