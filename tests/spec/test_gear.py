"""Involute gears: closed, of the right thickness, and turning on each other without touching but by the backlash."""

import math

import numpy as np
import pytest

from gori.errors import SpecError
from gori.spec import Body, Gear
from gori.spec.gear import involute_gear, mesh_inertia
from tests.checks import close

trimesh = pytest.importorskip("trimesh")
ALPHA = math.radians(20.0)


def outline(teeth, module, **options):
    """The gear from the front (n, 2) [m]."""
    vertices, _ = involute_gear(teeth, module, 1.0, **options)
    return vertices[: len(vertices) // 2 - 1, :2]


def turned(points, angle, at=(0.0, 0.0)):
    c, s = math.cos(angle), math.sin(angle)
    return points @ np.array([[c, s], [-s, c]]) + at


def distance(points, polygon):
    """Least distance of points to a polygon's border [m], and whether any of them is inside."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    e = b - a
    d = points[:, None] - a
    t = np.clip((d * e).sum(axis=2) / (e * e).sum(axis=1), 0.0, 1.0)
    least = np.linalg.norm(d - t[..., None] * e, axis=2).min()
    # a ray along x crosses the border an odd number of times
    low = (a[:, 1] > points[:, None, 1]) != (b[:, 1] > points[:, None, 1])
    with np.errstate(divide="ignore", invalid="ignore"):
        x = a[:, 0] + (points[:, None, 1] - a[:, 1]) / e[:, 1] * e[:, 0]
    inside = (low & (points[:, None, 0] < x)).sum(axis=1) % 2 == 1
    return float(least), bool(inside.any())


@pytest.mark.parametrize("bore", [0.0, 0.02])
@pytest.mark.parametrize("teeth", [8, 17, 41, 60])
def test_closed_and_turned_outwards(teeth, bore):
    vertices, faces = involute_gear(teeth, 0.005, 0.01, bore=bore, root_points=teeth % 3)
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight and mesh.is_winding_consistent
    assert mesh.euler_number == (0 if bore else 2)
    pitch, hole = math.pi * (0.0025 * teeth) ** 2, math.pi * bore**2 / 4
    assert mesh.volume == pytest.approx(0.01 * (pitch - hole), rel=0.12)
    for mine, its in zip(mesh_inertia(vertices, faces), (mesh.volume, mesh.center_mass, mesh.moment_inertia)):
        np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-15)


def test_points_of_a_flank_lie_on_the_involute():
    """x = r_b (cos(t + p) + t sin(t + p)), y = r_b (sin(t + p) - t cos(t + p)): a string off the base circle."""
    teeth, module, points = 20, 0.01, 30
    flank = outline(teeth, module, backlash=3e-4, flank_points=points)[1 : points + 1]  # above the foot
    base = 0.5 * teeth * module * math.cos(ALPHA)
    radius = np.linalg.norm(flank, axis=1)
    assert radius[0] == pytest.approx(base, rel=1e-12)
    assert radius[-1] == pytest.approx(0.11, rel=1e-12)
    t = np.sqrt((radius / base) ** 2 - 1.0)  # string over radius
    phase = np.arctan2(flank[:, 1], flank[:, 0]) - (t - np.arctan(t))
    np.testing.assert_allclose(phase, phase[-1], rtol=0, atol=1e-7)  # t loses half its digits at the base circle
    np.testing.assert_allclose(phase[2:], phase[-1], rtol=0, atol=1e-13)


@pytest.mark.parametrize("teeth", [17, 20, 50])
def test_thickness_at_the_pitch_circle(teeth):
    module, backlash = 0.004, 2e-4
    pitch = 0.5 * teeth * module
    points = 400
    polar = outline(teeth, module, backlash=backlash, flank_points=points)[: points + 1]
    radius, angle = np.linalg.norm(polar, axis=1), np.arctan2(polar[:, 1], polar[:, 0])
    half = -np.interp(pitch, radius[:points], angle[:points])
    assert 2.0 * half * pitch == pytest.approx(math.pi * module / 2 - backlash / 2, rel=1e-5)
    assert radius.max() == pytest.approx(pitch + module, rel=1e-12)
    assert radius.min() == pytest.approx(pitch - 1.25 * module, rel=1e-12)


@pytest.mark.parametrize("pair", [(17, 17), (18, 25), (20, 60)])
@pytest.mark.parametrize("backlash", [0.0, 0.05])
def test_pairs_turn_freely_and_are_apart_by_the_backlash(pair, backlash):
    """Module 1. Through a whole mesh cycle the teeth never overlap; midway they are apart by half the backlash,
    measured square to the flanks; turned by half of it they touch. All but for chords, which lie below the involute.
    """
    points, steps = 25, 11
    first, second = (outline(teeth, 1.0, backlash=backlash, flank_points=points) for teeth in pair)
    below = 0.0
    for teeth in pair:  # a chord over du of the roll angle is r_b u du^2 / 8 away from the arc, at most at the tip
        base = 0.5 * teeth * math.cos(ALPHA)
        u0, u = (math.sqrt((r / base) ** 2 - 1.0) for r in (max(base, 0.5 * teeth - 1.25), 0.5 * teeth + 1.0))
        below += base * u * ((u - u0) / (points - 1)) ** 2 / 8.0
    assert below < 1e-3
    at = (0.5 * sum(pair), 0.0)
    for share in np.linspace(0.0, 1.0, steps):
        angle = 2.0 * math.pi / pair[0] * share
        opposite = math.pi + math.pi / pair[1] - angle * pair[0] / pair[1]
        one = turned(first, angle)
        close_one = one[np.linalg.norm(one - at, axis=1) < 0.5 * pair[1] + 1.3]
        for press in (0.0, 1.0, -1.0):
            other = turned(second, opposite + press * backlash / pair[1], at)
            close_other = other[np.linalg.norm(other, axis=1) < 0.5 * pair[0] + 1.3]
            (a, inside), (b, outside) = distance(close_one, other), distance(close_other, one)
            gap = 0.5 * backlash * math.cos(ALPHA) * (1.0 - abs(press))
            assert gap - 1e-12 <= min(a, b) <= gap + below
            if gap > 0.0:
                assert not inside and not outside


def test_gear_as_a_shape():
    given = {"type": "gear", "teeth": 20, "module": 0.005, "width": 0.02}
    body = Body.model_validate({"shapes": {"wheel": given | {"density": 7800.0, "axis": [0, 1, 0], "at": [0, 1, 0]}}})
    mass, com, J = body.inertial()
    assert mass == pytest.approx(7800 * math.pi * 0.05**2 * 0.02, rel=0.05)
    close(com, [0.0, 1.01, 0.0], 1e-12)
    assert J[1, 1] > 1.8 * J[0, 0] and J[0, 0] == pytest.approx(J[2, 2], rel=1e-9)
    first = Gear.model_validate(given | {"phase_deg": 30.0}).mesh()[0]
    tips = first[np.linalg.norm(first[:, :2], axis=1) > 0.0549]
    angles = np.degrees(np.arctan2(tips[:, 1], tips[:, 0]))
    assert np.mean(angles[np.abs(angles - 30.0) < 9.0]) == pytest.approx(30.0, abs=1e-9)
    assert Gear.model_validate(given | {"hollow": True}).hollow
    with pytest.raises(SpecError, match="it has no faces"):
        Gear.model_validate(given | {"hollow": True, "open": ["top"]})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"teeth": 2}, "2 teeth has no root circle"),
        ({"teeth": 2.5}, "teeth: must be a positive integer"),
        ({"addendum": 3.0}, "become pointed"),
        ({"backlash": 0.02}, "become pointed"),
        ({"bore": 0.09}, "bore must lie within the root circle, of 0.0875 m"),
        ({"teeth": 60, "pressure_angle_deg": 40.0, "addendum": 0.01, "dedendum": 20.0}, "no space between the teeth"),
        ({"pressure_angle_deg": 50}, "pressure_angle_deg"),
        ({"flank_points": 1}, "flank_points"),
        ({"module": -1}, "module"),
    ],
)
def test_what_makes_no_gear_is_refused(change, words):
    with pytest.raises(SpecError, match=words):
        Gear.model_validate({"type": "gear", "teeth": 20, "module": 0.005, "width": 0.02} | change)
