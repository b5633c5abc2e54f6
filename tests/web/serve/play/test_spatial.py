"""Machines in space, and grains."""

import numpy as np
import pytest

from gori.web.serve.play.spatial import SPATIAL, governor, stewart, tray

VALUES = {example.name: example for example in SPATIAL}


def test_legs_carry_the_platform():
    p = VALUES["stewart"].values({"move": 0.0, "tilt": 0.0, "load": 50.0})
    rec = stewart(p)
    mass = 50.0 + 6 * 3.0
    push = sum(rec[f"leg{k}.drive"] for k in range(6))
    assert np.ptp(rec["leg0.q"]) < 1e-6 and 50.0 * 9.81 < push.mean() < 2.5 * mass * 9.81


def test_balls_rise_with_the_speed():
    p = VALUES["governor"].values({"damping": 60.0})
    rec = governor(p)
    before, after = rec["left_hinge.q"][45], rec["left_hinge.q"][-1]
    assert after > before + 0.1 and rec["lift.q"][-1] > rec["lift.q"][45]
    assert rec["left_hinge.q"] == pytest.approx(rec["right_hinge.q"], abs=1e-6)


def test_gravel_stays_in_its_tray():
    rec = tray(VALUES["tray"].values({"count": 60, "force": 100.0}))
    assert len(rec.frames) > 50 and len(rec.frames[-1].id) == 60 and np.ptp(rec["shaker.q"]) > 0.005
