"""Drive trains for tests: compiled runs of the bare train, and of one mass on its wheels."""

import numba
import numpy as np

from gori.formats.drivetrain import read_drivetrain
from gori.kernels.jit import FASTMATH
from gori.kernels.vehicle import drivetrain as k
from gori.kernels.vehicle.state import DRIVER, TRAIN_OUTPUT, WHEEL_WORK
from gori.model.vehicle.drivetrain import train_state, train_tables

RPM = np.pi / 30.0
MPH = 0.44704
SPINS = (7.3, 7.3, 7.3, 7.3)
BRAKES = 4000.0 * np.ones(4)
HMMWV = read_drivetrain()

compiled = numba.njit(nogil=True, fastmath=FASTMATH, error_model="numpy")


@compiled
def steps(tables, s, out, wheels, driver, dt, n):
    for _ in range(n):
        k.train_step(tables.train[0], tables.axle, tables.curve, s[0], out[0], wheels, driver[0], dt)


class Bench:
    """A drive train on a bench: wheels with a given torque on each.

    w, ground   angular velocities of the wheels, and torques on them; cap   largest torques of the brakes
    s, told     state of the train, and what it gives out
    """

    def __init__(self, train=HMMWV, speed=0.0, gear=0, transfer=k.HIGH, spins=SPINS):
        self.train, self.spins = train, spins
        self.tables = train_tables(train, spins)
        self.wheels, self.driver = WHEEL_WORK.zeros(len(spins)), DRIVER.zeros(1)
        self.w, self.ground = self.wheels["speed"], self.wheels["ground_torque"]
        self.w[:] = speed
        self.rows, self.outputs = train_state(train, self.w, gear, transfer), TRAIN_OUTPUT.zeros(1)
        self.s, self.told = self.rows[0], self.outputs[0]
        self.cap = 4000.0 * np.ones(len(spins))

    @property
    def drive(self):
        return self.wheels["drive"]

    @property
    def shaft(self):
        return self.wheels["shaft"]

    @property
    def brake(self):
        return self.wheels["brake"]

    @property
    def out(self):
        """Drive, shaft and brake torque of each wheel (nw, 3) [N m]."""
        return np.column_stack([self.drive, self.shaft, self.brake])

    def set(self, throttle, brake, selector, transfer):
        self.tables.axle["brake"] = self.cap.reshape(-1, 2)
        self.driver["throttle"], self.driver["brake"] = throttle, brake
        self.driver["selector"], self.driver["transfer"] = selector, transfer

    def run(self, n=1, dt=1e-3, throttle=0.0, brake=0.0, selector=float(k.AUTOMATIC), transfer=None):
        self.set(throttle, brake, selector, self.s["range"] if transfer is None else transfer)
        steps(self.tables, self.rows, self.outputs, self.wheels, self.driver, float(dt), n)
        return self


# mass, g, radius, slip stiffness over relaxation length, that length, friction, rolling resistance, drag, grade
CAR = np.array([3000.0, 9.81, 0.457, 9.7e4, 2.0, 0.8, 0.015, 1.5, 0.0])


@compiled
def _drive(tables, s, out, wheels, driver, u, car, v, h, ratio, n, log):
    m, g, R, stiffness, length, mu, rolling, drag, grade = car
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
                u[i] = (u[i] + dt * (R * wheels[i].speed - hub)) / (1.0 + dt * abs(hub) / length)
                u[i] = min(max(u[i], -mu * load / stiffness), mu * load / stiffness)
                resistance = rolling * load * R * np.tanh(wheels[i].speed / 0.5)
                wheels[i].ground_torque = -R * stiffness * u[i] - resistance
            k.train_step(tables.train[0], tables.axle, tables.curve, s[0], out[0], wheels, driver[0], dt)
        log[step, 0], log[step, 1], log[step, 2], log[step, 3] = (step + 1) * h, v, s[0].engine, s[0].gear
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
    bench.set(throttle, brake, selector, transfer)
    _drive(bench.tables, bench.rows, bench.outputs, bench.wheels, bench.driver, np.zeros(4), car, v, h, ratio, n, log)
    return log, bench


def reached(log, speed):
    """When a speed is reached [s]."""
    return float(np.interp(speed, log[:, 1], log[:, 0])) if log[-1, 1] > speed else np.inf
