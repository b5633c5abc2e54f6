"""The Magic Formula MF 5.2, also called PAC2002: H. B. Pacejka, Tyre and Vehicle Dynamics (2002), section 4.3.

y = D sin(C atan(B x - E (B x - atan(B x)))), its coefficients functions of load and camber; steady state, without the
influence of inflation pressure and turn slip. Axes as in the rest of this folder and in .tir files (ISO): kappa is
positive when driving, the slip angle alpha when the wheel slides to the left, so that PKY1 is negative; camber gamma is
positive when the top leans to the right.
"""

import math

from gori.kernels.jit import block, part

N_MAGIC = 123
# fmt: off
(
    FNOMIN, FZMAX, LONGVL, CZ,
    LFZO, LCX, LMUX, LEX, LKX, LHX, LVX, LGAX, LCY, LMUY, LEY, LKY, LHY, LVY, LGAY, LTR, LRES, LGAZ, LXAL, LYKA, LVYKA,
    LS, LSGKP, LSGAL, LMY,
    PCX1, PDX1, PDX2, PDX3, PEX1, PEX2, PEX3, PEX4, PKX1, PKX2, PKX3, PHX1, PHX2, PVX1, PVX2,
    RBX1, RBX2, RCX1, REX1, REX2, RHX1, PTX1, PTX2, PTX3,
    PCY1, PDY1, PDY2, PDY3, PEY1, PEY2, PEY3, PEY4, PKY1, PKY2, PKY3, PHY1, PHY2, PHY3, PVY1, PVY2, PVY3, PVY4,
    RBY1, RBY2, RBY3, RCY1, REY1, REY2, RHY1, RHY2, RVY1, RVY2, RVY3, RVY4, RVY5, RVY6, PTY1, PTY2,
    QSY1, QSY2, QSY3, QSY4, BREFF, DREFF, FREFF,
    QBZ1, QBZ2, QBZ3, QBZ4, QBZ5, QBZ9, QBZ10, QCZ1, QDZ1, QDZ2, QDZ3, QDZ4, QDZ6, QDZ7, QDZ8, QDZ9,
    QEZ1, QEZ2, QEZ3, QEZ4, QEZ5, QHZ1, QHZ2, QHZ3, QHZ4, SSZ1, SSZ2, SSZ3, SSZ4,
) = range(N_MAGIC)
# fmt: on
"""columns of c, under the names of .tir files; CZ is the vertical stiffness [N/m]"""

LEAST = 0.05
"""friction and slip stiffness keep at least this part of their nominal value, at loads far outside the data"""


@part
def bent(B, E, x):
    """The argument that both shapes share: atan(B x - E (B x - atan(B x)))."""
    return math.atan(B * x - E * (B * x - math.atan(B * x)))


@part
def cos_atan(x):
    """cos(atan(x))."""
    return 1.0 / math.sqrt(1.0 + x * x)


@part
def sin_2_atan(x):
    """sin(2 atan(x))."""
    return 2.0 * x / (1.0 + x * x)


@part
def sign(x):
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0


@part
def relative_load(c, N):
    """dfz: how far the load is from the nominal one; held at the largest load of the data."""
    nominal = c[FNOMIN] * c[LFZO]
    return (min(N, c[FZMAX]) - nominal) / nominal


@part
def slip_stiffness_x(c, N, dfz):
    return N * max(LEAST * c[PKX1], (c[PKX1] + c[PKX2] * dfz) * math.exp(c[PKX3] * dfz)) * c[LKX]


@part
def cornering_stiffness(c, N):
    """Without camber; negative, and strictly so for any load."""
    nominal = c[FNOMIN] * c[LFZO]
    return c[PKY1] * nominal * sin_2_atan(N / (c[PKY2] * nominal)) * c[LKY]


@part
def magic_stiffness(c, N, scale):
    """Slip stiffnesses [N], positive, and the largest friction force [N] at the load N, wheel upright."""
    dfz = relative_load(c, N)
    mu_x = max(LEAST * c[PDX1], c[PDX1] + c[PDX2] * dfz) * c[LMUX]
    mu_y = max(LEAST * c[PDY1], c[PDY1] + c[PDY2] * dfz) * c[LMUY]
    return slip_stiffness_x(c, N, dfz), -cornering_stiffness(c, N), max(mu_x, mu_y) * scale * N


@part
def magic_relaxation(c, N, R):
    """Relaxation lengths [m], forward and lateral; where the file has none, the radius."""
    nominal = c[FNOMIN] * c[LFZO]
    dfz = relative_load(c, N)
    along, across = R, R
    if c[PTX1] > 0.0:
        along = N * (c[PTX1] + c[PTX2] * dfz) * math.exp(c[PTX3] * dfz) * R / nominal * c[LSGKP]
    if c[PTY1] > 0.0:
        across = c[PTY1] * sin_2_atan(N / (c[PTY2] * nominal)) * R * c[LFZO] * c[LSGAL]
    return max(0.1 * R, along), max(0.1 * R, across)


@part
def magic_rolling(c, N, R, Fx, vx):
    """Rolling resistance torque [N m], positive."""
    v = abs(vx) / c[LONGVL]
    part_of_load = c[QSY1] + c[QSY2] * Fx / (c[FNOMIN] * c[LFZO]) + c[QSY3] * v + c[QSY4] * v * v * v * v
    return max(0.0, N * R * part_of_load * c[LMY])


@part
def magic_radius(c, N, R):
    """Rolling radius [m] under the load N."""
    nominal = c[FNOMIN] * c[LFZO]
    x = N / nominal
    return R - nominal / c[CZ] * (c[DREFF] * math.atan(c[BREFF] * x) + c[FREFF] * x)


