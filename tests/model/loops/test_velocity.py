"""Velocities that keep machines closed; at singular poses those of a branch."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gori
from gori.errors import InputError
from gori.spec import Spec
from tests.integrate.closed_machines import slider_crank
from tests.model.loops.singular import dead_centre, parallelogram
from tests.reference import loops
from tests.reference.random_loops import closed_machines


@settings(max_examples=40, deadline=None, derandomize=True)
@given(closed_machines(), st.integers(0, 1000))
def test_velocities_are_the_nearest(case, seed):
    """In the measure of the machine's size; where all joints turn, just as the twin has them."""
    spec, q, _ = case
    model = gori.compile(spec)
    v = np.random.default_rng(seed).normal(size=model.nv)
    kept = gori.consistent_velocity(model, q, v, hold=())
    scale = model.loop_system.column_scale
    J = loops.jacobian(spec, q)
    assert np.abs(J @ kept).max() < 1e-11
    N = loops.null_space(J * scale)
    np.testing.assert_allclose(kept / scale, N @ (N.T @ (v / scale)), rtol=0, atol=1e-10)


def test_held_velocities_stay():
    model = gori.compile(slider_crank())
    v = gori.consistent_velocity(model, model.q0, hold=["axle"])
    assert v[0] == 6.0 and v[-1] == pytest.approx(0.24, abs=1e-14)
    with pytest.raises(InputError, match=r"velocities of axle, rail are inconsistent with the loops: cross\."):
        gori.consistent_velocity(model, model.q0, [6.0, 0, 0, 0, 0], hold=["axle", "rail"])


@pytest.mark.parametrize(("C", "B"), [(2.0, -2.0), (-6.0, -6.0)])
def test_a_velocity_on_one_branch_is_kept(C, B):
    """Flat: the coupler does not turn, or the bars turn against each other, at 2 and 2 (1 + 2)/(1 - 2) rad/s."""
    model = gori.compile(parallelogram(A=2.0, C=C))
    v = gori.consistent_velocity(model, model.q0)
    np.testing.assert_allclose(v, [2.0, B, C], rtol=0, atol=1e-9)


def test_a_velocity_that_fits_two_branches_is_refused_with_both_ready_to_paste():
    model = gori.compile(parallelogram(A=2.0))
    with pytest.raises(InputError, match="fit 2 branches that cross in this singular pose") as error:
        gori.consistent_velocity(model, model.q0)
    lines = [line.strip() for line in str(error.value).splitlines()[1:]]
    assert len(lines) == 2
    found = []
    for line in lines:
        v = {name: float(number) for name, number in re.findall(r"(\w): \{v: ([-\d.e]+)\}", line)}
        again = gori.compile(Spec(**parallelogram().model_dump(exclude_unset=True) | _with(v)))
        found.append(gori.consistent_velocity(again, again.q0))
    np.testing.assert_allclose(sorted(v[2] for v in found), [-6.0, 2.0], rtol=0, atol=1e-9)


def _with(v):
    joints = parallelogram().model_dump(exclude_unset=True)["joints"]
    return {"joints": {name: joint | {"v": v[name]} for name, joint in joints.items()}}


def test_a_velocity_on_no_branch_is_refused_with_those_that_are():
    model = gori.compile(parallelogram(A=2.0, C=1.0))
    with pytest.raises(InputError, match=r"velocities of A, C lie on no branch[^\n]*\n.*A: \{v: 2\}.*\n.*A: \{v: 2\}"):
        gori.consistent_velocity(model, model.q0)


def test_a_dead_centre_leads_nowhere():
    model = gori.compile(dead_centre())
    with pytest.raises(InputError, match="can move only infinitesimally"):
        gori.consistent_velocity(model, model.q0, [1.0, -1.0 - 1.0 / 1.5], hold=["A"])
    assert not gori.consistent_velocity(model, model.q0).any()


def test_at_rest_any_pose_will_do():
    model = gori.compile(parallelogram())
    assert not gori.consistent_velocity(model, model.q0).any()


def test_wrong_velocities():
    model = gori.compile(parallelogram())
    with pytest.raises(InputError, match=r"v must have shape \(3,\)"):
        gori.consistent_velocity(model, model.q0, [1.0, 0.0])
    with pytest.raises(InputError, match=r"v\[0\] is nan"):
        gori.consistent_velocity(model, model.q0, [np.nan, 0.0, 0.0])
