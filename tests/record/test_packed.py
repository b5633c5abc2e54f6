"""Packed recordings: nothing is lost, they can grow again, and those of vehicles are small."""

import h5py
import numpy as np
import pytest

import gori
from gori import vehicle
from gori.model.vehicle.terrain import rough_road
from gori.record.packed import BLOCK, unpack, write_packed
from gori.record.rows import Column, Header, RowFile, Slot, open_file, read_header, read_slot
from gori.record.stored import read_columns

COUNT = 2 * BLOCK + 123


@pytest.fixture
def arrays():
    rng = np.random.default_rng(1)
    return {
        "time": np.arange(COUNT) * 1e-3,
        "q": rng.normal(size=(COUNT, 7)),
        "v": np.cumsum(rng.normal(size=(COUNT, 6)), axis=0),
        "z": np.zeros((COUNT, 0)),
        "extra/matrix": rng.normal(size=(COUNT, 3, 3)),
        "extra/wide": np.ones((COUNT, 1100)),
        "extra/flag": rng.integers(0, 2, COUNT),
    }


def write(path, arrays, slot=None):
    columns = {name: Column(array.shape[1:], array.dtype) for name, array in arrays.items()}
    header = Header("gori: 1\n", False, {"a": 1})
    write_packed(path, header, columns, COUNT, lambda name, k, n: arrays[name][k : k + n], "complete", slot)


def test_every_bit_comes_back(tmp_path, arrays):
    path, slot = tmp_path / "a.h5", Slot(3, b"checkpoint", COUNT)
    write(path, arrays, slot)
    assert path.stat().st_size < 0.1 * sum(array.nbytes for array in arrays.values()), "ones take no room"
    for again in range(2):
        with open_file(path) as file:
            stored = read_columns(file)
            found = {name: column.read() for name, column in stored.columns.items()}
            assert read_slot(file) == slot and stored.end == "complete" and not stored.missing
            assert (file["q"].chunks is None) == bool(again)
        for name, array in arrays.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)
        unpack(path)  # at the first time; at the second it has nothing to do
    rows = RowFile.open(path)
    rows.write("q", 0, np.zeros((1, 7)))
    np.testing.assert_array_equal(rows.read("v", 5, 3), arrays["v"][5:8])
    rows.close()


@pytest.mark.parametrize("sequence", [3, 4])
def test_a_small_file_is_taken_up_whichever_slot_it_has(tmp_path, sequence):
    """Its columns lie as in a file that grows, but one slot has no place: its checkpoint would go to the start."""
    path, rng = tmp_path / "a.h5", np.random.default_rng(1)
    arrays = {
        name: rng.normal(size=shape) for name, shape in (("time", 5), ("q", (5, 2)), ("v", (5, 2)), ("z", (5, 0)))
    }
    arrays["time"].sort()
    columns = {name: Column(array.shape[1:], array.dtype) for name, array in arrays.items()}
    rows = lambda name, k, n: arrays[name][k : k + n]  # noqa: E731
    write_packed(path, Header("", False, {}), columns, 5, rows, "complete", Slot(sequence, b"x" * 1000, 5))
    unpack(path)
    file = RowFile.open(path)
    file.write_slot(Slot(sequence + 1, b"y" * 1000, 5))
    file.close()
    with open_file(path) as read:
        assert read_slot(read) == Slot(sequence + 1, b"y" * 1000, 5)
        for name, column in read_columns(read).columns.items():
            np.testing.assert_array_equal(column.read(), arrays[name])


def test_arrays_of_the_spec_are_compressed(tmp_path):
    path, heights = tmp_path / "a.h5", np.tile(np.arange(300.0), (300, 1))
    columns = {name: Column(shape, np.dtype("<f8")) for name, shape in (("time", ()), ("q", (1,)), ("v", (1,)))}
    rows = lambda name, k, n: np.zeros((n, *columns[name].shape))  # noqa: E731
    write_packed(path, Header("gori: 1\n", False, {}, [heights]), columns, 3, rows, "complete", None)
    assert path.stat().st_size < 0.1 * heights.nbytes
    with open_file(path) as file:
        np.testing.assert_array_equal(read_header(file).arrays[0], heights)


def test_a_disk_without_room_leaves_what_was_there(tmp_path, arrays, monkeypatch):
    path = tmp_path / "a.h5"
    path.write_bytes(b"old")
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    with pytest.raises(OSError, match="No space left"):
        write(path, arrays)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("roughness", [None, "C"])
def test_forty_thousand_samples_of_a_vehicle_take_less_than_40_mb(tmp_path, roughness):
    """As a file of a run and as a saved Recording; it was 66 MB, and more while the run lasted."""
    road = {} if roughness is None else {"field": rough_road(roughness, 200, 8, at=(-10, -4), equal=True)}
    model = gori.compile(vehicle.spec("hmmwv", terrain=road))
    sim = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=gori.at_rest(model, speed=15.0))
    sim.inputs["truck.selector"], sim.inputs["truck.throttle"], sim.inputs["truck.steer"] = "D", 0.4, 0.2
    rec = sim.run(8.0, sample=1e-3, path=tmp_path / "run.h5", progress=False)
    rec.save(tmp_path / "saved.h5")
    for name in ("run.h5", "saved.h5"):
        size = (tmp_path / name).stat().st_size / len(rec) * 40_000
        assert size < 40e6, f"{name}: {size / 1e6:.1f} MB"
    again = gori.open_run(tmp_path / "run.h5")
    np.testing.assert_array_equal(again.q, rec.q)
    np.testing.assert_array_equal(again.extra["outputs"], rec.extra["outputs"])
    np.testing.assert_array_equal(again["truck.chassis.acceleration"], rec["truck.chassis.acceleration"])
    with h5py.File(tmp_path / "run.h5") as file:  # any HDF5 library reads it
        assert file["q"].shape == rec.q.shape
