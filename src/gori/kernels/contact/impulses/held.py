"""Loops in a step of impulses: they hold all velocities to J v = nu, and take their part of every impulse.

With H = M~ and the factors of [H J'; J -eps] (`loops/factors.py`), after `articulate`:

    velocities     H x + J' lam = 0,      J x = -(J v~ - nu),     v~ + x are those without contact
    an impulse f   H x + J' lam = f,      J x = 0,                x is what it does to the velocities

so impulses of contact move the machine only as the loops let it. Axes that have no inertia in the tree, as those of a
moving base, are lent some, E, so that v~ is finite; H x + J' lam = E (v~ - v) takes it back. After the step positions
are projected onto the loops, and the way of that, over h, is added to the velocities before these are projected: so the
motion of a step is along the chord, and not along the tangent of its start (Ryckaert et al. 1977; Andersen 1983).
"""

from gori.kernels.codes import NOT_CLOSED, OK
from gori.kernels.contact.impulses.blocks import find_block
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH
from gori.kernels.loops.cuts import fill_jacobian, jacobian_times, place_cuts
from gori.kernels.loops.departure import departs
from gori.kernels.loops.system import (
    BLURRED,
    close_positions,
    factor_inertia,
    is_driven,
    largest,
    measure_pivot,
    place_all,
    solve,
)
from gori.kernels.loops.tables import DRIVEN, SLID, SPUN
from gori.kernels.machine import RATES
from gori.kernels.tree.columns import ARM, ARMATURE, NDOF, PARENT, V0, S
from gori.kernels.tree.kinematics import cross
from gori.kernels.tree.rnea import inertia_product

TIMES = 2
"""solutions for which what stands in the factors instead of zero fades away"""
RIGID = 1e-9
"""share of the mobility without loops below which loops leave none"""


@part
def holds(machine):
    """Whether there are equations of loops."""
    return machine.equation.shape[0] > 0


@part
def lend_inertia(machine, extra, share, lent, body_f):
    """Add share times the inertia that axes are lent, extra (nv,), to the armature in body_f; lent (nv,) is what each
    axis gets, as those of one joint have one armature.
    """
    body_i = machine.body_i
    for i in range(1, body_i.shape[0]):
        first, most = body_i[i, V0], 0.0
        for k in range(first, first + body_i[i, NDOF]):
            most = max(most, extra[k])
        for k in range(first, first + body_i[i, NDOF]):
            lent[k] = most
        if most > 0.0:
            body_f[i, ARMATURE] += share * most


@block
def hold_velocities(machine, data, body_f, implicit, lent, t, h, q, v, after):
    """Bring after (nv,) from the velocities of the tree alone to those that the loops allow at the end of a step.

    body_f     with the inertia of implicit forces;  implicit: whether there is any
    lent       (nv,) inertia that axes were lent for the velocities of the tree

    `state.multipliers` are then impulses.
    """
    m, ne = data.loops, machine.equation.shape[0]
    lam = m.state.multipliers
    m.work.standing[0] = 0.0
    if machine.signal_i.shape[0] > 0:
        evaluate_signals(machine.signal_i, machine.signal_f, t + h, q, v, data.readings, data.values, data.stack)
    place_cuts(machine, m.work, q, data.values, data.body_w)
    departing = departs(m, t, q, v, RATES)
    if departing:
        for k in range(v.shape[0]):
            after[k] = v[k] + h * m.work.departure_a[k]
    fill_jacobian(machine, m.work, after, data.values, data.body_w, data.dof_w)
    factor_inertia(machine, data, m, machine.body_f)
    measure_pivot(machine, m, v.shape[0])
    if implicit:
        factor_inertia(machine, data, m, body_f)
    for k in range(v.shape[0]):
        m.work.force[k], m.work.move[k] = 0.0 if departing else lent[k] * (after[k] - v[k]), 0.0
    for e in range(ne):
        lam[e] *= h
    for _ in range(TIMES):
        solve(machine, m, m.work.force, m.work.slip, lam, m.state.eps_mass, m.state.extra_inertia, m.work.move)
    for k in range(v.shape[0]):
        after[k] += m.work.move[k]


@part
def respond(machine, data):
    """`move` (nv,): velocities by the generalised impulse in `force`; and its multipliers in `gamma`."""
    m = data.loops
    for k in range(m.work.move.shape[0]):
        m.work.move[k] = 0.0
    for e in range(m.work.slip.shape[0]):
        m.work.slip[e], m.work.gamma[e] = 0.0, 0.0
    for _ in range(TIMES):
        solve(
            machine, m, m.work.force, m.work.slip, m.work.gamma, m.state.eps_mass, m.state.extra_inertia, m.work.move
        )  # fmt: skip


