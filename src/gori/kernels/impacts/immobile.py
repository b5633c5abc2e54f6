"""Friction of a contact at which no force can change the slip: W_tt = 0.

A disc whose turning is given and a pad that is guided onto it, or a belt of given speed below a ball on a vertical
guide: there is nothing to solve, but friction is there, and drives and guides bear it:

    f_t = -mu f_n u_t/|u_t|

Where a given motion reverses, that would jump. The last and first 1/c of slip, as of all contacts that rest, are
therefore a ramp: |u_t| counts as at least |d|u_t|/dt| / c. Without slip friction is undetermined, and none.
"""

import math

from gori.kernels.jit import part

FLAT = 1e-12
"""mobility along a tangent, by that along the normal, which counts as none"""
LEAST_SLIP = 1e-9
"""slip below which friction becomes less, where it neither grows nor shrinks [m/s]"""


@part
def is_immobile(W, i):
    """Whether forces at the point of row i do nothing along its tangents."""
    return not W[i + 1, i + 1] + W[i + 2, i + 2] > FLAT * W[i, i]


@part
def against_given_slip(bs, bt, cs, ct, rate):
    """Friction by mu f_n, along both tangents.

    bs, bt   c times the slip, and its acceleration;  cs, ct the first alone;  rate: c [1/s]
    """
    slip = math.sqrt(cs * cs + ct * ct)
    if not slip > 0.0:
        return 0.0, 0.0
    change = abs((bs - cs) * cs + (bt - ct) * ct) / slip
    over = -1.0 / max(slip, change, LEAST_SLIP * rate)
    return cs * over, ct * over
