"""A Recording: the states of a run, and everything that follows from them."""

import os
import pickle
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from gori.errors import InputError, RecordError
from gori.formats.yaml import read_yaml, write_yaml
from gori.model import Model, compile
from gori.model.arrays import frozen, numbers_of, whole
from gori.model.model import require_model
from gori.record.channels import WORK, Channel, builtin_channels
from gori.record.outputs import output_channels
from gori.record.values import checked_extra, checked_info
from gori.spec.spec import closest
from gori.text.arguments import file_of, is_one_of

OF_FORCES = ("a", "acceleration", "reaction", "drive", "effort", "power", "force", "moment", "energy")
"""ends of channels that need the forces of the Spec (`sim/channels.py`)"""


class Recording:
    """The states of a run at N times. `rec["hand.position"]` and all other channels are computed when asked for.

    time    (N,) [s]
    q, v    (N, nq), (N, nv)
    z       (N, nz) internal states of force elements
    extra   further channels that were recorded as they are, {name: (N, ...)}
    info    notes on the run. `end`: "complete", "interrupted" (`stopped_by` tells by what), "failed" (`error` tells
            why), or of a file "running or killed"; `complete`: whether it is the first. `outputs` names columns of
            extra["outputs"]: {channel: [first, width, unit]}

    Channels, besides time, q, v, z and those of `extra`:
        JOINT.q  JOINT.v                 (N,) for one degree of freedom, else (N, nq), (N, nv)
        BODY.position  BODY.x .y .z      of a body or frame [m], world axes
        BODY.rotation .quaternion .pose  (N, 3, 3); (N, 4) w x y z without jumps; (N, 4, 4)
        BODY.velocity                    (N, 6) angular [rad/s], then linear of the origin [m/s], world axes
        BODY.vx .vy .vz  BODY.wx .wy .wz its columns
        energy.kinetic .potential        [J], of inertia and gravity
        energy.elastic .total            [J], of springs, bushings and limits; and all together
        energy.work .balance             [J], of a run: work of all that has no potential, and total - start - work
        momentum                         (N, 6) angular about the centre of mass, then linear
        center_of_mass                   (N, 3) [m]
    """

    def __init__(
        self,
        model: Model,
        time: Any,
        q: Any,
        v: Any,
        z: Any = None,
        extra: dict[str, Any] | None = None,
        info: dict[str, Any] | None = None,
    ):
        require_model(model)
        self.model, self.info = model, checked_info(info)
        self.frames: Any = None
        """frames of particles, if the run took any: a list of ParticleFrame, or Frames of a file"""
        self.time = frozen(numbers_of(time, "time", least=1))
        count = len(self.time)
        self.q, self.v = _rows("q", q, count, model.nq), _rows("v", v, count, model.nv)
        self.z = _rows("z", np.zeros((count, 0)) if z is None else z, count, None)
        if self.time.ndim != 1 or not np.isfinite(self.time).all() or (np.diff(self.time) < 0.0).any():
            raise InputError("time must be a one-dimensional array of finite numbers that does not decrease")
        self.extra = {name: frozen(array) for name, array in checked_extra(extra, count).items()}
        self._channels, self._values = builtin_channels(self), {}
        self._added: dict[str, Channel] = {}  # by `add_source` of a caller
        self._derived: list[Callable[[Recording], None]] = []
        self.add_source([name for name in self.extra if name != WORK], lambda rec, name: rec.extra[name])
        for name, channel in output_channels(self).items():
            self.add_source([name], channel.compute, channel.units)
        self._added.clear()

    def __getstate__(self) -> dict[str, Any]:
        """The states and what was added to them; channels are made again."""
        for name, channel in self._added.items():
            try:
                pickle.dumps(channel.compute)
            except Exception as error:
                raise InputError(
                    f"this Recording cannot be pickled, because of the function of channel {name!r}: {error}"
                ) from error
        arrays = {"time": self.time, "q": self.q, "v": self.v, "z": self.z, "extra": self.extra, "info": self.info}
        return {"model": self.model, "arrays": arrays} | {
            "frames": self.frames, "added": self._added, "derived": self._derived
        }  # fmt: skip

    def __setstate__(self, saved: dict[str, Any]) -> None:
        Recording.__init__(self, saved["model"], **saved["arrays"])
        self.frames = saved["frames"]
        for add in saved["derived"]:
            self.add_derived(add)
        for name, channel in saved["added"].items():
            self.add_source([name], channel.compute, channel.units)

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        span = f", {self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self) else ""
        return f"<gori.Recording: {len(self)} samples{span}>"

    def state(self, index: int) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Time, q, v and z of a sample; -1 is the last."""
        if not -len(self) <= whole("index", index) < len(self):
            raise InputError(f"there is no sample {index}: the recording has {len(self)}")
        return float(self.time[index]), self.q[index].copy(), self.v[index].copy(), self.z[index].copy()

    # ---- channels

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel, (N,) or (N, ...); computed at the first time, and not to be changed."""
        channel = self._channel(name)
        if name not in self._values:
            value = np.asarray(channel.compute(self, name))
            if value.ndim == 0 or len(value) != len(self):
                raise InputError(f"the source of channel {name!r} returned shape {value.shape} for {len(self)} samples")
            self._values[name] = frozen(value)
        return self._values[name]

    def __contains__(self, name: str) -> bool:
        return is_one_of(name, self._channels)

    def channels(self) -> list[str]:
        """Names of all channels."""
        return list(self._channels)

    def select(self, *patterns: str) -> dict[str, np.ndarray]:
        """Channels by pattern: `rec.select("wheel_*.position")`."""
        names = {}
        for pattern in patterns:
            found = [name for name in self._channels if isinstance(pattern, str) and fnmatchcase(name, pattern)]
            if not found:
                raise InputError(f"no channel matches {pattern!r}{closest(pattern, self._channels)}")
            names |= dict.fromkeys(found)
        return {name: self[name] for name in names}

    def units(self, name: str) -> tuple[str, ...]:
        """Units of a channel, one for each of its columns; empty where there is none or none is known."""
        units, columns = self._channel(name).units, int(np.prod(self[name].shape[1:], dtype=int))
        return (units,) * columns if isinstance(units, str) else units

    def add_source(
        self,
        names: Iterable[str],
        function: Callable[["Recording", str], np.ndarray],
        units: str | tuple[str, ...] = "",
    ) -> None:
        """Add channels: `function(recording, name)` returns one for all samples, when it is first asked for.

        units   of the numbers: one for all, or one for each column
        """
        names = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [None]
        if not all(isinstance(name, str) and name for name in names) or not callable(function):
            raise InputError("add_source takes a list of names and a function of the recording and a name")
        new = {name: Channel(function, units) for name in names}
        if taken := [name for name in new if name in self._channels]:
            raise InputError(f"there is already a channel {taken[0]!r}")
        self._channels |= new
        self._added |= new

    def add_derived(self, add: Callable[["Recording"], None]) -> None:
        """Let a function add its channels: `add(recording)`, also to each copy in another process."""
        before = dict(self._added)
        add(self)
        self._added = before
        self._derived.append(add)

    def _channel(self, name: str) -> Channel:
        if not is_one_of(name, self._channels):
            hint = closest(name, self._channels)
            if isinstance(name, str) and name.rpartition(".")[2] in OF_FORCES and "a" not in self._channels:
                hint = ": accelerations, reactions and efforts of a file come with gori.open_run(path)"
            raise InputError(f"there is no channel {name!r}{hint}")
        return self._channels[name]

    # ---- tables and plots

    def table(self, *names: str) -> dict[str, np.ndarray]:
        """Channels as columns (N,): a vector becomes `name.0`, `name.1`, a matrix `name.0.0` and so on."""
        from gori.record.export import table

        return table(self, names)

    def to_csv(self, path: str | os.PathLike, *names: str) -> None:
        """Write time and channels to a CSV file, numbers to the last digit; default: time, q, v and z."""
        from gori.record.export import write_csv

        write_csv(self, path, names)

    def plot(self, *names: str, path: str | os.PathLike | None = None) -> Any:
        """Draw channels over time, numbers of one unit together; returns the figure, and saves it to `path`."""
        from gori.record.export import plot

        return plot(self, names, path)

    # ---- files

    def save(self, path: str | os.PathLike) -> None:
        """Write an HDF5 file; it replaces one that is there when it is complete, not before."""
        from gori.record.packed import write_packed
        from gori.record.rows import Column, Header, reason

        arrays = {"time": self.time, "q": self.q, "v": self.v, "z": self.z}
        arrays |= {f"extra/{name}": array for name, array in self.extra.items()}
        info, path = checked_info(self.info), file_of(path)
        end = info.pop("end", "complete")
        info.pop("complete", None)
        try:
            header = Header(write_yaml(self.model.spec), self.model.open_loops, info)
            columns = {name: Column(array.shape[1:], array.dtype) for name, array in arrays.items()}
            rows = lambda name, first, count: arrays[name][first : first + count]  # noqa: E731
            write_packed(path, header, columns, len(self.time), rows, end, None)
        except (OSError, RuntimeError) as error:
            raise RecordError(f"{path} cannot be written: {reason(error)}") from error

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Recording":
        """The Recording in a file; its Model is compiled again. With accelerations and reactions: gori.open_run."""
        from gori.record.rows import ending, open_file, read_header, read_rows

        with open_file(path) as file:
            header, (arrays, end) = read_header(file), read_rows(file)
        model = compile(read_yaml(path, header.spec), open_loops=header.open_loops)
        extra = {name.removeprefix("extra/"): array for name, array in arrays.items() if name.startswith("extra/")}
        states = (arrays[name] for name in ("time", "q", "v", "z"))
        return cls(model, *states, extra=extra, info=ending(end) | header.info | {"end": end})


def _rows(name: str, value: Any, count: int, width: int | None) -> np.ndarray:
    array = numbers_of(value, name)
    if array.ndim != 2 or len(array) != count or array.shape[1] != (array.shape[1] if width is None else width):
        wanted = "any" if width is None else width
        raise InputError(f"{name} must be {count} rows of {wanted} numbers, not {array.shape}")
    return frozen(array)
