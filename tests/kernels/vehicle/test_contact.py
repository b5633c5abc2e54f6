"""Discs on the ground against the twin: depth, normal, point, axes and speeds of the contact."""

import numba
import numpy as np
import pytest

from gori.kernels.vehicle import contact as kernel
from gori.kernels.vehicle.state import CONTACT
from gori.model.vehicle.terrain import sampled_field, terrain_tables
from tests.kernels.vehicle.grounds import GROUNDS, terrain
from tests.reference import tyres as twin

R = 0.47
CONTINUOUS = ("plane", "bump", "sine", "ramp", "ramp and down", "field", "all")
_disc, _axes, _motion = kernel.disc_contact, kernel.contact_axes, kernel.contact_motion


@numba.njit
def disc(ground, c, a, R):
    return _disc(ground, c[0], c[1], c[2], a[0], a[1], a[2], R, 0)


@numba.njit
def axes(a, n):
    return _axes(a[0], a[1], a[2], n[0], n[1], n[2])


def touch(part, c, a=(0.0, 1.0, 0.0)):
    """Depth, normal, point and friction of a wheel on a terrain."""
    a = np.array(a, float) / np.linalg.norm(a)
    out = np.array(disc(terrain_tables(part), np.array(c, float), a, R))
    return out[0], out[1:4], out[4:7], out[7]


def leaning(rng):
    a = np.array([rng.uniform(-0.6, 0.6), 1.0, rng.uniform(-0.4, 0.4)]) * rng.choice([-1, 1])
    return a / np.linalg.norm(a)


