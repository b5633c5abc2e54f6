"""Bodies on soft soil, with penalty forces: pressure and shear over the cells under a shape, and what cells keep.

A cell sees the lower surface of a shape above or below the untouched ground, as it sees a tread
(`kernels/vehicle/patch.py`), by the same laws (`kernels/vehicle/soil.py`) and with the same memory: a wheel runs in the
trace of a hull, and a hull in that of a wheel. For a plate of the width b that is pressed in flat this is Bekker's law,

    F = A (kc / b + kphi) z^n,      b = twice the middle one of the half edges of the box about the shape

Each cell exerts P along the inner normal of the surface and shear in its tangent plane, on the area of surface above
it. The shear is that which the soil bears, or friction times P, whichever is less. Soil is elastic where it comes back:
a part ZETA of critical damping of the body's mass on the area of its shape makes a body come to rest, at most as large
as P, and never a pull.

Next to walls of features, a cell that gets deep into a shape at once is one that the wall has brought there, and bears
nothing: the wall does (`terrain/walls.py`).
"""

import math

from gori.kernels.contact.find import velocity_at
from gori.kernels.contact.measure import measure_force, measure_gap
from gori.kernels.contact.tables import GROUND
from gori.kernels.contact.terrain.under import lower_surface
from gori.kernels.forces.elements import add_wrench
from gori.kernels.jit import block, part
from gori.kernels.machine import ADD_WRENCHES, ADVANCE, START
from gori.kernels.tree.columns import P_WB
from gori.kernels.tree.kinematics import cross
from gori.kernels.vehicle.patch import STEEPEST, dig, first_cell, held, last_cell, stretched
from gori.kernels.vehicle.soil import FULL_COHESION, mobilised, pressure, stiffness
from gori.kernels.vehicle.terrain import STEEP, relief

ZETA = 0.3
"""damping by critical damping of a body that presses with the whole of its shape"""
BROUGHT = 0.02
"""depth [m], beyond what its speed explains, from which on a cell next to walls was brought there by one"""


@part
def plate(shape):
    """Width b [m] of a shape as a plate, and its area [m2]."""
    x, y, z = shape.half[0], shape.half[1], shape.half[2]
    most, least = max(x, y, z), min(x, y, z)
    middle = x + y + z - most - least
    return 2.0 * middle, 4.0 * middle * most


@part
def shear_of(soil, here, before, slip_s, slip_a, dt, P, mu):
    """Shear stress along both tangents [Pa], and the stretch that is kept (2) [m]; as in `press_cell`."""
    es, ea, j = stretched(here, before, slip_s, slip_a, dt)
    modulus, reach, left = mobilised(soil, P, j, here.j_max)
    strongest = min(soil.cohesion, FULL_COHESION * P) + P * soil.tan_phi
    if strongest > mu * P:
        modulus *= mu * P / strongest
    es, ea, ts, ta, _ = held(es, ea, slip_s, slip_a, reach, left, 1.0)
    return -modulus * ts, -modulus * ta, es, ea


