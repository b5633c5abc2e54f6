"""What an impulse at a point of a body does to the velocities of a tree: J and M^-1 J' of three directions at once.
Where `turning` is 1, the impulses are torques about the directions, and their speeds angular.

After `articulate` (`tree/aba.py`) every axis has S, U and 1/D. An impulse f on one body, at its origin (n; f), then
needs the recursion of the articulated-body algorithm without velocities and gravity (Featherstone 2008, section 7.3):

    inward     from the body to the ground:  u = S' f,  f -= U u/D  for each axis, last first, then to the parent
    outward    over the branch:              dv = (u - U' a)/D,  a += S dv  for each axis, first to last

A body that flies alone has a mass matrix of its own, whose inverse is known. Where several points act on one body of a
tree, the recursion runs once, for unit torques and forces at its origin (`lay_basis`), and each point combines these.
"""

from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes, numbers, read8, spread, write8
from gori.kernels.tree.columns import ARM, COM, D_INV, NDOF, PARENT, V0, S, U
from gori.kernels.tree.kinematics import cross, turn_back

POINTS = 2
"""that are carried together, three lanes each (`lanes.py`)"""


@part
def lay_path(machine, data, i, sign, width, at, turning):
    """Three rows of J from jac[at] on, `width` apart: sign times the speed of a point of body i along each direction,
    for each axis on the way from the body to the ground.

    The point is `arm` away from the origin of the body, and the directions are `directions`, both of the memory.
    """
    body_i, body_w, dof_w, memory = machine.body_i, data.body_w, data.dof_w, data.contact_memory
    jac, n = memory.jac, memory.directions
    rx, ry, rz = memory.arm[0], memory.arm[1], memory.arm[2]
    while i > 0:
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            if turning == 1:
                x, y, z = sign * dof_w[k, S], sign * dof_w[k, S + 1], sign * dof_w[k, S + 2]
            else:
                x, y, z = cross(dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2], rx, ry, rz)
                x, y, z = sign * (x + dof_w[k, S + 3]), sign * (y + dof_w[k, S + 4]), sign * (z + dof_w[k, S + 5])
            for d in range(3):
                jac[at + d * width] = x * n[d, 0] + y * n[d, 1] + z * n[d, 2]
            at += 1
        rx, ry, rz = rx + body_w[i, ARM], ry + body_w[i, ARM + 1], rz + body_w[i, ARM + 2]
        i = body_i[i, PARENT]


@part
def carry_inward(machine, data, i, sign, lane, turning):
    """Add the loads u of an impulse on body i, at the same point and along the same directions, times its sign, to
    three lanes of `load`, from `lane` on.
    """
    memory = data.contact_memory
    force, number, n = lanes(memory.force), memory.force, memory.directions
    for c in range(6):
        force[c] = spread(0.0)
    for d in range(3):
        x, y, z = sign * n[d, 0], sign * n[d, 1], sign * n[d, 2]
        if turning == 1:
            number[0, lane + d], number[1, lane + d], number[2, lane + d] = x, y, z
        else:
            number[0, lane + d], number[1, lane + d], number[2, lane + d] = cross(
                memory.arm[0], memory.arm[1], memory.arm[2], x, y, z
            )
            number[3, lane + d], number[4, lane + d], number[5, lane + d] = x, y, z
    add_loads(machine, data, i)


@part
def add_loads(machine, data, i):
    """Inward: add the loads u of `force`, lanes at the origin of body i, to `load`."""
    body_i, body_w, dof_w, memory = machine.body_i, data.body_w, data.dof_w, data.contact_memory
    load, force = lanes(memory.load), lanes(memory.force)
    nx, ny, nz, fx, fy, fz = force[0], force[1], force[2], force[3], force[4], force[5]
    while i > 0:
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            u = dof_w[k, S] * nx + dof_w[k, S + 1] * ny + dof_w[k, S + 2] * nz
            u = u + dof_w[k, S + 3] * fx + dof_w[k, S + 4] * fy + dof_w[k, S + 5] * fz
            load[k] = load[k] + u
            u = u * dof_w[k, D_INV]
            nx, ny, nz = nx - dof_w[k, U] * u, ny - dof_w[k, U + 1] * u, nz - dof_w[k, U + 2] * u
            fx, fy, fz = fx - dof_w[k, U + 3] * u, fy - dof_w[k, U + 4] * u, fz - dof_w[k, U + 5] * u
        ux, uy, uz = cross(body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2], fx, fy, fz)
        nx, ny, nz = nx + ux, ny + uy, nz + uz
        i = body_i[i, PARENT]


