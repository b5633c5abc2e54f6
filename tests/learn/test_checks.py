"""What an environment is given."""

import numpy as np
import pytest

from gori import learn
from gori.errors import InputError
from gori.learn.checks import (
    actions_of,
    columns,
    flags,
    is_mask,
    option_of,
    refuse_seed,
    rhythm_of,
    row,
    side_by_side,
    steps_of,
)


def test_columns_of_parts():
    assert side_by_side({"a": 2, "b": 1}) == {"a": slice(0, 2), "b": slice(2, 3)} and side_by_side({}) == {}


def test_options():
    assert option_of(None, "mask") is None and option_of({}, "mask") is None and option_of({"mask": 3}, "mask") == 3
    for wrong in ({"masc": 3}, {"mask": 3, 7: 1}, [1]):
        with pytest.raises(InputError, match=r"there is no option|options must be"):
            option_of(wrong, "mask")


def test_seeds():
    for good in (3, np.int64(3), [1, 2], np.array([1, 2])):
        refuse_seed(good, 2)
    for wrong in (1.5, [1, 2, 3], [1, 2.0], "ab", b"ab", {}):
        with pytest.raises(InputError, match="an integer or 2 of them"):
            refuse_seed(wrong, 2)


def test_durations():
    assert steps_of(1.0, 0.02) == 50 and steps_of(0.011, 0.02) == 1
    for wrong in (0.0, -1.0, np.inf, "1"):
        with pytest.raises(InputError, match="at least one step"):
            steps_of(wrong, 0.02)


def test_rhythm():
    slow, fast = learn.InputAction("a"), learn.InputAction("b", every=4)
    assert rhythm_of(actions_of({"slow": slow}, 12), 12) == 12
    assert rhythm_of({"slow": slow, "fast": fast, "other": learn.InputAction("c", every=6)}, 12) == 2
    with pytest.raises(InputError, match="must divide 10"):
        actions_of({"fast": fast}, 10)


def test_what_functions_return():
    numbers, mask = np.zeros(3), np.zeros(3, bool)
    assert row("reward", numbers, 3) is numbers and flags("end", mask, 3) is mask and is_mask(mask)
    assert columns("q", numbers, 3).shape == (3, 1) and columns("q", np.zeros((3, 2)), 3).shape == (3, 2)
    for wrong in (1.0, np.zeros(2), np.zeros((3, 1))):
        with pytest.raises(InputError, match=r"reward must give an array of shape \(3,\)"):
            row("reward", wrong, 3)
    for wrong in (numbers, np.zeros(2, bool), True):
        with pytest.raises(InputError, match="end must give an array"):
            flags("end", wrong, 3)
    for wrong in (None, np.zeros((2, 3)), np.zeros((3, 1, 1))):
        with pytest.raises(InputError, match="or \\(3, size\\)"):
            columns("q", wrong, 3)