@block
def press_cell(machine, data, a, ix, iy, law, times):
    """Add what one cell does to shape a to `total`: moment about its body's origin, and force. Returns the depth [m].

    law     stiffness of Bekker's law; friction; mass of the body by the area of its shape [kg/m2]
    times   time [s], time since the cells were updated [s], and 1 to update them
    """
    t, dt, commit = times
    k, mu, dense = law
    tables, body_w, total, pose = (
        machine.contact, data.body_w, data.contact_memory.total, data.contact_memory.pose[a],
    )  # fmt: skip
    soil, shape = tables.soil[0], tables.shape[a]
    x, y = soil.x0 + (ix + 0.5) * soil.cell, soil.y0 + (iy + 0.5) * soil.cell
    h, gx, gy = relief(tables, x, y)
    if gx * gx + gy * gy > STEEP * STEEP:
        return 0.0
    low, nx, ny, nz = lower_surface(shape, pose, tables.plane, x, y)
    if low >= h:
        return 0.0
    z = (h - low) / math.sqrt(1.0 + gx * gx + gy * gy)
    here = data.cells[iy * soil.nx + ix]
    z_dyn, z_max = here.z_dyn, here.z_max
    if z <= z_dyn:
        return 0.0
    P, down, up = pressure(soil, k, z - z_dyn, z_max, here.p_max)
    if P <= 0.0:
        return 0.0
    nx, ny, nz = -nx, -ny, -nz
    vx, vy, vz = velocity_at(body_w, shape.row, x, y, low)
    before = t - dt - 1e-9 * (1.0 + abs(t))
    at_once = BROUGHT + dt * math.sqrt(vx * vx + vy * vy + vz * vz)
    if tables.feature.shape[0] > 0 and here.stamp < before and z - z_dyn - z_max > at_once:
        return 0.0
    # tangents: s level along x where it can be, and a = n x s
    sx, sy, sz = 1.0 - nx * nx, -nx * ny, -nx * nz
    if sx < 0.01:
        sx, sy, sz = -ny * nx, 1.0 - ny * ny, -ny * nz
    over = 1.0 / math.sqrt(sx * sx + sy * sy + sz * sz)
    sx, sy, sz = over * sx, over * sy, over * sz
    ax, ay, az = cross(nx, ny, nz, sx, sy, sz)
    slip_s, slip_a = vx * sx + vy * sy + vz * sz, vx * ax + vy * ay + vz * az
    _, _, j = stretched(here, before, slip_s, slip_a, dt)
    z_sta = z - z_dyn
    if soil.c0 > 0.0:
        sunk, P = dig(soil, z_dyn, z_sta, z_max, P, down, up, j)
        z_dyn, z_sta = z_dyn + sunk, z_sta - sunk
    if not P > 0.0:
        return z
    shear_s, shear_a, es, ea = shear_of(soil, here, before, slip_s, slip_a, dt, P, mu)
    sinking = -(vx * nx + vy * ny + vz * nz)
    pressed = min(2.0 * P, max(0.0, P + 2.0 * ZETA * math.sqrt(up * dense) * sinking))
    area = soil.cell * soil.cell / max(nz, STEEPEST)
    fx = area * (pressed * nx + shear_s * sx + shear_a * ax)
    fy = area * (pressed * ny + shear_s * sy + shear_a * ay)
    fz = area * (pressed * nz + shear_s * sz + shear_a * az)
    row = shape.row
    mx, my, mz = cross(x - body_w[row, P_WB], y - body_w[row, P_WB + 1], low - body_w[row, P_WB + 2], fx, fy, fz)
    total[0] += mx
    total[1] += my
    total[2] += mz
    total[3] += fx
    total[4] += fy
    total[5] += fz
    if commit == 1:
        if z_sta > z_max:
            here.z_max, here.p_max = z_sta, P
        here.e_x, here.e_y, here.j, here.stamp = es, ea, j, t
        here.j_max, here.z_dyn = max(j, here.j_max), z_dyn
    return z


@block
def press_shape(machine, data, a, mu, t, what):
    """All cells under shape a: forces on its body, or what is recorded of them."""
    tables, memory, body_w, total = machine.contact, data.contact_memory, data.body_w, data.contact_memory.total
    soil, shape, box = tables.soil[0], tables.shape[a], memory.box[a]
    width, area = plate(shape)
    law = stiffness(soil, width), mu, min(shape.mass / area, 1e6)
    times = (t, max(0.0, t - memory.head[0].soil_time), 1 if what in (ADVANCE, START) else 0)
    for i in range(6):
        total[i] = 0.0
    deepest = 0.0
    x0, x1 = max(0, first_cell(box[0], soil.x0, soil.cell)), min(soil.nx - 1, last_cell(box[3], soil.x0, soil.cell))
    y0, y1 = max(0, first_cell(box[1], soil.y0, soil.cell)), min(soil.ny - 1, last_cell(box[4], soil.y0, soil.cell))
    for iy in range(y0, y1 + 1):
        for ix in range(x0, x1 + 1):
            depth = press_cell(machine, data, a, ix, iy, law, times)
            deepest = max(deepest, depth)
    if deepest == 0.0:
        return
    row, m = shape.row, total
    if what == ADD_WRENCHES:
        add_wrench(row, 0.0, 0.0, 0.0, m[0], m[1], m[2], m[3], m[4], m[5], body_w)
        return
    memory.measured[0] += 1.0
    measure_gap(memory, -deepest)
    origin = body_w[row, P_WB : P_WB + 3]
    measure_force(memory, body_w, a, row, origin, m[0], m[1], m[2], m[3], m[4], m[5])


@part
def press_soil(machine, data, t, what):
    """Soft soil under all shapes that may touch the terrain; after `find_contacts`."""
    tables, memory = machine.contact, data.contact_memory
    if data.cells.shape[0] == 0 or tables.soil.shape[0] == 0:
        return
    for p in range(memory.count[1]):
        a, b = memory.pairs[p, 0], memory.pairs[p, 1]
        if tables.shape[b].kind == GROUND:
            law = tables.law[tables.shape[a].material, tables.shape[b].material]
            press_shape(machine, data, a, law.friction, t, what)
    if what in (ADVANCE, START):
        memory.head[0].soil_time = t
