"""BatchInputs and outputs of the machines of a batch, by name."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Protocol

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.model import Model
from gori.model.variants import signal_of
from gori.sim.simulation import Simulation
from gori.spec.expression import closest
from gori.spec.vehicle.control import LEVERS, PEDALS, lever
from gori.text.arguments import is_one_of

RECORDED = ("driver", "wheel", "train", "wheel_output", "train_output")
"""members of Data in which channels stand"""


class Machines(Protocol):
    """The engine of a batch."""

    @property
    def simulation(self) -> Simulation: ...

    def array(self, path: str) -> Any: ...


class BatchInputs(MutableMapping[str, Any]):
    """What may be changed between steps: values (machines,), to be written in place or set, by name.

    forces   whose values or targets are inputs
    laws     {parameter of a law: its signal}
    """

    def __init__(
        self, model: Model, forces: tuple[str, ...], machines: Machines, laws: Mapping[str, int] | None = None
    ):
        vehicle = model.vehicle
        self._machines = machines
        self._signals = {name: model.forces.signal_names.index(signal_of(model, name)) for name in forces}
        self._signals |= laws or {}
        self._drivers = {} if vehicle is None else dict(vehicle.inputs)
        self._gears = {} if vehicle is None else dict(vehicle.gears)

    def __getitem__(self, name: str) -> Any:
        if is_one_of(name, self._signals):
            return self._machines.array("data.values")[:, self._signals[name]]
        if is_one_of(name, self._drivers):
            row, field = self._drivers[name]
            return self._machines.array("data.driver")[field][:, row]
        known = ", ".join(self) or "none: no force has a number as its value"
        raise InputError(f"there is no input {name!r}{closest(name, tuple(self)) or f'; there are {known}'}")

    def __setitem__(self, name: str, value: Any) -> None:
        values = self[name]
        values[...] = value if hasattr(value, "__cuda_array_interface__") else self._checked(name, value)

    def _checked(self, name: str, value: Any) -> np.ndarray:
        """Numbers of the host that an input may have; lever positions may be words."""
        kind = self._drivers[name][1] if name in self._drivers else ""
        if kind in LEVERS:
            try:
                words = np.asarray(value)
                return np.array([lever(kind, word, self._gears[name]) for word in words.flat]).reshape(words.shape)
            except ValueError as error:
                raise InputError(f"input {name!r} {error}") from None
        low, high = PEDALS.get(kind, (-np.inf, np.inf))
        try:
            given = np.asarray(value)
            np.broadcast_to(given, self[name].shape)
            numbers = given.astype(float) if given.dtype.kind in "fiu" else np.array(np.nan)
        except ValueError:  # ragged, or of another count
            numbers = np.array(np.nan)
        if not (np.isfinite(numbers) & (low <= numbers) & (numbers <= high)).all():
            words = f"from {low:g} to {high:g}" if kind else "that are finite"
            raise InputError(
                f"input {name!r} must be a number or one for each of {len(self[name])} machines, {words}, not {value!r}"
            )
        return numbers

    def __contains__(self, name: object) -> bool:
        return is_one_of(name, self._signals) or is_one_of(name, self._drivers)

    def get(self, name: str, default: object = None) -> Any:
        """The values of an input, or something else if there is no such input."""
        return self[name] if name in self else default  # noqa: SIM401  # the base class asks for a KeyError

    def __delitem__(self, name: str) -> None:
        raise InputError("inputs cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter([*self._signals, *self._drivers])

    def __len__(self) -> int:
        return len(self._signals) + len(self._drivers)


class BatchOutputs(Mapping[str, Any]):
    """What wheels, drive trains and contact put out: values (machines,) by channel; forces are (machines, 3)."""

    def __init__(self, model: Model, machines: Machines):
        self._machines = machines
        self._places: dict[str, tuple[str, int, str]] = {}
        self._contact = {} if model.contact is None else _of_contact(model.contact.touched)
        simulation = machines.simulation
        data, first = simulation.stepper.data, 1 + len(simulation.stepper.y)
        for channel, column in simulation.outputs.items():
            address = data.recorded.ctypes.data + 8 * (column - first)
            for member in RECORDED:
                if (place := _field_at(getattr(data, member), address)) is not None:
                    self._places[channel] = (member, *place)

    def __getitem__(self, name: str) -> Any:
        if not is_one_of(name, tuple(self)):
            raise InputError(f"there is no output {name!r}{closest(name, tuple(self))}")
        of_contact = name in self._contact
        member = f"contact_memory.{self._contact[name][0]}" if of_contact else self._places[name][0]
        try:
            table = self._machines.array(f"data.{member}")
        except KeyError:  # steps do not touch it, so that it has no memory on a GPU
            raise UnsupportedError(
                f"output {name!r} is not computed on this device: take it from a Simulation that starts from "
                "batch.state(machine), or use device='cpu'"
            ) from None
        if of_contact:
            return table[(slice(None), *self._contact[name][1])]
        _, row, field = self._places[name]
        return table[field][:, row]

    def __iter__(self) -> Iterator[str]:
        return iter([*self._places, *self._contact])

    def __len__(self) -> int:
        return len(self._places) + len(self._contact)


def _of_contact(bodies: Iterable[str]) -> dict[str, tuple[str, tuple[int | slice, ...]]]:
    """Member of the memory of contact, and where in it a channel stands (`sim/couplings.py`, `contact_columns`)."""
    found: dict[str, tuple[str, tuple[int | slice, ...]]] = {"contact.points": ("measured", (0,))}
    found["contact.gap"] = ("measured", (1,))
    return found | {f"{body}.contact": ("wrench", (k, slice(3, 6))) for k, body in enumerate(bodies)}


def _field_at(table: np.ndarray, address: int) -> tuple[int, str] | None:
    """Row and field of the number of a table that stands at an address."""
    start = table.ctypes.data
    if not start <= address < start + table.nbytes:
        return None
    row, at = divmod(address - start, table.dtype.itemsize)
    for name, (_, offset, *_) in (table.dtype.fields or {}).items():
        if offset == at:
            return row, name
    return None
