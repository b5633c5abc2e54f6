"""Distance between two convex cores: the algorithm of Gilbert, Johnson and Keerthi (1988).

The difference A - B contains the origin if the cores overlap; otherwise its point v closest to the origin is their
distance. From a simplex of points of the difference the search goes on with the support point w in the direction -v,

    w = s_A(-v) - s_B(v),    v.w / |v|  <=  distance  <=  |v|

until both bounds agree (van den Bergen 1999, A fast and robust GJK implementation). The lower bound ends it early for
pairs that are out of reach.
"""

import math

from gori.kernels.contact.narrow.frames import dot, placed, turned_back
from gori.kernels.contact.narrow.simplex import closest_point
from gori.kernels.contact.narrow.support import support
from gori.kernels.jit import block, part

FAR, APART = 0, -1
"""answers of `core_distance`: out of reach; a distance was found. Above 0: corners of a simplex that has the origin"""
BOUNDS_AGREE = 1e-14
"""relative difference of both bounds"""
ROUNDING = 2e-15
"""error of v.w by |v| |w|"""
MEETING = 1e-10
"""distance by the size of the difference, below which the direction of v is not reliable: cores count as overlapping"""
EXACT = 1e-3
"""of these tolerances, where the direction counts and not the distance: the search ends when no step is better"""
MOST_STEPS = 128


@part
def difference_support(a, b, pose_ab, vertex, dx, dy, dz):
    """w = s_A(d) - s_B(-d) and s_A(d), in the frame of A."""
    ax, ay, az = support(a, vertex, dx, dy, dz)
    ex, ey, ez = turned_back(pose_ab, dx, dy, dz)
    bx, by, bz = support(b, vertex, -ex, -ey, -ez)
    bx, by, bz = placed(pose_ab, bx, by, bz)
    return ax - bx, ay - by, az - bz, ax, ay, az


@part
def set_corner(corner, x, y, z, ax, ay, az):
    corner.x, corner.y, corner.z = x, y, z
    corner.ax, corner.ay, corner.az = ax, ay, az


@block
def core_distance(a, b, pose_ab, vertex, limit, care, simplex, answer):
    """Distance, normal from A to B and A's closest point into `answer`, in the frame of A.

    pose_ab   (12,)  pose of B in the frame of A
    limit     [m]    FAR is answered as soon as the distance is known to be larger, with a normal that shows it
    care             share of the tolerances, 1 or EXACT
    simplex   (4,)   left as it is at the end
    """
    vx, vy, vz = -pose_ab[9], -pose_ab[10], -pose_ab[11]
    squared = dot(vx, vy, vz, vx, vy, vz)
    if squared == 0.0:
        vx, squared = 1.0, 1.0
    best, count, size, apart = math.inf, 0, 0.0, False
    for _ in range(MOST_STEPS):
        wx, wy, wz, ax, ay, az = difference_support(a, b, pose_ab, vertex, -vx, -vy, -vz)
        lower = dot(vx, vy, vz, wx, wy, wz)
        if lower > 0.0 and lower * lower > limit * limit * squared:
            length = math.sqrt(squared)
            answer.nx, answer.ny, answer.nz = -vx / length, -vy / length, -vz / length
            return FAR
        size = max(size, abs(wx), abs(wy), abs(wz))
        apart = apart or (lower > 0.0 and lower * lower > (ROUNDING * size) ** 2 * squared)
        if count > 0 and squared - lower <= care * (BOUNDS_AGREE * squared + ROUNDING * size * math.sqrt(squared)):
            break
        set_corner(simplex[count], wx, wy, wz, ax, ay, az)
        vx, vy, vz, count = closest_point(simplex, count + 1)
        if count == 4:
            if apart:
                break
            return 4
        squared = dot(vx, vy, vz, vx, vy, vz)
        if squared <= (MEETING * size) ** 2:
            return count
        if squared >= best:  # no better than the last one: rounding is all that is left
            break
        best = squared
        length = math.sqrt(squared)
        answer.distance = length
        answer.nx, answer.ny, answer.nz = -vx / length, -vy / length, -vz / length
        px, py, pz = 0.0, 0.0, 0.0
        for k in range(count):
            share = simplex[k].share
            px, py, pz = px + share * simplex[k].ax, py + share * simplex[k].ay, pz + share * simplex[k].az
        answer.x, answer.y, answer.z = px, py, pz
    return FAR if answer.distance > limit else APART
