"""A convex shape on the terrain: a plane where there is nothing else under it, otherwise the deepest of many points.

Of the places where it may touch (`points.py`, `faces.py`) the deepest is a contact point, then one after the other the
one that is farthest from those before, up to MOST_POINTS of them. Normals count as distance, so that a shape in the
corner of floor and wall touches both; each length of a gap counts STEEP times against it.
"""

import math

from gori.kernels.contact.narrow.frames import put, tangents
from gori.kernels.contact.narrow.planes import (
    STEEP,
    VERTICES_APART,
    box_plane,
    capsule_plane,
    convex_plane,
    sphere_plane,
)
from gori.kernels.contact.tables import BOX, CAPSULE, SPHERE
from gori.kernels.contact.terrain.faces import ground_points, lay_face
from gori.kernels.contact.terrain.points import own_points
from gori.kernels.jit import block, part
from gori.kernels.vehicle.terrain import is_plane


@part
def clear_of(tables, ground, box):
    """Whether a box (6,) lies above all ground under it; ground: the shape of the terrain."""
    terrain = tables.terrain[0]
    gx, gy, at = terrain.grade[0], terrain.grade[1], terrain.point
    high = at[2] + ground.size[0]
    high += gx * ((box[3] if gx > 0.0 else box[0]) - at[0]) + gy * ((box[4] if gy > 0.0 else box[1]) - at[1])
    return box[2] > high


@part
def plane_pose(terrain, pose):
    """Pose (12,) of the plane of the terrain, its normal along z."""
    gx, gy = terrain.grade[0], terrain.grade[1]
    nz = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)
    nx, ny = -gx * nz, -gy * nz
    ux, uy, uz, vx, vy, vz = tangents(nx, ny, nz)
    pose[0], pose[1], pose[2] = ux, vx, nx
    pose[3], pose[4], pose[5] = uy, vy, ny
    pose[6], pose[7], pose[8] = uz, vz, nz
    for k in range(3):
        pose[9 + k] = terrain.point[k]


@part
def spread(spot, chosen, k, size):
    """How far a spot is from those that are chosen, at the beginning of the table [m]."""
    nearest, here = math.inf, spot[k]
    for c in range(chosen):
        there = spot[c]
        x, y, z = here.x - there.x, here.y - there.y, here.z - there.z
        nx, ny, nz = here.nx - there.nx, here.ny - there.ny, here.nz - there.nz
        nearest = min(nearest, x * x + y * y + z * z + size * size * (nx * nx + ny * ny + nz * nz))
    return math.sqrt(nearest) - STEEP * max(0.0, here.gap)


@part
def exchange(spot, i, j):
    """Swap two rows."""
    a, b = spot[i], spot[j]
    a.x, b.x = b.x, a.x
    a.y, b.y = b.y, a.y
    a.z, b.z = b.z, a.z
    a.nx, b.nx = b.nx, a.nx
    a.ny, b.ny = b.ny, a.ny
    a.nz, b.nz = b.nz, a.nz
    a.gap, b.gap = b.gap, a.gap
    a.id, b.id = b.id, a.id


@block
def choose(spot, count, size, found):
    """Contact points out of spots; returns their number. The normals of both point from the shape to the ground."""
    if count == 0:
        return 0
    deepest = 0
    for k in range(1, count):
        if spot[k].gap < spot[deepest].gap:
            deepest = k
    exchange(spot, 0, deepest)
    chosen, least = 1, VERTICES_APART * size
    while chosen < min(count, found.shape[0]):
        best, widest = -1, least
        for k in range(chosen, count):
            wide = spread(spot, chosen, k, size)
            if wide > widest:
                best, widest = k, wide
        if best < 0:
            break
        exchange(spot, chosen, best)
        chosen += 1
    for c in range(chosen):
        s = spot[c]
        put(found[c], s.x, s.y, s.z, -s.nx, -s.ny, -s.nz, s.gap, s.id)
    return chosen


@block
def convex_ground(a, pose_a, tables, reach, work, found):
    """Contact points of a convex shape on the terrain of the tables; returns their number."""
    terrain, vertex, pose = tables.terrain[0], tables.vertex, work.pose_ab
    far = math.sqrt(a.half[0] ** 2 + a.half[1] ** 2 + a.half[2] ** 2) + max(reach, 0.0)
    if work.cells.shape[0] == 0 and is_plane(tables, pose_a[9], pose_a[10], far):
        plane_pose(terrain, pose)
        if a.kind == SPHERE:
            return sphere_plane(a, pose_a, pose, reach, found)
        if a.kind == CAPSULE:
            return capsule_plane(a, pose_a, pose, reach, found)
        if a.kind == BOX:
            return box_plane(a, pose_a, pose, reach, found)
        return convex_plane(a, pose_a, pose, vertex, reach, work, found)
    size = a.half[0] + a.half[1] + a.half[2]
    if a.kind == SPHERE:
        return choose(work.spot, own_points(a, pose_a, tables, vertex, reach, work, 0), size, found)
    points, nx, ny, nz = lay_face(a, pose_a, tables, vertex, reach, work)
    count = own_points(a, pose_a, tables, vertex, reach, work, points)
    count = ground_points(a, tables, reach, work, points, (nx, ny, nz), count)
    return choose(work.spot, count, size, found)
