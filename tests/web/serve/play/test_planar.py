"""Mechanisms in a plane: lengths, speeds and masses are as the sliders say."""

import numpy as np
import pytest

from gori.web.serve.play.planar import PLANAR, four_bar, quick_return, scissor_lift, slider_crank

VALUES = {example.name: example for example in PLANAR}


def test_four_bar():
    p = VALUES["four-bar"].values({"crank": 0.15, "speed": 2.0})
    rec = four_bar(p)
    assert rec.time[-1] == pytest.approx(0.5) and rec["A.q"][-1] - rec["A.q"][0] == pytest.approx(2 * np.pi)
    assert np.hypot(rec["coupler.x"], rec["coupler.y"]) == pytest.approx(0.15)


def test_slider_crank_against_the_formula():
    p = VALUES["slider-crank"].values()
    rec, r, rod = slider_crank(p), p["crank"], p["rod"]
    angle = rec["shaft.q"]
    assert rec["slide.q"] == pytest.approx(r * np.cos(angle) + np.sqrt(rod**2 - (r * np.sin(angle)) ** 2), abs=1e-9)


def test_quick_return_is_quicker_on_the_way_back():
    rec = quick_return(VALUES["quick-return"].values())
    assert rec["rail.v"].max() > 1.5 * -rec["rail.v"].min()
    assert np.ptp(rec["motor.drive"]) > 1e4


def test_the_ram_of_a_scissor_lift_by_virtual_work():
    p = VALUES["scissor-lift"].values({"time": 20.0})
    rec = scissor_lift(p)
    power = rec["lift.drive"] * rec["ram.v"]
    energy = rec["energy.total"]
    middle = slice(5, -5)
    rate = np.gradient(energy, rec.time)[middle]
    assert rate == pytest.approx(power[middle], rel=0.02, abs=0.01 * np.abs(power).max())
