"""Rates of a machine with contacts that rest, and the gaps that are watched for impacts.

Stands in the place of the loop solver, `machine.closed`, and calls that one, `data.rest.solver`, where there are loops:

    1. J' v, the acceleration of the points without that of the joints: speeds of the points a little later and a little
       earlier along the motion, with the points where they are then, so that rolling and curvature are in it
    2. accelerations without contact
    3. [M J_c'; J_c 0], the equations of bodies and loops, solved for the directions of the points: W = J M^-1 J'
    4. forces (`hold.py`), and what they do to the accelerations and to the power, that of given motions too
"""

import math

from gori.kernels.accelerations import accelerations, q_rate, unit_quaternions
from gori.kernels.codes import OK
from gori.kernels.contact.find import velocity_at
from gori.kernels.contact.speeds import tangents
from gori.kernels.forces.apply import advance_subsystems
from gori.kernels.impacts.gaps import claim_points, finite_gap, gap_values, move_bodies, near_gap, points_of, stop_gap
from gori.kernels.impacts.hold import solve_held
from gori.kernels.jit import block, call_at, kernel, part, present
from gori.kernels.loops.cuts import fill_jacobian, place_cuts
from gori.kernels.loops.system import drive_power
from gori.kernels.machine import GAPS, PROJECT, PROJECT_AND_EVALUATE, RATES, SOLVER
from gori.kernels.tree.columns import ARM, NDOF, NQ, P_WB, PARENT, V0, S
from gori.kernels.tree.kinematics import cross
from gori.kernels.vehicle.blows import eliminate, lay_equations

APART = 1e-5
"""time between the present state and those before and after it [s]"""


@block
def find_held(machine, data, q, v):
    """Contacts that rest where they are at a state."""
    rest = data.rest
    move_bodies(machine, data, q, v)
    for i in range(rest.head[0].held):
        rest.held[i].gap = -1.0
    for i in range(rest.head[0].held):
        held = rest.held[i]
        if held.stop >= 0:
            held.gap = stop_gap(rest.stop[held.stop], q)
            continue
        first = True
        for j in range(i):
            other = rest.held[j]
            first = first and not (other.stop < 0 and other.a == held.a and other.b == held.b)
        if first:
            reach = near_gap(machine.contact.shape[held.a], machine.contact.shape[held.b])
            claim_points(data, held.a, held.b, points_of(machine, data, held.a, held.b, reach))


@part
def lay_directions(held, directions):
    """Normal and tangents of a point, by rows."""
    n = held.normal
    t = tangents(n[0], n[1], n[2])
    for k in range(3):
        directions[0, k], directions[1, k], directions[2, k] = n[k], t[k], t[3 + k]


@part
def held_speeds(machine, data, v, out):
    """Speeds of B against A at each contact, along its three directions [m/s]; after `find_held`."""
    rest, d = data.rest, data.rest.directions
    for i in range(rest.head[0].held):
        held = rest.held[i]
        if held.stop >= 0:
            stop = rest.stop[held.stop]
            out[3 * i], out[3 * i + 1], out[3 * i + 2] = stop.side * v[stop.dof], 0.0, 0.0
            continue
        lay_directions(held, d)
        x, y, z = held.position[0], held.position[1], held.position[2]
        ax, ay, az = velocity_at(data.body_w, machine.contact.shape[held.a].row, x, y, z)
        bx, by, bz = velocity_at(data.body_w, machine.contact.shape[held.b].row, x, y, z)
        for k in range(3):
            out[3 * i + k] = d[k, 0] * (bx - ax) + d[k, 1] * (by - ay) + d[k, 2] * (bz - az)


@part
def speeds_beside(machine, data, q, v, time, out):
    """Speeds at the state that the present velocities lead to after a short time."""
    rest = data.rest
    for j in range(q.shape[0]):
        rest.q[j] = q[j] + time * rest.q_rate[j]
    unit_quaternions(machine.body_i, rest.q)
    find_held(machine, data, rest.q, v)
    held_speeds(machine, data, v, out)


