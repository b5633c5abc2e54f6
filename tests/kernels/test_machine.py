"""The bundles of compiled code: what they declare is what they are given."""

import numba
import numpy as np
import pytest

import gori
from gori.kernels import machine as km
from gori.model.machine import machine_of
from tests.checks import arm
from tests.integrate.closed_machines import slider_crank


@pytest.mark.parametrize("make", [arm, slider_crank])
def test_bundles_have_the_declared_types(make):
    model = gori.compile(make())
    machine, data = machine_of(model, loops=model.loop_system.kept if model.loops else None)
    for bundle, kind in ((machine, km.machine_type), (data, km.data_type)):
        assert numba.typeof(bundle) is kind and set(bundle.members()) == set(kind.members)
    assert not set(km.Machine.type.members) & {"tau", "q", "v", "recorded"}  # nothing of a run


def test_codes_of_solvers_and_vehicles_are_apart():
    assert len({km.RATES, km.PROJECT, km.ACCELERATIONS, km.PROJECT_AND_EVALUATE}) == 4
    assert len({km.ADD_WRENCHES, km.ADVANCE, km.START}) == 3
    assert km.SOLVER.args[:2] == km.VEHICLE.args[:2] == (km.machine_type, km.data_type)


def test_a_run_leaves_the_machine_as_it_is():
    simulation = gori.Simulation(gori.compile(slider_crank()), gori.RK4(step=1e-3))
    members = simulation.stepper.machine.members()
    tables = {name: value.copy() for name, value in members.items() if isinstance(value, np.ndarray)}
    simulation.step(20)
    assert len(tables) > 20 and all(np.array_equal(before, members[name]) for name, before in tables.items())
