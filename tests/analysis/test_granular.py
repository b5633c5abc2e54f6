"""Measures of grains whose values are known: lattices, cones, paraboloids, a stream."""

import numpy as np
import pytest

from gori.analysis.granular import (
    BoxRegion,
    CylinderRegion,
    angle_of_repose,
    center_of_mass,
    contact_number,
    contacts,
    kinetic_energy,
    mass_flow,
    mass_in,
    momentum,
    porosity,
    profile,
    surface,
    surface_profile,
)
from gori.errors import InputError
from gori.record import ParticleFrame


def lattice(n: int, r: float = 0.5) -> np.ndarray:
    """Simple cubic, touching, centres from 0 on."""
    at = np.array([(i, j, k) for i in range(n) for j in range(n) for k in range(n)], float)
    return np.column_stack([2.0 * r * at, np.full(n**3, r)])


def moving(count: int, seed: int = 0) -> ParticleFrame:
    rng = np.random.default_rng(seed)
    place, motion = rng.normal(size=(count, 4)), rng.normal(size=(count, 8))
    place[:, 3], motion[:, 3], motion[:, 7] = rng.uniform(0.1, 0.3, count), rng.uniform(1, 2, count), 0
    return ParticleFrame.of(place, motion)


def field(height, span: float, r: float = 0.01) -> np.ndarray:
    """Grains side by side whose centres lie on height(x, y)."""
    x, y = np.meshgrid(np.arange(-span, span, r), np.arange(-span, span, r))
    z = height(x, y).ravel()
    place = np.column_stack([x.ravel(), y.ravel(), z, np.full(x.size, r)])
    return place[z >= 0.0]


def test_porosity_of_a_lattice():
    """Simple cubic: 1 - pi / 6 in any box of whole cells, however it cuts the spheres."""
    place = lattice(8)
    for shift in (0.0, 0.13, 0.5):
        region = BoxRegion(np.full(3, 1.5 + shift), np.full(3, 5.5 + shift))
        assert porosity(place, region) == pytest.approx(1.0 - np.pi / 6.0, abs=1e-6)
    assert porosity(place[:1], CylinderRegion((0.0, 0.0, -1.0), 2.0, 2.0)) == pytest.approx(1.0 - 1.0 / 48.0, abs=1e-9)


def test_contacts_of_lattices():
    place = lattice(6)
    inside = ((place[:, :3] > 0.5) & (place[:, :3] < 4.5)).all(axis=1)
    found = contacts(place, 1e-9)
    counts = np.bincount(found.pairs.ravel(), minlength=len(place))
    assert (counts[inside] == 6).all() and len(found.pairs) == 3 * 6 * 6 * 5
    assert (found.pairs[:, 0] < found.pairs[:, 1]).all() and np.abs(found.overlap).max() < 1e-12
    assert contact_number(place, 1e-9) == pytest.approx(2 * 540 / 216)
    assert contact_number(place, 1e-9, least=6) == 6.0
    assert contact_number(place, -1e-3) == 0.0 and contact_number(np.zeros((0, 4))) == 0.0
    # radii that differ: touching is by the sum of radii, not by the largest
    three = np.array([[0, 0, 0, 1.0], [1.4, 0, 0, 0.5], [-1.6, 0, 0, 0.5]])
    assert contacts(three).pairs.tolist() == [[0, 1]] and contacts(three).overlap == pytest.approx([0.1])
    assert contacts(three, 0.11).pairs.tolist() == [[0, 1], [0, 2]]


def test_energy_and_momentum():
    """Against sums by hand; rigid rotation: angular momentum and energy of the moment of inertia."""
    frame = moving(50)
    energy = sum(0.5 * m * v @ v for m, v in zip(frame.mass, frame.velocity))
    spin = sum(0.5 * 0.4 * m * r * r * w @ w for m, r, w in zip(frame.mass, frame.radius, frame.angular_velocity))
    assert kinetic_energy(frame) == pytest.approx((energy, spin))
    about = np.array([1.0, -2.0, 0.5])
    angular = sum(
        np.cross(p - about, m * v) + 0.4 * m * r * r * w
        for p, m, v, r, w in zip(frame.position, frame.mass, frame.velocity, frame.radius, frame.angular_velocity)
    )
    assert np.allclose(momentum(frame, about).angular, angular)
    assert np.allclose(momentum(frame).linear, (frame.mass[:, None] * frame.velocity).sum(axis=0))
    omega, motion = np.array([0.0, 0.0, 3.0]), np.zeros((50, 8))
    motion[:, :3], motion[:, 3], motion[:, 4:7] = np.cross(omega, frame.position), frame.mass, omega
    rigid = ParticleFrame.of(frame.spheres, motion)
    assert sum(kinetic_energy(rigid)) == pytest.approx(0.5 * omega @ momentum(rigid).angular)


def test_mass_and_its_centre():
    frame = moving(80)
    left = BoxRegion((-9, -9, -9), (0, 9, 9))
    assert mass_in(frame) == pytest.approx(frame.mass.sum())
    assert mass_in(frame, left) == pytest.approx(frame.mass[frame.position[:, 0] <= 0].sum())
    assert np.allclose(center_of_mass(frame), np.average(frame.position, axis=0, weights=frame.mass))
    with pytest.raises(InputError, match="no particles"):
        center_of_mass(np.zeros((0, 4)))


