"""Contact by penalty forces: what the law of `law.py` does to the bodies, and what of it is kept.

At every evaluation points are found at the state, and each is loaded as a function of the state and of what is kept
of the point with the same id (`memory.py`): v0, both anchors, the orientation in which rolling springs are relaxed.
What is kept changes only at the end of a step (ADVANCE). So a step is one of smooth equations while points stick or
slide, and the method keeps its order.

At the end of a step both anchors move to the point itself, with the spring between them as long as it was, or as long
as friction allows: so they stay where the bodies touch while these roll.
"""

import math

from numba import types

from gori.kernels.codes import CONTACT_PASSED, CONTACTS_FULL, OK
from gori.kernels.contact import law as laws
from gori.kernels.contact.find import fall_of, find_contacts, keep_contacts, velocity_at
from gori.kernels.contact.jumps import forces_jump
from gori.kernels.contact.linear import linearise_contact
from gori.kernels.contact.measure import begin_measure, measure_force, measure_gap
from gori.kernels.contact.passage import look_for_passages, stand
from gori.kernels.contact.penalty_springs import elongation, rolling_torque
from gori.kernels.contact.poses import shape_poses
from gori.kernels.contact.soil import press_soil
from gori.kernels.contact.turning import forget_torques, moment_about_axle, note_torque, put_anchor, surface_speed
from gori.kernels.contact.watch import note_point
from gori.kernels.forces.elements import add_wrench
from gori.kernels.jit import block, call_at, kernel, part
from gori.kernels.machine import (
    ADD_WRENCHES,
    ADVANCE,
    JUMPS,
    LINEARISE,
    LOOK_AHEAD,
    MEASURE,
    PASSES,
    PENALTY,
    STAND,
    START,
    data_type,
    machine_type,
)
from gori.kernels.tree.columns import GRAVITY, NQ, P_WB
from gori.kernels.tree.kinematics import place, positions, velocities

ENTRY = 0.1
"""of the smaller curvature radius by which bodies may come nearer in a step of an adaptive method, once they touch"""
HALVINGS = 40
"""of such a step, at most, where too many bodies are near for it"""


@part
def firmness(stiffness, damping, sx, sy, sz, ux, uy, uz, limit):
    """Stiffness and damping of a tangential spring, 0 beyond the limit of friction."""
    fx, fy, fz = stiffness * sx + damping * ux, stiffness * sy + damping * uy, stiffness * sz + damping * uz
    if fx * fx + fy * fy + fz * fz > limit * limit:
        return 0.0, 0.0
    return stiffness, damping


@part
def load_point(machine, data, point, t, what):
    """Forces of one point that touches; at the end of a step also what is kept of it."""
    tables, memory, body_w = machine.contact, data.contact_memory, data.body_w
    A, B = tables.shape[point.a], tables.shape[point.b]
    law, a, b = tables.law[A.material, B.material], A.row, B.row
    p, n, d = point.position, point.normal, -point.gap
    keep = what in (ADVANCE, START)

    # velocity of B against A at the point
    ax, ay, az = velocity_at(body_w, a, p[0], p[1], p[2])
    bx, by, bz = velocity_at(body_w, b, p[0], p[1], p[2])
    if A.wheel > 0:
        sx, sy, sz = surface_speed(machine, data, A, t, p[0], p[1], p[2])
        ax, ay, az = ax + sx, ay + sy, az + sz
    if B.wheel > 0:
        sx, sy, sz = surface_speed(machine, data, B, t, p[0], p[1], p[2])
        bx, by, bz = bx + sx, by + sy, bz + sz
    along, ux, uy, uz = laws.across(bx - ax, by - ay, bz - az, n)

    # along the normal
    radius = laws.effective_radius(A.curvature, B.curvature)
    k, mass = laws.stiffness_of(law, radius), 1.0 / (1.0 / A.mass + 1.0 / B.mass)
    speed = point.speed if point.sticking != 0 else laws.first_speed(k, mass, d, -along, law.damping)
    force = laws.normal_force(k, mass, d, -along, speed, law.damping, law.damping_ratio)

    # across it
    stiffness, damping = laws.tangential_terms(k, mass, d)
    sx, sy, sz = elongation(machine, data, point, A, B, t)
    limit = law.friction * force
    fx, fy, fz = laws.limited_spring(stiffness, damping, sx, sy, sz, ux, uy, uz, limit)
    fx, fy, fz = fx + force * n[0], fy + force * n[1], fz + force * n[2]
    tx, ty, tz = 0.0, 0.0, 0.0
    if law.rolling > 0.0 or law.torsion > 0.0:
        tx, ty, tz = rolling_torque(point, law, a, b, body_w, stiffness, damping, radius, force, keep)

    # of the moments about the axles of wheels, which do not go to their carriers
    gx, gy, gz = -tx, -ty, -tz
    if A.wheel > 0:
        torque, ax, ay, az = moment_about_axle(machine, data, A, p, -fx, -fy, -fz)
        gx, gy, gz = gx - torque * ax, gy - torque * ay, gz - torque * az
        if keep:
            note_torque(machine, data, A, p, n, torque, *firmness(stiffness, damping, sx, sy, sz, ux, uy, uz, limit))
    if B.wheel > 0:
        torque, ax, ay, az = moment_about_axle(machine, data, B, p, fx, fy, fz)
        tx, ty, tz = tx - torque * ax, ty - torque * ay, tz - torque * az
        if keep:
            note_torque(machine, data, B, p, n, torque, *firmness(stiffness, damping, sx, sy, sz, ux, uy, uz, limit))
    if what == ADD_WRENCHES:
        rx, ry, rz = p[0] - body_w[a, P_WB], p[1] - body_w[a, P_WB + 1], p[2] - body_w[a, P_WB + 2]
        add_wrench(a, rx, ry, rz, gx, gy, gz, -fx, -fy, -fz, body_w)
        rx, ry, rz = p[0] - body_w[b, P_WB], p[1] - body_w[b, P_WB + 1], p[2] - body_w[b, P_WB + 2]
        add_wrench(b, rx, ry, rz, tx, ty, tz, fx, fy, fz, body_w)
        return
    if force > 0.0:
        memory.measured[0] += 1.0
        measure_force(memory, body_w, point.a, a, p, gx, gy, gz, -fx, -fy, -fz)
        measure_force(memory, body_w, point.b, b, p, tx, ty, tz, fx, fy, fz)
    if keep:
        half = 0.5 * laws.share_within(stiffness * sx, stiffness * sy, stiffness * sz, limit)
        put_anchor(machine, data, A, point.anchor_a, t, p[0] - half * sx, p[1] - half * sy, p[2] - half * sz)
        put_anchor(machine, data, B, point.anchor_b, t, p[0] + half * sx, p[1] + half * sy, p[2] + half * sz)
        point.force[0], point.force[1], point.force[2] = fx, fy, fz
        point.speed, point.sticking = speed, 1
        if what == ADVANCE:
            damping = laws.damping_of(k, mass, d, speed, law.damping, law.damping_ratio) if force > 0.0 else 0.0
            note_point(machine, data, point, k, damping * k * d * math.sqrt(d), t, -along)


