"""Signals: constants, tables, splines and expressions in the kernel, compared with NumPy, SciPy and Python."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba.core.runtime import _nrt_python, rtsys
from scipy.interpolate import CubicSpline

import gori
from gori.errors import InputError
from gori.kernels.forces.signals import ARITY, OPCODES, signals_one
from gori.model.signals import SignalTable, readings
from gori.spec import Spec
from gori.spec.expression import OPERATIONS, parse, value
from tests.spec.expressions import AMBIENT, expressions, noisy, python_value

BODY = {"mass": 1.0, "inertia": [1, 1, 1]}
MODEL = gori.compile(
    Spec(
        bodies=dict.fromkeys("abcd", BODY),
        joints={
            "ball": {"type": "spherical", "parent": "ground", "child": "a"},  # q and v are shifted differently
            "A": {"type": "revolute", "parent": "a", "child": "b"},
            "arm.B": {"type": "prismatic", "parent": "b", "child": "c"},
            "held": {"type": "fixed", "parent": "c", "child": "d"},
        },
    )
)
q, v = np.zeros(MODEL.nq), np.zeros(MODEL.nv)
for joint in ("A", "arm.B"):
    q[MODEL.joint(joint).q], v[MODEL.joint(joint).v] = AMBIENT[f"{joint}.q"], AMBIENT[f"{joint}.v"]


def evaluate(*signals, t=AMBIENT["t"]) -> np.ndarray:
    """Values of signals in the state of AMBIENT."""
    table = SignalTable()
    assert [table.add(signal, "here", MODEL) for signal in signals] == list(range(len(signals)))
    signal_i, signal_f, depth = table.tables()
    values, stack = np.full(len(signals), np.nan), np.full(depth + 1, 77.0)
    signals_one(signal_i, signal_f, t, q, v, readings(MODEL, table.probes, q, v), values, stack)
    assert stack[depth] == 77.0  # the depth is enough
    return values


def test_every_operation_has_a_code():
    assert set(OPCODES) == set(ARITY) == set(OPERATIONS) | {"number", "time", "q", "v", "reading"}
    assert all(ARITY[name] == count for name, (count, _) in OPERATIONS.items())
    assert sorted(OPCODES.values()) == list(range(len(OPCODES)))


NUMBERS = (0.0, 0.3, 1.0, 2.0, 2.5, 7e5, 1e308)


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation(name):
    count = OPERATIONS[name][0]
    numbers = [sign * x for x in NUMBERS for sign in (1.0, -1.0)] + [math.inf, -math.inf, math.nan]
    for operands in np.array(np.meshgrid(*[numbers] * count)).reshape(count, -1).T:
        program = [*(("number", x) for x in operands), (name, 0.0)]
        rows = np.array([(float(OPCODES[operation]), argument) for operation, argument in program])
        values, stack = np.zeros(1), np.zeros(count)
        signals_one(np.array([[2, 0, len(rows)]]), rows, 0.0, q, v, np.zeros(0), values, stack)
        np.testing.assert_allclose(values[0], value(program, {}), rtol=1e-14, err_msg=f"{name} {operands}")


@settings(max_examples=300, deadline=None)
@given(expressions())
def test_expressions_as_interpreted_and_as_in_python(text):
    program = parse(text)
    expected = value(program, AMBIENT)
    steady = value(noisy(program), AMBIENT)
    assume(np.isclose(steady, expected, rtol=1e-6, atol=1e-9, equal_nan=True))
    (here,) = evaluate(text)
    np.testing.assert_allclose(here, expected, rtol=1e-6, atol=1e-9)
    if (python := python_value(text)) is not None:
        np.testing.assert_allclose(here, python, rtol=1e-6, atol=1e-9)


@given(st.data())
def test_tables(data):
    times = sorted(set(data.draw(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20))))
    assume(all(b - a > 1e-6 for a, b in itertools.pairwise(times)))
    rows = tuple((t, data.draw(st.floats(-1e3, 1e3))) for t in times)
    t = data.draw(st.floats(-2e3, 2e3) | st.sampled_from(times))
    (here,) = evaluate(rows, t=t)
    np.testing.assert_allclose(here, np.interp(t, *zip(*rows)), rtol=1e-9, atol=1e-9)
    if t in times:
        assert here == dict(rows)[t]


# ---- motions


def motion(value, t) -> np.ndarray:
    """Position, velocity and acceleration, after another signal; for one time, or a row for each."""
    table = SignalTable()
    table.add("where(t < 1, 2, 3)", "before", MODEL)
    assert table.add_motion(value, "here", MODEL) == 1 and len(table) == 4
    signal_i, signal_f, depth = table.tables()
    values, stack = np.full((np.size(t), 4), np.nan), np.full(depth + 1, 77.0)
    for row, time in zip(values, np.atleast_1d(t)):
        signals_one(signal_i, signal_f, time, q, v, np.zeros(0), row, stack)
        assert stack[depth] == 77.0
    return values[:, 1:].reshape(*np.shape(t), 3)


TIMES = np.array([-3.0, 0.0, 0.7, 40.0])


def test_motions_of_numbers_speeds_and_expressions():
    still, zero = np.full(4, 2.5), np.zeros(4)
    np.testing.assert_array_equal(motion(2.5, TIMES), np.column_stack([still, zero, zero]))
    np.testing.assert_array_equal(motion((2.0, 0.5), TIMES), np.column_stack([2.0 + 0.5 * TIMES, zero + 0.5, zero]))
    wave = 0.3 * np.sin(3.0 * TIMES), 0.9 * np.cos(3.0 * TIMES), -2.7 * np.sin(3.0 * TIMES)
    np.testing.assert_allclose(motion("0.3*sin(3*t)", TIMES), np.column_stack(wave), rtol=0.0, atol=1e-15)


@given(st.data())
def test_motions_of_tables_are_splines_between_two_rests(data):
    steps = data.draw(st.lists(st.floats(0.1, 3.0), min_size=1, max_size=20))
    times = data.draw(st.floats(-5.0, 5.0)) + np.cumsum([0.0, *steps])
    x = np.array([data.draw(st.floats(-10.0, 10.0)) for _ in times])
    rows = tuple(zip(times.tolist(), x.tolist()))
    spline = CubicSpline(times, x, bc_type="clamped")
    inside = np.unique([*times[:-1], *np.linspace(times[0], times[-1], 50)[:-1]])
    expected = np.column_stack([spline(inside, order) for order in range(3)])
    np.testing.assert_allclose(motion(rows, inside), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    # through the rows, held before and after, where it comes to rest without a jump of position or velocity
    np.testing.assert_allclose(motion(rows, times)[:, 0], x, rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(motion(rows, times[0] - 0.1), [x[0], 0.0, 0.0])
    np.testing.assert_array_equal(motion(rows, times[-1] + 0.1), [x[-1], 0.0, 0.0])
    scale = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(motion(rows, times[0])[:2], [x[0], 0.0], atol=1e-12)
    np.testing.assert_allclose(motion(rows, np.nextafter(times[-1], -9.0))[:2], [x[-1], 0.0], atol=1e-12 * scale)


def test_two_rows_are_a_smooth_step():
    rows = (1.0, 5.0), (3.0, 9.0)
    np.testing.assert_allclose(motion(rows, 2.0), [7.0, 3.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(motion(rows, 1.5), [5.0 + 4.0 * (3 / 16 - 2 / 64), 2.25, 3.0], atol=1e-14)


@pytest.mark.parametrize("value", ["exp(-t)*cos(5*t) + t**3/7", ((0.0, 0.0), (0.5, 1.0), (1.1, -2.0), (2.0, 0.3))])
def test_each_signal_of_a_motion_is_the_rate_of_the_one_before(value):
    h, t = 1e-6, np.linspace(0.05, 1.95, 23)
    rates = (motion(value, t + h) - motion(value, t - h)) / (2.0 * h)
    np.testing.assert_allclose(rates[:, :2], motion(value, t)[:, 1:], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A.q + t", "here: 'A.q' is not known as a function of time: only t can be differentiated"),
        ("t +", "here: 't +' is not an expression"),
    ],
)
def test_motions_of_what_is_no_function_of_time(text, words):
    with pytest.raises(InputError) as caught:
        motion(text, 0.0)
    assert words in str(caught.value)


# ---- all together


def test_many_signals_share_the_tables():
    table = ((0.0, 0.0), (1.0, 4.0))
    values = evaluate(2.0, "t + A.q", table, "arm.B.v*1", -1.0, "pi", t=0.25)
    np.testing.assert_allclose(values, [2.0, 0.25 + AMBIENT["A.q"], 1.0, AMBIENT["arm.B.v"], -1.0, math.pi])


def test_no_signals():
    signal_i, signal_f, depth = SignalTable().tables()
    assert signal_i.shape == (0, 3) and signal_f.shape == (0, 2) and depth >= 1
    signals_one(signal_i, signal_f, 0.0, q, v, np.zeros(0), np.zeros(0), np.zeros(depth))


def test_powers_end_at_infinity():
    assert evaluate("9**9**9**9")[0] == math.inf


def test_depth():
    for text, depth in (("t", 1), ("1+2+3+4", 2), ("1+(2+(3+4))", 4), ("where(1, 2, 3)", 3), ("-t", 1)):
        table = SignalTable()
        table.add(text, "here", MODEL)
        assert table.tables()[2] == depth


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A.qq", "here: unknown name 'A.qq'; known names are t, pi, JOINT.q, JOINT.v, and BODY.x .y"),
        ("e.x", "here: 'e.x': 'e' is not a body or frame"),
        ("ground.x", "here: 'ground.x': the ground does not move"),
        ("armB.q", "here: 'armB' is not a movable joint; did you mean 'arm.B'?"),
        ("held.q", "here: 'held' is not a movable joint"),
        ("ball.q", "here: 'ball.q': expressions can use only joints with one degree of freedom, not spherical"),
        ("t +", "here: 't +' is not an expression"),
    ],
)
def test_names_that_are_not_there(text, words):
    with pytest.raises(InputError) as caught:
        evaluate(text)
    assert words in str(caught.value)


def test_no_allocation():
    _nrt_python.memsys_enable_stats()
    table = SignalTable()
    for signal in (1.0, "clamp(sin(t)*A.q, -1, 1)", ((0.0, 1.0), (1.0, 2.0))):
        table.add(signal, "here", MODEL)
    table.add_motion(((0.0, 1.0), (1.0, 2.0)), "here", MODEL)
    signal_i, signal_f, depth = table.tables()
    arguments = signal_i, signal_f, 0.5, q, v, np.zeros(0), np.zeros(len(table)), np.zeros(depth)
    signals_one(*arguments)
    before = rtsys.get_allocation_stats()
    signals_one(*arguments)
    assert rtsys.get_allocation_stats().mi_alloc == before.mi_alloc
