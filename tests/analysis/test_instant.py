"""Instants of a kinematic analysis: singular poses, and motions that ask for too much."""

import numpy as np
import pytest

import gori
from gori.analysis.instant import first_instant, move, quality
from gori.analysis.kinematic import with_motions
from gori.errors import ClosureError, InputError
from tests.integrate.closed_machines import rockers
from tests.model.loops.singular import parallelogram

MOTION = "0.8*sin(2*t) - 0.3*cos(3*t)"


def angle(t):
    """A, its rate and acceleration."""
    return np.array([
        0.8 * np.sin(2 * t) - 0.3 * np.cos(3 * t),
        1.6 * np.cos(2 * t) + 0.9 * np.sin(3 * t),
        -3.2 * np.sin(2 * t) + 2.7 * np.cos(3 * t),
    ])  # fmt: skip


def crossing():
    """When the bars of the driven parallelogram come into line."""
    from scipy.optimize import brentq

    return brentq(lambda t: angle(t)[0], 0.0, 0.5, xtol=1e-16)


@pytest.mark.parametrize("off", [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3])
def test_a_sample_may_hit_a_singular_pose(off):
    """The parallelogram stays one: C as A, B against them; exactly there as anywhere."""
    start = angle(0.0)[0]
    model = gori.compile(parallelogram(float(start)))
    there = crossing()
    times = np.sort(np.append(np.linspace(0.0, 2.0 * there, 9)[[0, 1, 2, 3, 5, 6, 7, 8]], there + off))
    rec = gori.kinematics(model, times, {"A": MOTION}, progress=False)
    for k, t in enumerate(times):
        A = angle(t)
        for name, sign in (("A", 1.0), ("B", -1.0), ("C", 1.0)):
            assert rec[name + ".q"][k] == pytest.approx(sign * A[0], abs=1e-9), name
            assert rec[name + ".v"][k] == pytest.approx(sign * A[1], abs=1e-7), name
            assert rec[name + ".a"][k] == pytest.approx(sign * A[2], abs=1e-5), name


def test_a_motion_that_starts_at_a_singular_pose_needs_a_branch():
    with pytest.raises(InputError, match="2 branches"):
        gori.kinematics(gori.compile(parallelogram()), [0.0, 0.1], {"A": "t"}, progress=False)
    for ratio in (1.0, -3.0):
        model = gori.compile(parallelogram(A=1.0, C=ratio))
        rec = gori.kinematics(model, np.linspace(0.0, 0.5, 6), {"A": "t"}, progress=False)
        assert np.sign(rec["C.q"][-1]) == np.sign(ratio) and rec["C.v"][0] == pytest.approx(ratio, abs=1e-6)


def test_what_was_found_is_kept_where_a_motion_asks_for_too_much():
    times = np.linspace(0.0, 1.0, 101)
    with pytest.raises(ClosureError, match=r"motions ask for more than the loops allow between t = 0\.[\d]+ and") as e:
        gori.kinematics(gori.compile(rockers()), times, {"A": "1 + 2*t"}, progress=False)
    rec = e.value.recording
    assert 5 < len(rec.time) < 101 and rec.time[-1] < e.value.time <= times[len(rec.time)] + 1e-12
    whole = gori.kinematics(gori.compile(rockers()), rec.time, {"A": "1 + 2*t"}, progress=False)
    np.testing.assert_array_equal(whole.q, rec.q)


def test_one_instant_after_the_other():
    times = np.array([0.0, 0.1])
    model = with_motions(gori.compile(parallelogram(0.5)), times, {"A": "0.5 + t"}, {})
    here = first_instant(model, None, 0.0)
    there = move(model, here, 0.1)
    np.testing.assert_allclose(there.q, [0.6, -0.6, 0.6], rtol=0, atol=1e-14)
    np.testing.assert_allclose(there.v, [1.0, -1.0, 1.0], rtol=0, atol=1e-13)
    assert quality(model, there.q, 0.1) > 0.01 and move(model, there, 0.1) is there