@block
def look_ahead(machine, data):
    """Shorten `ahead` so that no shapes enter each other by more than a share of their size in it.

    Returns a result code.
    """
    memory, shape = data.contact_memory, machine.contact.shape
    code, g = CONTACTS_FULL, machine.body_f[0, GRAVITY : GRAVITY + 3]
    fall = math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])  # twice that of one body in time^2 / 2
    for _ in range(HALVINGS):
        code = find_contacts(machine, data, memory.ahead[0], fall_of(machine, memory.ahead[0]))
        if code != CONTACTS_FULL:
            break
        memory.ahead[0] *= 0.5
    if code != OK:
        return code
    for k in range(memory.count[0]):
        point = memory.near[k]
        A, B, p = shape[point.a], shape[point.b], point.position
        ax, ay, az = velocity_at(data.body_w, A.row, p[0], p[1], p[2])
        bx, by, bz = velocity_at(data.body_w, B.row, p[0], p[1], p[2])
        along, _, _, _ = laws.across(bx - ax, by - ay, bz - az, point.normal)
        way, rate = max(point.gap, 0.0) + ENTRY * min(A.curvature, B.curvature), max(-along, 0.0)
        if rate == 0.0 and point.gap <= 0.0:
            continue
        pull = fall if point.gap > 0.0 else 0.0
        # rate h + pull h^2 = way
        root = rate + math.sqrt(rate * rate + 4.0 * pull * way)
        if root * memory.ahead[0] > 2.0 * way:
            memory.ahead[0] = 2.0 * way / root
    return OK


@block
def look_back(machine, data, t, what):
    """STAND, PASSES: where the shapes are now, against the end of the last step. Returns a result code."""
    shape_poses(machine.contact.shape, data.body_w, data.contact_memory.pose)
    if what == STAND:
        stand(data, t)
        return OK
    return CONTACT_PASSED if look_for_passages(machine, data, t, True) else OK


@part
def answer(machine, data, t, what):
    """LINEARISE, JUMPS: of the points at the state that was evaluated last. Returns a result code."""
    memory = data.penalty_memory
    if what == LINEARISE:
        linearise_contact(machine, data, t)
    else:
        memory.rough[0] = 1.0 if forces_jump(machine, data, memory.weight[0]) else 0.0
    return OK


@part
def evaluate(machine, data, t, what):
    """ADD_WRENCHES, ADVANCE, START, MEASURE. Returns a result code."""
    memory = data.contact_memory
    if what == START:
        memory.head[0].points = 0
    code = find_contacts(machine, data, 0.0, 0.0)
    if code != OK:
        return code
    if what == ADVANCE:
        look_for_passages(machine, data, t, False)
    if what != ADD_WRENCHES:
        begin_measure(memory)
    if what in (ADVANCE, START):
        forget_torques(machine, data)
    for k in range(memory.count[0]):
        point = memory.near[k]
        if what != ADD_WRENCHES:
            measure_gap(memory, point.gap)
        if point.gap < 0.0:
            load_point(machine, data, point, t, what)
        elif what != MEASURE:
            point.sticking, point.speed = 0, 0.0
            for i in range(3):
                point.force[i], point.anchor_a[i], point.anchor_b[i] = 0.0, 0.0, 0.0
    press_soil(machine, data, t, what)
    if what in (ADVANCE, START):
        keep_contacts(memory, t)
        stand(data, t)
    return OK


@kernel(PENALTY)
def penalty(machine, data, t, q, v, what):
    """As `PENALTY` says; after `positions` and `velocities`. Returns a result code."""
    if what == LOOK_AHEAD:
        return look_ahead(machine, data)
    if what in (STAND, PASSES):
        return look_back(machine, data, t, what)
    if what in (LINEARISE, JUMPS):
        return answer(machine, data, t, what)
    return evaluate(machine, data, t, what)


@kernel(types.int64(machine_type, data_type, types.float64, types.float64[::1], types.int64))
def penalty_at(machine, data, t, y, what):
    """The penalty law from Python, with the bodies at y. Returns a result code."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v = y[:nq], y[nq : nq + nv]
    place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    return call_at(machine.penalty, machine, data, t, q, v, what)
