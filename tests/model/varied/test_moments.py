"""Centres of mass of rigid groups."""

import numpy as np

import gori
from gori.kernels.tree.columns import COM, MASS
from gori.model.varied.moments import MOMENTS, Moments, with_moments
from gori.model.varied.tables import Words, compiled_tables
from tests.model.varied.machines import compare, pair, uniform


def test_a_quotient():
    tables = with_moments(compiled_tables)(gori.compile(pair()))
    words = Words(tables)
    reference = words.flat(tables)
    moments = Moments(words, reference)
    assert [words.name(k) for k in moments.ruled[:3]] == ["body_f[1, 13]", "body_f[1, 14]", "body_f[1, 15]"]
    numbers = np.sort(np.concatenate([words.numbers("body_f"), words.numbers(MOMENTS)]))
    values = np.tile(reference[numbers][:, None], 2)
    for k in range(3):
        values[numbers == words.numbers(MOMENTS).reshape(-1, 3)[1, k], 1] *= 5.0
    values[np.isin(numbers, moments.ruled)] = np.nan
    moments.settle(reference, numbers, values)
    own = tables["body_f"][1, COM : COM + 3]
    found = values[np.isin(numbers, words.numbers("body_f").reshape(-1, 24)[1, COM : COM + 3])]
    assert np.allclose(found, np.outer(own, [1.0, 5.0]).reshape(3, 2), rtol=1e-15)
    assert tables["body_f"][1, MASS] == 3.0


def test_masses_that_are_fixed_to_each_other():
    found = compare(
        pair(), {"arm.mass": uniform(1, 3), "load.mass": uniform(0.5, 2), "load.com": uniform(-0.1, 0.1, 3)}
    )
    assert found.compiled < 250 and "first_moments" not in found.tables and "first_moments" not in found.base


def test_tables_without_bodies_stay():
    assert with_moments(lambda model: {"q0": model.q0})(gori.compile(pair())).keys() == {"q0"}