@part
def lay_path(machine, data, i, sign, row, turning):
    """Add to three rows of J sign times the speed of a point of body i along each direction, for each axis on the way
    from the body to the ground. turning = 1: the angular speed of the body.

    The point is `arm` away from the origin of the body, and the directions are `directions`, both of the memory.
    """
    body_i, body_w, dof_w, memory = machine.body_i, data.body_w, data.dof_w, data.contact_memory
    n, rx, ry, rz = memory.directions, memory.arm[0], memory.arm[1], memory.arm[2]
    while i > 0:
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            if turning == 1:
                x, y, z = sign * dof_w[k, S], sign * dof_w[k, S + 1], sign * dof_w[k, S + 2]
            else:
                x, y, z = cross(dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2], rx, ry, rz)
                x, y, z = sign * (x + dof_w[k, S + 3]), sign * (y + dof_w[k, S + 4]), sign * (z + dof_w[k, S + 5])
            slot = memory.place[k]
            p = find_block(memory.block, row.at, row.to, slot // WIDTH)
            for d in range(3):
                memory.w[p, d, slot % WIDTH] += x * n[d, 0] + y * n[d, 1] + z * n[d, 2]
        rx, ry, rz = rx + body_w[i, ARM], ry + body_w[i, ARM + 1], rz + body_w[i, ARM + 2]
        i = body_i[i, PARENT]


@part
def add_load(row, memory, d, times, force):
    """Add times the row of J of a point along its direction d to force (nv,), of sides that loops hold."""
    for p in range(row.at, row.to):
        for lane in range(WIDTH):
            k = memory.velocity_at[WIDTH * memory.block[p] + lane]
            if k >= 0:
                force[k] += times * memory.w[p, d, lane]


@part
def take_response(data, row, d, i):
    """M^-1 J' of a point along its direction d out of `move`, of the branch of row i."""
    c, m = data.contact_memory, data.loops
    first, width, mobility, typical = c.branch[i, 0], c.branch[i, 1], 0.0, 0.0
    for k in range(first, first + width):
        mobility += m.work.force[k] * m.work.move[k]
        typical += m.work.force[k] * m.work.force[k] / (m.work.mass[k, k] + m.state.extra_inertia[k])
    share = 1.0 if mobility > RIGID * typical else 0.0
    for k in range(first, first + width):
        slot = c.place[k]
        p = find_block(c.block, row.at + row.count, row.to + row.to_count, slot // WIDTH)
        c.w[p, d, slot % WIDTH] = share * m.work.move[k]


@block
def hold_rows(machine, data, row, a, b):
    """M^-1 J' of a point between bodies of the rows a and b, as the loops let those move that they hold."""
    c, force = data.contact_memory, data.loops.work.force
    for d in range(3):
        for k in range(force.shape[0]):
            force[k] = 0.0
        add_load(row, c, d, 1.0, force)
        respond(machine, data)
        if c.branch[a, 4] == 1:
            take_response(data, row, d, a)
        if c.branch[b, 4] == 1 and (a == 0 or c.branch[a, 2] != c.branch[b, 2]):
            take_response(data, row, d, b)


@block
def drive_work(machine, data, v, after, h):
    """Work of given motions in a step [J], from the velocities before and after it; multipliers are forces again."""
    m, c, work = data.loops, data.contact_memory, 0.0
    lam, force = m.state.multipliers, m.work.force
    if is_driven(machine):
        for k in range(force.shape[0]):
            force[k] = 0.0
        for k in range(c.head[0].points):
            for d in range(3):
                add_load(c.rows[k], c, d, c.rows[k].impulse[d], force)
                if c.turns.shape[0] > 0:
                    add_load(c.turns[k], c, d, c.turns[k].impulse[d], force)
        for k in range(c.axes.shape[0]):
            force[c.axes[k].dof] += c.axes[k].impulse
        respond(machine, data)
        for e in range(lam.shape[0]):
            lam[e] += m.work.gamma[e]
        jacobian_times(machine, m.work, v, m.work.slip)
        jacobian_times(machine, m.work, after, m.work.gamma)
        for e in range(lam.shape[0]):
            if machine.equation[e].kind in (DRIVEN, SLID, SPUN):
                work -= 0.5 * lam[e] * (m.work.slip[e] + m.work.gamma[e])
    for e in range(lam.shape[0]):
        lam[e] /= h
    return work


@block
def projection_work(machine, data, body_f, before, v):
    """Work of given motions [J] by what has brought the velocities from `before` onto the loops, after that."""
    m, work = data.loops, 0.0
    for k in range(v.shape[0]):
        m.work.product[k] = v[k] - before[k]
    inertia_product(machine.body_i, body_f, m.work.product, m.work.force, data.body_w, data.dof_w)
    respond(machine, data)
    for e in range(machine.equation.shape[0]):
        if machine.equation[e].kind in (DRIVEN, SLID, SPUN):
            work += m.work.gamma[e] * data.values[machine.equation[e].b + 1]
    return work


@block
def close_step(machine, data, t, h, q, v):
    """Project positions onto the loops after a step, and add the way of that over h to the velocities.

    Returns a result code. The velocities are projected by whoever ends the step.
    """
    m = data.loops
    if m.head[0].pivot < BLURRED:
        return OK
    place_all(machine, data, m, t, q, v)
    if largest(m.work.gap) <= m.settings[0].position_tolerance:
        return OK
    if not close_positions(machine, data, t, q, v):
        return NOT_CLOSED
    for k in range(v.shape[0]):
        v[k] += m.work.moved[k] / h
    return OK
