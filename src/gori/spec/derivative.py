"""Derivatives of expressions: a program of t (`expression.py`) becomes the program of its rate, or a program of any
names that of its partial derivative by one of them.

The program is read from left to right with a stack of pairs (u, du/dt), each a tree of operations. Rules of calculus
are written down once, in `RULES`; trees are simplified while they grow (numbers are computed, *0, *1, +0 and the like
fall away), so that the second derivative of what a person writes stays short.

What is piecewise constant (sign, floor, step, comparisons) has rate zero everywhere: a jump is not seen. At corners of
abs, min, max, where and clamp the rate is that of the branch taken there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gori.spec.expression import OPERATIONS, Program

MOST_STEPS = 20_000
"""steps of the longest derivative that is not refused; deep nests grow with the third power of their depth"""


class Node:
    """A number, a name, or an operation on other nodes."""

    __slots__ = ("argument", "in_pieces", "operands", "operation")

    def __init__(self, operation: str, argument: float | str = 0.0, operands: tuple["Node", ...] = ()):
        self.operation, self.argument, self.operands = operation, argument, operands
        self.in_pieces: bool = operation == "where" or any(node.in_pieces for node in operands)

    def is_(self, *numbers: float) -> bool:
        """Whether it is one of these numbers; without any, whether it is a number at all."""
        return self.operation == "number" and (not numbers or self.argument in numbers)

    def __add__(self, other: "Node") -> "Node":
        return apply("add", self, other)

    def __sub__(self, other: "Node") -> "Node":
        return apply("subtract", self, other)

    def __mul__(self, other: "Node") -> "Node":
        return apply("multiply", self, other)

    def __truediv__(self, other: "Node") -> "Node":
        return apply("divide", self, other)

    def __pow__(self, other: "Node") -> "Node":
        return apply("power", self, other)

    def __neg__(self) -> "Node":
        return apply("negate", self)


def number(x: float) -> Node:
    return Node("number", float(x))


ZERO, ONE, TWO = number(0.0), number(1.0), number(2.0)


def derivative(program: Program) -> Program:
    """The program of d/dt of a program of t; ValueError for other names, and for derivatives that grow too long."""
    for operation, argument in program:
        if operation == "name" and argument != "t":
            raise ValueError(f"{argument!r} is not known as a function of time: only t can be differentiated")
    return partial(program, "t")


def partial(program: Program, name: str) -> Program:
    """The program of the derivative by one name, with all others held; ValueError if it grows too long."""
    pairs: list[tuple[Node, Node]] = []
    for operation, argument in program:
        if operation == "number":
            pairs.append((number(float(argument)), ZERO))
        elif operation == "name":
            pairs.append((Node("name", argument), ONE if argument == name else ZERO))
        else:
            count = OPERATIONS[operation][0]
            u, du = zip(*pairs[-count:])
            del pairs[-count:]
            still = all(rate.is_(0.0) for rate in du)
            pairs.append((apply(operation, *u), ZERO if still else RULES[operation](*u, *du)))
    return _postfix(pairs.pop()[1])


def _postfix(tree: Node) -> Program:
    """Operands first, then their operation; without recursion, so nests may be deep."""
    steps, todo = [], [tree]
    while todo:
        tree = todo.pop()
        steps.append((tree.operation, tree.argument))
        todo.extend(tree.operands)
        if len(steps) > MOST_STEPS:
            raise ValueError(f"its derivative has more than {MOST_STEPS} operations: simplify it, or give a table")
    return steps[::-1]


# ---- simplification


def apply(operation: str, *u: Node) -> Node:
    """The tree of an operation, in its simplest form."""
    if all(tree.is_() for tree in u):
        with np.errstate(all="ignore"):
            return number(OPERATIONS[operation][1](*(np.float64(tree.argument) for tree in u)))
    simpler = _SIMPLER[operation](*u) if operation in _SIMPLER else None
    return Node(operation, 0.0, u) if simpler is None else simpler


def _negate(a: Node) -> Node | None:
    if a.operation == "negate":
        return a.operands[0]
    if _scaled(a):
        return -a.operands[0] * a.operands[1]
    return None


def _add(a: Node, b: Node) -> Node | None:
    if a.is_(0.0):
        return b
    if b.is_(0.0):
        return a
    return a - b.operands[0] if b.operation == "negate" else None


def _subtract(a: Node, b: Node) -> Node | None:
    if a.is_(0.0):
        return -b
    if b.is_(0.0):
        return a
    return a + b.operands[0] if b.operation == "negate" else None


def _multiply(a: Node, b: Node) -> Node | None:
    if b.is_():
        return b * a
    if a.is_(0.0):
        return ZERO
    if a.is_(1.0):
        return b
    if a.is_(-1.0):
        return -b
    # numbers and signs to the front, where they meet
    if a.operation == "negate":
        return -(a.operands[0] * b)
    if b.operation == "negate":
        return -(a * b.operands[0])
    if _scaled(b):
        return (a * b.operands[0]) * b.operands[1] if a.is_() else b.operands[0] * (a * b.operands[1])
    return a.operands[0] * (a.operands[1] * b) if _scaled(a) else None


def _divide(a: Node, b: Node) -> Node | None:
    if a.is_(0.0):
        return ZERO
    if b.is_(1.0):
        return a
    return -(a.operands[0] / b) if a.operation == "negate" else None


def _power(a: Node, b: Node) -> Node | None:
    if b.is_(0.0):
        return ONE
    return a if b.is_(1.0) else None


def _where(c: Node, a: Node, b: Node) -> Node | None:
    if c.is_():
        return b if c.is_(0.0) else a
    return a if a is b or (a.is_() and b.is_(float(a.argument))) else None


def _scaled(a: Node) -> bool:
    """Whether it is a number times something."""
    return a.operation == "multiply" and a.operands[0].is_()


_SIMPLER: dict[str, Callable[..., Node | None]] = {
    "negate": _negate,
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "power": _power,
    "where": _where,
}
"""by operation: a simpler tree that means the same, or None; not all operands are numbers"""


# ---- rules of calculus


def _or_still(rate: Node, da: Node, margin: Node) -> Node:
    """A rate, but zero where the operand rests at the end of its range, as in sqrt(max(0, x)): there it is 0/0.

    margin   what is zero at the end of the range
    """
    if not da.in_pieces:
        return rate
    return apply("where", apply("max", apply("abs", margin), apply("abs", da)), rate, ZERO)


def _sqrt_rate(a: Node, da: Node) -> Node:
    return _or_still(da / (TWO * apply("sqrt", a)), da, a)


def _asin_rate(a: Node, da: Node) -> Node:
    margin = ONE - a * a
    return _or_still(da / apply("sqrt", margin), da, margin)


def _atan2_rate(y: Node, x: Node, dy: Node, dx: Node) -> Node:
    turn, square = dy * x - y * dx, y * y + x * x
    return _or_still(turn / square, turn, square)


def _power_rate(a: Node, b: Node, da: Node, db: Node) -> Node:
    by_base = ZERO
    if not da.is_(0.0):
        by_base = b * a ** (b - ONE) * da
        if not (b.is_() and float(b.argument) >= 2.0):  # the first two rates of the others may divide by a
            by_base = _or_still(by_base, da, a)
    if db.is_(0.0):
        return by_base
    return by_base + apply("where", a, a**b * apply("log", a) * db, ZERO)  # 0**b is 0 for all b > 0


def _clamp_rate(x: Node, low: Node, high: Node, dx: Node, dlow: Node, dhigh: Node) -> Node:
    inside = apply("where", apply("greater", x, high), dhigh, dx)
    return apply("where", apply("less", x, low), dlow, inside)


def _none(*_: Any) -> Node:
    return ZERO


RULES: dict[str, Callable[..., Node]] = {
    "negate": lambda a, da: -da,
    "add": lambda a, b, da, db: da + db,
    "subtract": lambda a, b, da, db: da - db,
    "multiply": lambda a, b, da, db: da * b + a * db,
    "divide": lambda a, b, da, db: da / b - a * db / (b * b),
    "power": _power_rate,
    "sin": lambda a, da: apply("cos", a) * da,
    "cos": lambda a, da: -apply("sin", a) * da,
    "tan": lambda a, da: (ONE + apply("tan", a) ** TWO) * da,
    "asin": _asin_rate,
    "acos": lambda a, da: -_asin_rate(a, da),
    "atan": lambda a, da: da / (ONE + a * a),
    "atan2": _atan2_rate,
    "sqrt": _sqrt_rate,
    "exp": lambda a, da: apply("exp", a) * da,
    "log": lambda a, da: da / a,
    "abs": lambda a, da: apply("sign", a) * da,
    "min": lambda a, b, da, db: apply("where", apply("less", b, a), db, da),
    "max": lambda a, b, da, db: apply("where", apply("greater", b, a), db, da),
    "where": lambda c, a, b, dc, da, db: apply("where", c, da, db),
    "clamp": _clamp_rate,
    "sign": _none,
    "floor": _none,
    "step": _none,
    "less": _none,
    "less_equal": _none,
    "greater": _none,
    "greater_equal": _none,
}
"""by operation: its rate, from its operands and then their rates; not all rates are zero"""
