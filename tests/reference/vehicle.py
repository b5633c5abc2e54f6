"""Wheels and drive trains between bodies and hard ground, in textbook NumPy: what the door of the kernels does.

Laws of tyres and terrain are those of `tyres.py`. Plane ground and speeds above walking pace: standing still has terms
of its own, which the tyre's own tests know.
"""

import numpy as np

from tests.reference import tyres


def motion(model, q, v, body):
    """Rotation, position, angular velocity and velocity of the origin of a body, world axes."""
    pose, twist = model.forward_kinematics(q)[body], model.jacobian(q, body) @ v
    return pose[:3, :3], pose[:3, 3], twist[:3], twist[3:]


class Contact:
    """A wheel on plane ground, whatever its slip: geometry, load and speeds."""

    def __init__(self, model, q, v, name):
        spec = model.spec
        wheel, terrain = spec.wheels[name], spec.terrain
        R, p, self.w, origin = motion(model, q, v, wheel.body)
        self.wheel, self.tyre = wheel, wheel.tyre
        self.arm = R @ wheel.at
        self.axis = R @ wheel.axis
        self.centre, self.speed = p + self.arm, origin + np.cross(self.w, self.arm)
        n = np.array([-terrain.grade[0], -terrain.grade[1], 1.0])
        self.n = n / np.linalg.norm(n)
        self.x = np.cross(self.axis, self.n)
        self.x /= np.linalg.norm(self.x)
        self.y = np.cross(self.n, self.x)
        self.gamma = np.arcsin(self.axis @ self.n)
        # down in the wheel plane, to the line in which it cuts the ground
        down = -(self.n - (self.n @ self.axis) * self.axis)
        down /= np.linalg.norm(down)
        distance = (self.centre - terrain.at) @ self.n / -(down @ self.n)
        self.depth, self.point = self.tyre.radius - distance, self.centre + distance * down
        self.mu = tyres.friction(terrain, *self.point[:2])
        self.load = tyres.load(self.tyre, self.depth, -(self.speed @ self.n) / np.cos(self.gamma))
        self.energy = tyres.energy(self.tyre, self.depth)
        self.radius = self.tyre.radius - self.tyre.rolling_deflection * max(0.0, self.depth)
        self.forward = self.speed @ self.x
        self.lateral = (self.speed + np.cross(self.w, self.point - self.centre)) @ self.y


def tyre_force(tyre, load, mu, u, w):
    """Fx, Fy, Mz and the rolling resistance My, rolling ahead."""
    if load <= 0.0:
        return np.zeros(4)
    sx, sy = u / (tyre.relaxation_x or tyre.radius), w / (tyre.relaxation_y or tyre.radius)
    force = tyres.fiala(tyre, load, mu / tyre.reference_friction, sx, sy)
    return np.array([*force, -tyre.rolling_resistance * load * tyre.radius])


def hub(contact, omega, u, w, drive=0.0, shaft=0.0, brake=0.0):
    """Force and moment on the carrier at the wheel's centre, world axes, and (Fx, Fy, Mz).

    The wheel takes drive + brake + the ground about its axis, the carrier all other moments of the ground, the
    reactions of brake and hub gear, and what turns the wheel's angular momentum J omega a.
    """
    Fx, Fy, Mz, _ = tyre_force(contact.tyre, contact.load, contact.mu, u, w)
    force = contact.load * contact.n + Fx * contact.x + Fy * contact.y
    moment = np.cross(contact.point - contact.centre, force) + Mz * contact.n
    # the energy q U(depth), q = cos(camber), changes as the wheel leans: its part by q
    moment += contact.energy * np.sin(contact.gamma) * contact.x
    a = contact.axis
    moment = moment - (moment @ a) * a
    moment += (shaft - drive - brake) * a - contact.wheel.inertia * omega * np.cross(contact.w, a)
    return force, moment, np.array([Fx, Fy, Mz])


def slip_step(tyre, forward, slipping, lateral, u, w, dt):
    """Transient slip after dt by the trapezoidal rule, within the limit of friction."""
    a = 0.5 * dt * abs(forward)
    sigma_x, sigma_y = tyre.relaxation_x or tyre.radius, tyre.relaxation_y or tyre.radius
    u = (u * (1.0 - a / sigma_x) - dt * slipping) / (1.0 + a / sigma_x)
    w = (w * (1.0 - a / sigma_y) - dt * lateral) / (1.0 + a / sigma_y)
    return u, w


def fast_part(before, now, omega, u, w, dt, count, train):
    """Spins and slips (nw,) of all wheels after dt, and mean torques (nw, 3): drive, shaft, brake.

    before, now   Contacts at both ends of the step; load and speeds between them are linear
    count         steps of the fast part, each with the values at its middle
    train         train(speeds, torques of the ground, step) -> speeds, (nw, 3)
    """
    omega, u, w, mean, sub = np.array(omega), np.array(u), np.array(w), np.zeros((len(now), 3)), dt / count
    for step in range(count):
        share = (step + 0.5) / count
        torque = np.zeros(len(now))
        for k, (b, a) in enumerate(zip(before, now)):
            load, forward, lateral = (
                (1.0 - share) * getattr(b, name) + share * getattr(a, name) for name in ("load", "forward", "lateral")
            )
            u[k], w[k] = slip_step(a.tyre, forward, forward - omega[k] * a.radius, lateral, u[k], w[k], sub)
            Fx, _, _, My = tyre_force(a.tyre, load, a.mu, u[k], w[k])
            torque[k] = My - Fx * a.radius
        omega, out = train(omega, torque, sub)
        mean += out / count
    return omega, u, w, mean


def drag(model, q, v, name):
    """Force of the air and the point of its body that it acts at, world axes."""
    part = model.spec.drag[name]
    R, p, w, origin = motion(model, q, v, part.body)
    arm = R @ part.at
    speed = origin + np.cross(w, arm)
    return -0.5 * part.density * part.area_cd * np.linalg.norm(speed) * speed, p + arm
