"""Vehicles of a Spec as records: rows, and columns of what is recorded."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.kernels.layout import Record
from gori.kernels.vehicle import state as vs
from gori.model.machine import machine_of
from tests.vehicle.own import own_vehicle

RECORDED = (vs.DRIVER, vs.WHEEL_STATE, vs.TRAIN_STATE, vs.WHEEL_OUTPUT, vs.TRAIN_OUTPUT)
KEPT = (*RECORDED, vs.CLOCK, vs.CONTACT, vs.CELL)


@pytest.fixture(scope="module")
def model():
    one, two = vehicle.vehicle("hmmwv", "a"), vehicle.vehicle("hmmwv", "b", at=(0.0, 5.0))
    parts = {key: one[key] | two[key] for key in one}
    field = {"at": [-5, -5], "cell": 1.0, "heights": np.full((20, 30), 0.25).tolist()}
    return gori.compile(gori.Spec(**parts, terrain={"field": field}))


@pytest.mark.parametrize("part", KEPT, ids=[part.name for part in KEPT])
def test_what_is_kept_is_float64_without_gaps(part: Record):
    assert {part.dtype[name].base for name in part.dtype.names} == {np.dtype("f8")}
    assert part.dtype.itemsize == 8 * sum(max(1, field.shape) for field in part.fields)


def test_rows(model):
    tables = model.vehicle
    records = tables.records
    assert model.nz == 0
    assert tables.wheels[:4] == tuple(f"a.wheel_{corner}" for corner in vehicle.CORNERS) and len(tables.wheels) == 8
    assert records.wheel["train"].tolist() == [0] * 4 + [1] * 4 and records.wheel["tyre"].tolist() == list(range(8))
    assert records.train["first_wheel"].tolist() == [0, 4] and records.train["first_axle"].tolist() == [0, 2]
    assert tables.drivers == ("a", "b") and records.steer["driver"].tolist() == [0, 1]
    assert tables.inputs["b.steer"] == (1, "steer") and len(tables.inputs) == 10
    # maps of both trains and the height field stand one after the other
    for k, train in enumerate(tables.drivetrains):
        start, count = records.train["gear"][k], 1 + records.train["gears"][k]
        assert records.curve[start : start + count].tolist() == [train.gearbox.reverse, *train.gearbox.ratios]
    start = int(records.terrain["heights"][0])
    assert (records.curve[start:] == 0.25).all() and len(records.curve) == start + 600


def test_who_brakes_wheels_without_a_drive_train():
    """The driver of their name, else that of their vehicle, else the only one."""
    spec = own_vehicle().model_dump(exclude_unset=True)
    (train,) = spec["drivetrains"]
    rear = ("car.rear_left", "car.rear_right")
    spec["drivetrains"][train] |= {"wheels": rear, "axles": [{"share": 1.0, "differential": "open"}]}
    for name in ("car.front_left", "other", "x.w"):
        wheels = {name if old == "car.front_left" else old: wheel for old, wheel in spec["wheels"].items()}
        tables = gori.compile(gori.Spec(**spec | {"wheels": wheels})).vehicle
        row = tables.records.wheel[tables.wheels.index(name)]
        assert row["train"] == -1 and row["brake"] == 2500.0 and tables.drivers[row["driver"]] == "car"
    nobody = gori.compile(gori.Spec(**{**spec, "drivetrains": {}, "steering": {}})).vehicle
    assert (nobody.records.wheel["driver"] == -1).all()


def test_what_samples_need_not_hold(model):
    _, data = machine_of(model, live=True)
    data.recorded[: model.vehicle.size] = 0.0
    data.recorded[model.vehicle.unread()] = 1.0
    assert (data.wheel["transient_x"] == 1.0).all() and (data.train["shift_clock"] == 1.0).all()
    for part, name in ((data.wheel_output, "hub_moment"), (data.train_output, "reaction"), (data.wheel, "work")):
        assert not part[name].any(), name
    assert not data.wheel_output["load"].any() and not data.driver["steer"].any()


def test_channels_are_columns_of_what_is_recorded(model):
    _, data = machine_of(model, live=True)
    assert len(data.recorded) == model.vehicle.size + len(data.turns)
    data.recorded[:] = np.arange(len(data.recorded))
    channels = model.vehicle.channels()
    for name, expected in {
        "b.wheel_fr.load": data.wheel_output["load"][5],
        "a.wheel_rl.speed": data.wheel["angular_velocity"][2],
        "b.drivetrain.engine_speed": data.train["engine"][1],
        "b.drivetrain.throttle": data.driver["throttle"][1],
        "a.steering.steer": data.driver["steer"][0],
    }.items():
        assert data.recorded[channels[name][0]] == expected, name
    columns = [column for column, _ in channels.values()]
    assert len(set(columns)) == len(columns)
    assert channels["a.wheel_fl.load"][1] == "N" and channels["a.drivetrain.gear_loss"][1] == "J"
    assert model.vehicle.column(vs.TRAIN_OUTPUT, 1, "reaction") == model.vehicle.size - 3


def test_a_run_has_its_own_tables_to_change(model):
    live, replayed = machine_of(model, live=True)[0], machine_of(model)[0]
    records = model.vehicle.records
    assert not np.shares_memory(live.wheel, records.wheel) and not np.shares_memory(live.terrain, records.terrain)
    assert np.shares_memory(replayed.wheel, records.wheel)


def test_rolling_trains(model):
    speeds = dict.fromkeys(model.vehicle.wheels, 0.0) | {f"b.wheel_{corner}": 20.0 for corner in vehicle.CORNERS}
    rows = model.vehicle.rolling_trains(speeds)
    assert rows["gear"][0] == 0 and rows["gear"][1] > 0
    train = model.vehicle.drivetrains[1]
    assert rows["turbine"][1] == pytest.approx(20.0 * train.overall_ratio(int(rows["gear"][1])))
