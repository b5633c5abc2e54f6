"""Blows: what keeps a rim from the ground, and from a wall, when the tyre in between has given way.

A wheel that would use up more than half of the gap between its rim and the ground in one step is slowed down to that,
by an impulse f >= 0 along the normal at the end of the step: so the gap at most halves from step to step, whatever
speed and step are. All impulses act at once, G v being the speeds along their normals,

    [M J'; J 0] (dv, .) = (G'f, 0),      G (v + dv) >= -gap / (2 dt)

and f = 0 where that holds anyway: a blow without rebound, which takes kinetic energy and gives none. f is found by
projected Gauss-Seidel iterations (Moreau 1988; Jourdan, Alart and Jean 1998). A blow at one wheel turns the steering:
joints that steer are stopped in the same way at STOP times their travel.
"""

from gori.kernels.jit import block, part
from gori.kernels.tree.columns import ARM, NDOF, PARENT, V0, S
from gori.kernels.tree.crba import mass_entries
from gori.kernels.tree.kinematics import cross, turn

RUBBER = 0.012
"""what stays of a tyre between its rim and the ground [m]"""
SHARE = 0.5
"""of a gap that a step may use up"""
STOP = 1.25
"""how far a steering joint may go, by its travel"""
PASSES = 100


@part
def note_gap(contact, what, gap, rate, nx, ny, nz, rx, ry, rz):
    """Note how a rim comes near to something, if that is the most pressing so far of its kind.

    what   0: the ground, 1: a wall
    gap    between them [m];  rate at which it shrinks [m/s]
    n, r   normal;  from the centre of the wheel to the point that would be met
    """
    gap -= RUBBER
    if rate > 0.0 and rate > contact.haste[what] * max(gap, 1e-9):
        n, r, k = contact.gap_normal, contact.gap_arm, 3 * what
        contact.haste[what], contact.gap[what] = rate / max(gap, 1e-9), gap
        n[k], n[k + 1], n[k + 2] = nx, ny, nz
        r[k], r[k + 1], r[k + 2] = rx, ry, rz


@part
def steering_gap(steer, q, v):
    """Way of a steering joint to its stop [m, rad], its speed towards it, and on which side that is (1, -1)."""
    side = 1.0 if q[steer.coordinate] > 0.0 else -1.0
    return STOP * steer.travel - side * q[steer.coordinate], side * v[steer.dof], side


@part
def pressing(machine, data, q, v, dt):
    """Whether a blow is due."""
    for w in range(machine.wheel.shape[0]):
        haste = data.contact[w].haste
        if max(haste[0], haste[1]) * dt > SHARE:
            return True
    for k in range(machine.steer.shape[0]):
        gap, rate, _ = steering_gap(machine.steer[k], q, v)
        if rate * dt > SHARE * max(gap, 0.0):
            return True
    return False


@part
def lay_direction(machine, data, wheel, contact, what, G):
    """G (nv,): speed of the point of a wheel's carrier along the normal of its gap. The wheel turns about its axle."""
    body_i, body_w, dof_w, row, hub = machine.body_i, data.body_w, data.dof_w, wheel.carrier, wheel.hub
    n, r, a = contact.gap_normal[3 * what : 3 * what + 3], contact.gap_arm[3 * what : 3 * what + 3], contact.axis
    hx, hy, hz = turn(body_w, row, hub[0], hub[1], hub[2])
    rx, ry, rz = hx + r[0], hy + r[1], hz + r[2]
    mx, my, mz = cross(r[0], r[1], r[2], n[0], n[1], n[2])
    about = mx * a[0] + my * a[1] + mz * a[2]
    while row > 0:
        for k in range(body_i[row, V0], body_i[row, V0] + body_i[row, NDOF]):
            sx, sy, sz = dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2]
            tx, ty, tz = cross(sx, sy, sz, rx, ry, rz)
            tx, ty, tz = tx + dof_w[k, S + 3], ty + dof_w[k, S + 4], tz + dof_w[k, S + 5]
            G[k] = tx * n[0] + ty * n[1] + tz * n[2] - about * (sx * a[0] + sy * a[1] + sz * a[2])
        rx, ry, rz = rx + body_w[row, ARM], ry + body_w[row, ARM + 1], rz + body_w[row, ARM + 2]
        row = body_i[row, PARENT]


