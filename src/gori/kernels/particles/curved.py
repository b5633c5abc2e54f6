"""Distance from a sphere's centre to a curved triangle: a facet of a mesh that stands for a smooth surface.

Its corners p_i have normals n_i, as long as their weights w_i (`model/particles/smooth.py`). A centre c lies over the
point with the barycentric coordinates b if the normal there leads to it,

    c = p + t n,   p = sum of b_i p_i,   n = sum of b_i n_i

Neighbours have the same p and the same direction of n along their common edge, so the prisms that their normals sweep
fill space without a gap and without an overlap: one triangle answers, and the normal does not jump from one to the
next. (Panozzo et al. 2013 map surfaces onto each other by this projection.) With X = p_1 - p_0 + t (n_1 - n_0), and Y
likewise for p_2, t is the root of the cubic det[X, Y, c - p_0 - t n_0] = 0 next to the height over the triangle. Its
derivative is -det[X, Y, n], which is not negative where c is beyond a centre of curvature: there the distance has no
minimum.

The surface bulges over the triangle by h = 8 (sum of r_ij b_i b_j) / (|n| + sum of w_i b_i), and the gap is t |n| - h.

Real edges are parabolas through both corners and the deflected middle. Otherwise features are as in `facets.py`.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles.columns import (
    AT_CORNER,
    BULGE,
    CORNER,
    E1,
    E2,
    FACE,
    FAR,
    LEAN,
    OUT,
    OWNED,
    POINT,
    RISE,
    SPREAD,
    WEIGHT,
)
from gori.kernels.particles.facets import (
    CORNER_BIT,
    EDGE_BIT,
    FLAT_BIT,
    NUDGE_X,
    NUDGE_Y,
    NUDGE_Z,
    side_of,
)
from gori.kernels.particles.geometry import direction

TURNS = 24
"""steps of Newton's method, at most: 3 or 4 are usual"""
SAME_ROOT = 1e-12
"""relative change after which it has come to its end"""
SAME_FOOT = 1e-7
"""share of an edge within which its foot is found"""
CORNERS = 15 << CORNER_BIT
NEVER_ZERO = 1e-300
LEAST = 1e-3
"""share of its weights with which the search for a foot begins near a tip, at least"""
SLACK = 1e-2
"""[rad] by which regions of features overlap, where normals of two surfaces meet; contacts that are found twice are one
(`wall_contacts.py`)"""


@part
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@part
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@part
def vector(wall_f, k, column):
    return wall_f[k, column], wall_f[k, column + 1], wall_f[k, column + 2]


@part
def first_root(f0, f1, f2, f3, t):
    """The smallest t > 0 with f0 + f1 t + f2 t2 + f3 t3 = 0, for f0 >= 0, and the slope there; 0 if none was found.

    t   to begin with: Newton's method, and where that leaves what is known of the root, doubling and halving
    """
    low, high = 0.0, FAR
    for _ in range(TURNS):
        value = f0 + t * (f1 + t * (f2 + t * f3))
        slope = f1 + t * (2.0 * f2 + 3.0 * t * f3)
        if value >= 0.0:
            low = t
        else:
            high = t
        following = t - value / slope if slope < 0.0 else -1.0
        if abs(following - t) <= SAME_ROOT * t:
            return following, slope
        if high == FAR:
            following = 2.0 * t if following <= low else min(following, 2.0 * t)
        elif following <= low or following >= high:
            following = 0.5 * (low + high)
        t = following
    return t, 0.0


