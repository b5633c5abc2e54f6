"""Two bodies whose spin is decided by contact, as ordinary differential equations: a rattleback and a tippe top."""

import numpy as np
from scipy.integrate import solve_ivp

from tests.reference.impacts import G

Z = np.array([0.0, 0.0, 1.0])


class Rattleback:
    """An ellipsoid that rolls without slipping, whose principal axes of inertia are turned against those of its shape.

    In the axes of the ellipsoid: `up` is the vertical, w the angular velocity, r(up) the contact point seen from the
    centre of mass, which lies `depth` below the centre of the ellipsoid and moves with r x w. With the contact force f
        J w' + w x J w = r x f,   m (v' + w x v) = f - m g up,   v = r x w,   up' = up x w
    (Kane & Levinson 1982; the numbers are theirs). Energy is conserved.
    """

    def __init__(self, mass=1.0, axes=(0.2, 0.03, 0.02), depth=0.01, inertia=(2e-4, 1.6e-3, 1.7e-3, -2e-5), g=G):
        self.mass, self.axes, self.depth, self.g = mass, np.array(axes), depth, g
        xx, yy, zz, xy = inertia
        self.J = np.array([[xx, xy, 0.0], [xy, yy, 0.0], [0.0, 0.0, zz]])

    def contact(self, up):
        """Contact point seen from the centre of mass, and its derivative with respect to `up` (3, 3)."""
        squares = self.axes**2
        root = np.sqrt(up @ (squares * up))
        r = self.depth * Z - squares * up / root
        return r, -np.diag(squares) / root + np.outer(squares * up, squares * up) / root**3

    def rates(self, _, state):
        up, w = state[:3], state[3:]
        up_rate = np.cross(up, w)
        r, slope = self.contact(up)
        pull = np.cross(slope @ up_rate, w) + np.cross(w, np.cross(r, w)) + self.g * up
        K = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
        right = self.mass * np.cross(r, pull) - np.cross(w, self.J @ w)
        return np.concatenate([up_rate, np.linalg.solve(self.J - self.mass * K @ K, right)])

    def energy(self, up, w):
        """[J]"""
        r, _ = self.contact(up)
        v = np.cross(r, w)
        return 0.5 * self.mass * v @ v + 0.5 * w @ self.J @ w - self.mass * self.g * up @ r

    def run(self, duration, spin, tilt=0.01, samples=1001):
        """Times (n,), `up` (n, 3) and angular velocity (n, 3) from a spin [rad/s] and a small tilt about x [rad]."""
        start = [0.0, np.sin(tilt), np.cos(tilt), 0.0, 0.0, spin]
        t = np.linspace(0.0, duration, samples)
        y = solve_ivp(self.rates, (0.0, duration), start, "DOP853", t, rtol=1e-10, atol=1e-12).y.T
        return t, y[:, :3], y[:, 3:]


class TippeTop:
    """A sphere with a displaced centre of mass that spins and slides on a floor, and turns upside down.

    In world axes: `axis` points from the centre of mass to the centre of the sphere, a distance `offset` away, w is the
    angular velocity, v the horizontal velocity of the centre of mass. The contact point r = -(R z - offset axis) slides
    with s = v + w x r (horizontal part), and friction is -N (mu / sqrt(s^2 + slow^2) + viscous) s. The sphere stays on
    the floor, which gives the normal force N. Jellett's integral -r.L is conserved whatever the friction does. Friction
    that vanishes with the slip, as here with a large `slow`, turns the top over from any tilt (Or 1994; Ueda et al.
    2005); with Coulomb's law it may stick instead, and roll on as it is.
    """

    def __init__(self, mass=0.02, radius=0.02, offset=0.006, across=131 / 350, along=0.4, mu=0.1, viscous=0.0,
                 slow=1e-2, g=G):  # fmt: skip
        self.m, self.R, self.a, self.g = mass, radius, offset, g
        self.I1, self.I3 = across * mass * radius**2, along * mass * radius**2
        self.mu, self.viscous, self.slow = mu, viscous, slow

    def momentum(self, axis, w):
        """Angular momentum about the centre of mass [kg m2/s]."""
        return self.I1 * w + (self.I3 - self.I1) * axis * (axis @ w)

    def contact(self, axis):
        """Contact point seen from the centre of mass [m]."""
        return self.a * axis - self.R * Z

    def _solve(self, axis, moment):
        """Angular acceleration from a moment."""
        return moment / self.I1 + (1.0 / self.I3 - 1.0 / self.I1) * axis * (axis @ moment)

    def forces(self, axis, w, v):
        """Normal force [N], where a negative one means that the top has left the floor; and friction / -(normal force).

        The height of the centre of mass is R - a axis_z, and w' = J^-1 (N lever - gyro), so that
        N - m g = -m a z.(w' x axis + w x (w x axis))
        """
        r = self.contact(axis)
        slide = np.array([*v, 0.0]) + np.cross(w, r)
        slide[2] = 0.0  # it stays on the floor
        drag = (self.mu / np.sqrt(slide @ slide + self.slow**2) + self.viscous) * slide
        lever, gyro = np.cross(r, Z - drag), np.cross(w, self.momentum(axis, w))
        side, ma = np.cross(axis, Z), self.m * self.a
        turn = Z @ np.cross(w, np.cross(w, axis)) - side @ self._solve(axis, gyro)
        return (self.m * self.g - ma * turn) / (1.0 + ma * side @ self._solve(axis, lever)), drag

    def rates(self, _, state):
        axis, w, v = state[:3], state[3:6], state[6:]
        N, drag = self.forces(axis, w, v)
        moment = N * np.cross(self.contact(axis), Z - drag) - np.cross(w, self.momentum(axis, w))
        return np.concatenate([np.cross(w, axis), self._solve(axis, moment), -N / self.m * drag[:2]])

    def energy(self, axis, w, v):
        """[J], zero of height on the floor."""
        rise = -self.a * (Z @ np.cross(w, axis))
        kinetic = 0.5 * self.m * (v @ v + rise**2) + 0.5 * w @ self.momentum(axis, w)
        return kinetic + self.m * self.g * (self.R - self.a * axis[2])

    def jellett(self, axis, w):
        return -self.contact(axis) @ self.momentum(axis, w)

    def run(self, duration, spin=120.0, tilt=0.1, samples=501):
        """Times (n,), axis (n, 3), angular velocity (n, 3) and velocity (n, 2), spinning about the tilted axis."""
        axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
        return self.run_from(duration, axis, spin * axis, samples)

    def run_from(self, duration, axis, w, samples=501):
        """The same from any axis and angular velocity, the centre of mass at rest."""
        t = np.linspace(0.0, duration, samples)
        start = [*axis, *w, 0.0, 0.0]
        y = solve_ivp(self.rates, (0.0, duration), start, "DOP853", t, rtol=1e-9, atol=1e-10).y.T
        return t, y[:, :3], y[:, 3:6], y[:, 6:]
