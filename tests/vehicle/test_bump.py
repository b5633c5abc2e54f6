"""The bump of the paper, 60 cm x 8 cm at 81 km/h: steps, ways to keep loops closed, and another program."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gori
from tests.vehicle.trucks import run
from validation.vehicle import apart, bump_state, peer_run


@cache
def bump(loops="multipliers", step=1e-4, duration=0.31, method=None):
    """Time and vertical accelerations of the left knuckles (n,), over the front bump or both."""
    model, state = bump_state()
    if method is not None:
        method, loops = method(step=step), None
    rec = run(model, state, duration, sample=step, loops=loops, step=step, method=method)
    return rec.time, rec["truck.knuckle_fl.acceleration"][:, 5], rec["truck.knuckle_rl.acceleration"][:, 5]


def test_peak_converges():
    """The damper's load jumps where the wheel meets the flank, and a step sees that up to a step late: order 1.

    How late depends on where the steps fall; 0.4 % at 1 ms is the worst.
    """
    steps = np.array([1e-3, 5e-4, 2e-4, 1e-4])
    time, best, _ = bump(step=2.5e-5)
    errors = np.abs([bump(step=step)[1].max() / best.max() - 1.0 for step in steps])
    assert (errors < 6.0 * steps).all(), errors
    off = np.array([apart(a, np.interp(t, time, best)) for t, a, _ in (bump(step=step) for step in steps)])
    assert off[0] < 0.01 and off[-1] < 2e-3 and (np.diff(off) < 0.0).all(), off


@pytest.mark.parametrize("loops", ["frozen_explicit", "partition"])
@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_loops_agree(loops, step):
    _, a, b = bump(loops, step, 0.5)
    _, a_full, b_full = bump("multipliers", step, 0.5)
    assert_allclose([a.max(), b.max()], [a_full.max(), b_full.max()], rtol=2e-4)
    assert apart(a, a_full) < 2e-3 and apart(b, b_full) < 2e-3


def test_generalized_alpha_agrees():
    _, a, _ = bump(step=2.5e-5, method=gori.GeneralizedAlpha)
    _, explicit, _ = bump(step=2.5e-5)
    assert_allclose(a.max(), explicit.max(), rtol=2e-3)
    assert apart(a, explicit) < 3e-3


@pytest.mark.parametrize("step", [1e-3, 2e-4])
def test_generalized_alpha_takes_large_steps(step):
    """Newton's iterations meet the same ground each time, on corners too."""
    _, a, _ = bump(step=step, duration=0.5, method=gori.GeneralizedAlpha)
    _, best, _ = bump(step=2.5e-5)
    assert_allclose(a.max(), best.max(), rtol=1e-2)


def test_against_mujoco():
    """Everything written anew there, from the sources' figures: bodies, loops, struts, tyres and contact."""
    pytest.importorskip("mujoco")
    peer, rec = peer_run(1e-4, 0.44)
    # it stands where Gori says that it stands
    for k, corner in enumerate(("fl", "fr", "rl", "rr")):
        assert_allclose(peer["load"][0, k], rec[f"truck.wheel_{corner}.load"][0], rtol=1e-9)
    assert np.abs(peer["start"]).max() < 0.2  # m/s2, rad/s2
    for k, corner in ((0, "fl"), (2, "rl")):
        ours = rec[f"truck.knuckle_{corner}.acceleration"][: len(peer["time"]), 5]
        theirs = peer["acceleration"][:, k]
        assert_allclose(ours.max(), theirs.max(), rtol=2e-3)
        assert_allclose(ours.min(), theirs.min(), rtol=5e-3)
        assert apart(ours, theirs) < 3e-3
