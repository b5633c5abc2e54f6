"""Wheels, drive trains, steering and drag of a Spec -> tables for the kernels; their states, channels and ports."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gori.kernels.vehicle import drivetrain as dt
from gori.kernels.vehicle import tables as c
from gori.kernels.vehicle.outside import vehicles
from gori.kernels.vehicle.patch import N_CELL
from gori.model.model import Model
from gori.model.vehicle.drivetrain import train_state, train_tables
from gori.model.vehicle.soil import fresh_ground, soil_row
from gori.model.vehicle.terrain import terrain_tables
from gori.model.vehicle.tyre import tyre_row
from gori.spec.vehicle.control import LEVERS, owner

SUB_STEP = 2e-4
"""largest step of spins, slips and engines, where a run says nothing else [s]"""

WHEEL_CHANNELS = {
    "speed": (c.OMEGA, "rad/s"),
    "load": (c.LOAD, "N"),
    "fx": (c.FX, "N"),
    "fy": (c.FY, "N"),
    "mz": (c.MZ, "N m"),
    "slip": (c.SLIP, ""),
    "slip_angle": (c.SLIP_ANGLE, "rad"),
    "sinkage": (c.SINKAGE, "m"),
    "deflection": (c.SOFT, "m"),
    "drive_torque": (c.DRIVE_TORQUE, "N m"),
    "brake_torque": (c.BRAKE_TORQUE, "N m"),
    "work": (c.HUB_WORK, "J"),
}
TRAIN_CHANNELS = {
    "engine_speed": (dt.ENGINE, "rad/s"),
    "turbine_speed": (dt.TURBINE, "rad/s"),
    "gear": (dt.GEAR, ""),
    "engine_torque": (dt.ENGINE_TORQUE, "N m"),
    "engine_work": (dt.ENGINE_WORK, "J"),
    "converter_loss": (dt.CONVERTER_LOSS, "J"),
    "clutch_loss": (dt.CLUTCH_LOSS, "J"),
    "gear_loss": (dt.GEAR_LOSS, "J"),
    "brake_work": (dt.BRAKE_WORK, "J"),
    "ground_work": (dt.GROUND_WORK, "J"),
    "throttle": (c.THROTTLE_IN, ""),
    "brake": (c.BRAKE_IN, ""),
    "selector": (c.SELECTOR_IN, ""),
}


@dataclass(frozen=True)
class Outside:
    """Tables of what acts from outside, and the names of what it keeps."""

    outside_i: np.ndarray
    outside_f: np.ndarray
    wheels: tuple[str, ...]
    trains: tuple[str, ...]
    steers: tuple[str, ...]
    soil: np.ndarray | None
    model: Model

    @property
    def states(self) -> int:
        return c.N_Z_WHEEL * len(self.wheels) + c.N_Z_TRAIN * len(self.trains) + c.N_Z_STEER * len(self.steers)

    def tables(self, live: bool) -> tuple[np.ndarray, np.ndarray, int]:
        """Last fields of a Machine; of a run that is live with numbers of its own, as it may choose its sub-step."""
        return self.outside_i, self.outside_f.copy() if live else self.outside_f, vehicles.address

    def memory(self, live: bool) -> tuple[np.ndarray, np.ndarray]:
        """Last fields of a Scratch."""
        flat = np.zeros(c.memory_size(len(self.wheels), len(self.trains), len(self.steers)))
        flat[c.MODE] = c.LIVE if live else c.REPLAY
        for name, port in self.ports.items():
            if name.endswith(".transfer"):
                flat[port] = dt.HIGH
        # recorded motion needs no soil: z tells the forces
        return flat, np.zeros((0, N_CELL)) if self.soil is None or not live else fresh_ground(self.soil)

    @cached_property
    def ports(self) -> dict[str, int]:
        """Places of the driver's inputs in the memory, by name: truck.throttle, brake, selector, transfer, steer."""
        ports, names = {}, ("throttle", "brake", "selector", "transfer")
        for k, train in enumerate(self.trains):
            for j, name in enumerate(names):
                ports[f"{owner(train)}.{name}"] = c.N_HEAD_M + c.N_TRAIN_PORTS * k + j
        for k, steering in enumerate(self.steers):
            ports[f"{owner(steering)}.steer"] = c.N_HEAD_M + c.N_TRAIN_PORTS * len(self.trains) + k
        return ports

    @property
    def gears(self) -> dict[str, int]:
        """Forward gears that each lever belongs to, by the lever's name."""
        trains = {name: len(self.model.spec.drivetrains[name].gearbox.ratios) for name in self.trains}
        return {f"{owner(name)}.{kind}": count for name, count in trains.items() for kind in LEVERS}

    def start(self) -> np.ndarray:
        """States (states,) at the start of the Spec: wheels roll with the bodies that carry them, engines idle."""
        model, spec = self.model, self.model.spec
        z = np.zeros(self.states)
        poses, v = model.forward_kinematics(model.q0), model.v0
        spins = {}
        for k, name in enumerate(self.wheels):
            wheel = spec.wheels[name]
            pose = poses[wheel.body]
            twist = model.jacobian(model.q0, wheel.body) @ v
            velocity = twist[3:] + np.cross(twist[:3], pose[:3, :3] @ wheel.at)
            axis = pose[:3, :3] @ wheel.axis
            heading = np.cross(axis, [0.0, 0.0, 1.0])
            size = np.linalg.norm(heading)
            spins[name] = float(velocity @ heading) / size / wheel.tyre.radius if size > 0.1 else 0.0
            z[c.N_Z_WHEEL * k + c.OMEGA] = spins[name]
        first = c.N_Z_WHEEL * len(self.wheels)
        for k, name in enumerate(self.trains):
            train = spec.drivetrains[name]
            speeds = [spins[wheel] for wheel in train.wheels]
            z[first + c.N_Z_TRAIN * k :][: dt.N_TRAIN] = train_state(train, speeds, starting_gear(train, speeds))
        return z

    def channels(self, friction: int) -> dict[str, tuple[int, str]]:
        """Column of z and unit of each channel."""
        found = {}
        for k, name in enumerate(self.wheels):
            for channel, (column, unit) in WHEEL_CHANNELS.items():
                found[f"{name}.{channel}"] = (friction + c.N_Z_WHEEL * k + column, unit)
        first = friction + c.N_Z_WHEEL * len(self.wheels)
        for k, name in enumerate(self.trains):
            for channel, (column, unit) in TRAIN_CHANNELS.items():
                found[f"{name}.{channel}"] = (first + c.N_Z_TRAIN * k + column, unit)
        for k, name in enumerate(self.steers):
            found[f"{name}.steer"] = (first + c.N_Z_TRAIN * len(self.trains) + c.N_Z_STEER * k, "")
        return found


