"""The shared case of the particle benches: equal glass-like spheres, softened, settled under gravity in a box.

place (N, 4): x y z radius [m]; box (3,): its size [m], one corner at the origin, open at the top. A settled box is kept
in a .npz with these two arrays.
"""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

RADIUS = 1e-3
DENSITY = 2500.0
YOUNG, POISSON = 5e7, 0.25
RESTITUTION, FRICTION = 0.5, 0.5
GRAVITY = 9.81
MASS = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3

# two bodies of the same material, walls too (Hertz, Mindlin): 1/E* = 2 (1 - nu^2)/E, 1/G* = 4 (2 - nu)(1 + nu)/E
E_STAR = YOUNG / (2.0 * (1.0 - POISSON**2))
G_STAR = YOUNG / (4.0 * (2.0 - POISSON) * (1.0 + POISSON))
BETA = -math.log(RESTITUTION) / math.hypot(math.log(RESTITUTION), math.pi)
"""share of critical damping for this restitution (Tsuji et al. 1992; the map for contacts that may pull)"""

RAYLEIGH = math.pi * RADIUS * math.sqrt(DENSITY * 2.0 * (1.0 + POISSON) / YOUNG) / (0.1631 * POISSON + 0.8766)
"""time that a surface wave takes around half a grain [s]"""
STEP = 0.2 * RAYLEIGH


class Coefficients(NamedTuple):
    """What gran/hertz/history takes, in SI."""

    kn: float  # Pa
    kt: float  # Pa
    gamma_n: float  # 1/(m s)
    gamma_t: float  # 1/(m s)
    friction: float


def lammps_law(count: int, wall: bool = False) -> Coefficients:
    """The law of Gori in the terms of LAMMPS, for a bed of that many grains.

    With the contact radius a = sqrt(R* d), overlap d and approach speed vn, slip s and slip speed vt:

      LAMMPS   Fn = a (kn d + m* gamma_n vn)                Ft = a (kt s + m* gamma_t vt)
      Gori     Fn = 4/3 E* a d + c beta sqrt(2 E* m* a) vn  Ft = 8 G* a s + c beta sqrt(8 G* m* a) vt,  c = 2 sqrt(5/6)

    so that kn = 4/3 E* and kt = 8 G*. The damping grows with a there, with sqrt(a) here: they are made equal at the
    overlap of a contact that carries half the weight of a column of grains.
    """
    m_star, r_star = (MASS, RADIUS) if wall else (0.5 * MASS, 0.5 * RADIUS)
    load = 0.5 * MASS * GRAVITY * _side(count)
    overlap = (load / (4.0 / 3.0 * E_STAR * math.sqrt(r_star))) ** (2.0 / 3.0)
    a = math.sqrt(r_star * overlap)
    damping = 2.0 * math.sqrt(5.0 / 6.0) * BETA / math.sqrt(m_star * a)
    gamma_n, gamma_t = damping * math.sqrt(2.0 * E_STAR), damping * math.sqrt(8.0 * G_STAR)
    return Coefficients(4.0 / 3.0 * E_STAR, 8.0 * G_STAR, gamma_n, gamma_t, FRICTION)


def _side(count: int) -> int:
    """Grains along an edge of the loose cube."""
    return math.ceil(round(count ** (1.0 / 3.0), 9))


def loose_box(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A loose cloud that fills a cube, ready to fall: a cubic lattice, each grain off its place by chance.

    Returns place (count, 4) and box (3,) [m]. No two grains touch; the same seed gives the same cloud.
    """
    n, spacing = _side(count), 2.2 * RADIUS
    cells = np.stack(np.unravel_index(np.arange(count), (n, n, n)), axis=1)[:, ::-1]  # layer by layer, from the floor
    off = 0.499 * (spacing - 2.0 * RADIUS) * np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3))
    place = np.column_stack([spacing * (cells + 0.5) + off, np.full(count, RADIUS)])
    return place, np.full(3, n * spacing)


def stacked_box(place: np.ndarray, box: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A larger bed from copies of a settled one, side by side and on top of each other; it needs a short rest only.

    Faster than to pour so many grains. Where copies meet, the layers that lay along the walls are still to be seen.
    """
    side = max(1, round((count / len(place)) ** (1.0 / 3.0)))
    layers = math.ceil(count / (side * side * len(place)))
    height = float((place[:, 2] + place[:, 3]).max())
    shifts = np.stack(np.meshgrid(*(np.arange(n) for n in (side, side, layers)), indexing="ij"), -1).reshape(-1, 3)
    shifts = np.column_stack([shifts * [box[0], box[1], height], np.zeros(len(shifts))])
    all_of_them = (place[None] + shifts[:, None]).reshape(-1, 4)
    lowest = np.sort(np.argsort(all_of_them[:, 2], kind="stable")[:count])
    return all_of_them[lowest], box * [side, side, max(side, math.ceil(layers * height / box[2]))]


def save(path: str | Path, place: np.ndarray, box: np.ndarray) -> None:
    np.savez_compressed(path, place=place, box=box)


def load(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """place and box of a .npz."""
    with np.load(path) as file:
        return file["place"], file["box"]
