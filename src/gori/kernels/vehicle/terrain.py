"""Hard ground: a plane, with a height field and features on top, and friction by place.

h(x, y) = plane + field + sum of features. World axes, z up; features may be turned by a yaw angle.

table   holds
ti      sizes and offsets, T_..
tf      plane, friction and header of the field; then the values of the field, by rows of y; then the rows of the
        features, F_..; then those of the patches, P_..

feature     height above the rest, at the place s along its own x axis and inside its width
TRAPEZOID   0 up to `height` over `up`, level over `top`, down over `down`: bump, ramp, step, plateau
SINE        height * sin(pi s / length): half a wave
"""

import math

from gori.kernels.jit import part

# ti (N_TERRAIN_I,) int64
T_NX, T_NY, T_FIELD, T_FEATURES, T_FEATURE, T_PATCHES, T_PATCH = 0, 1, 2, 3, 4, 5, 6
"""values of the field along x and y (0: no field) and their offset; number of features, offset; of patches, offset"""
N_TERRAIN_I = 7

# tf: the head
T_X, T_Y, T_Z = 0, 1, 2
"""a point of the plane [m]"""
T_GX, T_GY, T_MU = 3, 4, 5
"""dh/dx and dh/dy of the plane, and the friction coefficient where there is no patch"""
T_FIELD_X, T_FIELD_Y, T_CELL_X, T_CELL_Y = 6, 7, 8, 9
"""the first value of the field [m] and the distances between values [m]"""
N_TERRAIN_F = 10

# rows of features
F_KIND, F_X, F_Y, F_COS, F_SIN, F_HALF, F_HEIGHT, F_UP, F_TOP, F_DOWN = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""kind, where it begins (x, y), direction of its x axis, half of its width, height, and lengths [m]; SINE: F_TOP"""
N_FEATURE = 10
TRAPEZOID, SINE = 0, 1

# rows of patches: centre, direction, half of length and width [m], friction coefficient
P_X, P_Y, P_COS, P_SIN, P_LENGTH, P_WIDTH, P_MU = 0, 1, 2, 3, 4, 5, 6
N_PATCH = 7


@part
def place_on(f, x, y):
    """Place along and across a feature or patch [m], whose row begins with kind or not: f[0:4] is x, y, cos, sin."""
    dx, dy = x - f[0], y - f[1]
    return f[2] * dx + f[3] * dy, f[2] * dy - f[3] * dx


@part
def feature_height(f, s):
    """Height [m] and slope of a feature at the place s along it."""
    height, up, top, down = f[F_HEIGHT], f[F_UP], f[F_TOP], f[F_DOWN]
    if s <= 0.0 or s >= up + top + down:
        return 0.0, 0.0
    if f[F_KIND] == SINE:
        turn = math.pi / top
        return height * math.sin(turn * s), height * turn * math.cos(turn * s)
    if s < up:
        return height * s / up, height / up
    if s <= up + top:
        return height, 0.0
    return height * (up + top + down - s) / down, -height / down


@part
def field_cell(origin, cell, n, x):
    """Index of the cell and place in it, 0 to 1; outside the field its edge goes on. Returns also 1 / cell inside."""
    s = (x - origin) / cell
    if not s > 0.0:
        return 0, 0.0, 0.0
    if s >= n - 1.0:
        return n - 2, 1.0, 0.0
    i = int(s)
    return i, s - i, 1.0 / cell


@part
def relief(ti, tf, x, y):
    """Height [m] and slopes dh/dx, dh/dy of the ground."""
    gx, gy = tf[T_GX], tf[T_GY]
    h = tf[T_Z] + gx * (x - tf[T_X]) + gy * (y - tf[T_Y])
    nx = ti[T_NX]
    if nx > 0:
        i, a, da = field_cell(tf[T_FIELD_X], tf[T_CELL_X], nx, x)
        j, b, db = field_cell(tf[T_FIELD_Y], tf[T_CELL_Y], ti[T_NY], y)
        k = ti[T_FIELD] + j * nx + i
        h00, h10, h01, h11 = tf[k], tf[k + 1], tf[k + nx], tf[k + nx + 1]
        h += (1.0 - b) * (h00 + a * (h10 - h00)) + b * (h01 + a * (h11 - h01))
        gx += da * ((1.0 - b) * (h10 - h00) + b * (h11 - h01))
        gy += db * ((1.0 - a) * (h01 - h00) + a * (h11 - h10))
    for n in range(ti[T_FEATURES]):
        k = ti[T_FEATURE] + n * N_FEATURE
        f = tf[k : k + N_FEATURE]
        s, across = place_on(f[F_X:], x, y)
        if abs(across) <= f[F_HALF]:
            rise, g = feature_height(f, s)
            h += rise
            gx += g * f[F_COS]
            gy += g * f[F_SIN]
    return h, gx, gy


@part
def height(ti, tf, x, y):
    """Height of the ground [m]."""
    h, _, _ = relief(ti, tf, x, y)
    return h


@part
def slope(ti, tf, x, y):
    """Slopes of the ground, dh/dx and dh/dy."""
    _, gx, gy = relief(ti, tf, x, y)
    return gx, gy


@part
def friction(ti, tf, x, y):
    """Friction coefficient of the ground: that of the last patch that holds the place, or of the ground as a whole."""
    mu = tf[T_MU]
    for n in range(ti[T_PATCHES]):
        k = ti[T_PATCH] + n * N_PATCH
        f = tf[k : k + N_PATCH]
        along, across = place_on(f, x, y)
        if abs(along) <= f[P_LENGTH] and abs(across) <= f[P_WIDTH]:
            mu = f[P_MU]
    return mu


@part
def is_plane(ti, tf, x, y, reach):
    """Whether the ground is nothing but its plane within the reach [m] of a place."""
    if ti[T_NX] > 0:
        return False
    for n in range(ti[T_FEATURES]):
        k = ti[T_FEATURE] + n * N_FEATURE
        f = tf[k : k + N_FEATURE]
        s, across = place_on(f[F_X:], x, y)
        length = f[F_UP] + f[F_TOP] + f[F_DOWN]
        if s > -reach and s < length + reach and abs(across) < f[F_HALF] + reach:
            return False
    return True
