"""A tyre on hard ground: load, transient slip, forces. `tyre` is its row of TYRE.

Transient slip. The contact patch is tied to the carcass by the deflections u (forward) and w (to the left), which are
states: u' = -vsx - V u / sigma_x, w' = -vsy - V w / sigma_y, with the relaxation lengths sigma and V = |vx|. The slips
u / sigma_x and w / sigma_y go into the law of the tyre (Fiala, Magic Formula). In steady motion they are the slips as
usually defined, -vsx / |vx| and -vsy / |vx|; at rest they are a spring of stiffness C / sigma.

Three things make that hold at standstill:
1. V is the lesser of the speeds of the centre and of the tread below V_SLOW: a wheel that is locked by its brake
   transports no tread through the contact, so that its spring does not creep.
2. No wind-up: deflections stay where friction saturates, |(Cx u/sigma_x, Cy w/sigma_y)| <= 3 mu N, unless the wheel
   really slides; then up to the slip at which it does.
3. Below V_DAMP a part of the slip speed is added to the slip, so that the vehicle on its tyres comes to rest.
"""

import math

from gori.kernels.jit import part
from gori.kernels.vehicle.fiala import fiala_force, fiala_stiffness
from gori.kernels.vehicle.magic import magic_force, magic_radius, magic_relaxation, magic_rolling, magic_stiffness
from gori.kernels.vehicle.tables import FIALA, MAGIC

V_SLOW = 1.0
"""speed below which the tread's own speed counts [m/s]"""
V_DAMP = 2.5
"""speed below which slip is damped [m/s]"""
V_TURN = 0.2
"""speed within which rolling resistance and trail change their sign [m/s]"""
RETURN = 5e-3
"""time in which a deflection beyond the friction limit comes back [s]"""
MOST_SLIP = 2.0
TOUCH = 5e-3
"""depth over which the damper engages [m]: without it the load would jump on landing"""
GRAVITY = 9.81


@part
def elastic_load(tyre, depth):
    """Load [N] of the spring or of the table, extrapolated with its last slope."""
    n = tyre.points
    if n == 0:
        return tyre.stiffness * depth
    x0, y0 = 0.0, 0.0
    x1, y1 = tyre.depths[0], tyre.loads[0]
    for i in range(1, n):
        if depth <= x1:
            break
        x0, y0 = x1, y1
        x1, y1 = tyre.depths[i], tyre.loads[i]
    return y0 + (y1 - y0) * (depth - x0) / (x1 - x0)


@part
def elastic_energy(tyre, depth):
    """Energy of the spring [J]: what `elastic_load` takes up to this depth."""
    if not depth > 0.0:
        return 0.0
    n, energy = tyre.points, 0.0
    if n == 0:
        return 0.5 * tyre.stiffness * depth * depth
    x0, y0 = 0.0, 0.0
    x1, y1 = tyre.depths[0], tyre.loads[0]
    for i in range(1, n):
        if depth <= x1:
            break
        energy += 0.5 * (y0 + y1) * (x1 - x0)
        x0, y0 = x1, y1
        x1, y1 = tyre.depths[i], tyre.loads[i]
    y = y0 + (y1 - y0) * (depth - x0) / (x1 - x0)
    return energy + 0.5 * (y0 + y) * (depth - x0)


@part
def vertical_load(tyre, depth, rate):
    """Load N >= 0 [N] for the depth [m] and its rate [m/s]."""
    if not depth > 0.0:
        return 0.0
    return max(0.0, elastic_load(tyre, depth) + tyre.damping * rate * min(1.0, depth / TOUCH))


@part
def rolling_radius(tyre, N, depth):
    """Re [m]: the wheel rolls freely when spin * Re is its speed. It is also the arm of Fx about the axle."""
    R = tyre.radius
    Re = magic_radius(tyre.magic, N, R) if tyre.roll_part < 0.0 else R - tyre.roll_part * max(0.0, depth)
    return max(0.5 * R, Re)


@part
def slip_stiffness(tyre, N, mu):
    """Slip stiffnesses Cx, Cy [N], relaxation lengths [m], and the largest friction force [N]."""
    scale = mu / tyre.reference_friction
    sigma_x, sigma_y = tyre.sigma_x, tyre.sigma_y
    if tyre.kind == MAGIC:
        Cx, Cy, limit = magic_stiffness(tyre.magic, N, scale)
        along, across = magic_relaxation(tyre.magic, N, tyre.radius)
        sigma_x = sigma_x if sigma_x > 0.0 else along
        sigma_y = sigma_y if sigma_y > 0.0 else across
    elif tyre.kind == FIALA:
        Cx, Cy, limit = fiala_stiffness(tyre, N, scale)
    else:
        Cx, Cy, limit = math.nan, math.nan, math.nan
    return Cx, Cy, sigma_x, sigma_y, limit


@part
def transport_speed(vx, vsx):
    """V: how fast tread passes through the contact [m/s]."""
    v = abs(vx)
    if v >= V_SLOW:
        return v
    least = min(v, abs(vx - vsx))
    share = v / V_SLOW
    return least + (v - least) * share * share


