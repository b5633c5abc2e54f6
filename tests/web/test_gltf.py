"""glTF files: read back by trimesh, and by their own accessors."""

import json

import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError
from gori.web.gltf import FLOAT, to_gltf

trimesh = pytest.importorskip("trimesh")

MACHINE = """gori: 1
bodies:
  ground: {shapes: {floor: {type: plane}}}
  ball: {shapes: {s: {type: sphere, radius: 0.3, density: 1000, colour: "#ff000080"}}}
  rod: {shapes: {s: {type: cylinder, radius: 0.1, length: 1.0, axis: [1, 0, 0], density: 1000}}}
  bin: {mass: 1, inertia: [1, 1, 1], shapes: {s: {type: box, size: [1, 2, 3], hollow: true, open: [z+]}}}
joints:
  a: {type: free, parent: ground, child: ball, q: [1, 0, 0, 0, 1, 2, 3]}
  b: {type: revolute, parent: ground, child: rod, axis: [0, 0, 1], q_deg: 30}
  c: {type: fixed, parent: ground, child: bin, at: [5, 0, 0]}
"""


@pytest.fixture
def model(tmp_path):
    (tmp_path / "m.yaml").write_text(MACHINE)
    return gori.compile(gori.load(tmp_path / "m.yaml"))


def parts(path):
    """The JSON of a .glb file, and a function that gives the array of an accessor."""
    raw = path.read_bytes()
    assert raw[:4] == b"glTF" and int.from_bytes(raw[8:12], "little") == len(raw)
    size = int.from_bytes(raw[12:16], "little")
    head, binary = json.loads(raw[20 : 20 + size]), raw[28 + size :]

    def array(index):
        entry = head["accessors"][index]
        view = head["bufferViews"][entry["bufferView"]]
        kind = np.float32 if entry["componentType"] == FLOAT else np.uint32
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[entry["type"]]
        part = np.frombuffer(binary, kind, entry["count"] * width, view["byteOffset"])
        return part.reshape(-1, width)

    return head, array


def test_a_machine_stands_as_it_does(model, tmp_path):
    to_gltf(model, tmp_path / "m.glb")
    scene = trimesh.load(tmp_path / "m.glb")
    upright = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z up to y up
    poses = model.forward_kinematics(model.q0)
    found = {}
    for name in scene.graph.nodes_geometry:
        pose, key = scene.graph[name]
        found[name] = scene.geometry[key].copy().apply_transform(pose)
    ball = found["ball.s"]
    np.testing.assert_allclose(ball.bounds.mean(0), upright @ poses["ball"][:3, 3], atol=1e-6)
    np.testing.assert_allclose(np.ptp(ball.bounds, axis=0), 0.6, rtol=5e-3)
    rod = found["rod.s"]
    middle = poses["rod"] @ [0.5, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(rod.bounds.mean(0), upright @ middle[:3], atol=1e-6)
    np.testing.assert_allclose(np.ptp(found["bin.s"].bounds, axis=0), [1, 3, 2], atol=1e-6)
    assert len(found["bin.s"].faces) == 10  # five faces: one is open


def test_normals_colours_and_sides(model, tmp_path):
    to_gltf(model, tmp_path / "m.glb")
    head, array = parts(tmp_path / "m.glb")
    for mesh in head["meshes"]:
        part = mesh["primitives"][0]
        if part["mode"] == 4:
            normals = array(part["attributes"]["NORMAL"])
            np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
            if mesh["name"] == "ball.s":
                points = array(part["attributes"]["POSITION"])
                assert np.sum(points * normals, axis=1).min() > 0.3 * 0.99
                looks = head["materials"][part["material"]]
                assert looks["alphaMode"] == "BLEND"
                assert looks["pbrMetallicRoughness"]["baseColorFactor"] == pytest.approx([1, 0, 0, 128 / 255], abs=1e-4)
            if mesh["name"] == "bin.s":
                assert head["materials"][part["material"]]["doubleSided"]


def test_a_run_is_an_animation(model, tmp_path):
    rec = gori.Simulation(model, gori.RK4(1e-3)).run(1.0, sample=0.1, progress=False)
    to_gltf(rec, tmp_path / "run.glb")
    head, array = parts(tmp_path / "run.glb")
    (animation,) = head["animations"]
    ways = {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        name = head["nodes"][channel["target"]["node"]]["name"]
        ways[name, channel["target"]["path"]] = array(sampler["output"])
        np.testing.assert_allclose(array(sampler["input"])[:, 0], np.linspace(0.0, 1.0, 11), atol=1e-6)
    assert ("ball", "translation") in ways and not any(name == "bin" for name, _ in ways)
    np.testing.assert_allclose(ways["ball", "translation"][-1], [1.0, 2.0, 3.0 - 0.5 * 9.80665], atol=2e-2)


def test_many_turns_take_the_short_way(tmp_path):
    (tmp_path / "m.yaml").write_text(MACHINE.replace("q_deg: 30", "q_deg: 30, v: 20"))
    model = gori.compile(gori.load(tmp_path / "m.yaml"))
    to_gltf(gori.Simulation(model, gori.RK4(1e-3)).run(2.0, sample=0.02, progress=False), tmp_path / "run.glb")
    head, array = parts(tmp_path / "run.glb")
    for channel in head["animations"][0]["channels"]:
        if channel["target"]["path"] == "rotation":
            turns = array(head["animations"][0]["samplers"][channel["sampler"]]["output"])
            assert np.sum(turns[1:] * turns[:-1], axis=1).min() > 0.9


@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")  # springs
def test_tyres_and_ground_of_a_vehicle(tmp_path):
    (tmp_path / "t.yaml").write_text("gori: 1\nparts: {truck: {use: hmmwv}}\n")
    to_gltf(gori.compile(gori.load(tmp_path / "t.yaml")), tmp_path / "t.glb")
    scene = trimesh.load(tmp_path / "t.glb")
    names = set(scene.graph.nodes)
    assert "terrain" in names
    tyres = [name for name in names if name in scene.graph.nodes_geometry and "wheel" in name]
    assert len(tyres) == 4
    lows = [
        scene.geometry[scene.graph[name][1]].copy().apply_transform(scene.graph[name][0]).bounds[0, 1] for name in tyres
    ]
    np.testing.assert_allclose(lows, 0.0, atol=0.05)  # they stand on the ground, y up


def test_what_cannot_be_written(model, tmp_path):
    with pytest.raises(InputError, match=r"is written as \.glb"):
        to_gltf(model, tmp_path / "m.obj")
    with pytest.raises(InputError, match="made of a Model or a Recording"):
        to_gltf("model", tmp_path / "m.glb")
    with pytest.raises(FileError, match="cannot be written"):
        to_gltf(model, tmp_path / "none" / "m.glb")
