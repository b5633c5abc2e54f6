"""A DriveTrain as tables for the kernels, its states at the start, and its energy."""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.vehicle import differentials as d
from gori.kernels.vehicle import drivetrain as k
from gori.spec.vehicle.drivetrain import DriveTrain

RPM = np.pi / 30.0
SLOW = 5.0
"""turbine speed below which the losses of gears fade out, so that they do not change sign in a jump [rad/s]"""


class TrainTables(NamedTuple):
    """What `train_step` reads, with the columns of `kernels/vehicle/drivetrain.py`."""

    ti: np.ndarray
    tf: np.ndarray


def train_tables(train: DriveTrain, spin_inertias: Any) -> TrainTables:
    """Tables of a drive train.

    spin_inertias  (nw,)  of each wheel with its tyre, left and right of each axle [kg m2]
    """
    spins = np.array(spin_inertias, float)
    if spins.shape != (2 * len(train.axles),) or not (np.isfinite(spins).all() and (spins > 0.0).all()):
        raise InputError(f"spin_inertias: {2 * len(train.axles)} positive numbers are needed, not {spin_inertias!r}")
    engine, box, transfer = train.engine, train.gearbox, train.transfer
    shaft = train.half_shaft_inertia * train.hub_ratio**2

    tf = np.zeros(k.N_TRAIN_F)
    tf[k.F_ENGINE_J], tf[k.F_LOWEST], tf[k.F_LAG] = engine.inertia, engine.slowest_rpm * RPM, engine.lag
    tf[k.F_IDLE] = (engine.idle_rpm + 0.5 * engine.idle_band_rpm) * RPM
    tf[k.F_IDLE_GAIN] = 1.0 / (engine.idle_band_rpm * RPM)
    tf[k.F_CUT] = engine.cutoff_rpm * RPM
    tf[k.F_CUT_GAIN] = 1.0 / ((engine.cutoff_rpm - engine.governed_rpm) * RPM)
    tf[k.F_TURBINE_J] = train.converter.inertia
    tf[k.F_PROP_J] = transfer.inertia * (train.final_ratio * train.hub_ratio) ** 2
    tf[k.F_FINAL], tf[k.F_HUB] = train.final_ratio * train.hub_ratio, train.hub_ratio
    tf[k.F_HIGH], tf[k.F_LOW] = transfer.high, transfer.low
    tf[k.F_EFFICIENCY] = transfer.efficiency * train.final_efficiency * train.hub_efficiency
    tf[k.F_HUB_EFFICIENCY] = train.hub_efficiency
    tf[k.F_CLUTCH], tf[k.F_RELEASE], tf[k.F_SHIFT], tf[k.F_DWELL] = box.clutch, box.release, box.shift_time, box.dwell
    tf[k.F_OVERSPEED], tf[k.F_CHANGE], tf[k.F_SLOW] = engine.cutoff_rpm * RPM, transfer.change_speed, SLOW

    ti = np.zeros(d.I_LOCKED + len(train.axles), np.int64)
    ti[d.I_WHEELS], ti[k.I_GEARS] = len(spins), len(box.ratios)
    ti[k.I_CENTRE], ti[k.I_LOW_LOCKS] = transfer.centre == "locked", transfer.centre_in_low == "locked"
    ti[d.I_LOCKED :] = [axle.differential == "locked" for axle in train.axles]
    rows = [tf]

    def put(column: int, *values: Any) -> None:
        ti[column] = sum(map(len, rows))
        rows.extend(np.array(value, float).ravel() for value in values)

    ti[k.I_SPEEDS], ti[k.I_THROTTLES] = len(engine.speed_rpm), len(engine.throttle)
    put(k.I_MAP, RPM * np.array(engine.speed_rpm), engine.throttle, engine.torque)
    # one more point: nothing passes at sr = 1, where the torque changes its sign
    table = train.converter
    ti[k.I_RATIOS] = len(table.speed_ratio) + 1
    put(k.I_CONVERTER, (*table.speed_ratio, 1.0), (*np.array(table.capacity) ** -2.0, 0.0), (*table.torque_ratio, 1.0))
    for count, column, schedule in ((k.I_UPS, k.I_UP, box.up), (k.I_DOWNS, k.I_DOWN, box.down)):
        throttles, speeds = np.array(schedule).T
        ti[count] = len(throttles)
        put(column, throttles, RPM * speeds)
    put(k.I_GEAR, [(ratio, box.efficiency) for ratio in (box.reverse, *box.ratios)])
    put(d.I_WHEEL, [(J, J + shaft, 1.0 / (J + shaft)) for J in spins])
    pairs = (spins + shaft).reshape(-1, 2).sum(axis=1)
    put(d.I_AXLE, [(axle.share, 1.0 / pair) for axle, pair in zip(train.axles, pairs)])
    return TrainTables(ti, np.concatenate(rows))


def train_state(train: DriveTrain, speed: Any = 0.0, gear: int = 0, transfer: int = k.HIGH) -> np.ndarray:
    """States (N_TRAIN,) with the engine idling, or as fast as the turbine that the wheels turn.

    speed     spins of the wheels, or one for all [rad/s]
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
    spins = np.broadcast_to(np.asarray(speed, float), 2 * len(train.axles)).reshape(-1, 2)
    s = np.zeros(k.N_TRAIN)
    s[k.ENGINE] = train.engine.idle_rpm * RPM
    if gear != 0 and transfer != k.TRANSFER_NEUTRAL:
        carrier = np.mean(spins, axis=1) @ [axle.share for axle in train.axles]
        s[k.TURBINE] = train.overall_ratio(gear, transfer == k.LOW) * carrier
        s[k.ENGINE] = np.clip(s[k.TURBINE], s[k.ENGINE], train.engine.cutoff_rpm * RPM)
    s[k.GEAR] = s[k.TARGET] = gear
    s[k.CLOCK], s[k.RANGE] = train.gearbox.shift_time + train.gearbox.dwell, transfer
    return s


def train_energy(tables: TrainTables, s: np.ndarray, speed: np.ndarray) -> float:
    """Kinetic energy of all that turns in the drive train, with the wheels' spins [J].

    It changes by s[ENGINE_WORK] + s[GROUND_WORK] - s[BRAKE_WORK] - losses.
    """
    ti, tf = tables
    D = tf[ti[d.I_WHEEL] : ti[d.I_WHEEL] + d.N_W * len(speed)].reshape(-1, d.N_W)[:, d.W_D]
    shares = tf[ti[d.I_AXLE] : ti[d.I_AXLE] + d.N_A * len(speed) // 2].reshape(-1, d.N_A)[:, d.A_SHARE]
    carrier = shares @ np.reshape(speed, (-1, 2)).mean(axis=1)
    turning = tf[k.F_ENGINE_J] * s[k.ENGINE] ** 2 + tf[k.F_TURBINE_J] * s[k.TURBINE] ** 2
    return float(0.5 * (turning + tf[k.F_PROP_J] * carrier**2 + D @ np.square(speed)))
