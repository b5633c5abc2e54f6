"""Whole files: beside Drake's numbers, beside Pinocchio, and through the commands."""

import re

import numpy as np
import pytest

import gori
from bench.sdf_machines import MACHINES, bent, write
from gori.errors import FileError, FormatWarning, InputError
from gori.formats import format_of
from gori.formats.sdf import read_sdf

DRAKE = {
    'every joint': (168.66618280021024, 13.584180584804452, 185.06080778157155),
    'planar': (19.16717269384427, -0.11619498459740196, 38.526330248855466),
    'free, with springs and dampers': (42.37885090824493, 5.694612244194789, 95.79522430084391),
    'frames': (7.486406408105741, 0.7736363592769928, 1.6633805385669038),
    'nested, with a placement frame': (76.10995991443507, 5.533659334443906, 139.43877053549608),
    'included': (40.42357808478891, 7.319359694597379, 88.7956221601772),
    'merged': (22.6099272522213, 2.7691578928452296, 54.51819071938368),
    'a world': (6.233690661697497, -4.480675739001191, 15.198617738342834),
    'version 1.4': (12.955025481398367, 0.0388077177720314, 35.25421005262881),
    'version 1.6': (24.389555351623674, 2.67938092638477, 62.63627213313319),
    'degrees and quaternions': (13.694052423283468, 0.8061419525173483, 34.84088959131216),
    'defaults': (20.0, 5.480638923341991, 35.37045801230174),
    'inertia from shapes': (314.78385399704587, 18.554567114877578, 875.5686881191206),
}  # fmt: skip
"""trace and log of the determinant of the mass matrix, length of the gravity forces: `python -m bench.sdf_agrees`"""

URDF = """<robot name='r'>
  {links}
  <joint name='hinge' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/>
    <axis xyz='1 2 3'/><limit lower='-1' upper='2' effort='3' velocity='4'/></joint>
  <joint name='turn' type='continuous'><parent link='b'/><child link='c'/><origin xyz='0.3 0.1 0' rpy='-0.4 0.1 0.2'/>
    <axis xyz='0 1 0'/></joint>
  <joint name='slide' type='prismatic'><parent link='b'/><child link='d'/><origin xyz='0 0.4 0.1' rpy='0.1 0.2 -0.3'/>
    <axis xyz='0.6 0 0.8'/><limit lower='-1' upper='2' effort='3' velocity='4'/></joint>
  <joint name='weld' type='fixed'><parent link='d'/><child link='e'/><origin xyz='0.2 0 0' rpy='0 0.7 0'/></joint>
</robot>"""
INERTIAL = """<link name='{}'><inertial><origin xyz='0.1 {} -0.2' rpy='0.3 0.2 0.1'/><mass value='{}'/>
  <inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0.02' ixz='-0.01' iyz='0.03'/></inertial></link>"""


