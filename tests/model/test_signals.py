import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.kernels.forces.probes import READINGS
from gori.kernels.forces.signals import CONSTANT, CUBIC, EXPRESSION, TABLE, signals_one
from gori.model.signals import SignalTable, probe_table, readings
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


def test_bodies_are_read_by_the_names_of_their_channels():
    model = gori.compile(arm())
    names = [f"{where}.{what}" for where in ("tool", "lower") for what in READINGS]
    table = SignalTable()
    for name in names:
        table.add(f"2*{name}", "x", model)
    assert table.probes == ["tool", "lower"]
    probe = probe_table(model, table.probes)
    assert probe["row"][0] == probe["row"][1]
    np.testing.assert_allclose(np.linalg.norm(probe["point"], axis=1), [np.hypot(0.1, 1.0), 0.0], atol=1e-15)
    signal_i, signal_f, depth = table.tables()
    q, v, values = np.array([0.3, -0.7]), np.array([1.2, 0.4]), np.zeros(len(names))
    signals_one(signal_i, signal_f, 0.0, q, v, readings(model, table.probes, q, v), values, np.zeros(depth))
    rec = gori.Recording(model, np.zeros(1), q[None], v[None])
    np.testing.assert_allclose(values, [2.0 * rec[name][0] for name in names], atol=1e-14)
    assert readings(model, [], q, v).shape == (0,)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hand.x", "m: 'hand.x': .*hand"),
        ("ground.x", "m: 'ground.x': the ground does not move"),
        ("tool.w", "unknown name 'tool.w'; known names are t, pi, JOINT.q, JOINT.v, and BODY.x"),
    ],
)
def test_what_cannot_be_read(name, words):
    with pytest.raises(InputError, match=words):
        SignalTable().add(name, "m", gori.compile(arm()))
