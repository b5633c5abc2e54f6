"""What `gori info` shows of contact."""

import json

import gori
from gori.cli.contact import apart_rows, pair_rows, shape_rows, touching
from tests.model.contact.machines import machine, solid

BALL = {"s": solid("sphere", radius=0.1)}
JOINTS = {
    "j": {"type": "revolute", "parent": "ground", "child": "a"},
    "k": {"type": "revolute", "parent": "a", "child": "b"},
}


def spec():
    bin_ = solid("box", "stone", size=[1, 1, 1], hollow=True)
    return machine({"a": BALL, "b": BALL, "c": BALL}, {"bin": bin_}, JOINTS, no_contact=[["c", "ground.bin"]])


def test_plain_data():
    about = touching(spec())
    assert about["colliding"]["ground.bin"] == {"type": "box", "material": "stone", "hollow": True}
    assert about["touching"] == {
        "steel/steel": {"friction": 0.6, "restitution": 0.0},
        "stone/steel": {"friction": 0.5, "restitution": 0.1},
        "stone/stone": {"friction": 0.5, "restitution": 0.1},
    }
    assert about["apart"] == [
        {"pair": ["a", "b"], "because": "joined by k"},
        {"pair": ["c", "ground.bin"], "because": "no_contact"},
    ]
    assert shape_rows(about)[0] == ("ground.bin", "hollow box", "of stone")
    assert pair_rows(about)[0] == ("steel/steel", "friction 0.6", "restitution 0")
    assert apart_rows(about)[1] == ("c - ground.bin", "no_contact")
    assert touching(machine({"a": {}})) == {"colliding": {}, "touching": {}, "apart": []}


def test_info_lists_contact(run, tmp_path):
    file = tmp_path / "touch.yaml"
    gori.save(spec(), file)
    text = " ".join(run("info", str(file)).stdout.split())
    assert "shapes that collide ground.bin hollow box of stone" in text
    assert "materials that touch steel/steel friction 0.6" in text
    assert "bodies that never touch a - b joined by k" in text and "walls" not in text
    assert json.loads(run("info", str(file), "--json").stdout)["colliding"]["a.s"]["material"] == "steel"
