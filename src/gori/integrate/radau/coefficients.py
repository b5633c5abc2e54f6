"""Coefficients of Radau IIA with three stages (Hairer and Wanner 1996, table IV.5.6 and section IV.8)."""

import math

from gori.kernels.jit import part

_6 = math.sqrt(6.0)
C1, C2 = (4.0 - _6) / 10.0, (4.0 + _6) / 10.0
"""positions of the stages in the step; the third is at its end"""
A11, A12, A13 = (88.0 - 7.0 * _6) / 360.0, (296.0 - 169.0 * _6) / 1800.0, (-2.0 + 3.0 * _6) / 225.0
A21, A22, A23 = (296.0 + 169.0 * _6) / 1800.0, (88.0 + 7.0 * _6) / 360.0, (-2.0 - 3.0 * _6) / 225.0
A31, A32, A33 = (16.0 - _6) / 36.0, (16.0 + _6) / 36.0, 1.0 / 9.0

_a, _b = 81.0 ** (1.0 / 3.0), 9.0 ** (1.0 / 3.0)
GAMMA = 30.0 / (6.0 + _a - _b)
_re, _im = (12.0 - _a + _b) / 60.0, (_a + _b) * math.sqrt(3.0) / 60.0
ALPHA, BETA = _re / (_re * _re + _im * _im), _im / (_re * _re + _im * _im)
"""eigenvalues of A^-1: GAMMA, and ALPHA +- i BETA"""

T11, T12, T13 = 9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2
T21, T22, T23 = 0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779
T31 = 0.96604818261509293619
"""T, with T32 = 1 and T33 = 0: T^-1 A^-1 T is [GAMMA 0 0; 0 ALPHA -BETA; 0 BETA ALPHA]"""
I11, I12, I13 = 4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119
I21, I22, I23 = -4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196
I31, I32, I33 = -0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497
"""T^-1"""

D1, D2, D3 = -(13.0 + 7.0 * _6) / 3.0, (-13.0 + 7.0 * _6) / 3.0, -1.0 / 3.0
"""-h u'(0) = D1 Z1 + D2 Z2 + D3 Z3 of the polynomial u of the stages"""


@part
def weights(s):
    """Shares of Z1, Z2 and Z3 in the polynomial of degree 3 that is zero at 0, at the fraction s of the step."""
    return (
        s * (s - C2) * (s - 1.0) / (C1 * (C1 - C2) * (C1 - 1.0)),
        s * (s - C1) * (s - 1.0) / (C2 * (C2 - C1) * (C2 - 1.0)),
        s * (s - C1) * (s - C2) / ((1.0 - C1) * (1.0 - C2)),
    )
