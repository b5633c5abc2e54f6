"""Hull and arms of a vehicle on the ground: only where they are asked for; dropped, and turned over."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import FileError
from gori.spec.vehicle.terrain import Terrain
from gori.vehicle import read_vehicle
from gori.vehicle.touching import touching

LEVEL = Terrain.model_validate({})


def test_nothing_touches_by_default():
    assert touching(read_vehicle("hmmwv"), "truck", LEVEL) == {}
    assert touching(read_vehicle("hmmwv", {"contact": False}), "truck", LEVEL) == {}
    spec = vehicle.spec("hmmwv")
    assert not spec.materials and spec.terrain.material is None
    assert gori.compile(spec).contact is None


def test_shapes_materials_and_contacts():
    data = touching(read_vehicle("hmmwv", {"contact.friction": 0.3}), "truck", LEVEL)
    assert set(data["bodies"]["truck.chassis"]["shapes"]) == {"belly", "body", "cab"}
    assert len(data["bodies"]) == 9 and data["terrain"] == {"material": "ground"}
    assert data["contacts"]["truck.hull/ground"]["friction"] == 0.3
    bars = [data["bodies"][f"truck.lower_arm_{corner}"]["shapes"]["bar"] for corner in ("fl", "fr")]
    np.testing.assert_allclose(bars[0]["axis"], np.multiply(bars[1]["axis"], [1, -1, 1]))
    named = Terrain.model_validate({"material": "rock"})
    data = touching(read_vehicle("hmmwv", {"contact.arms": False, "contact.stiffness": 1e6}), "truck", named)
    assert list(data["bodies"]) == ["truck.chassis"] and "terrain" not in data
    assert list(data["contacts"]) == ["truck.hull/rock"]


def test_mistakes_have_their_place():
    with pytest.raises(FileError, match=r"hull.*belly"):
        read_vehicle("hmmwv", {"hull.belly.size": [1, 2]})
    with pytest.raises(FileError, match="needs a hull"):
        read_vehicle("hmmwv", {"hull": {}, "contact": True})


def test_in_a_file(tmp_path):
    file = tmp_path / "truck.yaml"
    file.write_text("gori: 1\nparts:\n  truck: {use: hmmwv}\nterrain: {friction: 0.5}\n")
    spec = gori.load(file, set={"truck.contact": True})
    assert spec.terrain.material == "ground" and spec.terrain.friction == 0.5
    assert spec.bodies["truck.chassis"].shapes["belly"].collide


@pytest.fixture(scope="module")
def truck():
    return gori.compile(vehicle.spec("hmmwv", set={"contact": True}))


def run(model, roll_deg, height, rate, duration, pitch_deg=0.0):
    q, v = model.q0.copy(), np.zeros(model.nv)
    half, nose = np.radians(0.5 * roll_deg), np.radians(0.5 * pitch_deg)
    q[:4] = [np.cos(half) * np.cos(nose), np.sin(half) * np.cos(nose), np.cos(half) * np.sin(nose), 0.0]
    q[3] = np.sin(half) * np.sin(nose)
    q[6], v[0] = height, rate
    simulation = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=model.state().replace(q=q, v=v))
    return simulation, simulation.run(duration, sample=0.01)


def check(simulation, rec, still):
    """Energy does not grow, nothing sinks in, and it comes to rest."""
    energy = rec["energy.total"]
    assert energy.max() == energy[0]
    assert np.abs(rec["energy.balance"]).max() < 0.01 * (energy[0] - energy[-1])
    assert np.nanmin(rec["contact.gap"]) > -0.15
    assert np.abs(simulation.state.v).max() < still


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_dropped_from_three_metres(truck):
    """Nose first, so that the hull takes a part of it, then on its wheels."""
    simulation, rec = run(truck, 0.0, truck.q0[6] + 3.0, 0.0, 5.0, pitch_deg=20.0)
    check(simulation, rec, 0.1)
    assert rec["contact.points"].max() >= 2 and rec["contact.points"][-1] == 0
    loads = sum(rec[f"truck.wheel_{corner}.load"][-1] for corner in ("fl", "fr", "rl", "rr"))
    assert loads == pytest.approx(9.81 * 2577, rel=0.02)


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_comes_to_rest_on_its_side(truck):
    simulation, rec = run(truck, 60.0, 1.9, 3.0, 8.0)
    check(simulation, rec, 0.1)
    assert {point.a for point in truck.contacts(simulation.state.q)} == {"truck.chassis.body"}
    side = sum(rec[f"truck.wheel_{corner}.load"][-1] for corner in ("fr", "rr"))
    assert 0.2 * 9.81 * 2577 < side < 0.8 * 9.81 * 2577  # wheels on their sides carry their share


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_comes_to_rest_on_its_roof(truck):
    simulation, rec = run(truck, 100.0, 1.9, 3.5, 5.0)
    check(simulation, rec, 0.01)
    points = truck.contacts(simulation.state.q)
    assert {point.a for point in points} == {"truck.chassis.cab"} and len(points) == 4
    assert max(abs(point.gap) for point in points) < 0.02


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
def test_roof_on_soft_soil():
    """Soil carries a hull as hard ground does, at its surface."""
    soft = {"soil": gori.soil("lete_sand"), "at": [-6, -6], "size": [12, 12], "cell": 0.1}
    model = gori.compile(vehicle.spec("hmmwv", set={"contact": True}, terrain={"soft": soft}))
    simulation, rec = run(model, 175.0, 1.6, 0.0, 3.0)
    assert np.abs(simulation.state.v).max() < 0.01
    assert rec["truck.chassis.z"][-1] == pytest.approx(1.34, abs=0.03)
