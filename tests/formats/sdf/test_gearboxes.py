"""Gearboxes tie two hinges to each other."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, FormatWarning
from gori.formats.sdf.gearboxes import tie_gearboxes
from gori.formats.sdf.joints import joints

WHEEL = """<link name='{0}'><pose>{1} 0 0 {2} 0 0</pose><inertial><mass>1</mass><inertia><izz>{3}</izz></inertia>
  </inertial></link>"""
HINGE = "<joint name='{0}' type='revolute'><parent>{1}</parent><child>{2}</child><axis><xyz>{3}</xyz></axis></joint>"
BOX = """<joint name='box' type='gearbox'><parent>one</parent><child>two</child>
  <gearbox_ratio>0.25</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>
  <axis><xyz expressed_in='__model__'>0 0 1</xyz></axis><axis2><xyz expressed_in='__model__'>{}</xyz></axis2></joint>"""


def train(first="0 0 1", second="0 0 1", axis2="0 0 1", turned=0.0, backwards=False):
    ends = ("two", "base") if backwards else ("base", "two")
    links = "<link name='base'/>" + WHEEL.format("one", 0, 0, 0.5) + WHEEL.format("two", 1, turned, 2.0)
    ground = "<joint name='hold' type='fixed'><parent>world</parent><child>base</child></joint>"
    hinges = HINGE.format("a", "base", "one", first) + HINGE.format("b", *ends, second)
    return f"<model name='m'>{links}{ground}{hinges}{BOX.format(axis2)}</model>"


@pytest.mark.parametrize(
    ("changes", "ratio"),
    [
        ({}, -0.25),
        ({"first": "0 0 -2"}, 0.25),
        ({"second": "0 0 -1"}, 0.25),
        ({"axis2": "0 0 -1"}, 0.25),
        ({"turned": np.pi}, 0.25),
        ({"turned": np.pi, "axis2": "0 0 -1"}, -0.25),
        ({"backwards": True}, 0.25),
    ],
)
def test_the_hinge_of_the_child_follows(sdf, changes, ratio):
    mimic = gori.load(sdf(train(**changes)), strict=True).joints["b"].mimic
    assert mimic.joint == "a" and mimic.ratio == pytest.approx(ratio)


def test_the_torque_moves_both_wheels(sdf):
    """(I1 + ratio2 I2) a = torque: 0.5 + 2 / 16."""
    spec = gori.load(sdf(train()))
    push = {"push": {"type": "torque", "joint": "a", "value": 3.0}}
    model = gori.compile(gori.Spec(**spec.model_dump(exclude_unset=True), forces=push))
    after = gori.Simulation(model, gori.RK4(step=0.01)).run(0.5)
    assert np.isclose(after["a.v"][-1], 0.5 * 3.0 / 0.625, rtol=1e-9)
    assert np.isclose(after["b.v"][-1], -0.25 * after["a.v"][-1], rtol=1e-9)


def test_a_gearbox_without_hinges_is_listed(sdf, source_of):
    for text in (train(second="1 0 0"), train().replace("name='b' type='revolute'", "name='b' type='prismatic'")):
        with pytest.warns(FormatWarning, match="gearbox without two hinges on its reference body: box"):
            assert gori.load(sdf(text)).joints["b"].mimic is None
    source = source_of(train())
    made, _ = joints(source)
    del made["a"]
    tie_gearboxes(source, made)
    assert source.left.parts == {"gearbox without two hinges on its reference body": ["box"]}


def test_a_gearbox_needs_its_reference(sdf):
    text = train().replace("<gearbox_reference_body>base</gearbox_reference_body>", "")
    with pytest.raises(FileError, match="does not give <gearbox_reference_body>"):
        gori.load(sdf(text))