def as_sdf(urdf):
    """The same robot in SDFormat, whose frames are those of URDF: each joint is placed by its parent, each link by its
    joint.
    """
    text = re.sub(r"<origin xyz='(.*?)' rpy='(.*?)'/>", r"<pose>\1 \2</pose>", urdf)
    text = re.sub(r"<mass value='(.*?)'/>", r"<mass>\1</mass>", text)
    inertia = re.search(r"<inertia (.*?)/>", text)[1]
    text = text.replace(
        f"<inertia {inertia}/>", "<inertia>" + re.sub(r"(\w+)='(.*?)'", r"<\1>\2</\1>", inertia) + "</inertia>"
    )
    for joint in re.findall(r"<joint .*?</joint>", text, re.DOTALL):
        parent, child = (re.search(f"<{role} link='(.)'/>", joint)[1] for role in ("parent", "child"))
        name = re.search("name='(.*?)'", joint)[1]
        made = re.sub(r"<(parent|child) link='(.)'/>", r"<\1>\2</\1>", joint)
        made = made.replace("<pose>", f"<pose relative_to='{parent}'>")
        made = re.sub(r"<axis xyz='(.*?)'/>", r"<axis><xyz>\1</xyz></axis>", made)
        text = text.replace(joint, re.sub(r"<limit .*?/>", "", made))
        text = text.replace(f"<link name='{child}'>", f"<link name='{child}'><pose relative_to='{name}'/>")
    inside = text.partition(">")[2].removesuffix("</robot>")
    return f"<sdf version='1.9'><model name='m'>{inside}</model></sdf>"


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")
def test_numbers_are_those_of_drake(tmp_path, name):
    model = gori.compile(gori.load(write(name, tmp_path), packages=[tmp_path]))
    q = bent(model)
    M, g = model.mass_matrix(q), model.gravity_force(q)
    found = np.trace(M), np.linalg.slogdet(M)[1], np.linalg.norm(g)
    assert np.allclose(found, DRAKE[name], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_dynamics_are_those_of_pinocchio(tmp_path, base):
    pytest.importorskip("pinocchio")
    from bench.pinocchio_peer import Peer
    from bench.urdf_agrees import errors

    text = URDF.format(links="".join(INERTIAL.format(name, 0.1 * k, 1 + k) for k, name in enumerate("abcde")))
    (tmp_path / "r.urdf").write_text(text)
    (tmp_path / "r.sdf").write_text(as_sdf(text))
    model = gori.compile(gori.load(tmp_path / "r.sdf", base=base))
    found = errors(Peer(model, tmp_path / "r.urdf", base))
    assert max(found.values()) < 1e-12, found


def test_an_sdf_is_known_by_its_name_or_its_root(sdf):
    inside = "<model name='m'><link name='a'/></model>"
    for name in ("a.sdf", "a.SDF", "a.world", "a.xml"):
        path = sdf(inside, name=name)
        assert format_of(path) == "SDFormat" and gori.load(path) == read_sdf(path)
    with pytest.raises(
        InputError, match=r"\.sdf files take no option xacro; known: base, meshes, strict, collide, packages"
    ):
        gori.load(sdf(inside), xacro=True)


def test_gravity_is_that_of_the_world(sdf):
    model = "<model name='m'><link name='a'/></model>"
    for inside, version, expected in (
        (model, "1.9", -9.81),
        (f"<world name='w'>{model}</world>", "1.9", -9.8),
        (f"<world name='w'><gravity>0 0 -1.6</gravity>{model}</world>", "1.9", -1.6),
        (f"<world name='w'><physics><gravity>0 0 -3.7</gravity></physics>{model}</world>", "1.5", -3.7),
    ):
        path = sdf(inside, version)
        assert read_sdf(path).gravity == (0.0, 0.0, expected)


def test_options_that_make_no_sense(sdf):
    path = sdf("<model name='m'><link name='a'/></model>")
    for options, words in (({"base": "sky"}, "base must be"), ({"collide": ""}, "collide must be")):
        with pytest.raises(InputError, match=words):
            gori.load(path, **options)


def test_errors_name_the_file_that_is_included(sdf, tmp_path):
    sdf("<model name='arm'>\n<link name='a'><pose>1</pose></link></model>", name="arm.sdf")
    with pytest.raises(FileError, match=r"arm\.sdf, line 3: <link> 'a': pose needs 6 numbers") as caught:
        gori.load(sdf("<model name='m'><include><uri>arm.sdf</uri></include></model>"))
    assert str(caught.value.file) == str(tmp_path / "arm.sdf")


def test_it_can_be_written_as_yaml_and_read_again(sdf, tmp_path):
    path = write("a world", tmp_path)
    spec = gori.load(path, packages=[tmp_path])
    gori.save(spec, tmp_path / "machine.yaml")
    assert gori.load(tmp_path / "machine.yaml") == spec


def test_no_file_is_read_without_its_folder(sdf, tmp_path):
    """What a file names in its paths may hold spaces."""
    sdf("<model name='arm'><link name='a'/></model>", name="my parts/the arm.sdf")
    with pytest.warns(FormatWarning, match="link 'the one' is called 'the_one'"):
        spec = gori.load(
            sdf("<model name='m'><link name='the one'/><include><uri>my parts/the arm.sdf</uri></include></model>")
        )
    assert [*spec.bodies] == ["the_one", "arm.a"]
