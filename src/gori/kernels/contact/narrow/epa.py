"""Depth of two overlapping cores: the expanding polytope algorithm (van den Bergen 2001).

The depth is the distance of the origin from the surface of the difference A - B, which has it inside: the least h(n),
h(n) = max n.(a - b), over all directions n. A polytope of support points grows from within. The face closest to the
origin, with the normal n and the distance d, gives both bounds,

    d  <=  depth  <=  h(n)

The support point of n replaces all faces that see it, until both agree. The direction with the least h(n) is kept:
moved by that much along it, B is free of A, however early the search ends.
"""

import math

from gori.kernels.contact.narrow.frames import cross, dot, unit
from gori.kernels.contact.narrow.gjk import difference_support, set_corner
from gori.kernels.contact.narrow.polish import depth_along, is_curved, polish_normal, refine_by_distance, smooth_pair
from gori.kernels.contact.narrow.tetrahedron import flat_answer, grow_to_tetrahedron, volume_of
from gori.kernels.jit import block, part

DEPTH_TOLERANCE = 1e-11
"""difference of both bounds, by the size of the difference"""
CURVED_TOLERANCE = 1e-9
"""the same where a surface is curved: the normal is then known to its root, and is refined"""
FOCUS = 100
"""corners from which on only faces within an angle of the best normal are searched, smaller with each step: where many
directions are equally deep, one of them will do"""
NARROWER = 0.93
"""what is left of that angle after a step"""
TRY_NEWTON = 1e-2
"""difference of both bounds, by the size, from which on Newton's method may find the normal of smooth cores"""
POLISHED = 1e-7
"""difference of both bounds, by the size, where it did: no other normal is better by more"""
AT_SURFACE = 1e-8
"""difference of both bounds, by the size, within which the points of a face are those of the contact"""
SLIVER = 1e-13
"""sine of the angle between two edges of a face, below which it has no normal"""
BLUR = 4e-16
"""rounding of a height over a face, by the size, for a face as wide as that"""
STARTS = 8
"""faces from which a local search is tried before the best normal is believed"""
BASIN = math.cos(0.3)
"""cosine of the angle between them, at least"""
OPEN, DONE, THIN_FACE, TRIED = 1, 2, 3, 4
"""a face to search from; one that lies on the surface, as far as rounding tells; a sliver; next to one tried before"""


@part
def add_face(corner, face, at, i, j, k, size):
    """Set face[at] to the corners i, j, k, counter-clockwise seen from outside."""
    f = face[at]
    f.i, f.j, f.k = i, j, k
    p, q, r = corner[i], corner[j], corner[k]
    ex, ey, ez = q.x - p.x, q.y - p.y, q.z - p.z
    fx, fy, fz = r.x - p.x, r.y - p.y, r.z - p.z
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    edges = dot(ex, ey, ez, ex, ey, ez) * dot(fx, fy, fz, fx, fy, fz)
    nx, ny, nz, length = unit(nx, ny, nz)
    f.nx, f.ny, f.nz = nx, ny, nz
    f.distance = dot(nx, ny, nz, p.x, p.y, p.z)
    f.alive = OPEN if length > SLIVER * math.sqrt(edges) else THIN_FACE
    # a normal is as uncertain as the rounding of a corner by the height of the triangle
    longest = math.sqrt(max(dot(ex, ey, ez, ex, ey, ez), dot(fx, fy, fz, fx, fy, fz)))
    f.blur = BLUR * size * (1.0 + size * longest / max(length, 1e-290))


