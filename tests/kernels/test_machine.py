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
        assert [numba.typeof(value) for value in bundle] == list(kind.types)


def test_members_are_what_kernels_name():
    assert km.machine_type.fields == km.Machine._fields and km.data_type.fields == km.Data._fields
    assert not set(km.Machine._fields) & {"tau", "q", "v", "recorded"}  # nothing of a run


def test_codes_of_solvers_and_vehicles_are_apart():
    assert len({km.RATES, km.PROJECT, km.ACCELERATIONS, km.PROJECT_AND_EVALUATE}) == 4
    assert len({km.WRENCH, km.ADVANCE, km.START}) == 3
    assert km.SOLVER.args[:2] == km.VEHICLE.args[:2] == (km.machine_type, km.data_type)


def test_a_run_leaves_the_machine_as_it_is():
    simulation = gori.Simulation(gori.compile(slider_crank()), gori.RK4(step=1e-3))
    tables = [np.array(value) for value in simulation.stepper.machine]
    simulation.step(20)
    for before, after in zip(tables, simulation.stepper.machine):
        assert np.array_equal(before, after)
