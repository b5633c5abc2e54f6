"""Textbook twins of the narrow phase: support functions, and distance and depth by search over directions.

For two convex sets and a unit vector n let s(n) = min over B of n.b - max over A of n.a, the gap of both along n. Their
signed distance is the largest s(n) over all n: the distance where it is positive, minus the depth where it is negative.
"""

import numpy as np

from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE


def support_points(shape, vertices, directions):
    """Farthest points (m, 3) of a core in directions (m, 3), own frame."""
    d = np.atleast_2d(directions)
    kind, size = int(shape["kind"]), np.asarray(shape["size"])
    if kind == SPHERE:
        return np.zeros_like(d)
    if kind == CAPSULE:
        return np.where(d[:, 2:] >= 0.0, 1.0, -1.0) * [0.0, 0.0, size[2]]
    if kind == BOX:
        return np.where(d >= 0.0, 1.0, -1.0) * size
    if kind == ELLIPSOID:
        return size**2 * d / np.linalg.norm(size * d, axis=1, keepdims=True)
    if kind == HULL:
        return vertices[np.argmax(d @ vertices.T, axis=1)]
    assert kind in (CYLINDER, CONE)
    rho = np.hypot(d[:, 0], d[:, 1])
    out = np.where(rho[:, None] > 0.0, d[:, :2] / np.maximum(rho, 1e-300)[:, None], [1.0, 0.0])
    radii = size[[0, 0]] if kind == CYLINDER else size[[0, 1]]
    ends = [np.column_stack([r * out, np.full(len(d), z)]) for r, z in zip(radii, (-size[2], size[2]))]
    higher = np.sum(d * ends[1], axis=1) >= np.sum(d * ends[0], axis=1)
    return np.where(higher[:, None], ends[1], ends[0])


def in_world(shape, vertices, pose, directions):
    """Farthest points of a shape, radius included, in unit directions; world axes."""
    R = pose[:9].reshape(3, 3)
    return support_points(shape, vertices, directions @ R) @ R.T + pose[9:] + shape["radius"] * directions


def gap_along(a, b, normals):
    """s(n) of two (shape, vertices, pose), for unit vectors (m, 3)."""
    n = np.atleast_2d(normals)
    return np.sum(n * (in_world(*b, -n) - in_world(*a, n)), axis=1)


def sphere_of_directions(count):
    """Unit vectors, evenly spread (a Fibonacci lattice)."""
    k = np.arange(count) + 0.5
    z, angle = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    return np.column_stack([np.sqrt(1.0 - z * z) * np.cos(angle), np.sqrt(1.0 - z * z) * np.sin(angle), z])


def signed_distance(a, b, start=(), count=2000, rounds=40):
    """The largest s(n), and its n: a lattice of directions, then ever smaller caps about the best."""
    lattice = sphere_of_directions(count)
    n = np.vstack([lattice, np.reshape(start, (-1, 3))])
    gaps = gap_along(a, b, n)
    best, normal = gaps.max(), n[gaps.argmax()]
    width = 4.0 / count**0.5
    for _ in range(rounds):
        near = normal + width * lattice[:: max(1, count // 200)]
        near /= np.linalg.norm(near, axis=1, keepdims=True)
        gaps = gap_along(a, b, near)
        if gaps.max() > best:
            best, normal = gaps.max(), near[gaps.argmax()]
        else:
            width *= 0.5
    return best, normal


def normal_nearby(a, b, start, width=1e-5, least=1e-9, kind=np.float64):
    """The unit vector of the largest s(n) near a given one, by ever smaller caps; kind: of floating point numbers."""
    lattice = sphere_of_directions(120).astype(kind)
    poses = [np.concatenate([pose[:9], pose[9:].astype(kind) - a[2][9:]]) for pose in (a[2], b[2])]
    pair = [(shape, vertices, pose) for (shape, vertices, _), pose in zip((a, b), poses)]
    normal = np.asarray(start, kind) / np.sqrt(np.sum(np.asarray(start, kind) ** 2))
    best = gap_along(*pair, normal)[0]
    while width > least:
        near = normal + kind(width) * lattice
        near /= np.sqrt(np.sum(near * near, axis=1, keepdims=True))
        gaps = gap_along(*pair, near)
        if gaps.max() > best:
            best, normal = gaps.max(), near[gaps.argmax()]
        else:
            width *= 0.5
    return best, normal


def contains(shape, vertices, pose, point, directions):
    """How far a point lies outside of a shape at most, over these directions; not positive: inside of all planes."""
    return np.max(directions @ point - np.sum(directions * in_world(shape, vertices, pose, directions), axis=1))
