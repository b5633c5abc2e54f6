"""Gears, racks and belts as they are written: sizes, bodies and names that are refused."""

import pytest

from gori.errors import SpecError
from gori.formats import read_yaml, write_yaml
from gori.spec import BeltDrive, GearPair, RackDrive, Spec
from gori.spec.loops.gear import check_gears

PART = {"mass": 1.0, "inertia": [1, 1, 1]}


def gearbox(**gears) -> Spec:
    joints = {f"J{k}": {"type": "revolute", "parent": "ground", "child": body, "at": [k, 0, 0]}
              for k, body in enumerate("ab")}  # fmt: skip
    return Spec(bodies={"a": PART, "b": PART}, joints=joints, gears=gears)


PAIR = {"type": "gear", "bodies": ["a", "b"], "radii": [0.4, 0.6]}


def test_all_three_come_back_from_a_file():
    spec = gearbox(
        mesh=PAIR | {"pressure_angle_deg": 25, "helix_angle_deg": -10, "position": 0.1, "carrier": "ground"},
        teeth={"type": "gear", "bodies": ["a", "b"], "teeth": [20, 30]},
        rack={"type": "rack", "bodies": ["a", "b"], "radius": 0.1},
        belt={"type": "belt", "bodies": ["a", "b"], "radii": [0.1, 0.2], "crossed": True, "tension": 50},
    )
    assert read_yaml(None, write_yaml(spec)) == spec and not list(check_gears(spec))
    kinds = [type(gear) for gear in spec.gears.values()]
    assert kinds == [GearPair, GearPair, RackDrive, BeltDrive]
    assert spec.gears["rack"].pressure_angle_deg == 20.0 and spec.set("belt.tension", 3).gears["belt"].tension == 3.0


@pytest.mark.parametrize("gear, words", [
    (PAIR | {"teeth": [1, 2]}, "a gear needs radii or teeth, one of them"),
    ({"type": "gear", "bodies": ["a", "b"]}, "a gear needs radii or teeth, one of them"),
    (PAIR | {"radii": [0.5, 0.5], "internal": True}, "gears.g.radii: an internal gear must be smaller than its ring"),
    (PAIR | {"pressure_angle_deg": 70}, "must be within +-60 degrees, is 70"),
    (PAIR | {"pressure_angle_deg": -20}, "must not be negative"),
    (PAIR | {"helix_angle_deg": -60}, "must be within +-60 degrees"),
    (PAIR | {"bodies": ["a", "c"]}, "gears.g.bodies.1: 'c' is not a body"),
    (PAIR | {"carrier": "world"}, "gears.g.carrier: 'world' is not a body"),
    (PAIR | {"carrier": "a"}, "needs three different bodies"),
    (PAIR | {"bodies": ["a", "a"]}, "needs three different bodies"),
    (PAIR | {"type": "worm"}, "type 'worm' is not one of"),
])  # fmt: skip
def test_refused(gear, words):
    with pytest.raises(SpecError) as caught:
        gearbox(g=gear)
    assert words in str(caught.value)


@pytest.mark.parametrize("name, what", [("a", "a body"), ("J0", "a joint"), ("ground", "the ground")])
def test_names_that_are_taken(name, what):
    with pytest.raises(SpecError, match=f"gear '{name}' has the name of {what}"):
        gearbox(**{name: PAIR})