@part
def excess(Cx, Cy, sigma_x, sigma_y, limit, vx, vsx, vsy, u, w):
    """By which factor the deflections are beyond the friction limit; at most 1 within it."""
    fx, fy = Cx * u / sigma_x, Cy * w / sigma_y
    gx, gy = Cx * vsx, Cy * vsy
    sliding = math.sqrt(vsx * vsx + vsy * vsy)
    # the slip of the motion itself, as the deflections would measure it
    slip = min(MOST_SLIP, sliding / max(V_SLOW, abs(vx)))
    kinematic = slip * math.sqrt(gx * gx + gy * gy) / sliding if sliding > 1e-12 else 0.0
    most = max(3.0 * limit, kinematic) if limit > 0.0 else 0.0
    f = math.sqrt(fx * fx + fy * fy)
    if most <= 0.0:
        return 1e9 if f > 0.0 else 1.0
    return f / most


@part
def slip_rates(tyre, N, mu, vx, vsx, vsy, u, w):
    """Rates of the deflections u and w [m/s]; without load they vanish."""
    if not N > 0.0 or not mu > 0.0:
        return -u / RETURN, -w / RETURN
    Cx, Cy, sigma_x, sigma_y, limit = slip_stiffness(tyre, N, mu)
    V = transport_speed(vx, vsx)
    du, dw = -vsx - V * u / sigma_x, -vsy - V * w / sigma_y
    over = excess(Cx, Cy, sigma_x, sigma_y, limit, vx, vsx, vsy, u, w)
    if over >= 1.0:
        # at the limit the part that leads further out is taken away; what is beyond comes back
        kx, ky = Cx / sigma_x, Cy / sigma_y
        square = kx * kx * u * u + ky * ky * w * w
        out = max(0.0, (kx * kx * u * du + ky * ky * w * dw) / max(1e-200, square))
        back = out + (1.0 - 1.0 / over) / RETURN
        du, dw = du - back * u, dw - back * w
    return du, dw


@part
def slip_step(tyre, N, mu, vx, vsx, vsy, u, w, dt):
    """The deflections after dt [s] at constant speeds: trapezoidal rule, then limited by friction; any dt."""
    if not N > 0.0 or not mu > 0.0:
        return 0.0, 0.0
    Cx, Cy, sigma_x, sigma_y, limit = slip_stiffness(tyre, N, mu)
    half = 0.5 * dt * transport_speed(vx, vsx)
    ax, ay = half / sigma_x, half / sigma_y
    u = (u * (1.0 - ax) - dt * vsx) / (1.0 + ax)
    w = (w * (1.0 - ay) - dt * vsy) / (1.0 + ay)
    over = max(1.0, excess(Cx, Cy, sigma_x, sigma_y, limit, vx, vsx, vsy, u, w))
    return u / over, w / over


@part
def tyre_forces(tyre, N, mu, gamma, vx, vsx, vsy, u, w):
    """Fx forward, Fy to the left [N], Mz about the ground normal, My about the wheel axis [N m], on the wheel.

    load N [N], friction coefficient mu of the ground, camber gamma [rad], forward speed vx, slip speeds
    vsx and vsy [m/s], deflections u and w [m]. My is rolling resistance alone: Fx has its own moment -Fx Re.
    """
    if not N > 0.0 or not mu > 0.0:
        return 0.0, 0.0, 0.0, 0.0
    Cx, Cy, sigma_x, sigma_y, _ = slip_stiffness(tyre, N, mu)
    sx, sy = u / sigma_x, w / sigma_y

    # damping at standstill, a share of the critical one for the mass that the wheel carries
    calm = 1.0 - (vx * vx + vsx * vsx + vsy * vsy) / (V_DAMP * V_DAMP)
    if calm > 0.0:
        share = 2.0 * tyre.standstill_damping * calm * calm * math.sqrt(N / GRAVITY)
        sx -= share * vsx / math.sqrt(sigma_x * Cx)
        sy -= share * vsy / math.sqrt(sigma_y * Cy)

    scale = mu / tyre.reference_friction
    R, tread = tyre.radius, vx - vsx
    turn = min(1.0, max(-1.0, vx / V_TURN))
    roll = min(1.0, max(-1.0, tread / V_TURN))
    if tyre.kind == MAGIC:
        side = tyre.mirror
        Fx, Fy, Mz = magic_force(tyre.magic, N, scale, R, sx, -math.atan(side * sy), side * gamma)
        Fy, Mz = side * Fy, side * Mz
        drag = magic_rolling(tyre.magic, N, R, Fx, vx)
    elif tyre.kind == FIALA:
        Fx, Fy, Mz = fiala_force(tyre, N, scale, sx, sy)
        drag = tyre.rolling * N * R
    else:
        Fx, Fy, Mz, drag = math.nan, math.nan, math.nan, math.nan
    return Fx, Fy, Mz * turn, -drag * roll
