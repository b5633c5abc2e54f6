"""A single-wheel test rig: one wheel, pressed on by a given load, driven over soil at given speed and slip.

The wheel is lowered until the soil bears the load and begins to roll, at first with one Newton step to the load at each
step, then in a carriage without mass on a slow dashpot, so that the soil bears the load in the mean. Speed matters only
through the slip: the soil has no rate of its own.
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.vehicle.patch import AREA, FX, FY, FZ, GOOD, K_DOWN, K_UP, MZ, S_D, SINKAGE, TORQUE, soft_wheel

# what the rig is told, (N_RIG_IN,) float64
R_RADIUS, R_WIDTH, R_DEFLECTION, R_LOAD, R_SPEED, R_SPIN, R_YAW = 0, 1, 2, 3, 4, 5, 6
"""wheel [m], deflection of its tyre [m], load [N], speed along x [m/s], spin [rad/s], heading right of x [rad]"""
R_START, R_SETTLE, R_MEASURE, R_STEP = 7, 8, 9, 10
"""place of the start [m], steps before and during the measurement, time of a step [s]"""
N_RIG_IN = 11

# what it finds in each pass, (passes, N_RIG_OUT) float64: means over the measurement
R_PULL, R_SIDE, R_TORQUE, R_SINKAGE, R_AREA, R_FZ, R_MZ, R_RIPPLE = 0, 1, 2, 3, 4, 5, 6, 7
"""forces along heading and axle [N], driving torque [N m], sinkage [m], area [m2], load [N], moment about the vertical
[N m], standard deviation of the pull [N]"""
N_RIG_OUT = 8


SLOW = 4.0
"""stiffness of the carriage's dashpot over a step, by that of the soil that comes back"""


@part
def rise(load, radius, dashpot, found):
    """How far the wheel should rise in this step [m], at most a fiftieth of its radius.

    dashpot   [N/m] over one step: with it the mean of the soil's force is the load; 0: Newton's step to the load
    """
    gap = found[FZ] - load
    slope = max(dashpot, found[K_UP]) if dashpot > 0.0 else found[K_UP] if gap > 0.0 else found[K_DOWN]
    most = 0.02 * radius
    if slope * most <= abs(gap):
        return most if gap > 0.0 else -most
    return gap / slope


@kernel("i8(f8[::1], f8[:, ::1], i8[::1], f8[::1], f8[::1], f8[::1], f8[::1], f8[:, ::1])")
def run_rig(p, ground, ti, tf, f, s, found, out):
    """One wheel over the same track as often as out has rows. Returns the code of `soft_wheel`.

    p, ground, ti, tf   as for `soft_wheel`
    f                   (N_RIG_IN,) the experiment
    s, found            (N_SOFT,) and (N_PATCH_OUT,) scratch
    out                 (passes, N_RIG_OUT)
    """
    radius, width, d, load, speed, spin = f[R_RADIUS], f[R_WIDTH], f[R_DEFLECTION], f[R_LOAD], f[R_SPEED], f[R_SPIN]
    dt, settle, count = f[R_STEP], int(f[R_SETTLE]), int(f[R_MEASURE])
    ahead, right = math.cos(f[R_YAW]), math.sin(f[R_YAW])
    t, s[S_D] = 0.0, d
    for n in range(out.shape[0]):
        for k in range(N_RIG_OUT):
            out[n, k] = 0.0
        x, z, squares, dashpot = f[R_START], radius - d, 0.0, 0.0
        t += 10.0 * dt  # no contact of the last pass goes on
        for i in range(-200, settle + count):
            # at first it is only lowered
            v, omega = (speed, spin) if i >= 0 else (0.0, 0.0)
            t += dt
            x += v * dt
            code = soft_wheel(
                p, ground, ti, tf, radius, width, x, 0.0, z, right, ahead, 0.0,
                v, 0.0, 0.0, 0.0, 0.0, 0.0, omega, s, 0.0, 0.0, 0.0, t, dt, 1, found,
            )  # fmt: skip
            if code != GOOD:
                return code
            if i >= settle:
                pull = found[FX] * ahead - found[FY] * right
                out[n, R_PULL] += pull
                out[n, R_SIDE] += found[FX] * right + found[FY] * ahead
                out[n, R_TORQUE] -= found[TORQUE]
                out[n, R_SINKAGE] += found[SINKAGE]
                out[n, R_AREA] += found[AREA]
                out[n, R_FZ] += found[FZ]
                out[n, R_MZ] += found[MZ]
                squares += pull * pull
            if i == settle // 2:
                dashpot = SLOW * found[K_UP]
            z += rise(load, radius, dashpot, found)
        for k in range(N_RIG_OUT):
            out[n, k] /= count
        out[n, R_RIPPLE] = math.sqrt(max(0.0, squares / count - out[n, R_PULL] * out[n, R_PULL]))
    return GOOD
