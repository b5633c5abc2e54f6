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


def smooth_contacts(corners, normals, weights, c, reach):
    """Points (n, 3) where a sphere of radius `reach` about c touches curved triangles (m, 3, 3), without their edges.

    c lies over the barycentric coordinates b if c = sum of b p + t sum of b w n; that asks for a root t of a cubic. The
    surface is higher than the triangle by
    (sum of b_i b_j 2 w_i w_j / (w_i + w_j) (n_i - n_j).(p_i - p_j)) / (sum of b w + |sum of b w n|),
    and there is a minimum of the distance if the map from b and t to c does not turn inside out.
    """
    found = []
    for p, n, w in zip(corners, normals, weights):
        m = w[:, None] * n

        def sides(t, p=p, m=m):
            return np.array([p[1] - p[0] + t * (m[1] - m[0]), p[2] - p[0] + t * (m[2] - m[0]), c - p[0] - t * m[0]])

        size = np.linalg.norm(c - p[0]) + np.linalg.norm(p[1] - p[0])
        at = size * np.array([-1.5, -0.5, 0.5, 1.5])
        cubic = np.polyfit(at, [np.linalg.det(sides(t)) for t in at], 3)
        for t in np.roots(cubic):
            if abs(t.imag) > 1e-9 * size:
                continue
            x, y, z = sides(t.real)
            (u, v), *_ = np.linalg.lstsq(np.stack([x, y], axis=1), z, rcond=None)
            b = np.array([1.0 - u - v, u, v])
            normal = b @ m
            true = np.linalg.norm(b @ p + t.real * normal - c) < 1e-9 * size  # roots of rounding errors are none
            if not true or b.min() < 0.0 or np.linalg.det([x, y, normal]) <= 0.0:
                continue
            higher = sum(
                b[i] * b[j] * 2.0 * w[i] * w[j] / (w[i] + w[j]) * (n[i] - n[j]) @ (p[i] - p[j])
                for i, j in ((0, 1), (1, 2), (2, 0))
            ) / (b @ w + np.linalg.norm(normal))
            q = b @ p + higher * normal / np.linalg.norm(normal)
            if np.linalg.norm(c - q) <= reach:
                found.append(q)
    return np.array(found).reshape(-1, 3)


def counted(contacts, radius, share=2e-3):
    """Which contacts (gap, unit vector to the wall) of a sphere count: those whose point does not lie in the tangent
    plane of a deeper one, to a share of the radius; of two that are equally deep, the first.
    """

    def part_of(k, other):
        (gap, n), (deeper, e) = contacts[k], contacts[other]
        less = deeper < gap or (deeper == gap and other < k)
        return less and abs((gap * np.asarray(n) - deeper * np.asarray(e)) @ e) <= share * radius

    return [not any(part_of(k, other) for other in range(len(contacts)) if other != k) for k in range(len(contacts))]
