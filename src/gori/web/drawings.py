"""The user's own drawings in a scene: points, lines, arrows, frames, text and meshes, by name, at any time."""

import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model.arrays import numbers_of
from gori.spec.base import quaternion
from gori.web.packet import pack

COLOUR = "#d1495b"
MOST = 1_000_000
"""points of one drawing"""


class Drawings:
    """Things drawn over a scene, in world axes, or fixed to a body. Drawing a name again replaces it.

        scene = gori.web.Drawings()
        scene.points("hits", array, colour="#d1495b")
        gori.to_html(recording, "run.html", drawings=scene)

    Live sessions show what is drawn as soon as it is; `subscribe` tells them.
    """

    def __init__(self):
        self._entries: dict[str, tuple[dict[str, Any], dict[str, np.ndarray]]] = {}
        self._listeners: list[Callable[[bytes], None]] = []
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what is drawn."""
        return tuple(self._entries)

    def points(self, name: str, points: Any, colour: str = COLOUR, size: float = 0.0, body: str | None = None) -> None:
        """Dots at points (n, 3) [m]; of a size [m], 0: a few pixels."""
        self._draw(name, "points", {"size": _length(size, "size")}, {"points": _points(points)}, colour, body)

    def lines(
        self, name: str, points: Any, colour: str = COLOUR, closed: bool = False, body: str | None = None
    ) -> None:
        """A line through points (n, 3) [m]; closed: back to the first."""
        self._draw(name, "line", {"closed": bool(closed)}, {"points": _points(points, least=2)}, colour, body)

    def arrows(self, name: str, tails: Any, heads: Any, colour: str = COLOUR, body: str | None = None) -> None:
        """Arrows from tails (n, 3) to heads (n, 3) [m]."""
        tails, heads = _points(tails), _points(heads)
        if tails.shape != heads.shape:
            raise InputError(f"arrows need as many heads as tails: {len(heads)} and {len(tails)}")
        self._draw(name, "arrows", {}, {"tails": tails, "heads": heads}, colour, body)

    def frame(self, name: str, pose: Any, length: float = 0.1, body: str | None = None) -> None:
        """Axes x y z, red green blue, at a pose (4, 4), each of a length [m]."""
        T = numbers_of(pose, "pose")
        if T.shape != (4, 4) or not np.allclose(T[:3, :3] @ T[:3, :3].T, np.eye(3), atol=1e-6):
            raise InputError("a frame takes a pose (4, 4): rotation and position in a matrix")
        entry = {"quaternion": list(quaternion(T[:3, :3])), "size": _length(length, "length")}
        self._draw(name, "frame", entry, {"points": _points(T[:3, 3])}, None, body)

    def text(
        self, name: str, text: str, at: Any, colour: str = COLOUR, size: float = 0.0, body: str | None = None
    ) -> None:
        """Words at a point (3,) [m]; of a height [m], 0: as other labels."""
        entry = {"text": str(text)[:1000], "size": _length(size, "size")}
        self._draw(name, "text", entry, {"points": _points(at)[:1]}, colour, body)

    def mesh(self, name: str, vertices: Any, triangles: Any, colour: str = COLOUR, body: str | None = None) -> None:
        """A surface: vertices (n, 3) [m] and triangles (m, 3) of their numbers."""
        points = _points(vertices, least=3)
        corners = np.asarray(triangles)
        if corners.ndim != 2 or corners.shape[1] != 3 or not np.issubdtype(corners.dtype, np.integer):
            raise InputError(f"triangles must be rows of three whole numbers, not {corners.dtype} {corners.shape}")
        if len(corners) and not (corners.min() >= 0 and corners.max() < len(points)):
            raise InputError(f"triangles name vertices from 0 to {len(points) - 1}: {corners.min()} to {corners.max()}")
        self._draw(name, "mesh", {}, {"vertices": points, "triangles": corners.astype(np.uint32)}, colour, body)

    def remove(self, *names: str) -> None:
        """Take drawings away; without names all of them."""
        with self._lock:
            gone = names or tuple(self._entries)
            if unknown := [name for name in gone if name not in self._entries]:
                known = ", ".join(self._entries) or "none"
                raise InputError(f"there is no drawing {unknown[0]!r}: there are {known}")
            for name in gone:
                del self._entries[name]
        self._tell(pack({"type": "drawings", "drawings": [], "removed": list(gone)}))

    # ---- packets

    def packet(self, bodies: tuple[str, ...] = ()) -> bytes:
        """All that is drawn; names of bodies as numbers of the scene."""
        with self._lock:
            entries = dict(self._entries)
        return _packet(entries, bodies)

    def subscribe(self, listener: Callable[[bytes], None], bodies: tuple[str, ...] = ()) -> Callable[[], None]:
        """Call a function with a packet of each change from now on; what is returned ends it."""

        def told(packet: bytes | dict) -> None:
            listener(packet if isinstance(packet, bytes) else _packet(packet, bodies))

        self._listeners.append(told)
        return lambda: self._listeners.remove(told)

    def _draw(
        self, name: str, kind: str, entry: dict[str, Any], arrays: dict[str, np.ndarray], colour: Any, body: str | None
    ) -> None:
        if not isinstance(name, str) or not name:
            raise InputError(f"a drawing needs a name, not {name!r}")
        if colour is not None and not (isinstance(colour, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", colour)):
            raise InputError(f"a colour is written '#rrggbb', such as {COLOUR!r}, not {colour!r}")
        head = {"type": kind, "name": name, "colour": colour, "body": body, **entry}
        with self._lock:
            self._entries[name] = head, arrays
        self._tell({name: (head, arrays)})

    def _tell(self, packet: Any) -> None:
        for listener in tuple(self._listeners):
            listener(packet)


def _packet(entries: dict, bodies: tuple[str, ...]) -> bytes:
    number = {name: k for k, name in enumerate(bodies)}
    listed, buffers = [], {}
    for k, (head, arrays) in enumerate(entries.values()):
        if head["body"] is not None and head["body"] not in number:
            raise InputError(f"drawing {head['name']!r} is fixed to {head['body']!r}, which is not a body here")
        own = {key: f"{k}.{key}" for key in arrays}
        buffers |= {own[key]: array for key, array in arrays.items()}
        listed.append({**head, "body": 0 if head["body"] is None else number[head["body"]], **own})
    return pack({"type": "drawings", "drawings": listed, "removed": []}, buffers)


def _points(points: Any, least: int = 1) -> np.ndarray:
    """Points (n, 3) f4."""
    array = np.atleast_2d(numbers_of(points, "points"))
    if array.ndim != 2 or array.shape[1] != 3 or not least <= len(array) <= MOST:
        raise InputError(f"points must be {least} to {MOST} rows of x y z, not {array.shape}")
    if not np.isfinite(array).all():
        raise InputError("points must be finite numbers")
    return array.astype(np.float32)


def _length(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 <= float(value) < np.inf:
        raise InputError(f"{name} must be a length that is not negative [m], not {value!r}")
    return float(value)
