"""From the poses of bodies to contact points: boxes, candidate pairs, points; each goes on as the one it was before."""

import math

from gori.kernels.codes import CONTACTS_FULL, OK
from gori.kernels.contact.broad import candidate_pairs
from gori.kernels.contact.memory import MARGIN
from gori.kernels.contact.narrow.axes import apart_along, keep_axes, note_axis, remembered, worth_an_axis
from gori.kernels.contact.narrow.pairs import collide
from gori.kernels.contact.poses import shape_boxes, shape_poses
from gori.kernels.contact.tables import GROUND, SPHERE
from gori.kernels.contact.terrain.walls import OF_WALLS
from gori.kernels.jit import block, part, present
from gori.kernels.tree.columns import GRAVITY, OMEGA, P_BF, P_WB, VEL
from gori.kernels.tree.kinematics import cross, velocities

FALLS = 1.0
"""ways of a fall from rest over a step, by which bodies may come nearer than their velocities say"""
ONE_NORMAL = 0.999
"""cosine of the angle between normals up to which they are those of one face"""


@part
def fall_of(machine, h):
    """Way over which gravity brings bodies together in a step, with some room [m]."""
    g = machine.body_f[0, GRAVITY : GRAVITY + 3]
    return FALLS * h * h * math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])


@part
def velocity_at(body_w, i, x, y, z):
    """Velocity of a point of the world that moves with the body of row i [m/s]."""
    ux, uy, uz = cross(
        body_w[i, OMEGA], body_w[i, OMEGA + 1], body_w[i, OMEGA + 2],
        x - body_w[i, P_WB], y - body_w[i, P_WB + 1], z - body_w[i, P_WB + 2],
    )  # fmt: skip
    return ux + body_w[i, VEL], uy + body_w[i, VEL + 1], uz + body_w[i, VEL + 2]


