"""Who touches whom where collision shapes collide."""

import pytest

import gori
from gori.errors import FormatWarning
from gori.formats.sdf.contact import let_collide
from gori.formats.sdf.shapes import shapes

SURFACE = "<surface><friction><ode><mu>{}</mu></ode></friction></surface>"


def link(name, surface="", inside=""):
    ball = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
    return f"<link name='{name}'>{inside}<collision name='c'>{ball}{surface}</collision></link>"


def test_nothing_collides_unless_asked(sdf):
    spec = gori.load(sdf(f"<model name='m'>{link('a')}</model>"))
    assert not spec.contacts and not spec.bodies["a"].shapes["c"].collide


def test_friction_makes_materials_and_the_smaller_one_counts(sdf):
    inside = link("a", SURFACE.format(0.3)) + link("b") + link("c", SURFACE.format(0.3))
    spec = gori.load(sdf(f"<model name='m'><self_collide>1</self_collide>{inside}</model>"), collide="rubber")
    assert [spec.bodies[name].shapes["c"].material for name in "abc"] == ["rubber", "rubber_2", "rubber"]
    assert {name: contact.friction for name, contact in spec.contacts.items()} == {
        "rubber/rubber": 0.3, "rubber/rubber_2": 0.3, "rubber_2/rubber_2": 1.0
    }  # fmt: skip
    assert spec.no_contact == ()


def test_links_of_a_model_touch_only_where_it_says(sdf):
    three = link("a") + link("b") + link("c", inside="<self_collide>true</self_collide>")
    spec = gori.load(sdf(f"<model name='m'>{three}</model><model name='n'>{link('a')}</model>"), collide="rubber")
    assert [sorted(pair) for pair in spec.no_contact] == [["m.a", "m.b"]]


def test_bounce_is_listed(sdf):
    bounce = "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface>"
    with pytest.warns(FormatWarning, match="torsional friction and bounce of collision shapes: c"):
        gori.load(sdf(f"<model name='m'>{link('a', bounce)}</model>"), collide="rubber")


def test_the_sections_of_the_spec(source_of):
    source = source_of(f"<model name='m'>{link('a')}{link('b')}</model>", collide="wood")
    drawn = {one: shapes(source, one) for one in source.bodies}
    assert let_collide(source, drawn) == {
        "materials": {"wood": {}},
        "contacts": {"wood/wood": {"friction": 1.0, "restitution": 0.0}},
        "no_contact": [["a", "b"]],
    }
    assert all(shape["collide"] for solids in drawn.values() for shape in solids.values())
    source.collide = None
    assert let_collide(source, drawn) == {}
