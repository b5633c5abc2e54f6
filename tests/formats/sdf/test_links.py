"""Masses and inertias of links, links without weight, and frames."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, FormatWarning
from gori.formats.sdf.links import frames, inertial, weightless

INERTIA = "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy></inertia>"


def body(sdf, inside, version="1.12"):
    return gori.load(sdf(f"<model name='m'><link name='a'>{inside}</link></model>", version)).bodies["a"]


def test_the_inertia_is_turned_into_the_axes_of_the_link(sdf):
    quarter = "<pose degrees='true'>1 2 3 0 0 90</pose>"
    found = body(sdf, f"<inertial>{quarter}<mass>4</mass>{INERTIA}</inertial>")
    assert found.mass == 4.0 and found.com == (1.0, 2.0, 3.0)
    assert np.allclose(found.inertia, [2.0, 1.0, 2.5, -0.1, 0.0, 0.0])


def test_defaults_are_those_of_the_format(sdf):
    assert body(sdf, "").inertial()[0] == 1.0 and body(sdf, "").inertia == (1.0, 1.0, 1.0)
    assert body(sdf, "<inertial><mass>3</mass><inertia><ixx>0.5</ixx></inertia></inertial>").inertia == (0.5, 1.0, 1.0)


def test_inertias_that_no_body_can_have_are_noted(sdf):
    with pytest.warns(FormatWarning, match="link 'a': inertia violates the triangle inequality"):
        assert body(sdf, "<inertial><inertia><ixx>9</ixx></inertia></inertial>").unphysical
    with pytest.raises(FileError, match="mass must be at least 0, is -1"):
        body(sdf, "<inertial><mass>-1</mass></inertial>")
    with pytest.raises(FileError, match="relative to its link alone"):
        body(sdf, "<inertial><pose relative_to='b'/></inertial>")
    with pytest.warns(FormatWarning, match="added mass of a fluid: a"):
        body(sdf, "<inertial><fluid_added_mass/></inertial>")


def test_inertia_from_collision_shapes(sdf):
    """Two boxes of 2 m beside each other, of 3 and 1 kg/m3: 24 and 8 kg."""
    boxes = "".join(
        f"<collision name='{name}'><pose>{x} 0 0 0 0 0</pose>{density}"
        "<geometry><box><size>2 2 2</size></box></geometry></collision>"
        for name, x, density in (("p", 0, "<density>3</density>"), ("q", 2, ""))
    )
    inside = "<inertial auto='true'><density>1</density>{}</inertial>" + boxes
    found = body(sdf, inside.format(""))
    about_x = 32.0 * 8.0 / 12.0
    about_z = about_x + 24.0 * 0.5**2 + 8.0 * 1.5**2
    assert np.isclose(found.mass, 32.0) and np.allclose(found.com, [0.5, 0.0, 0.0])
    assert np.allclose(found.inertia[:3], [about_x, about_z, about_z])
    half = body(sdf, inside.format("<mass>16</mass>"))
    assert np.isclose(half.mass, 16.0) and np.allclose(half.inertia, np.array(found.inertia) / 2.0)
    with pytest.raises(FileError, match="is to come from collision shapes, and it has none"):
        body(sdf, "<inertial auto='true'/>")


def test_links_without_gravity_float(sdf):
    """The lifted one stays, the other one falls."""
    path = sdf("""<model name='m'><link name='a'><gravity>false</gravity><inertial><pose>0.1 0 0 0 0 0</pose>
      <mass>2</mass></inertial></link><link name='b'/></model>""")
    spec = gori.load(path)
    model = gori.compile(spec)
    after = gori.Simulation(model, gori.RK4(step=0.01)).run(0.5)
    assert abs(after["a.z"][-1]) < 1e-12 and np.isclose(after["b.z"][-1], -0.5 * 9.81 * 0.25)
    assert [*spec.forces] == ["a.lift"]


def test_frames_stand_on_their_links(sdf):
    path = sdf("""<model name='m'><pose>0 0 9 0 0 0</pose><link name='a'><pose>1 0 0 0 0 0</pose></link>
      <frame name='f' attached_to='a'><pose>0 2 0 0 0 0</pose></frame><frame name='g'><pose>3 0 0 0 0 0</pose></frame>
      </model>""")
    spec = gori.load(path)
    assert spec.frames["f"].body == spec.frames["g"].body == "a"
    assert spec.frames["f"].at == (0.0, 2.0, 0.0) and spec.frames["g"].at == (2.0, 0.0, 0.0)
    world = sdf(
        "<world name='w'><frame name='f'><pose>0 0 1 0 0 0</pose></frame>"
        "<model name='m'><link name='a'/></model></world>"
    )
    assert gori.load(world).frames["f"].body == "ground" and gori.load(world).frames["f"].at == (0.0, 0.0, 1.0)


def test_links_as_plain_data(source_of):
    source = source_of("""<model name='m'><frame name='f'/><link name='a'><gravity>0</gravity><inertial><mass>2</mass>
      <inertia><iyy>1.5</iyy></inertia></inertial></link></model>""")
    (link,) = source.bodies
    body = inertial(source, link, {})
    assert body == {"mass": 2.0, "inertia": [1.0, 1.5, 1.0]} and frames(source) == {"f": {"body": "a"}}
    assert weightless(source, {"a": body}, np.array([0.0, 0.0, -9.0]))["a.lift"]["force"] == [0.0, 0.0, 18.0]
    assert weightless(source, {"a": body}, np.zeros(3)) == {}
