"""A wheel on soft soil: pressure and shear over the cells under it, and what the cells remember.

The tread is a cylinder about the axle; a cell of the grid sees its lower side above or below the untouched ground. Each
cell pushes with P along the inner normal n of the tread and with a shear stress in its tangent plane, on the tread's
area above it. So the slanted front of a sunken wheel gives motion resistance, and nothing else has to.

Tyre in series: its deflection d raises the tread, and flattens it. The flattened tread is a larger circle that meets
the undeformed one where that enters the soil: both have the half length sqrt(2 R (z + d)) there, so

    R' = R (1 + d / z),   its lowest point R - d below the axle, z deep in the soil

On hard soil z goes to 0 and the tread to the flat patch of a tyre on a road; without d it is the rigid wheel.
The tread runs along its contour at the speed omega Re, Re = R - d / 3, and shear stress acts on the spin by the lever
Re: what the torque puts in and the hub does not take out goes into the soil, and nothing is lost or won between.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.vehicle.soil import (
    C0,
    C1,
    CELL,
    NX,
    NY,
    REBOUND,
    X0,
    Y0,
    mobilised,
    pressure,
    slip_sinkage,
    stiffness,
)
from gori.kernels.vehicle.terrain import height, is_plane

# ground (NX * NY, N_CELL) float64, row iy * NX + ix: what a cell remembers
Z_MAX, P_MAX, Z_DYN, J_MAX = 0, 1, 2, 3
"""largest static sinkage [m] and the pressure there [Pa], slip sinkage [m], longest slip path of a contact [m]"""
E_X, E_Y, J, STAMP = 4, 5, 6, 7
"""of the contact now going on: stretch along the tread and the axle [m], slip path [m]; time of the last contact [s]"""
N_CELL = 8
NEVER = -1e300
"""STAMP of a cell that nothing has touched"""

# out (N_PATCH_OUT,) float64, world axes
FX, FY, FZ, MX, MY, MZ, TORQUE = 0, 1, 2, 3, 4, 5, 6
"""force on the wheel [N], its moment about the centre less the part about the axle [N m], torque on the spin [N m]"""
LOAD, K_UP, K_DOWN, K_SPIN = 7, 8, 9, 10
"""force against the deflection [N]; its slopes when the tread rises or sinks [N/m]; slope of -TORQUE by angle [N m]"""
SINKAGE, AREA, DEFLECTION = 11, 12, 13
"""of the tread's lowest point below the untouched ground [m]; area of contact, seen from above [m2]; of the tyre [m]"""
N_PATCH_OUT = 14

# s (N_SOFT,) float64: what a wheel keeps from step to step; zeros for a wheel that has not touched yet
S_D, S_DEPTH, S_LOAD, S_UP, S_DOWN = 0, 1, 2, 3, 4
"""deflection of the tyre [m], depth of the undeformed wheel in the ground [m]; LOAD, K_UP, K_DOWN of the last step"""
N_SOFT = 5

GOOD, OFF_GRID, LOST = 0, 1, 2
"""what `soft_wheel` returns: all well; a part of the footprint is outside the grid; a place that is no place (NaN)"""

STICK_TIME = 0.02
"""damping of soil that sticks, as a time [s]: without it a parked vehicle would swing for ever"""

FLATTEST, STEEPEST = 0.1, 0.1
"""smallest share of a level axle (a wheel on its side touches with no tread), and of a level tread above a cell"""


@part
def first_cell(low, origin, cell):
    """Index of the first cell whose middle is not below `low`."""
    return math.ceil((low - origin) / cell - 0.5)


@part
def last_cell(high, origin, cell):
    """Index of the last cell whose middle is not above `high`."""
    return math.floor((high - origin) / cell - 0.5)


@part
def span(half, along, offset):
    """Where -half <= along x + offset <= half: lowest and highest x."""
    if abs(along) < 1e-9:
        return (-1e9, 1e9) if abs(offset) <= half else (1.0, -1.0)
    a, b = (-half - offset) / along, (half - offset) / along
    return min(a, b), max(a, b)


@part
def series_step(s, spring, stiff, damping, depth, dt):
    """Deflection [m] of a tyre in series with the soil when the undeformed wheel is `depth` [m] deep.

    spring(d) + damping d' = load, by one step of Newton's method with last step's slopes. At first the tread is taken
    to stay where it is; the force g that is then missing makes it rise or sink. Soil comes back much more stiffly than
    it sinks, so the slope is that for the way it goes.

    s               what the wheel keeps, (N_SOFT,)
    spring, stiff   force of the tyre's spring at s[S_D] [N] and its slope [N/m]; stiff = 0: d is held
    damping         [N s/m]
    """
    if stiff <= 0.0:
        return s[S_D]
    moved = depth - s[S_DEPTH]
    own = stiff + damping / dt if dt > 0.0 else stiff
    g = s[S_LOAD] - spring - own * moved
    return max(0.0, s[S_D] + moved + g / ((s[S_UP] if g > 0.0 else s[S_DOWN]) + own))


