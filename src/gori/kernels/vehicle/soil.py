"""Soil laws: pressure against sinkage, shear stress against slip, slip sinkage. Sinkage z >= 0 is downward.

Pressure on soil that never was loaded so deep, and on the way back (Bekker 1969, Wong 2008):

    EXPONENTIAL   P = P0 (1 + K1 z)(1 - exp(-K2 z))
    BEKKER        P = (KC / b + KPHI) z^N,  b the width of the wheel
    z < z_max     P = max(0, P_max - K_u (z_max - z)),  K_u = P_max / (z_max REBOUND)

Shear (Wong 2008, section 2.4.3; Janosi and Hanamoto 1961 where HUMP is 0 and SHARE is 1), x = j / SHEAR_LENGTH:

    tau = tau_max SHARE (1 + HUMP exp(1 - x_before)) (1 - exp(-x)),   tau_max = c + P tan(phi)

with j the slip path of the contact now going on and x_before of the longest one that the soil has seen: a hump that was
passed does not come back. Slip sinkage: z_dyn = C0 (P / P_CRIT)^C1 j^C2.
"""

import math

from gori.kernels.jit import part

# the row of a soil (N_SOIL_F,) float64: its laws, then where its grid lies
S_KIND = 0
EXPONENTIAL, BEKKER = 0, 1
P0, K1, K2 = 1, 2, 3  # [Pa], [1/m], [1/m]
KC, KPHI, EXPONENT = 1, 2, 3  # [N/m^(n+1)], [N/m^(n+2)], [-]
REBOUND = 4  # share of the largest sinkage that comes back
COHESION, TAN_PHI, SHEAR_LENGTH, SHARE, HUMP = 5, 6, 7, 8, 9  # [Pa], [-], [m], [-], [-]
C0, C1, C2, P_CRIT = 10, 11, 12, 13  # [m^(1-C2)], [-], [-], [Pa]
X0, Y0, CELL, NX, NY = 14, 15, 16, 17, 18  # corner of the grid [m], side of a cell [m], cells along x and y
N_SOIL_F = 19

FULL_COHESION = 10.0
"""cohesion acts in full from P = c / 10 on, so that a cell that leaves the wheel does not let go with a jerk"""


@part
def power(x, n):
    """x^n for x >= 0, without logarithms where the exponent allows it."""
    if n == 1.0:
        return x
    if n == 0.5:
        return math.sqrt(x)
    if n == 0.0:
        return 1.0
    return math.exp(n * math.log(x)) if x > 0.0 else 0.0


@part
def stiffness(p, width):
    """What stands before z^N in Bekker's law for a wheel of this width [m]; 0 for the other kind."""
    return p[KC] / width + p[KPHI] if p[S_KIND] == BEKKER else 0.0


@part
def virgin_pressure(p, k, z):
    """Pressure [Pa] on fresh soil and its slope [Pa/m] at the sinkage z > 0 [m]; k as `stiffness` gives it."""
    if p[S_KIND] == BEKKER:
        P = k * power(z, p[EXPONENT])
        return P, p[EXPONENT] * P / z
    left = math.exp(-p[K2] * z)
    grown = 1.0 + p[K1] * z
    return p[P0] * grown * (1.0 - left), p[P0] * (p[K1] * (1.0 - left) + grown * p[K2] * left)


@part
def pressure(p, k, z, z_max, P_max):
    """Pressure [Pa] and its slopes [Pa/m] to sinking on and to coming back, at the static sinkage z [m].

    z_max, P_max   largest static sinkage so far [m], and the pressure there [Pa]
    """
    if z <= 0.0:
        return 0.0, 0.0, 0.0
    if z >= z_max:
        P, down = virgin_pressure(p, k, z)
        return P, down, max(down, P / (z * p[REBOUND]))
    slope = P_max / (z_max * p[REBOUND])
    P = P_max - slope * (z_max - z)
    if P <= 0.0:
        return 0.0, 0.0, 0.0
    return P, slope, slope


@part
def mobilised(p, P, j, j_before):
    """The shear curve as a spring: its modulus [Pa/m], its largest stretch [m] and what is left of it, exp(-x).

    Stress is modulus * stretch. Slip in one direction keeps the stretch at its largest, K (1 - exp(-j / K)), which
    gives the curve; a smaller stretch is elastic. So soil sticks without chatter and takes a reversal at once.
    """
    K = p[SHEAR_LENGTH]
    left = math.exp(-j / K)
    bracket = 1.0
    if p[HUMP] > 0.0:
        bracket += p[HUMP] * math.e * (left if j >= j_before else math.exp(-j_before / K))
    strongest = min(p[COHESION], FULL_COHESION * P) + P * p[TAN_PHI]
    return strongest * p[SHARE] * bracket / K, K * (1.0 - left), left


@part
def shear_limit(p, P, j, j_before):
    """Shear stress [Pa] at the slip path j [m] under the pressure P [Pa]."""
    modulus, stretch, _ = mobilised(p, P, j, j_before)
    return modulus * stretch


@part
def slip_sinkage(p, P, j):
    """Sinkage [m] by a slip path j [m] under the pressure P [Pa]."""
    return p[C0] * power(P / p[P_CRIT], p[C1]) * power(j, p[C2])
