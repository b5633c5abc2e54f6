"""What a recording can hold besides states: further channels, notes on the run, checkpoints."""

import io
import json
from typing import Any

import numpy as np

from gori.errors import InputError


def checked_extra(extra: dict[str, Any] | None, count: int) -> dict[str, np.ndarray]:
    """Further channels as arrays (count, ...), copied."""
    channels = {}
    for name, value in (extra or {}).items():
        array = np.array(value)
        if not name or "/" in name or name == ".":
            raise InputError(f"a channel cannot be called {name!r}")
        if array.dtype.kind not in "biufc":
            raise InputError(f"extra channel {name!r} must be numbers, not {array.dtype}")
        if array.ndim == 0 or len(array) != count:
            raise InputError(f"extra channel {name!r} must have {count} rows, one for each sample, not {array.shape}")
        channels[name] = array
    return channels


def checked_info(info: dict[str, Any] | None) -> dict[str, Any]:
    """Notes on the run, as they come back from the file."""
    try:
        return json.loads(json.dumps(info or {}))
    except (TypeError, ValueError) as error:
        raise InputError(f"info must be names and values that JSON can hold: {error}") from None


def packed(values: dict[str, Any]) -> bytes:
    """Arrays, numbers and texts by name as the bytes of an npz archive."""
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in values.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biufcU":
            raise InputError(f"{name!r} of a checkpoint must be numbers or text, not {array.dtype}")
    buffer = io.BytesIO()
    # np.savez has arguments of its own, and a name could be one of them
    np.savez(buffer, **{"=" + name: array for name, array in arrays.items()})
    return buffer.getvalue()


def unpacked(data: bytes) -> dict[str, Any]:
    """What was packed; a number comes back as a number of Python."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {name[1:]: archive[name] for name in archive.files}
    return {name: array if array.ndim else array.item() for name, array in arrays.items()}
