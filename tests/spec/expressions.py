"""Random expressions for tests, and what Python itself makes of them."""

import math
from types import SimpleNamespace

from hypothesis import strategies as st

from gori.spec.expression import FUNCTIONS, Program

AMBIENT = {"t": 0.75, "A.q": -0.4, "A.v": 1.3, "arm.B.q": 2.5, "arm.B.v": -3.0}
"""values of all names that a random expression may hold"""

_A = SimpleNamespace(q=AMBIENT["A.q"], v=AMBIENT["A.v"])
_ARM = SimpleNamespace(B=SimpleNamespace(q=AMBIENT["arm.B.q"], v=AMBIENT["arm.B.v"]))
_PYTHON = {name: getattr(math, name, None) for name in FUNCTIONS} | {
    "abs": abs,
    "min": min,
    "max": max,
    "sign": lambda x: (x > 0.0) - (x < 0.0),
    "step": lambda x: float(x >= 0.0),
    "where": lambda c, a, b: a if c else b,
    "clamp": lambda x, low, high: low if x < low else high if x > high else x,
    "pi": math.pi,
    "t": AMBIENT["t"],
    "A": _A,
    "arm": _ARM,
}


def expressions() -> st.SearchStrategy[str]:
    """Text of random expressions. Numbers are written with a point, so that Python does not compute with ints."""
    numbers = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 10.0, 0.1]) | st.floats(0.0, 1e3)
    leaves = numbers.map(repr) | st.sampled_from([*AMBIENT, "pi"])

    def grow(inner):
        operators = st.sampled_from(["+", "-", "*", "/", "**", "<", "<=", ">", ">="])
        calls = [
            st.tuples(*[inner] * count).map(lambda operands, name=name: f"{name}({', '.join(operands)})")
            for name, (count, _) in FUNCTIONS.items()
        ]
        unary = st.tuples(st.sampled_from("+-"), inner).map(lambda pair: f"({pair[0]}{pair[1]})")
        return st.tuples(inner, operators, inner).map(lambda parts: f"({' '.join(parts)})") | unary | st.one_of(calls)

    return st.recursive(leaves, grow, max_leaves=12)


def python_value(text: str) -> float | None:
    """What Python gives for the text, or None where it raises or leaves the real numbers."""
    try:
        result = eval(text, {"__builtins__": {}}, _PYTHON)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return float(result) if isinstance(result, (int, float)) and math.isfinite(result) else None


def noisy(program: Program) -> Program:
    """The program with a relative error of 1e-13 after each operation that is not exact in all libraries.

    Where this changes the outcome, as a step or the sine of a large number does, implementations may differ.
    """
    rounded = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "power", "divide")
    out: Program = []
    for step in program:
        out.append(step)
        if step[0] in rounded:
            out += [("number", 1.0 + 1e-13), ("multiply", 0.0)]
    return out
