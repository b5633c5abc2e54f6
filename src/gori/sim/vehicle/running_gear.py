"""Wheels and drive trains in a run: the driver's inputs by name, and soil that remembers."""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.vehicle import tables as c
from gori.kernels.vehicle.begin import begin_outside
from gori.kernels.vehicle.patch import NEVER, STAMP
from gori.model import Model
from gori.spec import Spec
from gori.spec.expression import closest
from gori.spec.vehicle.control import LEVERS, PEDALS, lever

NOT_HELD = np.zeros(0)
"""stands for soft soil that a State does not hold"""


class Inputs(MutableMapping[str, float]):
    """What the driver does, by name: truck.throttle, truck.brake (0 to 1), truck.steer (-1 right to 1 left),
    truck.selector ("R", "N", "D", or a gear to hold), truck.transfer ("high", "low"). Held until changed.
    """

    def __init__(self, ports: dict[str, int], gears: dict[str, int] | None = None):
        self._ports, self._gears, self._memory = ports, gears or {}, np.zeros(0)
        self.changed = False

    def connect(self, memory: np.ndarray) -> None:
        self._memory = memory

    def __getitem__(self, name: str) -> float:
        return float(self._memory[self._port(name)])

    def __setitem__(self, name: str, value: float | str) -> None:
        port, kind = self._port(name), name.rpartition(".")[2]
        if kind in LEVERS:
            try:
                self._memory[port] = lever(kind, value, self._gears[name])
            except ValueError as error:
                raise InputError(f"input {name!r} {error}") from None
            return
        low, high = PEDALS[kind]
        number = value if isinstance(value, (int, float, np.floating)) and not isinstance(value, bool) else np.nan
        if not low <= number <= high:
            raise InputError(f"input {name!r} must be a number from {low:g} to {high:g}, not {value!r}")
        self._memory[port] = number
        self.changed = True

    def __delitem__(self, name: str) -> None:
        raise InputError("inputs cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._ports)

    def __len__(self) -> int:
        return len(self._ports)

    def _port(self, name: str) -> int:
        if name not in self._ports:
            known = ", ".join(self._ports) or "none: the Spec has no drive train and no steering"
            raise InputError(f"there is no input {name!r}{closest(name, self._ports) or f'; there are {known}'}")
        return self._ports[name]


class RunningGear:
    """Wheels and drive trains of one Simulation."""

    def __init__(self, model: Model):
        self._model, self._outside = model, model.vehicle
        if model.vehicle is None:
            self.inputs = Inputs({})
        else:
            self.inputs = Inputs(model.vehicle.ports, model.vehicle.gears)
        self._sub_step: float | None = None
        self._machine: Any = None
        self._data: Any = None

    def connect(self, machine: Any, data: Any) -> None:
        """The bundles of the run."""
        self._machine, self._data = machine, data
        self.inputs.connect(data.outside)
        if self._sub_step is not None:
            machine.outside_f[c.SUB_STEP] = self._sub_step

    def own_steps(self, spec: Spec, given: Mapping[str, float] | None) -> dict[str, float]:
        """Own steps of drive trains [s], as given or as in the section `run`; they share one, the smallest."""
        if given is None:
            parts = {} if spec.run is None else spec.run.subsystems
            given = {name: float(part.step) for name, part in parts.items() if name in spec.drivetrains}
        for name, step in given.items():
            if name not in spec.drivetrains:
                raise InputError(f"subsystems: {name!r} is not a drive train{closest(name, spec.drivetrains)}")
            if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0.0 < step < np.inf:
                raise InputError(f"subsystems: the step of {name!r} must be a positive number of seconds, not {step!r}")
        self._sub_step = min(given.values(), default=None)
        return dict(given)

    def told(self) -> dict[str, int]:
        """Places among q, v and z of what wheels and drive trains tell, by channel."""
        model = self._model
        known = {} if self._outside is None else self._outside.channels(model.forces.states)
        return {name: model.nq + model.nv + column for name, (column, _) in known.items()}

    def start(self) -> np.ndarray:
        """States z of wheels and drive trains at the start of the Spec."""
        return np.zeros(0) if self._outside is None else self._outside.start()

    def begin(self, time: float, y: np.ndarray) -> None:
        """The states among y hold at this time: forces of the ground are told there anew."""
        if self._outside is None:
            return
        begin_outside(self._machine, self._data, time, y)

    def rolling_spins(self) -> np.ndarray:
        """With which spins the wheels would roll freely, as they stand and move on the ground [rad/s]."""
        outside = self._outside
        assert outside is not None
        now = c.ports_at.py_func(outside.outside_i)[3]
        records = self._data.outside[now : now + c.N_RECORD * len(outside.wheels)].reshape(-1, c.N_RECORD)
        radii = [outside.model.spec.wheels[name].tyre.radius for name in outside.wheels]
        return records[:, c.R_FORWARD] / np.where(records[:, c.R_RADIUS] > 0.0, records[:, c.R_RADIUS], radii)

    def take_over(self, y: np.ndarray) -> None:
        """Steering that was changed since acts from now on: it stands among the states, the last of them."""
        if not self.inputs.changed:
            return
        self.inputs.changed = False
        outside = self._outside
        assert outside is not None
        count = c.N_Z_STEER * len(outside.steers)
        _, steers, _, _, _, forecast, _ = c.ports_at.py_func(outside.outside_i)
        if count:
            y[-count:] = self._data.outside[forecast - count : forecast] = self._data.outside[steers:][:count]

    @property
    def soft(self) -> bool:
        """Whether there is soil that remembers."""
        return len(self._data.ground) > 0

    @property
    def ground(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Cells of soft soil that something has touched: their places and what they remember; None on hard ground."""
        cells = self._data.ground
        if not len(cells):
            return None
        touched = np.flatnonzero(cells[:, STAMP] > NEVER)
        return touched, cells[touched]

    @ground.setter
    def ground(self, value: tuple[np.ndarray, np.ndarray] | None) -> None:
        cells = self._data.ground
        if value is not None and value[0] is NOT_HELD:
            raise InputError("this State does not hold the soft soil: take simulation.state, not what step() gives")
        cells[:] = 0.0
        cells[:, STAMP] = NEVER
        if value is not None and len(cells):
            cells[value[0]] = value[1]
