"""Hull and arms of a vehicle on the ground: only where they are asked for; dropped, and turned over."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import FileError, SpecError
from gori.spec.vehicle.terrain import Terrain
from gori.vehicle import read_vehicle
from gori.vehicle.touching import RUBBER_NU, soft_modulus, touching
from tests.kernels.vehicle.tyres import FIALA

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
    simulation, rec = run(truck, 60.0, 1.9, 2.6, 8.0)
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
    """The roof sinks into the sand and leaves its trace."""
    soft = {"soil": gori.soil("lete_sand"), "at": [-6, -6], "size": [12, 12], "cell": 0.1}
    model = gori.compile(vehicle.spec("hmmwv", set={"contact": True}, terrain={"soft": soft}))
    simulation, rec = run(model, 175.0, 1.6, 0.0, 3.0)
    assert np.abs(simulation.state.v).max() < 0.01
    assert rec["truck.chassis.z"][-1] == pytest.approx(1.34, abs=0.03)
    cells = simulation.state.vehicle["cells"]
    assert cells["z_max"].max() > 0.01 and len(cells) > 50


# ---- wheels against other bodies

SCENE = """gori: 1
parts:
  truck: {use: hmmwv, set: {contact: {wheels: [stone]}}}
terrain: {}
materials:
  stone: {rigid: true}
contacts:
  stone/ground: {friction: 0.9, restitution: 0.1, stiffness: 5.0e+5}
bodies:
"""
WALL = """  ground:
    shapes:
      wall: {type: box, size: [0.5, 6.0, 2.0], at: [5.0, 0.0, 1.0], material: stone, collide: true}
"""


def block(height):
    """A block of stone across the way, free on the ground."""
    shape = f"size: [0.3, 3.0, {height}], density: 2400, material: stone, collide: true"
    return f"""  block:
    shapes:
      hull: {{type: box, {shape}}}
joints:
  block_free: {{type: free, parent: ground, child: block, q: [1, 0, 0, 0, 4.0, 0, {0.5 * height}]}}
"""


def drive(tmp_path, bodies, speed, duration, throttle=0.0):
    file = tmp_path / "scene.yaml"
    file.write_text(SCENE + bodies)
    model = gori.compile(gori.load(file))
    simulation = gori.Simulation(model, gori.Adams(step=5e-4, order=2), state=gori.at_rest(model, speed=speed))
    simulation.inputs["truck.selector"] = "D" if throttle else "N"
    simulation.inputs["truck.throttle"] = throttle
    return model, simulation.run(duration, sample=0.01)


def test_shapes_of_wheels():
    data = touching(read_vehicle("hmmwv", {"contact.wheels": ["stone", "other.hull"]}), "truck", LEVEL)
    wheel = data["bodies"]["truck.knuckle_fl"]["shapes"]["wheel"]
    tyre = read_vehicle("hmmwv").wheel.tyre
    assert wheel["radius"] == tyre["radius"] and wheel["length"] == tyre["width"]
    assert set(data["contacts"]) == {"truck.hull/ground", "truck.tyre/stone", "truck.tyre/other.hull"}
    assert data["contacts"]["truck.tyre/stone"]["friction"] == 0.0
    with pytest.raises(SpecError, match="tyres touch already"):
        touching(read_vehicle("hmmwv", {"contact.wheels": ["ground"]}), "truck", LEVEL)


def test_a_wheel_is_as_soft_as_its_tyre():
    """Two points of a line on a rigid plane carry what the tyre does at a tenth of its radius."""
    tyre = FIALA
    d = 0.1 * tyre.radius
    k = 4.0 / 3.0 * soft_modulus(tyre) / (1.0 - RUBBER_NU**2) * np.sqrt(tyre.radius)
    assert 2.0 * k * d**1.5 == pytest.approx(tyre.stiffness * d)


def test_a_wall_of_a_box_stops_the_wheels(tmp_path):
    """Its face is at 4.75 m; the rims stay out of it, and the terrain does not feel the shapes."""
    model, rec = drive(tmp_path, WALL, 1.5, 4.0)
    rim = model.spec.wheels["truck.wheel_fl"].tyre.rim
    for corner in ("fl", "fr"):
        x = rec[f"truck.knuckle_{corner}.x"]
        assert 4.75 - model.spec.wheels["truck.wheel_fl"].tyre.radius < x.max() < 4.75 - rim
    assert not np.abs(rec["truck.knuckle_fl.contact"][0]).any()  # rolling on the ground: the tyre law alone
    energy = rec["energy.total"]
    assert energy.max() < energy[0] * (1.0 + 1e-6) and np.abs(rec["energy.balance"]).max() < 1e-3 * energy[0]


def test_a_low_block_is_rolled_over(tmp_path):
    _, rec = drive(tmp_path, block(0.04), 2.0, 4.0)
    assert rec["truck.knuckle_fl.x"][-1] > 5.0 > 4.3 > rec["block.x"][-1]
    ahead = rec["truck.knuckle_fl.z"]
    assert 0.005 < ahead.max() - ahead[0] < 0.05
    assert rec["energy.total"].max() < rec["energy.total"][0] * (1.0 + 1e-3)


def test_a_high_block_is_pushed(tmp_path):
    _, rec = drive(tmp_path, block(0.3), 2.0, 3.0)
    assert rec["block.x"][-1] > 4.1 and rec["block.x"][-1] > rec["truck.knuckle_fl.x"][-1]
    assert rec["energy.total"].max() < rec["energy.total"][0] * (1.0 + 1e-3)


def test_a_wheel_lies_on_a_box(tmp_path):
    """A wheel on its own carrier, on its side on a box on the ground body: it comes to rest and stays."""
    file = tmp_path / "wheel.yaml"
    file.write_text(f"""gori: 1
materials:
  rubber: {{E: {soft_modulus(FIALA)}, nu: 0.49}}
  stone: {{rigid: true}}
contacts:
  rubber/stone: {{friction: 0.6, restitution: 0.1}}
terrain: {{}}
bodies:
  ground:
    shapes: {{box: {{type: box, size: [1.5, 1.5, 0.6], at: [0, 0, 0.3], material: stone, collide: true}}}}
  carrier:
    mass: 60
    inertia: [2.5, 2.5, 2.5]
    shapes:
      wheel: {{type: cylinder, radius: {FIALA.radius}, length: {FIALA.width}, at: [0, {-0.5 * FIALA.width}, 0],
              axis: [0, 1, 0], material: rubber, collide: true}}
joints:
  free: {{type: free, parent: ground, child: carrier, q: [0.66, 0.75, 0, 0, 0, 0, 0.9]}}
wheels:
  w: {{body: carrier, inertia: 2.0, tyre: {{type: fiala, radius: {FIALA.radius}, width: {FIALA.width}, stiffness: 3e5,
      damping: 500, slip_stiffness: 1.0e+5, cornering_stiffness: 5.0e+4, friction_max: 0.8, friction_min: 0.7}}}}
""")
    model = gori.compile(gori.load(file))
    simulation = gori.Simulation(model, gori.Adams(step=5e-4, order=2))
    rec = simulation.run(4.0, sample=0.01)
    height = rec["carrier.z"]
    assert height[-1] == pytest.approx(0.6 + 0.5 * FIALA.width, abs=0.02) and np.ptp(height[-100:]) < 1e-4
    assert np.abs(rec["w.load"]).max() == 0.0  # the terrain is far below
    assert rec["energy.total"].max() < rec["energy.total"][0] * (1.0 + 1e-6)
