"""Spheres on a raster, against every sphere tried at every pixel."""

import numpy as np
import pytest

from gori.kernels.particles.splat import splat


def everyone(seen, height, width):
    """The same, by the book: z and owner of the sphere in front, for pixels that some sphere covers."""
    i, j = np.mgrid[:height, :width]
    across = (j[..., None] - seen[:, 0]) ** 2 + (i[..., None] - seen[:, 1]) ** 2
    inside = across <= seen[:, 3] ** 2
    z = np.where(inside, seen[:, 2] + np.sqrt(np.maximum(0.0, seen[:, 3] ** 2 - across)), -np.inf)
    return z.max(axis=2), np.where(inside.any(axis=2), z.argmax(axis=2), -1)


def raster(seen, height, width):
    depth, owner = np.full((height, width), -np.inf), np.full((height, width), -1, np.int32)
    splat(np.ascontiguousarray(seen, float), depth, owner)
    return depth, owner


@pytest.mark.parametrize("seed", range(3))
def test_front_of_random_spheres(seed):
    rng = np.random.default_rng(seed)
    height, width = 40, 60
    # some outside, some in part, one larger than the raster
    seen = np.column_stack(
        [rng.uniform(-20, 80, 60), rng.uniform(-20, 60, 60), rng.normal(0, 5, 60), rng.uniform(1, 9, 60)]
    )
    seen[0] = [30, 20, -150, 140]
    depth, owner = raster(seen, height, width)
    z, front = everyone(seen, height, width)
    assert np.array_equal(owner, front)
    assert np.allclose(depth, z, rtol=0.0, atol=1e-9)


def test_small_spheres_are_seen():
    depth, owner = raster([[4.4, 2.45, 1.0, 0.1], [4.4, 2.45, 0.9, 0.1], [-3.0, 2.0, 5.0, 0.1]], 6, 8)
    assert owner[2, 4] == 0 and depth[2, 4] == pytest.approx(1.1)
    assert (owner >= 0).sum() == 1


def test_nan_is_left_out():
    depth, owner = raster([[np.nan, 2.0, 0.0, 1.0], [np.inf, 2.0, 0.0, 1.0], [3.0, 3.0, 0.0, np.nan]], 6, 8)
    assert (owner == -1).all() and not np.isfinite(depth).any()
