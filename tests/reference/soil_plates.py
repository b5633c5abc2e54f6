"""A box on fresh, level soft soil, in textbook NumPy: cell by cell, the lower surface from the planes of its faces.

Bekker's law for a plate of the width b, P = (kc / b + kphi) z^n, along the inner normal of the lowest face over a cell.
"""

import numpy as np

STEEPEST = 0.1


def plate_pressure(kc, kphi, n, b, z):
    return (kc / b + kphi) * np.maximum(z, 0.0) ** n


def coming_back(P_max, z_max, rebound, z):
    """On the way up: a straight line."""
    return np.maximum(0.0, P_max - P_max / (z_max * rebound) * (z_max - z))


def lower_side(half, R, p, x, y):
    """Height of the lower side of a box over (x, y) and the outer normal there; None beside the box."""
    enters, leaves, normal = -np.inf, np.inf, None
    for axis in range(3):
        for side in (1.0, -1.0):
            n = side * R[:, axis]
            room = half[axis] - n[:2] @ (np.array([x, y]) - p[:2]) + n[2] * p[2]  # n_z z <= room
            if abs(n[2]) < 1e-12:
                if room < 0.0:
                    return None
            elif n[2] < 0.0:
                if room / n[2] > enters:
                    enters, normal = room / n[2], n
            else:
                leaves = min(leaves, room / n[2])
    return (enters, normal) if enters <= leaves else None


def pressed(half, R, p, corner, cell, count, law):
    """Force and moment about p, at rest; law: (kc, kphi, n).

    corner, count   of the grid [m], number of cells along x and y
    """
    b = 2.0 * np.sort(half)[1]
    force, moment = np.zeros(3), np.zeros(3)
    for i, j in np.ndindex(*count):
        x, y = corner[0] + (i + 0.5) * cell, corner[1] + (j + 0.5) * cell
        found = lower_side(half, R, p, x, y)
        if found is None or found[0] >= 0.0:
            continue
        z, n = -found[0], -found[1]
        f = plate_pressure(*law, b, z) * cell * cell / max(n[2], STEEPEST) * n
        force, moment = force + f, moment + np.cross([x - p[0], y - p[1], -z - p[2]], f)
    return force, moment
