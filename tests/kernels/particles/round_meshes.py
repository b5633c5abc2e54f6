"""Meshes of round walls, for tests: a tube, a cone and a sphere, seen from inside, and pieces of sheet."""

import numpy as np


def turned_mesh(outline, count, closed=False):
    """Vertices and triangles of a line (n, 2) of z and radius, turned about z in so many parts.

    closed   the first point is a tip, on the axis
    """
    angle = 2.0 * np.pi * np.arange(count) / count
    rings = [np.stack([r * np.cos(angle), r * np.sin(angle), np.full(count, z)], axis=1) for z, r in outline]
    faces, k = [], np.arange(count)
    after = (k + 1) % count
    for ring in range(len(rings) - 1):
        a, b = ring * count, (ring + 1) * count
        faces.append(np.stack([a + k, a + after, b + after], axis=1))
        faces.append(np.stack([a + k, b + after, b + k], axis=1))
    vertices, faces = np.concatenate(rings), np.concatenate(faces)
    if closed:
        vertices, faces = vertices[count - 1 :], np.maximum(faces[count:] - count + 1, 0)
    return vertices, faces


def tube(count, rows=1, radius=1.0, length=2.0):
    """A tube about z, open at both ends."""
    return turned_mesh([(length * k / rows, radius) for k in range(rows + 1)], count)


def cone(count, rows=1, radius=1.0, top=0.4, length=1.0):
    """A frustum about z, open at both ends; or with top = 0 a cone, open at its base."""
    if top > 0.0:
        return turned_mesh([(length * k / rows, radius + (top - radius) * k / rows) for k in range(rows + 1)], count)
    outline = [(length * (1.0 - k / rows), radius * k / rows) for k in range(rows + 1)]
    return turned_mesh(outline, count, closed=True)


def sphere(level, radius=1.0, keep=None):
    """A ball whose 20 triangles are divided so many times.

    keep   of the corners of triangles (n, 3, 3), after each division: which stay
    """
    g = 0.5 * (1.0 + 5.0**0.5)
    vertices = np.array(
        [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g),
         (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)], float)  # fmt: skip
    faces = np.array(
        [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
         (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7),
         (9, 8, 1)])  # fmt: skip
    for _ in range(level):
        middles = 0.5 * (vertices[faces] + vertices[np.roll(faces, -1, axis=1)]).reshape(-1, 3)
        points, which = np.unique(np.round(np.concatenate([vertices, middles]), 9), axis=0, return_inverse=True)
        corner, middle = which.ravel()[faces], which.ravel()[len(vertices) :].reshape(-1, 3)
        (a, b, c), (ab, bc, ca) = corner.T, middle.T
        faces = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
        vertices = points
        if keep is not None:
            faces = faces[keep(vertices[faces])]
            used, faces = np.unique(faces, return_inverse=True)
            vertices, faces = vertices[used], faces.reshape(-1, 3)
    return radius * vertices / np.linalg.norm(vertices, axis=1, keepdims=True), faces


def sheet(profile, width=1.0):
    """A strip of quadrangles in halves along a line (n, 2) of x and z, so wide in y."""
    points = np.array([(x, y, z) for x, z in profile for y in (0.0, width)])
    k = 2 * np.arange(len(profile) - 1)
    return points, np.concatenate([np.stack([k, k + 2, k + 3], axis=1), np.stack([k, k + 3, k + 1], axis=1)])
