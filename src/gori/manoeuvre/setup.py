"""What all manoeuvres need: a vehicle on its course, a run with drivers, and what the chassis did in it."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gori.errors import InputError
from gori.formats.vehicles import is_own, vehicle_spec
from gori.integrate import Adams
from gori.manoeuvre.courses import Course
from gori.manoeuvre.dimensions import Dimensions, dimensions, driven_vehicle
from gori.manoeuvre.drivers import DriverSchedule, Follow, HoldSpeed, Together
from gori.manoeuvre.path import Path
from gori.model import Model, State, compile
from gori.record import Recording
from gori.sim import Simulation, at_rest
from gori.spec import Spec
from gori.spec.vehicle.control import owner

MPH = 0.44704
GRAVITY = 9.80665
_RESTS: WeakKeyDictionary[Model, State] = WeakKeyDictionary()
"""States at rest that were found before"""
NAME = "truck"
"""of a vehicle out of a template"""
DUG_IN = 0.8
"""sinkage of a wheel that digs itself in, by its radius: the axle is at the ground, and a manoeuvre ends"""
PEDAL = 0.017
"""throttle that a steady speed asks for, about, for each m/s"""


@dataclass(frozen=True)
class ManoeuvreSetup:
    """Which vehicle, on which soil, and how it is computed. Arguments that all manoeuvres share.

    vehicle    a template: a name that comes with Gori, or a YAML file; or a vehicle of your own: a Spec, or a file of
               one, with a free joint on the ground, wheels, and a drive train. Its terrain, controls and run are left
               out
    set        {dotted path in its template or its Spec: value}
    soil       name or file of a soft soil that the course is laid on; None: hard ground
    friction   of hard ground; None: 0.8
    cell       of the soil's grid [m]
    method     default: Adams(step=1e-3, order=2);  loops: "multipliers", "real_time", ...
    control    how often the driver acts [s]
    progress   show bars of runs that take more than two seconds
    """

    vehicle: Any = "hmmwv"
    set: Mapping[str, Any] = field(default_factory=dict)
    soil: Any = None
    friction: float | None = None
    cell: float = 0.05
    method: Any = None
    loops: Any = None
    control: float = 0.01
    progress: bool = True

    def place(self, course: Course, forces: Mapping[str, Any] | None = None) -> Model:
        """The vehicle on a course; `forces` are added to those of its Spec."""
        if self.soil is not None and "soft" not in course.terrain:
            course = course.on_soil(self.soil, self.cell)
        terrain = course.terrain | ({} if self.friction is None else {"friction": self.friction})
        described = vehicle_spec(self.vehicle, NAME, self.set, terrain=terrain)
        if not described.drivetrains:
            raise InputError(f"vehicle {self._called!r} has no drive train: a manoeuvre needs one")
        data = described.model_dump(exclude_unset=True)
        if not is_own(self.vehicle):
            grade = terrain.get("grade", (0.0, 0.0))[0]
            data["joints"] = {**data["joints"], NAME: _standing(data["joints"][NAME], grade)}
        if forces:
            data["forces"] = {**data.get("forces", {}), **forces}
        model = compile(Spec(**data))
        driven_vehicle(model)  # or it is refused here
        return model

    def run(
        self, model: Model, state: State, driver: Any, longest: float, sample: float = 0.01, forces: Any = None
    ) -> tuple[Recording, Simulation]:
        """Drive until the driver ends it, at most `longest` seconds; `forces` as of a Simulation."""
        method = Adams(step=1e-3, order=2) if self.method is None else self.method
        how = {"loops": self.loops, "driver": driver, "driver_period": self.control, "forces": forces}
        run = Simulation(model, method, state=state, **how)
        if not run.method.adaptive:
            step = run.method.settings()["step"]
            longest = max(1, round(longest / step)) * step
        return run.run(longest, sample=sample, progress=self.progress), run

    @property
    def words(self) -> str:
        """The vehicle and its ground."""
        changes = "".join(f", {name} {value}" for name, value in self.set.items())
        ground = "hard ground" if self.soil is None else str(self.soil)
        return f"{self._called}{changes}, {ground}"

    @property
    def _called(self) -> str:
        """The vehicle in a word."""
        if isinstance(self.vehicle, Spec):
            return "a vehicle of your own"
        return str(self.vehicle) if isinstance(self.vehicle, str | os.PathLike) else type(self.vehicle).__name__.lower()


def _standing(joint: Mapping[str, Any], grade: float) -> dict[str, Any]:
    """The free joint of a vehicle with its wheels along a grade, above the origin along the normal of the ground."""
    half = -0.5 * math.atan(grade)
    height = joint["q"][-1] * math.cos(2.0 * half)  # from straight above the origin to along the normal
    tilt = [math.cos(half), 0.0, math.sin(half), 0.0]
    return {**joint, "q": [*tilt, height * math.sin(2.0 * half), 0.0, height * math.cos(2.0 * half)]}


def rolling(model: Model, speed: float) -> State:
    """At rest on its wheels, or rolling ahead [m/s]."""
    if not 0.0 <= speed <= 100.0:
        raise InputError(f"speed must be 0 to 100 m/s, not {speed!r}")
    if model not in _RESTS:
        _RESTS[model] = at_rest(model)
    return at_rest(model, speed=speed, standing=_RESTS[model]).copy()


def follower(path: Path, size: Dimensions) -> list[Follow]:
    """Steers along a path, if it can be steered."""
    return [Follow(path, vehicle=size.vehicle)] if size.lock else []


def holder(speed: float, **settings: Any) -> HoldSpeed:
    """Holds a speed [m/s] that the vehicle has already."""
    return HoldSpeed(speed, bias=min(1.0, PEDAL * speed), **settings)


@dataclass(frozen=True)
class ChassisMotion:
    """What the chassis did in a Recording, on the ground."""

    recording: Recording
    size: Dimensions

    @property
    def time(self) -> np.ndarray:
        return self.recording.time

    @cached_property
    def position(self) -> np.ndarray:
        """x and y of the chassis (n, 2) [m]."""
        return self.recording.q[:, self.size.joint_q][:, 4:6]

    @cached_property
    def yaw(self) -> np.ndarray:
        """Heading (n,) [rad], without jumps."""
        x = self.recording[f"{self.size.chassis}.rotation"][:, :, 0]
        return np.unwrap(np.arctan2(x[:, 1], x[:, 0]))

    @cached_property
    def speed(self) -> np.ndarray:
        """Ahead, along the chassis (n,) [m/s]."""
        return self.recording.v[:, self.size.joint_v][:, 3]

    @cached_property
    def yaw_rate(self) -> np.ndarray:
        """About the vertical (n,) [rad/s]."""
        return self.recording[f"{self.size.chassis}.velocity"][:, 2]

    @cached_property
    def acceleration(self) -> np.ndarray:
        """Ahead and to the left along the ground (n, 2), of the chassis' origin [m/s2]."""
        a = self.recording[f"{self.size.chassis}.acceleration"][:, 3:5]
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.column_stack([c * a[:, 0] + s * a[:, 1], c * a[:, 1] - s * a[:, 0]])

    @cached_property
    def way(self) -> np.ndarray:
        """Driven so far (n,) [m]."""
        steps = np.hypot(*np.diff(self.position, axis=0).T)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def steering(self) -> np.ndarray:
        """What the driver asks for (n,) [rad]: as angle of the wheels, where nothing yields."""
        steers = [name for name in self.recording.model.spec.steering if owner(name) == self.size.vehicle]
        if not steers:
            return np.zeros(len(self.time))
        return self.recording[f"{steers[0]}.steer"] * self.size.lock

    def heading(self, wheels: tuple[str, ...]) -> np.ndarray:
        """Mean angle of wheels against the chassis (n,) [rad], to the left."""
        R = self.recording[f"{self.size.chassis}.rotation"]
        total = np.zeros(len(R))
        for name in wheels:
            wheel = self.recording.model.spec.wheels[name]
            axis = self.recording[f"{wheel.body}.rotation"] @ np.array(wheel.axis)
            local = np.einsum("nji,nj->ni", R, axis)
            total += np.arctan2(-local[:, 0], local[:, 1])
        return total / max(1, len(wheels))

    @cached_property
    def wheel_angle(self) -> np.ndarray:
        """Mean angle of the steered wheels less that of the others (n,) [rad], to the left."""
        rest = tuple(name for name in self.size.wheels if name not in self.size.steered)
        return self.heading(self.size.steered) - self.heading(rest)

    @cached_property
    def roll(self) -> np.ndarray:
        """Of the chassis (n,) [rad]; positive with the left side up."""
        return np.arcsin(np.clip(self.recording[f"{self.size.chassis}.rotation"][:, 2, 1], -1.0, 1.0))

    def wheels(self, channel: str) -> np.ndarray:
        """A channel of all wheels (n, wheels)."""
        return np.column_stack([self.recording[f"{name}.{channel}"] for name in self.size.wheels])


