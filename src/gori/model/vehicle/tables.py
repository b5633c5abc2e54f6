"""Wheels, drive trains, steering, drag and ground of a Spec -> the records of the kernels; states and channels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.kernels.layout import Record
from gori.kernels.vehicle import state as vs
from gori.kernels.vehicle import tables as vt
from gori.kernels.vehicle.drivetrain import HIGH
from gori.kernels.vehicle.vehicle import vehicle as kernel
from gori.model.model import Model
from gori.model.vehicle.drivetrain import starting_gear, train_state, train_tables
from gori.model.vehicle.schedule import CompiledSchedule, schedule_tables
from gori.model.vehicle.soil import has_window, soil_memory, soil_row
from gori.model.vehicle.terrain import terrain_tables
from gori.model.vehicle.tyre import tyre_row
from gori.spec import GROUND, Spec
from gori.spec.contact import sinks
from gori.spec.vehicle.control import LEVERS, inputs_of, owner
from gori.spec.vehicle.drivetrain import DriveTrain
from gori.spec.vehicle.terrain import SoftGround

SUB_STEP = 2e-4
"""largest step of angular velocities, slips and engines, where a run says nothing else [s]"""

WHEEL_CHANNELS = {
    "speed": (vs.WHEEL_STATE, "angular_velocity"),
    "load": (vs.WHEEL_OUTPUT, "load"),
    "fx": (vs.WHEEL_OUTPUT, "fx"),
    "fy": (vs.WHEEL_OUTPUT, "fy"),
    "mz": (vs.WHEEL_OUTPUT, "mz"),
    "slip": (vs.WHEEL_OUTPUT, "slip"),
    "slip_angle": (vs.WHEEL_OUTPUT, "slip_angle"),
    "sinkage": (vs.WHEEL_OUTPUT, "sinkage"),
    "wall_load": (vs.WHEEL_OUTPUT, "wall_load"),
    "elastic": (vs.WHEEL_OUTPUT, "elastic"),
    "deflection": (vs.WHEEL_STATE, "deflection"),
    "drive_torque": (vs.WHEEL_STATE, "drive_torque"),
    "brake_torque": (vs.WHEEL_STATE, "brake_torque"),
    "work": (vs.WHEEL_STATE, "work"),
}
TRAIN_CHANNELS = {
    "engine_speed": (vs.TRAIN_STATE, "engine"),
    "turbine_speed": (vs.TRAIN_STATE, "turbine"),
    "gear": (vs.TRAIN_STATE, "gear"),
    "engine_torque": (vs.TRAIN_OUTPUT, "engine_torque"),
    **{name: (vs.TRAIN_STATE, name) for name in vs.WORKS},
    "throttle": (vs.DRIVER, "throttle"),
    "brake": (vs.DRIVER, "brake"),
    "selector": (vs.DRIVER, "selector"),
}


class MountedWheel(NamedTuple):
    """A wheel as it stands on its body, for those who place vehicles."""

    name: str
    body: str
    at: np.ndarray
    axis: np.ndarray
    radius: float
    root: str  # joint on the ground that carries it


RECORDED = {
    "driver": vs.DRIVER,
    "wheel": vs.WHEEL_STATE,
    "train": vs.TRAIN_STATE,
    "wheel_output": vs.WHEEL_OUTPUT,
    "train_output": vs.TRAIN_OUTPUT,
}
"""fields of Data that samples hold"""


class Records(NamedTuple):
    """The records of a Machine from `wheel` on, and `curve`."""

    wheel: np.ndarray
    tyre: np.ndarray
    train: np.ndarray
    axle: np.ndarray
    steer: np.ndarray
    drag: np.ndarray
    terrain: np.ndarray
    feature: np.ndarray
    area: np.ndarray
    soil: np.ndarray
    curve: np.ndarray


TABLES = (vt.WHEEL, vt.TYRE, vt.TRAIN, vt.AXLE, vt.STEER, vt.DRAG, vt.TERRAIN, vt.FEATURE, vt.AREA, vt.SOIL)
NO_RECORDS = Records._make([*(part.zeros(0) for part in TABLES), np.zeros(0)])


@dataclass(frozen=True)
class VehicleTables:
    """Vehicles of a Model, compiled.

    drivers     names of the vehicles that someone drives; rows of DRIVER
    inputs      {input: (row of DRIVER, field)}
    own_steps   steps of drive trains that the section `run` asks for [s]
    roots       {free joint on the ground: the body that it carries}
    height      of the ground over x and y [m]; None without terrain
    start       states of wheels and trains at the start of the Spec
    """

    records: Records
    wheels: tuple[str, ...]
    trains: tuple[str, ...]
    steers: tuple[str, ...]
    drivers: tuple[str, ...]
    inputs: Mapping[str, tuple[int, str]]
    gears: Mapping[str, int]
    own_steps: Mapping[str, float]
    schedules: tuple[CompiledSchedule, ...]
    mounted: tuple[MountedWheel, ...]
    roots: Mapping[str, str]
    height: Callable[[Any, Any], Any] | None
    grade: tuple[float, float]
    drivetrains: tuple[DriveTrain, ...]
    start: Mapping[str, np.ndarray]

    @property
    def soft(self) -> bool:
        """Whether there is soil that remembers."""
        return len(self.records.soil) > 0

    @property
    def windowed(self) -> bool:
        """Whether it remembers a window around the wheels only."""
        return has_window(self.records.soil)

    @property
    def recorded(self) -> dict[str, tuple[Record, int]]:
        """What samples hold of vehicles, in this order: records and how many of them."""
        counts = len(self.drivers), len(self.wheels), len(self.trains), len(self.wheels), len(self.trains)
        return {name: (part, count) for (name, part), count in zip(RECORDED.items(), counts)}

    @property
    def size(self) -> int:
        """Numbers of vehicles in `recorded`."""
        return sum(_width(part) * count for part, count in self.recorded.values())

    def views(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """What samples hold as views of a flat array (size,)."""
        found, at = {}, 0
        for name, (part, count) in self.recorded.items():
            end = at + _width(part) * count
            found[name] = flat[at:end].view(part.dtype)
            at = end
        return found

    def column(self, part: Record, row: int, name: str) -> int:
        """Column in `recorded`, where vehicles stand first, of a field of a record that samples hold."""
        at = 0
        for known, count in self.recorded.values():
            if known is part:
                return at + _width(part) * row + part.dtype.fields[name][1] // 8  # type: ignore[index]
            at += _width(known) * count
        raise KeyError(part.name)

    def channels(self) -> dict[str, tuple[int, str]]:
        """Column in `recorded` and unit of each channel."""
        found = {}
        for k, wheel in enumerate(self.wheels):
            for channel, (part, name) in WHEEL_CHANNELS.items():
                found[f"{wheel}.{channel}"] = self.column(part, k, name), part.units()[name]
        for k, train in enumerate(self.trains):
            for channel, (part, name) in TRAIN_CHANNELS.items():
                row = self.records.train["driver"][k] if part is vs.DRIVER else k
                found[f"{train}.{channel}"] = self.column(part, row, name), part.units()[name]
        for k, steer in enumerate(self.steers):
            found[f"{steer}.steer"] = self.column(vs.DRIVER, self.records.steer["driver"][k], "steer"), ""
        return found

    def unread(self) -> list[int]:
        """Columns in `recorded` that are no channel, and that no force or energy needs: samples need not hold them."""
        read = {column for column, _ in self.channels().values()}
        wheels, trains = range(len(self.wheels)), range(len(self.trains))
        for part, rows, name, width in (
            (vs.WHEEL_OUTPUT, wheels, "hub_force", 3),
            (vs.WHEEL_OUTPUT, wheels, "hub_moment", 3),
            (vs.WHEEL_STATE, wheels, "shaft_torque", 1),
            (vs.TRAIN_OUTPUT, trains, "reaction", 3),
        ):
            read |= {self.column(part, row, name) + k for row in rows for k in range(width)}
        return [column for column in range(self.size) if column not in read]

    def soil_grid(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Corner and size of the grid of soft soil, x and y [m]."""
        soil = self.records.soil[0]
        size = soil["nx"] * soil["cell"], soil["ny"] * soil["cell"]
        return (float(soil["x0"]), float(soil["y0"])), (float(size[0]), float(size[1]))

    def state(self, time: float) -> dict[str, np.ndarray]:
        """What vehicles keep at the start: wheels roll with their bodies, engines idle, soil is untouched."""
        kept = {name: part.zeros(count) for name, (part, count) in self.recorded.items()}
        kept |= {"vehicle_clock": vs.CLOCK.zeros(1), "contact": vs.CONTACT.zeros(len(self.wheels))}
        kept["vehicle_clock"]["time"], kept["driver"]["transfer"] = time, HIGH
        kept["wheel"][:], kept["train"][:] = self.start["wheel"], self.start["train"]
        if self.soft:
            kept |= {"cell_index": np.zeros(0, np.int64), "cells": vs.CELL.zeros(0)}
        if self.windowed:
            kept["forgotten"] = np.zeros(1, np.int64)
        return kept

    def rolling_trains(self, speeds: Mapping[str, float]) -> np.ndarray:
        """TRAIN_STATE (trains,) for wheels that turn with these angular velocities [rad/s], in fitting gears."""
        return _turning(self.drivetrains, speeds)


