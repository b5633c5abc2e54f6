"""Settings of impacts, and what is watched for them."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.sim.contact.impacts import Impacts, impacts_of, rate_of, refuse_unable, watched
from gori.sim.runfile import run_spec
from tests.sim.contact.impact_machines import ball, row_of_balls, stopped_pendulum


def test_settings():
    assert impacts_of(None) is None and impacts_of(False) is None
    assert impacts_of(True) == Impacts() == gori.Impacts("stronge", "simultaneous")
    assert impacts_of({"law": "newton"}) == Impacts(law="newton")
    assert impacts_of(Impacts(order="sequential").settings()) == Impacts(order="sequential")
    wrong = (
        {"law": "hertz"},
        {"order": "any"},
        {"rest_speed": 0.0},
        {"limit_restitution": 2.0},
        {"limits": 1},
        {"chatter_rate": 0.0},
    )
    for settings in (*wrong, {"speed": 1.0}, "stronge", {"rest_speed": True}):
        with pytest.raises(InputError, match="impacts"):
            impacts_of(settings)


def test_what_is_watched():
    found = watched(row_of_balls(3), Impacts())
    assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]] and found.names[2] == "b1.ball/b2.ball"
    found = watched(stopped_pendulum(), Impacts())
    assert found.names == ("A lower", "A upper") and found.stops["side"].tolist() == [1.0, -1.0]
    np.testing.assert_allclose(found.stops["bound"], [-0.3, 3.0])
    with pytest.raises(InputError, match="no joint has limits"):
        watched(stopped_pendulum(), Impacts(limits=False))
    with pytest.raises(UnsupportedError, match="210 pairs"):
        watched(row_of_balls(21), Impacts())


def test_methods():
    refuse_unable(gori.Dopri5())
    with pytest.raises(UnsupportedError, match="radau5 does not support: impacts"):
        gori.Simulation(ball(0.5), gori.Radau5(), impacts=True)
    assert rate_of(gori.Dopri5()) == 1000.0 and rate_of(gori.RK4(step=1e-2)) == pytest.approx(40.0)
    assert rate_of(gori.Dopri5(), 0.01) == pytest.approx(1e4)


def test_run_file(tmp_path):
    spec = ball(0.5).spec
    spec = spec.set("joints.fly.q", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.6])
    run = {"duration": 0.5, "method": {"type": "dopri5"}, "impacts": {"law": "poisson"}}
    recording = run_spec(spec.set("run", run), tmp_path / "out", plots=False, progress=False)
    assert recording.info["impacts"][0]["time"] == pytest.approx(np.sqrt(2.0 * 0.5 / 9.81))
    assert recording.info["impact_settings"]["law"] == "poisson"
    with pytest.raises(InputError, match=r"run\.impacts: law"):
        run_spec(spec.set("run", run | {"impacts": {"law": "x"}}), tmp_path / "other", plots=False, progress=False)
