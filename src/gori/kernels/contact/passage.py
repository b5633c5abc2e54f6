"""Whether a body has gone through a thin one in a step: both are moved from where they were to where they are.

On the way, straight and at constant speed, two convex shapes first touch where steps of their gap over the speed limit
of their points lead (conservative advancement: Mirtich 1996; Ericson 2005, section 9.5). If the normal there and that
at the end of the way are opposite to each other, seen from A, B has come out on the other side: it went through, or is
so deep inside that it will be pushed out there. A body that turns back within a step does not touch on that way: so
the way that the velocities lead to in another step is looked at too, and how much of it goes into the other body.

Only bodies that come farther in a step than half of the smallest thickness of the pair are looked at. Planes, the
terrain and hollow shapes have no other side.
"""

import math

from gori.kernels.contact.broad import is_excluded
from gori.kernels.contact.find import velocity_at
from gori.kernels.contact.narrow.pairs import collide
from gori.kernels.contact.penalty_memory import FAR, PASSED
from gori.kernels.contact.tables import CONVEX, SPHERE
from gori.kernels.contact.watch import note, thickness
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import OMEGA, P_BF
from gori.kernels.tree.kinematics import cross

TOUCHING = 0.02
"""gap by half of the smallest thickness at which shapes touch on their way"""
ADVANCES = 60
"""steps on the way at most: those that slide along each other take many, and do not go through"""
FURTHER = 1.2
"""by how much a point on a turning body may go farther than the straight line between its ends"""


@part
def corner(shape):
    """Half of the diagonal of a shape [m]."""
    return math.sqrt(shape.half[0] ** 2 + shape.half[1] ** 2 + shape.half[2] ** 2)


@part
def way_of(shape, before, now):
    """How far any point of a shape has come at most [m]."""
    x, y, z = now[P_BF] - before[P_BF], now[P_BF + 1] - before[P_BF + 1], now[P_BF + 2] - before[P_BF + 2]
    turned = 0.0
    if shape.kind != SPHERE:
        for k in range(9):
            turned += (now[k] - before[k]) ** 2
    return math.sqrt(x * x + y * y + z * z) + FURTHER * corner(shape) * math.sqrt(0.5 * turned)


@part
def pose_between(before, now, share, out):
    """Pose (12,) at a share of the way; rotations by straight lines, made orthonormal."""
    for k in range(12):
        out[k] = before[k] + share * (now[k] - before[k])
    size = 1.0 / math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])
    for k in range(3):
        out[k] *= size
    along = out[0] * out[3] + out[1] * out[4] + out[2] * out[5]
    for k in range(3):
        out[3 + k] -= along * out[k]
    size = 1.0 / math.sqrt(out[3] * out[3] + out[4] * out[4] + out[5] * out[5])
    for k in range(3):
        out[3 + k] *= size
    out[6], out[7], out[8] = cross(out[0], out[1], out[2], out[3], out[4], out[5])


@part
def pose_ahead(body_w, row, pose, h, out):
    """Pose (12,) to which the present velocities lead in a step."""
    x, y, z = velocity_at(body_w, row, pose[P_BF], pose[P_BF + 1], pose[P_BF + 2])
    out[P_BF], out[P_BF + 1], out[P_BF + 2] = pose[P_BF] + h * x, pose[P_BF + 1] + h * y, pose[P_BF + 2] + h * z
    wx, wy, wz = body_w[row, OMEGA], body_w[row, OMEGA + 1], body_w[row, OMEGA + 2]
    angle = h * math.sqrt(wx * wx + wy * wy + wz * wz)
    h *= 1.0 / max(1.0, angle)  # by one radian at most
    for j in range(3):
        x, y, z = cross(wx, wy, wz, pose[j], pose[3 + j], pose[6 + j])
        out[j], out[3 + j], out[6 + j] = pose[j] + h * x, pose[3 + j] + h * y, pose[6 + j] + h * z


@part
def nearest(machine, data, a, b, reach):
    """Index of the nearest point of two shapes, where they are in `between`, or -1 if they are farther apart."""
    memory, tables, between = data.contact_memory, machine.contact, data.penalty_memory.between
    memory.narrow.kept[0] = 0
    count = collide(
        tables.shape[a], tables.shape[b], between[0], between[1], tables, reach, memory.narrow, memory.found
    )
    best = -1
    for k in range(count):
        if best < 0 or memory.found[k].gap < memory.found[best].gap:
            best = k
    return best


@part
def normal_from(pose, n):
    """A vector of the world in the axes of a pose."""
    return (
        pose[0] * n[0] + pose[3] * n[1] + pose[6] * n[2],
        pose[1] * n[0] + pose[4] * n[1] + pose[7] * n[2],
        pose[2] * n[0] + pose[5] * n[1] + pose[8] * n[2],
    )  # fmt: skip


@block
def first_touch(machine, data, a, b, before_a, before_b, far, close):
    """Share of the way at which two shapes first touch, and which of the points found; or 2 and -1.

    before_a, before_b   poses at its beginning; those at its end are rows 2 and 3 of `between`
    far                  that any of their points come nearer on it [m]
    close                gap at which they touch [m]
    """
    between, share = data.penalty_memory.between, 0.0
    for _ in range(ADVANCES):
        pose_between(before_a, between[2], share, between[0])
        pose_between(before_b, between[3], share, between[1])
        best = nearest(machine, data, a, b, (1.0 - share) * far + close)
        if best < 0:
            break
        gap = data.contact_memory.found[best].gap
        if gap <= close:
            return share, best
        share += gap / far
        if share >= 1.0:
            break
    return 2.0, -1