def test_profiles():
    frame = moving(4000)
    found = profile(frame, lambda f: 2.0 * f.position[:, 2], "z", [-1, 0, 1])
    assert found.at.tolist() == [-0.5, 0.5]
    inside = (frame.position[:, 2] >= 0) & (frame.position[:, 2] <= 1)
    expected = np.average(2.0 * frame.position[inside, 2], weights=frame.mass[inside])
    assert found.mean[1] == pytest.approx(expected) and found.samples[1] == inside.sum()
    rings = profile(
        frame, np.hypot(frame.position[:, 0] - 1, frame.position[:, 1]), "r", np.linspace(0, 2, 9), (1, 0, 0)
    )
    assert (np.abs(rings.mean - rings.at) < 0.126).all()
    assert np.isnan(profile(frame, "vx", "x", [50, 60]).mean[0]) and profile(frame, "speed").samples.sum() == 4000
    with pytest.raises(InputError, match="not 'taste'"):
        profile(frame, "taste")
    with pytest.raises(InputError, match="along must be"):
        profile(frame, "speed", "q")
    with pytest.raises(InputError, match="one number for each of 4000"):
        profile(frame, np.zeros(3))


def test_surface_of_one_sphere():
    found = surface(np.array([[1.0, 2.0, 3.0, 0.5]]), 0.05)
    x, y = np.meshgrid(found.x, found.y)
    room = 0.25 - (x - 1.0) ** 2 - (y - 2.0) ** 2
    assert np.array_equal(np.isfinite(found.height), room >= 0.0)
    assert np.allclose(found.height[room >= 0], 3.0 + np.sqrt(room[room >= 0]))
    assert found.height.shape == (20, 20)
    wide = surface(np.array([[1.0, 2.0, 3.0, 0.5]]), 0.1, (0, 0), (3, 4))
    assert wide.height.shape == (40, 30) and wide.x[0] == pytest.approx(0.05)
    with pytest.raises(InputError, match="no particles"):
        surface(np.zeros((0, 4)), 0.1)
    with pytest.raises(InputError, match="cell"):
        surface(np.zeros((1, 4)), 0.0)


def test_surface_of_a_spun_cylinder():
    """A paraboloid about an axis off the origin: its curvature w^2 / g comes back."""
    bend = 10.0**2 / 9.81
    # a surface over spheres is parallel to that of their centres, so these lie deeper where it is steep
    place = field(
        lambda x, y: 0.024 + 0.5 * bend * (x * x + y * y) - 0.004 * np.hypot(1.0, bend * np.hypot(x, y)), 0.1, 0.004
    )
    place[:, :2] += [0.3, -0.2]
    found = surface_profile(place, "r", np.linspace(0.0, 0.09, 10), (0.3, -0.2))
    fit = np.polyfit(found.at**2, found.mean, 1)
    assert 2.0 * fit[0] == pytest.approx(bend, rel=0.02) and fit[1] == pytest.approx(0.024, abs=0.002)


@pytest.mark.parametrize("angle_deg", [15.0, 30.0])
def test_angle_of_repose(angle_deg):
    """A cone with a round tip and a ridge, of known slope."""
    slope, top, foot = np.tan(np.radians(angle_deg)), 0.2, 0.2 / np.tan(np.radians(angle_deg))
    cone = field(lambda x, y: np.minimum(top - slope * np.hypot(x, y), 0.9 * top), foot)
    found = angle_of_repose(cone)
    assert np.degrees(found.angle) == pytest.approx(angle_deg, abs=0.3) and found.error < np.radians(0.3)
    assert found.foot == pytest.approx(foot, rel=0.06) and found.top == pytest.approx(top, rel=0.08)
    ridge = field(lambda x, y: top - slope * np.abs(x), foot)
    between = angle_of_repose(ridge, "x", (0.0, 0.0), between=(0.1 * foot, 0.9 * foot))
    assert np.degrees(between.angle) == pytest.approx(angle_deg, abs=0.3)
    with pytest.raises(InputError, match="fewer than four bins"):
        angle_of_repose(cone, bins=3)


def test_flow_through_a_plane():
    """Grains that fall at 2 m/s, 100 in each metre, of 0.5 kg: 100 kg/s; those off the opening do not count."""
    height = np.arange(0.0, 20.0, 0.01) + 0.005
    place = np.column_stack([np.where(np.arange(2000) % 4 == 0, 3.0, 0.0), np.zeros(2000), height, np.full(2000, 0.1)])
    motion = np.tile([0, 0, -2.0, 0.5, 0, 0, 0, 0], (2000, 1))
    frames = [ParticleFrame.of(place - [0, 0, 2.0 * t, 0], motion, time=t) for t in (0.0, 1.0, 2.5)]
    flow = mass_flow(frames, (0, 0, 0), (0, 0, -2))
    assert flow.rate == pytest.approx([100.0, 100.0]) and flow.mass == pytest.approx(250.0)
    assert mass_flow(frames, (0, 0, 0), (0, 0, 1)).rate == pytest.approx([-100.0, -100.0])
    assert mass_flow(frames, (0, 0, 0), (0, 0, -1), within=0.5).rate == pytest.approx([75.0, 75.0])
    # some leave, some come, the order changes: only those of both frames are compared
    few = [frames[0].where(np.arange(1900)), frames[1].where(np.arange(100, 2000)[::-1])]
    assert mass_flow(few, (0, 0, 0), (0, 0, -1)).rate == pytest.approx([50.0])
    with pytest.raises(InputError, match="at least two"):
        mass_flow(frames[:1], (0, 0, 0), (0, 0, 1))
    with pytest.raises(InputError, match="normal"):
        mass_flow(frames, (0, 0, 0), (0, 0, 0))
