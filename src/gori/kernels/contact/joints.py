"""Friction of joints in a step of impulses: |p| <= h F on an axis, and its velocity is zero where |p| < h F.

F is the Coulomb force of the law that all methods share (`forces/elements.py`), without its bristle: what sticks
stands. The state z of the bristle is set to what it would be under the mean force of the step, f = -s z, from which the
next step starts, and another method goes on.
"""

import math

from gori.kernels.contact.held import respond
from gori.kernels.contact.response import carry_outward
from gori.kernels.forces.elements import friction_force
from gori.kernels.forces.parameters import FRICTION_F
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes, numbers, spread
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
def carry_axis_inward(machine, data, axis, lane):
    """Add the loads of a unit impulse on an axis to one lane of `load`, as `carry_inward`."""
    body_i, body_w, dof_w, number = machine.body_i, data.body_w, data.dof_w, data.contact_memory.load
    nx, ny, nz, fx, fy, fz, i = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, axis.row
    while i > 0:
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            u = dof_w[k, S] * nx + dof_w[k, S + 1] * ny + dof_w[k, S + 2] * nz
            u += dof_w[k, S + 3] * fx + dof_w[k, S + 4] * fy + dof_w[k, S + 5] * fz
            if k == axis.dof:
                u += 1.0
            number[k, lane] += u
            u *= dof_w[k, D_INV]
            nx, ny, nz = nx - dof_w[k, U] * u, ny - dof_w[k, U + 1] * u, nz - dof_w[k, U + 2] * u
            fx, fy, fz = fx - dof_w[k, U + 3] * u, fy - dof_w[k, U + 4] * u, fz - dof_w[k, U + 5] * u
        ux, uy, uz = cross(body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2], fx, fy, fz)
        nx, ny, nz = nx + ux, ny + uy, nz + uz
        i = body_i[i, PARENT]


@part
def carry_axes(machine, data, first, end):
    """Rows of M^-1 of the axes first to end - 1, which are on one branch, WIDTH at most."""
    c = data.contact_memory
    load, number, axis = lanes(c.load), numbers(lanes(c.load)), c.axes[first]
    for k in range(axis.first, axis.first + axis.width):
        load[k] = spread(0.0)
    for j in range(first, end):
        carry_axis_inward(machine, data, c.axes[j], j - first)
    root = c.branch[axis.row, 2]
    carry_outward(machine.body_i, data.body_w, data.dof_w, root, c.branch[root, 3], load, lanes(c.motion))
    for j in range(first, end):
        for k in range(axis.width):
            c.axis_response[c.axes[j].at + k] = number[axis.first + k, j - first]


@part
def hold_axis(machine, data, axis):
    """The same of an axis that loops hold."""
    c, force = data.contact_memory, data.loops.work.force
    for k in range(force.shape[0]):
        force[k] = 0.0
    force[axis.dof] = 1.0
    respond(machine, data)
    for k in range(axis.width):
        c.axis_response[axis.at + k] = data.loops.work.move[axis.first + k]


@block
def lay_axes(machine, data, z, h):
    """M^-1, bounds and impulses to start from, of all axes with friction; after `articulate`."""
    c, first = data.contact_memory, 0
    count = c.axes.shape[0]
    while first < count:
        row, end = c.axes[first].row, first + 1
        if c.branch[row, 4] == 1:
            hold_axis(machine, data, c.axes[first])
        else:
            while end < count and end < first + WIDTH and c.branch[c.axes[end].row, 2] == c.branch[row, 2]:
                end += 1
            carry_axes(machine, data, first, end)
        first = end
    for k in range(count):
        axis = c.axes[k]
        p = machine.element_f[axis.element]
        axis.mobility = c.axis_response[axis.at + axis.dof - axis.first]
        axis.weight = math.sqrt(max(axis.mobility, 0.0))
        axis.bound = h * p[FRICTION_F.coulomb]
        axis.impulse = min(max(-h * p[FRICTION_F.stiffness] * z[axis.state], -axis.bound), axis.bound)


@part
def push_axis(axis, response, v, p):
    """Add the velocities of an impulse on an axis."""
    for k in range(axis.width):
        v[axis.first + k] += p * response[axis.at + k]


@part
def solve_axis(axis, memory, v):
    """Impulse of one axis with all others held; returns the change of its velocity."""
    if not axis.mobility > 0.0:
        return 0.0
    p = min(max(axis.impulse - v[axis.dof] / axis.mobility, -axis.bound), axis.bound)
    change = p - axis.impulse
    axis.impulse = p
    if change != 0.0:
        push_axis(axis, memory.axis_response, v, change)
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
