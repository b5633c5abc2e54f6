"""What a recording can hold besides states: further channels and notes on the run."""

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
        raise InputError(f"info must be names and values that can be stored as JSON: {error}") from None
