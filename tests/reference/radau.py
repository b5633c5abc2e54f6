"""Radau IIA with three stages in textbook NumPy (Hairer and Wanner 1996, section IV.8), for y' = f(t, y)."""

import numpy as np
from numpy.polynomial import Polynomial

NODES = np.array([(4.0 - np.sqrt(6.0)) / 10.0, (4.0 + np.sqrt(6.0)) / 10.0, 1.0])
"""roots of d^2/dx^2 (x^2 (x - 1)^3)"""


def lagrange(points):
    """Polynomials that are 1 at one of the points and 0 at the others."""
    found = []
    for i, at in enumerate(points):
        others = np.delete(points, i)
        found.append(Polynomial.fromroots(others) / np.prod(at - others))
    return found


A = np.array([[basis.integ()(c) for basis in lagrange(NODES)] for c in NODES])
"""a_ij is the integral of the j-th polynomial up to c_i"""
GAMMA = max(np.linalg.eigvals(np.linalg.inv(A)), key=lambda value: -abs(value.imag)).real


def jacobian(f, t, y, size=1e-6):
    """df/dy by central differences."""
    changes = size * np.eye(len(y))
    return np.column_stack([(f(t, y + d) - f(t, y - d)) / (2.0 * size) for d in changes])


def stages(f, t, h, y):
    """Z (3, n) with Z_i = h sum_j a_ij f(t + c_j h, y + Z_j), by Newton's method on all of them at once."""
    Z, n = np.zeros((3, len(y))), len(y)
    for _ in range(50):
        rates = np.array([f(t + c * h, y + z) for c, z in zip(NODES, Z)])
        blocks = [jacobian(f, t + c * h, y + z) for c, z in zip(NODES, Z)]
        matrix = np.eye(3 * n) - h * np.block([[A[i, j] * blocks[j] for j in range(3)] for i in range(3)])
        change = np.linalg.solve(matrix, (h * A @ rates - Z).ravel()).reshape(3, n)
        Z = Z + change
        if np.abs(change).max() <= 1e-13 * (1.0 + np.abs(Z).max()):
            return Z
    raise AssertionError("the twin does not converge")


def slope(h, Z):
    """u'(0) of the polynomial u of degree 3 through zero and the stages."""
    bases = lagrange(np.array([0.0, *NODES]))[1:]
    return sum(basis.deriv()(0.0) * z for basis, z in zip(bases, Z)) / h


def error(f, t, h, y, Z):
    """The difference to the embedded formula, filtered: (GAMMA/h - f_y) e = f(t, y) - u'(0)."""
    return np.linalg.solve(GAMMA / h * np.eye(len(y)) - jacobian(f, t, y), f(t, y) - slope(h, Z))


def between(y, Z, e, s):
    """The state at the fraction s of the step, one order better than the polynomial of the stages."""
    bases = lagrange(np.array([0.0, *NODES]))[1:]
    return y + sum(basis(s) * z for basis, z in zip(bases, Z)) + GAMMA * s * (1.0 - s) ** 2 * (1.0 - 2.5 * s) * e


def integrate(f, y, end, count):
    """y at the end after so many equal steps."""
    h = end / count
    for k in range(count):
        y = y + stages(f, k * h, h, y)[2]
    return y
