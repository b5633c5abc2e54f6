"""How contact resists small changes of motion: the derivatives of the penalty law, body by body.

In a step of an implicit method velocities change by cv and positions by cq times a change of accelerations. A point
whose bodies change their relative acceleration by e then bears a force that is smaller by E e, with

    E = (cq F_d + cv F_r) (n - mu w) n'                    F_d, F_r: of the normal force by depth and its rate
      + (cq k_t + cv c_t) s (1 - n n' - [slides] w w')     s: 1 where it sticks, limit / |k_t s + c_t u| where it slides
      - cq (k_t / 2d s + c_t / 4d u) n'                    where it sticks; w: direction in which it slides, or none

and rolling friction likewise for rotations. The block of a body is X' E X summed over its points, X = [-p x, 1], about
the origin of the root of its tree, as in `tree/derivatives.py`: what contact adds to its inertia in the linearised
equations of the step (`integrate/matrix_free.py`). So all of contact with the ground is in their solution by recursion,
to first order of the depth over the size of bodies. Of two bodies that move each has its own block; what they do to
each other is left to iterations.
"""

import math

from gori.kernels.contact import law as laws
from gori.kernels.contact.find import velocity_at
from gori.kernels.contact.penalty_springs import elongation, rotation_since
from gori.kernels.jit import part
from gori.kernels.tree.columns import OMEGA, P_WB
from gori.kernels.tree.kinematics import cross

CHANGED_BY = 1e-6
"""relative change of depth and rate for derivatives of the normal force"""


@part
def normal_slopes(law, point, k, mass, d, rate):
    """F [N], and its derivatives by the depth [N/m] and its rate [N s/m]."""
    change, faster = CHANGED_BY * d, CHANGED_BY * (abs(rate) + 1e-3)
    F, deeper, quicker = 0.0, 0.0, 0.0
    for i in range(3):
        depth, speed = d + (change if i == 1 else 0.0), rate + (faster if i == 2 else 0.0)
        v0 = point.speed if point.sticking != 0 else laws.first_speed(k, mass, depth, speed, law.damping)
        found = laws.normal_force(k, mass, depth, speed, v0, law.damping, law.damping_ratio)
        if i == 0:
            F = found
        elif i == 1:
            deeper = found
        else:
            quicker = found
    return F, max(0.0, (deeper - F) / change), max(0.0, (quicker - F) / faster)


@part
def lay_tensor(axes, n, along, around):
    """axes = along n n' + around (1 - n n')."""
    for i in range(3):
        for j in range(3):
            axes[i, j] = (along - around) * n[i] * n[j] + (around if i == j else 0.0)


@part
def lay_resistance(axes, n, normal, mu, F, stiffness, damping, d, s, u, weight):
    """E of one point into axes (3, 3) [kg].

    normal   cq F_d + cv F_r
    mu, F    friction and the normal force [N]
    s, u     length of the tangential spring [m], and tangential velocity [m/s]
    weight   cv, cq
    """
    cv, cq = weight[0], weight[1]
    wx, wy, wz = stiffness * s[0] + damping * u[0], stiffness * s[1] + damping * u[1], stiffness * s[2] + damping * u[2]
    size, held = math.sqrt(wx * wx + wy * wy + wz * wz), cq * stiffness + cv * damping
    if size <= mu * F:
        lay_tensor(axes, n, normal, held)
        softer, slower = cq * 0.5 * stiffness / d, cq * 0.25 * damping / d
        for i in range(3):
            for j in range(3):
                axes[i, j] -= (softer * s[i] + slower * u[i]) * n[j]
        return
    w, across = (wx / size, wy / size, wz / size), mu * F / size * held
    lay_tensor(axes, n, normal, across)
    for i in range(3):
        for j in range(3):
            axes[i, j] -= across * w[i] * w[j] + mu * normal * w[i] * n[j]


