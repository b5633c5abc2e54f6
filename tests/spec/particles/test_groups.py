"""Grains, inlets, outlets and their subsystems in a Spec: what is taken and what is refused."""

import numpy as np
import pytest

import gori
from gori.errors import SpecError
from gori.formats import json_schema
from gori.model.moving_base import with_moving_base
from gori.spec import Inlet, Outlet, ParticleGroup, Spec
from gori.spec.particles.groups import find_shape, radius_range
from tests.spec.particles.tray import BIN, BOX, LOAD, TRAY, data, tray

FILL = {"shape": "tray.bin", "count": 5}
INLET = {"material": "grain", "radius": 0.01, "box": BOX, "rate": 100}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0.01, (0.01, 0.01)),
        ([0.01, 0.02], (0.01, 0.02)),
        ((0.01, 0.01), (0.01, 0.01)),
        ([[0.01, 1]], (0.01, 0.01)),
        ([[0.02, 1], [0.01, 3.0], [0.015, 1]], (0.01, 0.02)),
        (np.array([[0.02, 1], [0.01, 3.0]]), (0.01, 0.02)),
        (np.float64(0.5), (0.5, 0.5)),
    ],
)
def test_radii(given, expected):
    particles = ParticleGroup(material="a", radius=given, fill=FILL)
    assert radius_range(particles.radius) == expected
    assert ParticleGroup(**particles.model_dump(exclude_unset=True)) == particles


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"radius": 0}, "radius: must be positive, is 0"),
        (
            {"radius": "small"},
            "must be a radius, [smallest, largest], or a list of [radius, fraction], not 'small'",
        ),
        ({"radius": [0.1, 0.2, 0.3]}, "radius: must be a radius, [smallest, largest]"),
        ({"radius": [0.2, 0.1]}, "radius: must be given from small to large: [0.1, 0.2]"),
        ({"radius": []}, "radius: must be a radius"),
        ({"radius": [[0.1, 0]]}, "radius: must be positive, is 0"),
        ({"radius": [[0.1, 0.2], 0.3]}, "radius: must be a radius"),
        ({"radius": float("nan")}, "radius: must be finite"),
        ({"radius": True}, "radius: must be a number, not True"),
        ({"radius": None}, "radius: 'radius' is missing"),
        ({"fill": None}, "needs fill or positions"),
        ({"positions": "a.csv"}, "give fill or positions, not both"),
        ({"body": "tray"}, "body: is for positions"),
        ({"fill": FILL | {"count": 0}}, "fill.count: must be a positive integer, not 0"),
        ({"fill": FILL | {"count": 2.5}}, "fill.count: must be a positive integer, not 2.5"),
        ({"fill": {"count": 5}}, "fill: needs shape or box"),
        ({"fill": FILL | {"box": BOX}}, "fill: give shape or box, not both"),
        ({"fill": FILL | {"packing": "dense"}}, "fill.packing: 'dense' is not one of"),
        ({"fill": FILL | {"spacing": 0.03}}, "fill.spacing: is for regular and poured"),
        ({"fill": FILL | {"packing": "regular", "spacing": 0.01}}, "fill.spacing: must be at least the largest diam"),
        ({"fill": {"count": 1, "box": {"size": [1, 0, 1]}}}, "fill.box.size: must be positive in all three"),
        ({"fill": None, "positions": [[1, 2]]}, "positions: must be a .csv or .npy file, or rows of x y z"),
        ({"fill": None, "positions": []}, "positions: must be a .csv or .npy file, or rows of x y z"),
        ({"fill": None, "positions": [[1, 2, float("inf")]]}, "positions.0.2: must be finite"),
        ({"fill": None, "positions": [[1, 2, 3]], "radius": None}, "radius: 'radius' is missing: give it, or a fourth"),
        ({"fill": None, "positions": [[1, 2, 3, 0]], "radius": None}, "positions: the fourth number is the radius"),
        ({"domain": {"at": [0, 0, 0]}}, "domain.size: 'size' is missing"),
        ({"max_overlap": 0.1}, "max_overlap: is for positions"),
        ({"fill": None, "positions": [[1, 2, 3]], "max_overlap": 0.6}, "max_overlap: "),
    ],
)
def test_grains_refused(given, words):
    with pytest.raises(SpecError) as caught:
        ParticleGroup(**{"material": "grain", "radius": 0.01, "fill": FILL} | given)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rate": 0}, "rate: must be positive"),
        ({"stop": 1, "start": 2}, "stop: must be after the start, 2 s, is 1"),
        ({"radius": [0.01, 0.06]}, "box: a particle of diameter 0.12 m does not fit: the box is only 0.1 m wide"),
        ({"count": -1}, "count: must be a positive integer"),
        ({"from": 1}, "unknown key 'from'"),
    ],
)
def test_inlet_refused(given, words):
    with pytest.raises(SpecError) as caught:
        Inlet(**INLET | given)
    assert words in str(caught.value)


