"""Forces at one contact against the textbook twin, and without an overlap."""

import numpy as np
import pytest

from gori.kernels.jit import kernel
from gori.kernels.particles import law as laws
from gori.kernels.particles.columns import HERTZ, VOIGT

RNG = np.random.default_rng(3)
PAIR = laws.PairLaw(8e6, 30.0, 9e6, 25.0, 0.4, 0.1, 2000.0)


@kernel("void(i8, f8[::1], f8[::1], f8[::1], f8[::1], f8[::1])")
def touch_once(law, p, t, h, w, out):
    """One contact of scalars: Fn, tangential force, history, rolling torque and its history."""
    pair = laws.PairLaw(p[0], p[1], p[2], p[3], p[4], p[5], p[6])
    k = laws.Constants(0.5, 1.0, 0.0, 1e-200, 1e-6)
    touch = laws.Touch(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9])
    out[0], out[1], out[2], out[3], out[4], out[5], out[6] = laws.contact(law, pair, k, touch, h[0], h[1], h[2])
    out[7], out[8], out[9], out[10], out[11], out[12] = laws.rolling(
        pair, k, touch, out[0], w[0], w[1], w[2], h[3], h[4], h[5]
    )


def computed(law, d, u, h=(0.0,) * 6, spin=0.0, w=(0.0, 0.0, 0.0), n=(0.0, 0.6, 0.8)):
    out = np.zeros(13)
    touch = np.array([d, 0.005, 1e-4, *n, *u, spin])
    touch_once(law, np.array(PAIR), touch, np.array(h, float), np.array(w, float), out)
    return out


def test_hertz_by_hand():
    d, R, m, u, n = 1e-5, 0.005, 1e-4, np.array([0.3, 0.1, -0.2]), np.array([0.0, 0.6, 0.8])
    out = computed(HERTZ, d, u)
    a = np.sqrt(R * d)
    Fn = PAIR.kn * a * d + PAIR.cn * np.sqrt(m * a) * (u @ n)
    slide = u - (u @ n) * n
    h = -PAIR.kt * a * 1e-6 * slide
    f = h - PAIR.ct * np.sqrt(m * a) * slide
    cap = min(1.0, PAIR.mu * Fn / np.linalg.norm(f))
    assert out[0] == pytest.approx(Fn, rel=1e-13)
    np.testing.assert_allclose(out[1:4], cap * f, rtol=1e-12)
    np.testing.assert_allclose(out[4:7], cap * f if cap < 1.0 else h, rtol=1e-12)


@pytest.mark.parametrize("law", [HERTZ, VOIGT])
def test_no_overlap_no_force(law):
    out = computed(law, 0.0, (1.0, -2.0, 0.5), spin=3.0, w=(1.0, 2.0, 3.0))
    assert not out.any()


@pytest.mark.parametrize("law", [HERTZ, VOIGT])
def test_it_never_pulls_and_friction_has_its_limit(law):
    for _ in range(50):
        h = RNG.normal(0, 1e-3, 6)
        out = computed(law, RNG.uniform(0, 1e-4), RNG.normal(0, 5.0, 3), h, RNG.normal(), RNG.normal(0, 100, 3))
        assert out[0] >= 0.0
        assert np.linalg.norm(out[1:4]) <= PAIR.mu * out[0] * (1 + 1e-12) + 1e-12
        assert np.linalg.norm(out[7:10]) <= PAIR.mu_roll * 0.005 * out[0] * (1 + 1e-12) + 1e-12
        assert abs(out[1:4] @ [0.0, 0.6, 0.8]) <= 1e-12 * (1 + np.linalg.norm(out[1:4]))


def test_history_stays_in_the_plane_of_the_contact():
    out = computed(HERTZ, 1e-5, (0.0, 0.0, 0.0), (1e-3, 1e-3, 1e-3, 0, 0, 0), spin=10.0)
    assert abs(out[4:7] @ [0.0, 0.6, 0.8]) < 1e-18