def starting_gear(train: Any, spins: list[float]) -> int:
    """The lowest gear in which the turbine turns below the lowest speed of shifting up; neutral at rest."""
    mean = float(np.mean(spins))
    if abs(mean) < 0.5:
        return 0
    if mean < 0.0:
        return -1
    limit = train.gearbox.up[0][1] * np.pi / 30.0
    fits = [g for g in range(1, len(train.gearbox.ratios) + 1) if train.overall_ratio(g) * mean < limit]
    return fits[0] if fits else len(train.gearbox.ratios)


def compile_outside(model: Model, friction: int) -> Outside | None:
    """Tables of wheels, drive trains, steering and drag; None if the Spec has none of them.

    friction   states of joint friction, which come before those of the wheels
    """
    spec = model.spec
    if not (spec.wheels or spec.drivetrains or spec.steering or spec.drag):
        return None
    wheels = [name for train in spec.drivetrains.values() for name in train.wheels]
    wheels += [name for name in spec.wheels if name not in wheels]
    trains, steers = list(spec.drivetrains), list(spec.steering)
    head_i, head_f = np.zeros(c.N_HEAD_I, np.int64), np.zeros(c.N_HEAD_F)
    head_i[[c.WHEELS, c.TRAINS, c.STEERS, c.DRAGS]] = len(wheels), len(trains), len(steers), len(spec.drag)
    head_i[c.Z_FIRST], head_f[c.SUB_STEP] = friction, SUB_STEP
    integers, numbers = [head_i], [head_f]

    def put(blocks: list[np.ndarray], block: Any, kind: type) -> int:
        """Add a block; returns its first place."""
        first = sum(map(len, blocks))
        blocks.append(np.asarray(block, kind).ravel())
        return first

    wheel_i, wheel_f, sides = [], [], _sides(model)
    for name in wheels:
        wheel = spec.wheels[name]
        row, R, p = _anchor(model, wheel.body, wheel.at)
        driver = next((k for k, train in enumerate(trains) if name in spec.drivetrains[train].wheels), -1)
        wheel_i.append([row, put(numbers, tyre_row(wheel.tyre, sides[name]), float), driver])
        wheel_f.append([*p, *(R @ wheel.axis), wheel.inertia])
    head_i[c.WHEEL_I], head_i[c.WHEEL_F] = put(integers, wheel_i, np.int64), put(numbers, wheel_f, float)
    head_i[c.BRAKE_CAPS] = put(numbers, [spec.wheels[name].brake for name in wheels], float)

    rows = []
    for name in trains:
        train = spec.drivetrains[name]
        ti, tf = train_tables(train, [spec.wheels[wheel].inertia for wheel in train.wheels])
        chassis, _, _ = _anchor(model, str(train.chassis), np.zeros(3))
        first = wheels.index(train.wheels[0])
        rows.append([first, len(train.wheels), chassis, put(integers, ti, np.int64), put(numbers, tf, float)])
    head_i[c.TRAIN_I] = put(integers, rows, np.int64)

    steering = [spec.steering[name] for name in steers]
    infos = [model.joint(part.joint) for part in steering]
    head_i[c.STEER_I] = put(integers, [[info.v.start, info.q.start] for info in infos], np.int64)
    head_i[c.STEER_F] = put(numbers, [[part.travel, part.stiffness, part.damping] for part in steering], float)

    drag_i, drag_f = [], []
    for drag in spec.drag.values():
        row, _, p = _anchor(model, drag.body, drag.at)
        drag_i.append([row])
        drag_f.append([*p, 0.5 * drag.density * drag.area_cd])
    head_i[c.DRAG_I], head_i[c.DRAG_F] = put(integers, drag_i, np.int64), put(numbers, drag_f, float)

    soil, head_i[c.SOIL_F] = None, -1
    if spec.terrain is not None:
        ti, tf = terrain_tables(spec.terrain)
        head_i[c.TERRAIN_I], head_i[c.TERRAIN_F] = put(integers, ti, np.int64), put(numbers, tf, float)
        if spec.terrain.soft is not None:
            soft = spec.terrain.soft
            soil = soil_row(soft.soil, soft.at, soft.size, soft.cell)
            head_i[c.SOIL_F] = put(numbers, soil, float)
    return Outside(
        np.concatenate(integers), np.concatenate(numbers), tuple(wheels), tuple(trains), tuple(steers), soil, model
    )


def _sides(model: Model) -> dict[str, Literal["left", "right"]]:
    """On which side of its vehicle each wheel is, seen along its axis from the middle of all wheels."""
    poses, places, axes = model.forward_kinematics(model.q0), {}, {}
    for name, wheel in model.spec.wheels.items():
        pose = poses[wheel.body]
        places[name], axes[name] = pose[:3, :3] @ wheel.at + pose[:3, 3], pose[:3, :3] @ wheel.axis
    middles = {
        vehicle: np.mean([place for name, place in places.items() if owner(name) == vehicle], axis=0)
        for vehicle in {owner(name) for name in places}
    }
    return {n: "left" if (places[n] - middles[owner(n)]) @ axes[n] >= 0.0 else "right" for n in places}


def _anchor(model: Model, body: str, at: Any) -> tuple[int, np.ndarray, np.ndarray]:
    """Row, rotation (3, 3) and position in the row's frame, of a point fixed to a body."""
    t, k = model.tables, model.frame(body)
    R, p = t.frame_f[k, :9].reshape(3, 3), t.frame_f[k, 9:]
    return int(t.frame_i[k]), R, p + R @ np.array(at)
