"""Fiala's tyre: a brush under a parabolic pressure, in combined slip.

With the two forces that the tread would have without sliding, f = (slip stiffness sx, cornering stiffness sy), the
friction U = friction_max - (friction_max - friction_min) min(1, |s|) and H = 1 - |f| / (3 U N), not below 0:
    |F| = U N (1 - H^3), along f;    Mz = -U N width (1 - H) H^3 sin(angle of f).
For lateral slip alone this is the law of E. Fiala (VDI-Z 96, 1954) as vehicle programs have it; taking one vector keeps
the force within U N for any combination of slips.
"""

import math

from gori.kernels.jit import part


@part
def fiala_stiffness(tyre, N, scale):
    """Slip stiffnesses and the largest friction force [N] at the load N, on ground of `scale` times the friction."""
    return tyre.slip_stiffness, tyre.cornering_stiffness, tyre.friction_max * scale * N


@part
def fiala_force(tyre, N, scale, sx, sy):
    """Fx, Fy [N] and Mz [N m] for the slips sx (driving) and sy (tangent of the slip angle; force to the left)."""
    most, least = tyre.friction_max, tyre.friction_min
    U = scale * (most - (most - least) * min(1.0, math.sqrt(sx * sx + sy * sy)))
    limit = U * N
    fx, fy = tyre.slip_stiffness * sx, tyre.cornering_stiffness * sy
    f = math.sqrt(fx * fx + fy * fy)
    if f < 1e-12 or limit < 1e-9:
        return 0.0, 0.0, 0.0
    H = max(0.0, 1.0 - f / (3.0 * limit))
    H3 = H * H * H
    force = limit * (1.0 - H3) / f
    return force * fx, force * fy, -limit * tyre.width * (1.0 - H) * H3 * fy / f
