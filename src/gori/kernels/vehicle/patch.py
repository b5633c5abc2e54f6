"""A wheel on soft soil: pressure and shear over the cells under it, and the state of the cells.

The tread is a cylinder about the axle; a cell of the grid sees its lower side above or below the untouched ground. Each
cell exerts P along the inner normal n of the tread and a shear stress in its tangent plane, on the tread's
area above it. The inclined front of a sunken wheel therefore gives the motion resistance; no separate term is needed.

`footprint.py` gives the tread, flattened by the deflection d of the tyre. It runs along its contour at the speed
omega Re, Re = R - d / 3, and shear stress acts on the rotation by the lever Re: what the torque puts in and the hub
does not take out goes into the soil, and energy is conserved in between.
"""

import math

from gori.kernels.codes import NOT_FINITE, OFF_WINDOW, OK
from gori.kernels.jit import block, part
from gori.kernels.vehicle.footprint import ground_below, lay_tread, press_tyre
from gori.kernels.vehicle.soil import mobilised, pressure, slip_sinkage, stiffness
from gori.kernels.vehicle.terrain import height
from gori.kernels.vehicle.walls import SHEER, wall_share
from gori.kernels.vehicle.window import claim
from gori.kernels.whole import ceil, floor

STICK_TIME = 0.02
"""damping of soil that sticks, as a time [s]: without it a parked vehicle would oscillate indefinitely"""

STEEPEST = 0.1
"""smallest share of a level tread above a cell"""


@part
def first_cell(low, origin, cell):
    """Index of the first cell whose middle is not below `low`."""
    return ceil((low - origin) / cell - 0.5)


@part
def last_cell(high, origin, cell):
    """Index of the last cell whose middle is not above `high`."""
    return floor((high - origin) / cell - 0.5)


@part
def span(half, along, offset):
    """Where -half <= along x + offset <= half: lowest and highest x."""
    if abs(along) < 1e-9:
        return (-1e9, 1e9) if abs(offset) <= half else (1.0, -1.0)
    a, b = (-half - offset) / along, (half - offset) / along
    return min(a, b), max(a, b)


@part
def clear(patch):
    """No contact."""
    for k in range(3):
        patch.force[k], patch.moment[k] = 0.0, 0.0
    patch.torque, patch.load, patch.k_up, patch.k_down, patch.k_spin = 0.0, 0.0, 0.0, 0.0, 0.0
    patch.sinkage, patch.area, patch.deflection = 0.0, 0.0, 0.0


@part
def keep(s, foot, load, k_up, k_down):
    """What the next `series_step` starts from."""
    s.deflection, s.depth, s.soil_load = foot.deflection, foot.depth, load
    s.rise_stiffness, s.sink_stiffness = k_up, k_down


@part
def dig(soil, z_dyn, z_sta, z_max, P, down, up, j):
    """How much deeper slip sinks in this step [m], and the pressure after it [Pa].

    z = c0 (P / p_crit)^c1 j^c2 with P falling as z grows, by one step of Newton's method; never back. P falls along the
    virgin curve as long as the soil is deeper than ever, then along the steep line on which soil comes back.
    """
    missing = slip_sinkage(soil, P, j) - z_dyn
    if missing <= 0.0:
        return 0.0, P
    gain = soil.c1 * (missing + z_dyn) / P  # of the wanted sinkage by pressure
    free = z_sta - z_max
    if free <= 0.0:
        sunk = missing / (1.0 + gain * up)
        return sunk, max(0.0, P - up * sunk)
    sunk = missing / (1.0 + gain * down)
    if sunk > free:
        sunk = free + (missing - free * (1.0 + gain * down)) / (1.0 + gain * up)
        return sunk, max(0.0, P - down * free - up * (sunk - free))
    return sunk, P - down * sunk


@part
def stretched(cell, before, slip_s, slip_a, dt):
    """Stretch of the soil's spring along tread and axle, and slip path [m].

    before   a contact goes on if the cell was touched after this time; one that is new began within the step, on
             average half-way
    """
    if cell.stamp < before:
        es, ea = 0.5 * dt * slip_s, 0.5 * dt * slip_a
        return es, ea, math.sqrt(es * es + ea * ea)
    es, ea = cell.e_x + dt * slip_s, cell.e_y + dt * slip_a
    return es, ea, cell.j + dt * math.sqrt(slip_s * slip_s + slip_a * slip_a)


