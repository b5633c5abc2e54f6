"""The State: all that must be kept to go on bit for bit, and nothing that can be recomputed.

    time, q, v     [s], (nq,), (nv,)
    z              (nz,) internal states of force elements: the deflections of sticking joint friction
    parts          {part: {name: array}}: what else has a memory
        vehicle      wheels, drive trains, the driver's inputs, touched cells of soft soil
        particles    particles with their contact history, neighbour-list references, inlets' random generators
        contact      points of contact between bodies: ids, forces, where they stick
        exchange     impulses of particles on their way to bodies, accounts of momentum and work
        clock        start and step count or elapsed time, so that t = start + k h has the same bits
        method       what the method keeps from step to step, tagged with the method and its settings
        loops        what the loop solver keeps, tagged likewise
        cuts         full turns of the angles of cuts and signs of their quaternions, and by what they are counted on
        events       flags of events that have just been met, and the log
        energy       work of all that has no potential, so far
        drivers      the memory of drivers that offer save and load
        ...          any other subsystem, under its name; its exchange as "exchange of NAME"

Method, loops and events belong to exactly this q and v: `replace(q=...)` drops them, and another time drops the clock.
"""

import hashlib
import io
import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np

from gori.door import NUMBERS, contents
from gori.errors import FileError, InputError
from gori.model.arrays import numbers_of
from gori.text.arguments import file_of, path_of

FORMAT = 2
"""version of saved States"""
MEMORY = ("method", "loops", "events", "contact")
"""parts that belong to one pose and velocity"""
COUNTED = "counts_of_run"
"""name in the part `method` of what it has counted in the present run: a statistic, which no digest sees"""


