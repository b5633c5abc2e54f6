"""Closest points in closed form: spheres and capsules against each other, spheres against boxes, cylinders and cones.

A sphere is a point and a radius, a capsule a segment and a radius. With p, q the closest points of both cores,
d = |q - p| and n = (q - p) / d,

    gap = d - r_A - r_B,    position = (p + q) / 2 + (r_A - r_B) / 2 n

Closest points of segments: Ericson 2005, Real-Time Collision Detection, section 5.1.9.
"""

import math

from gori.kernels.contact.narrow.frames import cross, dot, put, seen_from, tangents, turned, unit
from gori.kernels.contact.tables import CYLINDER
from gori.kernels.jit import block, part

PARALLEL = 1e-4
"""squared sine of the angle below which two segments touch in two points"""


@part
def put_between(point, px, py, pz, nx, ny, nz, length, a, b, feature):
    """The contact between p, a point of A's core, and p + length n, one of B's."""
    middle = 0.5 * (length + a.radius - b.radius)
    gap = length - a.radius - b.radius
    put(point, px + middle * nx, py + middle * ny, pz + middle * nz, nx, ny, nz, gap, feature)


@part
def sphere_sphere(a, b, pose_a, pose_b, reach, found):
    dx, dy, dz = pose_b[9] - pose_a[9], pose_b[10] - pose_a[10], pose_b[11] - pose_a[11]
    limit = reach + a.radius + b.radius
    if limit <= 0.0 or dx * dx + dy * dy + dz * dz >= limit * limit:
        return 0
    nx, ny, nz, length = unit(dx, dy, dz)
    put_between(found[0], pose_a[9], pose_a[10], pose_a[11], nx, ny, nz, length, a, b, 0)
    return 1


@part
def clamped(x, low, high):
    return min(max(x, low), high)


@part
def without(x, y, z, ex, ey, ez):
    """A vector less its part along the unit vector e: next to zero, what rounding left there would be its direction."""
    along = dot(x, y, z, ex, ey, ez)
    return x - along * ex, y - along * ey, z - along * ez


@block
def sphere_capsule(a, b, pose_a, pose_b, reach, found):
    """The closest point of the capsule's axis o + s e, |s| <= h, has s = (c - o).e within its bounds."""
    ex, ey, ez = pose_b[2], pose_b[5], pose_b[8]
    dx, dy, dz = pose_b[9] - pose_a[9], pose_b[10] - pose_a[10], pose_b[11] - pose_a[11]
    s = clamped(-dot(dx, dy, dz, ex, ey, ez), -b.size[2], b.size[2])
    dx, dy, dz = dx + s * ex, dy + s * ey, dz + s * ez
    if abs(s) < b.size[2]:
        dx, dy, dz = without(dx, dy, dz, ex, ey, ez)
    limit = reach + a.radius + b.radius
    if limit <= 0.0 or dx * dx + dy * dy + dz * dz >= limit * limit:
        return 0
    nx, ny, nz, length = unit(dx, dy, dz)
    if length == 0.0:  # the centre on the axis: sideways is nearest
        nx, ny, nz, _, _, _ = tangents(ex, ey, ez)
    put_between(found[0], pose_a[9], pose_a[10], pose_a[11], nx, ny, nz, length, a, b, 0)
    return 1


@part
def closest_on_segments(dx, dy, dz, ex, ey, ez, fx, fy, fz, h, k):
    """Parameters s, t of the closest points s e and d + t f, |s| <= h, |t| <= k, of two segments with unit directions.

    Without bounds (1 - c^2) s = d.e - c d.f with c = e.f, and t = c s - d.f.
    """
    c = dot(ex, ey, ez, fx, fy, fz)
    de, df = dot(dx, dy, dz, ex, ey, ez), dot(dx, dy, dz, fx, fy, fz)
    sine = 1.0 - c * c
    s = clamped((de - c * df) / sine, -h, h) if sine > 1e-14 else clamped(de, -h, h)
    t = clamped(c * s - df, -k, k)
    s = clamped(de + c * t, -h, h)
    return s, t


