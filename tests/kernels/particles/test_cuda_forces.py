"""Forces and motion of one particle on a GPU: in the simulator, and fixed point, levels and motion by hand."""

from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles import cuda_forces as kernel
from gori.kernels.particles.cuda_flags import COUNT_BITS, LEVELS, ROW_BITS
from tests.cuda.simulator import run_checks
from tests.kernels.particles.device import flat, on_host, settings


def test_in_the_simulator():
    run_checks("agrees with the CPU, law voigt", "many neighbours")


def test_differences_of_fixed_point_repeat_and_are_exact():
    wrapped, apart = on_host(kernel.wrapped), on_host(kernel.apart)
    for k in (0, 1, -1, 2**31 - 1, -(2**31)):
        assert wrapped(k) == k == wrapped(k + 2**32) == wrapped(k - 3 * 2**32)
    rng = np.random.default_rng(0)
    for a, d in zip(rng.integers(-(2**40), 2**40, 50), rng.integers(-(2**30), 2**30, 50), strict=True):
        assert apart(wrapped(a), wrapped(a + d)) == d
    g = SimpleNamespace(settings=settings(per_unit=1e9))
    assert on_host(kernel.fixed_point_of)(g, 1e-3, -1e-9, 5.0, 2e-3) == (10**6, -1, wrapped(5 * 10**9), 2 * 10**6)


def test_rows_and_levels_in_entries_of_lists():
    row_of, level_in = on_host(kernel.row_of), on_host(kernel.level_in)
    entry = 12345 | 5 << ROW_BITS
    assert row_of(entry) == row_of(~entry) == 12345
    for level in range(LEVELS + 1):
        assert level_in(17 | ((1 << level) - 1) << COUNT_BITS) == level


def test_levels_grow_with_the_way():
    level_of = on_host(kernel.level_of)
    bounds = np.array([1 / 32, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0])
    for way in np.linspace(0.001, 1.3, 100):
        assert level_of(np.float32(way * way)) == np.searchsorted(bounds, way, side="right")


def test_motion_of_one_particle():
    """Leapfrog in double precision, of which the low bits are kept; spin by the inertia of a ball."""
    unit, h, r, m = 1e-10, 1e-5, 2e-3, 1e-4
    x, v, w = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, -3.0]), np.array([10.0, 20.0, 30.0])
    F, T, gravity = np.array([0.1, 0.0, -0.2]), np.array([1e-6, -2e-6, 3e-6]), np.array([0.0, 0.0, -9.81])
    fixed = [int(np.floor(k / unit)) for k in x]
    g = SimpleNamespace(
        settings=settings(step=h, gravity=gravity, home=-1, unit=unit, per_unit=1 / unit),
        skin=np.array([1e-3, 1e3]),
        sphere=np.concatenate([x, [r], np.zeros(4)]),
        motion=flat([*v, m, *w, 3, *[0] * 8]),
        velocity_low=np.zeros(8, np.float32),
        listed_point=np.array([*((k + 2**31) % 2**32 - 2**31 for k in fixed), 0], np.int32),
        fixed_point=np.zeros(8, np.int32),
    )
    step = SimpleNamespace(n=1, now=0, lists=0)
    code, before, level = on_host(kernel.move_particle)(g, step, 0, None, (*F, *T))
    u = v + h * (F / m + gravity)
    np.testing.assert_allclose(g.sphere[4:7], x + h * u, rtol=1e-9)
    np.testing.assert_allclose(g.motion[8:11].astype(float) + g.velocity_low[:3], u, rtol=1e-9)
    np.testing.assert_allclose(g.motion[12:15], w + h * T / (0.4 * m * r * r), rtol=1e-5)
    assert g.motion[11] == np.float32(m) and g.motion[15] == 3 and g.sphere[7] == r
    way = 2.0 * h * np.linalg.norm(u) / 1e-3
    assert (code, before) == (c.OK, 0) and level == np.searchsorted([1 / 32, 1 / 8, 1 / 4], way) == g.listed_point[3]


def test_a_particle_that_is_too_fast():
    g = SimpleNamespace(
        settings=settings(step=1e-3, home=-1, unit=1e-9, per_unit=1e9), skin=np.array([1e-3, 1e3]),
        sphere=np.array([0.0, 0, 0, 1e-3, 0, 0, 0, 0]), motion=flat([0.26, 0, 0, 1e-4, *[0] * 12]),
        velocity_low=np.zeros(8, np.float32), listed_point=np.zeros(4, np.int32), fixed_point=np.zeros(8, np.int32),
    )  # fmt: skip
    step, nothing = SimpleNamespace(n=1, now=0, lists=0), (0.0,) * 6
    assert on_host(kernel.move_particle)(g, step, 0, None, nothing)[0] == c.RUNAWAY
    g.motion[0] = 0.24
    assert on_host(kernel.move_particle)(g, step, 0, None, nothing)[0] == c.OK