class State:
    """A State of a Model; its arrays cannot be written: `replace` makes another one. Made by `model.state()`.

    model   fingerprint of the Model that it belongs to; "" for a State made by hand, which any Model of its sizes takes
    """

    __slots__ = ("__weakref__", "model", "parts", "q", "time", "v", "z")

    time: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    parts: Mapping[str, Mapping[str, np.ndarray]]
    model: str

    def __init__(
        self,
        time: float,
        q: Any,
        v: Any,
        z: Any = (),
        parts: Mapping[str, Mapping[str, Any]] | None = None,
        model: str = "",
    ):
        own: dict[str, Any] = {name: _numbers(name, value) for name, value in (("q", q), ("v", v), ("z", z))}
        own |= {"time": seconds(time, "state.time"), "model": model}
        if not isinstance(model, str):
            raise InputError(f"state.model must be the fingerprint of a Model, not {model!r}")
        if not all(isinstance(part, Mapping) for part in _mapping(parts).values()):
            raise InputError("state.parts must be {part: {name: array}}")
        own["parts"] = MappingProxyType({
            part: MappingProxyType({name: _frozen(f"{part}.{name}", value) for name, value in values.items()})
            for part, values in _mapping(parts).items()
        })  # fmt: skip
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a State does not change: take state.replace({name}=...)")

    def __reduce__(self):
        parts = {part: dict(values) for part, values in self.parts.items()}
        return State, (self.time, self.q, self.v, self.z, parts, self.model)

    def __repr__(self) -> str:
        parts = f" with {', '.join(self.parts)}" if self.parts else ""
        return f"<gori.State at {self.time:.6g} s: nq {len(self.q)}, nv {len(self.v)}, nz {len(self.z)}{parts}>"

    @property
    def vehicle(self) -> Mapping[str, np.ndarray] | None:
        """Wheels, drive trains, inputs and soil, by table; None if there are none."""
        return self.parts.get("vehicle")

    @property
    def particles(self) -> Mapping[str, np.ndarray] | None:
        """Particles and their contacts, by name; None if there are none."""
        return self.parts.get("particles")

    def replace(self, **changes: Any) -> "State":
        """A State with another time, q, v, z or part: state.replace(v=-state.v).

        The memory of method, loop solver and events is dropped, as it belongs to the old values: they start afresh.
        """
        own = {"time": self.time, "q": self.q, "v": self.v, "z": self.z, "model": self.model}
        dropped = (*MEMORY, "clock") if "time" in changes else MEMORY
        parts = {part: values for part, values in self.parts.items() if part not in dropped}
        for name, value in changes.items():
            if name in own:
                own[name] = value
            elif isinstance(value, Mapping):
                parts[name] = value
            else:
                raise InputError(f"a State has no {name!r}; it has {', '.join([*own, *self.parts])}")
        return State(**own, parts=parts)

    def copy(self) -> "State":
        """The same State: its arrays cannot be written, and so are shared."""
        return State(self.time, self.q, self.v, self.z, self.parts, self.model)

    __copy__ = copy

    # ---- comparison

    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers by name: time, q, v, z, PART/NAME."""
        own = {"time": np.array(self.time), "q": self.q, "v": self.v, "z": self.z}
        return own | {f"{part}/{name}": value for part, values in self.parts.items() for name, value in values.items()}

    def digest(self) -> str:
        """A hash of all numbers, to the last bit, but for statistics: two States with the same digest go on alike."""
        total = hashlib.sha256(self.model.encode())
        for name, value in sorted(self.arrays().items()):
            if name == f"method/{COUNTED}":
                continue
            total.update(f"{name} {value.dtype.str if value.dtype.names is None else value.dtype.descr} ".encode())
            total.update(f"{value.shape}".encode())
            total.update(np.ascontiguousarray(value).tobytes())
        return total.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.digest())

    # ---- files

    def to_bytes(self) -> bytes:
        """The State as an npz archive: plain arrays, nothing that runs code when it is read."""
        buffer = io.BytesIO()
        head = {"format": np.array(FORMAT), "model": np.array(self.model)}
        # names are prefixed, as np.savez has arguments of its own
        np.savez(buffer, **{f"={name}": value for name, value in (head | self.arrays()).items()})  # type: ignore[arg-type]
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "State":
        """The State in an archive of `to_bytes`."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InputError(f"the archive of a State must be bytes, not {type(data).__name__}")
        try:
            arrays = _unpacked(data)
            version = int(arrays.pop("format", -1))
        except Exception as error:  # torn archives fail in many ways
            raise InputError("something that is not a State of Gori, or is damaged") from error
        if version != FORMAT:
            raise InputError(f"a State of format version {version}; this Gori reads version {FORMAT}")
        parts: dict[str, dict[str, np.ndarray]] = {}
        for name in [name for name in arrays if "/" in name]:
            part, _, key = name.partition("/")
            parts.setdefault(part, {})[key] = arrays.pop(name)
        if missing := [name for name in ("time", "q", "v", "z", "model") if name not in arrays]:
            raise InputError(f"a State without {missing[0]!r}: it is damaged")
        return cls(
            seconds(arrays["time"], "state.time"), arrays["q"], arrays["v"], arrays["z"], parts, str(arrays["model"])
        )

    def save(self, path: str | os.PathLike) -> None:
        """Write a file, which replaces one that is there when it is complete."""
        path = file_of(path)
        part = path.with_name(path.name + ".part")
        try:
            part.write_bytes(self.to_bytes())
            os.replace(part, path)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise FileError(f"cannot be written: {error.strerror or error}", path) from error

    @classmethod
    def load(cls, path: str | os.PathLike) -> "State":
        """The State in a file."""
        path = path_of(path)
        try:
            return cls.from_bytes(contents(path, NUMBERS))
        except InputError as error:
            raise FileError(f"holds {error}", path) from error


def _mapping(parts: Any) -> Mapping[str, Any]:
    if parts is not None and not (isinstance(parts, Mapping) and all(isinstance(name, str) for name in parts)):
        raise InputError(f"state.parts must be {{part: {{name: array}}}}, not {parts!r:.200}")
    return parts or {}


def seconds(time: Any, name: str = "time") -> float:
    """A time [s] as a float, finite or not."""
    if isinstance(time, (int, float, np.number)) or getattr(time, "shape", None) == ():
        try:
            return float(time)
        except (TypeError, ValueError, OverflowError):
            pass
    raise InputError(f"{name} must be a number of seconds, not {time!r}")


def _unpacked(data: bytes) -> dict[str, np.ndarray]:
    """Arrays of an npz archive. Each is checked by its checksum before its header, which tells a size, is believed."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > len(data):
                raise ValueError(f"size of {entry.filename}")
            raw = io.BytesIO(archive.read(entry))
            arrays[entry.filename.removesuffix(".npy")[1:]] = np.lib.format.read_array(raw, allow_pickle=False)
    return arrays


def _numbers(name: str, value: Any) -> np.ndarray:
    array = numbers_of(value, f"state.{name}")
    if array.ndim != 1:
        raise InputError(f"state.{name} must be a one-dimensional array, not of shape {array.shape}")
    array.flags.writeable = False
    return array


def _frozen(name: str, value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"state.{name} must be an array: {error}") from None
    if array.dtype.kind not in "biufUV" or array.dtype.hasobject:
        raise InputError(f"state.{name} must be numbers or text, not {array.dtype}")
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array
