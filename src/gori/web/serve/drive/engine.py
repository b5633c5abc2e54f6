"""The vehicle in motion: blocks of compiled steps under the driver's pedals, and what a page shows of it."""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import GoriError, SimulationError
from gori.integrate import Adams
from gori.model.vehicle.soil import soil_row, touched_cells
from gori.sim import Simulation, at_rest
from gori.spec.vehicle.terrain import SoftGround
from gori.web.serve.drive.pedals import Pedals
from gori.web.serve.drive.truck import DrivenVehicle

STEP = 1e-3
"""of the bodies [s]"""
STEPS = 5
"""in a block"""
BLOCK = STEP * STEPS
SELECTORS = {"R": "R", "N": "N", "D": "D", "1": 1, "2": 2, "3": 3}
RUT_ROOM = 1.0
"""around the wheels, where soft soil may change [m]"""
STANDS = 2.0
"""a vehicle that has not sunk in after so long, without a driver, is carried [s]"""
NEAR = 12.0
"""from the end of the soft soil, where the driver is warned [m]"""


class Ended(NamedTuple):
    """Why a drive has ended, in a sentence for the driver.

    moment      since its start [s]
    far         from its start [m]
    at_the_end  of the soft soil
    """

    words: str
    moment: float
    far: float
    at_the_end: bool


