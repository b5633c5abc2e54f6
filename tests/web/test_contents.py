"""What files for other programs hold: bodies, coloured shapes, poses in double precision; what is left out."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import FormatWarning, InputError
from gori.web.contents import Contents, linear, target

MACHINE = """gori: 1
terrain: {}
bodies:
  cart:
    mass: 1
    inertia: [1, 1, 1]
    shapes: {hull: {type: box, size: [1, 1, 1]}, skin: {type: sphere, radius: 1, visual: true}}
  bob: {mass: 1, inertia: [1, 1, 1]}
joints:
  slide: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0], v: 1}
  swing: {type: revolute, parent: cart, child: bob, at: [0, 0, 1], axis: [0, 1, 0], q: 1}
frames: {tip: {body: bob, at: [0, 0, -1]}}
forces:
  pull: {type: spring, parent: ground, child: cart, stiffness: 10}
"""


@pytest.fixture
def model(tmp_path):
    (tmp_path / "m.yaml").write_text(MACHINE)
    return gori.compile(gori.load(tmp_path / "m.yaml"))


def test_a_model_stands_at_its_start(model):
    contents = Contents(model, 10)
    assert [body.name for body in contents.bodies] == ["ground", "cart", "bob"] and len(contents.times) == 1
    ground, cart, bob = contents.bodies
    assert {shape.name: shape.hidden for shape in cart.shapes} == {"cart.hull": True, "cart.skin": False}
    assert [0.0, 0.0, -1.0] in bob.sticks.tolist() and not ground.shapes
    vertices, triangles = contents.surface(contents.terrain)
    assert len(triangles) and np.all(vertices[:, 2] == 0.0)


def test_a_recording_has_poses_in_double_precision(model):
    rec = gori.Simulation(model, gori.RK4(1e-3)).run(1.0, sample=0.01, progress=False)
    contents = Contents(rec, 11)
    np.testing.assert_allclose(contents.times, np.linspace(0.0, 1.0, 11), atol=1e-9)
    for k in (0, 4, 10):
        pose = model.forward_kinematics(rec.q[10 * k])["bob"]
        np.testing.assert_allclose(contents.poses[k, 2, :3], pose[:3, 3], atol=1e-15)
    assert Contents(rec, 10**6).poses.shape == (101, 3, 7)
    with pytest.warns(FormatWarning) as caught:
        contents.warn_of_rest("glTF", set())
    assert str(caught[0].message).startswith("11 of 101 samples are written") and len(caught) == 2


def test_what_is_left_out_is_listed(model):
    contents = Contents(model, 10)
    with pytest.warns(FormatWarning, match="^glTF leaves out springs and dampers: pull$"):
        contents.warn_of_rest("glTF", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        contents.warn_of_rest("USD", {"springs"})
    bare = Contents(gori.compile(model.spec.set({"forces": {}})), 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bare.warn_of_rest("glTF", set())


def test_colours_and_names(tmp_path):
    assert linear("#ff0080") == pytest.approx((1.0, 0.0, 0.21586, 1.0)) and linear([0, 1, 0, 0.5])[3] == 0.5
    assert target(tmp_path / "a.GLB", (".glb",)).name == "a.GLB"
    with pytest.raises(InputError, match=r"written as \.usda or \.usdc, not '\.obj'"):
        target(tmp_path / "a.obj", (".usda", ".usdc"))
    with pytest.raises(InputError, match="made of a Model or a Recording, not of a str"):
        Contents("model", 10)
