"""SRDF: groups, poses, and links that never touch."""

import pytest

pytest.importorskip("lxml")

import gori
from gori.errors import FileError
from gori.formats.srdf import read_srdf

TEXT = """<?xml version="1.0"?>
<robot name="r">
  <group name="arm"><chain base_link="a" tip_link="c"/><joint name="j"/></group>
  <group name="all"><group name="arm"/><link name="c"/></group>
  <group_state name="home" group="arm"><joint name="j" value="0.5"/><joint name="k" value="1 0 0 0"/></group_state>
  <disable_collisions link1="c" link2="a" reason="Never"/>
  <disable_collisions link1="a" link2="c" reason="Never"/>
  <disable_collisions link1="a" link2="elsewhere" reason="Adjacent"/>
</robot>
"""


def test_what_it_says(tmp_path):
    file = tmp_path / "r.srdf"
    file.write_text(TEXT)
    found = read_srdf(file)
    assert found.groups["arm"] == {"links": [], "joints": ["j"], "chains": [("a", "c")], "groups": []}
    assert found.groups["all"]["groups"] == ["arm"]
    assert found.states == {"home": {"group": "arm", "j": 0.5, "k": [1.0, 0.0, 0.0, 0.0]}}
    assert found.apart({"a", "b", "c"}) == [["a", "c"]]


def test_a_link_with_all_others(tmp_path):
    file = tmp_path / "r.srdf"
    extra = '<disable_default_collisions link="b"/><enable_collisions link1="c" link2="b"/></robot>'
    file.write_text(TEXT.replace("</robot>", extra))
    assert read_srdf(file).apart({"a", "b", "c"}) == [["a", "b"], ["a", "c"]]


def test_links_that_it_names_do_not_touch(tmp_path):
    """Three balls side by side, of which two are told not to touch."""
    ball = "<collision><geometry><sphere radius='0.6'/></geometry></collision>"
    inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    links = "".join(f"<link name='{name}'>{inertial}{ball}</link>" for name in "abc")
    text = "".join(
        f"<joint name='j{name}' type='prismatic'><parent link='root'/><child link='{name}'/>"
        f"<origin xyz='{x} 0 0'/><limit lower='-1' upper='1'/></joint>"
        for name, x in zip("abc", (0.0, 0.5, 1.0))
    )
    (tmp_path / "r.urdf").write_text(f"<robot name='r'><link name='root'/>{links}{text}</robot>")
    (tmp_path / "r.srdf").write_text(TEXT)

    def touching(**options):
        model = gori.compile(gori.load(tmp_path / "r.urdf", collide="rubber", **options))
        return {(point.a[0], point.b[0]) for point in model.contacts(model.q0)}

    assert touching() == {("a", "b"), ("a", "c"), ("b", "c")}
    assert touching(srdf=tmp_path / "r.srdf") == {("a", "b"), ("b", "c")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<sdf/>", "not <robot>"),
        ("<robot><group/></robot>", "has no name"),
        ("<robot><disable_collisions link1='a'/></robot>", "has no link2"),
        ("<robot><group_state name='s'><joint name='j'/></group_state></robot>", "has no value"),
        ("<robot><group_state name='s'><joint name='j' value='x'/></group_state></robot>", "not a number"),
    ],
)
def test_what_makes_no_sense(tmp_path, text, words):
    (tmp_path / "r.srdf").write_text(text)
    with pytest.raises(FileError, match=words):
        read_srdf(tmp_path / "r.srdf")