@part
def keep_answer(corner, f, depth, size, answer):
    """Normal and depth of a face, and A's point over the projection of the origin onto it.

    Returns whether that point is reliable: the face is at the surface, and has the projection within its edges.
    """
    answer.nx, answer.ny, answer.nz = f.nx, f.ny, f.nz
    answer.distance = -depth
    ox, oy, oz = f.nx * f.distance, f.ny * f.distance, f.nz * f.distance
    total, least, x, y, z = 0.0, 0.0, 0.0, 0.0, 0.0
    i, j, k = f.i, f.j, f.k
    for _ in range(3):
        p, q = corner[j], corner[k]
        cx, cy, cz = cross(p.x - ox, p.y - oy, p.z - oz, q.x - ox, q.y - oy, q.z - oz)
        share = dot(f.nx, f.ny, f.nz, cx, cy, cz)
        total, least = total + share, min(least, share)
        x, y, z = x + share * corner[i].ax, y + share * corner[i].ay, z + share * corner[i].az
        i, j, k = j, k, i
    if total <= 0.0:
        return False
    answer.x, answer.y, answer.z = x / total, y / total, z / total
    return least >= -1e-7 * total and depth - f.distance <= AT_SURFACE * size


@part
def toggle(horizon, count, i, j):
    """Add an edge to the horizon, or remove its twin, which runs the other way: then both faces see the point."""
    for k in range(count):
        if horizon[k].i == j and horizon[k].j == i:
            horizon[k] = horizon[count - 1]
            return count - 1
    horizon[count].i, horizon[count].j = i, j
    return count + 1


@part
def common_edges(face, f, gone, count):
    """How many of its three edges a face has in common with those that are gone."""
    common = 0
    for m in range(count):
        g = face[gone[m]]
        for i, j in ((f.i, f.j), (f.j, f.k), (f.k, f.i)):
            if (g.i == j and g.j == i) or (g.j == j and g.k == i) or (g.k == j and g.i == i):
                common += 1
    return common


@part
def find_gone(face, faces, at, w, gone, seen):
    """Collect face `at`, all that see w and hang together with it, and slivers between them; returns their number."""
    gone[0] = at
    count, waiting = 1, 0
    for k in range(faces):
        f = face[k]
        if f.alive > 0 and k != at:
            over = f.nx * w.x + f.ny * w.y + f.nz * w.z - f.distance > f.blur
            if over or f.alive == THIN_FACE:
                seen[waiting] = k
                waiting += 1
    more = True
    while more and waiting > 0:
        more = False
        for m in range(waiting - 1, -1, -1):
            f = face[seen[m]]
            if common_edges(face, f, gone, count) >= (2 if f.alive == THIN_FACE else 1):
                gone[count] = seen[m]
                count += 1
                waiting -= 1
                seen[m] = seen[waiting]
                more = True
    return count


@block
def try_other_faces(a, b, pose_ab, vertex, size, faces, work):
    """Search locally from the closest faces, far from each other, and keep the best normal; of these any may be least.

    Where the depth is nearly the same in many directions, a polytope of few faces does not tell which is the least.
    """
    face, answer, best = work.face, work.answer[0], work.answer[2]
    work.answer[2] = answer
    for _ in range(STARTS):
        at, least = -1, -best.distance
        for k in range(faces):
            if face[k].alive == OPEN and face[k].distance < least:
                at, least = k, face[k].distance
        if at < 0:
            break
        f = face[at]
        answer.nx, answer.ny, answer.nz = f.nx, f.ny, f.nz
        answer.distance = -depth_along(a, b, pose_ab, vertex, f.nx, f.ny, f.nz)
        refine_by_distance(a, b, pose_ab, vertex, size, work)
        if answer.distance > best.distance:
            work.answer[2] = answer
        for k in range(faces):
            if face[k].alive == OPEN and dot(f.nx, f.ny, f.nz, face[k].nx, face[k].ny, face[k].nz) > BASIN:
                face[k].alive = TRIED
    for k in range(faces):
        if face[k].alive == TRIED:
            face[k].alive = OPEN
    work.answer[0] = best


