"""The penalty law: forces at a point where two surfaces are inside each other by a depth d.

Normal force (Hunt and Crossley 1975), never attractive:

    F = k d^1.5 (1 + c d'),      k = stiffness sqrt(R), 1/R = 1/R_a + 1/R_b    (Hertz), or as given

A collision at the speed v0 that nothing else disturbs has m v dv/dd = -F, whatever k and m are. Its first integral
gives v = -e v0 at the end if, with a = c v0,

    (1 + e) a = ln((1 + a) / (1 - e a))

which is solved once for each pair of materials (`model/contact/laws.py`): a = 0 for e = 1, and about 1/e for small e.

Such a collision goes as deep as d* with k d*^2.5 = 1.25 m v0^2 2 (a - ln(1 + a)) / a^2. What is pressed in deeper, as
a body at rest is by its weight after the last of its bounces, would be damped ever more if c stayed as it is. There
the damping is held at a constant share zeta of the critical one for the stiffness at that depth (Tsuji et al. 1992):
that which the collision has at d*, or HIGHEST, to which it falls by and by:

    c = g = 2 zeta sqrt(1.5 m / k) / d^1.25,      or  max(HIGHEST / zeta g, g^2 v0 / a)  for zeta > HIGHEST

m is the mass of all that is connected with either body, so that this begins too late rather than too early.

Tangential force (Cundall and Strack 1979; Mindlin 1949): a spring of the length s between two anchors, one on each
body, with damping, limited by friction. Anchors of points that slide are taken along so that |k_t s| <= mu F.

    f = -(k_t s + c_t u),  |f| <= mu F,      k_t = SHARE 1.5 k sqrt(d),  c_t = 2 RATIO sqrt(m k_t)

Rolling and torsional friction likewise, with the rotation of B against A since the springs were relaxed, the
stiffness k_t R^2 and the limits mu_r R F and mu_s R F.
"""

import math

from gori.kernels.jit import part

SHARE = 0.8
"""tangential by normal stiffness: that of Mindlin, 2 (1 - nu) / (2 - nu), for a Poisson's ratio of 1/3"""
HIGHEST = 0.5
"""damping by critical damping of one point under load; of four that bear a body it is twice that"""
RATIO = 0.2
"""damping of the tangential springs by critical damping"""


@part
def effective_radius(a, b):
    """R [m] with 1/R = 1/a + 1/b, of the curvature radii of both surfaces; infinite if both are flat."""
    return 1.0 / (1.0 / a + 1.0 / b)


@part
def stiffness_of(law, radius):
    """k [N/m^1.5] of a pair of materials with an effective radius [m]."""
    return law.fixed_stiffness if law.fixed_stiffness > 0.0 else law.stiffness * math.sqrt(radius)


@part
def first_speed(k, mass, d, rate, a):
    """Speed [m/s] with which surfaces met that are already inside each other, by the energy of the way so far."""
    return math.sqrt(max(rate, 0.0) ** 2 + 0.8 * (1.0 + a) * k * d * d * math.sqrt(d) / mass)


@part
def damping_of(k, mass, d, speed, a, zeta):
    """c [s/m]; arguments as of `normal_force`."""
    if not a > 0.0:
        return 0.0
    c = 2.0 * zeta * math.sqrt(1.5 * mass / k) / (d * math.sqrt(math.sqrt(d)))
    if a < c * speed:
        c = a / speed
    elif zeta > HIGHEST:
        c = max(HIGHEST / zeta * c, c * c * speed / a)
    return c


@part
def normal_force(k, mass, d, rate, speed, a, zeta):
    """F [N].

    mass    effective, of both bodies [kg]
    rate    d' [m/s]
    speed   v0 with which the surfaces met [m/s]
    a       c v0 of the collision
    zeta    damping by critical damping where it is deepest
    """
    return max(0.0, k * d * math.sqrt(d) * (1.0 + damping_of(k, mass, d, speed, a, zeta) * rate))


@part
def tangential_terms(k, mass, d):
    """Stiffness k_t [N/m] and damping c_t [N s/m] of the tangential spring at a depth d [m]."""
    stiffness = 1.5 * SHARE * k * math.sqrt(d)
    return stiffness, 2.0 * RATIO * math.sqrt(mass * stiffness)


@part
def share_within(x, y, z, limit):
    """Share of a vector with which it is no longer than the limit."""
    size = math.sqrt(x * x + y * y + z * z)
    return limit / size if size > limit else 1.0


@part
def limited_spring(stiffness, damping, sx, sy, sz, ux, uy, uz, limit):
    """-(k s + c u), at most as large as the limit."""
    fx, fy, fz = -stiffness * sx - damping * ux, -stiffness * sy - damping * uy, -stiffness * sz - damping * uz
    share = share_within(fx, fy, fz, limit)
    return share * fx, share * fy, share * fz


@part
def across(x, y, z, n):
    """Component along a unit vector n, and the rest."""
    along = x * n[0] + y * n[1] + z * n[2]
    return along, x - along * n[0], y - along * n[1], z - along * n[2]
