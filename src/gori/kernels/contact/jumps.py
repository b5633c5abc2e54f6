"""Whether forces of contact have changed within a step as by an impact that the step does not resolve.

They have where a force at the end of the step differs from that at its beginning by more than CHANGE of the larger one,
and the step is long beside the natural vibration of the bodies on their contact.
"""

from gori.kernels.contact import law as laws
from gori.kernels.contact.find import velocity_at
from gori.kernels.contact.watch import natural_frequency
from gori.kernels.jit import part

CHANGE = 0.2
"""of the larger of both forces"""
LONG = 0.5
"""step times natural frequency from which on contact is not resolved"""


@part
def normal_part(point):
    """Normal force of a kept point at the end of the last step [N]."""
    n, f = point.normal, point.force
    return n[0] * f[0] + n[1] * f[1] + n[2] * f[2]


@part
def stiffness_at(machine, point):
    """k [N/m^1.5] of a point, and the mass of its bodies with all that is connected [kg]."""
    A, B = machine.contact.shape[point.a], machine.contact.shape[point.b]
    law = machine.contact.law[A.material, B.material]
    return laws.stiffness_of(law, laws.effective_radius(A.curvature, B.curvature)), 1.0 / (1.0 / A.mass + 1.0 / B.mass)


@part
def force_at(machine, data, point):
    """Normal force [N] of a point that touches, at the state that was evaluated last."""
    A, B = machine.contact.shape[point.a], machine.contact.shape[point.b]
    law, p, n, d = machine.contact.law[A.material, B.material], point.position, point.normal, -point.gap
    k, mass = stiffness_at(machine, point)
    ax, ay, az = velocity_at(data.body_w, A.row, p[0], p[1], p[2])
    bx, by, bz = velocity_at(data.body_w, B.row, p[0], p[1], p[2])
    rate = n[0] * (ax - bx) + n[1] * (ay - by) + n[2] * (az - bz)
    speed = point.speed if point.sticking != 0 else laws.first_speed(k, mass, d, rate, law.damping)
    return laws.normal_force(k, mass, d, rate, speed, law.damping, law.damping_ratio)


@part
def differs(machine, data, point, first, second, h):
    """Whether two forces of a point differ by so much, and one of them is stiff beside the step."""
    larger = max(first, second)
    if not abs(first - second) > CHANGE * larger:
        return False
    k, _ = stiffness_at(machine, point)
    return h * natural_frequency(machine, data, point, k, (larger / k) ** (2.0 / 3.0)) > LONG


@part
def is_near(memory, kept):
    """Whether a kept point touches at the state that was evaluated last."""
    for k in range(memory.count[0]):
        point = memory.near[k]
        if point.gap < 0.0 and point.a == kept.a and point.b == kept.b and point.feature == kept.feature:
            return True
    return False


@part
def forces_jump(machine, data, h):
    """Whether any force has so changed in a step of length h, from what is kept to the state evaluated last."""
    memory = data.contact_memory
    for k in range(memory.count[0]):
        point = memory.near[k]
        if point.gap < 0.0 and differs(machine, data, point, normal_part(point), force_at(machine, data, point), h):
            return True
    for k in range(memory.head[0].points):
        kept = memory.point[k]
        force = normal_part(kept)
        if force > 0.0 and not is_near(memory, kept) and differs(machine, data, kept, force, 0.0, h):
            return True
    return False
