"""The twin of the grains proved: single collisions (Chung & Ooi 2011), sliding, rolling, sticking, conservation."""

import math

import numpy as np
import pytest

from tests.reference import collisions as exact
from tests.reference.particles import Grains, Pair, Plane, Shell, Touch, hertz, hertz_pair, turned

RIGID = (math.inf, 0.0)
GLASS, LIMESTONE = (4.8e10, 0.20, 2800.0), (2.0e10, 0.25, 2500.0)
AL_ALLOY, MG_ALLOY = (7.0e10, 0.30, 2699.0), (4.0e10, 0.35, 1800.0)
AL_OXIDE, CAST_IRON = (3.8e11, 0.23, 4000.0), (1.0e11, 0.25, 7000.0)
AL_ALLOY_4, COPPER = (7.0e10, 0.33, 2700.0), (1.2e11, 0.35, 8900.0)
FLOOR = Plane(np.zeros(3), np.array([0.0, 0.0, 1.0]), material=1)


def ball_mass(R, density):
    return density * 4.0 / 3.0 * math.pi * R**3


def collide(particles, dt, limit=100_000):
    """Step through one collision: peak normal force, peak overlap, time of contact."""
    force = overlap = 0.0
    for count in range(limit):
        touching = next((touch.d for _, touch, _, _ in particles.contacts()), 0.0)
        particles.step(dt)
        if count > 1 and not particles.history:
            return force, overlap, (count - 1) * dt
        force, overlap = max(force, *particles.normal_force.values(), 0.0), max(overlap, touching)
    raise AssertionError("the contact does not end")


def onto_plane(material, R, speed, angle=0.0, restitution=1.0, mu=0.0, steps=1000):
    """A sphere that just touches a rigid floor, moving at an angle from its normal; and a share of Hertz's duration."""
    E, nu, density = material
    m, vn = ball_mass(R, density), speed * math.cos(angle)
    particles = Grains(
        [[0, 0, R, R]], [m], {(0, 1): hertz_pair((E, nu), RIGID, restitution, mu)},
        v=[[speed * math.sin(angle), 0, -vn]], walls=[FLOOR],
    )  # fmt: skip
    return particles, exact.hertz_impact(exact.e_star(E, nu), R, m, vn)[2] / steps


# exact references, against the published figures and each other


@pytest.mark.parametrize(
    ("material", "R", "speed", "equal", "figures"),
    [
        (GLASS, 0.01, 20.0, True, (10696.9, 274.11e-6, 40.34e-6)),
        (LIMESTONE, 0.01, 20.0, True, (7108.2, 368.30e-6, 54.20e-6)),
        (AL_ALLOY, 0.1, 0.2, False, (11369.9, 49.717e-6, 731.7e-6)),
        (MG_ALLOY, 0.1, 0.2, False, (7232.7, 52.123e-6, 767.1e-6)),
        (AL_OXIDE, 0.0025, 3.9, False, (615.35, None, None)),
        (CAST_IRON, 0.0025, 3.9, False, (506.76, None, None)),
    ],
)
def test_hertz_has_the_published_figures(material, R, speed, equal, figures):
    E, nu, density = material
    E_red = exact.e_star(E, nu, E, nu) if equal else exact.e_star(E, nu)
    share = 0.5 if equal else 1.0
    found = exact.hertz_impact(E_red, share * R, share * ball_mass(R, density), speed)
    for value, figure in zip(found, figures):
        if figure is not None:
            assert value == pytest.approx(figure, rel=1.5e-4)


@pytest.mark.parametrize("beta", [0.0, 0.05, 0.2, 0.5, 0.9, 1.0, 1.5, 3.0])
def test_restitution_in_closed_form_is_the_integrated_one(beta):
    assert exact.restitution(beta) == pytest.approx(exact.restitution_by_integration(beta), abs=1e-7)


def test_a_contact_that_never_pulls_bounces_higher():
    usual = -math.log(0.5) / math.hypot(math.log(0.5), math.pi)
    assert exact.restitution_pulling(usual) == pytest.approx(0.5, abs=1e-12)
    assert exact.restitution(usual) == pytest.approx(0.550, abs=5e-4)


@pytest.mark.parametrize("e", [1e-4, 0.05, math.exp(-2.0), 0.5, 0.98, 1.0])
def test_damping_inverts_restitution(e):
    assert exact.restitution(exact.damping_for(e)) == pytest.approx(e, abs=1e-12)


