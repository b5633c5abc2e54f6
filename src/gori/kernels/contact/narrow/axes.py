"""Axes that separate pairs of shapes, remembered from step to step.

Most candidate pairs of hulls stay apart for long. Along a direction n from A to B their cores are apart by

    min over B of n.p  -  max over A of n.p

which is two support points, where the narrow phase takes ten to twenty. So the normal along which a pair was found
apart is tried first. It never decides more than the narrow phase would: where the shapes are apart along n by more than
the reach, there is no point either way. It is work, not state.
"""

from gori.kernels.contact.narrow.frames import placed, turned, turned_back
from gori.kernels.contact.narrow.support import support
from gori.kernels.contact.tables import BOX, CONVEX
from gori.kernels.jit import part


@part
def worth_an_axis(a, b):
    """Whether the narrow phase of a pair is slow: convex shapes, of which one is no sphere, capsule or box."""
    return a.kind < CONVEX and b.kind < CONVEX and max(a.kind, b.kind) > BOX


@part
def extent_along(shape, pose, nx, ny, nz):
    """Half of the length along n of the box about a shape [m]."""
    dx, dy, dz = turned_back(pose, nx, ny, nz)
    return abs(dx) * shape.half[0] + abs(dy) * shape.half[1] + abs(dz) * shape.half[2]


@part
def apart_along(a, b, pose_a, pose_b, vertex, nx, ny, nz, reach):
    """Whether two shapes are apart by at least the reach [m] along the unit vector n from A to B, world axes."""
    middle = nx * (pose_b[9] - pose_a[9]) + ny * (pose_b[10] - pose_a[10]) + nz * (pose_b[11] - pose_a[11])
    boxes = middle - extent_along(a, pose_a, nx, ny, nz) - extent_along(b, pose_b, nx, ny, nz)
    return boxes >= reach or gap_along(a, b, pose_a, pose_b, vertex, nx, ny, nz) >= reach


@part
def gap_along(a, b, pose_a, pose_b, vertex, nx, ny, nz):
    """How far B is from A along the unit vector n from A to B, world axes [m]; the gap is at least that."""
    dx, dy, dz = turned_back(pose_a, nx, ny, nz)
    x, y, z = support(a, vertex, dx, dy, dz)
    ax, ay, az = placed(pose_a, x, y, z)
    dx, dy, dz = turned_back(pose_b, -nx, -ny, -nz)
    x, y, z = support(b, vertex, dx, dy, dz)
    bx, by, bz = placed(pose_b, x, y, z)
    return nx * (bx - ax) + ny * (by - ay) + nz * (bz - az) - a.radius - b.radius


@part
def note_axis(a, b, pose_a, pose_b, answer, axis):
    """The normal with which the narrow phase has ended, from A to B in world axes; it orders shapes by their kinds."""
    if a.kind <= b.kind:
        axis[0], axis[1], axis[2] = turned(pose_a, answer.nx, answer.ny, answer.nz)
    else:
        axis[0], axis[1], axis[2] = turned(pose_b, -answer.nx, -answer.ny, -answer.nz)


@part
def remembered(memory, a, b, at):
    """Where the pair stands in the list of the step before, from `at` on, or the first one behind it; sorted pairs."""
    pairs, count = memory.pairs_before, memory.pairs_noted[0]
    while at < count and (pairs[at, 0] < a or (pairs[at, 0] == a and pairs[at, 1] < b)):
        at += 1
    return at


@part
def keep_axes(memory, count):
    """The pairs and axes of this step are those before the next."""
    for p in range(count):
        memory.pairs_before[p, 0], memory.pairs_before[p, 1] = memory.pairs[p, 0], memory.pairs[p, 1]
        for i in range(3):
            memory.axis_before[p, i] = memory.axis[p, i]
    memory.pairs_noted[0] = count
