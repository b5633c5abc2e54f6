"""J and M^-1 J' of three directions at once, of bodies whose velocities the solver takes as they are: those that fly
alone, whose mass matrix has a known inverse, and those that loops hold (`held.py` has their M^-1 J'). Where `turning`
is 1, the impulses are torques about the directions, and their speeds angular. All others: `diagonal.py`.
"""

from gori.kernels.jit import part
from gori.kernels.tree.columns import ARM, COM, NDOF, PARENT, V0, S
from gori.kernels.tree.kinematics import cross, turn_back


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
