"""What a run notes of its contacts, so that it can say afterwards where its steps were too long for them.

The natural frequency of two bodies on their contact is root(k_d (w_a + w_b)), with k_d = 1.5 k root(d) the stiffness at
the present depth, and w the mobility of each body at the point along the normal, 1/m + (r x n) . J^-1 (r x n), as if it
were alone: joints only make that smaller. Damping F_r adds a decay of the rate F_r (w_a + w_b).
"""

import math

from gori.kernels.contact.penalty_memory import DEEP, PASSED, STIFF
from gori.kernels.jit import part
from gori.kernels.tree.columns import COM, P_WB
from gori.kernels.tree.kinematics import cross, turn, turn_back


@part
def note(memory, kind, value, t, speed, a, b):
    """Keep the worst; of PASSED the first, and how many there were."""
    worst = memory.worst[kind]
    if kind == PASSED:
        worst.value += 1.0
        if worst.value > 1.0:
            return
    elif value > worst.value:
        worst.value = value
    else:
        return
    worst.time, worst.speed, worst.a, worst.b = t, speed, a, b


@part
def thickness(shape):
    """Half of the smallest edge of a shape [m]; infinite without an end."""
    return min(shape.half[0], shape.half[1], shape.half[2])


@part
def mobility(solid, body_f, body_w, row, mass, p, n):
    """Velocity of a point of one body along n by a unit impulse along n [1/kg].

    mass   of all that is connected with it [kg], where the body itself has none
    """
    if row == 0:
        return 0.0
    if solid[row, 0] == 0.0:
        return 1.0 / mass
    cx, cy, cz = turn(body_w, row, body_f[row, COM], body_f[row, COM + 1], body_f[row, COM + 2])
    x, y, z = cross(
        p[0] - body_w[row, P_WB] - cx, p[1] - body_w[row, P_WB + 1] - cy, p[2] - body_w[row, P_WB + 2] - cz,
        n[0], n[1], n[2],
    )  # fmt: skip
    x, y, z = turn_back(body_w, row, x, y, z)
    s = solid[row]
    return s[0] + s[1] * x * x + s[2] * y * y + s[3] * z * z + 2.0 * (s[4] * x * y + s[5] * x * z + s[6] * y * z)


@part
def mobility_of_both(machine, data, point):
    """Of both bodies of a point against each other, along its normal [1/kg]."""
    solid, shape = data.penalty_memory.solid, machine.contact.shape
    A, B = shape[point.a], shape[point.b]
    w = mobility(solid, machine.body_f, data.body_w, A.row, A.mass, point.position, point.normal)
    return w + mobility(solid, machine.body_f, data.body_w, B.row, B.mass, point.position, point.normal)


@part
def natural_frequency(machine, data, point, k, depth):
    """Of both bodies of a point on their contact [rad/s]; k [N/m^1.5]."""
    return math.sqrt(1.5 * k * math.sqrt(depth) * mobility_of_both(machine, data, point))


@part
def note_point(machine, data, point, k, damping, t, rate):
    """At the end of a step: how fast and how deep a contact is.

    k         its stiffness [N/m^1.5]
    damping   of its force by the rate of the depth [N s/m]
    rate      of the depth [m/s]
    """
    memory, depth = data.penalty_memory, -point.gap
    w = mobility_of_both(machine, data, point)
    fastest = math.sqrt(1.5 * k * math.sqrt(depth) * w) + damping * w
    note(memory, STIFF, (t - memory.time[0]) * fastest, t, rate, point.a, point.b)
    half = min(thickness(machine.contact.shape[point.a]), thickness(machine.contact.shape[point.b]))
    note(memory, DEEP, depth / half, t, rate, point.a, point.b)