# single collisions


@pytest.mark.parametrize("material", [GLASS, LIMESTONE])
def test_1_two_equal_spheres(material):
    E, nu, density = material
    R, m = 0.01, ball_mass(0.01, density)
    force, overlap, duration = exact.hertz_impact(exact.e_star(E, nu, E, nu), R / 2, m / 2, 20.0)
    pair = hertz_pair((E, nu), (E, nu), 1.0, 0.35)
    particles = Grains([[-R, 0, 0, R], [R, 0, 0, R]], [m, m], {(0, 0): pair}, v=[[10, 0, 0], [-10, 0, 0]])
    found = collide(particles, duration / 1000)
    assert found == pytest.approx((force, overlap, duration), rel=3e-3)
    assert found[0] == pytest.approx(force, rel=1e-5)
    np.testing.assert_allclose(particles.v, [[-10, 0, 0], [10, 0, 0]], atol=1e-4)
    assert not particles.w.any()


@pytest.mark.parametrize("material", [AL_ALLOY, MG_ALLOY])
def test_2_sphere_on_a_plane(material):
    particles, dt = onto_plane(material, 0.1, 0.2)
    E, nu, density = material
    force, overlap, duration = exact.hertz_impact(exact.e_star(E, nu), 0.1, ball_mass(0.1, density), 0.2)
    found = collide(particles, dt)
    assert found == pytest.approx((force, overlap, duration), rel=3e-3)
    assert found[0] == pytest.approx(force, rel=1e-5)
    assert particles.v[0, 2] == pytest.approx(0.2, rel=1e-5)


@pytest.mark.parametrize("material", [AL_OXIDE, CAST_IRON])
@pytest.mark.parametrize("e", [0.05, 0.2, 0.5, 0.8, 1.0])
def test_3_restitution(material, e):
    particles, dt = onto_plane(material, 0.0025, 3.9, restitution=e, steps=500)
    collide(particles, dt)
    assert particles.v[0, 2] / 3.9 == pytest.approx(e, abs=5e-4)


def test_3_restitution_converges_with_the_step():
    errors = []
    for steps in (250, 1000):
        particles, dt = onto_plane(AL_OXIDE, 0.0025, 3.9, restitution=0.8, steps=steps)
        collide(particles, dt)
        errors.append(abs(particles.v[0, 2] / 3.9 - 0.8))
    assert errors[1] < 0.25 * errors[0]


@pytest.mark.parametrize("material", [AL_OXIDE, AL_ALLOY_4])
@pytest.mark.parametrize("degrees", [30, 33, 40, 60, 80])
def test_4_oblique_and_sliding(material, degrees):
    R, mu, e, angle = 0.0025, 0.092, 0.98, math.radians(degrees)
    particles, dt = onto_plane(material, R, 3.9, angle, e, mu)
    _, overlap, _ = collide(particles, dt)
    left, spin = exact.sliding_impact(3.9, angle, e, mu, R)
    # it slides to the end from tan(angle) = 7/2 mu (1 + e) on, 32.5 degrees; at 30 it sticks just before it parts
    slides = math.tan(angle) > 3.5 * mu * (1.0 + e)
    assert particles.v[0, 0] / (3.9 * math.sin(angle)) == pytest.approx(left, abs=2e-6 if slides else 3e-4)
    # friction acts at the flattened surface: the arm is shorter than R, by at most the overlap
    least = 1.0 - overlap / R - (0.0 if slides else 1e-3)
    assert least < particles.w[0, 1] / -spin < 1.0


@pytest.mark.parametrize("material", [AL_ALLOY, COPPER])
def test_7_opposite_spins_do_not_rub(material):
    E, nu, density = material
    R, m = 0.1, ball_mass(0.1, density)
    pair = hertz_pair((E, nu), (E, nu), 0.5, 0.4)
    duration = exact.hertz_impact(exact.e_star(E, nu, E, nu), R / 2, m / 2, 0.4)[2]
    spins = [[0, 0, 1.3], [0, 0, -1.3]]
    particles = Grains([[-R, 0, 0, R], [R, 0, 0, R]], [m, m], {(0, 0): pair}, v=[[0.2, 0, 0], [-0.2, 0, 0]], w=spins)
    collide(particles, duration / 500)
    np.testing.assert_allclose(particles.v, [[-0.1, 0, 0], [0.1, 0, 0]], atol=5e-4)
    assert np.abs(particles.v[:, 1:]).max() < 1e-14
    np.testing.assert_allclose(particles.w, spins, atol=1e-12)


