"""Who never touches whom."""

import gori
from gori.model.contact.exclusions import excluded_pairs, joined_bodies
from tests.model.contact.machines import machine, solid

BALL = {"s": solid("sphere", radius=0.1)}


def chain(**more):
    """ground - a - b = c (fixed) - d, and e free."""
    joints = {
        "j1": {"type": "revolute", "parent": "ground", "child": "a"},
        "j2": {"type": "revolute", "parent": "a", "child": "b"},
        "j3": {"type": "fixed", "parent": "b", "child": "c"},
        "j4": {"type": "prismatic", "parent": "c", "child": "d"},
    }
    for name, fields in more.pop("change", {}).items():
        joints[name] |= fields
    return machine(dict.fromkeys("abcde", BALL), {"floor": solid("plane")}, joints, **more)


def test_joined_bodies_and_what_is_fixed_to_them():
    assert joined_bodies(chain()) == {("a", "b"): "j2", ("a", "c"): "j2", ("b", "d"): "j4", ("c", "d"): "j4"}


def test_a_joint_may_let_its_bodies_touch():
    assert set(joined_bodies(chain(change={"j2": {"contact": True}}))) == {("b", "d"), ("c", "d")}


def test_cuts_and_gears_keep_bodies_apart():
    cuts = {"loop": {"type": "spherical", "parent": "a", "child": "e"}}
    assert joined_bodies(chain(cuts=cuts))["a", "e"] == "loop"
    rope = {"loop": {"type": "distance", "length": 1.0, "parent": "a", "child": "e"}}
    assert ("a", "e") not in joined_bodies(chain(cuts=rope))


def test_pairs_of_shapes():
    bodies, shapes = ["ground", "a", "b", "c", "d", "e"], ["floor", "s", "s", "s", "s", "s"]
    apart = {(1, 2), (1, 3), (2, 4), (3, 4)}
    assert excluded_pairs(chain(), bodies, shapes) == sorted(6 * a + b for a, b in apart)
    spec = chain(no_contact=[["e", "ground"], ["d.s", "a"]])
    assert excluded_pairs(spec, bodies, shapes) == sorted(6 * a + b for a, b in apart | {(0, 5), (1, 4)})


def test_a_base_that_moves_is_like_the_ground():
    spec = chain(base={"position": ["0.1*sin(t)", 0, 0]}, no_contact=[["ground.floor", "e"]])
    model = gori.compile(spec)
    assert "base.floor" in model.contact.names
    n, names = len(model.contact.names), model.contact.names
    apart = {tuple(sorted((names[k // n], names[k % n]))) for k in model.contact.tables.excluded.tolist()}
    assert apart == {("a.s", "b.s"), ("a.s", "c.s"), ("b.s", "d.s"), ("c.s", "d.s"), ("base.floor", "e.s")}
