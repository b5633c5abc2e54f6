"""A checksum over the structure of an HDF5 file, so that the library is never handed a damaged one.

The library trusts what it reads: one changed byte in a header can end the process or keep it busy for ever (2 to 15 of
1500 files with a few changed bytes in their headers did). Gori's own files therefore hold a dataset `seal`: a CRC-32
of all bytes but those of the samples, which may change. It is found by its mark, without the library.

    mark     16 bytes
    int64    count of spans, CRC-32
    int64    (count, 2) spans of bytes that are not part of the structure: columns, checkpoints, status

A file without a seal, or with one that is broken, is first read by another process (`opened.py`,
`trial.py`), which may die of it.
"""

import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

SEAL = "seal"
MARK = b"\x93gori seal 1\r\n\x00\x00"
WITHIN = 1 << 16
"""where the mark is searched [bytes from the start]: the seal is the first dataset"""
END = 1 << 62
"""a span up to the end of the file, wherever that is"""
_HEAD = len(MARK) + 16
_PIECE = 1 << 22

Span = tuple[int, int]


def seal_bytes(spans: int) -> int:
    """Size of a seal for so many spans."""
    return _HEAD + 16 * (spans + 1)


def write_seal(path: Path, place: int, spans: Iterable[Span]) -> None:
    """Seal a file that the library has closed.

    place   offset of the dataset `seal`, of `seal_bytes` for at least so many spans
    spans   first byte and end of what may change
    """
    merged: list[list[int]] = []
    spans = [span for span in spans if span[1] > span[0]]
    # its own bytes count as a span: their length depends on how many there are, so all that was set aside
    room = seal_bytes(len(spans))
    for first, end in sorted([*spans, (place, place + room)]):
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([first, end])
    table = np.array(merged, "<i8")
    with open(path, "r+b") as file:
        check = _checksum(file, table, os.fstat(file.fileno()).st_size)
        file.seek(place)
        file.write(MARK + np.array([len(table), check], "<i8").tobytes() + table.tobytes())


def sealed(file: BinaryIO, size: int) -> bool | None:
    """Whether the structure of a file of so many bytes is as it was sealed; None if it has no seal."""
    file.seek(0)
    head = file.read(WITHIN) or b""
    if (place := head.find(MARK)) < 0:
        return None
    file.seek(place + len(MARK))
    numbers = file.read(16) or b""
    if len(numbers) < 16:
        return False
    count, check = np.frombuffer(numbers, "<i8").tolist()
    if not 0 < count <= size // 16:
        return False
    spans = file.read(16 * count) or b""
    if len(spans) != 16 * count:
        return False
    table = np.frombuffer(spans, "<i8")
    if (table[1:] <= table[:-1]).any() or table[0] < 0:
        return False
    return _checksum(file, table.reshape(-1, 2), size) == check


def _checksum(file: BinaryIO, table: np.ndarray, size: int) -> int:
    """CRC-32 of all bytes outside the spans of a table, and of the table."""
    check = zlib.crc32(table.tobytes())
    for first, end in zip([0, *table[:, 1].tolist()], [*table[:, 0].tolist(), size]):
        file.seek(min(first, size))
        while first < end:
            piece = file.read(min(_PIECE, end - first))
            if not piece:  # the file is cut off
                return -1
            check, first = zlib.crc32(piece, check), first + len(piece)
    return check