@pytest.mark.parametrize("degrees", [2, 5, 10, 20, 30, 45, 70, 85])
def test_an_oblique_elastic_impact_makes_no_energy(degrees):
    particles, dt = onto_plane(AL_OXIDE, 0.0025, 3.9, math.radians(degrees), 1.0, 0.092)
    before = particles.energy()
    collide(particles, dt)
    assert particles.energy() <= before * (1.0 + 1e-5)


def test_voigt_bounces_by_its_damping():
    # as a Hertz contact with R* = 1 m
    m, k, c = 0.02, 3e8, 1200.0
    beta = c / math.sqrt(5.0 * m * k)
    assert 0.1 < beta < 0.9
    particles = Grains([[0, 0, 0.01, 0.01]], [m], {(0, 1): Pair(k, c, 0, 0)}, "voigt", v=[[0, 0, -1.0]], walls=[FLOOR])
    duration = exact.hertz_impact(k / (4.0 / 3.0), 1.0, m, 1.0)[2]
    collide(particles, duration / 2000)
    assert particles.v[0, 2] == pytest.approx(exact.restitution(beta), abs=1e-3)


# what lasts


def resting(mu, mu_roll=0.0, v=(0, 0, 0), law="hertz"):
    """A sphere on a floor, at the overlap that carries its weight; its stable step."""
    R, m, g = 0.01, ball_mass(0.01, 2500.0), 9.81
    pair = hertz_pair((1e7, 0.25), RIGID, 0.5, mu, mu_roll)
    if law == "voigt":
        pair = Pair(1e6, 5.0, 1e6, 60.0, mu)
    d = (m * g / (pair.kn * (math.sqrt(R) if law == "hertz" else 1.0))) ** (2.0 / 3.0)
    particles = Grains([[0, 0, R - d, R]], [m], {(0, 1): pair}, law, v=[v], walls=[FLOOR], gravity=(0, 0, -g))
    return particles, pair, d


@pytest.mark.parametrize("law", ["hertz", "voigt"])
def test_a_sphere_slides_until_it_rolls(law):
    mu, speed = 0.3, 0.2
    particles, _, d = resting(mu, v=(speed, 0, 0), law=law)
    time, end = exact.slid_until_rolling(speed, mu, 9.81)
    particles.step(2e-5, round(0.5 * time / 2e-5))
    assert particles.v[0, 0] == pytest.approx(speed - mu * 9.81 * 0.5 * time, rel=2e-3)
    particles.step(2e-5, round(0.7 * time / 2e-5))
    start, turn = particles.place[0, 0], 0.0
    for _ in range(1000):  # means, because it shakes a little on the tangential spring
        particles.step(2e-5)
        turn += 2e-5 * particles.w[0, 1]
    assert (particles.place[0, 0] - start) / 0.02 == pytest.approx(end, rel=2e-3)
    assert (particles.place[0, 3] - d) * turn / 0.02 == pytest.approx(end, rel=2e-3)
    assert -particles.wall_force[0, 2] == pytest.approx(particles.mass[0] * 9.81, rel=1e-3)


def test_rolling_friction_slows_a_rolling_sphere():
    mu_roll, speed = 0.02, 0.1
    particles, _, _ = resting(0.5, mu_roll, v=(speed, 0, 0))
    particles.w[0, 1] = speed / particles.place[0, 3]
    particles.step(2e-5, 1500)  # until the springs of friction and rolling are loaded
    before = particles.v[0, 0]
    particles.step(2e-5, 1000)
    # mu_roll R Fn against the spin: 7/5 m a = -mu_roll m g
    assert (particles.v[0, 0] - before) / 0.02 == pytest.approx(-5.0 / 7.0 * mu_roll * 9.81, rel=3e-3)


