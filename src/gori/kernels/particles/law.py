"""Forces of two touching bodies at one contact. Written once, for numbers and Lanes, CPU and GPU.

All constants come as arguments, as they stand in the row of the pair of materials: on a GPU they are single, and a
literal would make the rest double. There is no branch on a value, so eight contacts go through together; without an
overlap, d = 0, forces and history come out as 0.

hertz   a = sqrt(R d),  Fn = KN a d + CN sqrt(m a) vn, never tensile;
        h elastic tangential force: dh = -KT a ut dt, scaled down with a when the contact opens (Thornton et al. 2013),
        so that no energy is generated;  Ft = h - CT sqrt(m a) ut, at most MU Fn
voigt   Fn = KN d^1.5 + CN d^0.25 vn;  h tangential displacement: dh = ut dt;
        Ft = -(KT |h|^0.5 h + CT |h|^0.25 ut), at most MU Fn
rolling a spring for the torque with a cap: dg = -KT a R^2 wr dt, M = g - C_ROLL R^2 sqrt(m a) wr, at most
        MU_ROLL R Fn (Ai et al. 2011, model C)

n points from body i to body j, d > 0 is the overlap, u the velocity of i against j at the contact, R and m the reduced
radius and mass. History turns with the contact: with the mean spin about n, and by projection onto its plane.
"""

import math
from typing import Any, NamedTuple

from gori.kernels.choose import larger, power, smaller, where_less
from gori.kernels.jit import part
from gori.kernels.particles import columns as c
from gori.kernels.particles.columns import HERTZ


class PairLaw(NamedTuple):
    """Columns KN to C_ROLL of the table of pairs of materials."""

    kn: Any
    cn: Any
    kt: Any
    ct: Any
    mu: Any
    mu_roll: Any
    c_roll: Any


class Constants(NamedTuple):
    """0.5, 1, 0, a tiny number, and the sub-step [s], in the precision of the contact."""

    half: Any
    one: Any
    zero: Any
    tiny: Any
    dt: Any


class Touch(NamedTuple):
    """One contact, or eight.

    d             overlap [m]
    R, m          reduced radius [m] and mass [kg]
    nx, ny, nz    unit normal, from i to j
    ux, uy, uz    velocity of i against j at the contact [m/s]
    spin          mean angular velocity of both bodies about n [rad/s]
    """

    d: Any
    R: Any
    m: Any
    nx: Any
    ny: Any
    nz: Any
    ux: Any
    uy: Any
    uz: Any
    spin: Any


@part
def pair_law(p, k):
    """Row k of the table of pairs."""
    return PairLaw(p[k, c.KN], p[k, c.CN], p[k, c.KT], p[k, c.CT], p[k, c.MU], p[k, c.MU_ROLL], p[k, c.C_ROLL])


@part
def turned(nx, ny, nz, angle, hx, hy, hz):
    """A vector of the contact plane of before, in that of now: turned about n by a small angle, then projected."""
    cx, cy, cz = ny * hz - nz * hy, nz * hx - nx * hz, nx * hy - ny * hx
    hx, hy, hz = hx + angle * cx, hy + angle * cy, hz + angle * cz
    along = hx * nx + hy * ny + hz * nz
    return hx - along * nx, hy - along * ny, hz - along * nz


@part
def contact(law, pair, k, t, hx, hy, hz):
    """Fn >= 0, tangential force on i (3), history (3), of a PairLaw, Constants, a Touch and the history before."""
    half, one, zero, tiny, dt = k.half, k.one, k.zero, k.tiny, k.dt
    d, nx, ny, nz = t.d, t.nx, t.ny, t.nz
    vn = t.ux * nx + t.uy * ny + t.uz * nz
    tx, ty, tz = t.ux - vn * nx, t.uy - vn * ny, t.uz - vn * nz
    hx, hy, hz = turned(nx, ny, nz, dt * t.spin, hx, hy, hz)
    if law == HERTZ:
        a = math.sqrt(t.R * d)
        root = math.sqrt(t.m * a)
        Fn = larger(zero, pair.kn * a * d + pair.cn * root * vn)
        limit = pair.mu * Fn
        keep = larger(zero, smaller(one, one + half * dt / (d + tiny) * vn))
        grow, drag = pair.kt * a * dt, pair.ct * root
        hx, hy, hz = keep * hx - grow * tx, keep * hy - grow * ty, keep * hz - grow * tz
        fx, fy, fz = hx - drag * tx, hy - drag * ty, hz - drag * tz
        factor = limit / math.sqrt(fx * fx + fy * fy + fz * fz + tiny)
        cap = smaller(one, factor)
        fx, fy, fz = cap * fx, cap * fy, cap * fz
        hx, hy, hz = where_less(factor, one, fx, hx), where_less(factor, one, fy, hy), where_less(factor, one, fz, hz)
    else:  # VOIGT
        root = math.sqrt(math.sqrt(d))
        Fn = larger(zero, pair.kn * d * root * root + pair.cn * root * vn)
        limit = pair.mu * Fn
        hx, hy, hz = hx + dt * tx, hy + dt * ty, hz + dt * tz
        length = math.sqrt(hx * hx + hy * hy + hz * hz)
        size = math.sqrt(length)
        stiff, drag = pair.kt * size, pair.ct * math.sqrt(size)
        fx, fy, fz = -stiff * hx - drag * tx, -stiff * hy - drag * ty, -stiff * hz - drag * tz
        factor = limit / math.sqrt(fx * fx + fy * fy + fz * fz + tiny)
        cap = smaller(one, factor)
        fx, fy, fz = cap * fx, cap * fy, cap * fz
        # the displacement that friction holds: KT |h|^1.5 = limit
        held = smaller(one, power(limit / (pair.kt + tiny), one / (one + half)) / (length + tiny))
        held = where_less(factor, one, held, one)
        hx, hy, hz = held * hx, held * hy, held * hz
    return Fn, fx, fy, fz, hx, hy, hz


@part
def rolling(pair, k, t, Fn, wx, wy, wz, gx, gy, gz):
    """Torque on i against rolling (3), its history (3).

    w   angular velocity of i against j [rad/s]
    g   history before
    """
    one, tiny, dt, R = k.one, k.tiny, k.dt, t.R
    wn = wx * t.nx + wy * t.ny + wz * t.nz
    wx, wy, wz = wx - wn * t.nx, wy - wn * t.ny, wz - wn * t.nz
    gx, gy, gz = turned(t.nx, t.ny, t.nz, dt * t.spin, gx, gy, gz)
    a, square = math.sqrt(R * t.d), R * R
    grow, drag = pair.kt * a * square * dt, pair.c_roll * square * math.sqrt(t.m * a)
    gx, gy, gz = gx - grow * wx, gy - grow * wy, gz - grow * wz
    mx, my, mz = gx - drag * wx, gy - drag * wy, gz - drag * wz
    factor = pair.mu_roll * R * Fn / math.sqrt(mx * mx + my * my + mz * mz + tiny)
    cap = smaller(one, factor)
    mx, my, mz = cap * mx, cap * my, cap * mz
    gx, gy, gz = where_less(factor, one, mx, gx), where_less(factor, one, my, gy), where_less(factor, one, mz, gz)
    return mx, my, mz, gx, gy, gz
