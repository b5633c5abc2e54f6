"""The springs of the penalty law across the normal and for rotations: between anchors on both bodies.

They are kept with a point (`memory.py`): both anchors, and the orientation in which rolling springs are relaxed.
"""

from gori.kernels.contact import law as laws
from gori.kernels.contact.turning import anchor_at
from gori.kernels.forces.elements import turn_back_rows, turn_rows
from gori.kernels.jit import part
from gori.kernels.tree.columns import OMEGA, P_WB, R_WB


@part
def elongation(machine, data, point, A, B, t):
    """s [m]: from the anchor on A to that on B, across the normal, world axes."""
    if point.sticking == 0:
        return 0.0, 0.0, 0.0
    body_w, row_a, row_b = data.body_w, A.row, B.row
    ax, ay, az = anchor_at(machine, data, A, point.anchor_a, t)
    bx, by, bz = anchor_at(machine, data, B, point.anchor_b, t)
    _, sx, sy, sz = laws.across(
        bx + body_w[row_b, P_WB] - ax - body_w[row_a, P_WB],
        by + body_w[row_b, P_WB + 1] - ay - body_w[row_a, P_WB + 1],
        bz + body_w[row_b, P_WB + 2] - az - body_w[row_a, P_WB + 2],
        point.normal,
    )
    return sx, sy, sz


@part
def relative_entry(body_w, a, b, i, j):
    """Entry i, j of the rotation of row b seen from row a."""
    total = 0.0
    for k in range(3):
        total += body_w[a, R_WB + 3 * k + i] * body_w[b, R_WB + 3 * k + j]
    return total


@part
def rotation_since(point, a, b, body_w):
    """Rotation of B against A [rad] since the rolling springs were relaxed, small, world axes."""
    if point.sticking == 0:
        return 0.0, 0.0, 0.0
    old = point.orientation
    x, y, z = 0.0, 0.0, 0.0
    for k in range(3):
        r0, r1 = relative_entry(body_w, a, b, 0, k), relative_entry(body_w, a, b, 1, k)
        r2 = relative_entry(body_w, a, b, 2, k)
        x += 0.5 * (r2 * old[3 + k] - r1 * old[6 + k])
        y += 0.5 * (r0 * old[6 + k] - r2 * old[k])
        z += 0.5 * (r1 * old[k] - r0 * old[3 + k])
    return turn_rows(body_w[a, R_WB : R_WB + 9], x, y, z)


@part
def relax(point, a, b, body_w, x, y, z):
    """The orientation in which rolling springs are relaxed, if they are turned by (x, y, z) [rad] now."""
    x, y, z = turn_back_rows(body_w[a, R_WB : R_WB + 9], x, y, z)
    square = 0.5 * (x * x + y * y + z * z)
    for k in range(3):
        r0, r1 = relative_entry(body_w, a, b, 0, k), relative_entry(body_w, a, b, 1, k)
        r2 = relative_entry(body_w, a, b, 2, k)
        along = 0.5 * (x * r0 + y * r1 + z * r2)  # exp(-turn) to second order: the turn is that of springs
        point.orientation[k] = (1.0 - square) * r0 + along * x - (y * r2 - z * r1)
        point.orientation[3 + k] = (1.0 - square) * r1 + along * y - (z * r0 - x * r2)
        point.orientation[6 + k] = (1.0 - square) * r2 + along * z - (x * r1 - y * r0)


@part
def rolling_torque(point, law, a, b, body_w, stiffness, damping, radius, force, keep):
    """Torque on B [N m] of rolling and torsional friction, world axes; keep: and take relaxed springs along."""
    n = point.normal
    x, y, z = rotation_since(point, a, b, body_w)
    turned, x, y, z = laws.across(x, y, z, n)
    spin, wx, wy, wz = laws.across(
        body_w[b, OMEGA] - body_w[a, OMEGA], body_w[b, OMEGA + 1] - body_w[a, OMEGA + 1],
        body_w[b, OMEGA + 2] - body_w[a, OMEGA + 2], n,
    )  # fmt: skip
    k, c = stiffness * radius * radius, damping * radius * radius
    rolls, turns = law.rolling * radius * force, law.torsion * radius * force
    tx, ty, tz = laws.limited_spring(k, c, x, y, z, wx, wy, wz, rolls)
    twist = min(max(-k * turned - c * spin, -turns), turns)
    if keep:
        share, own = laws.share_within(k * x, k * y, k * z, rolls), laws.share_within(k * turned, 0.0, 0.0, turns)
        if share < 1.0 or own < 1.0 or point.sticking == 0:
            turned *= own
            relax(point, a, b, body_w, share * x + turned * n[0], share * y + turned * n[1], share * z + turned * n[2])
    return tx + twist * n[0], ty + twist * n[1], tz + twist * n[2]
