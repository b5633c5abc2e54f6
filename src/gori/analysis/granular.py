"""Measures of particles: how dense they lie, how they touch, where they are, how they move and flow.

Each takes a ParticleFrame (of `Frames`, or made of plain arrays by `ParticleFrame.of`), or spheres (N, 4) x y z r [m]
alone, where no motion is needed; then mass is volume.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gori.analysis.regions import BoxRegion, CylinderRegion, MeasuredRegion
from gori.errors import InputError
from gori.kernels.particles.splat import splat
from gori.record import ParticleFrame

__all__ = [
    "BoxRegion", "CylinderRegion", "angle_of_repose", "center_of_mass", "contact_number", "contacts", "kinetic_energy",
    "mass_flow",
    "mass_in", "momentum", "porosity", "profile", "surface", "surface_profile",
]  # fmt: skip

ParticleData = ParticleFrame | np.ndarray
AXES = {"x": 0, "y": 1, "z": 2}


class Contacts(NamedTuple):
    """Pairs of rows (M, 2) of the frame, the lower first, and how deep they overlap (M,) [m]."""

    pairs: np.ndarray
    overlap: np.ndarray


class Energy(NamedTuple):
    """Kinetic energy of travel and of spin [J]."""

    travel: float
    spin: float


class Momentum(NamedTuple):
    """Linear (3,) [kg m/s], and angular about a point (3,) [kg m2/s]."""

    linear: np.ndarray
    angular: np.ndarray


class Profile(NamedTuple):
    """Means over bins: middle of each (n,) [m], mean (n,), nan where a bin is empty, and how many went into it (n,)."""

    at: np.ndarray
    mean: np.ndarray
    samples: np.ndarray


class Surface(NamedTuple):
    """Height of what is seen from above (ny, nx) [m], nan where there is nothing, at x (nx,) and y (ny,) [m]."""

    x: np.ndarray
    y: np.ndarray
    height: np.ndarray


class Flow(NamedTuple):
    """Mass through a plane, along its normal: ends of the intervals (n + 1,) [s], mean rate in each (n,) [kg/s]."""

    time: np.ndarray
    rate: np.ndarray

    @property
    def mass(self) -> float:
        """All that went through [kg]."""
        return float(self.rate @ np.diff(self.time))


class Repose(NamedTuple):
    """Slope of a heap's flank and the standard error of its fit [rad]; top of the flank, where its line meets the
    middle, and its foot, where it meets the floor [m].
    """

    angle: float
    error: float
    top: float
    foot: float


def porosity(particles: ParticleData, region: MeasuredRegion) -> float:
    """Share of a region that is empty. Spheres that its border cuts count with the part inside (see `regions`).

    Where particles overlap, their common volume counts twice: for each contact 0.4 (overlap / radius)^2 of a particle.
    """
    return 1.0 - float(region.filled(_frame(particles)).sum()) / region.volume


def contacts(particles: ParticleData, gap: float = 0.0) -> Contacts:
    """Pairs that touch, or are nearer than `gap` [m]."""
    from scipy.spatial import KDTree

    spheres = _frame(particles).spheres
    if not len(spheres):
        return Contacts(np.zeros((0, 2), np.int64), np.zeros(0))
    pairs = KDTree(spheres[:, :3]).query_pairs(2.0 * float(spheres[:, 3].max()) + gap, output_type="ndarray")
    apart = np.linalg.norm(spheres[pairs[:, 0], :3] - spheres[pairs[:, 1], :3], axis=1)
    overlap = spheres[pairs[:, 0], 3] + spheres[pairs[:, 1], 3] - apart
    touching = overlap >= -gap
    found = pairs[touching]
    order = np.lexsort((found[:, 1], found[:, 0]))
    return Contacts(found[order], overlap[touching][order])


def contact_number(particles: ParticleData, gap: float = 0.0, least: int = 0) -> float:
    """Mean count of contacts of a particle with others, walls not counted; of particles that have `least` or more."""
    frame = _frame(particles)
    counts = np.bincount(contacts(frame, gap).pairs.ravel(), minlength=len(frame))
    counts = counts[counts >= least]
    return float(counts.mean()) if len(counts) else 0.0


def mass_in(particles: ParticleData, region: MeasuredRegion | None = None) -> float:
    """Mass of particles [kg] whose centres lie in a region; of all."""
    frame = _frame(particles)
    return float(frame.mass.sum() if region is None else frame.mass[region.contains(frame)].sum())


def center_of_mass(particles: ParticleData) -> np.ndarray:
    """(3,) [m]"""
    frame = _frame(particles)
    if not len(frame):
        raise InputError("no particles: no centre of mass is defined")
    return frame.mass @ frame.position / frame.mass.sum()


def kinetic_energy(particles: ParticleFrame) -> Energy:
    """Energy of travel, 1/2 m v^2, and of spin, 1/2 (2/5 m r^2) w^2."""
    travel = 0.5 * float(particles.mass @ np.einsum("ni,ni->n", particles.velocity, particles.velocity))
    spin = 0.5 * float(
        _inertia(particles) @ np.einsum("ni,ni->n", particles.angular_velocity, particles.angular_velocity)
    )
    return Energy(travel, spin)


def momentum(particles: ParticleFrame, about: Any = (0.0, 0.0, 0.0)) -> Momentum:
    """Linear momentum, and angular momentum about a point [m], spin included."""
    moving = particles.mass[:, None] * particles.velocity
    arms = particles.position - np.asarray(about, float)
    return Momentum(
        moving.sum(axis=0), np.cross(arms, moving).sum(axis=0) + _inertia(particles) @ particles.angular_velocity
    )


def profile(
    particles: ParticleData,
    value: str | np.ndarray | Callable[[ParticleFrame], np.ndarray],
    along: str = "z",
    bins: int | Any = 20,
    origin: Any = (0.0, 0.0, 0.0),
) -> Profile:
    """Mean of a value, weighted by mass, over bins.

    value    "speed", "vx", "vy", "vz", "radius"; or numbers (N,); or what gives them of a ParticleFrame
    along    "x", "y", "z", or "r": the distance from a vertical axis through the origin
    bins     their count, or their edges (n + 1,) [m], from the origin on
    """
    frame = _frame(particles)
    where = _distance(frame.position - np.asarray(origin, float), along)
    numbers = _numbers(frame, value)
    return _binned(where, numbers, frame.mass, bins)


def surface(particles: ParticleData, cell: float, low: Any = None, high: Any = None) -> Surface:
    """The free surface as a map: height of the topmost sphere at the middle of each cell.

    cell        [m]; half a radius or less shows each particle
    low, high   (2,) corners of the map [m]; default: all particles
    """
    spheres = _frame(particles).spheres
    if not cell > 0.0:
        raise InputError(f"cell must be a positive length, not {cell!r}")
    if not len(spheres) and (low is None or high is None):
        raise InputError("no particles: there is no surface")
    first = np.asarray((spheres[:, :2] - spheres[:, 3:]).min(axis=0) if low is None else low, float)
    last = np.asarray((spheres[:, :2] + spheres[:, 3:]).max(axis=0) if high is None else high, float)
    width, height = (max(1, int(np.ceil((last[k] - first[k]) / cell - 1e-9))) for k in range(2))
    depth, owner = np.full((height, width), -np.inf), np.full((height, width), -1, np.int32)
    seen = spheres / cell
    seen[:, :2] -= first / cell + 0.5
    splat(np.ascontiguousarray(seen), depth, owner)
    x, y = (first[k] + cell * (np.arange(count) + 0.5) for k, count in ((0, width), (1, height)))
    return Surface(x, y, np.where(owner >= 0, depth * cell, np.nan))


def surface_profile(
    particles: ParticleData, along: str = "r", bins: int | Any = 20, origin: Any = (0.0, 0.0), cell: float | None = None
) -> Profile:
    """Mean height of the free surface over rings about a vertical axis ("r"), or over strips ("x", "y").

    cell   of the map that is averaged [m]; default: a quarter of the smallest radius
    """
    frame = _frame(particles)
    cell = 0.25 * float(frame.radius.min(initial=np.inf)) if cell is None else cell
    found = surface(frame, cell)
    x, y = np.meshgrid(found.x - origin[0], found.y - origin[1])
    there = np.isfinite(found.height)
    points = np.column_stack([x[there], y[there], found.height[there]])
    return _binned(_distance(points, along), found.height[there], np.ones(len(points)), bins)


def angle_of_repose(
    particles: ParticleData,
    along: str = "r",
    origin: Any = None,
    floor: float = 0.0,
    shares: tuple[float, float] = (0.2, 0.8),
    between: tuple[float, float] | None = None,
    bins: int = 40,
) -> Repose:
    """Angle of a heap's flank, by a straight line through the mean height of its surface.

    along     "r" for a cone of particles; "x" or "y" for a ridge or a slope
    origin    (2,) of the axis; default: the centre of mass
    floor     height on which the heap stands [m]
    shares    of its height between which the flank counts: its tip is round, its foot scattered
    between   distances along the flank that count [m], instead of shares
    """
    frame = _frame(particles)
    middle = center_of_mass(frame)[:2] if origin is None else np.asarray(origin, float)
    at, height, count = surface_profile(frame, along, bins, middle)
    rise = height - floor
    if between is None:
        top = np.nanmax(rise)
        use = (rise >= shares[0] * top) & (rise <= shares[1] * top)
    else:
        use = (at >= between[0]) & (at <= between[1])
    use &= np.isfinite(rise) & (count > 0)
    if use.sum() < 4:
        raise InputError("fewer than four bins lie on the slope: use more bins, or other `shares` or `between`")
    (slope, top), covariance = np.polyfit(at[use], rise[use], 1, cov=True)
    foot = -top / slope if slope != 0.0 else np.inf
    error = np.sqrt(covariance[0, 0]) / (1.0 + slope**2)
    return Repose(float(np.arctan(abs(slope))), float(error), float(top + floor), float(foot))


def mass_flow(frames: Iterable[ParticleFrame], point: Any, normal: Any, within: float | None = None) -> Flow:
    """Mass that goes through a plane between frames, along its normal positive.

    A particle counts when its centre has changed sides since the previous frame; one inserted or removed in between by
    an inlet or outlet does not: keep the plane further from these than a particle travels between two frames.

    point, normal   of the plane, world
    within          only what passes nearer to the point than this [m], as in an opening
    """
    point, normal = np.asarray(point, float), np.asarray(normal, float)
    if not (length := float(np.linalg.norm(normal))) > 0.0:
        raise InputError("the normal of the plane must not be zero")
    normal = normal / length
    times, rates, before = [], [], None
    for frame in frames:
        times.append(frame.time)
        if before is not None:
            _, old, new = np.intersect1d(before.id, frame.id, assume_unique=True, return_indices=True)
            start, end = before.position[old] - point, frame.position[new] - point
            d0, d1 = start @ normal, end @ normal
            through = (d1 >= 0.0).astype(float) - (d0 >= 0.0)
            if within is not None:
                crossing = through != 0.0
                share = np.zeros(len(d0))
                share[crossing] = d0[crossing] / (d0 - d1)[crossing]
                at = start + share[:, None] * (end - start)
                through[np.linalg.norm(at, axis=1) > within] = 0.0
            rates.append(float(through @ frame.mass[new]) / (frame.time - before.time))
        before = frame
    if before is None or not rates:
        raise InputError("mass flow needs at least two frames")
    return Flow(np.array(times), np.array(rates))


def _frame(particles: ParticleData) -> ParticleFrame:
    return particles if isinstance(particles, ParticleFrame) else ParticleFrame.of(particles)


def _inertia(frame: ParticleFrame) -> np.ndarray:
    return 0.4 * frame.mass * frame.radius**2


def _distance(points: np.ndarray, along: str) -> np.ndarray:
    if along == "r":
        return np.hypot(points[:, 0], points[:, 1])
    if along not in AXES:
        raise InputError(f"along must be 'x', 'y', 'z' or 'r', not {along!r}")
    return points[:, AXES[along]]


def _numbers(frame: ParticleFrame, value: Any) -> np.ndarray:
    known = {"speed": frame.speed, "radius": frame.radius}
    known |= {f"v{axis}": frame.velocity[:, k] for axis, k in AXES.items()}
    if isinstance(value, str):
        if value not in known:
            raise InputError(f"a profile takes {', '.join(known)}, numbers, or a function, not {value!r}")
        return known[value]
    numbers = np.asarray(value(frame) if callable(value) else value, float)
    if numbers.shape != (len(frame),):
        raise InputError(f"a profile needs one number for each of {len(frame)} particles, not {numbers.shape}")
    return numbers


def _binned(where: np.ndarray, numbers: np.ndarray, weight: np.ndarray, bins: Any) -> Profile:
    edges = np.histogram_bin_edges(where, bins)
    count, total, mass = (np.histogram(where, edges, weights=w)[0] for w in (None, numbers * weight, weight))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / mass, np.nan)
    return Profile(np.array([0.5 * (a + b) for a, b in pairwise(edges)]), mean, count)
