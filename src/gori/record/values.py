"""What a recording can hold besides states: further channels and notes on the run."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.errors import InputError


def checked_extra(extra: dict[str, Any] | None, count: int) -> dict[str, np.ndarray]:
    """Further channels as arrays (count, ...), copied."""
    channels = {}
    if not isinstance(extra, Mapping | None) or not all(isinstance(name, str) for name in extra or ()):
        raise InputError(f"extra must be {{channel: array}}, not {extra!r:.200}")
    for name, value in (extra or {}).items():
        try:
            array = np.array(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"extra channel {name!r} must be an array: {error}") from None
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
    if not isinstance(info, Mapping | None):
        raise InputError(f"info must be a dict, not {info!r:.200}")
    try:
        return json.loads(json.dumps(dict(info or {})))
    except (TypeError, ValueError) as error:
        raise InputError(f"info must be names and values that can be stored as JSON: {error}") from None
