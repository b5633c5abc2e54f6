"""Drivers: callables for `Simulation(driver=...)` that set throttle, brake, steering and levers of one vehicle.

    driver = Together(HoldSpeed(22.5), Follow(path))
    simulation = Simulation(model, method, state=state, driver=driver, driver_period=0.01)

Each reads the state once a call, in plain floats: some microseconds. One driver drives one simulation, and starts anew
with another. What it remembers (an integral, the piece of a path) is in `save()`; after `load()` it goes on from there.
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.manoeuvre.dimensions import Dimensions, dimensions
from gori.manoeuvre.path import Path
from gori.sim import Simulation

LAG = 0.015
"""time that a vehicle takes to follow its wheels, for each m/s of speed [s2/m]"""
SLOWEST, FAINT, STRONG = 2.0, 0.1, 4.0
"""speed [m/s] and lateral accelerations [m/s2] from and up to which understeer is learned"""
SERVO, FORGET, DOUBT, LARGEST = 0.05, 20.0, 0.1, 0.03
"""lag of a steering [s]; time that a driver remembers [s]; how long no understeer is taken for granted [(m/s2)^2 s];
the largest that is learned [rad / (m/s2)]"""
Signal = float | str | list | Callable[[float], float]
"""a number, rows [[t, x], ...], or a function of time"""


class TimeTable:
    """A signal of time: linear between rows; steps where `stepped`. Ends go on."""

    def __init__(self, signal: Any, name: str, stepped: bool = False):
        self._call: Callable[[float], Any] | None = signal if callable(signal) else None
        self._x: list[Any] = []
        if self._call is None:
            rows: Any = signal if isinstance(signal, (list, tuple)) else [(0.0, signal)]
            try:
                self._t = [float(row[0]) for row in rows]
                self._x = [row[1] if stepped else float(row[1]) for row in rows]
            except (TypeError, ValueError, IndexError, KeyError):
                raise InputError(f"{name} must be a number, rows [[t, x], ...] or a function of time") from None
            growing = all(a < b for a, b in zip(self._t, self._t[1:]))
            if not rows or not growing or not all(map(math.isfinite, self._t)):
                raise InputError(f"{name}: needs at least one row, with increasing times")
        self._stepped = stepped

    def __call__(self, t: float) -> Any:
        if self._call is not None:
            return self._call(t)
        k = bisect_right(self._t, t)
        if k == 0:
            return self._x[0]
        if self._stepped or k == len(self._t):
            return self._x[k - 1]
        share = (t - self._t[k - 1]) / (self._t[k] - self._t[k - 1])
        return self._x[k - 1] + share * (self._x[k] - self._x[k - 1])


class Driver:
    """What drivers have in common: the vehicle by name, looked up when a simulation is met for the first time."""

    def __init__(self, vehicle: str = "truck"):
        self.vehicle = vehicle
        self._simulation: Simulation | None = None
        self._memory: dict[str, Any] = {}
        self._loaded = False
        self._pose: list[float] = []  # q at which the vehicle was measured
        self.dimensions: Dimensions | None = None

    def __call__(self, simulation: Simulation) -> bool | None:
        if simulation is not self._simulation:
            if not self._loaded:
                self._pose = simulation.q.tolist()
            self.meet(simulation)
            if not self._loaded:
                self._memory = self.begin(simulation)
            self._simulation, self._loaded = simulation, False
        return self.drive(simulation, simulation.time)

    def save(self) -> dict[str, Any]:
        """What it remembers, as numbers by name; nothing before it has driven."""
        return {**self._memory, "pose": self._pose} if self._memory else {}

    def load(self, saved: dict[str, Any]) -> None:
        """Go on with what `save` gave, in this simulation or in the next one that it drives."""
        self._memory, self._loaded = dict(saved), bool(saved)
        self._pose = self._memory.pop("pose", [])

    def meet(self, simulation: Simulation) -> None:
        """Look the vehicle up."""
        self.dimensions = dimensions(simulation.model, self.vehicle, np.array(self._pose))
        self._q, self._v = self.dimensions.joint_q.start, self.dimensions.joint_v.start

    def begin(self, simulation: Simulation) -> dict[str, Any]:
        """What it remembers at the start of a drive."""
        return {}

    def drive(self, simulation: Simulation, time: float) -> bool | None:
        """Set inputs; True ends the run."""
        raise NotImplementedError

    def speed_of(self, simulation: Simulation) -> float:
        """Ahead, along the chassis [m/s]."""
        return float(simulation.v[self._v + 3])


class DriverSchedule(Driver):
    """Pedals, steering and levers as signals of time; what is not given is left alone.

    throttle, brake   0 to 1
    steer             -1 (right) to 1 (left)
    selector          "R", "N", "D" or a gear to hold; in rows it steps: [[0, "N"], [1, "D"]]
    transfer          "high", "low", "neutral"
    """

    def __init__(
        self,
        throttle: Signal | None = None,
        brake: Signal | None = None,
        steer: Signal | None = None,
        selector: Signal | None = None,
        transfer: Signal | None = None,
        vehicle: str = "truck",
    ):
        super().__init__(vehicle)
        given = {"throttle": throttle, "brake": brake, "steer": steer, "selector": selector, "transfer": transfer}
        self._tables = [
            (f"{vehicle}.{name}", TimeTable(signal, name, name in ("selector", "transfer")))
            for name, signal in given.items()
            if signal is not None
        ]

    def meet(self, simulation: Simulation) -> None:
        for port, _ in self._tables:
            simulation.inputs[port]  # refuses names that are not there

    def drive(self, simulation: Simulation, time: float) -> None:
        for port, table in self._tables:
            simulation.inputs[port] = table(time)


class HoldSpeed(Driver):
    """Throttle and brake by a PID law on the speed.

        u = gain e + integral of (e / reset) gain - lead gain dv/dt,  e = wanted - speed

    u > 0 is throttle; u < -deadband is brake, so that the pedals do not alternate. Against wind-up, the integral stands
    while the pedal is at its end and would go further.

    speed   wanted [m/s], a signal of time
    gain    pedal for an error of 1 m/s;  reset [s];  lead [s]
    bias    pedal to begin with: what the road will ask for
    brakes  False: it never brakes
    """

    def __init__(
        self,
        speed: Signal,
        gain: float = 0.8,
        reset: float = 4.0,
        lead: float = 0.0,
        deadband: float = 0.05,
        bias: float = 0.0,
        brakes: bool = True,
        selector: str | int | None = "D",
        vehicle: str = "truck",
    ):
        super().__init__(vehicle)
        if not (gain > 0.0 and reset > 0.0):
            raise InputError(f"gain and reset of HoldSpeed must be positive, not {gain!r} and {reset!r}")
        self.wanted = TimeTable(speed, "speed")
        self._gain, self._reset, self._lead, self._deadband = gain, reset, lead, deadband
        self._bias, self._brakes, self._selector = bias, brakes, selector

    def meet(self, simulation: Simulation) -> None:
        super().meet(simulation)
        self._throttle, self._brake = f"{self.vehicle}.throttle", f"{self.vehicle}.brake"

    def begin(self, simulation: Simulation) -> dict[str, Any]:
        if self._selector is not None:
            simulation.inputs[f"{self.vehicle}.selector"] = self._selector
        return {"integral": self._bias, "speed": self.speed_of(simulation), "time": simulation.time}

    def drive(self, simulation: Simulation, time: float) -> None:
        memory = self._memory
        speed, dt = self.speed_of(simulation), time - memory["time"]
        error = self.wanted(time) - speed
        u = self._gain * error + memory["integral"]
        if dt > 0.0:
            u -= self._gain * self._lead * (speed - memory["speed"]) / dt
            grows = self._gain * error * dt / self._reset
            if -1.0 < u < 1.0 or u * grows < 0.0:
                memory["integral"] = min(1.0, max(-1.0, memory["integral"] + grows))
        memory["speed"], memory["time"] = speed, time
        simulation.inputs[self._throttle] = min(1.0, max(0.0, u))
        simulation.inputs[self._brake] = min(1.0, max(0.0, -u - self._deadband)) if self._brakes else 0.0


class Follow(Driver):
    """Steers along a path.

    law="stanley"   along the path and towards it: heading error - atan(gain aside / speed), less damping times the
                    excess of yaw rate (Thrun et al. 2006), of where the vehicle will be in `preview` seconds
    law="preview"   the arc through the point that lies `preview` seconds ahead on the path (pure pursuit)

    Both ask for a curvature, and steer by curvature (wheelbase + understeer speed^2). If it is not given, the
    understeer is learned from the yaw rates that steering has brought so far, by least squares.

    preview      [s]; default: 0.7 s of law="preview"; of law="stanley" LAG times the speed, as long as a vehicle takes
                 to follow its wheels, mass speed / cornering stiffness
    nearest      [m]: at least so far ahead, of law="preview"
    gain         [1/s];  damping [s]
    understeer   of the vehicle [rad / (m/s2)]; None: it is learned
    """

    def __init__(
        self,
        path: Path,
        law: str = "stanley",
        preview: float | None = None,
        gain: float = 3.0,
        damping: float = 0.05,
        understeer: float | None = None,
        nearest: float = 3.0,
        vehicle: str = "truck",
    ):
        super().__init__(vehicle)
        if law not in ("stanley", "preview"):
            raise InputError(f"law must be 'stanley' or 'preview', not {law!r}")
        self.path, self._law = path, law
        self._preview = preview
        self._gain, self._damping, self._understeer, self._nearest = gain, damping, understeer, nearest

    def meet(self, simulation: Simulation) -> None:
        super().meet(simulation)
        assert self.dimensions is not None
        if self.dimensions.lock == 0.0:
            raise InputError(f"vehicle {self.vehicle!r} has no steering: it cannot follow a path")
        self._steer = f"{self.vehicle}.steer"

    def begin(self, simulation: Simulation) -> dict[str, Any]:
        learned = {"time": simulation.time, "angle": 0.0, "lagging": 0.0, "turned": 0.0, "lacking": 0.0}
        return {"piece": -1, "along": 0.0, "aside": 0.0, **learned}

    @property
    def along(self) -> float:
        """Way along the path [m]."""
        return self._memory.get("along", 0.0)

    @property
    def aside(self) -> float:
        """Left of the path [m]."""
        return self._memory.get("aside", 0.0)

    def drive(self, simulation: Simulation, time: float) -> None:
        size, q, v, a, b = self.dimensions, simulation.q, simulation.v, self._q, self._v
        assert size is not None
        w, i, j, k, x, y = q[a : a + 6].tolist()
        rate, forward, left = v[b + 2 : b + 5].tolist()
        yaw = math.atan2(2.0 * (i * j + w * k), 1.0 - 2.0 * (j * j + k * k))
        c, s = math.cos(yaw), math.sin(yaw)
        speed = max(abs(forward), 1.0)
        if self._law == "stanley":
            # where the vehicle will be in a moment
            then = min(0.5, LAG * speed) if self._preview is None else self._preview
            lead, side = then * forward, then * left
            foot = self._find(x + c * lead - s * side, y + s * lead + c * side)
            turn = math.remainder(foot.heading - yaw - then * rate, 2.0 * math.pi)
            turn -= math.atan(self._gain * foot.aside / speed) + self._damping * (rate - forward * foot.curvature)
            bend = foot.curvature + turn / size.wheelbase
        else:
            # from the rear axle: it rolls along its own heading
            far = 0.7 if self._preview is None else self._preview
            at_x, at_y = x + c * size.rear, y + s * size.rear
            foot = self._find(at_x, at_y)
            to_x, to_y, _, _ = self.path.ahead(foot.along + max(self._nearest, far * speed), self._memory["piece"])
            gx, gy = to_x - at_x, to_y - at_y
            bend = 2.0 * (c * gy - s * gx) / max(1e-6, gx * gx + gy * gy)
        understeer = self._learn(time, rate, forward) if self._understeer is None else self._understeer
        angle = bend * (size.wheelbase + understeer * forward * forward)
        self._memory["along"], self._memory["aside"], self._memory["angle"] = foot.along, foot.aside, angle
        simulation.inputs[self._steer] = min(1.0, max(-1.0, angle / size.lock))

    def _learn(self, time: float, rate: float, forward: float) -> float:
        """Understeer [rad / (m/s2)] by all that was steered: angle = wheelbase rate / speed + understeer speed rate."""
        memory, size = self._memory, self.dimensions
        assert size is not None
        dt, memory["time"] = time - memory["time"], time
        if dt > 0.0 and forward > SLOWEST:
            # the angle that the vehicle has answered by now
            most = size.lock
            asked = min(most, max(-most, memory["angle"]))
            memory["lagging"] += dt / (dt + LAG * forward + SERVO) * (asked - memory["lagging"])
            lateral = forward * rate
            if FAINT < abs(lateral) < STRONG:
                keep = 1.0 - dt / FORGET
                lack = memory["lagging"] - size.wheelbase * rate / forward
                memory["turned"] = keep * memory["turned"] + dt * lateral * lateral
                memory["lacking"] = keep * memory["lacking"] + dt * lateral * lack
        return min(LARGEST, max(0.0, memory["lacking"] / (memory["turned"] + DOUBT)))

    def _find(self, x: float, y: float):
        piece = self._memory["piece"]
        foot, self._memory["piece"] = self.path.foot(x, y, piece if piece >= 0 else None)
        return foot


class Together:
    """Several drivers, one after the other; later ones have the last word. The run ends when one says so."""

    def __init__(self, *drivers: Callable[[Simulation], bool | None]):
        self.drivers = drivers

    def __call__(self, simulation: Simulation) -> bool:
        ends = False
        for driver in self.drivers:
            ends = bool(driver(simulation)) or ends
        return ends

    def save(self) -> dict[str, Any]:
        """What its drivers remember, by their number; plain functions remember nothing."""
        return {str(k): driver.save() for k, driver in enumerate(self.drivers) if isinstance(driver, Driver | Together)}

    def load(self, saved: dict[str, Any]) -> None:
        """Let them go on with what `save` gave."""
        for k, driver in enumerate(self.drivers):
            if isinstance(driver, Driver | Together):
                driver.load(saved.get(str(k), {}))
