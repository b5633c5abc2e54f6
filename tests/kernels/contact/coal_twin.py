"""The same shapes in coal, with tolerances as tight as it takes."""

import coal
import numpy as np

from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, SPHERE


def geometry(row, vertices):
    """None for what coal does not have: a cone without its tip."""
    kind, (x, y, z), r = int(row["kind"]), row["size"], row["radius"]
    if kind == SPHERE:
        return coal.Sphere(r)
    if kind == CAPSULE:
        return coal.Capsule(r, 2.0 * z)
    if kind == BOX:
        return coal.Box(2.0 * x, 2.0 * y, 2.0 * z)
    if kind == CYLINDER:
        return coal.Cylinder(x, 2.0 * z)
    if kind == CONE:
        return coal.Cone(x, 2.0 * z) if y == 0.0 else None
    if kind == ELLIPSOID:
        return coal.Ellipsoid(x, y, z)
    points = coal.StdVec_Vec3s()
    points.extend(list(vertices))
    return coal.Convex.convexHull(points, False, "Qt")


def signed_distances(scene):
    """Signed distance and normal of each pair of a Scene: (n, 4), NaN where coal has no such shape."""
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations, request.epa_max_iterations = 1000, 500
    result, vertex = coal.DistanceResult(), scene.corners
    out = np.full((len(scene.rows) // 2, 4), np.nan)
    shapes, places = [], []
    for row, pose in zip(scene.rows, scene.poses):
        first, count = int(row["first"][0]), int(row["vertices"][0])
        shapes.append(geometry(row[0], vertex[first : first + count]))
        places.append(coal.Transform3s(pose[:9].reshape(3, 3), pose[9:]))
    for k in range(len(out)):
        i, j = 2 * k, 2 * k + 1
        if shapes[i] is not None and shapes[j] is not None:
            result.clear()
            out[k, 0] = coal.distance(shapes[i], places[i], shapes[j], places[j], request, result)
            out[k, 1:] = result.normal
    return out