@part
def held(es, ea, slip_s, slip_a, reach, left, sticking):
    """The stretch within its reach, the same with damping, and how firmly the soil grips.

    reach, left   as `mobilised` gives them
    """
    squared, reach2, grip = es * es + ea * ea, reach * reach, sticking
    if squared > reach2:
        cut = reach / math.sqrt(squared)
        es, ea, grip = es * cut, ea * cut, left
    ts, ta = es + STICK_TIME * slip_s, ea + STICK_TIME * slip_a
    squared = ts * ts + ta * ta
    if squared > reach2:
        cut = reach / math.sqrt(squared)
        ts, ta, grip = ts * cut, ta * cut, min(grip, left)
    return es, ea, ts, ta, grip


@part
def ground_share(ahead, above):
    """Share with which a cell counts as ground, and not as a wall; from the cell to the centre of the wheel [m]."""
    if above <= 0.0:
        return 0.0
    share, _ = wall_share(above / math.sqrt(ahead * ahead + above * above), SHEER)
    return 1.0 - share


@part
def press_cells(ground, tyre, contact, foot, t, dt, commit, patch):
    """Force, moment about the centre, torque and slopes, summed over the cells under the tread. Returns OK, or
    OFF_WINDOW if one of them has no place.
    """
    soil, cells, width = ground.soil[0], ground.cells, tyre.width
    window, room_x, room_y = ground.window, ground.soil[0].wx, ground.soil[0].wy
    whole, fresh, code = window.shape[0] == 0, cells.shape[0] - 1, OK
    c, a, v, w, u = contact.centre, contact.axis, contact.velocity, contact.angular_velocity, foot.up
    ax, ay, az, vx, vy, vz = a[0], a[1], a[2], v[0], v[1], v[2]
    wx, wy, wz, ux, uy, uz = w[0], w[1], w[2], u[0], u[1], u[2]
    R, raised, rolling, spin = foot.radius, foot.raised, foot.rolling_radius, foot.spin
    qx0, qy0, qz0 = c[0] + raised * ux, c[1] + raised * uy, c[2] + raised * uz
    hx, hy, mx, my = foot.heading[0], foot.heading[1], foot.centre[0], foot.centre[1]
    fx, fy, h0, gx, gy, nt = foot.foot[0], foot.foot[1], foot.height, foot.slope[0], foot.slope[1], foot.cosine
    ahead, aside, flat, smooth = foot.ahead, foot.aside, foot.flat, foot.smooth == 1
    ey = abs(hy) * ahead + abs(hx) * aside
    x0, y0, nx, ny, cell = soil.x0, soil.y0, soil.nx, soil.ny, soil.cell

    k = stiffness(soil, width)
    before = t - dt - 1e-9 * (1.0 + abs(t))
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
        if last - first >= room_x:
            return OFF_WINDOW
        row, turn = (iy % room_y) * room_x, first % room_x - first
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
            h = h0 + gx * (x - fx) + gy * (y - fy) if smooth else height(ground, x, y)
            if foot.walled == 1:
                share *= ground_share(hx * (x - c[0]) + hy * (y - c[1]), c[2] - h)
            z = (h - qz0 - qz) * nt
            # its place in the torus; a cell that is not there is as the last one, which is always fresh
            place = row + ix + turn if ix + turn < room_x else row + ix + turn - room_x
            known = whole or window[place].cell == iy * nx + ix + 1
            here = cells[place if known else fresh]
            z_dyn = here.z_dyn
            if share <= 0.0 or z <= z_dyn:
                continue
            z_max = here.z_max
            P, down, up = pressure(soil, k, z - z_dyn, z_max, here.p_max)
            if P <= 0.0:
                # just above a rut: it will carry as soon as the tread sinks
                if z - z_dyn > z_max * (1.0 - 2.0 * soil.rebound):
                    hover += share * here.p_max / z_max
                continue

            # inner normal n, tangent s = a x n, and the position r as seen from the wheel's own centre
            nx_, ny_, nz_ = (lateral * ax - qx) * by_R, (lateral * ay - qy) * by_R, (lateral * az - qz) * by_R
            sx, sy, sz = ay * nz_ - az * ny_, az * nx_ - ax * nz_, ax * ny_ - ay * nx_
            rx, ry, rz = qx + raised * ux, qy + raised * uy, qz + raised * uz
            kx, ky, kz = vx + wy * rz - wz * ry, vy + wz * rx - wx * rz, vz + wx * ry - wy * rx
            slip_s = kx * sx + ky * sy + kz * sz - spin * rolling
            slip_a = kx * ax + ky * ay + kz * az

            j_max = here.j_max
            es, ea, j = stretched(here, before, slip_s, slip_a, dt)
            z_sta = z - z_dyn
            if soil.c0 > 0.0:
                sunk, P = dig(soil, z_dyn, z_sta, z_max, P, down, up, j)
                z_dyn, z_sta = z_dyn + sunk, z_sta - sunk
            modulus, reach, left = mobilised(soil, P, j, j_max)
            es, ea, ts, ta, grip = held(es, ea, slip_s, slip_a, reach, left, sticking)

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
                if not known:
                    if not claim(ground, place, iy * nx + ix + 1, before):
                        code = OFF_WINDOW
                    here = cells[place]
                if z_sta > z_max:
                    here.z_max, here.p_max = z_sta, P
                here.e_x, here.e_y, here.j, here.stamp = es, ea, j, t
                here.j_max, here.z_dyn = max(j, j_max), z_dyn
    patch.force[0], patch.force[1], patch.force[2] = fx_, fy_, fz_
    patch.moment[0], patch.moment[1], patch.moment[2] = mx_, my_, mz_
    patch.torque, patch.k_up, patch.k_spin, patch.area = torque, k_up, k_spin, touched
    patch.k_down = k_down + hover * cell * cell / soil.rebound
    return code


