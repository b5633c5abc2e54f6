"""Mutants of files of lines and words: tyres, tables, meshes in text. And of the headers of files of bytes."""

import struct
from typing import Any

import numpy as np

from fuzz.hostile import Rng, number, one_of, word


def mutated(content: bytes, rng: Rng, others: list[bytes]) -> tuple[bytes, str]:
    """Text with one to four changes of its words and lines, and words on them."""
    lines = content.decode("utf-8", "replace").split("\n")
    told = []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 4]))):
        told.append(_change(lines, rng, others))
    return "\n".join(lines).encode("utf-8", "replace"), ", ".join(told)


def _change(lines: list[str], rng: Rng, others: list[bytes]) -> str:
    k, how = int(rng.integers(len(lines))), rng.random()
    if how < 0.5:  # a number
        mark = "," if "," in lines[k] else "=" if "=" in lines[k] else " "
        words = lines[k].split(mark)
        at = int(rng.integers(len(words))) if mark != "=" else len(words) - 1
        words[at] = " " + number(rng, words[at].split("$")[0]) if mark == "=" else number(rng, words[at])
        lines[k] = mark.join(words)
        return f"line {k}: {lines[k]!r:.40}"
    if how < 0.62:  # a word
        known = [one for line in lines for one in line.split()[:1]]
        words = lines[k].split(" ")
        at = int(rng.integers(len(words)))
        words[at] = word(rng, words[at], known)
        lines[k] = " ".join(words)
        return f"line {k}: {lines[k]!r:.40}"
    if how < 0.72 and len(lines) > 1:
        del lines[k]
        return f"line {k} removed"
    if how < 0.8:
        lines[k:k] = lines[k : k + 1] * int(rng.choice([1, 1, 3, 2000]))
        return f"line {k} again"
    if how < 0.88:
        donor = one_of(rng, others).decode("utf-8", "replace").split("\n")
        lines.insert(k, one_of(rng, donor))
        return "a line of another file"
    if how < 0.95:
        to = int(rng.integers(len(lines)))
        lines.insert(to, lines.pop(k))
        return f"line {k} moved"
    lines[k] = one_of(rng, (lines[k] * 50, lines[k].replace(" ", ""), lines[k] + " 0", "", lines[k][::-1]))
    return f"line {k}: {lines[k]!r:.40}"


COUNTS = (0, 1, 2, 3, 5, -1, 255, 1 << 15, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 10**6)
FLOATS = (float("nan"), float("inf"), -float("inf"), 1e38, -1e38, 0.0, 1e-45, 1e20, 1e-20)


def stl(content: bytes, rng: Rng, others: list[bytes]) -> tuple[bytes, str]:
    """An STL of bytes: its count, its numbers, its length."""
    if content[:5] == b"solid":
        return mutated(content, rng, others)
    data, told = bytearray(content), []
    for _ in range(int(rng.integers(1, 4))):
        how = rng.random()
        if how < 0.25:
            struct.pack_into("<I", data, 80, (count := one_of(rng, COUNTS)) & 0xFFFFFFFF)
            told.append(f"count {count}")
        elif how < 0.75:
            at = 84 + 50 * int(rng.integers((len(data) - 84) // 50)) + 4 * int(rng.integers(12))
            struct.pack_into("<f", data, at, value := one_of(rng, FLOATS))
            told.append(f"{at}: {value}")
        elif how < 0.85:
            data[:5] = b"solid"
            told.append("solid")
        elif how < 0.95 and len(data) > 140:
            at = 84 + 50 * int(rng.integers((len(data) - 84) // 50))
            del data[at : at + int(rng.choice([50, 50, 7]))]
            told.append("shorter")
        else:
            data += bytes(int(rng.choice([1, 50, 5000])))
            told.append("longer")
        if len(data) < 134:
            break
    return bytes(data), ", ".join(told)


DTYPES = (
    "<f8",
    "<f4",
    ">f8",
    "<i8",
    "|b1",
    "<c16",
    "|O",
    "<U9",
    "|S4",
    "<f2",
    "|V8",
    "<M8[s]",
    [("a", "<f8")],
    "x",
    "",
    None,
)
SHAPES: tuple[Any, ...] = (
    (0,), (0, 0), (), (1, 1), (2, 3), (3, 2), (10**12, 3), (-1, 3), (3, -1), (1 << 62, 1 << 62), (6,), (1, 2, 3), (2,
    0),
    "x", None, (2.0, 3), [2, 3], (True, 6),
)  # fmt: skip


def npy(content: bytes, rng: Rng, others: list[bytes]) -> tuple[bytes, str]:
    """A .npy file: its header, its version, its numbers."""
    from io import BytesIO

    array = np.load(BytesIO(content))
    header: Any = {"descr": "<f8", "fortran_order": False, "shape": array.shape}
    flat, version, how = array.astype("<f8").ravel(), (1, 0), rng.random()
    told = []
    if how < 0.55:
        for _ in range(int(rng.integers(1, 5))):
            flat[int(rng.integers(flat.size))] = one_of(rng, (*FLOATS, 1e308, -1e308, 5.0, -3.0))
        told.append("numbers")
    if how > 0.5 and rng.random() < 0.5:
        header["shape"] = one_of(rng, SHAPES)
        told.append(f"shape {header['shape']}")
    if how > 0.5 and rng.random() < 0.4:
        header["descr"] = one_of(rng, DTYPES)
        told.append(f"kind {header['descr']}")
    if how > 0.5 and rng.random() < 0.2:
        header["fortran_order"] = one_of(rng, (True, 1, None, "x"))
        told.append("order")
    if how > 0.9:
        header.pop(one_of(rng, list(header)))
        told.append("a key less")
    if how > 0.95:
        header = one_of(rng, ([], "x", {"a": 1}, {**header, "more": 1}))
    if rng.random() < 0.15:
        version = one_of(rng, ((2, 0), (3, 0), (9, 9), (0, 0)))
        told.append(f"version {version}")
    written = repr(header).encode() if rng.random() < 0.95 else b"(" * 5000
    size = "<H" if version[0] < 2 else "<I"
    body = flat.tobytes()
    if rng.random() < 0.3:
        body = one_of(rng, (body[:-3], body[: len(body) // 2], b"", body + bytes(100), body * 3))
        told.append(f"{len(body)} bytes")
    if rng.random() < 0.05:
        written += b" " * 20_000
    return b"\x93NUMPY" + bytes(version) + struct.pack(size, len(written)) + written + body, ", ".join(told)
