"""Ground, wheels on it and tyres in textbook NumPy."""

import numpy as np

# ---- ground


def outline(feature, s):
    """Height of a feature along itself: corners joined by lines, or half a sine."""
    if feature.type == "sine":
        inside = (s > 0.0) & (s < feature.length)
        return np.where(inside, feature.height * np.sin(np.pi * s / feature.length), 0.0)
    corners = np.cumsum([0.0, *feature.flanks()])
    if np.isinf(corners[2]):
        return np.interp(s, corners[:2], [0.0, feature.height])
    return np.interp(s, corners, [0.0, feature.height, feature.height, 0.0])


def along_and_across(at, yaw_deg, x, y):
    yaw = np.radians(yaw_deg)
    return (
        np.cos(yaw) * (x - at[0]) + np.sin(yaw) * (y - at[1]),
        -np.sin(yaw) * (x - at[0]) + np.cos(yaw) * (y - at[1]),
    )


def height(terrain, x, y):
    """Height of the ground [m] at arrays of places."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    x0, y0, z0 = terrain.at
    h = z0 + terrain.grade[0] * (x - x0) + terrain.grade[1] * (y - y0)
    if terrain.field is not None:
        values = np.array(terrain.field.heights)
        (fx, fy), (cx, cy) = terrain.field.at, terrain.field.cells()
        columns = np.clip((x - fx) / cx, 0.0, values.shape[1] - 1)
        rows = np.clip((y - fy) / cy, 0.0, values.shape[0] - 1)
        i = np.minimum(columns.astype(int), values.shape[1] - 2)
        j = np.minimum(rows.astype(int), values.shape[0] - 2)
        a, b = columns - i, rows - j
        h = h + (1 - a) * (1 - b) * values[j, i] + a * (1 - b) * values[j, i + 1]
        h = h + (1 - a) * b * values[j + 1, i] + a * b * values[j + 1, i + 1]
    for feature in terrain.features.values():
        s, across = along_and_across(feature.at, feature.yaw_deg, x, y)
        inside = np.abs(across) <= (np.inf if feature.width is None else feature.width / 2)
        h = h + np.where(inside, outline(feature, s), 0.0)
    return h


def friction(terrain, x, y):
    """Friction coefficient of the ground at a place."""
    mu = terrain.friction
    for patch in terrain.patches.values():
        s, across = along_and_across(patch.at, patch.yaw_deg, x, y)
        if abs(s) <= patch.size[0] / 2 and abs(across) <= patch.size[1] / 2:
            mu = patch.friction
    return mu


def disc(terrain, c, a, R, count=801):
    """Depth and contact point of a disc on continuous ground: the nearest of many points that the wheel plane cuts."""
    e = np.cross(a, [0.0, 0.0, 1.0])
    e /= np.linalg.norm(e)
    down = np.cross(a, e)

    def nearest(s):
        low, high = np.zeros(len(s)), np.full(len(s), 3.0 * R)
        for _ in range(45):  # bisection for the distance down to the ground, at all places at once
            r = 0.5 * (low + high)
            point = c + s[:, None] * e + r[:, None] * down
            above = point[:, 2] > height(terrain, point[:, 0], point[:, 1])
            low, high = np.where(above, r, low), np.where(above, high, r)
        best = np.argmin(s**2 + r**2)
        return s[best], r[best]

    s, r = nearest(np.linspace(-R, R, count))
    cell = 2.0 * R / (count - 1)
    s, r = nearest(np.linspace(max(-R, s - cell), min(R, s + cell), count))
    return R - np.hypot(s, r), c + s * e + r * down


# ---- laws


def load(tyre, depth, rate):
    """Load of a tyre [N]; the damper takes hold over 5 mm."""
    if depth <= 0.0:
        return 0.0
    if tyre.load_table is None:
        spring = tyre.stiffness * depth
    else:
        x, y = np.vstack([[0.0, 0.0], tyre.load_table]).T
        last = (y[-1] - y[-2]) / (x[-1] - x[-2])
        spring = np.interp(depth, x, y) + last * max(0.0, depth - x[-1])
    return max(0.0, spring + tyre.damping * rate * min(1.0, depth / 5e-3))


def energy(tyre, depth, count=20_001):
    """Energy of the spring of a tyre [J]: the sum of its load over the depth."""
    depths = np.linspace(0.0, max(0.0, depth), count)
    return (
        np.trapezoid([load(tyre, d, 0.0) for d in depths], depths)
        if tyre.load_table
        else 0.5 * tyre.stiffness * max(0.0, depth) ** 2
    )


def fiala(tyre, N, scale, sx, sy):
    """Fx, Fy, Mz of a brush under a parabolic pressure, for the slips as vectors."""
    f = np.array([tyre.slip_stiffness * sx, tyre.cornering_stiffness * sy])
    if not f.any():
        return np.zeros(3)
    U = tyre.friction_max + (tyre.friction_min - tyre.friction_max) * min(1.0, np.hypot(sx, sy))
    x = min(1.0, np.linalg.norm(f) / (3.0 * scale * U * N))
    direction = f / np.linalg.norm(f)
    Fx, Fy = scale * U * N * (3.0 * x - 3.0 * x**2 + x**3) * direction
    return np.array([Fx, Fy, -scale * U * N * tyre.width * x * (1.0 - x) ** 3 * direction[1]])


def magic(coefficients, R, N, scale, kappa, alpha, gamma):
    """Fx, Fy, Mz of MF 5.2, in the order and words of Pacejka (2002), appendix 3; without the limits at odd loads."""

    def p(name):
        return coefficients.get(name, 1.0 if name.startswith("L") else 0.0)

    def shape(B, C, D, E, x):
        return D * np.sin(C * np.arctan(B * x - E * (B * x - np.arctan(B * x))))

    def cosine(B, C, D, E, x):
        return D * np.cos(C * np.arctan(B * x - E * (B * x - np.arctan(B * x))))

    Fz0 = p("FNOMIN") * p("LFZO")
    dfz = (N - Fz0) / Fz0
    gx, gy, gz = gamma * p("LGAX"), gamma * p("LGAY"), gamma * p("LGAZ")
    lx, ly = p("LMUX") * scale, p("LMUY") * scale

    kx = kappa + (p("PHX1") + p("PHX2") * dfz) * p("LHX")
    Kx = N * (p("PKX1") + p("PKX2") * dfz) * np.exp(p("PKX3") * dfz) * p("LKX")
    Cx = p("PCX1") * p("LCX")
    Dx = (p("PDX1") + p("PDX2") * dfz) * (1 - p("PDX3") * gx**2) * lx * N
    Ex = (p("PEX1") + p("PEX2") * dfz + p("PEX3") * dfz**2) * (1 - p("PEX4") * np.sign(kx)) * p("LEX")
    Fx0 = shape(Kx / (Cx * Dx), Cx, Dx, min(1, Ex), kx) + N * (p("PVX1") + p("PVX2") * dfz) * p("LVX") * lx

    SHy = (p("PHY1") + p("PHY2") * dfz) * p("LHY") + p("PHY3") * gy
    SVy = N * ((p("PVY1") + p("PVY2") * dfz) * p("LVY") + (p("PVY3") + p("PVY4") * dfz) * gy) * ly
    Ky = p("PKY1") * Fz0 * np.sin(2 * np.arctan(N / (p("PKY2") * Fz0))) * (1 - p("PKY3") * abs(gy)) * p("LKY")
    Cy = p("PCY1") * p("LCY")
    muy = (p("PDY1") + p("PDY2") * dfz) * (1 - p("PDY3") * gy**2) * ly
    Dy = muy * N
    By = Ky / (Cy * Dy)
    ay = alpha + SHy
    Ey = (p("PEY1") + p("PEY2") * dfz) * (1 - (p("PEY3") + p("PEY4") * gy) * np.sign(ay)) * p("LEY")
    Fy0 = shape(By, Cy, Dy, min(1, Ey), ay) + SVy

    Bxa = p("RBX1") * np.cos(np.arctan(p("RBX2") * kappa)) * p("LXAL")
    Exa = min(1, p("REX1") + p("REX2") * dfz)
    Gxa = cosine(Bxa, p("RCX1"), 1, Exa, alpha + p("RHX1")) / cosine(Bxa, p("RCX1"), 1, Exa, p("RHX1"))
    Fx = Gxa * Fx0
    Byk = p("RBY1") * np.cos(np.arctan(p("RBY2") * (alpha - p("RBY3")))) * p("LYKA")
    Eyk = min(1, p("REY1") + p("REY2") * dfz)
    SHyk = p("RHY1") + p("RHY2") * dfz
    Gyk = cosine(Byk, p("RCY1"), 1, Eyk, kappa + SHyk) / cosine(Byk, p("RCY1"), 1, Eyk, SHyk)
    DVyk = muy * N * (p("RVY1") + p("RVY2") * dfz + p("RVY3") * gamma) * np.cos(np.arctan(p("RVY4") * alpha))
    Fy = Gyk * Fy0 + DVyk * np.sin(p("RVY5") * np.arctan(p("RVY6") * kappa)) * p("LVYKA")

    def with_drive(a):
        return np.arctan(np.sqrt(np.tan(a) ** 2 + (Kx / Ky) ** 2 * kappa**2)) * np.sign(a)

    at = alpha + p("QHZ1") + p("QHZ2") * dfz + (p("QHZ3") + p("QHZ4") * dfz) * gz
    Bt = (p("QBZ1") + p("QBZ2") * dfz + p("QBZ3") * dfz**2) * (1 + p("QBZ4") * gz + p("QBZ5") * abs(gz)) * p("LKY") / ly
    Dt = N * (p("QDZ1") + p("QDZ2") * dfz) * (1 + p("QDZ3") * gz + p("QDZ4") * gz**2) * R / Fz0 * p("LTR")
    Et = p("QEZ1") + p("QEZ2") * dfz + p("QEZ3") * dfz**2
    Et *= 1 + (p("QEZ4") + p("QEZ5") * gz) * 2 / np.pi * np.arctan(Bt * p("QCZ1") * at)
    trail = cosine(Bt, p("QCZ1"), Dt, min(1, Et), with_drive(at)) * np.cos(alpha)
    ar = with_drive(alpha + SHy + SVy / Ky)
    Br = p("QBZ9") * p("LKY") / ly + p("QBZ10") * By * Cy
    Dr = N * ((p("QDZ6") + p("QDZ7") * dfz) * p("LRES") + (p("QDZ8") + p("QDZ9") * dfz) * gz) * R * ly
    residual = Dr * np.cos(np.arctan(Br * ar)) * np.cos(alpha)
    arm = (p("SSZ1") + p("SSZ2") * Fy / Fz0 + (p("SSZ3") + p("SSZ4") * dfz) * gamma) * R * p("LS")
    return np.array([Fx, Fy, -trail * Gyk * Fy0 + residual + arm * Fx])


# ---- tyres as the tests take them

FIALA = {
    "type": "fiala",
    "radius": 0.47,
    "width": 0.3175,
    "stiffness": 326332.0,
    "damping": 3000.0,
    "relaxation_x": 0.8,
    "relaxation_y": 0.4,
    "slip_stiffness": 193929.0,
    "cornering_stiffness": 50000.0,
    "friction_min": 0.5568,
    "friction_max": 0.9835,
    "rolling_resistance": 0.015,
}
"""a tyre 37x12.5R16.5"""

MAGIC = {
    "FNOMIN": 9000.0, "FZMAX": 30000.0, "LONGVL": 16.7,
    "PCX1": 1.65, "PDX1": 0.95, "PDX2": -0.06, "PDX3": 0.2, "PEX1": 0.3, "PEX2": 0.1, "PEX3": -0.05, "PEX4": 0.08,
    "PKX1": 21.0, "PKX2": -0.6, "PKX3": 0.15, "PHX1": -0.0008, "PHX2": 0.0003, "PVX1": 0.001, "PVX2": -0.002,
    "RBX1": 11.0, "RBX2": -10.0, "RCX1": 1.05, "REX1": -0.3, "REX2": 0.1, "RHX1": 0.004,
    "PTX1": 1.2, "PTX2": 0.3, "PTX3": 0.2,
    "PCY1": 1.4, "PDY1": 0.85, "PDY2": -0.09, "PDY3": 1.1, "PEY1": -0.4, "PEY2": -0.2, "PEY3": 0.1, "PEY4": -1.5,
    "PKY1": -14.0, "PKY2": 2.2, "PKY3": 0.4, "PHY1": 0.002, "PHY2": -0.001, "PHY3": 0.03,
    "PVY1": 0.01, "PVY2": -0.02, "PVY3": -0.3, "PVY4": -0.1,
    "RBY1": 9.0, "RBY2": 7.0, "RBY3": 0.002, "RCY1": 1.02, "REY1": 0.05, "REY2": 0.02, "RHY1": 0.01, "RHY2": 0.002,
    "RVY1": 0.01, "RVY2": -0.02, "RVY3": -0.2, "RVY4": 12.0, "RVY5": 1.9, "RVY6": -9.0, "PTY1": 1.5, "PTY2": 2.1,
    "QSY1": 0.009, "QSY2": 0.001, "QSY3": 0.002, "QSY4": 0.0005, "BREFF": 6.0, "DREFF": 0.3, "FREFF": 0.05,
    "QBZ1": 8.0, "QBZ2": -1.1, "QBZ3": -0.6, "QBZ4": 0.1, "QBZ5": -0.4, "QBZ9": 12.0, "QBZ10": 0.1, "QCZ1": 1.15,
    "QDZ1": 0.11, "QDZ2": -0.01, "QDZ3": 0.1, "QDZ4": -1.2, "QDZ6": 0.002, "QDZ7": -0.001, "QDZ8": -0.1, "QDZ9": 0.05,
    "QEZ1": -1.5, "QEZ2": 0.4, "QEZ3": 0.0, "QEZ4": 0.2, "QEZ5": -2.0,
    "QHZ1": 0.003, "QHZ2": -0.001, "QHZ3": 0.1, "QHZ4": 0.05, "SSZ1": 0.01, "SSZ2": 0.005, "SSZ3": 0.2, "SSZ4": -0.1,
}  # fmt: skip
"""made up, with every coefficient in use"""
