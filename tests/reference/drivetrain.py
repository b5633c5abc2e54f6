"""A drive train in textbook NumPy: the laws out of the Spec, and one step with dense matrices.

The step is the kernel's own method (linearly implicit Euler, impulses of brakes and clutch capped), found by other
means: all speeds in one vector, locks as constraints, brakes by projected Gauss-Seidel.
"""

import numpy as np

RPM = np.pi / 30.0


def engine(train, speed, throttle):
    """Torque at the flywheel, the governors in it [N m]."""
    e = train.engine
    idle = (e.idle_rpm + 0.5 * e.idle_band_rpm - speed / RPM) / e.idle_band_rpm
    limit = (e.cutoff_rpm - speed / RPM) / (e.cutoff_rpm - e.governed_rpm)
    u = np.clip(min(max(throttle, idle), limit), 0.0, 1.0)
    rows = [np.interp(speed / RPM, e.speed_rpm, row) for row in e.torque]
    return np.interp(u, e.throttle, rows)


def converter(train, p, t):
    """Torques of pump and turbine [N m]."""
    c, sr = train.converter, t / p
    x = np.clip(2.0 - sr if sr > 1.0 else sr, 0.0, 1.0)
    pump = p**2 * np.interp(x, [*c.speed_ratio, 1.0], [*np.array(c.capacity) ** -2.0, 0.0])
    if sr > 1.0:
        return -pump, -pump
    return pump, np.interp(x, [*c.speed_ratio, 1.0], [*c.torque_ratio, 1.0]) * pump


def inertias(train, spins):
    """D of each wheel, shares s of each wheel, and the shafts' inertia seen from the wheels."""
    D = np.array(spins) + train.half_shaft_inertia * train.hub_ratio**2
    s = np.repeat([0.5 * axle.share for axle in train.axles], 2)
    return D, s, train.transfer.inertia * (train.final_ratio * train.hub_ratio) ** 2


def efficiency(train, sense):
    eta = train.gearbox.efficiency * train.transfer.efficiency * train.final_efficiency * train.hub_efficiency
    return 1.0 - (1.0 - eta) * sense if sense >= 0.0 else 1.0 / (1.0 + (1.0 - eta) * sense)


def locks(train, centre):
    """Rows J of the constraints J w = 0."""
    n, rows = 2 * len(train.axles), []
    for k, axle in enumerate(train.axles):
        if axle.differential == "locked":
            rows.append(np.eye(n)[2 * k] - np.eye(n)[2 * k + 1])
    driven = [k for k, axle in enumerate(train.axles) if axle.share > 0.0]
    if centre:
        mean = [0.5 * (np.eye(n)[2 * k] + np.eye(n)[2 * k + 1]) for k in driven]
        rows += [mean[0] - other for other in mean[1:]]
    return np.array(rows).reshape(-1, n)


def step(train, spins, p, t, q_before, w, ground, cap, dt, throttle, gear, low=False, centre=False):
    """Speeds (p, t, w) after dt with a gear in force; the clutch as strong as the Spec says."""
    D, s, J_p = inertias(train, spins)
    G, n = train.overall_ratio(gear, low), len(w)
    f = efficiency(train, np.clip(G * (s @ w) / 5.0, -1.0, 1.0) * (-1.0 if q_before < 0.0 else 1.0))

    # (M - dt dT/dx) dx = dt T + columns of impulses
    def torque(x):
        pump, turbine = converter(train, x[0], x[1])
        return np.array([engine(train, x[0], throttle) - pump, turbine])

    x = np.array([p, t, *w])
    M = np.zeros((n + 2, n + 2))
    M[0, 0], M[1, 1] = train.engine.inertia, train.converter.inertia
    M[2:, 2:] = np.diag(D) + J_p * np.outer(s, s)
    for k in range(2):
        h = 1e-5 * np.eye(2)[k]
        M[:2, k] -= dt * (torque(x[:2] + h) - torque(x[:2] - h)) / 2e-5
    rhs = M @ x + dt * np.array([*torque(x[:2]), *ground])
    clutch = np.array([0.0, -1.0, *(f * G * s)])

    def solve(stuck, q):
        J = [np.array([0.0, 0.0, *row]) for row in locks(train, centre)]
        columns = list(J)
        if stuck:
            J.append(np.array([0.0, 1.0, *(-G * s)]))
            columns.append(clutch)
        m = len(J)
        K = np.zeros((n + 2 + m, n + 2 + m))
        K[: n + 2, : n + 2] = M
        for k in range(m):
            K[: n + 2, n + 2 + k], K[n + 2 + k, : n + 2] = -columns[k], J[k]

        def answer(load):
            return np.linalg.solve(K, [*load, *np.zeros(m)])

        free = answer(rhs + q * clutch)
        response = np.array([answer(np.eye(n + 2)[2 + i]) for i in range(n)]).T
        H, b = response[2 : n + 2], np.zeros(n)
        for _ in range(3000):
            for i in range(n):
                b[i] = np.clip(b[i] - (free[2 + i] + H[i] @ b) / H[i, i], -dt * cap[i], dt * cap[i])
        y = free + response @ b
        return y[: n + 2], y[-1] if stuck else q

    y, q = solve(True, 0.0)
    if abs(q) > dt * train.gearbox.clutch:
        y, q = solve(False, np.sign(q) * dt * train.gearbox.clutch)
    return y[0], y[1], y[2:], q / dt


def rates(train, spins, p, w, ground, throttle, gear):
    """dp/dt and dw/dt with open differentials, the clutch stuck, forward and driving."""
    D, s, J_p = inertias(train, spins)
    G = train.overall_ratio(gear)
    t, f = G * (s @ w), efficiency(train, 1.0)
    pump, turbine = converter(train, p, t)
    M = np.diag(D) + (J_p + f * G**2 * train.converter.inertia) * np.outer(s, s)
    return (engine(train, p, throttle) - pump) / train.engine.inertia, np.linalg.solve(M, ground + f * G * turbine * s)
