"""The penalty law against its twin, and against what it is made for."""

import numpy as np
import pytest

from gori.kernels.contact import law as laws
from gori.model.contact.laws import collision_damping, deepest_damping_ratio
from tests.plain import plain
from tests.reference import contact_law as twin

normal_force, tangential_terms = plain(laws.normal_force), plain(laws.tangential_terms)
limited_spring, share_within = plain(laws.limited_spring), plain(laws.share_within)


@pytest.mark.parametrize("e", [0.0, 0.03, 0.2, 0.5, 0.8, 1.0])
def test_normal_force_is_that_of_the_twin(e):
    rng, a = np.random.default_rng(int(100 * e)), collision_damping(e)
    zeta = deepest_damping_ratio(a)
    for _ in range(300):
        k, mass, d = 10.0 ** rng.uniform(4, 11), 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(-8, -3)
        speed, rate = 10.0 ** rng.uniform(-5, 1), 10.0 ** rng.uniform(-5, 1) * rng.choice([-1, 1])
        expected = twin.normal_force(k, mass, d, rate, speed, twin.collision_damping(e))
        assert normal_force(k, mass, d, rate, speed, a, zeta) == pytest.approx(expected, rel=1e-9)
        assert plain(laws.first_speed)(k, mass, d, rate, a) == pytest.approx(
            twin.first_speed(k, mass, d, rate, a), rel=1e-12
        )


def test_normal_force_never_pulls():
    a = collision_damping(0.1)
    assert normal_force(1e6, 1.0, 1e-4, -100.0, 1.0, a, deepest_damping_ratio(a)) == 0.0


def test_at_rest_it_is_that_of_hertz():
    for e in (0.0, 0.5, 1.0):
        a = collision_damping(e)
        assert normal_force(1e6, 1.0, 1e-4, 0.0, 0.0, a, deepest_damping_ratio(a)) == pytest.approx(1e6 * 1e-6)


def test_damping_is_continuous_where_a_collision_is_deepest():
    for e in (0.02, 0.3, 0.7):
        a = collision_damping(e)
        zeta, k, mass, speed = deepest_damping_ratio(a), 1e7, 2.0, 0.5
        deepest = (2.0 * zeta * np.sqrt(1.5 * mass / k) * speed / a) ** 0.8
        below, above = (normal_force(k, mass, deepest * x, 0.1, speed, a, zeta) for x in (1 - 1e-9, 1 + 1e-9))
        assert above == pytest.approx(below, rel=1e-7)


def test_friction_is_that_of_the_twin():
    rng = np.random.default_rng(5)
    for _ in range(100):
        k, mass, d, limit = 1e7, 2.0, 10.0 ** rng.uniform(-6, -3), 10.0 ** rng.uniform(-2, 3)
        s, u = rng.normal(size=3) * 1e-4, rng.normal(size=3) * 1e-2
        stiffness, damping = tangential_terms(k, mass, d)
        force, kept = twin.tangential(k, mass, d, s, u, limit)
        assert np.allclose(limited_spring(stiffness, damping, *s, *u, limit), force, rtol=1e-12)
        assert np.allclose(share_within(*(stiffness * s), limit) * s, kept, rtol=1e-12)


def test_stiffness_and_radius():
    class Law:
        stiffness, fixed_stiffness = 3e8, 0.0

    assert plain(laws.effective_radius)(0.1, np.float64(np.inf)) == pytest.approx(0.1)
    assert plain(laws.effective_radius)(0.1, 0.3) == pytest.approx(0.075)
    assert plain(laws.stiffness_of)(Law, 0.04) == pytest.approx(6e7)
    Law.fixed_stiffness = 5.0
    assert plain(laws.stiffness_of)(Law, 0.04) == 5.0


@pytest.mark.parametrize("e", [0.05, 0.1, 0.2, 0.5, 0.8, 0.95, 1.0])
def test_a_collision_returns_its_restitution(e):
    """Whatever stiffness, mass and speed are; by the solver of another library."""
    for k, mass, v0 in ((1e6, 1.0, 1.0), (1e10, 1e-3, 0.01)):
        assert twin.rebound(e, k, mass, v0) == pytest.approx(e, abs=1e-5)


def test_a_collision_without_restitution_returns_next_to_nothing():
    assert twin.rebound(0.0, 1e6, 1.0, 1.0) < 0.021


def test_across():
    n = np.array([0.0, 0.6, 0.8])
    along, *rest = plain(laws.across)(1.0, 2.0, 3.0, n)
    assert along == pytest.approx(3.6)
    assert np.allclose(rest, [1.0, 2.0 - 3.6 * 0.6, 3.0 - 3.6 * 0.8])
