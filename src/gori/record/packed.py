"""Recordings that are complete, compressed without loss: about half the size, and read by any HDF5 library.

Each column is compressed by itself (bytes of equal weight together, then deflate), in blocks of BLOCK rows: numbers of
one column resemble each other. So are large arrays of the Spec, as of a road. Files that grow are not packed
(`rows.py`): a kill might tear a block.
"""

import errno
import os
import shutil
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gori.record.damage import reading
from gori.record.rows import (
    ENDS,
    SLOT_STATUS,
    SLOTS,
    STATUS,
    STRUCTURE,
    Column,
    Header,
    RowFile,
    Slot,
    new_file,
    open_file,
    part_of,
    probe,
    read_header,
    read_slot,
    slot_status,
)
from gori.record.seal import Span, write_seal
from gori.record.stored import CHECK, read_columns

BLOCK = 4096
"""rows that are compressed together"""
SMALL = 1 << 15
"""size up to which a column is left as it is [bytes]"""
PIECES = 512
"""blocks side by side in a column of many numbers, at most"""

Rows = Callable[[str, int, int], np.ndarray]
"""rows of a column: its name, the first row, and how many"""


def write_packed(
    path: Path, header: Header, columns: Mapping[str, Column], count: int, rows: Rows, end: str, slot: Slot | None
) -> None:
    """A whole recording; takes the place of a file that is there in one step."""
    part = part_of(path)
    try:
        probe(part, header.size)
        most = sum(count * column.row_bytes for column in columns.values()) + len(slot.data if slot else b"")
        if shutil.disk_usage(part.parent).free < most:  # the library does not recover from a disk that is full
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        blocks = {name: _blocks(column, count) for name, column in columns.items()}
        structure = STRUCTURE * (len(columns) + len(header.arrays) + 4) + sum(map(_index_bytes, blocks.values()))
        new, seal = new_file(part, sum(blocks.values()) + 8, structure)
        with new as file:
            header.write(file, packed=True)
            file.create_group("checkpoint")
            file.create_group("extra", track_order=True)
            bytes_of = np.frombuffer(slot.data if slot else b"", np.uint8)
            for k, name in enumerate(SLOTS):
                file[name] = bytes_of if slot is not None and k == slot.sequence % 2 else bytes_of[:0]
            status = np.zeros((2, 4), "<i8")
            if slot is not None:
                status[slot.sequence % 2] = slot_status(slot)
            file[SLOT_STATUS], file[STATUS] = status, np.array([count, ENDS.index(end)], "<i8")
            sets = {
                name: file.create_dataset(name, (count, *column.shape), column.dtype, **_packing(column, count))
                for name, column in columns.items()
            }
            for first in range(0, count, BLOCK):  # all columns side by side: a file that is cut off loses the last rows
                size = min(BLOCK, count - first)
                for name, data in sets.items():
                    data[first : first + size] = rows(name, first, size)
                    data.flush()  # now, not when the library likes to
            for data in sets.values():
                if data.chunks is None:  # compressed blocks have checksums of their own
                    data.attrs[CHECK] = zlib.crc32(data[()].tobytes())
            file.flush()
            spans = [span for name in (*columns, *SLOTS, STATUS, SLOT_STATUS) for span in spans_of(file[name])]
        write_seal(part, seal, spans)
        with open(part, "r+b") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _packing(column: Column, count: int) -> dict[str, Any]:
    """How the library shall store a column."""
    if count * column.row_bytes <= SMALL:
        return {}
    numbers = column.shape[-1:] and max(1, -(-column.shape[-1] // PIECES))
    chunks = (min(count, BLOCK), *column.shape[:-1], *((numbers,) if column.shape else ()))
    return {"chunks": chunks, "compression": "gzip", "compression_opts": 4, "shuffle": True}


def _blocks(column: Column, count: int) -> int:
    """Of a column as the library stores it."""
    chunks = _packing(column, count).get("chunks")
    return 1 if chunks is None else int(np.prod([-(-n // k) for n, k in zip((count, *column.shape), chunks)]))


def _index_bytes(blocks: int) -> int:
    """About what the library needs to find the blocks of a column again: nodes of up to 64 of them."""
    return 0 if blocks == 1 else 2700 * (1 + blocks // 48)


def spans_of(data: Any) -> list[Span]:
    """Where in the file the numbers of a dataset are: first byte and end of each block."""
    if data.chunks is None:
        place = data.id.get_offset()
        return [] if place is None else [(place, place + data.id.get_storage_size())]
    spans: list[Span] = []
    data.id.chunk_iter(lambda chunk: spans.append((chunk.byte_offset, chunk.byte_offset + chunk.size)))
    return spans


def unpack(path: Path) -> None:
    """Make a packed file one that can grow; nothing happens to others."""
    with open_file(path) as file:
        header, slot, stored = read_header(file, strict=True), read_slot(file), read_columns(file)
        stored.require_all()
        with reading(path, "a checkpoint"):
            equal = len(file[SLOTS[0]]) == len(file[SLOTS[1]])  # of a packed file, one slot has no place
        if equal and not any(column.packed for column in stored.columns.values()):
            return
        columns = {name: Column(column.shape[1:], column.dtype) for name, column in stored.columns.items()}
        part, count = part_of(path), stored.count
        rows = RowFile.create(part, header, columns, count, len(slot.data) if slot else 0)
        try:
            for name, column in stored.columns.items():
                for first in range(0, count, BLOCK):
                    rows.write(name, first, column.read(slice(first, min(first + BLOCK, count))))
            if slot is not None:
                rows.write_slot(slot)
            rows.publish(count, stored.end)
            rows.sync()
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        finally:
            rows.close()
    os.replace(part, path)