@part
def carry_outward(body_i, body_w, dof_w, root, end, load, motion):
    """From the loads of a branch, rows root to end - 1, to its velocities, which take their place.

    load     (nv,) lanes
    motion   (rows, 6) lanes, work: angular and linear velocity of each body
    """
    for i in range(root, end):
        p = body_i[i, PARENT]
        wx, wy, wz = spread(0.0), spread(0.0), spread(0.0)
        ux, uy, uz = spread(0.0), spread(0.0), spread(0.0)
        if p > 0:
            wx, wy, wz = motion[p, 0], motion[p, 1], motion[p, 2]
            ux, uy, uz = cross(wx, wy, wz, body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2])
            ux, uy, uz = ux + motion[p, 3], uy + motion[p, 4], uz + motion[p, 5]
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            rate = load[k] - dof_w[k, U] * wx - dof_w[k, U + 1] * wy - dof_w[k, U + 2] * wz
            rate = rate - dof_w[k, U + 3] * ux - dof_w[k, U + 4] * uy - dof_w[k, U + 5] * uz
            rate = rate * dof_w[k, D_INV]
            load[k] = rate
            wx, wy, wz = wx + dof_w[k, S] * rate, wy + dof_w[k, S + 1] * rate, wz + dof_w[k, S + 2] * rate
            ux, uy, uz = ux + dof_w[k, S + 3] * rate, uy + dof_w[k, S + 4] * rate, uz + dof_w[k, S + 5] * rate
        motion[i, 0], motion[i, 1], motion[i, 2] = wx, wy, wz
        motion[i, 3], motion[i, 4], motion[i, 5] = ux, uy, uz


@part
def take_lanes(load, lane, first, count, width, at, out):
    """Three rows of `count` columns, `width` apart, from out[at] on: velocities from `first` on of three lanes."""
    number = numbers(load)
    for k in range(count):
        for d in range(3):
            out[at + d * width + k] = number[first + k, lane + d]


@block
def lay_basis(machine, data, i):
    """Velocities by unit torques and forces at the origin of body i, world axes, into `basis`."""
    memory = data.contact_memory
    branch, load, force, number = memory.branch[i], lanes(memory.load), lanes(memory.force), memory.force
    for k in range(branch[0], branch[0] + branch[1]):
        load[k] = spread(0.0)
    for c in range(6):
        force[c] = spread(0.0)
        number[c, c] = 1.0
    add_loads(machine, data, i)
    carry_outward(machine.body_i, data.body_w, data.dof_w, branch[2], branch[3], load, lanes(memory.motion))
    for k in range(branch[0], branch[0] + branch[1]):
        for c in range(6):
            memory.basis[c, k - branch[0]] = memory.load[k, c]
    memory.based[0] = i


@part
def take_basis(memory, i, sign, width, at, turning):
    """Three rows of M^-1 J', `width` apart, from response[at] on: of impulses on body i at the same point and along the
    same directions, times the sign; after `lay_basis` of this body.
    """
    count, basis, out, n = memory.branch[i, 1], memory.basis, memory.response, memory.directions
    for d in range(3):
        x, y, z = sign * n[d, 0], sign * n[d, 1], sign * n[d, 2]
        if turning == 1:
            mx, my, mz, x, y, z = x, y, z, 0.0, 0.0, 0.0
        else:
            mx, my, mz = cross(memory.arm[0], memory.arm[1], memory.arm[2], x, y, z)
        for k in range(0, count, WIDTH):
            turned = mx * read8(basis, 0, k) + my * read8(basis, 1, k) + mz * read8(basis, 2, k)
            moved = x * read8(basis, 3, k) + y * read8(basis, 4, k) + z * read8(basis, 5, k)
            write8(basis, 6 + d, k, turned + moved)
        for k in range(count):
            out[at + d * width + k] = basis[6 + d, k]


@part
def lay_flying(machine, data, i, sign, row, side, turning):
    """Rows of J and M^-1 J' of a body that flies alone, at the same point and along the same directions.

    side   0: it is A, 1: it is B

    In its own axes, with c its centre of mass: an impulse f at r gives w = J_c^-1 (r - c) x f, v = f / m - w x c.
    `solid` holds 1 / m and J_c^-1. A torque t gives w = J_c^-1 t, v = -w x c.
    """
    body_f, body_w, memory = machine.body_f, data.body_w, data.contact_memory
    solid, n, jac, out = memory.solid[i], memory.directions, memory.jac, memory.response
    cx, cy, cz = body_f[i, COM], body_f[i, COM + 1], body_f[i, COM + 2]
    rx, ry, rz = turn_back(body_w, i, memory.arm[0], memory.arm[1], memory.arm[2])
    for d in range(3):
        x, y, z = turn_back(body_w, i, sign * n[d, 0], sign * n[d, 1], sign * n[d, 2])
        k = row.at + d * (row.count_a + row.count_b) + side * row.count_a
        if turning == 1:
            jac[k], jac[k + 1], jac[k + 2] = x, y, z
            jac[k + 3], jac[k + 4], jac[k + 5] = 0.0, 0.0, 0.0
            mx, my, mz, x, y, z = x, y, z, 0.0, 0.0, 0.0
        else:
            jac[k], jac[k + 1], jac[k + 2] = cross(rx, ry, rz, x, y, z)
            jac[k + 3], jac[k + 4], jac[k + 5] = x, y, z
            mx, my, mz = cross(rx - cx, ry - cy, rz - cz, x, y, z)
        wx = solid[1] * mx + solid[4] * my + solid[5] * mz
        wy = solid[4] * mx + solid[2] * my + solid[6] * mz
        wz = solid[5] * mx + solid[6] * my + solid[3] * mz
        ux, uy, uz = cross(wx, wy, wz, cx, cy, cz)
        k = row.at_response + d * (row.width_a + row.width_b) + side * row.width_a
        out[k], out[k + 1], out[k + 2] = wx, wy, wz
        out[k + 3], out[k + 4], out[k + 5] = solid[0] * x - ux, solid[0] * y - uy, solid[0] * z - uz
