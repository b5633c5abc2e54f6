"""Expressions: what they mean, and that nothing else gets through."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gori.spec.expression import DEEPEST, FUNCTIONS, LONGEST, OPERATIONS, OPERATORS, READINGS, parse, value, values
from tests.spec.expressions import AMBIENT, expressions, noisy, python_value


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("2", [("number", 2.0)]),
        (" 1e-3\n", [("number", 1e-3)]),
        ("pi", [("number", math.pi)]),
        ("+t", [("name", "t")]),
        ("-A.q", [("name", "A.q"), ("negate", 0)]),
        ("truck.wheel_fl.spin.v", [("name", "truck.wheel_fl.spin.v")]),
        ("1 + 2*t", [("number", 1), ("number", 2), ("name", "t"), ("multiply", 0), ("add", 0)]),
        ("t >= 1", [("name", "t"), ("number", 1), ("greater_equal", 0)]),
        ("atan2(1, t)", [("number", 1), ("name", "t"), ("atan2", 0)]),
    ],
)
def test_programs(text, program):
    assert parse(text) == program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 - 3 - 4", -5.0),
        ("2**3**2", 512.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("(1 < 2) + (2 <= 2) + (3 > 3) + (3 >= 4)", 2.0),
        ("step(0) + step(-1e-9)", 1.0),
        ("sign(-3) + sign(0)", -1.0),
        ("floor(-0.5)", -1.0),
        ("where(t > 1, 10, 20) + where(t < 1, 1, 2)", 12.0),
        ("clamp(5, -1, 1) + clamp(-5, -1, 1) + clamp(0.5, -1, 1)", 0.5),
        ("min(1, 2) + 10*max(1, 2)", 21.0),
        ("atan2(1, -1)", 0.75 * math.pi),
        ("A.q*A.v", 6.0),
        ("1/0", math.inf),
        ("-1/0", -math.inf),
        ("0/0", math.nan),
        ("sqrt(-1)", math.nan),
        ("(-8)**(1/3)", math.nan),
        ("log(0)", -math.inf),
        ("exp(1e4)", math.inf),
        ("9**9**9**9", math.inf),
        ("where(t > 0, 1, 1/0)", 1.0),
    ],
)
def test_values(text, expected):
    np.testing.assert_equal(value(parse(text), {"t": 2.0, "A.q": 2.0, "A.v": 3.0}), expected)


def test_each_operation_can_be_written():
    assert set(OPERATIONS) == set(FUNCTIONS) | set(OPERATORS.values()) | {"negate"}
    for name, (count, _) in FUNCTIONS.items():
        assert parse(f"{name}({', '.join('t' * count)})")[-1] == (name, 0.0)


REFUSED = {
    "": "is empty",
    "  \n": "is empty",
    "2 +": "is not an expression",
    "2 3": "is not an expression",
    "t\n+ 1": "is not an expression",
    "t = 3": "is not an expression",
    "import os": "is not an expression",
    "t\0": "is not an expression",
    "joint-1.q": "is not an expression",
    "__import__('os')": "unknown function '__import__'",
    "__import__('os').system('true')": "unknown function",
    "open('x')": "unknown function 'open'",
    "eval('1')": "unknown function 'eval'",
    "().__class__": "is not a name: dots are only allowed in names",
    "''.__class__.__mro__": "is not a name",
    "sin(t).real": "is not a name",
    "(1).real": "is not a name",
    "t.__class__()": "unknown function 't.__class__'",
    "(lambda: 1)()": "unknown function",
    "sin(t)(t)": "unknown function",
    "lambda: 1": "is not allowed",
    "a if b else c": "write where(condition, a, b)",
    "[x for x in y]": "is not allowed",
    "(x for x in y)": "is not allowed",
    "{1: 2}": "is not allowed",
    "{1, 2}": "is not allowed",
    "(1, 2)": "is not allowed",
    "1, 2": "is not allowed",
    "t[0]": "is not allowed",
    "(x := 1)": "is not allowed",
    "f'{t}'": "is not allowed",
    "await t": "is not allowed",
    "(yield)": "is not allowed",
    "*t": "is not an expression",
    "'text'": "is not a number",
    "b'1'": "is not a number",
    "2j": "is not a number",
    "True": "is not a number",
    "None": "is not a number",
    "...": "is not a number",
    "t % 2": "write a - b*floor(a/b)",
    "t // 2": "write floor(a/b)",
    "t ^ 2": "a power is written **",
    "t @ t": "is not allowed",
    "t << 100": "is not allowed",
    "~t": "is not allowed",
    "not t": "write 1 - condition",
    "t and t": "write a product",
    "t == 1": "is not allowed",
    "t in t": "is not allowed",
    "1 < t < 2": "comparisons cannot be chained",
    "1e999": "is too large",
    "9" * 400: "is too large",
    "snt(t)": "unknown function 'snt'; did you mean 'sin'?",
    "sinh(t)": "unknown function 'sinh'; did you mean 'sin'?",
    "bessel(t)": "known functions are sin, cos",
    "sin": "'sin' is a function: write sin(...)",
    "time": "unknown name 'time'",
    "q": "known names are t, pi, JOINT.q, JOINT.v, and BODY.x",
    "sin()": "sin takes 1 argument, not 0",
    "max(1, 2, 3)": "max takes 2 arguments, not 3",
    "sin(x=t)": "sin takes positional arguments only",
    "sin(*t)": "sin takes positional arguments only",
    "sin(**t)": "sin takes positional arguments only",
    "1" + "+1" * 1000: f"has 2001 characters; the limit is {LONGEST}",
    "1" + "+1" * 500: f"is nested more than {DEEPEST} deep",
    "-" * 1900 + "1": "nested",
    "1" + "**1" * 600: "nested",
    "(" * 900 + "1" + ")" * 900: "nested",
    "sin(" * 150 + "1" + ")" * 150: "nested",
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items(), ids=range(len(REFUSED)))
def test_refused(text, words):
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400


def test_sums_and_nests_up_to_the_limit():
    assert value(parse("+".join(["1"] * DEEPEST)), {}) == DEEPEST
    assert value(parse("-" * (DEEPEST - 1) + "1"), {}) == -1.0


@given(st.text(max_size=60) | st.text("t().qsinx+-*/<>=,0123456789[]{}:'\" ", max_size=60))
def test_any_text_is_refused_or_a_number(text):
    try:
        program = parse(text)
    except ValueError:
        return
    names = {str(argument): 1.0 for operation, argument in program if operation == "name"}
    assert isinstance(value(program, names), float)


@settings(max_examples=300)
@given(expressions())
def test_same_as_python(text):
    program = parse(text)
    expected = python_value(text)
    assume(expected is not None)
    here = value(program, AMBIENT)
    assume(math.isclose(value(noisy(program), AMBIENT), here, rel_tol=1e-6, abs_tol=1e-9))
    assert math.isclose(here, expected, rel_tol=1e-6, abs_tol=1e-9)


def test_all_names_and_functions_are_documented():
    page = (Path(__file__).parents[2] / "docs" / "simulate.md").read_text()
    table = page[page.index("## Expressions") : page.index("## Prescribed motions")]
    for name in (*FUNCTIONS, "t", "pi", "JOINT.q", "JOINT.v"):
        assert f"`{name}" in table, name
    assert all(f".{name}`" in table for name in READINGS)


@pytest.mark.parametrize(
    "text", ["step(t)*max(t, 0.5)", "clamp(t, -1, 1) + sign(t)", "where(t > 0, min(t, 2), t**2)", "3"]
)
def test_values_of_arrays_are_those_of_numbers(text):
    program, t = parse(text), np.linspace(-3.0, 3.0, 13)
    expected = [value(program, {"t": x}) for x in t]
    assert np.array_equal(values(program, {"t": t}) * np.ones(13), expected)
