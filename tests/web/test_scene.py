from pathlib import Path

import numpy as np
import pytest

import gori
from gori.formats.yaml import read_yaml
from gori.spec import Spec
from gori.web.poses import rotations
from gori.web.scene import Scene, scene_packet, sliders
from tests.cli.files import FOUR_BAR
from tests.web.machines import EXAMPLES, four_bar, truck
from tests.web.twin import decoded


def test_a_linkage_with_its_joints_cut_and_camera():
    rec = four_bar()
    head, arrays = decoded(scene_packet(rec.model, "film", rec, title="four-bar"))
    assert head["type"] == "scene" and head["mode"] == "film" and head["time"] == [0.0, pytest.approx(0.3)]
    assert [body["name"] for body in head["bodies"]] == ["ground", "crank", "coupler", "rocker"]
    assert [joint["name"] for joint in head["joints"]] == ["A", "B", "D"]
    (cut,) = head["cuts"]
    assert cut["name"] == "C" and cut["q"] is None
    for joint in head["joints"]:
        info = rec.model.joint(joint["name"])
        assert joint["q"] == [info.q.start, 1] and np.linalg.norm(joint["axis"]) == pytest.approx(1.0)
    assert head["camera"]["view"] == "xy" and head["camera"]["follow"] is None
    # the pins of a joint meet: the same point of two bodies
    poses = rec.model.forward_kinematics(rec.model.q0)
    names = [body["name"] for body in head["bodies"]]
    for joint in head["joints"]:
        one = poses[names[joint["parent"]]] @ [*joint["at"], 1.0]
        two = poses[names[joint["child"]]] @ [*joint["child_at"], 1.0]
        np.testing.assert_allclose(one, two, atol=1e-9)
    assert {channel["name"] for channel in head["channels"]} >= {"A.q", "C.q", "energy.total", "A.reaction"}
    assert arrays["poses"].shape == (4, 7) and len(head["masses"]) == 4


def test_a_truck_with_wheels_struts_ground_and_a_camera_that_follows():
    rec, _ = truck()
    head, arrays = decoded(scene_packet(rec.model, "live"))
    assert len(head["wheels"]) == 4 and head["wheels"][0]["radius"] == pytest.approx(0.4699)
    kinds = {spring["name"].rpartition(".")[2]: spring["type"] for spring in head["springs"]}
    assert len(kinds) == 8 and kinds["spring_fl"] == "spring" and kinds["damper_rr"] == "damper"
    chassis = next(k for k, body in enumerate(head["bodies"]) if body["name"] == "truck.chassis")
    assert head["camera"]["follow"] == chassis and head["bodies"][chassis]["shapes"]
    arm = next(body for body in head["bodies"] if body["name"] == "truck.lower_arm_fl")
    assert arm["shapes"] == [] and len(arm["sticks"]) >= 1
    ground = head["terrain"]
    assert arrays[ground["height"]].shape == tuple(ground["shape"]) and ground["soft"]["shape"] == [60, 440]


def test_fixed_bodies_share_a_row_of_the_tree():
    model = gori.compile(gori.load(EXAMPLES / "robot_pd.yaml"))
    groups = {body["name"]: body["group"] for body in Scene(model).bodies}
    assert groups["pedestal"] == "ground" and groups["shoulder"] == "shoulder"


def test_sliders_have_limits_or_a_sensible_range():
    model = gori.compile(gori.load(EXAMPLES / "robot_pd.yaml"))
    found = {entry["joint"]: entry for entry in sliders(model, model.q0)}
    assert set(found) == set(model.joint_names)
    for name, entry in found.items():
        low, high = model.lower[model.joint(name).v.start], model.upper[model.joint(name).v.start]
        assert entry["low"] == pytest.approx(low if np.isfinite(low) else -np.pi)
        assert entry["high"] == pytest.approx(high if np.isfinite(high) else np.pi)
    tilted, _ = truck()
    assert not any(entry["joint"] == "truck" for entry in sliders(tilted.model, tilted.model.q0))  # a quaternion


def test_springs_on_frames_become_points_of_bodies():
    spec = Spec(
        bodies={"a": {"mass": 1.0, "inertia": (1, 1, 1)}},
        joints={"j": {"type": "prismatic", "parent": "ground", "child": "a"}},
        frames={"hook": {"body": "a", "at": (1, 0, 0), "rpy_deg": (0, 0, 90)}},
        forces={"s": {"type": "spring", "parent": "ground", "child": "hook", "child_at": (1, 0, 0), "stiffness": 1.0,
                      "length": 0.1}},
    )  # fmt: skip
    (spring,) = Scene(gori.compile(spec)).head()["springs"]
    assert spring["b"]["body"] == 1
    np.testing.assert_allclose(spring["b"]["at"], [1.0, 1.0, 0.0], atol=1e-12)


def test_a_spec_is_not_a_model():
    with pytest.raises(gori.errors.InputError, match="not a Spec"):
        Scene(Spec())


def test_a_machine_stands_closed_or_says_why_not():
    spec = gori.load(EXAMPLES / "four_bar.yaml")
    scene = Scene(gori.compile(spec))
    head, names = scene.head(), scene.names
    (cut,) = head["cuts"]
    ends = []
    for body, at in ((cut["parent"], cut["at"]), (cut["child"], cut["child_at"])):
        assert names[body] in ("coupler", "rocker")
        ends.append(scene.start[body, :3] + rotations(scene.start[body, 3:]) @ at)
    np.testing.assert_allclose(*ends, atol=1e-6)
    assert scene.notices == []
    open_one = Scene(gori.compile(read_yaml(Path("four.yaml"), FOUR_BAR)))
    assert open_one.notices[0].startswith("shown as written: the loops cannot be closed")


def test_visual_shapes_hide_those_that_collide():
    ball = {"type": "sphere", "radius": 1.0}
    both = {"hull": ball | {"mass": 1.0}, "skin": ball | {"visual": True, "colour": "#ff8000"}}
    unread = {"hull": ball | {"mass": 1.0}, "skin": {"type": "mesh", "file": "none.stl", "visual": True}}
    spec = Spec(
        bodies={
            "both": {"shapes": both},
            "one": {"shapes": {"hull": ball | {"mass": 1.0}}},
            "unread": {"shapes": unread},
        },
        joints={name: {"type": "free", "parent": "ground", "child": name} for name in ("both", "one", "unread")},
    )
    scene = Scene(gori.compile(spec))
    shapes = {shape["name"]: shape for body in scene.bodies for shape in body["shapes"]}
    assert [name for name, shape in shapes.items() if shape.get("collision")] == ["both.hull"]
    assert shapes["both.skin"]["colour"] == "#ff8000"
    assert list(shapes) == ["both.hull", "both.skin", "one.hull", "unread.hull"] and "none.stl" in scene.notices[0]
