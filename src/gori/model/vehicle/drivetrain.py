"""A DriveTrain as tables for the kernels, its states at the start, and its energy."""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.vehicle import drivetrain as k
from gori.kernels.vehicle.state import TRAIN_STATE
from gori.kernels.vehicle.tables import AXLE, TRAIN
from gori.spec.vehicle.drivetrain import DriveTrain

RPM = np.pi / 30.0
SLOW = 5.0
"""turbine speed below which the losses of gears fade out, so that they do not change sign in a jump [rad/s]"""


class TrainTables(NamedTuple):
    """What `train_step` reads: TRAIN (1,), AXLE (axles,), and the maps that the train's row points into."""

    train: np.ndarray
    axle: np.ndarray
    curve: np.ndarray


def train_tables(train: DriveTrain, inertias: Any, brakes: Any = 0.0) -> TrainTables:
    """Tables of a drive train.

    inertias  (nw,)  of each wheel with its tyre about its axis, left and right of each axle [kg m2]
    brakes    (nw,)  torque of each brake at full pedal [N m]
    """
    own = np.array(inertias, float)
    if own.shape != (2 * len(train.axles),) or not (np.isfinite(own).all() and (own > 0.0).all()):
        raise InputError(f"inertias: {2 * len(train.axles)} positive numbers are needed, not {inertias!r}")
    engine, box, transfer = train.engine, train.gearbox, train.transfer
    shaft = train.half_shaft_inertia * train.hub_ratio**2

    table = TRAIN.zeros(1)
    row = table[0]
    row["wheels"], row["gears"] = len(own), len(box.ratios)
    row["centre_locked"], row["low_locks"] = transfer.centre == "locked", transfer.centre_in_low == "locked"
    row["engine_inertia"], row["lowest"], row["lag"] = engine.inertia, engine.slowest_rpm * RPM, engine.lag
    row["idle"] = (engine.idle_rpm + 0.5 * engine.idle_band_rpm) * RPM
    row["idle_gain"] = 1.0 / (engine.idle_band_rpm * RPM)
    row["cut"] = engine.cutoff_rpm * RPM
    row["cut_gain"] = 1.0 / ((engine.cutoff_rpm - engine.governed_rpm) * RPM)
    row["turbine_inertia"] = train.converter.inertia
    row["prop_inertia"] = transfer.inertia * (train.final_ratio * train.hub_ratio) ** 2
    row["final"], row["hub"] = train.final_ratio * train.hub_ratio, train.hub_ratio
    row["high"], row["low"] = transfer.high, transfer.low
    row["efficiency"] = transfer.efficiency * train.final_efficiency * train.hub_efficiency
    row["hub_efficiency"], row["gear_efficiency"] = train.hub_efficiency, box.efficiency
    row["clutch"], row["release"], row["shift_time"], row["dwell"] = box.clutch, box.release, box.shift_time, box.dwell
    row["overspeed"], row["change_speed"], row["slow"] = engine.cutoff_rpm * RPM, transfer.change_speed, SLOW

    maps: list[np.ndarray] = []

    def put(start: str, *values: Any) -> None:
        row[start] = sum(map(len, maps))
        maps.extend(np.array(value, float).ravel() for value in values)

    row["speeds"], row["throttles"] = len(engine.speed_rpm), len(engine.throttle)
    put("map", RPM * np.array(engine.speed_rpm), engine.throttle, engine.torque)
    # one more point: nothing passes at sr = 1, where the torque changes its sign
    given = train.converter
    row["ratios"] = len(given.speed_ratio) + 1
    put("converter", (*given.speed_ratio, 1.0), (*np.array(given.capacity) ** -2.0, 0.0), (*given.torque_ratio, 1.0))
    for count, start, schedule in (("ups", "up", box.up), ("downs", "down", box.down)):
        throttles, speeds = np.array(schedule).T
        row[count] = len(throttles)
        put(start, throttles, RPM * speeds)
    put("gear", (box.reverse, *box.ratios))

    axles = AXLE.zeros(len(train.axles))
    axles["share"] = [axle.share for axle in train.axles]
    axles["locked"] = [axle.differential == "locked" for axle in train.axles]
    axles["wheel_inertia"] = own.reshape(-1, 2)
    axles["inertia"] = (own + shaft).reshape(-1, 2)
    axles["inverse_inertia"] = 1.0 / axles["inertia"]
    axles["inverse"] = 1.0 / axles["inertia"].sum(axis=1)
    axles["brake"] = np.broadcast_to(np.asarray(brakes, float), len(own)).reshape(-1, 2)
    return TrainTables(table, axles, np.concatenate(maps))


def train_state(train: DriveTrain, speed: Any = 0.0, gear: int = 0, transfer: int = k.HIGH) -> np.ndarray:
    """TRAIN_STATE (1,) with the engine idling, or as fast as the turbine that the wheels turn.

    speed     angular velocities of the wheels, or one for all [rad/s]
    gear      in force: -1, 0, 1, ..
    transfer  position in force: TRANSFER_NEUTRAL, HIGH, LOW, HIGH_LOCKED
    """
    count = len(train.gearbox.ratios)
    if not -1 <= gear <= count:
        raise InputError(f"gear {gear!r} is not one of -1, 0, 1 .. {count}")
    if transfer not in (k.TRANSFER_NEUTRAL, k.HIGH, k.LOW, k.HIGH_LOCKED):
        raise InputError(
            f"transfer position {transfer!r} is not one of 0 (neutral), 1 (high), 2 (low), 3 (high, locked)"
        )
    speeds = np.broadcast_to(np.asarray(speed, float), 2 * len(train.axles)).reshape(-1, 2)
    table = TRAIN_STATE.zeros(1)
    s = table[0]
    s["engine"] = train.engine.idle_rpm * RPM
    if gear != 0 and transfer != k.TRANSFER_NEUTRAL:
        carrier = np.mean(speeds, axis=1) @ [axle.share for axle in train.axles]
        s["turbine"] = train.overall_ratio(gear, transfer == k.LOW) * carrier
        s["engine"] = np.clip(s["turbine"], s["engine"], train.engine.cutoff_rpm * RPM)
    s["gear"] = s["target"] = gear
    s["shift_clock"], s["range"] = train.gearbox.shift_time + train.gearbox.dwell, transfer
    return table


def starting_gear(train: DriveTrain, speeds: list[float]) -> int:
    """The lowest gear in which the turbine turns below the lowest speed of shifting up; neutral at rest."""
    mean = float(np.mean(speeds))
    if abs(mean) < 0.5:
        return 0
    if mean < 0.0:
        return -1
    limit = train.gearbox.up[0][1] * RPM
    fits = [g for g in range(1, len(train.gearbox.ratios) + 1) if train.overall_ratio(g) * mean < limit]
    return fits[0] if fits else len(train.gearbox.ratios)


def train_energy(tables: TrainTables, s: np.ndarray, speed: np.ndarray) -> float:
    """Kinetic energy of all that turns in the drive train, with its wheels [J].

    It changes by engine_work + ground_work - brake_work - losses of s, a TRAIN_STATE.
    """
    train, axle = tables.train[0], tables.axle
    carrier = axle["share"] @ np.reshape(speed, (-1, 2)).mean(axis=1)
    turning = train["engine_inertia"] * s["engine"] ** 2 + train["turbine_inertia"] * s["turbine"] ** 2
    wheels = axle["inertia"].ravel() @ np.square(speed)
    return float(0.5 * (turning + train["prop_inertia"] * carrier**2 + wheels))
