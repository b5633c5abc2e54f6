"""Values by path as columns."""

import warnings

import numpy as np
import pytest

from gori.errors import InputError
from gori.model.varied.parameters import Parameters, quiet
from tests.model.varied.machines import pair, uniform


def test_columns_are_shared():
    x = uniform(1.0, 2.0)
    com = np.stack([np.full(len(x), 0.1), x, -x], axis=1)
    found = Parameters(pair(), {"arm.mass": x, "arm.com": com, "rail.q": np.full(len(x), 0.3)})
    assert found.X.shape == (len(x), 1) and not found.few[0]
    spec = found.spec_at(found.X[4])
    assert spec.bodies["arm"].com == (0.1, x[4], -x[4]) and spec.joints["rail"].q == (0.3,)


def test_few_values_and_choices():
    types = ["revolute", "prismatic"] * 10
    masses = np.tile([1, 2, 3, 4], 5)
    found = Parameters(pair(), {"hinge.type": types, "load.mass": masses})
    assert found.few.all() and [len(values) for values in found.distinct] == [2, 4]
    spec = found.spec_at(found.X[3])
    assert spec.joints["hinge"].type == "prismatic" and spec.bodies["load"].mass == 4.0


def test_whole_numbers_stand_for_real_ones_where_they_can():
    assert not Parameters(pair(), {"load.mass": np.arange(1, 40)}).few[0]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "parameters must be"),
        ({None: [1.0, 2.0]}, "the path of a parameter must be text, not None"),
        ({"arm.mass": 2.0}, "'arm.mass' must be an array with a value for each machine"),
        ({"arm.mass": [1.0, np.nan]}, "'arm.mass' of machine 1 is nan"),
        ({"arm.mass": [1.0, 2.0], "load.mass": [1.0]}, "'load.mass' has 1 values, and 'arm.mass' has 2"),
        ({"arm.com": [[1.0, 2.0], [1.0]]}, "must have the same shape"),
        ({"arm.mass": np.array([1j, 2j])}, "numbers, not of complex128"),
        ({"arm.mass": [["a"], ["b"]]}, "one number, text or part"),
    ],
)
def test_what_is_no_column(parameters, words):
    with pytest.raises(InputError, match=words):
        Parameters(pair(), parameters)


def test_a_refusal_names_path_machine_and_value():
    found = Parameters(pair(), {"load.mass": np.array([1.0, 2.0]), "arm.mass": np.array([1.0, -0.5])})
    assert "parameter 'arm.mass' of machine 1, -0.5" in str(found.refusal(1, InputError("no")))
    assert "machine 0 (load.mass = 1, arm.mass = 1): no" in str(found.refusal(0, InputError("no")))


def test_corners_of_a_part():
    low, high = uniform(-2.0, -1.0), uniform(1.0, 2.0)
    assert not Parameters(pair(), {"rail.limits": np.stack([low, high], axis=1)}).refuses_corners()
    assert Parameters(pair(), {"rail.limits": np.stack([low, low + 0.1], axis=1)}).refuses_corners()


def test_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with quiet():
            warnings.warn("not heard", stacklevel=1)