@block
def went_through(machine, data, a, b, before_a, before_b, far, close):
    """1: B has gone through A on its way, from outside; 2: it was inside before; 0: neither. And along which normal."""
    between, found = data.penalty_memory.between, data.contact_memory.found
    share, best = first_touch(machine, data, a, b, before_a, before_b, far, close)
    if best < 0:
        return 0, 0.0, 0.0, 0.0
    nx, ny, nz = found[best].normal[0], found[best].normal[1], found[best].normal[2]
    x, y, z = normal_from(between[0], found[best].normal)
    for k in range(12):
        between[0, k], between[1, k] = between[2, k], between[3, k]
    best = nearest(machine, data, a, b, far + close)
    if best < 0:
        return 0, nx, ny, nz
    u, v, w = normal_from(between[0], found[best].normal)
    if x * u + y * v + z * w >= 0.0:
        return 0, nx, ny, nz
    return 1 if share > 0.0 else 2, nx, ny, nz


@part
def may_meet(machine, data, a, b, far):
    """Whether two shapes are so near to each other, on the way of a step, that it is worth a look."""
    tables, pose = machine.contact, data.contact_memory.pose
    A, B = tables.shape[a], tables.shape[b]
    if A.row == B.row or tables.law[A.material, B.material].touches == 0:
        return False
    x, y, z = (
        pose[a, P_BF] - pose[b, P_BF],
        pose[a, P_BF + 1] - pose[b, P_BF + 1],
        pose[a, P_BF + 2] - pose[b, P_BF + 2],
    )
    near = corner(A) + corner(B) + 2.0 * far
    return x * x + y * y + z * z < near * near and not is_excluded(tables.excluded, a * tables.shape.shape[0] + b)


@part
def look_at_pair(machine, data, a, b, far, thin, t, asking):
    """Note a pair that has gone through each other, or is about to; asking: only say whether it has, from outside."""
    memory, pose, shape = data.penalty_memory, data.contact_memory.pose, machine.contact.shape
    before, between, h, close = memory.before, memory.between, t - memory.time[0], TOUCHING * thin
    for k in range(12):
        between[2, k], between[3, k] = pose[a, k], pose[b, k]
    through, nx, ny, nz = went_through(machine, data, a, b, before[a], before[b], far, close)
    if asking:
        return through == 1
    if through > 0:
        speed = 0.0
        for k in range(3):
            n = nx if k == 0 else ny if k == 1 else nz
            speed -= n * (pose[b, P_BF + k] - before[b, P_BF + k] - pose[a, P_BF + k] + before[a, P_BF + k]) / h
        note(memory, PASSED, 1.0, t, speed, a, b)
        return True
    pose_ahead(data.body_w, shape[a].row, pose[a], h, between[2])
    pose_ahead(data.body_w, shape[b].row, pose[b], h, between[3])
    ahead = way_of(shape[a], pose[a], between[2]) + way_of(shape[b], pose[b], between[3])
    _, best = first_touch(machine, data, a, b, pose[a], pose[b], ahead, close)
    if best >= 0:
        p, n = data.contact_memory.found[best].position, data.contact_memory.found[best].normal
        ax, ay, az = velocity_at(data.body_w, shape[a].row, p[0], p[1], p[2])
        bx, by, bz = velocity_at(data.body_w, shape[b].row, p[0], p[1], p[2])
        speed = n[0] * (ax - bx) + n[1] * (ay - by) + n[2] * (az - bz)
        note(memory, FAR, h * speed / thin, t, speed, a, b)
    return False


@block
def look_for_passages(machine, data, t, asking):
    """Note pairs that have gone through each other since the end of the last step, or are about to, at the time t; or
    only say whether any has, from outside. After `shape_poses`; `stand` then makes these poses those of the last step.
    """
    memory, pose, shape = data.penalty_memory, data.contact_memory.pose, machine.contact.shape
    n, most, thinnest, passed = shape.shape[0], 0.0, math.inf, False
    for s in range(n):
        memory.way[s] = 0.0
        if shape[s].kind < CONVEX:
            thinnest = min(thinnest, thickness(shape[s]))
            if shape[s].row > 0:
                memory.way[s] = way_of(shape[s], memory.before[s], pose[s])
                most = max(most, memory.way[s])
    if not (2.0 * most > thinnest and t > memory.time[0]):
        return False
    for a in range(n):
        for b in range(a + 1, n):
            far = memory.way[a] + memory.way[b]
            if far <= thinnest or shape[a].kind >= CONVEX or shape[b].kind >= CONVEX:
                continue
            thin = min(thickness(shape[a]), thickness(shape[b]))
            if far > thin and may_meet(machine, data, a, b, far):
                passed = look_at_pair(machine, data, a, b, far, thin, t, asking) or passed
    return passed


@part
def stand(data, t):
    """The present poses of the shapes are those of the end of the last step, at the time t."""
    memory, pose = data.penalty_memory, data.contact_memory.pose
    for s in range(pose.shape[0]):
        for k in range(12):
            memory.before[s, k] = pose[s, k]
    memory.time[0] = t
