"""A run is taken up with the programs that it had, or with an explicit word."""

import functools

import numba
import numpy as np
import pytest

import gori
from gori.errors import InputError, RestartWarning
from gori.sim import Simulation, programs
from gori.sim.events import Event
from tests.sim.machines import busy
from tests.sim.test_simulation import same


def stop_at(seconds):
    def force(t, q, v):
        if t > seconds:
            raise KeyboardInterrupt
        return -0.01 * v

    return force


def damper(t, q, v):
    return -0.01 * v


def other_damper(t, q, v):
    return -0.02 * v


@pytest.fixture
def stopped(tmp_path):
    """A run with a function of the user, stopped half-way."""
    path = tmp_path / "run.h5"
    calls = iter(range(10**9))

    def damper(t, q, v):
        if t > 0.5 and next(calls) == 0:
            raise KeyboardInterrupt
        return -0.01 * v

    rec = Simulation(gori.compile(busy()), forces=damper).run(1.0, path=path)
    assert rec.info["interrupted"]
    return path, damper


def test_without_its_force(stopped):
    path, _ = stopped
    with pytest.raises(InputError, match=r"recorded with other programs: forces 1: .*damper not given.*changed=True"):
        Simulation.resume(path)


def test_with_another_force(stopped):
    path, _ = stopped

    def damper(t, q, v):
        return -0.02 * v

    damper.__qualname__ = "stopped.<locals>.damper"
    with pytest.raises(InputError, match=r"the code or the arguments of forces .*damper have changed"):
        Simulation.resume(path, forces=damper)
    assert Simulation.resume(path, forces=damper, changed=True).time[-1] == pytest.approx(1.0)


def test_with_more_than_it_had(tmp_path):
    path = tmp_path / "run.h5"
    Simulation(gori.compile(busy())).run(0.1, path=path)
    with pytest.raises(InputError, match=r"driver .*<lambda> given, but not there before"):
        Simulation.resume(path, driver=lambda simulation: None)


def test_with_the_same(stopped):
    path, force = stopped
    same(Simulation.resume(path, forces=force), Simulation(gori.compile(busy()), forces=damper).run(1.0))


def test_another_version_is_told(tmp_path, monkeypatch):
    path, real = tmp_path / "run.h5", programs.made_by()
    monkeypatch.setattr("gori.sim.simulation.made_by", lambda: real | {"numba": "0.1"})
    Simulation(gori.compile(busy())).run(0.1, path=path)
    assert gori.Recording.load(path).info["made_by"]["cpu"] == real["cpu"]
    with pytest.warns(RestartWarning, match=r"was made by numba 0.1 \(here "):
        Simulation.resume(path)


class Driver:
    def __init__(self, gain):
        self.gain = gain

    def __call__(self, simulation):
        return None


def test_hashes_of_code():
    same_code = functools.partial(stop_at, 1.0)
    assert programs.code_hash(stop_at(1.0)) == programs.code_hash(stop_at(2.0)) != ""  # but not their values, see below
    assert programs.code_hash(damper) != programs.code_hash(other_damper)
    assert programs.code_hash(numba.njit(damper)) == programs.code_hash(damper)
    assert programs.code_hash(same_code) != programs.code_hash(functools.partial(stop_at, 2.0))
    assert programs.code_hash(Driver(1)) == programs.code_hash(Driver(2)) != ""
    assert programs.code_hash(len) == ""
    assert programs.programs_of([], {}, None, []) == {}


def test_values_that_a_force_closes_over(tmp_path):
    """A run was taken up with another gain without a word."""
    path, model = tmp_path / "run.h5", gori.compile(busy())

    def made(gain, table, log):
        def damper(t, q, v):
            log.append(t)
            return -gain * table[0] * v

        return damper

    rec = Simulation(model, forces=made(0.01, np.ones(2), log := [])).run(0.1, path=path)
    same(Simulation.resume(path, forces=made(0.01, np.ones(2), log)), rec)
    for gain, table, word in ((0.02, [1.0, 1.0], "gain"), (0.01, [1.0, 2.0], "table")):
        with pytest.raises(
            InputError, match=rf"the value of {word} \(of forces 1: .*damper\) has changed.*changed=True"
        ):
            Simulation.resume(path, forces=made(gain, np.array(table), []))
    Simulation.resume(path, forces=made(0.02, np.ones(2), []), changed=True)


def test_values_of_drivers_and_events():
    def stop(limit):
        return lambda simulation: print(limit)

    a, b = (
        programs.programs_of([], {"e": Event("rail.q", "rising", stop(limit))}, stop(limit), []) for limit in (1, 2)
    )
    with pytest.raises(InputError, match=r"limit \(of events e\).*limit \(of driver "):
        programs.require_same("a.h5", a, b)
    programs.require_same("a.h5", a, a)
    before = {kind: {name: text.split(" ")[0] for name, text in one.items()} for kind, one in a.items()}
    programs.require_same("a.h5", before, b)  # a file of an earlier version says nothing of values
