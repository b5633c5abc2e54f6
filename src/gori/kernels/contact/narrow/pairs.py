"""Contact points of any two shapes: the kernel for each pair of kinds."""

from numba import types

from gori.kernels.contact.narrow.boxes import box_axis
from gori.kernels.contact.narrow.epa import core_depth
from gori.kernels.contact.narrow.frames import relative_pose
from gori.kernels.contact.narrow.gjk import EXACT, FAR, core_distance
from gori.kernels.contact.narrow.inside import inside_wall
from gori.kernels.contact.narrow.manifold import contact_patch
from gori.kernels.contact.narrow.planes import box_plane, capsule_plane, convex_plane, sphere_plane
from gori.kernels.contact.narrow.polish import is_curved
from gori.kernels.contact.narrow.rounded import (
    capsule_capsule,
    sphere_box,
    sphere_capsule,
    sphere_frustum,
    sphere_sphere,
)
from gori.kernels.contact.narrow.work import NarrowWork
from gori.kernels.contact.tables import (
    BOX,
    CAPSULE,
    CONE,
    CONVEX,
    CYLINDER,
    FOUND,
    GROUND,
    PLANE,
    SPHERE,
    ContactTables,
)
from gori.kernels.contact.terrain.ground import convex_ground
from gori.kernels.jit import block, kernel, part


@block
def convex_convex(a, b, pose_a, pose_b, vertex, reach, work, found):
    """Any two convex shapes: the distance or depth of their cores, then the patch of contact."""
    relative_pose(pose_a, pose_b, work.pose_ab)
    limit = reach + a.radius + b.radius
    care = EXACT if is_curved(a) or is_curved(b) else 1.0
    corners = core_distance(a, b, work.pose_ab, vertex, max(limit, 0.0), care, work.simplex, work.answer[0])
    if corners == FAR:
        return 0
    if corners > 0:
        core_depth(a, b, work.pose_ab, vertex, corners, work)
    if work.answer[0].distance >= limit:
        return 0
    return contact_patch(a, b, pose_a, vertex, reach, True, work, found)


@block
def box_box(a, b, pose_a, pose_b, vertex, reach, work, found):
    """Separating axes; where the closest features of two boxes that are apart are vertices, as any convex shapes."""
    relative_pose(pose_a, pose_b, work.pose_ab)
    limit = reach + a.radius + b.radius
    if not box_axis(a, b, work.pose_ab, limit, work.answer[0]):
        return 0
    count = contact_patch(a, b, pose_a, vertex, reach, False, work, found)
    if count < 0:
        return convex_convex(a, b, pose_a, pose_b, vertex, reach, work, found)
    return count


@block
def collide_ordered(a, b, pose_a, pose_b, tables, reach, work, found):
    """As `collide`, where A's kind is not above B's."""
    if a.kind >= CONVEX:
        return 0
    if b.kind == GROUND:
        return convex_ground(a, pose_a, tables, reach, work, found)
    vertex = tables.vertex
    if b.kind == PLANE:
        if a.kind == SPHERE:
            return sphere_plane(a, pose_a, pose_b, reach, found)
        if a.kind == CAPSULE:
            return capsule_plane(a, pose_a, pose_b, reach, found)
        if a.kind == BOX:
            return box_plane(a, pose_a, pose_b, reach, found)
        return convex_plane(a, pose_a, pose_b, vertex, reach, work, found)
    if b.kind >= CONVEX:
        return inside_wall(a, b, pose_a, pose_b, vertex, reach, work, found)
    if a.kind == SPHERE:
        if b.kind == SPHERE:
            return sphere_sphere(a, b, pose_a, pose_b, reach, found)
        if b.kind == CAPSULE:
            return sphere_capsule(a, b, pose_a, pose_b, reach, found)
        if b.kind == BOX:
            return sphere_box(a, b, pose_a, pose_b, reach, found)
        if b.kind in (CYLINDER, CONE):
            return sphere_frustum(a, b, pose_a, pose_b, reach, found)
    elif a.kind == CAPSULE and b.kind == CAPSULE:
        return capsule_capsule(a, b, pose_a, pose_b, reach, found)
    elif a.kind == BOX and b.kind == BOX:
        return box_box(a, b, pose_a, pose_b, vertex, reach, work, found)
    return convex_convex(a, b, pose_a, pose_b, vertex, reach, work, found)


@part
def collide(a, b, pose_a, pose_b, tables, reach, work, found):
    """Contact points of two shapes; returns their number.

    a, b             rows of SHAPE
    pose_a, pose_b   (12,)   rotation by rows and origin [m] of the shapes' own frames in the world
    tables           ContactTables, for the vertices of hulls and the terrain
    reach            only points with gap < reach [m] are wanted
    work             NarrowWork
    found            (MOST_POINTS,) rows of FOUND, to fill; normals point from A to B
    """
    if a.kind <= b.kind:
        return collide_ordered(a, b, pose_a, pose_b, tables, reach, work, found)
    count = collide_ordered(b, a, pose_b, pose_a, tables, reach, work, found)
    for k in range(count):
        normal = found[k].normal
        normal[0], normal[1], normal[2] = -normal[0], -normal[1], -normal[2]
    return count


@kernel(
    types.int64(
        ContactTables.type,
        types.int64[:, ::1],
        types.float64[:, ::1],
        types.float64,
        NarrowWork.type,
        FOUND.type[:, ::1],
        types.int64[::1],
    )
)
def collide_pairs(tables, pair, pose, reach, work, found, count):
    """Contact points of many pairs; returns their number.

    tables  ContactTables of n shapes
    pair    (m, 2)     numbers of two shapes
    pose    (n, 12)    of the shapes in the world
    found   (m, MOST_POINTS)   points of each pair
    count   (m,)       number of them
    """
    total = 0
    for k in range(pair.shape[0]):
        i, j = pair[k, 0], pair[k, 1]
        count[k] = collide(tables.shape[i], tables.shape[j], pose[i], pose[j], tables, reach, work, found[k])
        total += count[k]
    return total
