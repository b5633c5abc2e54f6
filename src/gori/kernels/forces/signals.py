"""Signals: numbers that change with time and state, as forces and targets do.

A signal is a constant, a table over time, pieces of cubic polynomials over time, or an expression of t, q, v and of
readings of probes (`probes.py`) as a postfix program for a stack machine. One that is held stays as it is set: inputs
of many machines (`sim/batch`) are such signals.
Division by zero and the like give infinities and NaN as IEEE 754 has them; nothing is ever raised.
"""

import math

from gori.kernels.jit import kernel, part

# signal_i (ns, N_SIGNAL_I) int64
SIGNAL_KIND = 0
SIGNAL_START = 1  # first row in signal_f
SIGNAL_COUNT = 2  # number of rows
N_SIGNAL_I = 3

# kinds, and their rows of signal_f (rows, 2) float64
CONSTANT = 0  # one row: value, 0
TABLE = 1  # rows t [s], x; t increases
EXPRESSION = 2  # rows opcode, argument
CUBIC = 3  # three rows a piece: (t, c3), (c2, c1), (c0, 0) for c3 s3 + c2 s2 + c1 s + c0 with s = time - t; t increases
HELD = 4  # none: its value stays as it was put

_PUSH = ("number", "time", "q", "v", "reading")
_UNARY = ("negate", "sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "abs", "sign", "floor", "step")
_BINARY = ("add", "subtract", "multiply", "divide", "power", "less", "less_equal", "greater", "greater_equal", "atan2",
           "min", "max")  # fmt: skip
_TERNARY = ("where", "clamp")

OPCODES: dict[str, int] = {name: code for code, name in enumerate(_PUSH + _UNARY + _BINARY + _TERNARY)}
"""codes in the order of the number of operands: none, one, two, three"""

ARITY: dict[str, int] = (
    dict.fromkeys(_PUSH, 0) | dict.fromkeys(_UNARY, 1) | dict.fromkeys(_BINARY, 2) | dict.fromkeys(_TERNARY, 3)
)

NUMBER, TIME, Q, V, READING = (OPCODES[name] for name in _PUSH)
NEGATE, SIN, COS, TAN, ASIN, ACOS, ATAN, SQRT, EXP, LOG, ABS, SIGN, FLOOR, STEP = (OPCODES[name] for name in _UNARY)
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, ATAN2, MIN, MAX = (
    OPCODES[name] for name in _BINARY
)
WHERE, CLAMP = (OPCODES[name] for name in _TERNARY)


@part
def follows_state(signal_i, signal_f, s):
    """Whether signal s is an expression of q or v, or of where bodies are."""
    if signal_i[s, SIGNAL_KIND] != EXPRESSION:
        return False
    for row in range(signal_i[s, SIGNAL_START], signal_i[s, SIGNAL_START] + signal_i[s, SIGNAL_COUNT]):
        if signal_f[row, 0] in (Q, V, READING):
            return True
    return False


@part
def unary(code, x):
    """Operations on one number."""
    if code == NEGATE:
        return -x
    if code == SIN:
        return math.sin(x)
    if code == COS:
        return math.cos(x)
    if code == TAN:
        return math.tan(x)
    if code == ASIN:
        return math.asin(x)
    if code == ACOS:
        return math.acos(x)
    if code == ATAN:
        return math.atan(x)
    if code == SQRT:
        return math.sqrt(x)
    if code == EXP:
        return math.exp(x)
    if code == LOG:
        return math.log(x)
    if code == ABS:
        return abs(x)
    if code == SIGN:
        return 1.0 if x > 0.0 else -1.0 if x < 0.0 else x
    if code == FLOOR:
        return x // 1.0 if abs(x) < 1e15 else x  # beyond it all numbers are whole
    return 1.0 if x >= 0.0 else 0.0


@part
def binary(code, a, b):
    """Operations on two numbers."""
    if code == ADD:
        return a + b
    if code == SUBTRACT:
        return a - b
    if code == MULTIPLY:
        return a * b
    if code == DIVIDE:
        return a / b
    if code == POWER:
        return a**b
    if code == LESS:
        return 1.0 if a < b else 0.0
    if code == LESS_EQUAL:
        return 1.0 if a <= b else 0.0
    if code == GREATER:
        return 1.0 if a > b else 0.0
    if code == GREATER_EQUAL:
        return 1.0 if a >= b else 0.0
    if code == ATAN2:
        return math.atan2(a, b)
    if code == MIN:
        return b if b < a else a
    return b if b > a else a


@part
def ternary(code, a, b, c):
    """Operations on three numbers."""
    if code == WHERE:
        return b if a != 0.0 else c
    return b if a < b else c if a > c else a


@part
def run_program(signal_f, start, count, t, q, v, readings, stack):
    """What the rows start .. start + count compute."""
    top = -1
    for row in range(start, start + count):
        code = int(signal_f[row, 0])
        if code < NEGATE:
            top += 1
            if code == NUMBER:
                stack[top] = signal_f[row, 1]
            elif code == TIME:
                stack[top] = t
            elif code == Q:
                stack[top] = q[int(signal_f[row, 1])]
            elif code == V:
                stack[top] = v[int(signal_f[row, 1])]
            else:
                stack[top] = readings[int(signal_f[row, 1])]
        elif code < ADD:
            stack[top] = unary(code, stack[top])
        elif code < WHERE:
            top -= 1
            stack[top] = binary(code, stack[top], stack[top + 1])
        else:
            top -= 2
            stack[top] = ternary(code, stack[top], stack[top + 1], stack[top + 2])
    return stack[0]


@part
def look_up(signal_f, start, count, t):
    """Linear between the rows start .. start + count, held outside."""
    low, high = start, start + count - 1
    if not t > signal_f[low, 0]:
        return signal_f[low, 1]
    if t >= signal_f[high, 0]:
        return signal_f[high, 1]
    while high - low > 1:
        middle = (low + high) // 2
        if signal_f[middle, 0] <= t:
            low = middle
        else:
            high = middle
    share = (t - signal_f[low, 0]) / (signal_f[high, 0] - signal_f[low, 0])
    return signal_f[low, 1] + share * (signal_f[high, 1] - signal_f[low, 1])


@part
def look_up_cubic(signal_f, start, count, t):
    """The last piece whose t has come; the first one before that too."""
    low, high = 0, count // 3
    while high - low > 1:
        middle = (low + high) // 2
        if signal_f[start + 3 * middle, 0] <= t:
            low = middle
        else:
            high = middle
    row = start + 3 * low
    s = t - signal_f[row, 0]
    return signal_f[row + 2, 0] + s * (signal_f[row + 1, 1] + s * (signal_f[row + 1, 0] + s * signal_f[row, 1]))


@part
def evaluate_signals(signal_i, signal_f, t, q, v, readings, values, stack):
    """Values of all signals at one state.

    t, q, v    time [s], coordinates (nq,), velocities (nv,)
    readings   of the probes there
    values     (ns,) out; of signals that are held, in
    stack      (depth,) scratch, as deep as the deepest program needs
    """
    for k in range(signal_i.shape[0]):
        start, count = signal_i[k, SIGNAL_START], signal_i[k, SIGNAL_COUNT]
        if signal_i[k, SIGNAL_KIND] == CONSTANT:
            values[k] = signal_f[start, 0]
        elif signal_i[k, SIGNAL_KIND] == TABLE:
            values[k] = look_up(signal_f, start, count, t)
        elif signal_i[k, SIGNAL_KIND] == CUBIC:
            values[k] = look_up_cubic(signal_f, start, count, t)
        elif signal_i[k, SIGNAL_KIND] == EXPRESSION:
            values[k] = run_program(signal_f, start, count, t, q, v, readings, stack)


@kernel("void(i8[:, ::1], f8[:, ::1], f8, f8[::1], f8[::1], f8[::1], f8[::1], f8[::1])")
def signals_one(signal_i, signal_f, t, q, v, readings, values, stack):
    """values (ns,) at one state."""
    evaluate_signals(signal_i, signal_f, t, q, v, readings, values, stack)
