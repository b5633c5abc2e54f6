"""Names of links and joints in the Spec."""

import pytest

import gori
from gori.errors import FormatWarning
from gori.formats.left_out import LeftOut
from gori.formats.sdf.document import Reader
from gori.formats.sdf.frames import SdfLink
from gori.formats.sdf.source import SdfSource


def test_names_are_those_of_the_scopes(sdf):
    path = sdf("""<model name='m'><link name='a'><pose>0 0 1 0 0 0</pose></link>
      <model name='n'><pose>1 0 0 0 0 0</pose><link name='a'/></model>
      <joint name='j' type='fixed'><parent>a</parent><child>n::a</child></joint></model>""")
    reader = Reader(path, (), LeftOut())
    source = SdfSource(reader.world(), reader.files, reader.left)
    outer = source.world.models["m"]
    inner = SdfLink(outer.models["n"], "a")
    assert source.body(SdfLink(outer, "a")) == "a" and source.body(inner) == "n.a" and source.body(None) == "ground"
    assert [*source.joints.values()] == ["j"]
    assert source.pose(inner)[:3, 3].tolist() == [1.0, 0.0, 0.0]


def test_names_that_a_spec_cannot_have(sdf):
    path = sdf("""<model name='m'><link name='a b'/><link name='a_b'/><link name='ground'/>
      <frame name='a_b'/><frame name='x y'/></model>""")
    with pytest.warns(FormatWarning) as caught:
        spec = gori.load(path)
    assert [*spec.bodies] == ["a_b", "a_b_link", "ground_link"] and [*spec.frames] == ["a_b_frame", "x_y"]
    for words in ("link 'a b' is called 'a_b'", "link 'ground' is called 'ground_link'"):
        assert words in str(caught[0].message)
