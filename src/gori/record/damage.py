"""Reading files that may be damaged: whatever goes wrong is a FileError that names the file and what is damaged."""

import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gori.errors import DamageWarning, FileError, GoriError

_RATIO = 1100
"""a byte of deflated data holds at most 1032"""
_SLACK = 1 << 16


@contextmanager
def reading(path: str | os.PathLike, what: str) -> Iterator[None]:
    """Around everything that reads a file: what h5py, NumPy, JSON or zlib raise, in many ways, becomes a FileError."""
    try:
        yield
    except GoriError:
        raise
    except FileNotFoundError:
        raise FileError("there is no such file", path) from None
    except Exception as error:
        words = f"{error.args[0] if isinstance(error, KeyError) and error.args else error}" or type(error).__name__
        raise FileError(f"is damaged: {what} cannot be read ({words})", path) from error


def warn_of_damage(path: str | os.PathLike, words: str) -> None:
    """Tell that a part of a file is missing."""
    warnings.warn(f"{path}: {words}", DamageWarning, stacklevel=3)


def dataset(file: Any, name: str, kinds: str, shape: tuple[int | None, ...] | None, part: bool = False) -> Any:
    """A dataset of an open file (`opened.py`). Raises where it is not of these kinds of numbers and this shape (None:
    any), is larger than what the file can hold, or is cut off; part: it may be cut off (`held_rows`).

    Sizes out of a damaged header are not to be believed: memory for them might be gone before the first number is read.
    """
    data, size = file[name], file.size
    if data.dtype.kind not in kinds or data.dtype.hasobject:
        raise ValueError(f"numbers of type {data.dtype}")
    if shape is not None and (
        len(data.shape) != len(shape) or any(s is not None and n != s for n, s in zip(data.shape, shape))
    ):
        raise ValueError(f"shape {data.shape}")
    total, stored = math.prod(data.shape) * data.dtype.itemsize, data.id.get_storage_size()
    if total == 0:
        return data
    if data.chunks is None:
        offset = data.id.get_offset()
        if offset is None or stored != total or offset + total > size:
            raise ValueError(f"{total} bytes in a file of {size}")
        if offset + total > file.held and not part:
            raise ValueError("the file is cut off")
        return data
    blocks = math.prod(-(-n // chunk) for n, chunk in zip(data.shape, data.chunks))
    block = math.prod(data.chunks) * data.dtype.itemsize
    if stored > size or max(total, block) > _RATIO * stored + _SLACK or data.id.get_num_chunks() != blocks:
        raise ValueError(f"{total} bytes in a file of {size}")
    return data


def held_rows(file: Any, data: Any) -> int:
    """Of a dataset: how many of its first rows are there in a file that may be cut off."""
    count = len(data)
    if file.held >= file.size or data.size == 0:
        return count
    if data.chunks is None:
        first = data.id.get_offset() or 0
        return min(max(0, file.held - first) * count // data.id.get_storage_size(), count)
    lost = [count]
    data.id.chunk_iter(
        lambda chunk: lost.append(chunk.chunk_offset[0]) if chunk.byte_offset + chunk.size > file.held else None
    )
    return min(lost)