OWN_RECORDS = tuple(name for name in Records._fields if name != "curve")
"""tables of which each run has its own"""


def machine_records(vehicle: VehicleTables | None, live: bool) -> dict[str, Any]:
    """Members of a Machine that belong to vehicles; a run has its own copies of what it may change for a while."""
    if vehicle is None:
        return NO_RECORDS._asdict() | {"vehicle": 0}
    records = vehicle.records
    if live:
        records = records._replace(**{name: getattr(records, name).copy() for name in OWN_RECORDS})
    return records._asdict() | {"vehicle": kernel.address}


def data_records(vehicle: VehicleTables | None, flat: np.ndarray, live: bool, equations: int) -> dict[str, np.ndarray]:
    """Fields of Data that belong to vehicles.

    flat        (size,) the piece of `recorded` for what samples hold
    equations   of motion, and of loops
    """
    wheels, one = (0, 0) if vehicle is None else (len(vehicle.wheels), 1)
    blows = 0 if vehicle is None or not live else 2 * wheels + len(vehicle.steers)
    rows = equations + blows if blows else 0
    found = {
        "vehicle_setting": vs.SETTING.zeros(one),
        "vehicle_clock": vs.CLOCK.zeros(one),
        "contact": vs.CONTACT.zeros(wheels),
        "wheel_work": vs.WHEEL_WORK.zeros(wheels),
        "stage_contact": vs.CONTACT.zeros(wheels),
        "stage_output": vs.WHEEL_OUTPUT.zeros(wheels),
        "footprint": vs.FOOTPRINT.zeros(wheels),
        "patch": vs.PATCH.zeros(wheels),
        "blow": vs.BLOW.zeros(blows),
        "struck": np.zeros(1),
        "impact": np.zeros((rows, rows)),
        "cells": vs.CELL.zeros(0),
        "window": vs.PLACE.zeros(0),
        "forgotten": np.zeros(0, np.int64),
    }
    if vehicle is None:
        return found | {name: part.zeros(0) for name, part in RECORDED.items()}
    found |= vehicle.views(flat)
    setting = found["vehicle_setting"]
    setting["mode"], setting["sub_step"] = vs.LIVE if live else vs.REPLAY, SUB_STEP
    found["driver"]["transfer"] = HIGH
    if live:  # recorded motion needs no soil
        found |= soil_memory(vehicle.records.soil)
    return found