@part
def lay_turning(turning, law, point, a, b, body_w, k, c, FR, weight):
    """The same of rolling and torsional friction, for rotations, into turning (3, 3) [kg m2].

    a, b   rows of both bodies
    k, c   stiffness [N m/rad] and damping [N m s/rad] of the springs
    FR     normal force times effective radius [N m]
    """
    n = point.normal
    x, y, z = rotation_since(point, a, b, body_w)
    turned, x, y, z = laws.across(x, y, z, n)
    spin, wx, wy, wz = laws.across(
        body_w[b, OMEGA] - body_w[a, OMEGA], body_w[b, OMEGA + 1] - body_w[a, OMEGA + 1],
        body_w[b, OMEGA + 2] - body_w[a, OMEGA + 2], n,
    )  # fmt: skip
    held = weight[1] * k + weight[0] * c
    rolls = laws.share_within(k * x + c * wx, k * y + c * wy, k * z + c * wz, law.rolling * FR)
    turns = 1.0 if abs(k * turned + c * spin) <= law.torsion * FR else 0.0
    lay_tensor(turning, n, turns * held, rolls * held)


@part
def add_block(block, p, axes, turning):
    """Add X' E X, and what resists turning, to a block (48,): six columns of eight, angular parts first."""
    for c in range(6):
        x, y, z = 1.0 if c % 3 == 0 else 0.0, 1.0 if c % 3 == 1 else 0.0, 1.0 if c % 3 == 2 else 0.0
        if c < 3:
            for i in range(3):
                block[8 * c + i] += turning[i, c]
            x, y, z = cross(x, y, z, p[0], p[1], p[2])
        fx = axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z
        fy = axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z
        fz = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z
        mx, my, mz = cross(p[0], p[1], p[2], fx, fy, fz)
        block[8 * c] += mx
        block[8 * c + 1] += my
        block[8 * c + 2] += mz
        block[8 * c + 3] += fx
        block[8 * c + 4] += fy
        block[8 * c + 5] += fz


@part
def resist(machine, data, point, t):
    """Add one point that touches to the blocks of its bodies."""
    memory, body_w = data.penalty_memory, data.body_w
    A, B = machine.contact.shape[point.a], machine.contact.shape[point.b]
    law, p, n, d = machine.contact.law[A.material, B.material], point.position, point.normal, -point.gap
    ax, ay, az = velocity_at(body_w, A.row, p[0], p[1], p[2])
    bx, by, bz = velocity_at(body_w, B.row, p[0], p[1], p[2])
    along, ux, uy, uz = laws.across(bx - ax, by - ay, bz - az, n)
    radius = laws.effective_radius(A.curvature, B.curvature)
    k, mass = laws.stiffness_of(law, radius), 1.0 / (1.0 / A.mass + 1.0 / B.mass)
    F, deeper, quicker = normal_slopes(law, point, k, mass, d, -along)
    if not F > 0.0:
        return
    stiffness, damping = laws.tangential_terms(k, mass, d)
    normal = memory.weight[1] * deeper + memory.weight[0] * quicker
    s = elongation(machine, data, point, A, B, t)
    lay_resistance(
        memory.axes, n, normal, law.friction, F, stiffness, damping, d, s, (ux, uy, uz), memory.weight
    )  # fmt: skip
    for i in range(3):
        for j in range(3):
            memory.turning[i, j] = 0.0
    if law.rolling > 0.0 or law.torsion > 0.0:
        square = radius * radius
        lay_turning(
            memory.turning, law, point, A.row, B.row, body_w, stiffness * square, damping * square, F * radius,
            memory.weight,
        )  # fmt: skip
    for row in (A.row, B.row):
        if row > 0:
            root = memory.root[row]
            arm = p[0] - body_w[root, P_WB], p[1] - body_w[root, P_WB + 1], p[2] - body_w[root, P_WB + 2]
            add_block(memory.apparent[row], arm, memory.axes, memory.turning)


@part
def linearise_contact(machine, data, t):
    """Blocks of all rows, at the state that was evaluated last."""
    memory, near = data.penalty_memory, data.contact_memory.near
    for i in range(memory.apparent.shape[0]):
        for k in range(48):
            memory.apparent[i, k] = 0.0
    for j in range(data.contact_memory.count[0]):
        if near[j].gap < 0.0:
            resist(machine, data, near[j], t)