@block
def capsule_capsule(a, b, pose_a, pose_b, reach, found):
    """One point where the axes are closest; if they are nearly parallel, two, at the ends of their common part.

    In between the gap is smaller than at both ends where the axes cross: then that point too.
    """
    ex, ey, ez = pose_a[2], pose_a[5], pose_a[8]
    fx, fy, fz = pose_b[2], pose_b[5], pose_b[8]
    dx, dy, dz = pose_b[9] - pose_a[9], pose_b[10] - pose_a[10], pose_b[11] - pose_a[11]
    h, k = a.size[2], b.size[2]
    limit = reach + a.radius + b.radius

    # the closest points
    s, t = closest_on_segments(dx, dy, dz, ex, ey, ez, fx, fy, fz, h, k)
    vx, vy, vz = dx + t * fx - s * ex, dy + t * fy - s * ey, dz + t * fz - s * ez
    least = vx * vx + vy * vy + vz * vz
    if limit <= 0.0 or least >= limit * limit:
        return 0
    ux, uy, uz = cross(ex, ey, ez, fx, fy, fz)
    sine = dot(ux, uy, uz, ux, uy, uz)
    within_a, within_b = abs(s) < h, abs(t) < k
    if within_a and within_b and sine > PARALLEL:  # across both
        across = dot(vx, vy, vz, ux, uy, uz) / sine
        vx, vy, vz = across * ux, across * uy, across * uz
    elif within_a:
        vx, vy, vz = without(vx, vy, vz, ex, ey, ez)
    elif within_b:
        vx, vy, vz = without(vx, vy, vz, fx, fy, fz)
    nx, ny, nz, least = unit(vx, vy, vz)
    if least <= 1e-14 * (h + k):  # axes that meet: along their common perpendicular
        if sine > 1e-20:
            nx, ny, nz, _ = unit(ux, uy, uz)
        else:
            nx, ny, nz, _, _, _ = tangents(ex, ey, ez)
    count = 0

    # both ends of the common part, as parameters of A's axis
    c = dot(ex, ey, ez, fx, fy, fz)
    if sine < PARALLEL and c != 0.0:
        de = dot(dx, dy, dz, ex, ey, ez)
        low, high = max(-h, de - abs(c) * k), min(h, de + abs(c) * k)
        if high - low > 1e-3 * min(h, k):
            for end in range(2):
                s_end = high if end else low
                px, py, pz = s_end * ex, s_end * ey, s_end * ez
                t_end = clamped(dot(px - dx, py - dy, pz - dz, fx, fy, fz), -k, k)
                qx, qy, qz = dx + t_end * fx - px, dy + t_end * fy - py, dz + t_end * fz - pz
                if abs(t_end) < k:
                    qx, qy, qz = without(qx, qy, qz, fx, fy, fz)
                mx, my, mz, length = unit(qx, qy, qz)
                if length <= 1e-14 * (h + k):
                    mx, my, mz = nx, ny, nz
                if length < limit:
                    px, py, pz = px + pose_a[9], py + pose_a[10], pz + pose_a[11]
                    put_between(found[count], px, py, pz, mx, my, mz, length, a, b, 1 + end)
                    count += 1
                    if length <= least + 1e-9 * (h + k):
                        least = math.inf  # the closest points are among the ends
    if least < math.inf:
        px, py, pz = s * ex + pose_a[9], s * ey + pose_a[10], s * ez + pose_a[11]
        put_between(found[count], px, py, pz, nx, ny, nz, least, a, b, 0)
        count += 1
    return count


@block
def sphere_box(a, b, pose_a, pose_b, reach, found):
    """The closest point of a box to a centre outside clamps each coordinate; from inside it is the nearest face."""
    x, y, z = seen_from(pose_b, pose_a[9], pose_a[10], pose_a[11])
    hx, hy, hz = b.size[0], b.size[1], b.size[2]
    dx, dy, dz = clamped(x, -hx, hx) - x, clamped(y, -hy, hy) - y, clamped(z, -hz, hz) - z
    limit = reach + a.radius + b.radius
    squared = dx * dx + dy * dy + dz * dz
    if limit <= 0.0 or squared >= limit * limit:
        return 0
    if squared > 0.0:
        dx, dy, dz, length = unit(dx, dy, dz)
    else:
        gx, gy, gz = hx - abs(x), hy - abs(y), hz - abs(z)
        dx = dy = dz = 0.0
        if gx <= gy and gx <= gz:
            dx, length = -math.copysign(1.0, x), -gx
        elif gy <= gz:
            dy, length = -math.copysign(1.0, y), -gy
        else:
            dz, length = -math.copysign(1.0, z), -gz
    nx, ny, nz = turned(pose_b, dx, dy, dz)
    put_between(found[0], pose_a[9], pose_a[10], pose_a[11], nx, ny, nz, length, a, b, 0)
    return 1


@block
def sphere_frustum(a, b, pose_a, pose_b, reach, found):
    """Against a cylinder or cone, in the half plane of the centre and the axis: from outside the closest point of its
    three sides, from inside the nearest of their lines.
    """
    x, y, z = seen_from(pose_b, pose_a[9], pose_a[10], pose_a[11])
    h, low = b.size[2], b.size[0]
    high = low if b.kind == CYLINDER else b.size[1]
    rho = math.sqrt(x * x + y * y)
    ex, ey = (x / rho, y / rho) if rho > 1e-290 else (1.0, 0.0)
    side = math.sqrt((low - high) ** 2 + 4.0 * h * h)
    out, up = 2.0 * h / side, (low - high) / side  # the normal of the side
    beyond = (rho - low) * out + (z + h) * up
    if beyond <= 0.0 and abs(z) <= h:
        length = max(beyond, abs(z) - h)
        across, along = (-out, -up) if length == beyond else (0.0, -math.copysign(1.0, z))
    else:
        # the caps, then the side
        end = math.copysign(h, z)
        across, along = clamped(rho, 0.0, high if z > 0.0 else low) - rho, end - z
        share = clamped(((high - low) * (rho - low) + 2.0 * h * (z + h)) / (side * side), 0.0, 1.0)
        r, t = low + share * (high - low) - rho, (2.0 * share - 1.0) * h - z
        if beyond > 0.0 and r * r + t * t < across * across + along * along:
            across, along = r, t
        length = math.sqrt(across * across + along * along)
        across, along = across / length, along / length
    if length >= reach + a.radius + b.radius:
        return 0
    nx, ny, nz = turned(pose_b, across * ex, across * ey, along)
    put_between(found[0], pose_a[9], pose_a[10], pose_a[11], nx, ny, nz, length, a, b, 0)
    return 1
