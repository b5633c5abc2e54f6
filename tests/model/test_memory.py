import pytest

import gori
from gori.errors import InputError
from gori.model import memory
from tests.sim.machines import falling


def test_what_is_free():
    free = memory.free_memory()
    assert free is None or 1e6 < free < 1e15


def test_too_much_is_refused_with_its_figure(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2_000_000_000)
    memory.require_memory(1e9, "this", "")
    with pytest.raises(InputError, match=r"a table would take 3 GB of memory, and 2 GB are free: make it smaller"):
        memory.require_memory(3e9, "a table", "make it smaller")
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    memory.require_memory(1e30, "anything", "")


def test_too_many_are_refused_with_the_number_that_fits(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    memory.require_memory_of(10, 100, "tables")
    with pytest.raises(InputError, match=r"11 tables of 100 bytes would take 1.1e-06 GB .*: 10 tables would fit"):
        memory.require_memory_of(11, 100, "tables")


def test_a_run_of_too_many_samples_is_refused_before_it_begins():
    simulation = gori.Simulation(gori.compile(falling()), gori.RK4(step=1e-6))
    with pytest.raises(InputError, match=r"1e\+12 samples would take .* GB of memory.*larger `sample`.*path="):
        simulation.run(1e6, sample=1e-6)
    assert simulation.time == 0.0
