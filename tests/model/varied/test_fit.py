"""How numbers depend on columns: found from few compiled machines."""

import numpy as np
import pytest

import gori
from gori.model.varied.fit import Fit
from gori.model.varied.interpolants import PRODUCT, SUM, Separated, TooMany
from gori.model.varied.parameters import Parameters
from gori.model.varied.probes import Probes
from tests.model.varied.machines import MANY, pair, uniform

NAMES = "arm.mass", "load.mass", "slide.mass", "rail.q"


def fit(*functions, count=MANY, columns=4, most=None):
    """Fit functions of the columns, which stand in a table of their own."""
    values = {name: uniform(1.0, 2.0, count=count) for name in NAMES[:columns]}

    def table(model):
        x = [model.spec.bodies[name.partition(".")[0]].mass for name in NAMES[: min(columns, 3)]]
        return {"f": np.array([f(*x, float(model.q0[-1])) for f in functions])}

    parameters = Parameters(pair(), values)
    probes = Probes(gori.compile(pair()), parameters, table, {})
    found = Fit(probes, parameters, np.zeros(0, np.int64), most or count, np.random.default_rng(0))
    out = np.empty((count, len(functions)))
    for one in found.found:
        out[:, one.numbers] = found.evaluated(one, np.arange(count))
    true = np.array([[f(*x) for f in functions] for x in parameters.X])
    assert np.abs(out - true).max() < 1e-12 * np.abs(true).max()
    return {int(k): one.tree for one in found.found for k in one.numbers}, probes.compiled


def test_sums_and_products():
    trees, compiled = fit(lambda a, b, c, d: a + 2 * b - np.sin(c), lambda a, b, c, d: a * b / c, lambda a, b, c, d: d)
    assert trees == {0: Separated(SUM, ((0,), (1,), (2,))), 1: Separated(PRODUCT, ((0,), (1,), (2,))), 2: (3,)}
    assert compiled < 110


def test_groups_that_act_together():
    trees, compiled = fit(lambda a, b, c, d: a * b + c * d, lambda a, b, c, d: np.exp(a * b) * (c + d), count=2000)
    assert trees[0] == Separated(SUM, ((0, 1), (2, 3)))
    assert trees[1] == Separated(PRODUCT, ((0, 1), Separated(SUM, ((2,), (3,)))))
    assert compiled < 500


def test_roots_of_sums():
    trees, compiled = fit(lambda a, b, c, d: np.sqrt(a * (b + c + d)))
    root = trees[0].parts[1]
    assert trees[0].rule == PRODUCT and isinstance(root, Separated) and compiled < 120
    assert root.parts == ((1,), (2,), (3,))


def test_kinks_are_looked_up_or_too_many():
    kink = lambda a, b, c, d: abs(a - 1.5) + b  # noqa: E731
    with pytest.raises(TooMany):
        fit(kink)
    trees, compiled = fit(kink, most=3 * MANY)  # as if many machines shared values of a
    assert trees == {0: Separated(SUM, ((0,), (1,)))} and compiled >= MANY


def test_one_column_that_is_a_list():
    values = {"arm.mass": np.tile([1.0, 2.0, 4.0], 100)}
    parameters = Parameters(pair(), values)
    probes = Probes(
        gori.compile(pair()), parameters, lambda model: {"f": np.array([1.0 / model.spec.bodies["arm"].mass % 0.3])}, {}
    )
    found = Fit(probes, parameters, np.zeros(0, np.int64), 300, np.random.default_rng(0))
    (one,) = found.found
    assert (found.evaluated(one, np.arange(300))[:, 0] == 1.0 / values["arm.mass"] % 0.3).all() and probes.compiled == 3
