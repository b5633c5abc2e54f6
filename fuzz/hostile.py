"""Values that break readers, and small changes of text."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

NUMBERS = (
    "nan", "inf", "-inf", "1e308", "-1e308", "1.7976931348623157e308", "1e400", "1e-320", "1e200", "1e150", "1e30", "0",
    "-0.0", "-1", "1e-9", "1e9", "1000000000", "2147483648", "4294967296", "9223372036854775807",
    "-9223372036854775808",
    "1" * 400, "0x10", "1_000", "1,5", "5 mm", "٣", "1e", "--1", "true", "3.5", "", " ", "1 2", "$(x)", "1e5", "255",
    "-5",
)  # fmt: skip
"""numbers as text, and what only looks like them"""
VALUES = (
    float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e200, 1e150, 1e30, 1e-320, 0, 0.0, -0.0, -1, -1.0, 1e-9,
    1e9, 10**9, 1 << 31, 1 << 63, 10**30, 10**400, -(10**30), True, None, "text", "5 mm", [], {}, [1, 2], [[1]], 0.5,
    2, 7,
)  # fmt: skip
"""plain data"""
NAMES = (
    "", " ", "ground", "world", "none", "a" * 300, "a b", "a.b", "*", "?", "é", "\u202e", "..", "a/b", "0", "nan",
    "null",
    "{}", "%s", "base", "🙂", "a:b", "\x7f", "q", "-", "l1", "it's",
)  # fmt: skip
FILES = (
    "", ".", "..", "/", "/dev/zero", "/dev/null", "/etc/passwd", "../../../../etc/passwd", "none.stl", "a" * 300,
    "folder",
    "pipe", "ring", "empty.stl", "file:///dev/zero", "package://x/y.stl", "http://localhost/x.stl", "wedge.obj",
    "solid.stl",
    "tyre.tir", "hill.csv", "middle.yaml", "uses.yaml", "robot.urdf", "part.xml", "every.sdf", "part.sdf", "arm.xml",
    "shared.xml", "\\\\x\\y",
    "nul\x01", "~/x.stl", "model://every/solid.stl",
)  # fmt: skip
"""names of files; the last ones exist, `pipe` and `ring` are no files"""
EXPRESSIONS = (
    "1/0", "t**t**t**t", "9**9**9**9", "(" * 200 + "t" + ")" * 200, "sin(", "sin()", "sin(1, 2)", "x",
    "__import__('os')",
    "t.t", "a.q", "exp(1000)", "sqrt(-1)", "-" * 500 + "t", "t+" * 2000 + "t", "lambda: 0", "[1]", "t if t else 0",
    "1e999",
    "0*inf", "t;t", "t=1", "max()", "clamp(t)", "'t'", "t\n+1", "1j", "not t", "t<1", "True",
)  # fmt: skip
Rng = np.random.Generator
T = TypeVar("T")


def one_of(rng: Rng, choices: Sequence[T]) -> T:
    """One of some values, as it is: rng.choice would make an array of them."""
    return choices[int(rng.integers(len(choices)))]


def number(rng: Rng, text: str) -> str:
    """Another number in place of one in text."""
    if rng.random() < 0.5:
        try:
            value = float(text)
        except ValueError:
            value = 1.0
        factor = one_of(rng, (-1.0, 1e3, 1e-3, 1e12, 1e-12, 0.5, 2.0, 1.0 + 1e-12, 1e100))
        return repr(value * factor)
    return one_of(rng, NUMBERS)


def word(rng: Rng, text: str, known: Sequence[str]) -> str:
    """Another word: one of the same file, a strange one, or the same with a change."""
    how = rng.random()
    if how < 0.45 and known:
        return one_of(rng, known)
    if how < 0.6:
        return one_of(rng, NAMES)
    if how < 0.75:
        return one_of(rng, FILES)
    if how < 0.9:
        return one_of(rng, EXPRESSIONS)
    return one_of(rng, (text * 2, text[:-1], text.upper(), text + " ", text + "\u0301", text * 60))


# ---- text of any kind

ENCODINGS = ("utf-16", "utf-32", "latin-1", "utf-8-sig", "cp037", "utf-7")


def _cut(text: bytes, rng: Rng) -> bytes:
    return text[: int(rng.integers(len(text) + 1))]


def _encoded(text: bytes, rng: Rng) -> bytes:
    return text.decode("utf-8", "replace").encode(one_of(rng, ENCODINGS), "replace")


def _inserted(text: bytes, rng: Rng) -> bytes:
    at = int(rng.integers(len(text) + 1))
    what = one_of(rng, (b"\0", b"\t", b"\xff", b"\xef\xbb\xbf", b"\r", b"\x1b[31m", b"<", b">", b"&", b"{", b"]",
    b"'", b'"',
                        b"#", b":", b"-", b" " * 1000, b"\n" * 1000, b"[" * 10_000, b"{a: " * 10_000, b"<a>" * 10_000,
                        b"%", b"&#0;", b"&lol;", b"<!--", b"]]>", b"*a", b"&a b", b"!!python/object:os.system x",
                        bytes(rng.integers(0, 256, 40, dtype=np.uint8))))  # fmt: skip
    return text[:at] + what + text[at:]


def _lines(text: bytes, rng: Rng) -> bytes:
    """Lines that are missing, doubled, exchanged or turned by their indentation."""
    lines = text.split(b"\n")
    one, two = (int(k) for k in rng.integers(len(lines), size=2))
    how = int(rng.integers(5))
    if how == 0:
        del lines[one]
    elif how == 1:
        lines.insert(two, lines[one])
    elif how == 2:
        lines[one], lines[two] = lines[two], lines[one]
    elif how == 3:
        lines[one] = b"  " + lines[one]
    else:
        lines[one : one + 1] = [lines[one]] * 200
    return b"\n".join(lines)


def _bytes(text: bytes, rng: Rng) -> bytes:
    data = bytearray(text)
    for _ in range(int(rng.integers(1, 6))):
        if data:
            data[int(rng.integers(len(data)))] = int(rng.integers(256))
    return bytes(data)


def _number_in_it(text: bytes, rng: Rng) -> bytes:
    words = text.split(b" ")
    numbers = [k for k, one in enumerate(words) if one[-1:].isdigit()]
    if numbers:
        k = one_of(rng, numbers)
        words[k] = number(rng, words[k].decode("utf-8", "replace")).encode()
    return b" ".join(words)


_CHANGES: tuple[Callable[[bytes, Rng], bytes], ...] = (
    _cut, _encoded, _inserted, _inserted, _lines, _lines, _lines, _bytes, _number_in_it, _number_in_it,
)  # fmt: skip


def text(content: bytes, rng: Rng) -> tuple[bytes, str]:
    """Text with a change that does not know what the text means; and the name of the change."""
    change: Any = one_of(rng, _CHANGES)
    return change(content, rng), change.__name__.strip("_")
