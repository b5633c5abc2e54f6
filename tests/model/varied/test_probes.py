"""Machines that are compiled once."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model.varied.parameters import Parameters
from gori.model.varied.probes import BetweenError, Probes
from gori.model.varied.tables import compiled_tables
from tests.model.varied.machines import pair


def probes(values, progress=None, **tolerances):
    return Probes(gori.compile(pair()), Parameters(pair(), values), compiled_tables, tolerances, progress)


def test_numbers_at_points():
    found = probes({"slide.mass": np.array([0.5, 1.0, 2.0])})
    mass = next(k for k in range(found.words.count) if found.words.name(k) == "body_f[2, 12]")
    assert not found.seen[mass]
    assert found.matrix(np.array([[1.0], [0.5], [3.0], [1.0]]), np.array([mass])).ravel().tolist() == [1, 0.5, 3, 1]
    assert found.compiled == 3 and found.seen[mass] and found.scale[mass] == 3.0
    assert found.tolerance()[mass] == pytest.approx(3.0 * 1.01e-13)
    assert probes({"slide.mass": np.array([0.5, 1.0])}, body_f=0.1).tolerance()[mass] == pytest.approx(0.05)


def test_coordinates_are_judged_by_one_radian():
    found = probes({"hinge.q": np.array([1e-3, 2e-3])}, start=1e-12)
    assert (found.tolerance()[found.words.numbers("start")] >= 1e-12).all()


def test_between_machines():
    with pytest.raises(BetweenError):
        probes({"slide.mass": np.array([0.5, 1.0])}).matrix(np.array([[-1.0]]), np.zeros(0, np.int64))


def test_progress_is_told():
    told = []
    found = probes({"slide.mass": np.linspace(1.0, 2.0, 70)}, lambda done, of: told.append((done, of)))
    found.matrix(found._parameters.X[:3], np.zeros(0, np.int64))
    assert told == []
    found.matrix(found._parameters.X, np.zeros(0, np.int64))
    assert told[-1] == (67, 67)


def test_errors_name_the_machine():
    found = probes({"slide.mass": np.array([0.5, -1.0]), "load.mass": np.array([1.0, 2.0])})
    with pytest.raises(InputError, match=r"'slide.mass' of machine 1, -1: bodies.slide.mass: must not be negative"):
        found.machine(1)
    found = probes({"hinge.friction": np.array([0.1, 0.0]), "load.mass": np.array([1.0, 2.0])})
    with pytest.raises(InputError, match=r"machine 1 has another structure than machine 0, by 'hinge.friction': "):
        found.machine(1)


def test_the_structure_is_that_of_the_machines():
    found = probes({"hinge.damping": np.array([0.1, 0.2])})
    assert len(found.model.forces.element_i) == 5 and len(gori.compile(pair()).forces.element_i) == 4
    model = gori.compile(pair())
    same = Probes(model, Parameters(pair(), {"load.mass": np.array([1.0, 2.0])}), compiled_tables, {})
    assert same.model is model
