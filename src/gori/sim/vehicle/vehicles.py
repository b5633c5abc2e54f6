"""Vehicles in a run: what they keep, where they start, and the driver's inputs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from gori.errors import InputError, SimulationError
from gori.kernels.codes import OFF_GRID
from gori.kernels.machine import Data, Machine
from gori.kernels.vehicle.drivetrain import HIGH_LOCKED, TRANSFER_NEUTRAL
from gori.kernels.vehicle.start import start_vehicles
from gori.kernels.vehicle.state import NEVER
from gori.model import Model
from gori.model.vehicle.soil import places_of, touched_cells
from gori.model.vehicle.tables import VehicleTables
from gori.sim.callers.pickled import Bound
from gori.sim.vehicle.inputs import Inputs
from gori.spec.expression import closest
from gori.text.arguments import is_one_of

KEPT = ("vehicle_clock", "driver", "wheel", "train", "wheel_output", "train_output", "contact")
"""arrays of Data that a State holds; forces of soft soil depend on the way there, so outputs are kept as well"""
SOIL = ("cell_index", "cells")
"""of soft soil a State holds the cells that something has touched: their index, and what they remember; of a window
also how many it has forgotten"""
LOCKED = 1e9
"""inertia of a wheel that is to stand still [kg m2]"""
NO_FRICTION = 1e-6
LEVEL = 1e-6
"""level parts of the normal of level ground, at most"""


def own_steps(model: Model, given: Mapping[str, float] | None) -> dict[str, float]:
    """Own steps of drive trains [s], as given or as in the section `run`; they share one, the smallest."""
    trains = () if model.vehicle is None else model.vehicle.trains
    if given is None:
        given = {} if model.vehicle is None else model.vehicle.own_steps
    if not isinstance(given, Mapping):
        raise InputError(f"sub_steps must be {{drive train: step [s]}}, not {given!r}")
    for name, step in given.items():
        if not is_one_of(name, trains):
            raise InputError(f"subsystems: {name!r} is not a drive train{closest(name, trains)}")
        if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0.0 < step < np.inf:
            raise InputError(f"subsystems: the step of {name!r} must be a positive number of seconds, not {step!r}")
    return dict(given)


def off_grid(tables: VehicleTables, time: float, does: str) -> str:
    """What to tell when a wheel stands outside the grid of soft soil, or leaves it."""
    (x, y), (length, width) = tables.soil_grid()
    return (
        f"a wheel {does} the grid of soft soil at t = {time:.6g} s: the grid extends from x = {x:g} to {x + length:g} "
        f"m and from y = {y:g} to {y + width:g} m. Increase terrain.soft.size"
    )


def off_window(tables: VehicleTables, time: float) -> str:
    """What to tell when cells that are pressed at the same time have one place in the window of soft soil."""
    soil = tables.records.soil[0]
    length, width = soil["wx"] * soil["cell"], soil["wy"] * soil["cell"]
    return (
        f"wheels are farther apart than the window of soft soil, {length:g} m by {width:g} m, at t = {time:.6g} s: "
        "increase terrain.soft.window, along x and y for all directions that the vehicle may take"
    )


class Vehicles(Bound):
    """Wheels and drive trains of one Simulation; without any, nothing happens.

    machine, data   bundles of the run
    sub_step        largest step of angular velocities, slips and engines [s]; default: that of the Model
    inputs          of the driver, by name
    """

    def __init__(self, model: Model, machine: Machine, data: Data, sub_step: float | None = None):
        self._tables, self._machine, self._data = model.vehicle, machine, data
        tables = model.vehicle
        self.inputs = Inputs(data.driver, *(({}, {}) if tables is None else (tables.inputs, tables.gears)))
        if sub_step is not None and tables is not None:
            data.vehicle_setting["sub_step"] = sub_step
        self.load(None)

    def start(self, time: float, y: np.ndarray) -> None:
        """They stand at this time, on the bodies of y: forces of the ground are found there anew."""
        if self._tables is None:
            return
        if start_vehicles(self._machine, self._data, time, y) == OFF_GRID:
            raise SimulationError(off_grid(self._tables, time, "stands outside"), time)

    def go_back(self, time: float, y: np.ndarray) -> None:
        """They stand where an event was met within the last step."""
        if self._tables is None:
            return
        wheel, since = self._data.wheel, min(0.0, time - float(self._data.vehicle_clock["time"][0]))
        rates = {"angular_velocity": "acceleration", "transient_x": "rate_x", "transient_y": "rate_y"}
        for name, rate in rates.items():
            wheel[name] += since * wheel[rate]
        self.start(time, y)

    def state(self, soil: bool = True) -> dict[str, np.ndarray]:
        """All that must be kept, as copies; soil=False: without soft soil, which may take long to copy."""
        if self._tables is None:
            return {}
        saved = {name: getattr(self._data, name).copy() for name in KEPT}
        if soil and self._tables.soft:
            saved["cell_index"], places = touched_cells(self._data.cells, self._data.window)
            saved["cells"] = self._data.cells[places]
            if self._tables.windowed:
                saved["forgotten"] = self._data.forgotten.copy()
        return saved

    def load(self, saved: Mapping[str, np.ndarray] | None, y: np.ndarray | None = None) -> None:
        """Stand as `state` has found them, bit for bit; None: as at the start of the Spec, the driver as he is.

        y   the state of the bodies then; None: `start` follows
        """
        tables, data = self._tables, self._data
        if tables is None:
            self.check(saved)
            return
        if saved is None:
            for name in KEPT:
                if name != "driver":
                    getattr(data, name)[:] = np.zeros(1, getattr(data, name).dtype)
            data.wheel[:], data.train[:] = tables.start["wheel"], tables.start["train"]
            self._clear_soil()
            return
        self.check(saved)
        for name in KEPT:
            getattr(data, name)[:] = saved[name]
        if tables.soft:
            self._clear_soil()
            places = places_of(tables.records.soil, saved["cell_index"])
            data.cells[places] = saved["cells"]
            if tables.windowed:
                data.window["cell"][places], data.forgotten[:] = saved["cell_index"] + 1, saved["forgotten"]
        data.standing[:] = np.nan if y is None else y[: len(data.standing)]

    def rolling_speeds(self) -> np.ndarray:
        """Angular velocities with which the wheels would roll freely, as they stand and move on the ground [rad/s]."""
        assert self._tables is not None
        contact, radii = self._data.contact, np.array([wheel.radius for wheel in self._tables.mounted])
        return contact["forward"] / np.where(contact["rolling_radius"] > 0.0, contact["rolling_radius"], radii)

    def on_level_ground(self) -> bool:
        """Whether the ground is level where wheels touch it."""
        contact = self._data.contact[self._data.contact["load"] > 0.0]
        return bool((np.abs(contact["normal"][:, :2]) < LEVEL).all())

    @contextmanager
    def lock_free_wheels(self) -> Iterator[None]:
        """Wheels that no drive train holds, and that may have no brake, do not turn for a while."""
        wheel = self._machine.wheel
        with _changed(wheel["inertia"], wheel["train"] < 0, LOCKED):
            yield

    @contextmanager
    def without_friction(self) -> Iterator[None]:
        """The ground has next to no friction for a while."""
        terrain, area = self._machine.terrain["friction"], self._machine.area["friction"]
        with _changed(terrain, slice(None), NO_FRICTION), _changed(area, slice(None), NO_FRICTION):
            yield

    def _clear_soil(self) -> None:
        self._data.cells[:] = np.zeros(1, self._data.cells.dtype)
        self._data.cells["stamp"] = NEVER
        self._data.window["cell"], self._data.forgotten[:] = 0, 0

    def check(self, saved: Mapping[str, np.ndarray] | None, time: float | None = None) -> None:
        """Refuse what `state` of this Model would not give; time: at which vehicles must stand [s]."""
        tables = self._tables
        if saved is None:
            return
        if tables is None:
            if saved:
                raise InputError(f"state.vehicle holds {', '.join(saved)}, but the Model has no vehicle")
            return
        if tables.soft and "cells" not in saved:
            raise InputError("this State has no soft soil: use simulation.state, not the Snapshot of step()")
        known = (*KEPT, *(SOIL if tables.soft else ()), *(("forgotten",) if tables.windowed else ()))
        for name in saved:
            if name not in known:
                raise InputError(f"state.vehicle: there is no {name!r}{closest(name, known)}")
        for name in known:
            if name not in saved:
                raise InputError(f"state.vehicle[{name!r}] is missing")
        if tables.soft and (saved["cell_index"].ndim != 1 or saved["cell_index"].dtype.kind not in "iu"):
            raise InputError("state.vehicle['cell_index'] must be a row of whole numbers")
        for name in (name for name in known if name != "cell_index"):
            value, here = np.asarray(saved[name]), getattr(self._data, name)
            shape = (len(saved["cell_index"]),) if name == "cells" else here.shape
            if value.dtype != here.dtype or value.shape != shape:
                raise InputError(
                    f"state.vehicle[{name!r}] must be records {here.dtype.names} of shape {shape}, not {value.dtype} "
                    f"of shape {value.shape}: it may belong to another Model"
                )
            for field in here.dtype.names or ():
                if not np.isfinite(value[field]).all():
                    raise InputError(f"state.vehicle[{name!r}]: {field} must be finite numbers")
        train, gears = saved["train"], tables.records.train["gears"]
        for field, low, high in (("gear", -1, gears), ("target", -1, gears), ("range", TRANSFER_NEUTRAL, HIGH_LOCKED)):
            if not ((train[field] >= low) & (train[field] <= high) & (train[field] % 1.0 == 0.0)).all():
                raise InputError(f"state.vehicle['train']: {field} must be a position that the drive train has")
        # both are start + count * step, but computed at two places: the last bit may differ
        if time is not None and abs(saved["vehicle_clock"]["time"][0] - time) > 4.0 * np.spacing(abs(time)):
            raise InputError(f"state.vehicle['vehicle_clock'] must show the time of the State, {time!r} s")
        if tables.soft:
            soil = tables.records.soil
            index, count = np.asarray(saved["cell_index"]), int(soil["nx"][0] * soil["ny"][0])
            if len(index) and not (index[0] >= 0 and index[-1] < count and (np.diff(index) > 0).all()):
                raise InputError(f"state.vehicle['cell_index'] must be whole numbers from 0 to {count - 1}, ascending")
            if len(np.unique(places_of(soil, index))) < len(index):
                raise InputError("state.vehicle['cell_index'] holds cells for which terrain.soft.window has one place")
            if tables.windowed and not saved["forgotten"][0] >= 0:
                raise InputError("state.vehicle['forgotten'] must not be negative")


@contextmanager
def _changed(column: np.ndarray, rows: np.ndarray | slice, value: float) -> Iterator[None]:
    """Rows of a column hold another value for a while."""
    before = column[rows].copy()
    column[rows] = value
    try:
        yield
    finally:
        column[rows] = before