def test_a_sticking_sphere_shakes_at_its_frequency():
    particles, pair, d = resting(10.0, v=(1e-5, 0, 0))
    R, m = particles.place[0, 3], particles.mass[0]
    particles.pairs[(0, 1)] = pair._replace(ct=0.0)
    k = pair.kt * math.sqrt(R * d)
    frequency = exact.shaking_frequency(k, m, R, R - d)
    period = 2.0 * math.pi / frequency
    slip, dt = [], period / 200
    for _ in range(400):
        particles.step(dt)
        slip.append(particles.v[0, 0] - particles.w[0, 1] * (R - d))
    back = np.flatnonzero(np.diff(np.sign(slip)))
    assert len(back) == 4
    assert (back[3] - back[1]) * dt == pytest.approx(period, rel=0.011)


def test_tangential_force_is_lost_with_the_contact_radius():
    """Unloaded in steps without slip, h falls as a = sqrt(R d)."""
    pair, n, h = Pair(1e9, 0.0, 1e9, 0.0, 1e9), np.array([0.0, 0.0, 1.0]), np.array([3.0, 0.0, 0.0])
    d, dt, vn = 1e-4, 1e-7, -0.1
    for _ in range(5000):
        _, _, h = hertz(pair, Touch(d, 0.01, 0.01, n, vn * n, np.zeros(3), np.zeros(3)), h, dt)
        d += vn * dt
    assert h[0] == pytest.approx(3.0 * math.sqrt(0.5), rel=1e-4)


def test_history_turns_with_the_contact():
    h, n = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    for angle in np.linspace(0.0, math.pi / 2, 10_001)[1:]:  # the contact tilts by 90 degrees
        n = np.array([math.sin(angle), 0.0, math.cos(angle)])
        h = turned(n, 0.0, h)
    np.testing.assert_allclose(h, [0, 0, -1], atol=2e-4)
    for _ in range(10_000):  # the pair spins about n by 90 degrees
        h = turned(n, math.pi / 2e4, h)
    np.testing.assert_allclose(h, [0, 1, 0], atol=4e-4)


@pytest.mark.parametrize("law", ["hertz", "voigt"])
def test_momentum_is_kept_and_energy_lost(law):
    rng = np.random.default_rng(3)
    r = rng.uniform(0.008, 0.012, 8)
    x = np.array(np.unravel_index(range(8), (2, 2, 2))).T * 0.0245
    m = ball_mass(r, 2500.0)
    pair = hertz_pair((1e7, 0.25), (1e7, 0.25), 0.6, 0.4, 0.05)
    if law == "voigt":
        pair = Pair(1e6, 5.0, 1e6, 5.0, 0.4)
    v = 40.0 * (x.mean(0) - x) + rng.normal(scale=0.05, size=(8, 3))
    particles = Grains(np.column_stack([x, r]), m, {(0, 0): pair}, law, v=v, w=rng.normal(scale=5.0, size=(8, 3)))
    (p, L), energy = particles.momentum(), particles.energy()
    touched = set()
    for _ in range(600):
        particles.step(2e-5)
        touched |= set(particles.history)
    assert len(touched) > 8
    np.testing.assert_allclose(particles.momentum()[0], p, atol=1e-15)
    np.testing.assert_allclose(particles.momentum()[1], L, atol=1e-16)
    assert particles.energy() < 0.8 * energy


def test_a_shell_holds_from_both_sides():
    shell = Shell(np.zeros(3), 0.05, material=1)
    pairs = {(0, 0): Pair(1e6, 0, 0, 0), (0, 1): hertz_pair((1e7, 0.25), RIGID)}
    R, m = 0.01, ball_mass(0.01, 2500.0)
    for start, speed in ((0.0401, 1.0), (0.0599, -1.0)):
        particles = Grains([[start, 0, 0, R]], [m], pairs, walls=[shell])
        particles.step(1e-5)
        assert len(particles.history) == 1
        assert particles.v[0, 0] * speed < 0.0
        np.testing.assert_allclose(particles.mass[0] * particles.v[0], -1e-5 * particles.wall_force[0], rtol=1e-12)
    assert not list(Grains([[0.03, 0, 0, R]], [m], pairs, walls=[shell]).contacts())
    # a spinning shell drags the grain along its surface
    shell.w = np.array([0.0, 0.0, 2.0])
    pairs[(0, 1)] = hertz_pair((1e7, 0.25), RIGID, mu=0.5)
    particles = Grains([[0.0401, 0, 0, R]], [m], pairs, walls=[shell])
    particles.step(1e-5)
    assert particles.v[0, 1] > 0.0
    assert particles.w[0, 2] > 0.0
