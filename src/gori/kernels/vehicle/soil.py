"""Soil laws: pressure against sinkage, shear stress against slip, slip sinkage. Sinkage z >= 0 is downward.

Pressure in first loading, and in unloading and reloading (Bekker 1969, Wong 2008):

    EXPONENTIAL   P = P0 (1 + K1 z)(1 - exp(-K2 z))
    BEKKER        P = (KC / b + KPHI) z^N,  b the width of the wheel
    z < z_max     P = max(0, P_max - K_u (z_max - z)),  K_u = P_max / (z_max REBOUND)

Shear (Wong 2008, section 2.4.3; Janosi and Hanamoto 1961 where HUMP is 0 and SHARE is 1), x = j / SHEAR_LENGTH:

    tau = tau_max SHARE (1 + HUMP exp(1 - x_before)) (1 - exp(-x)),   tau_max = c + P tan(phi)

with j the slip path of the contact now going on and x_before of the longest one that the soil has seen: a hump once
passed does not recur. Slip sinkage: z_dyn = C0 (P / P_CRIT)^C1 j^C2.
"""

import math

from gori.kernels.jit import part
from gori.kernels.vehicle.tables import BEKKER

FULL_COHESION = 10.0
"""cohesion acts in full from P = c / 10 on, so that the stress of a cell that leaves the wheel vanishes continuously"""


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
def stiffness(soil, width):
    """Factor of z^N in Bekker's law for a wheel of this width [m]; 0 for the other kind."""
    return soil.kc / width + soil.kphi if soil.kind == BEKKER else 0.0


@part
def virgin_pressure(soil, k, z):
    """Pressure [Pa] on fresh soil and its slope [Pa/m] at the sinkage z > 0 [m]; k as `stiffness` gives it."""
    if soil.kind == BEKKER:
        P = k * power(z, soil.exponent)
        return P, soil.exponent * P / z
    left = math.exp(-soil.k2 * z)
    grown = 1.0 + soil.k1 * z
    return soil.p0 * grown * (1.0 - left), soil.p0 * (soil.k1 * (1.0 - left) + grown * soil.k2 * left)


@part
def pressure(soil, k, z, z_max, P_max):
    """Pressure [Pa] and its slopes [Pa/m] in loading and unloading, at the static sinkage z [m].

    z_max, P_max   largest static sinkage so far [m], and the pressure there [Pa]
    """
    if z <= 0.0:
        return 0.0, 0.0, 0.0
    if z >= z_max:
        P, down = virgin_pressure(soil, k, z)
        return P, down, max(down, P / (z * soil.rebound))
    slope = P_max / (z_max * soil.rebound)
    P = P_max - slope * (z_max - z)
    if P <= 0.0:
        return 0.0, 0.0, 0.0
    return P, slope, slope


@part
def mobilised(soil, P, j, j_before):
    """The shear curve as a spring: its modulus [Pa/m], its largest stretch [m] and what is left of it, exp(-x).

    Stress is modulus * stretch. Slip in one direction keeps the stretch at its largest, K (1 - exp(-j / K)), which
    gives the curve; a smaller stretch is elastic. So soil sticks without chatter and takes a reversal at once.
    """
    K = soil.shear_length
    left = math.exp(-j / K)
    bracket = 1.0
    if soil.hump > 0.0:
        bracket += soil.hump * math.e * (left if j >= j_before else math.exp(-j_before / K))
    strongest = min(soil.cohesion, FULL_COHESION * P) + P * soil.tan_phi
    return strongest * soil.share * bracket / K, K * (1.0 - left), left


@part
def shear_limit(soil, P, j, j_before):
    """Shear stress [Pa] at the slip path j [m] under the pressure P [Pa]."""
    modulus, stretch, _ = mobilised(soil, P, j, j_before)
    return modulus * stretch


@part
def slip_sinkage(soil, P, j):
    """Sinkage [m] by a slip path j [m] under the pressure P [Pa]."""
    return soil.c0 * power(P / soil.p_crit, soil.c1) * power(j, soil.c2)
