"""Derivatives of expressions: closed forms, differences, and programs that stay short."""

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings

from gori.spec.derivative import MOST_STEPS, RULES, derivative, partial
from gori.spec.expression import FUNCTIONS, OPERATIONS, parse, value, values
from tests.spec.expressions import AMBIENT, expressions

TIMES = (-2.3, -0.4, 0.2, 0.9, 1.7)


def at(program, t: float) -> float:
    return value(program, {"t": t})


CLOSED = {
    "3": ("0", "0"),
    "pi*2 - sin(1)": ("0", "0"),
    "t": ("1", "0"),
    "-t": ("-1", "0"),
    "3*t - 2": ("3", "0"),
    "t**2": ("2*t", "2"),
    "t**3": ("3*t**2", "6*t"),
    "t**-2": ("-2*t**-3", "6*t**-4"),
    "0.5*t*t": ("t", "1"),
    "2/t": ("-2/t**2", "4/t**3"),
    "t/(1 + t**2)": ("(1 - t**2)/(1 + t**2)**2", "2*t*(t**2 - 3)/(1 + t**2)**3"),
    "sin(3*t)": ("3*cos(3*t)", "-9*sin(3*t)"),
    "cos(t)": ("-sin(t)", "-cos(t)"),
    "tan(t)": ("1/cos(t)**2", "2*sin(t)/cos(t)**3"),
    "asin(t/3)": ("1/sqrt(9 - t**2)", "t*(9 - t**2)**-1.5"),
    "acos(t/3)": ("-1/sqrt(9 - t**2)", "-t*(9 - t**2)**-1.5"),
    "atan(2*t)": ("2/(1 + 4*t**2)", "-16*t/(1 + 4*t**2)**2"),
    "atan2(t, 2)": ("2/(4 + t**2)", "-4*t/(4 + t**2)**2"),
    "atan2(sin(5*t), cos(5*t))": ("5", "0"),
    "sqrt(t + 3)": ("0.5/sqrt(t + 3)", "-0.25*(t + 3)**-1.5"),
    "exp(-t**2)": ("-2*t*exp(-t**2)", "(4*t**2 - 2)*exp(-t**2)"),
    "log(t + 3)": ("1/(t + 3)", "-1/(t + 3)**2"),
    "2**t": ("log(2)*2**t", "log(2)**2*2**t"),
    "(t + 3)**t": (
        "(t + 3)**t*(log(t + 3) + t/(t + 3))",
        "(t + 3)**t*((log(t + 3) + t/(t + 3))**2 + 1/(t + 3) + 3/(t + 3)**2)",
    ),
    "abs(t)*t": ("2*abs(t)", "2*sign(t)"),
    "sign(t) + floor(t) + step(t) + (t < 1) + (t <= 1) - (t > 1)*(t >= 1)": ("0", "0"),
    "min(t, t**2)": ("where((0 < t)*(t < 1), 2*t, 1)", "where((0 < t)*(t < 1), 2, 0)"),
    "max(t, t**2)": ("where((0 < t)*(t < 1), 1, 2*t)", "where((0 < t)*(t < 1), 0, 2)"),
    "where(t < 0, t**2, t**3)": ("where(t < 0, 2*t, 3*t**2)", "where(t < 0, 2, 6*t)"),
    "clamp(t**3, -1, t)": (
        "where(t**3 < -1, 0, where(t**3 > t, 1, 3*t**2))",
        "where(t**3 < -1, 0, where(t**3 > t, 0, 6*t))",
    ),
    "where(t < 1, sqrt(1 - t), 0)": ("where(t < 1, -0.5/sqrt(1 - t), 0)", "where(t < 1, -0.25*(1 - t)**-1.5, 0)"),
    # at rest at the end of the range of a function that has no rate there
    "sqrt(max(0, 1 - t))": ("where(t < 1, -0.5/sqrt(1 - t), 0)", "where(t < 1, -0.25*(1 - t)**-1.5, 0)"),
    "max(0, t)**1.5": ("where(t > 0, 1.5*t**0.5, 0)", "where(t > 0, 0.75*t**-0.5, 0)"),
    "max(0, t)**t": ("where(t > 0, t**t*(log(t) + 1), 0)", "where(t > 0, t**t*((log(t) + 1)**2 + 1/t), 0)"),
    "atan2(max(0, t), max(0, 2*t))": ("0", "0"),
    "max(0, t)**2": ("2*max(0, t)", "2*step(t)"),
    "asin(clamp(t, -1, 1))": ("where(abs(t) < 1, 1/sqrt(1 - t**2), 0)", "where(abs(t) < 1, t*(1 - t**2)**-1.5, 0)"),
    "acos(clamp(t, -1, 1))": ("where(abs(t) < 1, -1/sqrt(1 - t**2), 0)", "where(abs(t) < 1, -t*(1 - t**2)**-1.5, 0)"),
}  # fmt: skip


