"""A Recording: the states of a run, and everything that follows from them."""

import os
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from gori.errors import FileError, InputError, RecordError
from gori.model import Model, compile
from gori.model.arrays import frozen, numbers_of, whole
from gori.model.model import require_model
from gori.record.channels import WORK, Channel, builtin_channels
from gori.record.columns import ALL, Extra, SampleColumns, stored_columns
from gori.record.damage import reading
from gori.record.outputs import output_channels
from gori.record.portable import AddedChannels, KeptChannel, can_be_pickled
from gori.record.stored import BLOCK, Rows
from gori.record.values import checked_extra, checked_info
from gori.spec.spec import closest
from gori.text.arguments import file_of, is_one_of

OF_FORCES = ("a", "acceleration", "reaction", "drive", "effort", "power", "force", "moment", "energy")
"""ends of channels that need the forces of the Spec (`sim/channels.py`)"""
MANY = 1 << 18
"""samples from which on channels are computed block by block, so that what lies between costs little memory"""


class Recording:
    """The states of a run at N times. `rec["hand.position"]` and all other channels are computed when asked for.
    Of a large file, columns are read when asked for.

    time    (N,) [s]
    q, v    (N, nq), (N, nv)
    z       (N, nz) internal states of force elements
    extra   further channels that were recorded as they are, {name: (N, ...)}
    info    notes on the run. `end`: "complete", "interrupted" (`stopped_by` tells by what), "failed" (`error` tells
            why), or of a file "running or killed"; `complete`: whether it is the first. `outputs` names columns of
            extra["outputs"]: {channel: [first, width, unit]}. `machine`: which one of a batch it is

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
        time = numbers_of(time, "time", least=1)
        count = len(time)
        arrays = {"time": time, "q": _rows("q", q, count, model.nq), "v": _rows("v", v, count, model.nv)}
        arrays["z"] = _rows("z", np.zeros((count, 0)) if z is None else z, count, None)
        if time.ndim != 1 or not np.isfinite(time).all() or (np.diff(time) < 0.0).any():
            raise InputError("time must be a one-dimensional array of finite numbers that does not decrease")
        arrays |= {f"extra/{name}": array for name, array in checked_extra(extra, count).items()}
        self._begin(model, SampleColumns(count, arrays, {}), checked_info(info))

    def _begin(self, model: Model, columns: SampleColumns, info: dict[str, Any]) -> None:
        self.model, self.info, self._columns, self.extra = model, info, columns, Extra(columns)
        self.frames: Any = None
        """frames of particles, if the run took any: a list of ParticleFrame, or Frames of a file"""
        self._values: dict[str, np.ndarray] = {}
        self._added: list[AddedChannels] = []
        self._channels = builtin_channels(self)
        self.add_source([name for name in self.extra if name != WORK], lambda rec, name: rec.extra[name])
        self._add(output_channels(self))
        self._own = set(self._channels)

    @classmethod
    def of_columns(cls, model: Model, columns: SampleColumns, info: dict[str, Any]) -> "Recording":
        """A Recording of columns of the right shapes, as they are."""
        self = cls.__new__(cls)
        self._begin(model, columns, info)
        return self

    @property
    def time(self) -> np.ndarray:
        """(N,) [s]"""
        return self._columns.whole("time")

    @property
    def q(self) -> np.ndarray:
        """(N, nq)"""
        return self._columns.whole("q")

    @property
    def v(self) -> np.ndarray:
        """(N, nv)"""
        return self._columns.whole("v")

    @property
    def z(self) -> np.ndarray:
        """(N, nz) internal states of force elements"""
        return self._columns.whole("z")

    def __len__(self) -> int:
        return self._columns.count

    def __repr__(self) -> str:
        span = f", {self.state(0)[0]:.6g} to {self.state(-1)[0]:.6g} s" if len(self) else ""
        return f"<gori.Recording: {len(self)} samples{span}>"

    def state(self, index: int) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Time, q, v and z of a sample; -1 is the last."""
        if not -len(self) <= whole("index", index) < len(self):
            raise InputError(f"there is no sample {index}: the recording has {len(self)}")
        at = slice(index % len(self), index % len(self) + 1)
        time, *own = (self._columns.read(name, at)[0] for name in ("time", "q", "v", "z"))
        return float(time), own[0].copy(), own[1].copy(), own[2].copy()

    def numbers(self, column: str, last: slice = ALL) -> np.ndarray:
        """What was recorded: a column, time, q, v, z or extra/NAME, or only some numbers of each of its rows."""
        return self._columns.whole(column) if last == ALL else self._columns.read(column, ALL, last)

    def width(self, column: str) -> int:
        """Numbers in each row of a recorded column."""
        return int(np.prod(self._columns.shape(column)[1:], dtype=int))

    def part(self, rows: Rows) -> "Recording":
        """A Recording of some of the samples, by a slice or increasing indices, with the channels of its states."""
        count = len(range(*rows.indices(len(self)))) if isinstance(rows, slice) else len(rows)
        return Recording.of_columns(self.model, self._columns.part(rows, count), self.info)

    def blocks(self, size: int = BLOCK) -> "Iterator[tuple[slice, Recording]]":
        """All samples in parts of at most so many, each with its rows; a short Recording is its own only part. A part
        is to be used before the next one is asked for.
        """
        if len(self) <= size:
            yield slice(0, len(self)), self
            return
        for first in range(0, len(self), size):
            rows = slice(first, min(first + size, len(self)))
            part = self.part(rows)
            yield rows, part
            part._channels, part._values = {}, {}  # they refer to each other: memory would be freed much later

    # ---- channels

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel, (N,) or (N, ...); computed at the first time, and not to be changed."""
        channel = self._channel(name)
        if name not in self._values:
            in_blocks = channel.by_sample and len(self) > MANY
            value = self._in_blocks(name) if in_blocks else np.asarray(channel.compute(self, name))
            if value.ndim == 0 or len(value) != len(self):
                raise InputError(f"the source of channel {name!r} returned shape {value.shape} for {len(self)} samples")
            self._values[name] = frozen(value)
        return self._values[name]

    def _in_blocks(self, name: str) -> np.ndarray:
        out = np.zeros(0)
        for rows, part in self.blocks():
            value = part[name]
            if rows.start == 0:
                out = np.empty((len(self), *value.shape[1:]), value.dtype)
            out[rows] = value
        return out

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
        listed = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else None
        if listed is None or not all(isinstance(name, str) and name for name in listed) or not callable(function):
            raise InputError("add_source takes a list of names and a function of the recording and a name")
        self._add({name: Channel(function, units) for name in listed})

    def _add(self, new: dict[str, Channel]) -> None:
        if taken := [name for name in new if name in self._channels]:
            raise InputError(f"there is already a channel {taken[0]!r}")
        self._channels |= new

    def _channel(self, name: str) -> Channel:
        if not is_one_of(name, self._channels):
            hint = closest(name, self._channels)
            if isinstance(name, str) and name.rpartition(".")[2] in OF_FORCES and "a" not in self._channels:
                hint = ": accelerations, reactions and efforts of a file come with gori.open_run(path)"
                if "machine" in self.info:
                    hint = (
                        ": samples of a batch have no inputs of forces, which efforts, accelerations and reactions "
                        "need. Run the machine alone, from where it began: gori.Simulation(gori.compile(batch.spec("
                        f"{self.info['machine']})), batch.method, state=..., force_values=...).run(...)"
                    )
            raise InputError(f"there is no channel {name!r}{hint}")
        return self._channels[name]

    def add_group(self, function: Callable[..., None], *arguments: Any) -> None:
        """Add channels by `function(recording, *arguments)`, a function of a module; copies of the Recording call it
        again. What of the arguments cannot be pickled is None for a Recording that was.
        """
        before = set(self._channels)
        function(self, *arguments)
        names = tuple(name for name in self._channels if name not in before)
        self._added.append(AddedChannels(function, arguments, names))
        self._own |= set(names)

    # ---- copies

    def __reduce__(self):
        values, own = {}, {}
        groups = [group.portable() for group in self._added]
        for group, old in zip(groups, self._added):
            if any(
                new is not x for new, x in zip(group.arguments, old.arguments)
            ):  # what they need is left behind; what is known is taken along
                values |= {name: self._values[name] for name in group.names if name in self._values}
        for name, channel in self._channels.items():
            if name not in self._own:
                kept = can_be_pickled(channel.compute)
                own[name] = channel if kept else Channel(KeptChannel(self[name]), channel.units)
        return _rebuilt, (self.model, self._columns, self.info, self.frames, groups, own, values)

    def __deepcopy__(self, memo: dict) -> "Recording":
        """What does not change is shared: Model, columns, values of channels."""
        own = {name: channel for name, channel in self._channels.items() if name not in self._own}
        return _rebuilt(
            self.model, self._columns, deepcopy(self.info, memo), self.frames, self._added, own, self._values
        )

    def __copy__(self) -> "Recording":
        return self.__deepcopy__({})

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

        info, path = checked_info(self.info), file_of(path)
        end = info.pop("end", "complete")
        info.pop("complete", None)
        try:
            header, stored = Header.of(self.model.spec, self.model.open_loops, info), self._columns
            columns = {name: Column(stored.shape(name)[1:], stored.dtype(name)) for name in stored}
            rows = lambda name, first, count: stored.read(name, slice(first, first + count))  # noqa: E731
            write_packed(path, header, columns, len(self), rows, end, None)
        except FileError:  # of the file that this Recording is read from
            raise
        except (OSError, RuntimeError) as error:
            raise RecordError(f"{path} cannot be written: {reason(error)}") from error

    @classmethod
    def load(cls, path: str | os.PathLike, samples: int | None = None) -> "Recording":
        """The Recording in a file; its Model is compiled again. With accelerations and reactions: gori.open_run.

        Of a large file, columns are read when they are asked for, and the file stays open. Of a damaged one, what is
        whole is there, and a DamageWarning says what is missing.

        samples   only the first ones: of a file that is damaged further on
        """
        from gori.record.rows import ending, open_file, read_header

        if samples is not None and whole("samples", samples) < 0:
            raise InputError(f"samples must not be negative, is {samples}")
        file = open_file(path)
        try:
            header = read_header(file)
            columns, end = stored_columns(file, samples)
            with reading(path, "its Spec"):
                model = compile(header.read_spec(path), open_loops=header.open_loops)
            if (columns.shape("q")[1], columns.shape("v")[1]) != (model.nq, model.nv):
                raise FileError("is damaged: its columns do not fit its Spec", path)
            with reading(path, "what it says of the run (info)"):
                return cls.of_columns(model, columns, ending(end) | header.info | {"end": end})
        except BaseException as error:
            file.close()
            if isinstance(error, InputError):
                raise FileError(f"is damaged: {error}", path) from error
            raise


def _rebuilt(
    model: Model,
    columns: SampleColumns,
    info: dict[str, Any],
    frames: Any,
    groups: Iterable[AddedChannels],
    own: dict[str, Channel],
    values: dict[str, np.ndarray],
) -> Recording:
    """A copy of a Recording: its channels are made again."""
    recording = Recording.of_columns(model, columns, info)
    for group in groups:
        recording.add_group(group.function, *group.arguments)
    recording._add(own)
    recording._values |= {name: frozen(value) for name, value in values.items()}
    recording.frames = frames
    return recording


def _rows(name: str, value: Any, count: int, width: int | None) -> np.ndarray:
    array = numbers_of(value, name)
    if array.ndim != 2 or len(array) != count or array.shape[1] != (array.shape[1] if width is None else width):
        wanted = "any" if width is None else width
        raise InputError(f"{name} must be {count} rows of {wanted} numbers, not {array.shape}")
    return frozen(array)