@part
def foot(wall_f, k, dx, dy, dz, h):
    """Under a centre: barycentric coordinates b1 and b2, normal (3), and whether the distance has a minimum there.

    d   centre, seen from the first corner
    h   its height over the triangle
    """
    ax, ay, az = vector(wall_f, k, E1)
    bx, by, bz = vector(wall_f, k, E2)
    lx, ly, lz = vector(wall_f, k, AT_CORNER)
    px, py, pz = vector(wall_f, k, AT_CORNER + 3)
    qx, qy, qz = vector(wall_f, k, AT_CORNER + 6)
    px, py, pz, qx, qy, qz = px - lx, py - ly, pz - lz, qx - lx, qy - ly, qz - lz

    # from the point of the triangle below, with the weight that is there
    on_a, on_b = dot(dx, dy, dz, ax, ay, az), dot(dx, dy, dz, bx, by, bz)
    aa, bb, ab = dot(ax, ay, az, ax, ay, az), dot(bx, by, bz, bx, by, bz), dot(ax, ay, az, bx, by, bz)
    whole = aa * bb - ab * ab
    u, v = (bb * on_a - ab * on_b) / whole, (aa * on_b - ab * on_a) / whole
    if wall_f[k, LEAN] == 0.0:  # flat, with curved edges
        return u, v, lx, ly, lz, True
    u, v = min(max(u, 0.0), 1.0), min(max(v, 0.0), 1.0)
    w0, w1, w2 = vector(wall_f, k, WEIGHT)
    t = abs(h) / max(w0 + u * (w1 - w0) + v * (w2 - w0), LEAST * (w0 + w1 + w2))

    # det[X, Y, d - t n0] = f0 + f1 t + f2 t2 + f3 t3, by powers of t in X x Y = A + B t + C t2
    Ax, Ay, Az = cross(ax, ay, az, bx, by, bz)
    ux, uy, uz = cross(ax, ay, az, qx, qy, qz)
    vx, vy, vz = cross(px, py, pz, bx, by, bz)
    Bx, By, Bz = ux + vx, uy + vy, uz + vz
    Cx, Cy, Cz = cross(px, py, pz, qx, qy, qz)
    f0, f1 = dot(Ax, Ay, Az, dx, dy, dz), dot(Bx, By, Bz, dx, dy, dz) - dot(Ax, Ay, Az, lx, ly, lz)
    f2, f3 = dot(Cx, Cy, Cz, dx, dy, dz) - dot(Bx, By, Bz, lx, ly, lz), -dot(Cx, Cy, Cz, lx, ly, lz)
    t, slope = first_root(abs(f0), f1, f2 if f0 >= 0.0 else -f2, f3, t)
    t = t if f0 >= 0.0 else -t

    # d - t n0 = u X + v Y
    Xx, Xy, Xz = ax + t * px, ay + t * py, az + t * pz
    Yx, Yy, Yz = bx + t * qx, by + t * qy, bz + t * qz
    zx, zy, zz = dx - t * lx, dy - t * ly, dz - t * lz
    Mx, My, Mz = cross(Xx, Xy, Xz, Yx, Yy, Yz)
    size = dot(Mx, My, Mz, Mx, My, Mz)
    ux, uy, uz = cross(zx, zy, zz, Yx, Yy, Yz)
    vx, vy, vz = cross(Xx, Xy, Xz, zx, zy, zz)
    u, v = dot(ux, uy, uz, Mx, My, Mz) / size, dot(vx, vy, vz, Mx, My, Mz) / size
    return u, v, lx + u * px + v * qx, ly + u * py + v * qy, lz + u * pz + v * qz, slope < 0.0


@part
def is_beyond(wall_f, k, owned, dx, dy, dz, h, reach):
    """Whether a centre is so far beyond an edge that the triangle has no answer: beyond reach, or over a neighbour.

    d, h   as in `foot`
    """
    nx, ny, nz = vector(wall_f, k, FACE)
    wide = reach + wall_f[k, BULGE]
    limit, room = abs(h) * wall_f[k, LEAN] + wall_f[k, BULGE], wide * wide - h * h
    over, by_feature = False, False
    for j in range(3):
        sx, sy, sz, ex, ey, ez = side_of(wall_f, False, k, j)
        ix, iy, iz = cross(nx, ny, nz, ex, ey, ez)  # leads into the triangle
        inside, size = dot(dx - sx, dy - sy, dz - sz, ix, iy, iz), dot(ex, ey, ez, ex, ey, ez)
        square, line = inside * inside, limit * limit * size
        if inside < 0.0 and square >= room * size:
            return True
        if (owned >> (FLAT_BIT + j)) & 1 or (owned >> (EDGE_BIT + j)) & 1 == 0:
            over = over or (inside < 0.0 and square > line)
        else:
            by_feature = by_feature or inside < 0.0 or square < line
    if not over or by_feature:
        return False
    return owned & CORNERS == 0 or not near_corner(wall_f, k, owned, dx, dy, dz)


