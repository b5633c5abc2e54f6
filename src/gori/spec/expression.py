"""Expressions in a Spec, such as `2*sin(3*t)` or `-40*A.q - 3*A.v`.

    numbers        2, 0.5, 1e-3, pi
    names          t (time [s]); JOINT.q and JOINT.v, coordinate and velocity of a joint with one degree of freedom;
                   BODY.x .y .z, BODY.vx .vy .vz and BODY.wx .wy .wz, position, velocity and angular velocity of a body
                   or frame, world axes
    operators      + - * / **, and < <= > >=, which give 1 or 0
    functions      sin cos tan asin acos atan sqrt exp log abs sign floor; atan2(y, x), min(a, b), max(a, b);
                   step(x) is 1 for x >= 0, else 0; where(c, a, b) is a where c is not 0, else b; clamp(x, low, high)

Python's own parser reads the text, and only the nodes of this list pass: nothing is ever run as Python. The outcome is
a postfix program, a list of (operation, argument) for a machine with a stack. All numbers are floats, and there are no
errors while it runs: 1/0 is infinite, sqrt(-1) is NaN.

Names are those of Python: a joint called `joint-1` or `in` cannot be spoken of.
"""

import ast
import difflib
import math
from collections.abc import Callable, Mapping

import numpy as np

LONGEST = 2000
DEEPEST = 100

Program = list[tuple[str, float | str]]

FUNCTIONS: dict[str, tuple[int, Callable]] = {
    "sin": (1, np.sin),
    "cos": (1, np.cos),
    "tan": (1, np.tan),
    "asin": (1, np.arcsin),
    "acos": (1, np.arccos),
    "atan": (1, np.arctan),
    "sqrt": (1, np.sqrt),
    "exp": (1, np.exp),
    "log": (1, np.log),
    "abs": (1, np.abs),
    "sign": (1, np.sign),
    "floor": (1, np.floor),
    "step": (1, lambda x: x >= 0.0),
    "atan2": (2, np.arctan2),
    "min": (2, lambda a, b: np.where(b < a, b, a)),
    "max": (2, lambda a, b: np.where(b > a, b, a)),
    "where": (3, lambda c, a, b: np.where(c != 0.0, a, b)),
    "clamp": (3, lambda x, low, high: np.where(x < low, low, np.where(x > high, high, x))),
}
"""what can be called: number of arguments, and what it does with arrays"""

OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}

OPERATIONS: dict[str, tuple[int, Callable]] = FUNCTIONS | {
    "negate": (1, np.negative),
    "add": (2, np.add),
    "subtract": (2, np.subtract),
    "multiply": (2, np.multiply),
    "divide": (2, np.divide),
    "power": (2, np.power),
    "less": (2, np.less),
    "less_equal": (2, np.less_equal),
    "greater": (2, np.greater),
    "greater_equal": (2, np.greater_equal),
}
"""all operations of a program but `number` and `name`"""

READINGS = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz")
"""what can be read of a body or frame, called as the channels of a recording"""
NAMES = "t, pi, JOINT.q, JOINT.v, and BODY.x .y .z .vx .vy .vz .wx .wy .wz"
_KNOWN = f"numbers, {NAMES}, + - * / **, < <= > >=, and the functions {', '.join(FUNCTIONS)}"
_INSTEAD = {
    ast.IfExp: "write where(condition, a, b)",
    ast.BitXor: "a power is written **",
    ast.And: "write a product of two comparisons",
    ast.Or: "write the larger of two comparisons, max(a, b)",
    ast.Not: "write 1 - condition",
    ast.Mod: "write a - b*floor(a/b)",
    ast.FloorDiv: "write floor(a/b)",
}


def closest(name: str, known) -> str:
    """A hint for a name that is not known."""
    match = difflib.get_close_matches(name, list(known), 1) if isinstance(name, str) else []
    return f"; did you mean {match[0]!r}?" if match else ""


def parse(text: str) -> Program:
    """The postfix program of an expression; ValueError if the text is not one."""
    if len(text) > LONGEST:
        raise ValueError(f"the expression has {len(text)} characters; the limit is {LONGEST}")
    text = text.strip()
    if not text:
        raise ValueError("the expression is empty")
    try:
        body = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        where = f" at character {error.offset}" if error.offset else ""
        raise ValueError(f"{_short(text)} is not an expression: {error.msg}{where}") from None
    except (MemoryError, RecursionError):
        raise ValueError(f"{_short(text)} is nested too deeply") from None
    except ValueError as error:  # characters that no source can hold
        raise ValueError(f"{_short(text)} is not an expression: {error}") from None
    program: Program = []
    _emit(body, text, program, 1)
    return program


