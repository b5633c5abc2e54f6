"""Soil laws and a rigid wheel in steady motion on them, as a textbook writes them (Wong 2008, sections 2.4 and 2.5)."""

import math

import numpy as np

from gori.spec.vehicle.soil import BekkerSoil


def virgin(soil, z, width):
    if isinstance(soil, BekkerSoil):
        return (soil.kc / width + soil.kphi) * z**soil.n
    return soil.p0 * (1 + soil.k1 * z) * (1 - math.exp(-soil.k2 * z))


def pressure(soil, z, z_max, width):
    if z <= 0:
        return 0.0
    if z >= z_max:
        return virgin(soil, z, width)
    peak = virgin(soil, z_max, width)
    return max(0.0, peak - peak / (z_max * soil.rebound) * (z_max - z))


def shear(soil, P, j, j_before=0.0):
    """Equations (35) to (38) of the vehicle paper, with the hump that earlier slip has used up."""
    strongest = min(soil.cohesion, 10 * P) + P * math.tan(math.radians(soil.friction_deg))
    x, x_before = j / soil.shear_length, max(j, j_before) / soil.shear_length
    if soil.hump is None:
        return strongest * (1 - math.exp(-x))
    residual = strongest / soil.hump
    return residual * (1 + (soil.hump / (1 - 1 / math.e) - 1) * math.exp(1 - x_before)) * (1 - math.exp(-x))


def slip_sinkage(soil, P, j):
    law = soil.slip_sinkage
    return law.c0 * (P / law.p_crit) ** law.c1 * j**law.c2


def steady_wheel(soil, radius, width, sinkage, slip, count=4000):
    """Vertical load, drawbar pull [N] and torque [N m] of a rigid wheel that rolls with this sinkage and slip.

    A place of the ground meets the tread at the angle theta_1. While it passes below by R cos(theta) dtheta, the tread
    slips over it by dj = R (1 / (1 - slip) - cos(theta)) cos(theta) dtheta. Without slip sinkage.
    """
    entry = math.acos(1 - sinkage / radius)
    leave = math.acos(1 - soil.rebound * sinkage / radius)
    angles = np.linspace(entry, -leave, count + 1)
    step = angles[0] - angles[1]
    load = pull = torque = path = stretch = 0.0
    K = soil.shear_length
    for theta in 0.5 * (angles[1:] + angles[:-1]):
        ds = radius * (1 / (1 - slip) - math.cos(theta)) * math.cos(theta) * step
        path += 0.5 * abs(ds)
        reach = K * (1 - math.exp(-path / K))
        stretch = min(max(stretch + ds, -reach), reach)
        P = pressure(soil, sinkage - radius * (1 - math.cos(theta)), sinkage if theta < 0 else 0.0, width)
        tau = shear(soil, P, path) * stretch / reach
        path += 0.5 * abs(ds)
        area = radius * width * step
        load += (P * math.cos(theta) + tau * math.sin(theta)) * area
        pull += (tau * math.cos(theta) - P * math.sin(theta)) * area
        torque += tau * radius * area
    return load, pull, torque