@part
def near_corner(wall_f, k, owned, dx, dy, dz):
    """Whether a centre may be nearest to a corner that the triangle owns: it does not lie ahead along an edge that
    leaves it, which bends by 3 bulges at most.
    """
    corners, bent = owned & CORNERS, 9.0 * wall_f[k, BULGE] * wall_f[k, BULGE]
    for j in range(3):
        sx, sy, sz, ex, ey, ez = side_of(wall_f, False, k, j)
        qx, qy, qz = dx - sx, dy - sy, dz - sz
        size, along, away = dot(ex, ey, ez, ex, ey, ez), dot(qx, qy, qz, ex, ey, ez), dot(qx, qy, qz, qx, qy, qz)
        blur, back = 4.0 * SLACK * SLACK * (size + bent) + 2.0 * bent, size - along
        if along > 0.0 and along * along > blur * away:
            corners &= ~(1 << (CORNER_BIT + j))
        if back > 0.0 and back * back > blur * (away - along + back):
            corners &= ~(1 << (CORNER_BIT + (j + 1) % 3))
    return corners != 0


@part
def has_feature(owned, over0, over1, over2):
    """Whether a triangle owns one of the edges that a centre is beyond, over < 0, or one of their corners."""
    edges = owned & ~(owned >> FLAT_BIT)
    own0, own1, own2 = (owned >> CORNER_BIT) & 1, (owned >> (CORNER_BIT + 1)) & 1, (owned >> (CORNER_BIT + 2)) & 1
    return (
        (over0 < 0.0 and (edges & 1) | own0 | own1 != 0)
        or (over1 < 0.0 and (edges >> 1 & 1) | own1 | own2 != 0)
        or (over2 < 0.0 and (edges >> 2 & 1) | own2 | own0 != 0)
    )


@part
def middle_of(wall_f, k, j, ex, ey, ez):
    """Deflection of the middle of edge j (3), with the vector e."""
    i = AT_CORNER + 3 * j
    q = AT_CORNER + 3 * ((j + 1) % 3)
    mx, my, mz = wall_f[k, i] + wall_f[k, q], wall_f[k, i + 1] + wall_f[k, q + 1], wall_f[k, i + 2] + wall_f[k, q + 2]
    length, mx, my, mz = direction(mx, my, mz, 0.0, 0.0, 1.0)
    ox, oy, oz = cross(ex, ey, ez, mx, my, mz)
    ax, ay, az = vector(wall_f, k, E1)
    bx, by, bz = vector(wall_f, k, E2)
    Ax, Ay, Az = cross(ax, ay, az, bx, by, bz)
    double_area = math.sqrt(dot(Ax, Ay, Az, Ax, Ay, Az))
    wide = wall_f[k, SPREAD + j] * double_area / dot(ex, ey, ez, ex, ey, ez)
    rise = 4.0 * wall_f[k, RISE + j] / (wall_f[k, WEIGHT + j] + wall_f[k, WEIGHT + (j + 1) % 3] + length)
    return rise * mx + wide * ox, rise * my + wide * oy, rise * mz + wide * oz


@part
def on_edge(ex, ey, ez, mx, my, mz, qx, qy, qz):
    """Where on the parabola s e + 4 s (1 - s) m a point q has its foot."""
    s = dot(qx, qy, qz, ex, ey, ez) / dot(ex, ey, ez, ex, ey, ez)
    for _ in range(4):
        up, lean = 4.0 * s * (1.0 - s), 4.0 * (1.0 - 2.0 * s)
        tx, ty, tz = ex + lean * mx, ey + lean * my, ez + lean * mz
        rx, ry, rz = qx - s * ex - up * mx, qy - s * ey - up * my, qz - s * ez - up * mz
        step = dot(rx, ry, rz, tx, ty, tz) / dot(tx, ty, tz, tx, ty, tz)
        s = min(max(s + step, -0.5), 1.5)
        if abs(step) < SAME_FOOT:  # at once, where the edge is straight
            break
    return s