@part
def add_speeds(machine, data, i, sign, position, at):
    """Add sign times the speed of a point of body i along each direction to three rows of J, from jac[at] on."""
    body_i, body_w, dof_w, n, jac = machine.body_i, data.body_w, data.dof_w, data.rest.directions, data.rest.jac
    nv = data.tau.shape[0]
    rx, ry, rz = position[0] - body_w[i, P_WB], position[1] - body_w[i, P_WB + 1], position[2] - body_w[i, P_WB + 2]
    while i > 0:
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            x, y, z = cross(dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2], rx, ry, rz)
            x, y, z = sign * (x + dof_w[k, S + 3]), sign * (y + dof_w[k, S + 4]), sign * (z + dof_w[k, S + 5])
            for d in range(3):
                jac[at + d * nv + k] += x * n[d, 0] + y * n[d, 1] + z * n[d, 2]
        rx, ry, rz = rx + body_w[i, ARM], ry + body_w[i, ARM + 1], rz + body_w[i, ARM + 2]
        i = body_i[i, PARENT]


@part
def lay_jacobian(machine, data):
    """Rows of all contacts, three each; after `find_held`."""
    rest, nv = data.rest, data.tau.shape[0]
    for k in range(3 * rest.head[0].held * nv):
        rest.jac[k] = 0.0
    for i in range(rest.head[0].held):
        held = rest.held[i]
        if held.stop >= 0:
            stop = rest.stop[held.stop]
            rest.jac[3 * i * nv + stop.dof] = stop.side
            continue
        if not finite_gap(held.gap):
            continue
        lay_directions(held, rest.directions)
        for side in range(2):
            row = machine.contact.shape[held.a if side == 0 else held.b].row
            add_speeds(machine, data, row, -1.0 if side == 0 else 1.0, held.position, 3 * i * nv)


@part
def scale_equations(A, scale, nv, n):
    """Equations in units in which all masses, and mobilities of loops, are 1: so that what counts as nothing when they
    are eliminated does not depend on the size of the machine.
    """
    largest = 0.0
    for k in range(nv):
        scale[k] = 1.0 / math.sqrt(A[k, k]) if A[k, k] > 0.0 else 0.0
        largest = max(largest, scale[k])
    for k in range(nv):
        if not scale[k] > 0.0:
            scale[k] = largest if largest > 0.0 else 1.0
    for e in range(nv, n):
        total = 0.0
        for k in range(nv):
            total += (A[e, k] * scale[k]) ** 2
        scale[e] = 1.0 / math.sqrt(total) if total > 0.0 else 1.0
    for r in range(n):
        for c in range(n):
            A[r, c] *= scale[r] * scale[c]


@part
def lay_mobility(machine, data, A, count):
    """M^-1 J' behind the equations in A (n, n + 3 count), and W; after `lay_jacobian`."""
    rest, nv = data.rest, data.tau.shape[0]
    n = nv + machine.equation.shape[0]
    for r in range(n):
        for c in range(n + 3 * count):
            A[r, c] = 0.0
    lay_equations(machine, data, A)
    scale_equations(A, rest.scale, nv, n)
    for r in range(3 * count):
        for k in range(nv):
            A[k, n + r] = rest.jac[r * nv + k] * rest.scale[k]
    eliminate(A, n)
    for k in range(n):
        for c in range(n, n + 3 * count):
            A[k, c] *= rest.scale[k]
    for r in range(3 * count):
        for c in range(3 * count):
            total = 0.0
            for k in range(nv):
                total += rest.jac[r * nv + k] * A[k, n + c]
            rest.mobility[r, c] = total


@part
def lay_free(rest, a, nv):
    """Accelerations of the points without their forces, with what brings gaps and slips back; a (nv,) of the joints."""
    rate = rest.head[0].rate
    for i in range(rest.head[0].held):
        for d in range(3):
            r = 3 * i + d
            total = 0.5 * (rest.ahead[r] - rest.behind[r]) / APART
            for k in range(nv):
                total += rest.jac[r * nv + k] * a[k]
            if d == 0:
                rest.free[r] = total + 2.0 * rate * rest.speed[r] + rate * rate * rest.held[i].gap
            else:
                rest.free[r] = total + rate * rest.speed[r]


