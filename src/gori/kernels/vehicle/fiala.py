"""Fiala's tyre: a brush under a parabolic pressure, in combined slip.

With the two forces that the tread would have without sliding, f = (CSLIP sx, CALPHA sy), the friction
U = UMAX - (UMAX - UMIN) min(1, |s|) and H = 1 - |f| / (3 U N), not below 0:
    |F| = U N (1 - H^3), along f;    Mz = -U N width (1 - H) H^3 sin(angle of f).
For lateral slip alone this is the law of E. Fiala (VDI-Z 96, 1954) as vehicle programs have it; taking one vector keeps
the force within U N for any combination of slips.
"""

import math

from gori.kernels.jit import part

C_SLIP, C_ALPHA, U_MIN, U_MAX = 0, 1, 2, 3
"""columns of c: slip stiffness [N], cornering stiffness [N/rad], friction coefficients of full sliding and of none"""
N_FIALA = 4


@part
def fiala_stiffness(c, N, scale):
    """Slip stiffnesses and the largest friction force [N] at the load N, on ground of `scale` times the friction."""
    return c[C_SLIP], c[C_ALPHA], c[U_MAX] * scale * N


@part
def fiala_force(c, N, scale, width, sx, sy):
    """Fx, Fy [N] and Mz [N m] for the slips sx (driving) and sy (tangent of the slip angle; force to the left)."""
    U = scale * (c[U_MAX] - (c[U_MAX] - c[U_MIN]) * min(1.0, math.sqrt(sx * sx + sy * sy)))
    limit = U * N
    fx, fy = c[C_SLIP] * sx, c[C_ALPHA] * sy
    f = math.sqrt(fx * fx + fy * fy)
    if f < 1e-12 or limit < 1e-9:
        return 0.0, 0.0, 0.0
    H = max(0.0, 1.0 - f / (3.0 * limit))
    H3 = H * H * H
    force = limit * (1.0 - H3) / f
    return force * fx, force * fy, -limit * width * (1.0 - H) * H3 * fy / f
