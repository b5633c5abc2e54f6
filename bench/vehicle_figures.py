"""The HMMWV-like vehicle as its sources give it, for peers: written apart from the parts that come with Gori.

Points in inches, left side, from the middle between the pivots of the lower arm (x forward, y left, z up); front first,
rear second. TACOM Technical Report 13337, as in the public HMMWV model of Project Chrono.
"""

from typing import NamedTuple

import numpy as np

INCH = 0.0254
POUND_FORCE = 4.4482216
MIDDLE = 1.688965
"""of the lower arms' pivots, before and behind the origin of the chassis [m]"""

POINTS = {
    "hub": ((-1.59, 35.815, -1.035), (1.40, 35.815, -1.035)),
    "knuckle": ((-1.59, 29.5675, -1.035), (1.40, 29.5675, -1.035)),
    "upper_front": ((-1.8864, 17.5575, 9.6308), (13.7445, 18.1991, 8.9604)),
    "upper_back": ((-10.5596, 18.8085, 7.6992), (3.0355, 18.1909, 8.8096)),
    "upper_ball": ((-2.088, 28.17, 8.484), (1.40, 28.17, 8.5)),
    "upper_com": ((-4.155, 23.176, 8.575), (4.895, 23.183, 8.692)),
    "lower_front": ((8.79, 12.09, 0.0), (8.79, 12.09, 0.0)),
    "lower_back": ((-8.79, 12.09, 0.0), (-8.79, 12.09, 0.0)),
    "lower_ball": ((-1.40, 30.965, -4.65), (1.40, 30.965, -4.65)),
    "lower_com": ((0.0, 21.528, -2.325), (0.0, 21.527, -2.325)),
    "damper_chassis": ((4.095, 19.598, 12.722), (-4.095, 19.598, 12.722)),
    "damper_arm": ((3.827, 21.385, -1.835), (-3.827, 21.415, -1.511)),
    "spring_chassis": ((4.095, 20.07, 7.775), (-4.095, 19.747, 10.098)),
    "spring_arm": ((3.827, 21.385, -1.835), (-3.827, 21.385, -1.835)),
    "rod_inner": ((-9.855, 17.655, 2.135), (8.790, 16.38, 2.310)),
    "rod_outer": ((-6.922, 32.327, -0.643), (6.704, 32.327, -0.365)),
}


def point(name: str, corner: str) -> np.ndarray:
    """In the chassis frame [m]; corner: fl, fr, rl, rr."""
    rear = corner[0] == "r"
    side = 1.0 if corner[1] == "l" else -1.0
    p = INCH * np.array(POINTS[name][rear]) + ((-MIDDLE if rear else MIDDLE), 0.0, 0.0)
    return p * (1.0, side, 1.0)


# ---- masses [kg] and inertias [kg m2]

CHASSIS = 2086.52, (0.056, 0.0, 0.213), (1078.52, 2955.66, 3570.20)
RACK_MASS, RACK_INERTIA = 9.072, (1.0, 1.0, 1.0)
RACK_STIFFNESS, RACK_DAMPING = 1e6, 4e4
"""of the servo that holds it [N/m, N s/m]: assumptions of the vehicle, not of the source"""
ARMS = {"lower": (23.965, (0.4, 0.4, 0.8)), "upper": (5.813, (0.03, 0.03, 0.06))}
"""x along the pivots, z across the arm's plane; z as large as a body allows (0.8938 and 0.06276 in the source)"""
KNUCKLE = 19.450, (0.1656, 0.1934, 0.04367)
WHEEL = 14.705 + 18.8 + 37.6, (0.04117 + 0.4634 + 3.84, 0.07352 + 0.6243 + 6.69, 0.04117 + 0.4634 + 3.84)
"""spindle, rim and tyre; its second moment is that of the spin"""


# ---- forces


class Axle(NamedTuple):
    """Spring and damper of one corner; damper rates in compression and rebound, then in the hydraulic bump zones."""

    stiffness: float
    free_length: float
    longest: float
    rates: tuple[float, float]
    end_rates: tuple[float, float]


def _rates(*pounds: float) -> tuple[float, float]:
    """From lbf s/in to N s/m."""
    compression, rebound = (p * POUND_FORCE / INCH for p in pounds)
    return compression, rebound


AXLES = {
    "f": Axle(167062.0, 0.339, 0.30, _rates(71.50, 128.25), _rates(33.67, 343.0)),
    "r": Axle(369149.0, 0.382, 0.35, _rates(83.0, 200.0), _rates(48.75, 365.0)),
}
SHORTEST = 0.15
MIDSTROKE = 0.3241, 0.4186
BLEND = 0.01
STOP = np.array([(0, 0), (0.01, 1e3), (0.02, 2.5e3), (0.03, 4.5e3), (0.04, 7.5e3), (0.05, 12.5e3), (0.06, 125e3)])

RADIUS, WIDTH, TOUCH = 0.4699, 0.3175, 5e-3
"""tyre; its damper, of 75 to 7500 N s/m in the public sets, takes hold over the last of these [m]"""
LOADS = np.array(
    [(0, 0), (0.005, 585), (0.01, 1286), (0.02, 3477), (0.03, 6190), (0.04, 9027), (0.05, 12139), (0.06, 15368),
     (0.07, 18469), (0.08, 21699)], float,
)  # fmt: skip
C_SLIP, C_ALPHA, U_MAX, U_MIN, ROLLING = 193929.0, 50000.0, 0.9835, 0.5568, 0.015


def table(rows: np.ndarray, x):
    """Linear between rows, the last slope going on; 0 below the first."""
    (xa, ya), (xb, yb) = rows[-2:]
    return np.interp(x, *rows.T) + np.maximum(0.0, x - xb) * (yb - ya) / (xb - xa)


def spring_tension(axle: Axle, length: float) -> float:
    """Spring and stops [N]."""
    stops = table(STOP, length - axle.longest) - table(STOP, SHORTEST - length)
    return axle.stiffness * (length - axle.free_length) + float(stops)


def damper_tension(axle: Axle, length: float, rate: float) -> float:
    """[N]"""
    beyond = max(MIDSTROKE[0] - length, length - MIDSTROKE[1])
    share = min(1.0, max(0.0, beyond / BLEND))
    way = 0 if rate < 0.0 else 1
    return ((1.0 - share) * axle.rates[way] + share * axle.end_rates[way]) * rate