@part
def lay_equations(machine, data, A):
    """[M J'; J 0] into A, which is zero."""
    nv, work = data.tau.shape[0], data.loops.work
    mass_entries(machine.body_i, machine.body_f, A[:nv, :nv], data.body_w, data.dof_w)
    for c in range(machine.cut.shape[0]):
        cut = machine.cut[c]
        at = cut.jac
        for e in range(cut.first, cut.first + cut.equations):
            for k in range(cut.axes):
                d = machine.path[cut.path + k]
                A[nv + e, d] += work.jac[at + k]
                A[d, nv + e] = A[nv + e, d]
            at += cut.axes


@part
def eliminate(A, n):
    """Solve the first n rows and columns of A for the columns behind them, which become the solutions.

    Gauss and Jordan, with the largest pivot of each column. Equations that say nothing are left out.
    """
    for k in range(n):
        best, largest = k, abs(A[k, k])
        for i in range(k + 1, n):
            if abs(A[i, k]) > largest:
                best, largest = i, abs(A[i, k])
        if not largest > 1e-13:
            continue
        over = 1.0 / A[best, k]
        for j in range(k, A.shape[1]):
            above = A[k, j]
            A[k, j] = A[best, j] * over
            if best != k:
                A[best, j] = above
        for i in range(n):
            factor = A[i, k]
            if i != k and factor != 0.0:
                for j in range(k, A.shape[1]):
                    A[i, j] -= factor * A[k, j]


@block
def strike(machine, data, q, v, dt):
    """Impulses of all blows that are due after a step of dt [s], and the speeds v (nv,) after them."""
    nv, wheels, A, blow = data.tau.shape[0], machine.wheel.shape[0], data.impact, data.blow
    n, count = nv + machine.equation.shape[0], 2 * wheels + machine.steer.shape[0]
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0
    lay_equations(machine, data, A)
    # directions, as rows below the equations and as right-hand sides
    for i in range(count):
        blow[i].struck, blow[i].impulse = 0, 0.0
        if i < 2 * wheels:
            contact, what = data.contact[i // 2], i % 2
            gap = contact.gap[what]
            if contact.haste[what] > 0.0:
                lay_direction(machine, data, machine.wheel[i // 2], contact, what, A[n + i])
                blow[i].struck = 1
        else:
            steer = machine.steer[i - 2 * wheels]
            gap, rate, side = steering_gap(steer, q, v)
            if rate > 0.0:
                A[n + i, steer.dof] = -side
                blow[i].struck = 1
        blow[i].least, blow[i].before = -SHARE * max(gap, 0.0) / dt, 0.0
        for k in range(nv):
            A[k, n + i] = A[n + i, k]
            blow[i].before += A[n + i, k] * v[k]
    eliminate(A, n)
    for _ in range(PASSES):
        for i in range(count):
            if blow[i].struck == 1:
                speed, own = blow[i].before - blow[i].least, 0.0
                for k in range(nv):
                    own += A[n + i, k] * A[k, n + i]
                    for j in range(count):
                        speed += A[n + i, k] * A[k, n + j] * blow[j].impulse
                if own > 0.0:
                    blow[i].impulse = max(0.0, blow[i].impulse - speed / own)
    for i in range(count):
        for k in range(nv):
            v[k] += A[k, n + i] * blow[i].impulse
    # what they took from the bodies belongs to the books of the wheels, and of the run
    for i in range(count):
        after = 0.0
        for k in range(nv):
            after += A[n + i, k] * v[k]
        work = 0.5 * blow[i].impulse * (blow[i].before + after)
        data.struck[0] += work
        if i < 2 * wheels:
            data.wheel[i // 2].work += work
