"""Contacts of a sphere with a surface by brute force: all local minima of the distance from its centre.

A facet is convex, so a point is a local minimum on the surface if it is the closest point of every facet that holds it.
The same holds for the line that is turned about an axis to make a cylinder or cone.
"""

import numpy as np


def closest_on_segment(a, b, c):
    t = np.clip((c - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return a + t * (b - a)


def closest_on_polygon(corners, c):
    """Closest point of a flat convex polygon (n, 3)."""
    n = np.cross(corners[1] - corners[0], corners[-1] - corners[0])
    n = n / np.linalg.norm(n)
    foot = c - n * (n @ (c - corners[0]))
    turn = [np.cross(b - a, foot - a) @ n for a, b in zip(corners, np.roll(corners, -1, axis=0))]
    if min(turn) >= 0.0:
        return foot
    points = [closest_on_segment(a, b, c) for a, b in zip(corners, np.roll(corners, -1, axis=0))]
    return min(points, key=lambda q: float(np.linalg.norm(q - c)))


def contacts(pieces, c, closest, reach, same=1e-7):
    """Points (n, dim) within the reach of c that are local minima of its distance to the union of pieces."""
    points = [closest(piece, c) for piece in pieces]
    found = []
    for q in points:
        if np.linalg.norm(q - c) > reach or any(np.linalg.norm(q - other) < same for other in found):
            continue
        holders = [k for k, piece in enumerate(pieces) if np.linalg.norm(closest(piece, q) - q) < same]
        if all(np.linalg.norm(points[k] - q) < same for k in holders):
            found.append(q)
    return np.array(found).reshape(-1, len(c))


def mesh_contacts(vertices, faces, c, reach):
    """Points (n, 3) where a sphere of radius `reach` about c touches a mesh."""
    near = [
        vertices[face]
        for face in faces
        if np.all(vertices[face].min(axis=0) <= c + reach) and np.all(vertices[face].max(axis=0) >= c - reach)
    ]
    return contacts(near, c, closest_on_polygon, reach)


def turned_contacts(line, z, rho, reach):
    """The same of a surface of revolution: points (n, 2) along and away from the axis; line: segments in that plane."""
    return contacts(line, np.array([z, rho]), lambda piece, c: closest_on_segment(*piece, c), reach)
