"""What many machines did over time: samples of all of them, kept where they move, and Recordings of single ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from gori.errors import GoriError, InputError
from gori.model import Model
from gori.model.memory import require_memory
from gori.record import Recording
from gori.record.channels import WORK
from gori.spec.expression import closest
from gori.text.arguments import is_one_of


class SampledMachines(Protocol):
    """The engine of a batch; `room` are zeros beside the machines, in one block."""

    count: int

    def array(self, path: str) -> Any: ...

    def times(self) -> np.ndarray: ...

    def room(self, shape: tuple[int, ...]) -> Any: ...


class BatchRecording:
    """The states of all machines of a batch at some times.

    time    (samples, machines) [s]: where a machine has failed, it stands still
    q, v    (samples, machines, nq), (samples, machines, nv)
    z       (samples, machines, nz) internal states of force elements
    work    (samples, machines) work of all that has no potential [J]
    values  {name: (samples, machines)} of the inputs and outputs that were asked for
    end     "complete", or "interrupted" by Ctrl-C

    `recording[name]` is one of these values, or any channel that a Recording has of its states, of all machines. Where
    the numbers of a machine are not finite it is NaN.
    """

    def __init__(
        self,
        model_of: Callable[[int], Model],
        time: np.ndarray,
        rows: np.ndarray,
        channels: Sequence[str],
        end: str,
    ):
        """model_of: the Model of a machine; rows (samples, machines, numbers): q, v, z, work, and the channels."""
        self._model_of, model = model_of, model_of(0)
        self.time, self.end = time, end
        first = np.cumsum([model.nq, model.nv, rows.shape[2] - model.nq - model.nv - 1 - len(channels)])
        self.q, self.v, self.z, rest = np.split(rows, first, axis=2)
        self.work = rest[..., 0]
        self.values = {name: rest[..., 1 + k] for k, name in enumerate(channels)}

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"<gori recording of {self.time.shape[1]} machines: {len(self)} samples, {self.end}>"

    def machine(self, machine: int) -> Recording:
        """The Recording of one machine, with all channels that follow from its states."""
        if isinstance(machine, bool) or not isinstance(machine, (int, np.integer)):
            raise InputError(f"machine must be a number, not {machine!r}")
        if not 0 <= machine < self.time.shape[1]:
            raise InputError(f"machine must be a number from 0 to {self.time.shape[1] - 1}, not {machine}")
        extra = {WORK: self.work[:, machine]} | {name: array[:, machine] for name, array in self.values.items()}
        time, q, v, z = (array[:, machine] for array in (self.time, self.q, self.v, self.z))
        info = {"end": self.end, "machine": int(machine)}
        return Recording(self._model_of(int(machine)), time, q, v, z, extra, info)

    def __iter__(self) -> Iterator[Recording]:
        return (self.machine(k) for k in range(self.time.shape[1]))

    def __getitem__(self, name: str) -> np.ndarray:
        if is_one_of(name, self.values):
            return self.values[name]
        return np.stack([_of_finite(recording, name) for recording in self], axis=1)


def _of_finite(recording: Recording, name: str) -> np.ndarray:
    """A channel of one machine, NaN in samples whose states are not finite if it cannot be found from them."""
    try:
        return recording[name]
    except GoriError:
        good: Any = np.isfinite(np.hstack([recording.q, recording.v, recording.z])).all(axis=1)
        if good.all():
            raise
    model, rows = recording.model, good[:, None]
    q, v, z = np.where(rows, recording.q, model.q0), np.where(rows, recording.v, 0.0), np.where(rows, recording.z, 0.0)
    channel = Recording(model, recording.time, q, v, z, dict(recording.extra), recording.info)[name].astype(float)
    channel[~good] = np.nan
    return channel


class Samples(NamedTuple):
    """Room for samples, beside the machines.

    channels   inputs and outputs by name, whose values (machines,) are sampled as well
    time       (most, machines)
    room       (most, numbers, machines)
    """

    machines: SampledMachines
    channels: Mapping[str, Callable[[], Any]]
    time: np.ndarray
    room: Any

    def take(self, k: int) -> None:
        """Sample k, as the machines stand."""
        y = self.machines.array("y")
        width = y.shape[1]
        self.time[k] = self.machines.times()
        self.room[k, :width] = y.T
        for column, values in enumerate(self.channels.values(), width):
            self.room[k, column] = values()

    def recording(self, count: int, model_of: Callable[[int], Model], end: str) -> BatchRecording:
        """Of the first so many samples."""
        rows = self.room[:count]
        rows = rows if isinstance(rows, np.ndarray) else rows.copy_to_host()
        return BatchRecording(model_of, self.time[:count], np.moveaxis(rows, 2, 1), list(self.channels), end)


def samples_of(
    machines: SampledMachines, channels: Sequence[str], known: Sequence[Mapping[str, Any]], most: int
) -> Samples:
    """Room for so many samples; known: inputs and outputs of the batch."""
    if isinstance(channels, str):
        raise InputError(f"channels must be a list of names, not {channels!r}")
    found: dict[str, Callable[[], Any]] = {}
    for name in channels:
        tables = [table for table in known if is_one_of(name, list(table))]
        if not tables:
            every = [own for table in known for own in table]
            raise InputError(
                f"{name!r} is no input or output of the batch{closest(name, every) or ''}; channels of states, as "
                "tool.z, are asked of the recording"
            )
        tables[0][name]  # what has no memory on a GPU is refused now
        found[name] = lambda table=tables[0], name=name: table[name]
    width, count = machines.array("y").shape[1] + len(found), machines.count
    each = 8.0 * (width + 1) * count  # with their times; samples of a GPU end here too
    require_memory(
        most * each,
        f"{most} samples of {count} machines ({each:.3g} bytes each)",
        "take fewer machines or a larger `sample`, or run for shorter durations one after the other",
    )
    return Samples(machines, found, np.zeros((most, count)), machines.room((most, width, count)))