def _emit(node: ast.expr, text: str, program: Program, depth: int) -> None:
    """Append what computes the node: its operands, then its operation."""
    if depth > DEEPEST:
        raise ValueError(f"{_short(text)} is nested more than {DEEPEST} deep")
    operands: list[ast.expr] = []
    match node:
        case ast.Constant():
            step = "number", _number(node, text)
        case ast.Name(id="pi"):
            step = "number", math.pi
        case ast.Name(id="t"):
            step = "name", "t"
        case ast.Name():
            raise ValueError(_unknown_name(node.id))
        case ast.Attribute():
            step = "name", _dotted(node, text)
        case ast.UnaryOp(op=ast.USub()):
            operands, step = [node.operand], ("negate", 0.0)
        case ast.UnaryOp(op=ast.UAdd()):
            operands, step = [node.operand], None
        case ast.BinOp() if type(node.op) in OPERATORS:
            operands, step = [node.left, node.right], (OPERATORS[type(node.op)], 0.0)
        case ast.Compare() if len(node.ops) > 1:
            raise ValueError(
                f"comparisons cannot be chained: {_source(node, text)}; write a product such as (a < b)*(b < c)"
            )
        case ast.Compare() if type(node.ops[0]) in OPERATORS:
            operands, step = [node.left, node.comparators[0]], (OPERATORS[type(node.ops[0])], 0.0)
        case ast.Call():
            operands, step = node.args, (_function(node, text), 0.0)
        case _:
            kind = type(node.op) if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp)) else type(node)
            hint = _INSTEAD.get(kind, f"known: {_KNOWN}")
            raise ValueError(f"{_source(node, text)} is not allowed in an expression: {hint}")
    for operand in operands:
        _emit(operand, text, program, depth + 1)
    if step is not None:
        program.append(step)


def _number(node: ast.Constant, text: str) -> float:
    if type(node.value) not in (int, float):
        raise ValueError(f"{_source(node, text)} is not a number: known: {_KNOWN}")
    try:
        number = float(node.value)  # type: ignore[arg-type]
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"the number {_source(node, text)} is too large")
    return number


def _unknown_name(name: str) -> str:
    if name in FUNCTIONS:
        return f"{name!r} is a function: write {name}(...)"
    return f"unknown name {name!r}{closest(name, ['t', 'pi', *FUNCTIONS]) or f'; known names are {NAMES}'}"


def _dotted(node: ast.expr, text: str) -> str:
    parts, inner = [], node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        raise ValueError(f"{_source(node, text)} is not a name: dots are only allowed in names such as JOINT.q")
    return ".".join([inner.id, *reversed(parts)])


def _function(node: ast.Call, text: str) -> str:
    if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
        hint = closest(node.func.id, FUNCTIONS) if isinstance(node.func, ast.Name) else ""
        hint = hint or f"; known functions are {', '.join(FUNCTIONS)}"
        raise ValueError(f"unknown function {_source(node.func, text)}{hint}")
    name = node.func.id
    needed, given = FUNCTIONS[name][0], len(node.args)
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise ValueError(f"{name} takes positional arguments only: {_source(node, text)}")
    if given != needed:
        raise ValueError(f"{name} takes {needed} argument{'s' * (needed > 1)}, not {given}: {_source(node, text)}")
    return name


def _source(node: ast.expr, text: str) -> str:
    return _short(ast.get_source_segment(text, node) or text)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def values(program: Program, names: Mapping[str, np.ndarray | float]) -> np.ndarray:
    """What a program gives for the values of its names, which may be arrays: the textbook interpreter."""
    stack: list = []
    with np.errstate(all="ignore"):
        for operation, argument in program:
            if operation == "number":
                stack.append(np.float64(argument))
            elif operation == "name":
                stack.append(np.asarray(names[str(argument)], float))
            else:
                count, function = OPERATIONS[operation]
                operands = stack[-count:]
                del stack[-count:]
                stack.append(np.asarray(function(*operands), float))
    return stack.pop()


def value(program: Program, names: Mapping[str, float]) -> float:
    """The same of numbers, with which tests compare."""
    return float(values(program, names))