def _soil(soft: SoftGround, mounted: Sequence[MountedWheel], sinking: bool) -> np.ndarray:
    """Table (1,) of soft soil under these wheels; sinking: shapes sink into it as well."""
    if soft.window is not None:
        if sinking:
            raise UnsupportedError(
                "terrain.soft.window: shapes that collide with the terrain need the whole grid. Leave out the window, "
                "or terrain.material"
            )
        least = 2.0 * max((wheel.radius for wheel in mounted), default=0.0) + 2.0 * soft.cell
        if min(soft.window) < least:
            raise InputError(
                f"terrain.soft.window must be longer than a wheel, {least:.3g} m, and for rear wheels that run in the "
                f"ruts of front wheels longer than the vehicle; it is {soft.window[0]:g} m by {soft.window[1]:g} m"
            )
    return soil_row(soft.soil, soft.at, soft.size, soft.cell, soft.window)


def wheel_order(spec: Spec) -> list[str]:
    """Names of wheels in the order of their rows: those of each drive train follow each other."""
    names = [name for train in spec.drivetrains.values() for name in train.wheels]
    return names + [name for name in spec.wheels if name not in names]


def compile_vehicle(model: Model) -> VehicleTables | None:
    """Tables of wheels, drive trains, steering, drag and ground; None if the Spec has none of them, and no shapes that
    sink into soft soil.
    """
    spec = model.spec
    if not (spec.wheels or spec.drivetrains or spec.steering or spec.drag or sinks(spec)):
        return None
    names = wheel_order(spec)
    trains, steers = list(spec.drivetrains), list(spec.steering)
    drivers = list(dict.fromkeys(owner(name) for name in (*trains, *steers)))
    above = {joint.child: (name, joint.parent) for name, joint in spec.joints.items()}
    sides, mounted = _sides(model), []

    wheels, tyres = vt.WHEEL.zeros(len(names)), vt.TYRE.zeros(len(names))
    for k, name in enumerate(names):
        wheel, row = spec.wheels[name], wheels[k]
        row["carrier"], R, row["hub"] = _anchor(model, wheel.body, wheel.at)
        row["axis"], row["inertia"], row["tyre"] = R @ wheel.axis, wheel.inertia, k
        row["train"] = next((j for j, train in enumerate(trains) if name in spec.drivetrains[train].wheels), -1)
        row["brake"], row["driver"] = wheel.brake, -1
        tyres[k] = tyre_row(wheel.tyre, sides[name])[0]
        root, body = "", wheel.body
        while body in above:
            root, body = above[body]
        at, axis = np.array(wheel.at, float), np.array(wheel.axis, float)
        mounted.append(MountedWheel(name, wheel.body, at, axis, wheel.tyre.radius, root))
        if row["train"] < 0 and (pedal := _brake_pedal(spec, name, root, above)) is not None:
            row["driver"] = drivers.index(pedal)

    curves: list[np.ndarray] = []
    rows, axles = vt.TRAIN.zeros(len(trains)), []
    for k, name in enumerate(trains):
        train = spec.drivetrains[name]
        own = [spec.wheels[wheel] for wheel in train.wheels]
        tables = train_tables(train, [wheel.inertia for wheel in own], [wheel.brake for wheel in own])
        row, start = rows[k : k + 1], sum(map(len, curves))
        row[:] = tables.train
        for curve in ("map", "converter", "up", "down", "gear"):
            row[curve] += start
        row["first_wheel"], row["first_axle"] = names.index(train.wheels[0]), sum(map(len, axles))
        row["chassis"], _, _ = _anchor(model, str(train.chassis), np.zeros(3))
        row["driver"] = drivers.index(owner(name))
        curves.append(tables.curve)
        axles.append(tables.axle)

    steering = vt.STEER.zeros(len(steers))
    for row, name in zip(steering, steers):
        part = spec.steering[name]
        info = model.joint(part.joint)
        row["driver"], row["dof"], row["coordinate"] = drivers.index(owner(name)), info.v.start, info.q.start
        row["travel"], row["stiffness"], row["damping"] = part.travel, part.stiffness, part.damping

    drags = vt.DRAG.zeros(len(spec.drag))
    for row, drag in zip(drags, spec.drag.values()):
        row["body"], _, row["point"] = _anchor(model, drag.body, drag.at)
        row["factor"] = 0.5 * drag.density * drag.area_cd

    ground, terrain = NO_RECORDS[6:10], spec.terrain
    if terrain is not None:
        hard = terrain_tables(terrain)
        hard.terrain["heights"] = sum(map(len, curves))
        curves.append(hard.curve)
        soft = terrain.soft
        soil = hard.soil if soft is None else _soil(soft, mounted, sinks(spec))
        ground = (hard.terrain, hard.feature, hard.area, soil)
    records = Records(
        wheels,
        tyres,
        rows,
        np.concatenate([vt.AXLE.zeros(0), *axles]),
        steering,
        drags,
        *ground,
        np.concatenate([np.zeros(0), *curves]),
    )

    inputs = {name: (drivers.index(owner(name)), name.rpartition(".")[2]) for name in inputs_of(spec)}
    gears = {name: len(spec.drivetrains[name].gearbox.ratios) for name in trains}
    parts = {} if spec.run is None else spec.run.subsystems
    drivetrains = tuple(spec.drivetrains.values())
    speeds = _rolling(model, mounted)
    state = vs.WHEEL_STATE.zeros(len(names))
    state["angular_velocity"] = list(speeds.values())
    return VehicleTables(
        records=records,
        wheels=tuple(names),
        trains=tuple(trains),
        steers=tuple(steers),
        drivers=tuple(drivers),
        inputs=inputs,
        gears={f"{owner(name)}.{kind}": count for name, count in gears.items() for kind in LEVERS},
        own_steps={name: float(part.step) for name, part in parts.items() if name in gears},
        schedules=schedule_tables(model, inputs),
        mounted=tuple(mounted),
        roots=_roots(model),
        height=None if terrain is None else terrain.height,
        grade=(0.0, 0.0) if terrain is None else terrain.grade,
        drivetrains=drivetrains,
        start={"wheel": state, "train": _turning(drivetrains, speeds)},
    )


