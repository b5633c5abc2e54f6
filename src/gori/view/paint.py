"""A painter of spheres: orthographic, with a depth buffer, lit from above; fast for a hundred thousand of them."""

from typing import NamedTuple

import numpy as np

from gori.kernels.particles.splat import splat

_FINE = 2
"""pixels are painted so many times finer in each direction, and averaged"""
_LIGHT = np.array([-0.45, 0.55, 0.70])  # right, up, towards the eye
_AMBIENT, _GLOSS, _SHADOW = 0.38, 0.22, 0.6


class Camera(NamedTuple):
    """An eye far away. Axes of the picture are unit vectors in the world."""

    right: np.ndarray
    up: np.ndarray
    towards: np.ndarray  # to the eye
    low: np.ndarray  # (2,) [m], corner of the picture at the lower left, along right and up
    high: np.ndarray
    width: int  # pixels
    height: int

    @property
    def scale(self) -> float:
        """Pixels per metre."""
        return self.width / float(self.high[0] - self.low[0])

    def see(self, points: np.ndarray) -> np.ndarray:
        """Points (n, 3) [m] of the world as (n, 3) [m] along right, up, and towards the eye."""
        return points @ np.column_stack([self.right, self.up, self.towards])


def camera_of(view: tuple[float, float], low: np.ndarray, high: np.ndarray, pixels: int) -> Camera:
    """A Camera that holds a box of the world between two corners [m].

    view     azimuth and elevation of the eye [deg]: (0, 0) looks along -x, (-90, 90) from above with x to the right
    pixels   of the longer side
    """
    azimuth, elevation = np.radians(view)
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    towards = np.array([*(np.cos(elevation) * np.array([np.cos(azimuth), np.sin(azimuth)])), np.sin(elevation)])
    up = np.cross(towards, right)
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    flat = corners @ np.column_stack([right, up])
    first, last = flat.min(axis=0), flat.max(axis=0)
    size = last - first
    margin = 0.02 * size.max() + 1e-12
    size = np.maximum(size, 0.05 * size.max() + 1e-12) + 2.0 * margin
    middle = 0.5 * (first + last)
    width, height = (max(1, round(pixels * side / size.max())) for side in size)
    # square pixels: the height follows from the width
    size = np.array([size[0], size[0] * height / width])
    return Camera(right, up, towards, middle - 0.5 * size, middle + 0.5 * size, width, height)


def paint(camera: Camera, spheres: np.ndarray, colour: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Paint spheres.

    spheres  (n, 4) x y z r [m]
    colour   (n, 3) red green blue, 0 to 1
    Returns the picture (height, width, 4), red green blue and opacity, first row at the top, and the depth of what is
    in front (fine height, fine width) [m], towards the eye; -inf where there is nothing.
    """
    scale = camera.scale * _FINE
    height, width = camera.height * _FINE, camera.width * _FINE
    at = camera.see(spheres[:, :3])
    seen = np.empty((len(spheres), 4))
    seen[:, 0] = (at[:, 0] - camera.low[0]) * scale - 0.5
    seen[:, 1] = (camera.high[1] - at[:, 1]) * scale - 0.5
    seen[:, 2], seen[:, 3] = at[:, 2] * scale, spheres[:, 3] * scale
    depth, owner = np.full((height, width), -np.inf), np.full((height, width), -1, np.int32)
    splat(seen, depth, owner)

    image = np.zeros((height, width, 4), np.float32)
    rows, columns = np.nonzero(owner >= 0)
    if len(rows):
        mine = owner[rows, columns]
        x, y, _, r = seen[mine].T
        light = _lit((columns - x) / r, (y - rows) / r)
        dark = _hollow(depth, float(np.median(seen[mine, 3])))[rows, columns]
        image[rows, columns, :3] = np.clip(colour[mine] * (light[0] * (1.0 - _SHADOW * dark))[:, None], 0.0, 1.0)
        image[rows, columns, :3] += ((1.0 - image[rows, columns, :3]) * (light[1] * (1.0 - dark))[:, None]).astype("f4")
        image[rows, columns, 3] = 1.0
    blocks = image.reshape(camera.height, _FINE, camera.width, _FINE, 4).mean(axis=(1, 3))
    # colours were averaged with nothing at the rim: that is the opacity's part
    blocks[..., :3] /= np.maximum(blocks[..., 3:], 1e-6)
    return blocks, depth / scale


def _lit(nx: np.ndarray, ny: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Diffuse light and gloss on a sphere where its normal is (nx, ny, ..), right and up."""
    nz = np.sqrt(np.maximum(0.0, 1.0 - nx * nx - ny * ny))
    sun = _LIGHT / np.linalg.norm(_LIGHT)
    half = sun + np.array([0.0, 0.0, 1.0])
    half /= np.linalg.norm(half)
    diffuse = np.maximum(0.0, nx * sun[0] + ny * sun[1] + nz * sun[2])
    gloss = np.maximum(0.0, nx * half[0] + ny * half[1] + nz * half[2]) ** 24
    return _AMBIENT + (1.0 - _AMBIENT) * diffuse, _GLOSS * gloss


def _hollow(depth: np.ndarray, radius: float) -> np.ndarray:
    """How much a pixel lies behind those around it, 0 to 1: gaps between particles are dark."""
    from scipy.ndimage import gaussian_filter

    there = np.isfinite(depth)
    base = depth[there].min()
    filled = np.where(there, depth - base, 0.0).astype(np.float32)
    reach = float(np.clip(1.5 * radius, 1.5, 40.0))
    around = gaussian_filter(filled, reach, truncate=2.0)
    weight = gaussian_filter(there.astype(np.float32), reach, truncate=2.0)
    behind = around / np.maximum(weight, 1e-6) - filled
    return np.clip(behind / (2.5 * radius + 1e-9), 0.0, 1.0)


def hidden(camera: Camera, depth: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Which points (n, 3), as `see` gives them, lie behind what is painted; (n,)"""
    scale = camera.scale * _FINE
    column = np.floor((points[:, 0] - camera.low[0]) * scale).astype(int)
    row = np.floor((camera.high[1] - points[:, 1]) * scale).astype(int)
    inside = (column >= 0) & (column < depth.shape[1]) & (row >= 0) & (row < depth.shape[0])
    front = np.full(len(points), -np.inf)
    front[inside] = depth[row[inside], column[inside]]
    return front > points[:, 2]
