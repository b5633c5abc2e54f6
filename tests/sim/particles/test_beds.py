"""Beds of grains, small: weight, rest, silo, discharge, heap, impact. Larger ones: `python -m validation`."""

import math

import numpy as np
import pytest

from gori.model.particles.materials import rayleigh_step
from validation.particles_flow import discharge, impact, settled
from validation.particles_rest import heap, janssen, weigh
from validation.particles_scenes import filled, scene, simulation


@pytest.mark.parametrize("diameter, newton", [(0.030, 1081.417), (0.010, 40.0525)])
def test_weight_of_a_thousand_spheres(diameter, newton):
    """Under 0.01 %: mean over 0.4 s. All but rounding of the rest is the bed's change of momentum."""
    found = weigh((10, 10, 10), diameter)
    assert found.theory == pytest.approx(newton, rel=1e-6)
    assert found.carried == pytest.approx(found.theory, rel=1e-4)
    assert abs(found.unexplained) < 1e-12


@pytest.mark.parametrize("e", [0.05, 0.3, 0.9])
def test_beds_come_to_rest_with_the_suggested_step(e):
    """Strong damping, seen half a step late, would keep a bed trembling at 5 mm/s with the step of e = 0.9."""
    box = {"type": "box", "size": [0.08, 0.08, 0.2], "at": [0, 0, 0.1], "hollow": True, "material": "wall"}
    spec = scene(None, {"bin": box}, E=1e6, restitution=e, particles=filled("ground.bin", 400, 0.005, "poured"))
    sim = simulation(spec, 2e-3)
    sim.advance(450)
    assert sim.particles.contacts()["contacts"] > 600
    assert np.sqrt((sim.particles.velocity**2).sum(axis=1).mean()) < 1.5e-3


def test_silo_after_janssen():
    """Friction is mobilised but for percents; beds 8 grains across scatter by a tenth of the limit of the pressure."""
    found = janssen(ratio=8, filling=4.0, friction=0.15, duration=0.4)
    assert 0.95 < found.mobilised < 1.01
    assert 0.5 < found.K < 1.2
    assert found.deviation < 0.1
    assert found.bottom == pytest.approx(1.0, abs=0.1)
    assert found.share < 0.5  # the wall carries the rest


def test_discharge_after_beverloo():
    """C 0.58, k 1.4, bulk density 0.58 of the grains': within a fifth, the scatter of C between materials."""
    flow = discharge(7.0, count=1500, duration=0.4, begin=0.1)
    expected = 0.58 * 0.58 * 2500.0 * math.sqrt(9.81) * ((7.0 - 1.4) * 4e-3) ** 2.5
    assert flow == pytest.approx(expected, rel=0.2)


def test_rolling_friction_makes_heaps_steep():
    smooth, rough = (math.degrees(heap(0.5, rolling, count=500, duration=1.6).angle) for rolling in (0.0, 0.2))
    assert 4.0 < smooth < 15.0
    assert 13.0 < rough < 25.0
    assert rough - smooth > 4.0


def test_impact_is_converged_in_the_step():
    """The ball's height with half the step differs by 3 % of its depth at most."""
    size, E, d = (0.05, 0.05), 1e8, 0.004
    rows = settled(900, d, size, 1e7, 0.3)
    step = 0.2 * rayleigh_step(d / 2, 2500.0, E, 0.2)
    coarse, fine = (impact(rows, size, dt, 0.006, E) for dt in (step, step / 2.0))
    depth = fine.bed - fine.height.min()
    assert depth > 2.0 * d
    np.testing.assert_allclose(np.interp(fine.time, coarse.time, coarse.height), fine.height, rtol=0, atol=0.03 * depth)
