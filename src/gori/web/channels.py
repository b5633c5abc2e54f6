"""Channels of a Recording for charts: which there are, their units and columns, and their values thinned to a page."""

from typing import Any

import numpy as np

from gori.errors import InputError
from gori.record import Recording
from gori.web.packet import pack

MOST_SAMPLES = 4000
"""of a series; more are shown as the least and the largest of each piece"""
MOST_COLUMNS = 64
_NOT_SHOWN = ("pose", "rotation", "determined", "turns")
_NOT_LISTED = ("time", "z", "outputs")
_SIX = ("moment x", "moment y", "moment z", "force x", "force y", "force z")
_COLUMNS = {
    "position": ("x", "y", "z"), "center_of_mass": ("x", "y", "z"), "force": ("x", "y", "z"),
    "moment": ("x", "y", "z"), "contact": ("x", "y", "z"), "quaternion": ("w", "x", "y", "z"),
    "velocity": ("wx", "wy", "wz", "vx", "vy", "vz"), "acceleration": ("ax", "ay", "az", "x", "y", "z"),
    "momentum": ("Lx", "Ly", "Lz", "px", "py", "pz"), "reaction": _SIX,
}  # fmt: skip
"""names of the columns by the last word of a channel"""


def channel_list(recording: Recording) -> list[dict[str, Any]]:
    """All channels that a chart can show, {name, unit, columns}. None is computed for it: columns that are not known
    before are empty, and come with the series.
    """
    found = []
    for name in recording.channels():
        if name in _NOT_LISTED or name.rpartition(".")[2] in _NOT_SHOWN:
            continue
        units = recording._channel(name).units
        unit = units if isinstance(units, str) else " ".join(dict.fromkeys(unit for unit in units if unit))
        found.append({"name": name, "unit": unit, "columns": list(_columns(recording, name, units))})
    return found


def _columns(recording: Recording, name: str, units: str | tuple[str, ...]) -> tuple[str, ...]:
    last = name.rpartition(".")[2]
    if ".wrench_from." in name:
        return _SIX
    if last in _COLUMNS:
        return _COLUMNS[last]
    placed = (recording.info.get("outputs") or {}).get(name)
    count = placed[1] if placed else 1 if isinstance(units, str) else len(units)
    return tuple(str(k) for k in range(count)) if count > 1 else ()


def default_channels(recording: Recording, most: int = 6) -> list[str]:
    """What a page shows at first: what the file asks for, else speeds and loads of vehicles, coordinates, energy."""
    settings, known = recording.model.run_settings, set(recording.channels())
    if settings is not None:
        from gori.sim.runfile import channel_names

        try:
            wanted = [
                name for patterns in settings.plots or (settings.record,) for name in channel_names(recording, patterns)
            ]
        except InputError:
            wanted = []
        if wanted and "*" not in settings.record:
            return list(dict.fromkeys(wanted))[:most]
    vehicle = recording.model.vehicle
    if vehicle is not None and vehicle.wheels:
        return [name for name in (f"{wheel}.load" for wheel in vehicle.wheels) if name in known][:most]
    joints = [f"{info.name}.q" for info in recording.model.joints if info.nq == 1]
    return [*joints[: most - 1], *(["energy.total"] if len(joints) < most else [])]


def series_packet(recording: Recording, name: str, most: int = MOST_SAMPLES) -> bytes:
    """A channel over time; of many samples the least and the largest of each piece, so that no peak is lost."""
    head, arrays = series_part(recording, name, most)
    return pack({"type": "series", **head, "time": "time", "values": "values"}, arrays)


def series_part(recording: Recording, name: str, most: int = MOST_SAMPLES) -> tuple[dict[str, Any], dict]:
    """Head of a series, and its arrays `time` (n,) and `values` (n, columns)."""
    values = np.asarray(recording[name], float).reshape(len(recording), -1)[:, :MOST_COLUMNS]
    units = [unit for unit in dict.fromkeys(recording.units(name)) if unit]
    labels = _columns(recording, name, recording._channel(name).units)
    if len(labels) != values.shape[1]:
        labels = tuple(str(k) for k in range(values.shape[1])) if values.shape[1] > 1 else ()
    time, values = envelope(recording.time, values, most)
    head = {"name": name, "unit": ", ".join(units), "columns": list(labels), "samples": len(recording)}
    return head, {"time": time.astype(np.float64), "values": values.astype(np.float32)}


def envelope(time: np.ndarray, values: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """At most so many samples (n,), (n, columns): two for each piece, its least and its largest in their order."""
    count = len(time)
    if count <= most:
        return time, values
    pieces = max(1, most // 2)
    edges = np.linspace(0, count, pieces + 1).astype(int)
    low = np.minimum.reduceat(np.where(np.isnan(values), np.inf, values), edges[:-1], axis=0)
    high = np.maximum.reduceat(np.where(np.isnan(values), -np.inf, values), edges[:-1], axis=0)
    first, last = values[edges[:-1]], values[edges[1:] - 1]
    low, high = np.where(np.isfinite(low), low, np.nan), np.where(np.isfinite(high), high, np.nan)
    rising = last >= first
    out = np.empty((2 * pieces, values.shape[1]))
    out[0::2], out[1::2] = np.where(rising, low, high), np.where(rising, high, low)
    when = np.empty(2 * pieces)
    when[0::2], when[1::2] = time[edges[:-1]], time[edges[1:] - 1]
    return when, out
