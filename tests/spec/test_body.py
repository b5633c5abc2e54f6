import numpy as np
import pytest

from gori.errors import SpecError
from gori.spec import Body
from gori.spec.body import impossible_inertia


def test_inertia_of_three_or_six_numbers():
    assert Body(mass=1, inertia=[1, 2, 2.5]).inertia[:3] == (1.0, 2.0, 2.5)
    assert Body(mass=1, inertia=[1, 2, 2.5, 0.1, 0.2, 0.3]).inertia == (1.0, 2.0, 2.5, 0.1, 0.2, 0.3)
    with pytest.raises(SpecError, match="inertia"):
        Body(mass=1, inertia=[1, 2])


def test_inertia_that_no_body_has():
    assert impossible_inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 1.0])) is None
    assert impossible_inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0])) is not None
    assert impossible_inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, -0.1])) is not None
    for huge in (np.inf, np.nan):  # LAPACK finds no moments of it
        assert (
            impossible_inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, huge])) == "inertia is beyond the range of numbers"
        )
