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
_XYZ, _TURN, _MOVE = ("x", "y", "z"), ("wx", "wy", "wz"), ("vx", "vy", "vz")
_TURNING, _MOVING = ("angular x", "angular y", "angular z"), ("linear x", "linear y", "linear z")
_JOINTS = {
    "q": {"free": ("w", "i", "j", "k", *_XYZ), "spherical": ("w", "i", "j", "k"), "planar": ("x", "y", "angle"),
          "cylindrical": ("angle", "travel")},
    "v": {"free": (*_TURN, *_MOVE), "spherical": _TURN, "planar": ("vx", "vy", "w"), "cylindrical": ("w", "v")},
    "a": {"free": (*_TURNING, *_MOVING), "spherical": _XYZ, "planar": ("x", "y", "angle"),
          "cylindrical": ("angle", "travel")},
}  # fmt: skip
"""names of the columns of a joint's coordinates, velocities and accelerations by its type"""
_COLUMNS = {
    "position": ("x", "y", "z"), "center_of_mass": ("x", "y", "z"), "force": ("x", "y", "z"),
    "moment": ("x", "y", "z"), "contact": ("x", "y", "z"), "quaternion": ("w", "x", "y", "z"),
    "velocity": (*_TURN, *_MOVE), "acceleration": (*_TURNING, *_MOVING),
    "momentum": ("Lx", "Ly", "Lz", "px", "py", "pz"), "reaction": _SIX,
}  # fmt: skip
"""names of the columns by the last word of a channel"""


def channel_list(recording: Recording) -> list[dict[str, Any]]:
    """All channels that a chart can show, {name, unit, columns, units}. None is computed for it: columns that are not
    known before are empty, and come with the series; so is `units` where one is for all.
    """
    found = []
    joints = _joint_types(recording)
    for name in recording.channels():
        if name in _NOT_LISTED or name.rpartition(".")[2] in _NOT_SHOWN:
            continue
        units = recording._channel(name).units
        columns = list(_columns(recording, name, units, joints))
        each = [] if isinstance(units, str) or len(set(units)) < 2 else list(units)
        found.append({"name": name, "unit": _unit(units), "columns": columns, "units": each})
    return found


def _joint_types(recording: Recording) -> dict[str, str]:
    model = recording.model
    return {info.name: info.type for info in (*model.joints, *model.cut_coordinates.joints)}


def _unit(units: str | tuple[str, ...]) -> str:
    """All units of a channel in one text."""
    return units if isinstance(units, str) else ", ".join(dict.fromkeys(unit for unit in units if unit))


def _columns(recording: Recording, name: str, units: str | tuple[str, ...], joints: dict[str, str]) -> tuple[str, ...]:
    owner, _, last = name.rpartition(".")
    if (own := _JOINTS.get(last, {}).get(joints.get(owner, ""))) is not None:
        return own
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


def series_packet(recording: Recording, name: str, most: int = MOST_SAMPLES, ghost: Recording | None = None) -> bytes:
    """A channel over time; of many samples the least and the largest of each piece, so that no peak is lost."""
    head, arrays = series_part(recording, name, most, ghost)
    return pack({"type": "series", **head, **{key: key for key in arrays}}, arrays)


def series_part(
    recording: Recording, name: str, most: int = MOST_SAMPLES, ghost: Recording | None = None
) -> tuple[dict[str, Any], dict]:
    """Head of a series, and its arrays `time` (n,) and `values` (n, columns); of a ghost that has such a channel
    `ghost_time` and `ghost_values` likewise.
    """
    time, values = _samples(recording, name, most)
    units = recording.units(name)
    labels = _columns(recording, name, recording._channel(name).units, _joint_types(recording))
    if len(labels) != values.shape[1]:
        labels = tuple(str(k) for k in range(values.shape[1])) if values.shape[1] > 1 else ()
    head = {"name": name, "unit": _unit(units), "columns": list(labels), "samples": len(recording)}
    head["units"] = list(units)[:MOST_COLUMNS] if len(set(units)) > 1 else []
    arrays = {"time": time, "values": values}
    if ghost is not None and name in ghost:
        other = _samples(ghost, name, most)
        if other[1].shape[1] == values.shape[1]:
            arrays |= {"ghost_time": other[0], "ghost_values": other[1]}
    return head, arrays


def _samples(recording: Recording, name: str, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) and values (n, columns) of a channel."""
    values = np.asarray(recording[name], float).reshape(len(recording), -1)[:, :MOST_COLUMNS]
    time, values = envelope(recording.time, values, most)
    return time.astype(np.float64), values.astype(np.float32)


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