def _brake_pedal(spec: Spec, wheel: str, root: str, above: Mapping[str, tuple[str, str]]) -> str | None:
    """Who brakes a wheel that is in no drive train: the driver of its name, else of its vehicle, else the only one.

    root    joint on the ground that carries the wheel
    above   {body: (joint, parent)}
    """
    owners = [owner(name) for name in spec.drivetrains]
    if owner(wheel) in owners:
        return owner(wheel)
    for name, train in spec.drivetrains.items():
        joint, body = "", str(train.chassis)
        while body in above:
            joint, body = above[body]
        if joint == root:
            return owner(name)
    return owners[0] if len(owners) == 1 else None


def _width(part: Record) -> int:
    """Numbers of a record."""
    return part.dtype.itemsize // 8


def _turning(drivetrains: tuple[DriveTrain, ...], speeds: Mapping[str, float]) -> np.ndarray:
    rows = vs.TRAIN_STATE.zeros(len(drivetrains))
    for k, train in enumerate(drivetrains):
        own = [speeds[wheel] for wheel in train.wheels]
        rows[k] = train_state(train, own, starting_gear(train, own))[0]
    return rows


def _rolling(model: Model, wheels: list[MountedWheel]) -> dict[str, float]:
    """Angular velocities [rad/s] of wheels that roll with their bodies at the start of the Spec."""
    poses, speeds = model.forward_kinematics(model.q0), {}
    for wheel in wheels:
        R = poses[wheel.body][:3, :3]
        twist = model.jacobian(model.q0, wheel.body) @ model.v0
        velocity = twist[3:] + np.cross(twist[:3], R @ wheel.at)
        heading = np.cross(R @ wheel.axis, [0.0, 0.0, 1.0])
        size = np.linalg.norm(heading)
        speeds[wheel.name] = float(velocity @ heading) / size / wheel.radius if size > 0.1 else 0.0
    return speeds


def _roots(model: Model) -> dict[str, str]:
    """Free joints on the ground, and the body that each carries. Others, as of a solid axle, are parts of a vehicle."""
    found = {}
    for info in model.joints:
        joint = model.spec.joints[info.name]
        if info.type == "free" and GROUND in (joint.parent, joint.child):
            found[info.name] = joint.child if joint.parent == GROUND else joint.parent
    return found


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
