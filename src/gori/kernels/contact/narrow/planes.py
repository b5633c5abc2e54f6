"""Convex shapes on a plane, the half-space z <= 0 of its own frame.

A point of the core at the height z has the gap z - r. What touches first is the supporting face of the shape seen along
-n; those of its points within reach are the contacts. The support point itself, which may lie between the points that
stand for the rim of a cap, is one of them if it is deeper than all.
"""

import math

from gori.kernels.contact.narrow.frames import placed, put, turned_back
from gori.kernels.contact.narrow.reduce import fewer
from gori.kernels.contact.narrow.support import ALL_LANES, heights, largest_height, support, supporting_face
from gori.kernels.contact.tables import HULL
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes_below, spread

DEEPER = 1e-9
"""share of the size by which the support point is deeper than all points of the face, to be one more"""
STEEP = 200.0
"""lengths in the plane that one length of height outweighs, in the choice of vertices of a hull"""
MOST_OF_HULL = 8
"""vertices of a hull on a plane"""
VERTICES_APART = 0.02
"""share of the size by which these vertices lie apart, at least"""


@part
def height_over(pose_b, x, y, z):
    """Of a point over the plane with this pose."""
    return pose_b[2] * (x - pose_b[9]) + pose_b[5] * (y - pose_b[10]) + pose_b[8] * (z - pose_b[11])


@part
def put_on_plane(point, pose_b, x, y, z, height, radius, feature):
    """The contact under p, a point of the core: midway between p - r n and the plane. From A to the plane is -n."""
    nx, ny, nz = pose_b[2], pose_b[5], pose_b[8]
    down = 0.5 * (height + radius)
    put(point, x - down * nx, y - down * ny, z - down * nz, -nx, -ny, -nz, height - radius, feature)


@block
def sphere_plane(a, pose_a, pose_b, reach, found):
    height = height_over(pose_b, pose_a[9], pose_a[10], pose_a[11])
    if height - a.radius >= reach:
        return 0
    put_on_plane(found[0], pose_b, pose_a[9], pose_a[10], pose_a[11], height, a.radius, 0)
    return 1


@block
def capsule_plane(a, pose_a, pose_b, reach, found):
    count = 0
    for end in range(2):
        s = a.size[2] if end else -a.size[2]
        x, y, z = pose_a[9] + s * pose_a[2], pose_a[10] + s * pose_a[5], pose_a[11] + s * pose_a[8]
        height = height_over(pose_b, x, y, z)
        if height - a.radius < reach:
            put_on_plane(found[count], pose_b, x, y, z, height, a.radius, end)
            count += 1
    return count


@block
def box_plane(a, pose_a, pose_b, reach, found):
    """The four vertices of the face that looks down most; the lowest vertex is one of them.

    With d = R' n in the box's frame, the vertex s has the height h + sum of s_k size_k d_k.
    """
    nx, ny, nz = pose_b[2], pose_b[5], pose_b[8]
    hx, hy, hz = a.size[0], a.size[1], a.size[2]
    dx, dy, dz = turned_back(pose_a, nx, ny, nz)
    gx, gy, gz = hx * abs(dx), hy * abs(dy), hz * abs(dz)
    middle = height_over(pose_b, pose_a[9], pose_a[10], pose_a[11])
    if middle - gx - gy - gz - a.radius >= reach:
        return 0
    along_x = abs(dx) > abs(dy) and abs(dx) > abs(dz)
    along_y = not along_x and abs(dy) > abs(dz)
    count = 0
    for k in range(4):
        p = hx if k & 1 else -hx
        q = hy if k & 1 else -hy
        r = hz if k & 2 else -hz
        if along_x:
            x, y, z = (-hx if dx > 0.0 else hx), q, r
        elif along_y:
            x, y, z = p, (-hy if dy > 0.0 else hy), r
        else:
            x, y, z = p, (hy if k & 2 else -hy), (-hz if dz > 0.0 else hz)
        height = middle + dx * x + dy * y + dz * z
        if height - a.radius < reach:
            id = (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)
            wx, wy, wz = placed(pose_a, x, y, z)
            put_on_plane(found[count], pose_b, wx, wy, wz, height, a.radius, id)
            count += 1
    return count