@part
def approach(A, B, pose_b, body_w):
    """Speed with which shape B may come nearer to A in a step [m/s]: that of the fastest point of B, seen from A; or
    that of either if the other one is stopped.
    """
    x, y, z = pose_b[P_BF], pose_b[P_BF + 1], pose_b[P_BF + 2]
    ax, ay, az = velocity_at(body_w, A.row, x, y, z)
    bx, by, bz = velocity_at(body_w, B.row, x, y, z)
    speed = max(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz)
    speed = math.sqrt(max(speed, (bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2))
    if B.kind == SPHERE:
        return speed
    wx = body_w[B.row, OMEGA] - body_w[A.row, OMEGA]
    wy = body_w[B.row, OMEGA + 1] - body_w[A.row, OMEGA + 1]
    wz = body_w[B.row, OMEGA + 2] - body_w[A.row, OMEGA + 2]
    far = math.sqrt(B.half[0] ** 2 + B.half[1] ** 2 + B.half[2] ** 2)
    return speed + far * math.sqrt(wx * wx + wy * wy + wz * wz)


@part
def reach_of(A, B, pose_a, pose_b, body_w, h, fall):
    """Gap up to which points of a pair of shapes may touch within a step [m]."""
    if A.kind == SPHERE or math.isinf(B.half[0]):
        speed = approach(B, A, pose_a, body_w)
    else:
        speed = approach(A, B, pose_b, body_w)
    return h * speed + fall + MARGIN * min(A.curvature, B.curvature)


@part
def list_kept(memory):
    """Kept points in a list for each shape A."""
    head, point, newest, older = memory.head[0], memory.point, memory.newest, memory.older
    for s in range(newest.shape[0]):
        newest[s] = -1
    for k in range(head.points):
        older[k] = newest[point[k].a]
        newest[point[k].a] = k


@part
def same_kept(memory, a, b, feature):
    """Index of the kept point with the same id, or -1."""
    k = memory.newest[a]
    while k >= 0:
        old = memory.point[k]
        if old.b == b and old.feature == feature:
            return k
        k = memory.older[k]
    return -1


@part
def list_features(memory, a, b, features):
    """Features of the kept points of a pair, behind their number."""
    features[0] = 0
    k = memory.newest[a]
    while k >= 0:
        if memory.point[k].b == b and features[0] + 1 < features.shape[0]:
            features[0] += 1
            features[features[0]] = memory.point[k].feature
        k = memory.older[k]


@part
def on_face(found, count, near):
    """Whether a face lies on another: three or more points nearer than `near` [m], with one normal."""
    first, touching = -1, 0
    for k in range(count):
        if found[k].gap < near:
            first = k if first < 0 else first
            n, m = found[first].normal, found[k].normal
            if n[0] * m[0] + n[1] * m[1] + n[2] * m[2] > ONE_NORMAL:
                touching += 1
    return 1 if touching > 2 else 0


@part
def take_over(point, memory, a, b, found, face):
    """Fill a point from what was found, with force and anchors of the kept one of the same id."""
    point.on_face = face
    k = same_kept(memory, a, b, found.feature)
    if k >= 0:
        kept = memory.point[k]
        for i in range(3):
            point.force[i], point.slip[i] = kept.force[i], kept.slip[i]
            point.torque[i], point.turn[i] = kept.torque[i], kept.turn[i]
            point.anchor_a[i], point.anchor_b[i] = kept.anchor_a[i], kept.anchor_b[i]
        for i in range(9):
            point.orientation[i] = kept.orientation[i]
        point.sticking, point.speed = kept.sticking, kept.speed
    else:
        for i in range(3):
            point.force[i], point.slip[i], point.anchor_a[i], point.anchor_b[i] = 0.0, 0.0, 0.0, 0.0
            point.torque[i], point.turn[i] = 0.0, 0.0
        for i in range(9):
            point.orientation[i] = 0.0
        point.sticking, point.speed = 0, 0.0
    point.a, point.b, point.feature, point.gap = a, b, found.feature, found.gap
    for i in range(3):
        point.position[i], point.normal[i] = found.position[i], found.normal[i]


@part
def in_soil(soil, x0, y0, x1, y1):
    """Whether a rectangle is inside the grid of soft soil."""
    return (
        x0 >= soil.x0 and y0 >= soil.y0 and x1 <= soil.x0 + soil.nx * soil.cell and y1 <= soil.y0 + soil.ny * soil.cell
    )


@part
def leave_soil(soil, found, count):
    """Contact points on the terrain without those that soft soil bears (`soil.py`); returns their number."""
    kept = 0
    for k in range(count):
        p = found[k].position
        if found[k].feature >= OF_WALLS or not in_soil(soil, p[0], p[1], p[0], p[1]):
            if kept < k:
                found[kept] = found[k]
            kept += 1
    return kept


@block
def find_contacts(machine, data, h, fall):
    """Points that may touch within a step of length h into `near`; what is kept does not change.

    fall   way by which bodies may come nearer than their velocities say [m]

    After `positions` and `velocities`. Returns a result code.
    """
    tables, memory = machine.contact, data.contact_memory
    found, count = memory.found, memory.count
    count[0] = 0
    shape_poses(tables.shape, data.body_w, memory.pose)
    shape_boxes(tables.shape, memory.pose, data.body_w, fall + memory.margin[0], h, memory.box)
    count[1] = candidate_pairs(tables, memory.pose, memory.box, memory.broad, memory.pairs)
    if count[1] > memory.pairs.shape[0]:
        return CONTACTS_FULL
    list_kept(memory)
    noted = 0
    for p in range(count[1]):
        a, b = memory.pairs[p, 0], memory.pairs[p, 1]
        A, B = tables.shape[a], tables.shape[b]
        pose_a, pose_b, axis = memory.pose[a], memory.pose[b], memory.axis[p]
        reach = reach_of(A, B, pose_a, pose_b, data.body_w, h, fall)
        slow, axis[0], axis[1], axis[2] = worth_an_axis(A, B), 0.0, 0.0, 0.0
        if slow:
            noted = remembered(memory, a, b, noted)
            known = noted < memory.pairs_noted[0] and memory.pairs_before[noted, 0] == a
            if known and memory.pairs_before[noted, 1] == b:
                old = memory.axis_before[noted]
                if apart_along(A, B, pose_a, pose_b, tables.vertex, old[0], old[1], old[2], reach):
                    axis[0], axis[1], axis[2] = old[0], old[1], old[2]
                    continue
        soft = B.kind == GROUND and present(machine.penalty) and memory.narrow.cells.shape[0] > 0
        if soft and tables.feature.shape[0] == 0:
            box = memory.box[a]
            if in_soil(tables.soil[0], box[0], box[1], box[3], box[4]):
                continue
        list_features(memory, a, b, memory.narrow.kept)
        more = collide(A, B, pose_a, pose_b, tables, reach, memory.narrow, found)
        if soft:
            more = leave_soil(tables.soil[0], found, more)
        if slow and more == 0:
            note_axis(A, B, pose_a, pose_b, memory.narrow.answer[0], axis)
        if count[0] + more > memory.near.shape[0]:
            return CONTACTS_FULL
        face = on_face(found, more, MARGIN * min(A.curvature, B.curvature))
        for k in range(more):
            take_over(memory.near[count[0] + k], memory, a, b, found[k], face)
        count[0] += more
    keep_axes(memory, count[1])
    return OK


@part
def keep_contacts(memory, t):
    """Points that are near become the kept ones; the deepest of all is noted with its time."""
    head, near, point = memory.head[0], memory.near, memory.point
    head.points, head.pairs = memory.count[0], memory.count[1]
    for k in range(head.points):
        point[k] = near[k]
        if point[k].gap < -head.deepest:
            head.deepest, head.deepest_time = -point[k].gap, t
            head.deepest_a, head.deepest_b = point[k].a, point[k].b


@part
def farthest_out(shape, box, reached):
    """By how much a shape that moves leaves its box, at most; negative: by how much all stay within [m]."""
    out = -math.inf
    for s in range(shape.shape[0]):
        if shape[s].row > 0 and shape[s].half[0] < math.inf:
            for k in range(3):
                out = max(out, box[s, k] - reached[s, k], reached[s, 3 + k] - box[s, 3 + k])
    return out


@part
def slack_of(machine, memory, h):
    """Way by which bodies may leave that of their velocities in a `calm` step [m]; never more than a fall."""
    return min(memory.margin[2], max(fall_of(machine, h), 0.5 * memory.margin[0]))


@part
def stray_of(memory, calm, slack):
    """Way by which bodies may leave the boxes that were searched [m]: that which the thinnest can bear; in a calm step,
    whose boxes are larger by slack and margin, half of the slack.
    """
    return -0.5 * slack - memory.margin[0] if calm else memory.margin[1]


@block
def leaves_boxes(machine, data, v, h, limit):
    """Whether a body moves out of the box that was searched by more than a limit [m] with the velocities v (nv,) in a
    step of length h.
    """
    memory, shape = data.contact_memory, machine.contact.shape
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    shape_boxes(shape, memory.pose, data.body_w, 0.0, h, memory.reached)
    return farthest_out(shape, memory.box, memory.reached) > limit


@block
def is_calm(machine, data, v, h):
    """Whether bodies stay so near to where the velocities v (nv,) before a step would have brought them, that these are
    enough to look for contacts; after `leaves_boxes`.
    """
    memory, shape = data.contact_memory, machine.contact.shape
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    shape_boxes(shape, memory.pose, data.body_w, 0.0, h, memory.box)
    return farthest_out(shape, memory.box, memory.reached) <= 0.5 * slack_of(machine, memory, h)
