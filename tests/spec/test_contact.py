"""What a Spec says about contact between bodies, and what it refuses."""

import pytest

from gori.errors import SpecError, SpecWarning
from gori.spec import Contact, Ellipsoid, Spec, Sphere
from gori.spec.contact import check_contact, shape_of, unused_shapes, weightless_bodies
from tests.model.contact.machines import CONTACTS, MATERIALS, machine, solid

BALL = {"s": solid("sphere", radius=0.1)}


def test_collide_needs_a_material():
    with pytest.raises(SpecError, match="needs a material"):
        Sphere(type="sphere", radius=0.1, collide=True)
    with pytest.raises(SpecError, match="until"):
        Sphere(type="sphere", radius=0.1, collide=True, material="steel", until=1.0)
    assert not Sphere(type="sphere", radius=0.1, material="steel").collide


def test_thickness_is_for_hollow_shapes_that_collide():
    with pytest.raises(SpecError, match="hollow: true and collide: true"):
        Sphere(type="sphere", radius=0.1, thickness=0.01)


def test_ellipsoids():
    ball = Ellipsoid(type="ellipsoid", radii=[0.3, 0.3, 0.3], density=1000.0).inertial()
    same = Sphere(type="sphere", radius=0.3, density=1000.0).inertial()
    assert ball[0] == pytest.approx(same[0]) and ball[2] == pytest.approx(same[2])
    for wrong in ({"radii": [0.1, 0.0, 0.1]}, {"radii": [0.1, 0.1, 0.1], "hollow": True}):
        with pytest.raises(SpecError, match=r"positive|hollow"):
            Ellipsoid(type="ellipsoid", **wrong)


def test_names_of_no_contact():
    spec = machine({"a": BALL, "a.b": BALL}, no_contact=[["a", "a.b"], ["a.b.s", "ground"], ["terrain", "a.s"]])
    assert spec.no_contact[0] == ("a", "a.b")
    assert shape_of(spec, "a.b") == ("a.b", None)
    assert shape_of(spec, "a.b.s") == ("a.b", "s")
    assert shape_of(spec, "a.s") == ("a", "s") and shape_of(spec, "a.t") is None
    assert list(check_contact(spec)) == []


@pytest.mark.parametrize(
    "pairs, words",
    [
        ([["a", "bb"]], "'bb' is not a body or a shape; did you mean 'b'"),
        ([["a.t", "b"]], "'a.t' is not a body or a shape; did you mean 'a.s'"),
        ([["a"]], "two names"),
        ("a b", "list of pairs"),
        ([["a", "b"], ["b", "b"]], r"no_contact.1: 'b' is given twice, and never touches itself"),
        ([["b.s", "b.s"]], r"'b\.s' is given twice"),
    ],
)
def test_wrong_names_of_no_contact(pairs, words):
    with pytest.raises(SpecError, match=words):
        machine({"a": BALL, "b": BALL}, no_contact=pairs)


def test_a_body_that_collides_without_mass_is_told_of():
    weightless = {"shapes": BALL}
    free = {"free": {"type": "free", "parent": "ground", "child": "b"}}
    parts = {"materials": MATERIALS, "contacts": CONTACTS}
    with pytest.warns(SpecWarning, match=r"bodies\.b: body 'b' collides, but has no mass.*shape 's' a density"):
        spec = Spec(bodies={"b": weightless}, joints=free, **parts)
    assert [at for at, _ in weightless_bodies(spec)] == ["bodies.b"]
    slide = {"rail": {"type": "prismatic", "parent": "ground", "child": "b"}}
    assert weightless_bodies(Spec(bodies={"b": {**weightless, "mass": 1.0}}, joints=slide, **parts)) == []
    belt = Spec(bodies={"b": weightless}, joints=slide, motions={"run": {"joint": "rail", "speed": 1.0}}, **parts)
    fixed = Spec(bodies={"b": weightless}, joints={"rail": {**slide["rail"], "type": "fixed"}}, **parts)
    geared = Spec(bodies={"b": weightless}, joints={"rail": {**slide["rail"], "armature": 1.0}}, **parts)
    assert weightless_bodies(belt) == weightless_bodies(fixed) == weightless_bodies(geared) == []


def test_fields_of_a_contact():
    contact = Contact(friction=0.5, restitution=0.2, torsional_friction=0.1, stiffness=1e8)
    assert contact.torsional_friction == 0.1 and contact.stiffness == 1e8
    assert Contact(friction=0.5, restitution=0.2).stiffness is None
    with pytest.raises(SpecError, match="belongs to the law hertz"):
        Contact(law="voigt", friction=0.5, k_n=1.0, c_n=1.0, k_t=1.0, c_t=1.0, stiffness=1e8)


VOIGT = {"law": "voigt", "friction": 0.5, "k_n": 1e5, "c_n": 1.0, "k_t": 1e5, "c_t": 1.0}


def test_bodies_do_not_use_the_law_voigt():
    with pytest.raises(SpecError, match="the law voigt is for particles"):
        machine({"a": BALL, "b": BALL}, contacts={"steel/steel": VOIGT})


def test_contacts_of_bodies_do_not_bind_those_of_particles():
    """Grains by voigt on steel, steel on steel as bodies: two laws in one file."""
    grains = {"grains": {"material": "sand", "radius": 0.01, "positions": [[0, 0, 1]]}}
    spec = machine(
        {"a": BALL, "b": BALL},
        materials={"sand": {"density": 2500}, "steel": {}},
        contacts={"sand/sand": VOIGT, "sand/steel": VOIGT, "steel/steel": CONTACTS["steel/steel"]},
        particles=grains,
    )
    assert spec.contacts["steel/steel"].law == "hertz"


def test_a_shape_that_can_touch_nothing_is_worth_a_warning():
    with pytest.warns(SpecWarning, match="shapes of 'wood' collide"):
        spec = machine({"a": {"s": solid("sphere", "wood", radius=0.1)}}, materials=MATERIALS | {"wood": {}})
    assert unused_shapes(spec)[0][0] == "bodies.a.shapes.s.material"
    assert unused_shapes(machine({"a": BALL})) == []


def test_unknown_material_of_the_terrain():
    with pytest.raises(SpecError, match="'mud' is not a material"):
        Spec(terrain={"material": "mud"})