@part
def keep(s, d, depth, load, up, down):
    """What the next `series_step` starts from."""
    s[S_D], s[S_DEPTH], s[S_LOAD], s[S_UP], s[S_DOWN] = d, depth, load, up, down


@part
def dig(p, z_dyn, z_sta, z_max, P, down, up, j):
    """How much deeper slip sinks in this step [m], and the pressure after it [Pa].

    z = C0 (P / P_CRIT)^C1 j^C2 with P falling as z grows, by one step of Newton's method; never back. P falls along the
    virgin curve as long as the soil is deeper than ever, then along the steep line on which soil comes back.
    """
    missing = slip_sinkage(p, P, j) - z_dyn
    if missing <= 0.0:
        return 0.0, P
    gain = p[C1] * (missing + z_dyn) / P  # of the wanted sinkage by pressure
    free = z_sta - z_max
    if free <= 0.0:
        sunk = missing / (1.0 + gain * up)
        return sunk, max(0.0, P - up * sunk)
    sunk = missing / (1.0 + gain * down)
    if sunk > free:
        sunk = free + (missing - free * (1.0 + gain * down)) / (1.0 + gain * up)
        return sunk, max(0.0, P - down * free - up * (sunk - free))
    return sunk, P - down * sunk


@block
def soft_wheel(
    p, ground, ti, tf, radius, width, cx, cy, cz, ax, ay, az, vx, vy, vz, wx, wy, wz, spin,
    s, spring, stiff, damping, t, dt, commit, out,
):  # fmt: skip
    """Forces of soft soil on one wheel, into out (N_PATCH_OUT,). Returns GOOD, OFF_GRID or LOST.

    p, ground        row of the soil (N_SOIL_F,) and its cells (NX * NY, N_CELL)
    ti, tf           tables of the terrain: the ground as it was before anything touched it
    radius, width    of the wheel [m]
    c, a             centre [m] and axis (unit, to the left of the wheel), world axes
    v, w             velocity of the centre [m/s] and angular velocity of the body that carries the wheel [rad/s]
    spin             of the wheel on that body [rad/s], > 0 rolls forward
    s                what the wheel keeps, (N_SOFT,)
    spring, stiff    force of the tyre's spring at the deflection s[S_D] [N] and its slope [N/m]; stiff = 0: the
                     deflection stays as it is in s, 0 for a rigid wheel
    damping          of the tyre [N s/m]
    t, dt            time [s], and time since the last call with commit = 1 [s]
    commit           1: the cells and s remember; 0: a trial that leaves no trace
    """
    for k in range(N_PATCH_OUT):
        out[k] = 0.0
    far = abs(cx) + abs(cy) + abs(cz) + abs(ax) + abs(ay) + abs(az) + abs(s[S_D])
    if not far + abs(vx) + abs(vy) + abs(vz) + abs(wx) + abs(wy) + abs(wz) + abs(spin) < 1e9:
        return LOST
    flat = 1.0 - az * az
    if flat < FLATTEST:
        return GOOD

    # heading (hx, hy) and left side (-hy, hx), both level; the ground as a plane through five places ahead and behind
    level = math.sqrt(flat)
    hx, hy = ay / level, -ax / level
    fx, fy = cx + radius * az * ax / level, cy + radius * az * ay / level
    cell = p[CELL]
    smooth = is_plane(ti, tf, fx, fy, 1.5 * radius + width)
    near, beyond, side = 0.4 * radius, 0.8 * radius, 0.5 * width
    h0 = height(ti, tf, fx, fy)
    h1, h2 = height(ti, tf, fx + near * hx, fy + near * hy), height(ti, tf, fx - near * hx, fy - near * hy)
    h3, h4 = height(ti, tf, fx - side * hy, fy + side * hx), height(ti, tf, fx + side * hy, fy - side * hx)
    grade, bank, bump = (h1 - h2) / (2.0 * near), (h3 - h4) / width, 0.0
    if not smooth:
        h5, h6 = height(ti, tf, fx + beyond * hx, fy + beyond * hy), height(ti, tf, fx - beyond * hx, fy - beyond * hy)
        bump = max(0.5 * (h1 + h2), h5 - beyond * grade, h6 + beyond * grade, h3 - side * bank, h4 + side * bank) - h0
        bump = max(bump, 0.0)
    gx, gy = grade * hx - bank * hy, grade * hy + bank * hx
    nt = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)

    # u: the ground's normal, turned into the wheel's plane; along it the tyre gives way
    tilt = nt * (az - gx * ax - gy * ay)
    ux, uy, uz = -gx * nt - tilt * ax, -gy * nt - tilt * ay, nt - tilt * az
    lean = math.sqrt(ux * ux + uy * uy + uz * uz)
    if lean < FLATTEST:
        return GOOD
    ux, uy, uz = ux / lean, uy / lean, uz / lean
    above = nt * (cz - h0 - gx * (cx - fx) - gy * (cy - fy)) / lean  # of the centre over the ground, along u
    depth = radius - above
    d = min(series_step(s, spring, stiff, damping, depth, dt), 0.9 * radius)
    sinkage = depth - d
    # the ground beside the middle may be higher, and the edge of a leaning tread lower: these touch first
    bump = (bump * nt + 0.5 * width * abs(tilt)) / lean
    out[SINKAGE], out[DEFLECTION] = max(sinkage, 0.0), d
    if sinkage + bump <= 0.0:
        if commit == 1:
            keep(s, d, depth, 0.0, 0.0, 0.0)
        return GOOD

    # the tread: a larger circle where the tyre gives way; cells lie where the undeformed one is below the ground
    R = radius * (1.0 + d / max(sinkage + bump, 0.02 * d + 1e-6)) if d > 0.0 else radius
    raised = R - radius + d
    qx0, qy0, qz0 = cx + raised * ux, cy + raised * uy, cz + raised * uz
    rolling = radius - d / 3.0
    over = max(above - bump, 0.0)
    ahead = math.sqrt(max(radius * radius - over * over, 0.0)) / math.sqrt(1.0 + grade * grade)
    aside = 0.5 * width * level + 0.5 * cell + abs(az) * (radius - over)
    mx, my = cx - over * ux, cy - over * uy
    ex, ey = abs(hx) * ahead + abs(hy) * aside, abs(hy) * ahead + abs(hx) * aside
    x0, y0, nx, ny = p[X0], p[Y0], int(p[NX]), int(p[NY])
    code = GOOD
    if mx - ex < x0 or my - ey < y0 or mx + ex > x0 + nx * cell or my + ey > y0 + ny * cell:
        code = OFF_GRID

    k = stiffness(p, width)
    before = t - dt - 1e-9 * (1.0 + abs(t))  # a contact goes on if the cell was touched at the last step
    sticking = 1.0 + STICK_TIME / dt if dt > 0.0 else 1.0
    by_flat, by_cell, by_R, half = 1.0 / flat, 1.0 / cell, 1.0 / R, 0.5 * width / cell + 0.5
    fx_, fy_, fz_, mx_, my_, mz_, torque = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k_up, k_down, k_spin, touched, hover = 0.0, 0.0, 0.0, 0.0, 0.0
    for iy in range(max(0, first_cell(my - ey, y0, cell)), min(ny - 1, last_cell(my + ey, y0, cell)) + 1):
        y = y0 + (iy + 0.5) * cell
        low, high = span(ahead, hx, (y - my) * hy)
        low2, high2 = span(aside, -hy, (y - my) * hx)
        first = max(0, first_cell(mx + max(low, low2), x0, cell))
        last = min(nx - 1, last_cell(mx + min(high, high2), x0, cell))
        for ix in range(first, last + 1):
            x = x0 + (ix + 0.5) * cell

            # lower side of the tread on the vertical line of the cell: |q|^2 - (q.a)^2 = R^2
            qx, qy = x - qx0, y - qy0
            along = qx * ax + qy * ay
            root = along * along * az * az - flat * (qx * qx + qy * qy - along * along - R * R)
            if root <= 0.0:
                continue
            qz = (along * az - math.sqrt(root)) * by_flat
            lateral = along + qz * az
            share = min(half - abs(lateral) * by_cell, 1.0)
            h = h0 + gx * (x - fx) + gy * (y - fy) if smooth else height(ti, tf, x, y)
            z = (h - qz0 - qz) * nt
            c = iy * nx + ix
            z_dyn = ground[c, Z_DYN]
            if share <= 0.0 or z <= z_dyn:
                continue
            z_max = ground[c, Z_MAX]
            P, down, up = pressure(p, k, z - z_dyn, z_max, ground[c, P_MAX])
            if P <= 0.0:
                # just above a rut: it will carry as soon as the tread sinks
                if z - z_dyn > z_max * (1.0 - 2.0 * p[REBOUND]):
                    hover += share * ground[c, P_MAX] / z_max
                continue

            # inner normal n, tangent s = a x n, and the place r as seen from the wheel's own centre
            nx_, ny_, nz_ = (lateral * ax - qx) * by_R, (lateral * ay - qy) * by_R, (lateral * az - qz) * by_R
            sx, sy, sz = ay * nz_ - az * ny_, az * nx_ - ax * nz_, ax * ny_ - ay * nx_
            rx, ry, rz = qx + raised * ux, qy + raised * uy, qz + raised * uz
            kx, ky, kz = vx + wy * rz - wz * ry, vy + wz * rx - wx * rz, vz + wx * ry - wy * rx
            slip_s = kx * sx + ky * sy + kz * sz - spin * rolling
            slip_a = kx * ax + ky * ay + kz * az

            # stretch of the soil's spring; a contact that is new began within the step, on average half-way
            j_max = ground[c, J_MAX]
            if ground[c, STAMP] < before:
                es, ea = 0.5 * dt * slip_s, 0.5 * dt * slip_a
                j = math.sqrt(es * es + ea * ea)
            else:
                es, ea = ground[c, E_X] + dt * slip_s, ground[c, E_Y] + dt * slip_a
                j = ground[c, J] + dt * math.sqrt(slip_s * slip_s + slip_a * slip_a)
            z_sta = z - z_dyn
            if p[C0] > 0.0:
                sunk, P = dig(p, z_dyn, z_sta, z_max, P, down, up, j)
                z_dyn, z_sta = z_dyn + sunk, z_sta - sunk
            modulus, reach, left = mobilised(p, P, j, j_max)
            squared, reach2, grip = es * es + ea * ea, reach * reach, sticking
            if squared > reach2:
                cut = reach / math.sqrt(squared)
                es, ea, grip = es * cut, ea * cut, left
            ts, ta = es + STICK_TIME * slip_s, ea + STICK_TIME * slip_a
            squared = ts * ts + ta * ta
            if squared > reach2:
                cut = reach / math.sqrt(squared)
                ts, ta, grip = ts * cut, ta * cut, min(grip, left)

            # on the area of tread above the cell
            level_area = share * cell * cell
            area = level_area / max(nz_, STEEPEST)
            force_s, force_a, force_n = -modulus * ts * area, -modulus * ta * area, P * area
            forward = force_n * nx_ + force_s * sx + force_a * ax
            leftward = force_n * ny_ + force_s * sy + force_a * ay
            upward = force_n * nz_ + force_s * sz + force_a * az
            fx_ += forward
            fy_ += leftward
            fz_ += upward
            mx_ += ry * upward - rz * leftward
            my_ += rz * forward - rx * upward
            mz_ += rx * leftward - ry * forward
            torque -= force_s * rolling
            k_up += up * level_area
            k_down += down * level_area
            k_spin += grip * modulus * area * rolling * rolling
            touched += level_area

            if commit == 1:
                if z_sta > z_max:
                    ground[c, Z_MAX], ground[c, P_MAX] = z_sta, P
                ground[c, E_X], ground[c, E_Y], ground[c, J], ground[c, STAMP] = es, ea, j, t
                ground[c, J_MAX], ground[c, Z_DYN] = max(j, j_max), z_dyn

    # a tyre that lands passes on no more than it can: twice what it would carry on hard ground
    load = fx_ * ux + fy_ * uy + fz_ * uz
    if stiff > 0.0 and dt > 0.0:
        most = 2.0 * (spring + (stiff + damping / dt) * max(depth - max(s[S_DEPTH], 0.0), 0.0))
        if load > most:
            cut = most / load
            fx_, fy_, fz_, mx_, my_, mz_, torque = (
                cut * fx_, cut * fy_, cut * fz_, cut * mx_, cut * my_, cut * mz_, cut * torque
            )  # fmt: skip
    about = mx_ * ax + my_ * ay + mz_ * az
    out[FX], out[FY], out[FZ], out[TORQUE] = fx_, fy_, fz_, torque
    out[MX], out[MY], out[MZ] = mx_ - about * ax, my_ - about * ay, mz_ - about * az
    out[LOAD] = fx_ * ux + fy_ * uy + fz_ * uz
    k_down += hover * cell * cell / p[REBOUND]
    out[K_UP], out[K_DOWN], out[K_SPIN], out[AREA] = k_up, k_down, k_spin, touched
    if commit == 1:
        keep(s, d, depth, load, k_up, k_down)
    return code


@block
def rest_deflection(p, ground, ti, tf, radius, width, cx, cy, cz, ax, ay, az, stiff, s, out):
    """Deflection [m] at which a linear tyre and the soil below it carry the same, the wheel standing still; into s.

    For the start of a run: a wheel that is set into the soil all at once would compact it as a rigid one.
    """
    low, high = 0.0, 0.9 * radius
    for _ in range(50):
        s[S_D] = 0.5 * (low + high)
        soft_wheel(
            p, ground, ti, tf, radius, width, cx, cy, cz, ax, ay, az, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            s, 0.0, 0.0, 0.0, 0.0, 0.0, 0, out,
        )  # fmt: skip
        if out[LOAD] > stiff * s[S_D]:
            low = s[S_D]
        else:
            high = s[S_D]
    keep(s, low, out[SINKAGE] + s[S_D], out[LOAD], out[K_UP], out[K_DOWN])
    return low
