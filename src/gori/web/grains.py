"""Particles of one moment as a packet: positions in 16 bits, thinned by their ids so that the same ones stay drawn."""

from typing import Any

import numpy as np

from gori.record import ParticleFrame
from gori.web.packet import pack

MOST = 1_000_000
_FULL = 65535
SAMPLED = 12
"""frames that decide on the scale of colours"""


def grains_packet(
    frame: ParticleFrame,
    number: int = 0,
    most: int = MOST,
    limits: tuple[float, float] | None = None,
    colour: str = "speed",
) -> bytes:
    """Particles of a frame, at most so many of them.

    number   of the frame, told to the page
    limits   of the colours; default: of this frame
    colour   "speed", "group" or "material"
    """
    head, arrays = grains_part(frame.id, frame.position, frame.radius, _values(frame, colour), most, limits)
    low, high = head.pop("limits")
    head |= {"type": "grains", "frame": number, "time": frame.time}
    head["legend"] = {"name": colour, "unit": "m/s" if colour == "speed" else "", "low": low, "high": high}
    return pack(head, arrays)


def grains_part(
    id: np.ndarray,
    position: np.ndarray,
    radius: np.ndarray,
    value: np.ndarray,
    most: int,
    limits: tuple[float, float] | None = None,
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Head and arrays of plain arrays of particles (N,), (N, 3), (N,), (N,), as live frames send them too."""
    count, keep = len(id), thinned(id, most)
    if not np.isfinite(position).all():
        keep = keep[np.isfinite(position).all(axis=1)[keep]]
    at, r, v = (position, radius, value) if len(keep) == count else (position[keep], radius[keep], value[keep])
    # column by column: NumPy reduces an array of three columns far slower
    low = np.array([x.min() if len(x) else 0.0 for x in at.T], float)
    high = np.array([x.max() if len(x) else 1.0 for x in at.T], float)
    span = np.where(high > low, high - low, 1.0)
    scaled = np.empty((len(at), 3), np.uint16)
    for k in range(3):
        scaled[:, k] = (at[:, k] - low[k]) * (_FULL / span[k]) + 0.5  # rounded: what is behind the point is cut off
    arrays: dict[str, np.ndarray] = {"position": scaled}
    first, last = limits if limits is not None else (0.0, float(v.max(initial=0.0)))
    scale = last - first if last > first else 1.0
    arrays["value"] = np.clip((v - first) / scale * 255.0, 0.0, 255.0).astype(np.uint8)
    head: dict[str, Any] = {"low": low, "high": low + span, "position": "position", "value": "value"}
    head |= {"drawn": len(keep), "count": count, "limits": [first, last]}
    if len(r) and np.ptp(r) > 1e-6 * r.max():
        arrays["radius"], head["radius"] = coarse(r), "radius"
    else:
        head["radius"] = float(r[0]) if len(r) else 0.0
    return head, arrays


def coarse(values: np.ndarray) -> np.ndarray:
    """Values f4 with 11 bits of mantissa, 0.05 %: the rest is zero, and is compressed to nothing."""
    whole = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((whole + np.uint32(1 << 11)) & np.uint32(0xFFFFF000)).view(np.float32)


def thinned(id: np.ndarray, most: int) -> np.ndarray:
    """Rows (n,), in their order, of at most so many particles, spread evenly over all ids: those whose id has the
    smallest scrambled number, so that two frames of the same particles show the same ones.
    """
    if len(id) <= most:
        return np.arange(len(id))
    if most <= 0:
        return np.zeros(0, np.int64)
    # Knuth's multiplicative scrambling, modulo 2^32
    order = (np.asarray(id, np.uint64) * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    return np.sort(np.argpartition(order, most - 1)[:most])


def colour_limits(frames: Any, colour: str = "speed") -> tuple[float, float]:
    """One scale of colours for all frames, from some of them: a few fast particles do not bleach the rest."""
    if colour != "speed" or not len(frames):
        return 0.0, 255.0
    which = np.unique(np.linspace(0, len(frames) - 1, SAMPLED).round().astype(int))
    tops = [float(np.quantile(speed, 0.99)) for k in which if len(speed := frames[int(k)].speed)]
    return 0.0, max(tops, default=1.0) or 1.0


def _values(frame: ParticleFrame, colour: str) -> np.ndarray:
    return frame.speed if colour == "speed" else np.asarray(getattr(frame, colour), float)
