"""Vehicles of a batch at rest, each with its own mass; and loops whose machines start elsewhere."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import AssemblyWarning, InputError, SpecWarning
from gori.sim.batch.rest import rest_states, speeds_of, warn_of_limits, warn_of_starts
from gori.sim.batch.varied import Numbers
from tests.sim.batch.machines import EXAMPLES, H, four_bar, pendulum
from tests.vehicle.trucks import level


def test_vehicles_of_their_own_mass_stand():
    """Heavier ones stand lower, and none moves; the last one rolls."""
    spec = level().spec
    mass = spec.bodies["truck.chassis"].mass
    given = {"bodies.truck.chassis.mass": mass + np.array([0.0, 300.0, 300.0])}
    batch = gori.batch(spec, 3, gori.SemiImplicit(step=H), parameters=given)
    states = batch.at_rest(speed=[0.0, 0.0, 3.0])
    assert states[1].model == gori.compile(batch.spec(1)).fingerprint != states[0].model
    batch.reset(state=states)
    height = batch.q[:, 6].copy()
    assert height[1] < height[0] - 5e-3
    batch.step(100)
    assert np.abs(batch.v[:2]).max() < 1e-3 and not batch.failed.any()
    assert np.abs(batch.q[:2, 6] - height[:2]).max() < 1e-5
    assert batch.v[2, 3] == pytest.approx(3.0, abs=0.05)
    rolling, still = batch.at_rest(speed=[3.0, 0.0], machines=[2, 0])  # in the order in which they are named
    assert still.q == pytest.approx(states[0].q, abs=1e-12) and rolling.v == pytest.approx(states[2].v, abs=1e-9)


def test_sets_share_what_was_found():
    found = rest_states(lambda one: level(), [0, 0], np.array([0.0, 0.0]), 1)
    assert found[0] is found[1]


@pytest.mark.parametrize("speed", ["fast", [1.0, 2.0], np.nan, [0.0, np.inf, 0.0]])
def test_speeds_that_are_none(speed):
    with pytest.raises(InputError, match="a number of m/s, or one for each of 3 machines"):
        speeds_of(speed, 3)
    assert speeds_of(2.0, 3).tolist() == [2.0] * 3


def test_without_wheels():
    with pytest.raises(InputError, match="no wheels"):
        gori.batch(four_bar(), 2).at_rest()


def test_one_warning_names_the_machines_that_start_elsewhere():
    """The given angle of the coupler fits one of four lengths alone."""
    spec = gori.load(EXAMPLES / "four_bar.yaml")
    model = gori.compile(spec)
    angle = np.degrees(gori.assemble(model)[model.joint("B").q][0])
    spec = spec.set("joints.B.q_deg", float(angle))
    lengths = np.column_stack([[0.6, 0.4, 0.6001, 0.35], np.zeros((4, 2))])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gori.batch(spec, 4, parameters={"joints.D.at": lengths})
    told = [str(x.message) for x in caught if x.category is AssemblyWarning and "machines do not" in str(x.message)]
    assert len(told) == 1 and "2 of 4 machines" in told[0] and "'B'" in told[0] and told[0].endswith("machines 1, 3")


def test_no_warning_where_starts_are_as_given():
    model, spec = four_bar(), four_bar().spec
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_starts(model, spec, [], {})
        near = Numbers("y", np.arange(model.nq), np.tile(model.q0[:, None], 5))
        warn_of_starts(model, spec, [near], {})


def test_one_warning_names_the_machines_that_start_outside_of_limits():
    """The elbow has limits of +-2 rad."""
    given = {"joints.elbow.q": [0.0, 2.5, 1.0, -3.0]}
    words = r"'elbow' starts outside .* in 2 of 4 machines, as in machine 1: 2.5 is not within -2 and 2; machines 1, 3$"
    with pytest.warns(SpecWarning, match=words):
        gori.batch(pendulum(), 4, parameters=given)
    for own in (
        {"elbow.q_deg": [0.0, 120.0]},
        {"joints.elbow.limits": [[0.1, 1.0], [-1.0, 1.0]], "elbow.q": [0.0, 0.5]},
    ):
        with pytest.warns(SpecWarning, match="in 1 of 2 machines"):
            warn_of_limits(pendulum().spec, own)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_limits(pendulum().spec, {"joints.elbow.q": [2.0, -2.0], "joints.shoulder.q": [9.0, -9.0]})
        warn_of_limits(pendulum().spec, {"joints.elbow.limits": [None, None], "bodies.upper.mass": [1.0]})