@block
def core_depth(a, b, pose_ab, vertex, count, work):
    """Depth (as a negative distance), normal from A to B and A's deepest point into `work.answer`, in the frame of A.

    count   corners of `work.simplex`, which has the origin, or nearly (`gjk.py`)
    """
    corner, face, horizon, answer = work.corner, work.face, work.horizon, work.answer[0]
    size = 0.0
    for k in range(3):
        size += a.half[k] + b.half[k]
    for k in range(count):
        corner[k] = work.simplex[k]
    count = grow_to_tetrahedron(a, b, pose_ab, vertex, size, corner, count)
    if count < 4:
        flat_answer(a, b, pose_ab, vertex, corner, count, answer)
        return 0

    # the tetrahedron, its faces turned to the outside
    p, q = (1, 2) if volume_of(corner, 0, 1, 2, 3) < 0.0 else (2, 1)
    add_face(corner, face, 0, 0, p, q, size)
    add_face(corner, face, 1, 0, q, 3, size)
    add_face(corner, face, 2, q, p, 3, size)
    add_face(corner, face, 3, p, 0, 3, size)
    faces, depth, steps = 4, math.inf, 0
    cone, angle, reliable = -1.0, 0.5, False
    curved, smooth, polished = is_curved(a) or is_curved(b), smooth_pair(a, b), False
    tolerance = (CURVED_TOLERANCE if curved else DEPTH_TOLERANCE) * size

    while True:
        # the closest face; a sliver's normal says nothing
        at, least = -1, math.inf
        for k in range(faces):
            if (
                face[k].alive == OPEN
                and face[k].distance < least
                and (count < FOCUS or dot(face[k].nx, face[k].ny, face[k].nz, answer.nx, answer.ny, answer.nz) > cone)
            ):
                at, least = k, face[k].distance
        if at < 0 or count == corner.shape[0]:
            break
        nearest = face[at]
        wx, wy, wz, ax, ay, az = difference_support(a, b, pose_ab, vertex, nearest.nx, nearest.ny, nearest.nz)
        height = dot(nearest.nx, nearest.ny, nearest.nz, wx, wy, wz)

        # a face that both bounds agree on is the answer, with its points; any better direction is kept for the end
        slack = max(tolerance, nearest.blur)
        closed = height - least <= slack and height <= depth + slack
        if height < depth or (closed and not polished):
            depth = height
            reliable = keep_answer(corner, nearest, depth, size, answer)
        if smooth and depth - least <= TRY_NEWTON * size:
            smooth = False
            polished = polish_normal(a, b, pose_ab, vertex, size, answer)
            reliable = reliable or polished
            depth = -answer.distance
            tolerance = POLISHED * size if polished else tolerance
        if closed or (polished and depth - least <= tolerance):
            break
        if height - least <= slack:  # no new corner can be told from its plane, and a better direction is known
            nearest.alive = DONE
            continue
        set_corner(corner[count], wx, wy, wz, ax, ay, az)
        steps += 1

        # in the place of faces that see the new corner a fan from their horizon to it
        edges = 0
        replaced = find_gone(face, faces, at, corner[count], work.gone, work.seen)
        for m in range(replaced):
            f = face[work.gone[m]]
            f.alive = 0
            if edges + 3 < horizon.shape[0]:
                edges = toggle(horizon, edges, f.i, f.j)
                edges = toggle(horizon, edges, f.j, f.k)
                edges = toggle(horizon, edges, f.k, f.i)
        free = 0
        for k in range(edges):
            while free < faces and face[free].alive != 0:
                free += 1
            if free == faces:
                if faces == face.shape[0]:
                    count = corner.shape[0] - 1  # no room: this is the end
                    break
                faces += 1
            add_face(corner, face, free, horizon[k].i, horizon[k].j, count, size)
        count += 1
        if count == FOCUS and curved:
            try_other_faces(a, b, pose_ab, vertex, size, faces, work)
            depth = -answer.distance
        if count >= FOCUS:
            angle *= NARROWER
            cone = 1.0 - 0.5 * angle * angle
    if curved and not polished and smooth_pair(a, b):
        polished = polish_normal(a, b, pose_ab, vertex, size, answer)
        reliable = reliable or polished
    if not reliable or (curved and not polished):
        refine_by_distance(a, b, pose_ab, vertex, size, work)
    return steps