@part
def to_curved(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach):
    """As `nearest`, of a curved triangle."""
    owned = wall_i[k, OWNED]
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    nx, ny, nz = vector(wall_f, k, FACE)
    h = dx * nx + dy * ny + dz * nz
    if abs(h) >= reach + wall_f[k, BULGE]:
        return FAR, 0.0, 0.0, 1.0
    if is_beyond(wall_f, k, owned, dx, dy, dz, h, reach):
        return FAR, 0.0, 0.0, 1.0

    # the face, as a centre that is nudged sees it
    u, v, nx, ny, nz, minimum = foot(wall_f, k, dx + NUDGE_X, dy + NUDGE_Y, dz + NUDGE_Z, h)
    w = 1.0 - u - v
    s0, s1, s2 = wall_f[k, SPREAD], wall_f[k, SPREAD + 1], wall_f[k, SPREAD + 2]
    over0, over1, over2 = v + 4.0 * s0 * w * u, w + 4.0 * s1 * u * v, u + 4.0 * s2 * v * w  # each edge
    if minimum and over0 >= 0.0 and over1 >= 0.0 and over2 >= 0.0:
        ax, ay, az = vector(wall_f, k, E1)
        bx, by, bz = vector(wall_f, k, E2)
        length, nx, ny, nz = direction(nx, ny, nz, 0.0, 0.0, 1.0)
        rise = w * (wall_f[k, RISE] * u + wall_f[k, RISE + 2] * v) + wall_f[k, RISE + 1] * u * v
        weight = wall_f[k, WEIGHT] * w + wall_f[k, WEIGHT + 1] * u + wall_f[k, WEIGHT + 2] * v
        rise *= 8.0 / (weight + length + NEVER_ZERO)
        h = dot(dx - u * ax - v * bx, dy - u * ay - v * by, dz - u * az - v * bz, nx, ny, nz) - rise
        side = -1.0 if h >= 0.0 else 1.0
        return abs(h), side * nx, side * ny, side * nz
    if owned & 255 == 0 or (minimum and not has_feature(owned, over0, over1, over2)):
        return FAR, 0.0, 0.0, 1.0

    # of the edges that the centre is beyond, the one that is closest, and where on it: 0 at its beginning, 1 at its end
    edge, place, closest = -1, 0.0, FAR
    fx, fy, fz = vector(wall_f, k, FACE)
    for j in range(3):
        sx, sy, sz, ex, ey, ez = side_of(wall_f, False, k, j)
        qx, qy, qz = dx + NUDGE_X - sx, dy + NUDGE_Y - sy, dz + NUDGE_Z - sz
        over = over0 if j == 0 else over1 if j == 1 else over2
        if not minimum:  # by the plane of the triangle
            ix, iy, iz = cross(fx, fy, fz, ex, ey, ez)
            over = dot(qx, qy, qz, ix, iy, iz)
        if over < 0.0:
            mx, my, mz = middle_of(wall_f, k, j, ex, ey, ez)
            s = on_edge(ex, ey, ez, mx, my, mz, qx, qy, qz)
            at = min(max(s, 0.0), 1.0)
            up = 4.0 * at * (1.0 - at)
            rx, ry, rz = qx - at * ex - up * mx, qy - at * ey - up * my, qz - at * ez - up * mz
            distance = dot(rx, ry, rz, rx, ry, rz)
            if distance < closest:
                edge, place, closest = j, s, distance
    if edge < 0:
        return FAR, 0.0, 0.0, 1.0

    sx, sy, sz, ex, ey, ez = side_of(wall_f, False, k, edge)
    slack = SLACK * math.sqrt(closest)
    if place > 0.0 and place < 1.0:
        if (owned >> (EDGE_BIT + edge)) & 1 == 0 or (owned >> (FLAT_BIT + edge)) & 1:
            return FAR, 0.0, 0.0, 1.0
        mx, my, mz = middle_of(wall_f, k, edge, ex, ey, ez)
        up = 4.0 * place * (1.0 - place)
        qx, qy, qz = dx - sx - place * ex - up * mx, dy - sy - place * ey - up * my, dz - sz - place * ez - up * mz
        ox, oy, oz = vector(wall_f, k, OUT + 3 * edge)
        if dot(qx, qy, qz, ox, oy, oz) < -slack:
            return FAR, 0.0, 0.0, 1.0
        return direction(-qx, -qy, -qz, fx, fy, fz)

    corner = edge
    if place >= 1.0:
        corner = (edge + 1) % 3
        sx, sy, sz = sx + ex, sy + ey, sz + ez
    if (owned >> (CORNER_BIT + corner)) & 1 == 0:
        return FAR, 0.0, 0.0, 1.0
    qx, qy, qz = dx - sx, dy - sy, dz - sz
    row = wall_i[k, CORNER + corner]
    first = rim_i[row, 0]
    for j in range(first, first + rim_i[row, 1]):
        if dot(qx, qy, qz, rim_f[j, 0], rim_f[j, 1], rim_f[j, 2]) > slack:
            return FAR, 0.0, 0.0, 1.0
    return direction(-qx, -qy, -qz, fx, fy, fz)