@block
def magic_force(c, N, scale, R, kappa, alpha, gamma):
    """Fx, Fy [N] and Mz [N m] at the load N > 0, on ground of `scale` times the friction; R the free radius [m]."""
    nominal = c[FNOMIN] * c[LFZO]
    dfz = relative_load(c, N)
    l_mux, l_muy = c[LMUX] * scale, c[LMUY] * scale

    # forward force, pure slip
    g = gamma * c[LGAX]
    mu = max(LEAST * c[PDX1], (c[PDX1] + c[PDX2] * dfz) * (1.0 - c[PDX3] * g * g)) * l_mux
    Cx, Dx, Kx = c[PCX1] * c[LCX], mu * N, slip_stiffness_x(c, N, dfz)
    x = kappa + (c[PHX1] + c[PHX2] * dfz) * c[LHX]
    Ex = min(1.0, (c[PEX1] + c[PEX2] * dfz + c[PEX3] * dfz * dfz) * (1.0 - c[PEX4] * sign(x)) * c[LEX])
    Fx0 = Dx * math.sin(Cx * bent(Kx / (Cx * Dx), Ex, x)) + N * (c[PVX1] + c[PVX2] * dfz) * c[LVX] * l_mux

    # lateral force, pure slip
    g = gamma * c[LGAY]
    mu = max(LEAST * c[PDY1], (c[PDY1] + c[PDY2] * dfz) * (1.0 - c[PDY3] * g * g)) * l_muy
    Cy, Dy = c[PCY1] * c[LCY], mu * N
    Ky = cornering_stiffness(c, N) * max(LEAST, 1.0 - c[PKY3] * abs(g))
    By = Ky / (Cy * Dy)
    SHy = (c[PHY1] + c[PHY2] * dfz) * c[LHY] + c[PHY3] * g
    SVy = N * ((c[PVY1] + c[PVY2] * dfz) * c[LVY] + (c[PVY3] + c[PVY4] * dfz) * g) * l_muy
    y = alpha + SHy
    Ey = min(1.0, (c[PEY1] + c[PEY2] * dfz) * (1.0 - (c[PEY3] + c[PEY4] * g) * sign(y)) * c[LEY])
    Fy0 = Dy * math.sin(Cy * bent(By, Ey, y)) + SVy

    # forward force, combined slip
    B = c[RBX1] * cos_atan(c[RBX2] * kappa) * c[LXAL]
    E = min(1.0, c[REX1] + c[REX2] * dfz)
    Fx = Fx0 * math.cos(c[RCX1] * bent(B, E, alpha + c[RHX1])) / math.cos(c[RCX1] * bent(B, E, c[RHX1]))

    # lateral force, combined slip
    B = c[RBY1] * cos_atan(c[RBY2] * (alpha - c[RBY3])) * c[LYKA]
    E = min(1.0, c[REY1] + c[REY2] * dfz)
    shift = c[RHY1] + c[RHY2] * dfz
    weight = math.cos(c[RCY1] * bent(B, E, kappa + shift)) / math.cos(c[RCY1] * bent(B, E, shift))
    D = mu * N * (c[RVY1] + c[RVY2] * dfz + c[RVY3] * gamma) * cos_atan(c[RVY4] * alpha)
    Fy1 = Fy0 * weight
    Fy = Fy1 + D * math.sin(c[RVY5] * math.atan(c[RVY6] * kappa)) * c[LVYKA]

    # aligning moment: trail t of the lateral force, a residual moment, and the arm s of the forward force
    g = gamma * c[LGAZ]
    stiff = c[LKY] / l_muy
    drive = (Kx / Ky) * (Kx / Ky) * kappa * kappa
    a = alpha + c[QHZ1] + c[QHZ2] * dfz + (c[QHZ3] + c[QHZ4] * dfz) * g
    B = (c[QBZ1] + c[QBZ2] * dfz + c[QBZ3] * dfz * dfz) * (1.0 + c[QBZ4] * g + c[QBZ5] * abs(g)) * stiff
    B = max(0.0, B)
    D = N * (c[QDZ1] + c[QDZ2] * dfz) * (1.0 + c[QDZ3] * g + c[QDZ4] * g * g) * R / nominal * c[LTR]
    E = c[QEZ1] + c[QEZ2] * dfz + c[QEZ3] * dfz * dfz
    E = min(1.0, E * (1.0 + (c[QEZ4] + c[QEZ5] * g) * 2.0 / math.pi * math.atan(B * c[QCZ1] * a)))
    tangent = math.tan(a)
    a = math.atan(math.sqrt(tangent * tangent + drive)) * sign(a)
    t = D * math.cos(c[QCZ1] * bent(B, E, a)) * math.cos(alpha)
    a = alpha + SHy + SVy / Ky
    tangent = math.tan(a)
    a = math.atan(math.sqrt(tangent * tangent + drive)) * sign(a)
    B = c[QBZ9] * stiff + c[QBZ10] * By * Cy
    D = N * ((c[QDZ6] + c[QDZ7] * dfz) * c[LRES] + (c[QDZ8] + c[QDZ9] * dfz) * g) * R * l_muy
    residual = D * cos_atan(B * a) * math.cos(alpha)
    s = (c[SSZ1] + c[SSZ2] * Fy / nominal + (c[SSZ3] + c[SSZ4] * dfz) * gamma) * R * c[LS]
    return Fx, Fy, -t * Fy1 + residual + s * Fx
