"""The surface of the terrain as bodies feel it: heights, tangent planes, the nearest point.

Hard ground is that of wheels (`kernels/vehicle/terrain.py`), with walls apart (`walls.py`). Soft soil is as hard as a
floor here, at the height that wheels have left it with: below the ground by what does not come back of the largest
static sinkage, and by the slip sinkage, bilinear between the middles of cells.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.vehicle.tables import SINE
from gori.kernels.vehicle.terrain import STEEP, feature_height, position_on, relief
from gori.kernels.whole import floor

DESCENTS, SHORTER = 12, 8
"""steps of the search for the nearest point, and how often each may be halved"""


@part
def cell_rut(soil, cells, i, j):
    """Depth of the rut in a cell [m]."""
    here = cells[min(max(j, 0), soil.ny - 1) * soil.nx + min(max(i, 0), soil.nx - 1)]
    return here.z_max * (1.0 - soil.rebound) + here.z_dyn


@part
def corner(soil, x, y):
    """Whether a position is on the grid, the cell whose middle is next below it, and how far beyond it is [cells]."""
    a, b = (x - soil.x0) / soil.cell, (y - soil.y0) / soil.cell
    if a < 0.0 or b < 0.0 or a > soil.nx or b > soil.ny:
        return False, 0, 0, 0.0, 0.0
    i, j = floor(a - 0.5), floor(b - 0.5)
    return True, i, j, a - 0.5 - i, b - 0.5 - j


@part
def between(soil, a, b, d00, d10, d01, d11):
    """Depth [m] between the middles of four cells, and its slopes."""
    depth = (1.0 - b) * (d00 + a * (d10 - d00)) + b * (d01 + a * (d11 - d01))
    along = ((1.0 - b) * (d10 - d00) + b * (d11 - d01)) / soil.cell
    across = ((1.0 - a) * (d01 - d00) + a * (d11 - d10)) / soil.cell
    return depth, along, across


@part
def rut(soil, cells, x, y):
    """Depth [m] of the soil below the ground, and its slopes; outside of the grid there is no soil."""
    inside, i, j, a, b = corner(soil, x, y)
    if not inside:
        return 0.0, 0.0, 0.0
    d00, d10 = cell_rut(soil, cells, i, j), cell_rut(soil, cells, i + 1, j)
    d01, d11 = cell_rut(soil, cells, i, j + 1), cell_rut(soil, cells, i + 1, j + 1)
    return between(soil, a, b, d00, d10, d01, d11)


@part
def surface(tables, cells, x, y):
    """Height [m] and slopes dh/dx, dh/dy of what bodies stand on; a wall has no slope of its own.

    tables   ContactTables;  cells: CELL rows of its soil, or none
    """
    h, gx, gy = relief(tables, x, y)
    if gx * gx + gy * gy > STEEP * STEEP:
        for n in range(tables.feature.shape[0]):
            feature = tables.feature[n]
            s, across = position_on(feature, x, y)
            if feature.kind != SINE and abs(across) <= feature.half_width:
                _, g = feature_height(feature, s)
                if abs(g) > STEEP:
                    gx, gy = gx - g * feature.cos, gy - g * feature.sin
    if cells.shape[0] > 0:
        depth, along, across = rut(tables.soil[0], cells, x, y)
        h, gx, gy = h - depth, gx - along, gy - across
    return h, gx, gy


@part
def normal_of(gx, gy):
    """Unit normal of a plane with these slopes."""
    nz = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)
    return -gx * nz, -gy * nz, nz


@block
def over_surface(tables, cells, x, y, z, fx, fy):
    """Height of a point over the surface, and the normal there: of the tangent plane at (fx, fy), or at the foot of the
    point on that plane, whichever is nearer.
    """
    h, gx, gy = surface(tables, cells, fx, fy)
    nx, ny, nz = normal_of(gx, gy)
    gap = nx * (x - fx) + ny * (y - fy) + nz * (z - h)
    fx, fy = x - gap * nx, y - gap * ny
    h, gx, gy = surface(tables, cells, fx, fy)
    mx, my, mz = normal_of(gx, gy)
    there = mx * (x - fx) + my * (y - fy) + mz * (z - h)
    if abs(there) < abs(gap):
        return there, mx, my, mz
    return gap, nx, ny, nz


@block
def nearest(tables, cells, x, y, z, fx, fy):
    """Distance of a point from the surface, negative below it, and the unit vector out of the ground along it.

    From (fx, fy) on, towards the foot of the point on the tangent plane, by the share of the way that makes it nearer:
    one step on a plane; across an edge each step is a share of that before.
    """
    h, gx, gy = surface(tables, cells, fx, fy)
    best = (fx - x) ** 2 + (fy - y) ** 2 + (h - z) ** 2
    for _ in range(DESCENTS):
        lift = (z - h - gx * (x - fx) - gy * (y - fy)) / (1.0 + gx * gx + gy * gy)
        mx, my = x + gx * lift - fx, y + gy * lift - fy
        if mx * mx + my * my < 1e-20 * best:
            break
        share, nearer = 1.0, False
        for _ in range(SHORTER):
            tx, ty = fx + share * mx, fy + share * my
            th, tgx, tgy = surface(tables, cells, tx, ty)
            square = (tx - x) ** 2 + (ty - y) ** 2 + (th - z) ** 2
            if square < best:
                best, fx, fy, h, gx, gy, nearer = square, tx, ty, th, tgx, tgy, True
                break
            share *= 0.5
        if not nearer:
            break
    nx, ny, nz = normal_of(gx, gy)
    distance = math.sqrt(best)
    plane = nx * (x - fx) + ny * (y - fy) + nz * (z - h)
    if distance < 1e-9 + 1e-6 * abs(h) or abs(plane) < 0.1 * distance:
        return plane, nx, ny, nz
    sign = 1.0 if plane > 0.0 else -1.0
    return sign * distance, sign * (x - fx) / distance, sign * (y - fy) / distance, sign * (z - h) / distance


@block
def mean_normal(tables, cells, x, y, reach):
    """Unit normal of the ground on the whole, within the reach [m] of a position."""
    hx, _, _ = surface(tables, cells, x + reach, y)
    gx, _, _ = surface(tables, cells, x - reach, y)
    hy, _, _ = surface(tables, cells, x, y + reach)
    gy, _, _ = surface(tables, cells, x, y - reach)
    return normal_of(0.5 * (hx - gx) / reach, 0.5 * (hy - gy) / reach)
