"""Materials and contacts of a Spec -> what happens where two bodies touch (`LAW` of `kernels/contact/tables.py`)."""

import math

import numpy as np

from gori.kernels.contact.tables import LAW
from gori.spec import Material, Spec
from gori.spec.material import colliding_materials, contacts_of

LEAST_RESTITUTION = 0.02
"""below it a collision is taken to return nothing more than this"""


def law_table(spec: Spec) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of the materials of shapes that collide and of the terrain, and the law (nm, nm) of each pair of them."""
    names, known = tuple(colliding_materials(spec)), contacts_of(spec)
    table = LAW.zeros(len(names), len(names))
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if (key := known.get((a, b))) is None:
                continue
            row, contact = table[i, j], spec.contacts[key]
            row["touches"] = 1
            row["stiffness"] = hertz_stiffness(spec.materials[a], spec.materials[b])
            row["fixed_stiffness"] = contact.stiffness or 0.0
            row["restitution"], row["friction"] = contact.restitution or 0.0, contact.friction
            row["damping"] = collision_damping(float(row["restitution"]))
            row["damping_ratio"] = deepest_damping_ratio(float(row["damping"]))
            row["rolling"], row["torsion"] = contact.rolling_friction, contact.torsional_friction
    return names, table


def hertz_stiffness(a: Material, b: Material) -> float:
    """k of the normal force k sqrt(R) d^1.5 [Pa], R the effective radius; 0 where no material says how it yields.

    k = 4/3 E*, 1/E* = (1 - nu_a^2) / E_a + (1 - nu_b^2) / E_b   (Hertz 1881; Johnson 1985, eq. 4.23)

    A rigid material does not yield: its part of the sum is zero.
    """
    compliance = 0.0
    for material in (a, b):
        if material.E is not None:
            compliance += (1.0 - material.nu**2) / material.E
        elif not material.rigid:
            return 0.0
    return 4.0 / 3.0 / compliance if compliance > 0.0 and math.isfinite(compliance) else 0.0


def collision_damping(restitution: float) -> float:
    """a = c v0 of the force k d^1.5 (1 + c d') with which a collision at the speed v0 returns e v0, for any k and mass:

    (1 + e) a = ln((1 + a) / (1 - e a))        (`kernels/contact/law.py`)

    Solved for ln(1 - e a) by bisection: for small e it is far below what 1 - e a resolves.
    """
    e = max(restitution, LEAST_RESTITUTION)
    if e > 1.0 - 1e-6:
        return 1.5 * (1.0 - e)

    def excess(y: float) -> float:
        a = -math.expm1(y) / e
        return (1.0 + e) * a - math.log1p(a) + y

    low, high = -2.0 / e, math.log1p(-0.1 * e * (1.0 - e))  # it is negative at the one, positive at the other
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) < 0.0 else (low, middle)
    return -math.expm1(0.5 * (low + high)) / e


def deepest_damping_ratio(a: float) -> float:
    """Damping of a collision where it is deepest, by the critical one for the stiffness at that depth:
    sqrt(1.25 / 1.5) sqrt(2 (a - ln(1 + a))) / 2 (`kernels/contact/law.py`).
    """
    return math.sqrt((a - math.log1p(a)) / 2.4)
