"""A reader of packets of its own, as short as the format is: the twin of gori.web.packet and of the page's decoder."""

import base64
import gzip
import json
import re

import numpy as np


def decoded(data: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    assert data[:4] == b"GORI" and int.from_bytes(data[4:8], "little") == 1
    length = int.from_bytes(data[8:12], "little")
    assert (12 + length) % 8 == 0
    head, arrays = json.loads(data[12 : 12 + length]), {}
    for entry in head.pop("buffers"):
        assert entry["offset"] % 8 == 0
        count, dtype = int(np.prod(entry["shape"])), np.dtype("<" + entry["dtype"])
        first = 12 + length + entry["offset"]
        raw = data[first : first + count * dtype.itemsize]
        arrays[entry["name"]] = np.frombuffer(raw, dtype).reshape(entry["shape"])
    return head, arrays


def parts_of(text: str) -> dict[str, list[tuple[dict, dict]]]:
    """Packets of an exported file by the name of their part."""
    found = {}
    for name, packed in re.findall(r'<script type="application/gori" data-part="([^"]+)">([^<]*)</script>', text):
        data, packets = gzip.decompress(base64.b64decode(packed)), []
        while data:
            length = int.from_bytes(data[:4], "little")
            packets.append(decoded(data[4 : 4 + length]))
            data = data[4 + length :]
        found[name] = packets
    return found