@part
def note_wrench(machine, data, shape, sign, held):
    """Add the force of a contact to what is recorded of contact on a body: moment about its origin, force."""
    c, d = data.contact_memory, data.rest.directions
    body = c.body[shape]
    if body < 0:
        return
    row, f = machine.contact.shape[shape].row, held.force
    fx = sign * (f[0] * d[0, 0] + f[1] * d[1, 0] + f[2] * d[2, 0])
    fy = sign * (f[0] * d[0, 1] + f[1] * d[1, 1] + f[2] * d[2, 1])
    fz = sign * (f[0] * d[0, 2] + f[1] * d[1, 2] + f[2] * d[2, 2])
    mx, my, mz = cross(
        held.position[0] - data.body_w[row, P_WB], held.position[1] - data.body_w[row, P_WB + 1],
        held.position[2] - data.body_w[row, P_WB + 2], fx, fy, fz,
    )  # fmt: skip
    wrench = c.wrench[body]
    wrench[0], wrench[1], wrench[2] = wrench[0] + mx, wrench[1] + my, wrench[2] + mz
    wrench[3], wrench[4], wrench[5] = wrench[3] + fx, wrench[4] + fy, wrench[5] + fz


@block
def hold(machine, data, t, q, v, a):
    """Add what contacts that rest do to the accelerations a (nv,), and to the power. Returns a result code."""
    rest, loops, nv = data.rest, data.loops, data.tau.shape[0]
    count, n = rest.head[0].held, data.tau.shape[0] + machine.equation.shape[0]
    find_held(machine, data, q, v)
    held_speeds(machine, data, v, rest.speed)
    lay_jacobian(machine, data)
    if machine.cut.shape[0] > 0:
        place_cuts(machine, loops.work, q, data.values, data.body_w)
        fill_jacobian(machine, loops.work, v, data.values, data.body_w, data.dof_w)
    A = rest.equations[:, : n + 3 * count]
    lay_mobility(machine, data, A, count)
    lay_free(rest, a, nv)
    code = solve_held(rest, count)
    if code != OK:
        return code
    for r in range(3 * count):
        for k in range(nv):
            a[k] += A[k, n + r] * rest.force[r]
        data.power[0] += rest.force[r] * (rest.speed[r] + drive_power(machine, A[nv:, n + r], data.values))
    c = data.contact_memory
    for k in range(c.wrench.shape[0]):
        for d in range(6):
            c.wrench[k, d] = 0.0
    for i in range(count):
        held = rest.held[i]
        for d in range(3):
            held.force[d] = rest.force[3 * i + d]
        if held.stop < 0 and finite_gap(held.gap):
            lay_directions(held, rest.directions)
            note_wrench(machine, data, held.a, -1.0, held)
            note_wrench(machine, data, held.b, 1.0, held)
    return OK


@kernel(SOLVER)
def resting(machine, data, t, y, k, what):
    """As every loop solver; GAPS: k becomes the values of the watched gaps, at its end."""
    rest, nq, nv = data.rest, machine.body_i[0, NQ], data.tau.shape[0]
    if what == GAPS:
        gap_values(machine, data, y, k)
        return OK
    q, v = y[:nq], y[nq : nq + nv]
    if what in (PROJECT, PROJECT_AND_EVALUATE):
        code = OK
        if present(rest.solver):
            code = call_at(rest.solver, machine, data, t, y, k, PROJECT)
        if code != OK or what == PROJECT:
            return code
        move_bodies(machine, data, q, v)
        code = advance_subsystems(machine, data, t, q, v)
        if code != OK:
            return code
    holding = rest.head[0].held > 0
    if holding:
        q_rate(machine.body_i, q, v, rest.q_rate)
        speeds_beside(machine, data, q, v, -APART, rest.behind)
        speeds_beside(machine, data, q, v, APART, rest.ahead)
    if present(rest.solver):
        code = call_at(rest.solver, machine, data, t, y, k, RATES)
    else:
        q_rate(machine.body_i, q, v, k[:nq])
        code = accelerations(machine, t, q, v, y[nq + nv :], k[nq : nq + nv], k[nq + nv :], data)
    if code == OK and holding:
        code = hold(machine, data, t, q, v, k[nq : nq + nv])
    return code
