"""Sine and cosine of a number or of Lanes, by polynomials: a call of libm per lane would cost as much as a kernel."""

import math

import numba
from numba.extending import overload

from gori.kernels.lanes import (
    WIDTH,
    abs_lanes,
    any_above,
    floor_lanes,
    get_lane,
    lanes_type,
    put_lane,
    round_lanes,
    where,
)

# pi/2 in three parts of 33 bits: k times a part is exact while |k| < 2**20
_PIO2_A, _PIO2_B, _PIO2_C = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
_LARGEST_ANGLE = 1.0e6
_TWO_OVER_PI = 0.6366197723675814


_exactly = numba.njit(nogil=True, fastmath={"contract"}, error_model="numpy", forceinline=True)
"""no "reassoc": it would undo the three-part reduction"""


@_exactly
def _sincos_near_zero(x, k):
    """Sine and cosine of x - k pi/2, at most pi/4 in size, of a number or of Lanes.

    Coefficients: the Taylor series with the last terms economised, as in the Cephes library (S. Moshier, sin.c).
    """
    r = ((x - k * _PIO2_A) - k * _PIO2_B) - k * _PIO2_C
    r2 = r * r

    s = 1.58962301576546568060e-10 * r2 - 2.50507477628578072866e-8
    s = s * r2 + 2.75573136213857245213e-6
    s = s * r2 - 1.98412698295895385996e-4
    s = s * r2 + 8.33333333332211858878e-3
    s = s * r2 - 1.66666666666666307295e-1
    s = r + r * (r2 * s)

    c = 2.08757008419747316778e-9 - 1.13585365213876817300e-11 * r2
    c = c * r2 - 2.75573141792967388112e-7
    c = c * r2 + 2.48015872888517045348e-5
    c = c * r2 - 1.38888888888730564116e-3
    c = c * r2 + 4.16666666666665929218e-2
    return s, 1.0 - (0.5 * r2 - r2 * r2 * c)


@_exactly
def _sincos_of_lanes(x):
    """Sine and cosine to about one unit in the last place: reduction to |r| <= pi/4, then two polynomials."""
    k = round_lanes(x * _TWO_OVER_PI)
    s, c = _sincos_near_zero(x, k)

    # quadrant: odd k swaps the two, k mod 4 in {2, 3} turns the sine, in {1, 2} the cosine
    odd = k - 2.0 * floor_lanes(k * 0.5)
    half = k * 0.5 - 2.0 * floor_lanes(k * 0.25)  # 0, 1/2, 1, 3/2
    turn_sin = floor_lanes(half)
    turn_cos = floor_lanes(half + 0.5) - 2.0 * floor_lanes((half + 0.5) * 0.5)
    sine = where(odd, c, s)
    cosine = where(odd, s, c)
    sine = where(turn_sin, -sine, sine)
    cosine = where(turn_cos, -cosine, cosine)

    if any_above(abs_lanes(x), _LARGEST_ANGLE):
        for lane in range(WIDTH):
            angle = get_lane(x, lane)
            sine = put_lane(sine, lane, math.sin(angle))
            cosine = put_lane(cosine, lane, math.cos(angle))
    return sine, cosine


@_exactly
def _sincos_of_number(x):
    """The same for one number. Two calls of libm would keep the processor from working ahead on the next joints."""
    if not abs(x) < _LARGEST_ANGLE:
        return math.sin(x), math.cos(x)
    k = int(math.floor(x * _TWO_OVER_PI + 0.5))  # noqa: RUF046 (on a GPU it is a float)
    s, c = _sincos_near_zero(x, float(k))
    sine, cosine = (c, s) if k & 1 else (s, c)
    return -sine if k & 2 else sine, -cosine if (k + 1) & 2 else cosine


def sincos(x):
    """Sine and cosine of a number or of Lanes (compiled code only)."""
    raise NotImplementedError("sincos is for compiled code")


@overload(sincos)
def _sincos(x):
    if x is lanes_type:
        return lambda x: _sincos_of_lanes(x)
    return lambda x: _sincos_of_number(x)
