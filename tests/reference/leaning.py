"""A wheel that leans on a plane, in textbook NumPy: the energy of its tyre as a function of height and camber.

E = x q U(R - b / q) + (1 - x) U(D), q = cos(camber), b the height of the centre over the plane; C D^8.5 is the sum
of the eighth powers of the depths of balls of radius rho about a circle of radius R - rho, C such that D is the depth
of an upright ring of very many balls.
"""

import numpy as np

UPRIGHT, LYING, BALLS = 0.95, 0.8, 48


def share(q):
    """x: share of the disc."""
    t = np.clip((q - LYING) / (UPRIGHT - LYING), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def ring_depth(b, camber, R, rho, first=0.0):
    """D [m]; first: angle of the first ball from the lowest point [rad]."""
    phi = first + 2.0 * np.pi * np.arange(BALLS) / BALLS
    depths = rho - b + (R - rho) * np.cos(camber) * np.cos(phi)
    t = np.linspace(-1.0, 1.0, 20001)
    many = BALLS / (2.0 * np.pi) * np.sqrt(2.0 / (R - rho)) * np.trapezoid((1.0 - t * t) ** 8, t)
    return (np.sum(np.maximum(depths, 0.0) ** 8) / many) ** (1.0 / 8.5)


def energy(b, camber, stiffness, R, rho, first=0.0):
    """E [J] of a tyre with a linear spring."""
    q = np.cos(camber)
    disc = 0.5 * stiffness * max(0.0, R - b / q) ** 2 if share(q) > 0.0 else 0.0
    return share(q) * q * disc + (1.0 - share(q)) * 0.5 * stiffness * ring_depth(b, camber, R, rho, first) ** 2
