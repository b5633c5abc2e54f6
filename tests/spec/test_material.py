"""Materials and contacts in a Spec: what is refused, and which pairs must be there."""

import pytest

from gori.errors import SpecError
from gori.spec import Contact, Material
from gori.spec.material import contacts_of
from tests.spec.particles.tray import CONTACTS, LOAD, MATERIALS, TRAY, tray

VOIGT = {"law": "voigt", "k_n": 1e6, "c_n": 10, "k_t": 1e5, "c_t": 1, "friction": 0.3}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"E": 0}, "E: must be positive"),
        ({"E": -1e8}, "E: must be positive"),
        ({"E": 1.1e13}, "E: must be at most 1e+13"),
        ({"E": 1e8, "nu": 0.6}, "nu: must be at most 0.5"),
        ({"E": 1e8, "nu": -0.1}, "nu: must not be negative"),
        ({"E": 1e8, "density": 0}, "density: must be positive"),
        ({"E": 1e8, "rigid": True}, "give E or rigid: true, not both"),
        ({"e": 1e8}, "unknown key 'e'"),
    ],
)
def test_material_refused(given, words):
    with pytest.raises(SpecError) as caught:
        Material(**given)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"restitution": 1.1, "friction": 0.1}, "restitution: must be at most 1"),
        ({"restitution": -0.1, "friction": 0.1}, "restitution: must not be negative"),
        ({"restitution": 0.5, "friction": -0.1}, "friction: must not be negative"),
        ({"restitution": 0.5}, "'friction' is missing"),
        ({"friction": 0.5}, "restitution: 'restitution' is missing: the law hertz needs it"),
        ({"restitution": 0.5, "friction": 0.5, "k_n": 1e5}, "k_n: belongs to the law voigt, but this is hertz"),
        (VOIGT | {"restitution": 0.5}, "restitution: belongs to the law hertz, but this is voigt"),
        (VOIGT | {"rolling_friction": 0.0}, "rolling_friction: belongs to the law hertz"),
        ({"law": "voigt", "friction": 0.5, "k_n": 1}, "c_n: 'c_n' is missing: the law voigt needs it"),
        ({"law": "hooke", "friction": 0.5}, "law: 'hooke' is not one of"),
    ],
)
def test_contact_refused(given, words):
    with pytest.raises(SpecError) as caught:
        Contact(**given)
    assert words in str(caught.value)


MISFITS = {
    "slash in a name": ({"materials": MATERIALS | {"a/b": {}}}, "materials.a/b: the name of a material must not"),
    "not a pair": ({"contacts": CONTACTS | {"grain": VOIGT}}, "contacts.grain: 'grain' must name two materials"),
    "three": ({"contacts": CONTACTS | {"a/b/c": VOIGT}}, "contacts.a/b/c: 'a/b/c' must name two materials"),
    "unknown": (
        {"contacts": CONTACTS | {"grain/stel": VOIGT}},
        "contacts.grain/stel: 'stel' is not a material; did you mean 'steel'?",
    ),
    "twice": (
        {"contacts": CONTACTS | {"grain/steel": CONTACTS["grain/grain"]}},
        "contacts.grain/steel: 'steel/grain' and 'grain/steel' are the same pair",
    ),
    "two laws": (
        {"contacts": CONTACTS | {"steel/steel": VOIGT}},
        "contacts.steel/steel.law: all contacts must use the same law, but 'grain/grain' uses hertz",
    ),
    "grains without themselves": (
        {"contacts": {"steel/grain": CONTACTS["steel/grain"]}},
        "contacts: particles of 'grain' can touch 'grain', but that contact is not defined: add contacts: {grain/",
    ),
    "grains without walls": (
        {"contacts": {"grain/grain": CONTACTS["grain/grain"]}},
        "contacts: particles of 'grain' can touch 'steel', but that contact is not defined: add contacts: {grain/st",
    ),
    "two grains": (
        {
            "materials": MATERIALS | {"sand": {"E": 1e8, "density": 2000}},
            "contacts": CONTACTS | {"sand/sand": CONTACTS["grain/grain"], "sand/steel": CONTACTS["grain/grain"]},
            "particles": {"load": LOAD, "more": LOAD | {"material": "sand"}},
        },
        "particles of 'grain' can touch 'sand'",
    ),
    "no density": (
        {"materials": MATERIALS | {"grain": {"E": 1e8}}},
        "materials.grain.density: particles are made of 'grain' (particles.load.material), which needs a density",
    ),
    "rigid grains": (
        {"materials": MATERIALS | {"grain": {"rigid": True, "density": 1}}},
        "materials.grain.rigid: particles are made of 'grain' (particles.load.material): only walls can be rigid",
    ),
    "no modulus": ({"materials": MATERIALS | {"steel": {}}}, "materials.steel.E: the contact 'steel/grain' uses the"),
    "unknown material of grains": (
        {"particles": {"load": LOAD | {"material": "grian"}}},
        "particles.load.material: 'grian' is not a material; did you mean 'grain'?",
    ),
    "unknown material of a wall": (
        {"bodies": {"tray": TRAY | {"shapes": {"bin": TRAY["shapes"]["bin"] | {"material": "wood"}}}}},
        "bodies.tray.shapes.bin.material: 'wood' is not a material: add materials: {wood:",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MISFITS)
def test_misfits(case):
    more, words = MISFITS[case]
    with pytest.raises(SpecError) as caught:
        tray(**more)
    assert words in str(caught.value)


def test_pairs_in_any_order():
    known = contacts_of(tray())
    assert known["grain", "steel"] == known["steel", "grain"] == "steel/grain" and known["grain", "grain"]
    assert ("steel", "steel") not in known
    walls = {key: CONTACTS[key] for key in CONTACTS}
    assert tray(materials=MATERIALS | {"steel": {"rigid": True}}, contacts=walls).materials["steel"].rigid
    law = dict.fromkeys(CONTACTS, VOIGT)
    assert tray(materials={"steel": {}, "grain": {"density": 7800}}, contacts=law).contacts["grain/grain"].k_n == 1e6
