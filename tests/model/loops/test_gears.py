"""Gears, racks and belts on their axes: equations, lines of action, and what does not fit."""

import numpy as np
import pytest

import gori
from gori.errors import SpecError
from gori.model.loops.gears import gear_mesh
from gori.spec import Spec
from tests.checks import close

PART = {"mass": 1.0, "inertia": [1, 1, 1]}


def machine(joints: dict, **gears) -> Spec:
    """Bodies as the joints have them."""
    names = dict.fromkeys(joint["child"] for joint in joints.values())
    return Spec(gravity=[0, 0, 0], bodies=dict.fromkeys(names, PART), joints=joints, gears=gears)


def hinge(child: str, at=(0, 0, 0), parent="ground", **more) -> dict:
    return {"type": "revolute", "parent": parent, "child": child, "at": at} | more


PAIR = {"A": hinge("a"), "B": hinge("b", (0.15, 0, 0))}
MESH = {"type": "gear", "bodies": ["a", "b"], "radii": [0.05, 0.1]}


def factors(spec: Spec, name: str) -> dict[str, float]:
    model = gori.compile(spec)
    mesh = gear_mesh(model, name)
    return {model.joint_of_dof(dof): pytest.approx(factor) for dof, factor in zip(mesh.path, mesh.factor)}


def test_wheels_that_turn_against_each_other_and_with_each_other():
    assert factors(machine(PAIR, g=MESH), "g") == {"A": 0.05, "B": 0.1}
    assert factors(machine(PAIR, g={"type": "gear", "bodies": ["a", "b"], "teeth": [10, 20]}), "g") == {
        "A": 0.05,
        "B": 0.1,
    }
    inside = MESH | {"internal": True, "radii": [0.05, 0.2]}
    assert factors(machine(PAIR, g=inside), "g") == {"A": 0.05, "B": -0.2}
    turned = PAIR | {"B": PAIR["B"] | {"axis": [0, 0, -1]}}
    assert factors(machine(turned, g=MESH), "g") == {"A": 0.05, "B": -0.1}
    belt = {"type": "belt", "bodies": ["a", "b"], "radii": [0.05, 0.08]}
    assert factors(machine(PAIR, g=belt), "g") == {"A": 0.05, "B": -0.08}
    assert factors(machine(PAIR, g=belt | {"crossed": True}), "g") == {"A": 0.05, "B": 0.08}


def test_an_epicyclic_mesh_has_three_coordinates():
    """r_s (sun - arm) + r_p planet = 0, and on a ring that stands still -r_r arm ... r_p planet - r_r (0 - arm) = 0."""
    joints = {"sun": hinge("s"), "arm": hinge("c"), "planet": hinge("p", (0.05, 0, 0), "c")}
    inner = {"type": "gear", "bodies": ["s", "p"], "carrier": "c", "radii": [0.02, 0.03]}
    outer = {"type": "gear", "bodies": ["p", "ground"], "radii": [0.03, 0.08], "internal": True}
    spec = machine(joints, inner=inner, outer=outer)
    assert factors(spec, "inner") == {"sun": 0.02, "arm": -0.02, "planet": 0.03}
    assert factors(spec, "outer") == {"planet": 0.03, "arm": 0.08}
    assert gori.compile(spec).gears["outer"].carrier == "c"  # the only body with a joint to both


def test_a_rack_on_both_sides():
    for side in (-1.0, 1.0):
        rail = {"type": "prismatic", "parent": "ground", "child": "r", "at": [0, 0.05 * side, 0], "axis": [1, 0, 0]}
        spec = machine({"A": hinge("a"), "R": rail}, g={"type": "rack", "bodies": ["a", "r"], "radius": 0.05})
        # the point at (0, +-r) moves with -+r along x
        assert factors(spec, "g") == {"A": 0.05, "R": side}
        mesh = gori.compile(spec).gears["g"]
        assert mesh.rack and mesh.row["point_1"][0].tolist() == [0.0, 0.05 * side, 0.0]
        close(mesh.directions[0], [-side, -np.tan(np.radians(20)) * side, 0.0], 1e-15)


def test_the_start_pose_meshes():
    joints = {"A": PAIR["A"] | {"q": 0.3}, "B": PAIR["B"] | {"q": 1.0}}
    model = gori.compile(machine(joints, g=MESH))
    assert model.loop_system.terms(model.q0).gap == pytest.approx([0.0], abs=1e-16)
    assert model.mobility().freedom == 1 and model.loops == ("gear 'g'",)
    assert model.loop_system.names == ("g.mesh",)
    assert gori.compile(model.spec, open_loops=True).gears == {}


def test_pulls_share_a_force_until_a_span_is_slack():
    belt = {"type": "belt", "bodies": ["a", "b"], "radii": [0.05, 0.08], "tension": 100}
    mesh = gori.compile(machine(PAIR, g=belt)).gears["g"]
    close(mesh.pulls(np.array([0.0, 50.0, -50.0, 300.0])), [[100, 100], [125, 75], [75, 125], [300, 0]], 1e-14)
    teeth = gori.compile(machine(PAIR, g=MESH)).gears["g"]
    close(teeth.pulls(np.array([0.0, 50.0, -50.0])), [[0, 0], [50, 0], [0, 50]], 1e-14)


TILTED = {"A": hinge("a"), "B": hinge("b", (0.15, 0, 0), axis=[0, 1, 1])}
SLIDING = {"A": hinge("a"), "B": hinge("b", (0.15, 0, 0)) | {"type": "prismatic"}}
BALL = {"A": hinge("a"), "B": hinge("b", (0.15, 0, 0)) | {"type": "spherical"}}
ECCENTRIC = {"A": hinge("a"), "H": hinge("h", (0.1, 0, 0)), "B": hinge("b", (0.05, 0, 0), "h")}
RAIL = {"type": "prismatic", "parent": "ground", "child": "b", "axis": [1, 0, 0]}
RACK = {"type": "rack", "bodies": ["a", "b"], "radius": 0.05}


@pytest.mark.parametrize("joints, gear, words", [
    (PAIR, MESH | {"radii": [0.05, 0.11]}, "must add up to the distance of the axes, 0.15 m. Correct them, or give"),
    (PAIR, MESH | {"internal": True}, "must differ by the distance"),
    (TILTED, MESH, "must be parallel"),
    (SLIDING, MESH, "both bodies must turn on the carrier"),
    (BALL, MESH, "'B' (spherical) is between them"),
    (ECCENTRIC, MESH | {"carrier": "ground"}, "are not on one axis"),
    (ECCENTRIC, MESH, "no body has a joint with both 'a' and 'b': give the carrier"),
    (PAIR, {"type": "belt", "bodies": ["a", "b"], "radii": [0.05, 0.25]}, "further apart than 0.2 m, not 0.15 m"),
    (PAIR, RACK, "the first body must turn on the carrier, and the second slide"),
    ({"A": hinge("a"), "B": RAIL | {"axis": [0, 0, 1], "at": [0, 1, 0]}}, RACK, "at right angles to the axis"),
    ({"A": hinge("a"), "B": RAIL}, RACK, "the side of the teeth is not known"),
])  # fmt: skip
def test_what_does_not_fit(joints, gear, words):
    with pytest.raises(SpecError) as caught:
        gori.compile(machine(joints, g=gear))
    assert str(caught.value).startswith("gears.g: ") and words in str(caught.value)