@part
def limit_load(tyre, s, contact, foot, dt, patch):
    """A tyre that lands passes on no more than it can: twice what it would carry on hard ground.

    Of the moment, the part about the axle is the torque, and is taken away. Returns the load before the limit [N].
    """
    u, a, F, M = foot.up, contact.axis, patch.force, patch.moment
    load = F[0] * u[0] + F[1] * u[1] + F[2] * u[2]
    if foot.stiffness > 0.0 and dt > 0.0:
        sinking = max(foot.depth - max(foot.before, 0.0), 0.0)
        most = 2.0 * (foot.spring + (foot.stiffness + tyre.damping / dt) * sinking)
        if load > most:
            cut = most / load
            for k in range(3):
                F[k] *= cut
                M[k] *= cut
            patch.torque *= cut
    about = M[0] * a[0] + M[1] * a[1] + M[2] * a[2]
    for k in range(3):
        M[k] -= about * a[k]
    patch.load = F[0] * u[0] + F[1] * u[1] + F[2] * u[2]
    return load


@block
def soft_wheel(ground, tyre, s, contact, spin, t, dt, commit, foot, patch):
    """Forces of soft soil on one wheel, into `patch`. Returns OK, OFF_GRID (a part of the footprint is outside the
    grid), OFF_WINDOW (cells under wheels need the same place) or NOT_FINITE.

    ground   with soil and cells
    tyre     a stiffness of 0 holds the deflection as it is in s: a rigid wheel if that is 0
    s        state of the wheel
    contact  pose and velocity of the wheel
    spin     angular velocity of the wheel relative to its carrier [rad/s], > 0 rolls forward
    t, dt    time [s], and time since the last call with commit = 1 [s]
    commit   1: cells and s are updated; 0: a trial evaluation
    foot     geometry of the footprint, filled here
    """
    clear(patch)
    far = abs(s.deflection) + abs(spin)
    for k in range(3):
        far += abs(contact.centre[k]) + abs(contact.axis[k])
        far += abs(contact.velocity[k]) + abs(contact.angular_velocity[k])
    if not far < 1e9:
        return NOT_FINITE
    if not ground_below(ground, tyre, contact, foot):
        return OK
    v = contact.velocity
    speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    touches = press_tyre(tyre, s, speed, dt, foot)
    patch.sinkage, patch.deflection = max(foot.sinkage, 0.0), foot.deflection
    if not touches:
        if commit == 1:
            keep(s, foot, 0.0, 0.0, 0.0)
        return OK
    foot.spin = spin
    code = lay_tread(ground.soil[0], tyre, contact, foot)
    answer = press_cells(ground, tyre, contact, foot, t, dt, commit, patch)
    code = answer if code == OK else code
    load = limit_load(tyre, s, contact, foot, dt, patch)
    if commit == 1:
        keep(s, foot, load, patch.k_up, patch.k_down)
    return code
