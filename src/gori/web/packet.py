"""Packets: everything that carries numbers to a page, as bytes. The format is that of web/README.md.

"GORI", u32 version, u32 length of the JSON, JSON, buffers; little endian, each buffer at a multiple of 8 bytes
"""

import json
import math
import struct
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

from gori.errors import InputError

MAGIC, VERSION = b"GORI", 1
DTYPES = {"u1": "u1", "i2": "<i2", "u2": "<u2", "u4": "<u4", "f4": "<f4", "f8": "<f8"}
LARGEST = 1 << 31
"""bytes of a packet"""
_START = struct.Struct("<4sII")
_ALIGN = 8


def pack(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> bytes:
    """A packet of plain data and arrays.

    head     JSON with `type`; the name of an array stands where the array belongs
    arrays   by name; of dtypes u1 i2 u2 u4 f4 f8
    """
    pieces: list[bytes] = []
    buffers, offset = [], 0
    for name, given in (arrays or {}).items():
        array = np.ascontiguousarray(given)
        dtype = array.dtype.str[1:]
        if dtype not in DTYPES:
            raise InputError(f"array {name!r} of a packet is {array.dtype}: choose one of {', '.join(DTYPES)}")
        raw = array.astype(DTYPES[dtype], copy=False).tobytes()
        buffers.append({"name": name, "dtype": dtype, "shape": list(np.shape(given)), "offset": offset})
        pieces += [raw, bytes(-len(raw) % _ALIGN)]
        offset += len(raw) + -len(raw) % _ALIGN
    text = json.dumps(finite({**head, "buffers": buffers}), separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(_START.size + len(text)) % _ALIGN)
    return b"".join([_START.pack(MAGIC, VERSION, len(text)), text, *pieces])


def finite(value: Any) -> Any:
    """Plain data for JSON, which knows no infinity: None in its place; numbers and arrays of NumPy become plain."""
    if isinstance(value, Mapping):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    raise InputError(f"a packet takes plain data, not a {type(value).__name__}")


def unpack(data: bytes | bytearray | memoryview) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Head and arrays of a packet. What is damaged or was made up is refused with an InputError."""
    view = memoryview(data).cast("B") if not isinstance(data, bytes) else memoryview(data)
    if len(view) < _START.size:
        raise InputError(f"not a packet: it has {len(view)} bytes, and the shortest has {_START.size}")
    magic, version, length = _START.unpack_from(view)
    if magic != MAGIC:
        raise InputError("not a packet: it does not begin with GORI")
    if version != VERSION:
        raise InputError(f"version {version} of the packet is unknown: this Gori reads {VERSION}")
    first = _START.size + length
    if first > len(view) or first % _ALIGN:
        raise InputError(f"a damaged packet: its JSON has {length} bytes, of {len(view)} in all")
    try:
        head = json.loads(bytes(view[_START.size : first]))
    except (ValueError, RecursionError) as error:
        raise InputError(f"a damaged packet: its JSON cannot be read: {error}") from None
    if not isinstance(head, dict) or not isinstance(head.get("type"), str):
        raise InputError("a damaged packet: its JSON does not say its type")
    buffers = head.pop("buffers", [])
    if not isinstance(buffers, list):
        raise InputError("a damaged packet: `buffers` must be a list")
    return head, dict(_buffer(entry, view[first:]) for entry in buffers)


def _buffer(entry: Any, rest: memoryview) -> tuple[str, np.ndarray]:
    """Name and array of a buffer."""
    if not isinstance(entry, dict):
        raise InputError("a damaged packet: an entry of `buffers` is not an object")
    keys = ("name", "dtype", "shape", "offset")
    name, dtype, shape, offset = (cast(Any, entry.get(key)) for key in keys)
    if not isinstance(name, str) or not isinstance(dtype, str) or dtype not in DTYPES:
        raise InputError(f"a damaged packet: buffer {name!r} of dtype {dtype!r}")
    if not isinstance(shape, list) or not all(_a_count(number) for number in (*shape, offset)):
        raise InputError(f"a damaged packet: buffer {name!r} has shape {shape!r} and offset {offset!r}")
    numbers = math.prod(shape)
    size = numbers * np.dtype(DTYPES[dtype]).itemsize
    if size > LARGEST or offset + size > len(rest) or offset % _ALIGN:
        raise InputError(f"a damaged packet: buffer {name!r} ends beyond it, at {offset + size} of {len(rest)} bytes")
    return name, np.frombuffer(rest, DTYPES[dtype], numbers, offset).reshape(shape)


def _a_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST


def join(packets: Iterable[bytes]) -> bytes:
    """Several packets after each other, each preceded by its length as u32, as a part of a file holds them."""
    return b"".join(struct.pack("<I", len(packet)) + packet for packet in packets)


def split(data: bytes) -> list[bytes]:
    """The packets in what `join` has made."""
    packets, at = [], 0
    while at < len(data):
        if at + 4 > len(data):
            raise InputError("a damaged part: it ends within the length of a packet")
        (length,) = struct.unpack_from("<I", data, at)
        if at + 4 + length > len(data):
            raise InputError(f"a damaged part: a packet of {length} bytes ends beyond it")
        packets.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return packets
