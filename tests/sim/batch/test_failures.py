"""Why a machine of a batch has failed, in words."""

import numpy as np

import gori
from gori.kernels.codes import NOT_FINITE, SINGULAR
from gori.sim.batch.failures import why_failed
from tests.sim.batch.machines import H, arm


def test_what_was_written_comes_before_what_came_of_it():
    run = gori.Simulation(arm(), gori.SemiImplicit(step=H))
    assert why_failed(run, NOT_FINITE).startswith("the motion diverged at t = 0 s")
    assert why_failed(run, SINGULAR).startswith("the equations have no solution at t = 0 s")
    run.stepper.y[arm().nq + 1] = np.inf
    assert why_failed(run, NOT_FINITE) == "v[1] is inf at t = 0 s: write finite numbers, or reset it"
