import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.kernels.forces.signals import CONSTANT, CUBIC, EXPRESSION, TABLE
from gori.model.signals import SignalTable
from tests.checks import arm


def test_kinds_follow_the_values():
    table, model = SignalTable(), gori.compile(arm())
    assert [table.add(x, "x", model) for x in (2.5, "sin(t) + elbow.q", ((0.0, 1.0), (1.0, 2.0)))] == [0, 1, 2]
    assert table.add_motion(((0.0, 0.0), (1.0, 1.0)), "m", model) == 3
    signal_i, signal_f, depth = table.tables()
    assert list(signal_i[:, 0]) == [CONSTANT, EXPRESSION, TABLE, CUBIC, CUBIC, CUBIC] and len(table) == 6
    assert signal_f[0, 0] == 2.5 and depth >= 2
    assert signal_i[-1, 1] + signal_i[-1, 2] == len(signal_f)


def test_unknown_names_are_told_with_their_place():
    with pytest.raises(InputError, match=r"forces\.m\.value: .*elbw"):
        SignalTable().add("elbw.q", "forces.m.value", gori.compile(arm()))


def test_no_signals():
    signal_i, signal_f, depth = SignalTable().tables()
    assert signal_i.shape == (0, 3) and signal_f.shape == (0, 2) and depth == 1 and signal_i.dtype == np.int64