@pytest.mark.parametrize("text", CLOSED)
def test_closed_forms(text):
    first = derivative(parse(text))
    second = derivative(first)
    for t in TIMES:
        for program, expected in zip((first, second), CLOSED[text]):
            np.testing.assert_allclose(at(program, t), at(parse(expected), t), rtol=1e-12, atol=1e-13, err_msg=f"{t}")


def test_every_operation_has_a_rule():
    assert set(RULES) == set(OPERATIONS)
    written = {operation for text in CLOSED for operation, _ in parse(text)}
    assert written >= set(FUNCTIONS)


def differences(program, t: float) -> float | None:
    """Central difference, where it does not depend on its step."""
    with np.errstate(all="ignore"):
        rates = [(at(program, t + h) - at(program, t - h)) / (2.0 * h) for h in (1e-4, 5e-5, 2e-5)]
    steady = all(math.isclose(rates[0], rate, rel_tol=1e-6, abs_tol=1e-6) for rate in rates[1:])
    return rates[-1] if steady else None


ENDS = {"sqrt": (0.0,), "asin": (1.0, -1.0), "acos": (1.0, -1.0), "power": (0.0,), "atan2": (0.0,)}


def tame(program, t: float) -> bool:
    """Whether no number on the way is so large or small that differences tell of rounding alone, and no function
    stands at the very end of its range, where only some rates exist (those of CLOSED).
    """
    stack = []
    for operation, argument in program:
        count = 0 if operation in ("number", "name") else OPERATIONS[operation][0]
        operands = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        stack.append(value([*(("number", x) for x in operands), (operation, argument)], {"t": t}))
        fits = stack[-1] == 0.0 or 1e-6 < abs(stack[-1]) < 1e6
        if not fits or (operands and operands[0] in ENDS.get(operation, ())):
            return False
    return True


@settings(max_examples=500, deadline=None)
@given(expressions())
def test_differences(text):
    program = parse(re.sub("|".join(re.escape(name) for name in AMBIENT if name != "t"), "t", text))
    for _ in range(2):
        rate = derivative(program)
        expected = differences(program, 0.7531)
        assume(expected is not None and tame(program, 0.7531))
        np.testing.assert_allclose(at(rate, 0.7531), expected, rtol=1e-5, atol=1e-5)
        program = rate


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("5", [("number", 0.0)], [("number", 0.0)]),
        ("3*t + 2", [("number", 3.0)], [("number", 0.0)]),
        ("t**2", parse("2*t"), [("number", 2.0)]),
        ("4*t**3/7", parse("12*t**2/7"), parse("24*t/7")),
        ("-t**2", [("number", -2.0), ("name", "t"), ("multiply", 0.0)], [("number", -2.0)]),
        ("sin(2*t)", parse("2*cos(2*t)"), [("number", -4.0), *parse("sin(2*t)"), ("multiply", 0.0)]),
        ("0.3*cos(pi*t)", None, None),
        ("where(t < 1, 2, 3)*t", None, [("number", 0.0)]),
    ],
)
def test_simple_things_stay_simple(text, first, second):
    rate = derivative(parse(text))
    assert first is None or rate == first
    assert second is None or derivative(rate) == second
    assert len(derivative(rate)) <= len(parse(text)) + 2


def test_a_sum_of_waves_grows_in_proportion():
    program = parse(" + ".join(f"{k}*sin({k}*t + 0.{k})" for k in range(1, 40)))
    rate = derivative(program)
    assert len(derivative(rate)) <= 1.1 * len(program) and len(rate) <= 1.1 * len(program)


def test_deep_nests():
    nested = "sin(" * 20 + "t" + ")" * 20
    rate = derivative(parse(nested))
    np.testing.assert_allclose(at(derivative(rate), 0.5), differences(rate, 0.5), rtol=1e-6)
    with pytest.raises(ValueError, match=f"more than {MOST_STEPS} operations: simplify it, or give a table"):
        derivative(derivative(parse("sin(" * 95 + "t" + ")" * 95)))


def test_only_time():
    with pytest.raises(ValueError, match=r"'A\.q' is not known as a function of time"):
        derivative(parse("2*A.q + t"))


@pytest.mark.parametrize("text", ["t*sin(A.q) + A.v**3/B.q", "max(A.q, B.q)*exp(-A.v)", "where(A.q < B.q, A.q*A.v, t)"])
def test_partial_derivatives_by_any_name(text):
    program, rng = parse(text), np.random.default_rng(0)
    at = {name: rng.uniform(0.5, 2.0, 20) for name in ("t", "A.q", "A.v", "B.q")}
    for name in at:
        up, down = ({**at, name: at[name] + step} for step in (1e-6, -1e-6))
        expected = (values(program, up) - values(program, down)) / 2e-6
        np.testing.assert_allclose(values(partial(program, name), at) * np.ones(20), expected, atol=1e-8)