def motion(recording: Recording) -> ChassisMotion:
    """The ChassisMotion of the vehicle in a Recording."""
    return ChassisMotion(recording, size_of(recording.model, recording.q[0]))


def size_of(model: Model, q: np.ndarray | None = None) -> Dimensions:
    """The Dimensions of the vehicle in a Model."""
    return dimensions(model, driven_vehicle(model), q)


def deepest(run: Simulation, wheels: tuple[str, ...]) -> float:
    """Largest sinkage of these wheels now [m]."""
    return max(run.channel(f"{name}.sinkage") for name in wheels)


def too_deep(model: Model, size: Dimensions) -> float:
    """Sinkage with which a wheel counts as dug in [m]."""
    return DUG_IN * min(model.spec.wheels[name].tyre.radius for name in size.wheels)


def crossing(x: np.ndarray, y: np.ndarray, level: float) -> float:
    """First x where y comes up to a level, by linear interpolation; NaN if it never does."""
    over = np.flatnonzero(y >= level)
    if not len(over):
        return math.nan
    k = int(over[0])
    if k == 0:
        return float(x[0])
    return float(x[k - 1] + (level - y[k - 1]) / (y[k] - y[k - 1]) * (x[k] - x[k - 1]))


def understeer(setup: ManoeuvreSetup, model: Model, speed: float, lateral: float = 1.0) -> float:
    """How much more the driver must steer for each m/s2 of lateral acceleration [rad/(m/s2)]: by a short run at a given
    speed, in a gentle bend of about `lateral` m/s2. Counted by the steering's travel, so that what gives way is in it.
    """
    state = rolling(model, speed)
    size = size_of(model, state.q)
    if size.lock == 0.0:
        raise InputError(f"vehicle {size.vehicle!r} has no steering")
    steer = min(0.5, size.wheelbase * lateral / speed**2 / size.lock)
    # the linear part: small, and long enough to settle
    steers = DriverSchedule(steer=[[0.0, 0.0], [0.5, steer]], vehicle=size.vehicle)
    driver = Together(holder(speed, vehicle=size.vehicle), steers)
    recording, _ = ManoeuvreSetup(**{**vars(setup), "progress": False}).run(model, state, driver, 5.0, 0.02)
    rate, ahead = (float(np.mean(row[-25:])) for row in (motion(recording).yaw_rate, motion(recording).speed))
    return (steer * size.lock - size.wheelbase * rate / ahead) / (ahead * rate)
