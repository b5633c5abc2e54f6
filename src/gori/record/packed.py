"""Recordings that are complete, compressed without loss: about half the size, and read by any HDF5 library.

Each column is compressed by itself (bytes of equal weight together, then deflate), in blocks of BLOCK rows: numbers of
one column resemble each other. The text of a long Spec, as of a road, is compressed too. Files that grow are not packed
(`rows.py`): a kill might tear a block.
"""

import errno
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from gori.record.rows import (
    ENDS,
    FORMAT,
    SLOT_STATUS,
    SLOTS,
    STATUS,
    VERSION,
    Column,
    Header,
    RowFile,
    Slot,
    open_file,
    part_of,
    probe,
    read_header,
    read_rows,
    read_slot,
    slot_status,
)

BLOCK = 4096
"""rows that are compressed together"""
SMALL = 1 << 18
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
        probe(part, len(header.spec) + len(json.dumps(header.info)))
        most = sum(count * column.row_bytes for column in columns.values()) + len(slot.data if slot else b"")
        if shutil.disk_usage(part.parent).free < most:  # the library does not recover from a disk that is full
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with h5py.File(part, "w", locking=False) as file:
            file.attrs.update(format=FORMAT, version=VERSION, open_loops=header.open_loops)
            text = np.frombuffer(header.spec.encode(), np.uint8)
            if len(text) > SMALL:
                file.create_dataset("spec", data=text, compression="gzip", compression_opts=4)
            else:
                file["spec"] = header.spec
            file["info"] = json.dumps(header.info)
            file.create_group("checkpoint")
            file.create_group("extra", track_order=True)
            for name, column in columns.items():
                data = file.create_dataset(name, (count, *column.shape), column.dtype, **_packing(column, count))
                for first in range(0, count, BLOCK):
                    size = min(BLOCK, count - first)
                    data[first : first + size] = rows(name, first, size)
            bytes_of = np.frombuffer(slot.data if slot else b"", np.uint8)
            for k, name in enumerate(SLOTS):
                file[name] = bytes_of if slot is not None and k == slot.sequence % 2 else bytes_of[:0]
            status = np.zeros((2, 4), "<i8")
            if slot is not None:
                status[slot.sequence % 2] = slot_status(slot)
            file[SLOT_STATUS], file[STATUS] = status, np.array([count, ENDS.index(end)], "<i8")
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


def unpack(path: Path) -> None:
    """Make a packed file one that can grow; nothing happens to others."""
    with open_file(path) as file:
        plain = all(file[name].chunks is None for name in ("q", "v", *(f"extra/{name}" for name in file["extra"])))
        if plain and len(file[SLOTS[0]]) == len(file[SLOTS[1]]):  # of a packed file, one slot has no place
            return
        header, (arrays, end), slot = read_header(file), read_rows(file), read_slot(file)
    columns = {name: Column(array.shape[1:], array.dtype) for name, array in arrays.items()}
    part, count = part_of(path), len(arrays["time"])
    rows = RowFile.create(part, header, columns, count, len(slot.data) if slot else 0)
    try:
        for name, array in arrays.items():
            rows.write(name, 0, array)
        if slot is not None:
            rows.write_slot(slot)
        rows.publish(count, end)
        rows.sync()
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        rows.close()
    os.replace(part, path)
