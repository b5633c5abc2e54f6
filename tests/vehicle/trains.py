"""Drive trains for tests: compiled runs of the bare train, and of one mass on its wheels."""

import numba
import numpy as np

from gori.formats.drivetrain import read_drivetrain
from gori.kernels.jit import FASTMATH
from gori.kernels.vehicle import drivetrain as k
from gori.model.vehicle.drivetrain import train_state, train_tables

RPM = np.pi / 30.0
MPH = 0.44704
SPINS = (7.3, 7.3, 7.3, 7.3)
BRAKES = 4000.0 * np.ones(4)
HMMWV = read_drivetrain()

compiled = numba.njit(nogil=True, fastmath=FASTMATH, error_model="numpy")


@compiled
def _steps(ti, tf, s, w, ground, cap, out, dt, throttle, brake, selector, transfer, n):
    for _ in range(n):
        k.train_step(ti, tf, s, w, ground, cap, out, dt, throttle, brake, selector, transfer)


class Bench:
    """A drive train on a bench: wheels with a given torque on each."""

    def __init__(self, train=HMMWV, speed=0.0, gear=0, transfer=k.HIGH, spins=SPINS):
        self.train, self.spins = train, spins
        self.tables = train_tables(train, spins)
        self.w = np.array(np.broadcast_to(speed, len(spins)), float)
        self.s = train_state(train, self.w, gear, transfer)
        self.ground, self.cap = np.zeros(len(spins)), 4000.0 * np.ones(len(spins))
        self.out = np.zeros((len(spins), 3))

    def run(self, n=1, dt=1e-3, throttle=0.0, brake=0.0, selector=float(k.AUTOMATIC), transfer=None):
        place = self.s[k.RANGE] if transfer is None else transfer
        _steps(
            *self.tables,
            self.s,
            self.w,
            self.ground,
            self.cap,
            self.out,
            dt,
            float(throttle),
            float(brake),
            float(selector),
            float(place),
            n,
        )
        return self


# mass, g, radius, slip stiffness over relaxation length, that length, friction, rolling resistance, drag, grade
CAR = np.array([3000.0, 9.81, 0.457, 9.7e4, 2.0, 0.8, 0.015, 1.5, 0.0])


@compiled
def _drive(ti, tf, s, w, u, cap, out, car, v, h, ratio, n, throttle, brake, selector, transfer, log):
    m, g, R, stiffness, length, mu, rolling, drag, grade = car
    ground = np.zeros(4)
    dt, load = h / ratio, m * g / 4.0
    work = 0.0
    for step in range(n):
        # bodies first, with the forces of the state at hand; then the fast part, the hub's speed interpolated
        force = -drag * v * abs(v) - m * g * grade
        for i in range(4):
            force += stiffness * u[i]
        before = v
        v += h * force / m
        work += h * (-drag * before * abs(before) - m * g * grade) * 0.5 * (before + v)
        for j in range(ratio):
            hub = before + (v - before) * (j + 1.0) / ratio
            for i in range(4):
                u[i] = (u[i] + dt * (R * w[i] - hub)) / (1.0 + dt * abs(hub) / length)
                u[i] = min(max(u[i], -mu * load / stiffness), mu * load / stiffness)
                ground[i] = -R * stiffness * u[i] - rolling * load * R * np.tanh(w[i] / 0.5)
            k.train_step(ti, tf, s, w, ground, cap, out, dt, throttle, brake, selector, transfer)
        log[step, 0], log[step, 1], log[step, 2], log[step, 3] = (step + 1) * h, v, s[k.ENGINE], s[k.GEAR]
    return v


def drive(
    duration,
    mass=3000.0,
    v=0.0,
    h=1e-3,
    ratio=5,
    throttle=1.0,
    brake=0.0,
    selector=k.AUTOMATIC,
    train=HMMWV,
    gear=1,
    grade=0.0,
    transfer=k.HIGH,
):
    """One mass on four wheels: rows (time, speed, engine speed, gear), and the drive train at the end."""
    bench = Bench(train, v / CAR[2], gear, transfer)
    car, n = CAR.copy(), round(duration / h)
    car[0], car[-1] = mass, grade
    log = np.zeros((n, 4))
    _drive(
        *bench.tables,
        bench.s,
        bench.w,
        np.zeros(4),
        bench.cap,
        bench.out,
        car,
        v,
        h,
        ratio,
        n,
        float(throttle),
        float(brake),
        float(selector),
        float(transfer),
        log,
    )
    return log, bench


def reached(log, speed):
    """When a speed is reached [s]."""
    return float(np.interp(speed, log[:, 1], log[:, 0])) if log[-1, 1] > speed else np.inf
