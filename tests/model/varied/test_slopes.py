"""Rates of tables with numbers of the Spec, against tables of other Models."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.tree.columns import MASS, N_BODY_F
from gori.model.compile import compile
from gori.model.varied.slopes import slopes_of, values_at
from gori.model.varied.tables import compiled_tables
from gori.spec import Spec
from tests.checks import arm


def spec() -> Spec:
    return arm(joints__shoulder__damping=0.5)


@pytest.mark.parametrize(
    "path", ["bodies.upper.mass", "bodies.lower.com", "joints.elbow.at", "joints.shoulder.damping"]
)
def test_rates_are_those_of_tables(path):
    values = values_at(spec(), {}, [path], 1)[path]
    slopes = slopes_of(spec(), {}, path, values)
    flat = values.reshape(-1)
    for c in range(len(flat)):
        d = 1e-4
        tables = []
        for sign in (1.0, -1.0):
            moved = flat.copy()
            moved[c] += sign * d
            tables.append(compiled_tables(compile(spec().set(path, moved.reshape(values.shape[1:]).tolist()))))
        for name in tables[0]:
            if tables[0][name].dtype != np.float64 or name == "start":
                continue
            expected = ((tables[0][name] - tables[1][name]) / (2.0 * d)).ravel()
            found = np.zeros(len(expected))
            if name in slopes:
                found[slopes[name].words] = slopes[name].rates[:, c, 0]
            assert found == pytest.approx(expected, abs=1e-7)


def test_machines_that_differ():
    masses = np.linspace(1.0, 2.0, 4)
    others = {"bodies.upper.mass": masses, "bodies.upper.com": np.outer(masses, [0.0, 0.1, 0.4])}
    slopes = slopes_of(spec(), others, "bodies.upper.com", others["bodies.upper.com"])
    slope = slopes["body_f"]
    assert set(slopes) == {"body_f"} and slope.rates.shape[1:] == (3, 4)
    inertia = slope.rates[slope.words % N_BODY_F > MASS + 3]
    assert np.abs(np.diff(inertia, axis=2)).max() > 0.1  # of the steps of the parallel axes, by masses and by places


def test_what_is_no_number():
    with pytest.raises(InputError, match=r"'joints.elbow.type' is no number"):
        values_at(spec(), {}, ["joints.elbow.type"], 1)
    with pytest.raises(InputError, match=r"'joints.wrist.at' is no number"):
        values_at(spec(), {}, ["joints.wrist.at"], 1)