class DriveEngine:
    """One vehicle, at rest at first. Not for several threads.

    vehicle   on its course
    pedals    of the driver
    spin      angle of each wheel about its axle [rad]
    """

    def __init__(self, vehicle: DrivenVehicle):
        self.vehicle, self.model, self.size = vehicle, vehicle.model, vehicle.size
        self.pedals = Pedals()
        self.gear, self.low = "D", False
        self._standing = at_rest(self.model)
        self.simulation = Simulation(self.model, Adams(step=STEP, order=2), state=self._standing, loops="real_time")
        self._columns = [self.simulation.outputs[f"{name}.speed"] for name in self.model.spec.wheels]
        soft = None if self.model.spec.terrain is None else self.model.spec.terrain.soft
        self._soft = soft
        if soft is not None:
            row = soil_row(soft.soil, soft.at, soft.size, soft.cell)[0]
            self._grid = int(row["ny"]), int(row["nx"])
            reach = 0.5 * self.size.wheelbase + max(abs(self.size.front), abs(self.size.rear)) + RUT_ROOM
            self._reach = reach
        self.begin()

    def begin(self) -> None:
        """From rest at the start, on soil that nothing has touched."""
        if self.simulation.time != self._standing.time or self.simulation.time == 0.0:
            self.simulation.state = self._standing
        self.spin = np.zeros(len(self._columns))
        self._looked = -np.inf
        wanted = self.pedals
        self.pedals = Pedals(
            wanted.throttle, wanted.brake, wanted.steering, wanted.smooth
        )  # keys that are held stay so
        self._levers = (None, None)

    @property
    def speed(self) -> float:
        """Ahead [m/s]."""
        return float(self.simulation.v[self.size.joint_v.start + 3])

    def advance(self) -> Ended | None:
        """One block; what has ended the drive, or None. Then it stands at the start again."""
        run, pedals = self.simulation, self.pedals
        pedals.advance(BLOCK, abs(self.speed))
        inputs, name = run.inputs, self.size.vehicle
        try:
            inputs[f"{name}.throttle"] = pedals.throttle_now
            inputs[f"{name}.brake"] = pedals.brake_now
            if self.size.lock:
                inputs[f"{name}.steer"] = pedals.steering_now
            if self._levers != (self.gear, self.low):
                self._levers = (self.gear, self.low)
                inputs[f"{name}.selector"] = SELECTORS[self.gear]
                inputs[f"{name}.transfer"] = "low" if self.low else "high"
            run.advance(STEPS)
        except SimulationError as error:
            ended = self._ended(error)
            self.begin()
            return ended
        self.spin += BLOCK * run.stepper.sample()[self._columns]
        return None

    def stands(self) -> bool:
        """Whether the soil carries the vehicle without a driver; it stands at the start afterwards."""
        for _ in range(int(STANDS / BLOCK)):
            if self.advance() is not None:
                return False
        self.begin()
        return True

    @property
    def at(self) -> np.ndarray:
        """Where the chassis is, x and y (2,) [m]."""
        return self.simulation.q[self.size.joint_q][4:6]

    @property
    def soil_left(self) -> float:
        """From the wheels to the end of the soft soil [m]; of hard ground there is no end."""
        if self._soft is None:
            return np.inf
        low = np.array(self._soft.at)
        room = np.minimum(self.at - low, low + self._soft.size - self.at)
        return float(room.min()) - self._reach + RUT_ROOM

    def _ended(self, error: SimulationError) -> Ended:
        far, left = float(np.linalg.norm(self.at - self._standing.q[self.size.joint_q][4:6])), self.soil_left
        if left < self.size.radius:
            words = "the soft soil ends at the red posts"
        elif "sunk" in str(error):
            words = "a wheel has dug itself in: less throttle, low range, less payload or firmer soil help"
        else:
            words = str(error)
        return Ended(words, self.simulation.time, far, left < self.size.radius)

    def sample(self) -> np.ndarray:
        """Time, states and outputs now, as a row of a Recording."""
        return self.simulation.stepper.sample().copy()

    def ruts(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Cells of soft soil that changed since the last call, and their depth [m]; None: there is no soft soil."""
        soft = self._soft
        if soft is None:
            return None
        ny, nx = self._grid
        data, at = self.simulation.stepper.data, self.at
        if len(data.window):
            return self._ruts_in_window(soft)
        cells = data.cells.reshape(ny, nx)
        if self._looked == -np.inf:
            window = (0, ny, 0, nx)
        else:
            low = np.floor((at - self._reach - np.array(soft.at)) / soft.cell).astype(int)
            high = np.ceil((at + self._reach - np.array(soft.at)) / soft.cell).astype(int)
            window = (max(0, low[1]), min(ny, high[1]), max(0, low[0]), min(nx, high[0]))
        y0, y1, x0, x1 = window
        seen = cells[y0:y1, x0:x1]
        rows, columns = np.nonzero(seen["stamp"] >= self._looked if self._looked > -np.inf else seen["stamp"] > -1e200)
        self._looked = self.simulation.time
        found = seen[rows, columns]
        depth = found["z_dyn"] + (1.0 - soft.soil.rebound) * found["z_max"]
        index = (rows + y0) * nx + columns + x0
        return index.astype(np.uint32), depth.astype(np.float32)

    def _ruts_in_window(self, soft: SoftGround) -> tuple[np.ndarray, np.ndarray]:
        """The same where the soil remembers a window around the wheels only."""
        data = self.simulation.stepper.data
        index, places = touched_cells(data.cells, data.window)
        found = data.cells[places]
        new = found["stamp"] >= self._looked
        self._looked = self.simulation.time
        depth = found["z_dyn"] + (1.0 - soft.soil.rebound) * found["z_max"]
        return index[new].astype(np.uint32), depth[new].astype(np.float32)

    def stones(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Positions (n, 3) and radii (n,) of the stones [m]; None: there are none."""
        particles = self.simulation.particles
        if particles is None:
            return None
        return np.array(particles.position, np.float32), np.array(particles.radius, np.float32)


def try_levers(engine: DriveEngine) -> list[str]:
    """Gears that the vehicle has."""
    found, inputs = [], engine.simulation.inputs
    name = f"{engine.size.vehicle}.selector"
    before = inputs[name]
    for gear, value in SELECTORS.items():
        try:
            inputs[name] = value
            found.append(gear)
        except GoriError:
            continue
    inputs[name] = before
    return found


def values_of(engine: DriveEngine) -> dict[str, Any]:
    """What the dashboard shows besides what is in a sample."""
    pedals = engine.pedals
    return {"throttle": pedals.throttle_now, "brake": pedals.brake_now, "steer": pedals.steering_now}
