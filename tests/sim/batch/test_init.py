"""`gori.batch`: machines of one Model, or Simulations."""

import pytest

import gori
from gori.errors import InputError
from gori.sim.batch import Batch, batch
from tests.sim.batch.machines import H, arm


def test_machines_of_a_model_or_of_its_spec():
    for what in (arm(), arm().spec):
        made = batch(what, 3, gori.RK4(step=H), workers=1)
        assert isinstance(made, Batch) and len(made) == 3 and made.method == gori.RK4(step=H)
    assert gori.batch is batch


def test_simulations():
    (one, other) = batch([gori.Simulation(arm()) for _ in range(2)], 0.02, sample=0.01)
    assert one.time.tolist() == other.time.tolist() and len(one) == 3


def test_anything_else_is_refused():
    with pytest.raises(InputError, match=r"list of Simulations, not 5"):
        batch(5, 3)
    with pytest.raises(InputError, match=r"list of Simulations, not <gori\.Model"):
        batch([arm()], 3)