def test_outlets():
    assert Outlet(below=-1).body == "ground" and Outlet(box=BOX).box.size == (0.2, 0.2, 0.1)
    for given, words in (({}, "needs box or below"), ({"box": BOX, "below": 1}, "give box or below, not both"),
                         ({"box": BOX, "body": "tray"}, "body: is for below")):  # fmt: skip
        with pytest.raises(SpecError, match=words):
            Outlet(**given)


SOLID = BIN | {"hollow": False}
MISFITS = {
    "no such shape": ({"particles": {"load": LOAD | {"fill": FILL | {"shape": "tray.bim"}}}},
                      "particles.load.fill.shape: 'tray.bim' is not a shape BODY.SHAPE; did you mean"),
    "solid": ({"bodies": {"tray": TRAY | {"shapes": {"bin": SOLID}}}}, "'tray.bin' is solid"),
    "no material": ({"bodies": {"tray": TRAY | {"shapes": {"bin": BIN | {"material": None}}}}},
                    "'tray.bin' has no material, so particles would fall through"),
    "a plane": ({"bodies": {"tray": TRAY | {"shapes": {"bin": {"type": "plane", "material": "steel"}}}}},
                "'tray.bin' is a plane; box, cylinder, cone, sphere and capsule can be filled"),
    "no such body": ({"particles": {"load": LOAD | {"fill": {"count": 1, "box": BOX | {"body": "try"}}}}},
                     "particles.load.fill.box.body: 'try' is not a body; did you mean 'tray'?"),
    "domain": ({"particles": {"load": LOAD | {"domain": BOX | {"body": "try"}}}}, "particles.load.domain.body: 'try'"),
    "inlet": ({"inlets": {"feeder": INLET | {"box": BOX | {"body": "try"}}}}, "inlets.feeder.box.body: 'try' is not"),
    "domain of an inlet": ({"inlets": {"feeder": INLET | {"domain": BOX | {"body": "try"}}}},
                           "inlets.feeder.domain.body: 'try' is not"),
    "outlet": ({"outlets": {"drain": {"below": 0, "body": "world"}}}, "the fixed body is called 'ground'"),
    "one name": ({"inlets": {"load": INLET}}, "inlets.load: 'load' is already the name of a group of particles"),
    "name with a space": ({"particles": {"my load": LOAD}}, "must not be empty or contain spaces"),
    "subsystem": ({"run": {"duration": 1, "subsystems": {"lod": {}}}},
                  "run.subsystems.lod: 'lod' is neither a drive train nor a group of particles; did you mean 'load'?"),
    "two devices": ({"inlets": {"feeder": INLET},
                     "run": {"duration": 1, "subsystems": {"load": {"device": "cuda"}, "feeder": {}}}},
                    "run.subsystems.feeder.device: all particles must be on one device, but 'load' is on cuda"),
    "device": ({"run": {"duration": 1, "subsystems": {"load": {"device": "gpu"}}}}, "'gpu' is not one of"),
    "step": ({"run": {"duration": 1, "subsystems": {"load": {"step": "fast"}}}},
             "run.subsystems.load.step: must be auto or a positive number, not 'fast'"),
    "zero": ({"run": {"duration": 1, "subsystems": {"load": {"skin": 0}}}}, "load.skin: must be positive, is 0"),
    "decimate": ({"run": {"duration": 1, "subsystems": {"load": {"decimate": 0}}}}, "must be a positive integer"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISFITS)
def test_misfits(case):
    more, words = MISFITS[case]
    with pytest.raises(SpecError) as caught:
        tray(**more)
    assert words in str(caught.value)


def test_set():
    spec = tray(run={"duration": 1, "subsystems": {"load": {"step": "auto"}}}, inlets={"feeder": INLET})
    assert spec.set("load.fill.count", 7).particles["load"].fill.count == 7
    assert spec.set("load.radius", [0.01, 0.02]).particles["load"].radius == (0.01, 0.02)
    assert spec.set("grain.E", 1e7).materials["grain"].E == 1e7
    assert spec.set("steel/grain.friction", 0.1).contacts["steel/grain"].friction == 0.1
    assert spec.set("feeder.rate", 5).inlets["feeder"].rate == 5.0
    assert spec.set("run.subsystems.load.step", 1e-5).run.subsystems["load"].step == 1e-5
    with pytest.raises(SpecError, match=r"cannot set 'grain' as a whole: name a field, such as 'grain.E'"):
        spec.set("grain", 1)


def test_ground_has_walls():
    """The ground stands among the bodies for its shapes, and is no body that moves."""
    walls = {"floor": {"type": "plane", "material": "steel"}, "bin": BIN}
    fill = {"shape": "ground.bin", "count": 3}
    spec = tray(bodies={"tray": TRAY, "ground": {"shapes": walls}}, particles={"load": LOAD | {"fill": fill}})
    assert find_shape(spec, "ground.bin") == ("ground", "bin")
    model = gori.compile(spec)
    assert model.body_names == ("tray",) and model.mass == 20.0
    alone = Spec(**data(bodies={"ground": {"shapes": walls}}, joints={}, particles={"load": LOAD | {"fill": fill}}))
    assert gori.compile(alone).nv == 0
    for own in ({"mass": 1}, {"inertia": [1, 1, 1], "mass": 1}):
        with pytest.raises(SpecError, match="only its shapes can be given"):
            tray(bodies={"tray": TRAY, "ground": own})


def test_walls_and_boxes_move_with_the_base():
    heavy = {"type": "sphere", "radius": 0.1, "density": 1000, "material": "steel"}
    spec = tray(
        bodies={"tray": TRAY, "ground": {"shapes": {"bin": BIN, "ball": heavy}}},
        particles={
            "load": LOAD | {"fill": {"shape": "ground.bin", "count": 3}, "domain": BOX},
            "more": LOAD | {"fill": {"box": BOX, "count": 3}},
            "rest": {"material": "grain", "positions": [[0, 0, 2, 0.01]]},
            "kept": LOAD | {"fill": {"box": BOX | {"body": "tray"}, "count": 3}},
        },
        inlets={"feeder": INLET | {"domain": BOX}},
        outlets={"drain": {"below": -1}, "hole": {"box": BOX}},
        base={"position": ["0.1*sin(t)", 0, 0]},
    )
    moved = with_moving_base(spec)
    particles = moved.particles
    assert particles["load"].fill.shape == "base.bin" and particles["load"].domain.body == "base"
    assert particles["more"].fill.box.body == "base" and particles["kept"].fill.box.body == "tray"
    assert particles["rest"].body == "base" and moved.outlets["drain"].body == "base"
    assert moved.inlets["feeder"].box.body == moved.outlets["hole"].box.body == "base"
    assert moved.inlets["feeder"].domain.body == "base" and "domain" not in particles["more"].model_fields_set
    assert set(moved.bodies["base"].shapes) == {"bin", "ball"} and moved.bodies["base"].inertial()[0] == 0.0
    assert "ground" not in moved.bodies
    assert Spec(**moved.model_dump(exclude_unset=True)) == moved


def test_shape_by_dotted_name():
    shapes = {"big.bin": BIN, "bin": BIN}
    bodies = {"truck": TRAY | {"shapes": shapes}, "truck.tray": TRAY}
    joints = {"a": {"type": "free", "parent": "ground", "child": "truck"},
              "b": {"type": "fixed", "parent": "truck", "child": "truck.tray"}}  # fmt: skip
    spec = Spec(**data(bodies=bodies, joints=joints, particles={}))
    assert find_shape(spec, "truck.tray.bin") == ("truck.tray", "bin")
    assert find_shape(spec, "truck.big.bin") == ("truck", "big.bin")
    assert find_shape(spec, "truck.tray.big.bin") is None


def test_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = jsonschema.Draft202012Validator(json_schema())
    good = data(
        gori=1,
        particles={"a": LOAD | {"radius": [[0.1, 1]]}, "b": {"material": "grain", "positions": [[0, 0, 0, 1]]}},
        inlets={"feeder": INLET},
        outlets={"drain": {"below": -1}},
        run={"duration": 1, "subsystems": {"a": {"step": "auto", "skin": 0.1, "device": "cuda", "frames": 0.1}}},
    )
    schema.validate(good)
    for bad in (
        {"materials": {"a": {"E": -1}}},
        {"particles": {"a": LOAD | {"radius": "small"}}},
        {"particles": {"a": LOAD | {"fill": {"shape": "a.b", "count": 0}}}},
        {"inlets": {"a": INLET | {"from": 1}}},
        {"run": {"duration": 1, "subsystems": {"a": {"step": "slow"}}}},
        {"run": {"duration": 1, "subsystems": {"a": {"device": "gpu"}}}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            schema.validate(good | bad)
