"""Spheres on a raster, seen along one axis: which is in front at each pixel, and how far (a depth buffer).

At a pixel (x, y) inside the disc of a sphere of centre (cx, cy, cz) and radius r its surface is at

    z = cz + sqrt(r^2 - (x - cx)^2 - (y - cy)^2)

Serves pictures of particles, and their free surface, seen from above.
"""

import math

from gori.kernels.jit import kernel


@kernel("void(f8[:, ::1], f8[:, ::1], i4[:, ::1])")
def splat(seen, depth, owner):
    """Rasterise spheres; nearer surfaces are kept.

    seen    (n, 4)     column, row, z towards the eye, radius; all in pixels, the centre of pixel [i, j] is (j, i)
    depth   (h, w)     z of the surface in front; start with -inf
    owner   (h, w)     which sphere that is; start with -1
    """
    height, width = depth.shape
    for k in range(seen.shape[0]):
        cx, cy, cz, r = seen[k, 0], seen[k, 1], seen[k, 2], seen[k, 3]
        if not (cx + r > -1.0 and cy + r > -1.0 and cx - r < width and cy - r < height):  # nan goes out here too
            continue
        found = False
        first, last = max(0, math.ceil(cy - r)), min(height - 1, math.floor(cy + r))
        for i in range(first, last + 1):
            rest = r * r - (i - cy) * (i - cy)
            if rest < 0.0:
                continue
            half = math.sqrt(rest)
            for j in range(max(0, math.ceil(cx - half)), min(width - 1, math.floor(cx + half)) + 1):
                found = True
                z = cz + math.sqrt(max(0.0, rest - (j - cx) * (j - cx)))
                if z > depth[i, j]:
                    depth[i, j], owner[i, j] = z, k
        # between pixel centres: drawn nevertheless
        i, j = math.floor(cy + 0.5), math.floor(cx + 0.5)
        if not found and 0 <= i < height and 0 <= j < width and cz + r > depth[i, j]:
            depth[i, j], owner[i, j] = cz + r, k