def test_planes_of_any_slope_are_exact():
    """Against the formula, by the short way and by samples of a field and of a feature of no height."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        g, a = rng.uniform(-0.5, 0.5, 2), leaning(rng)
        c = np.array([0.1, 0.2, g @ [0.1, 0.2] + rng.uniform(0.25, 0.5)])
        n = np.array([-g[0], -g[1], 1.0]) / np.hypot(1.0, np.linalg.norm(g))
        u = n - (n @ a) * a
        r = (c[2] - g @ c[:2]) * n[2] / np.linalg.norm(u)
        p = c - r * u / np.linalg.norm(u)
        field = sampled_field(lambda x, y, g=g: g[0] * x + g[1] * y, (-3, 3), (-3, 3), 0.3)
        flat = {"nothing": {"type": "trapezoid", "at": [-0.2, 0.0], "height": 0.0}}
        for part in (terrain(grade=g), terrain(field=field), terrain(grade=g, features=flat)):
            depth, normal, point, mu = touch(part, c, a)
            assert depth == pytest.approx(R - r, abs=1e-9)
            np.testing.assert_allclose(normal, n, atol=1e-9)
            np.testing.assert_allclose(point, p, atol=1e-9)
            assert mu == 0.8


@pytest.mark.parametrize("name", CONTINUOUS)
def test_disc_against_many_points(name):
    part = GROUNDS[name]
    rng = np.random.default_rng(2)
    errors, touched = [], 0
    for _ in range(40):
        a = leaning(rng) if name != "all" else np.array([0.0, 1.0, 0.0])
        x, y = rng.uniform(-0.5, 2.0, 2)
        c = np.array([x, y, twin.height(part, x, y) + rng.uniform(0.3, 0.45)])
        depth, _ = twin.disc(part, c, a, R)
        ours, normal, p, _ = touch(part, c, a)
        touched += ours > 0.0
        errors.append(abs(ours - depth))
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert normal[2] > 0.3
        # the point is on the ground, in the wheel plane, and at the depth that is told
        assert p[2] == pytest.approx(twin.height(part, p[0], p[1]), abs=2e-3)
        assert abs((p - c) @ a) < 1e-9
        assert R - np.linalg.norm(p - c) == pytest.approx(ours, abs=2e-3)
    assert touched > 30
    assert np.median(errors) < 1e-6
    assert max(errors) < 2e-3  # a leaning wheel on a corner that it crosses askew


def test_over_the_bump():
    """The wheel that touches it at its corners, its top and its flanks: within a tenth of a millimetre."""
    part = terrain(features={"bump": {"type": "trapezoid"}})
    for x in np.linspace(-0.6, 1.2, 91):
        depth, normal, point, _ = touch(part, [x, 0.0, R])
        expected, _ = twin.disc(part, np.array([x, 0.0, R]), np.array([0.0, 1.0, 0.0]), R)
        assert depth == pytest.approx(expected, abs=1e-5)
        if depth > 1e-3:
            np.testing.assert_allclose(normal, (np.array([x, 0.0, R]) - point) / (R - depth), atol=1e-9)
    assert touch(part, [0.3, 0.0, R])[0] == pytest.approx(0.08, abs=1e-12)
    # ahead of the bump it pushes back, behind it forward
    assert touch(part, [-0.1, 0.0, R])[1][0] < -0.1
    assert touch(part, [0.7, 0.0, R])[1][0] > 0.1


def test_kerb_is_met_at_its_edge():
    part = terrain(features={"kerb": {"type": "step", "height": 0.15}})
    depth, normal, point, _ = touch(part, [-0.3, 0.0, R])
    assert depth == pytest.approx(R - np.hypot(0.301, R - 0.15), abs=1e-9)
    np.testing.assert_allclose(point, [0.001, 0.0, 0.15], atol=1e-9)
    np.testing.assert_allclose(normal, np.array([-0.301, 0.0, R - 0.15]) / np.hypot(0.301, R - 0.15), atol=1e-9)


def test_depth_is_continuous():
    part = GROUNDS["all"]
    depths = [touch(part, [x, 0.1, 0.55], (0.1, 1.0, 0.1))[0] for x in np.linspace(-1.0, 3.0, 4001)]
    assert np.abs(np.diff(depths)).max() < 3e-3


ODD = [
    ((0, 0, 1), (0.0, 0.0, 0.1)),  # on its side
    ((0, 0, -1), (0.3, 0.0, 0.3)),
    ((0, 1, 0), (0.3, 0.0, -0.2)),  # its centre in the ground
    ((0, 1, 0), (0.3, 0.0, 0.0)),
    ((1, 0, 0), (0.2, 0.0, 0.4)),  # along the bump
    ((0, -1, 0), (0.2, 0.0, 0.4)),  # upside down
    ((0, 0.01, 1), (0.0, 0.0, 0.2)),
    ((0, 1, 0), (1e7, -1e7, 0.4)),
    ((0, 1, 0), (0.0, 0.0, 1e6)),
]


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.parametrize(("a", "c"), ODD)
def test_odd_wheels_are_sane(name, a, c):
    depth, normal, point, mu = touch(GROUNDS[name], c, a)
    assert np.isfinite([depth, *normal, *point, mu]).all()
    assert depth <= R
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    if name == "bump" and abs(a[1]) < 0.02 and a[2]:
        assert depth < 0.0


def test_axes_of_the_contact():
    rng = np.random.default_rng(3)
    for _ in range(50):
        a = leaning(rng)
        n = rng.normal(size=3) * 0.2 + [0, 0, 1]
        n /= np.linalg.norm(n)
        out = np.array(axes(a, n))
        x, y, camber = out[:3], out[3:6], out[6]
        np.testing.assert_allclose(x, np.cross(a, n) / np.linalg.norm(np.cross(a, n)), atol=1e-12)
        np.testing.assert_allclose(y, np.cross(n, x), atol=1e-12)
        assert np.sin(camber) == pytest.approx(a @ n)
    right = np.array(axes(np.array([0.0, np.cos(0.1), np.sin(0.1)]), np.array([0.0, 0.0, 1.0])))
    assert right[6] == pytest.approx(0.1)  # the left end of the axis up: the top leans to the right
    for n in ([0, 0, 1.0], [0, 1.0, 0], [1.0, 0, 0]):  # no heading: any, but unit and level with the ground
        out = np.array(axes(np.array(n), np.array(n)))
        assert np.linalg.norm(out[:3]) == pytest.approx(1.0)
        assert out[:3] @ np.array(n) == pytest.approx(0.0, abs=1e-12)
        assert np.linalg.norm(out[3:6]) == pytest.approx(1.0)


motion = numba.njit(lambda contacts: _motion(contacts[0]))


def test_speeds_at_the_contact():
    """The rate of the depth is its derivative; the lateral speed is that of the contact point on the carrier."""
    part = terrain(grade=[0.15, 0.1])
    c, a, v = np.array([0.1, 0.3, 0.45]), np.array([0.1, 1.0, 0.2]), np.array([3.0, -0.7, 0.4])
    a /= np.linalg.norm(a)
    _, n, p, _ = touch(part, c, a)
    out = np.array(axes(a, n))
    x, y = out[:3], out[3:6]
    w = np.array([0.3, 0.0, 0.2])
    contact = CONTACT.zeros(1)
    contact["arm"], contact["normal"], contact["ahead"], contact["left"] = p - c, n, x, y
    contact["camber"], contact["velocity"], contact["angular_velocity"] = out[6], v, w
    forward, lateral, rate = motion(contact)
    assert forward == pytest.approx(v @ x)
    assert lateral == pytest.approx((v + np.cross(w, p - c)) @ y)
    ahead, behind = (touch(part, c + d * v, a)[0] for d in (1e-6, -1e-6))
    assert rate == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