@block
def hull_plane(a, pose_a, pose_b, vertex, reach, work, found):
    """The lowest vertex of a hull, and those that would touch next if it tilted: soles of meshes are hardly ever flat.

    One after the other, the vertex that is farthest from those before, where each length of height counts STEEP times.
    """
    dx, dy, dz = turned_back(pose_a, pose_b[2], pose_b[5], pose_b[8])
    middle, near, nearest = height_over(pose_b, pose_a[9], pose_a[10], pose_a[11]), work.near, work.nearest
    lowest = -largest_height(a, vertex, -dx, -dy, -dz)
    if middle + lowest - a.radius >= reach:
        return 0
    # higher ones are not chosen, however far they are
    highest = min(lowest + (a.half[0] + a.half[1] + a.half[2]) / STEEP, reach + a.radius - middle)
    count, first, last, level = 0, 0, a.first + a.vertices, spread(-highest)
    for eight in range(a.first, last, WIDTH):
        higher = lanes_below(heights(vertex, eight, -dx, -dy, -dz), level)
        if higher == ALL_LANES:
            continue
        for k in range(eight, min(eight + WIDTH, last)):
            if higher & (1 << (k - eight)) == 0 and count < near.shape[0]:
                x, y, z = vertex[0, k], vertex[1, k], vertex[2, k]
                near[count].z, near[count].id = middle + dx * x + dy * y + dz * z, k - a.first
                x, y, z = placed(pose_a, x, y, z)
                near[count].x, near[count].y, _ = turned_back(pose_b, x, y, z)
                if near[count].z < near[first].z:
                    first = count
                count += 1
    if count == 0:
        return 0
    swap(near, 0, first)
    least, chosen = VERTICES_APART * (a.half[0] + a.half[1] + a.half[2]), 1
    for k in range(count):
        nearest[k] = math.inf
    while chosen < min(count, MOST_OF_HULL):
        last, best, widest = near[chosen - 1], -1, least
        for k in range(chosen, count):
            x, y = near[k].x - last.x, near[k].y - last.y
            nearest[k] = min(nearest[k], x * x + y * y)
            wide = math.sqrt(nearest[k]) - STEEP * (near[k].z - near[0].z)
            if wide > widest:
                best, widest = k, wide
        if best < 0:
            break
        swap(near, chosen, best)
        nearest[best] = nearest[chosen]
        chosen += 1
    for c in range(chosen):
        j = a.first + near[c].id
        x, y, z = placed(pose_a, vertex[0, j], vertex[1, j], vertex[2, j])
        put_on_plane(found[c], pose_b, x, y, z, near[c].z, a.radius, near[c].id)
    return chosen


@part
def swap(near, i, j):
    """Exchange two rows."""
    x, y, z, id = near[i].x, near[i].y, near[i].z, near[i].id
    near[i].x, near[i].y, near[i].z, near[i].id = near[j].x, near[j].y, near[j].z, near[j].id
    near[j].x, near[j].y, near[j].z, near[j].id = x, y, z, id


@block
def convex_plane(a, pose_a, pose_b, vertex, reach, work, found):
    """Any convex shape: the points of its supporting face, and its support point."""
    if a.kind == HULL:
        return hull_plane(a, pose_a, pose_b, vertex, reach, work, found)
    dx, dy, dz = turned_back(pose_a, -pose_b[2], -pose_b[5], -pose_b[8])
    x, y, z = support(a, vertex, dx, dy, dz)
    x, y, z = placed(pose_a, x, y, z)
    lowest = height_over(pose_b, x, y, z)
    if lowest - a.radius >= reach:
        return 0

    # candidates: x, y in the plane, z the height
    points = supporting_face(a, vertex, dx, dy, dz, reach, work.near, work.face_a)
    count, least = 0, lowest + DEEPER * (a.half[0] + a.half[1] + a.half[2])
    only_face = False
    for k in range(points):
        corner = work.face_a[k]
        px, py, pz = placed(pose_a, corner.x, corner.y, corner.z)
        height = height_over(pose_b, px, py, pz)
        if height - a.radius < reach:
            candidate = work.clip_from[count]
            candidate.x, candidate.y, candidate.z = turned_back(pose_b, px, py, pz)
            candidate.gap, candidate.feature = height, corner.id
            count += 1
            only_face = only_face or height <= least
    most = 8 if only_face else 7
    count = fewer(work.clip_from, count, most, work.kept)
    for k in range(count):
        candidate = work.clip_from[k]
        px = pose_b[0] * candidate.x + pose_b[1] * candidate.y + pose_b[2] * candidate.z
        py = pose_b[3] * candidate.x + pose_b[4] * candidate.y + pose_b[5] * candidate.z
        pz = pose_b[6] * candidate.x + pose_b[7] * candidate.y + pose_b[8] * candidate.z
        put_on_plane(found[k], pose_b, px, py, pz, candidate.gap, a.radius, candidate.feature)
    if not only_face:
        put_on_plane(found[count], pose_b, x, y, z, lowest, a.radius, -1)
        count += 1
    return count
