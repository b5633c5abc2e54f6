"""The driver's inputs by name."""

from collections.abc import Iterator, Mapping, MutableMapping

import numpy as np

from gori.errors import InputError
from gori.sim.callers.pickled import Bound
from gori.spec.expression import closest
from gori.spec.vehicle.control import LEVERS, PEDALS, lever
from gori.text.arguments import is_one_of


class Inputs(Bound, MutableMapping[str, float]):
    """What the driver does, by name: truck.throttle, truck.brake (0 to 1), truck.steer (-1 right to 1 left),
    truck.selector ("R", "N", "D", or a gear to hold), truck.transfer ("high", "low"). Held until changed.

    driver   records of DRIVER
    fields   {name: (row, field)}
    gears    {lever: number of forward gears}
    """

    def __init__(self, driver: np.ndarray, fields: Mapping[str, tuple[int, str]], gears: Mapping[str, int]):
        self._driver, self._fields, self._gears = driver, fields, gears

    def __getitem__(self, name: str) -> float:
        row, field = self._field(name)
        return float(self._driver[row][field])

    def __setitem__(self, name: str, value: float | str) -> None:
        row, kind = self._field(name)
        if kind in LEVERS:
            try:
                self._driver[row][kind] = lever(kind, value, self._gears[name])
            except ValueError as error:
                raise InputError(f"input {name!r} {error}") from None
            return
        low, high = PEDALS[kind]
        number = value if isinstance(value, (int, float, np.floating)) and not isinstance(value, bool) else np.nan
        if not low <= number <= high:
            raise InputError(f"input {name!r} must be a number from {low:g} to {high:g}, not {value!r}")
        self._driver[row][kind] = number

    def __delitem__(self, name: str) -> None:
        raise InputError("inputs cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def _field(self, name: str) -> tuple[int, str]:
        if not is_one_of(name, self._fields):
            known = ", ".join(self._fields) or "none: the Spec has no drive train and no steering"
            raise InputError(f"there is no input {name!r}{closest(name, self._fields) or f'; there are {known}'}")
        return self._fields[name]
