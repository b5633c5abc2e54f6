"""URDF: all joint types and shapes, malformed files, real robots, and Pinocchio's parser as the oracle."""

import importlib.util
import math
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError, MissingPackageError, SpecWarning
from gori.formats import load, read_urdf, read_yaml, write_yaml
from gori.spec import Spec
from gori.spec.body import combine

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="a"/>
  <link name="b">
    <inertial>
      <origin xyz="0 0 1" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision><geometry>
      <sphere radius="1"/>
    </geometry></collision>
  </link>
  <joint name="j" type="revolute">
    <parent link="a"/>
    <child link="b"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
</robot>
"""
LINK_C = '  <link name="c"/>\n'
JOINT_K = '  <joint name="k" type="revolute"><parent link="{}"/><child link="{}"/>{}</joint>\n'
JOINT_M = JOINT_K.replace('"k"', '"m"')


def arm(*changes: tuple[str, str], extra: str = "") -> str:
    text = ARM
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text.replace("</robot>", extra + "</robot>")


AXIS, LIMIT = '<axis xyz="0 0 1"/>', 'lower="-1" upper="1" velocity="2" effort="3"'
MALFORMED = {
    "empty": ("", 1, "not valid XML"),
    "truncated": (ARM[: ARM.index("<limit")], 19, "not valid XML"),
    "text": ("gori: 1\n", 1, "not valid XML"),
    "entity": ('<!DOCTYPE r [<!ENTITY x "y">]>\n' + ARM[22:], 1, "DOCTYPE"),
    "undeclared prefix": (arm(extra="<xacro:arm/>\n"), 22, "run xacro on it first"),
    "xacro": ('<robot xmlns:xacro="http://ros.org/xacro">\n<xacro:arm/>\n</robot>', 2, "run xacro on it first"),
    "xacro value": (arm(('value="2"', 'value="${m}"')), 7, "'${m}', which is not a number: run xacro"),
    "other root": ('<sdf version="1.6"/>', 1, "the root element is <sdf>, not <robot>"),
    "no links": ('<robot name="r"/>', 1, "has no links"),
    "link without name": (arm(extra="  <link/>\n"), 22, "a <link> has no name"),
    "duplicate link": (arm(extra='  <link name="a"/>\n'), 22, "link 'a' is given twice, first in line 3"),
    "duplicate joint": (arm(extra=LINK_C + JOINT_K.replace('"k"', '"j"')), 23, "joint 'j' is given twice"),
    "joint without type": (arm((' type="revolute"', "")), 14, "joint 'j' has no type"),
    "unknown type": (arm(('"revolute"', '"revolut"')), 14, "type 'revolut' is not one of"),
    "no parent": (arm(('    <parent link="a"/>\n', "")), 14, "joint 'j' has no parent link"),
    "child without link": (arm(('<child link="b"/>', "<child/>")), 16, "joint 'j' has no child link"),
    "unknown parent": (arm(('<parent link="a"/>', '<parent link="aa"/>')), 15, "parent 'aa' is not a link; did you"),
    "short xyz": (arm((AXIS, '<axis xyz="0 1"/>')), 18, "xyz needs 3 numbers, and '0 1' has 2"),
    "commas": (arm((AXIS, '<axis xyz="0,0,1"/>')), 18, "'0,0,1', which is not a number"),
    "zero axis": (arm((AXIS, '<axis xyz="0 0 0"/>')), 18, "axis is the zero vector"),
    "NaN in origin": (arm(('rpy="0 0 0"/>\n    <axis', 'rpy="0 nan 0"/>\n    <axis')), 17, "must be finite"),
    "negative mass": (arm(('value="2"', 'value="-2"')), 7, "value must not be negative, is -2"),
    "no mass": (arm(('      <mass value="2"/>\n', "")), 5, "does not give a mass"),
    "word in inertia": (arm(('ixx="1"', 'ixx="one"')), 8, "ixx is 'one', which is not a number"),
    "no ixx": (arm(('ixx="1" ', "")), 8, "<inertia> does not give ixx"),
    "damping": (arm(('damping="0.1"', 'damping="low"')), 20, "damping is 'low', which is not a number"),
    "two parents": (arm(extra=LINK_C + JOINT_K.format("a", "c", "") + JOINT_M.format("b", "c", "")), 24,
                    "joints 'k' and 'm' both carry link 'c': that closes a loop"),
    "cycle": (arm(extra=JOINT_K.format("b", "a", "")), 22, "the links a <- b <- a form a cycle"),
    "own child": (arm(extra=LINK_C + JOINT_K.format("c", "c", "")), 23, "c <- c form a cycle"),
    "mimics itself": (arm((AXIS, '<mimic joint="j"/>')), 18, "both must be joints of one degree of freedom"),
    "mimic number": (arm(extra=LINK_C + JOINT_K.format("b", "c", '<mimic joint="j" offset="x"/>')), 23, "is 'x'"),
    "mimic ring": (arm((AXIS, '<mimic joint="k"/>'), extra=LINK_C + JOINT_K.format("b", "c", '<mimic joint="j"/>')), 14,
                   "mimic each other in a cycle"),
    "no geometry": (arm(('<link name="a"/>', '<link name="a"><visual/></link>')), 3, "needs a <geometry> with one"),
    "no radius": (arm(('radius="1"', "")), 11, "<sphere> does not give radius"),
    "negative radius": (arm(('radius="1"', 'radius="-1"')), 11, "must not be negative"),
}  # fmt: skip


@pytest.mark.parametrize("text, line, words", MALFORMED.values(), ids=MALFORMED)
def test_malformed_file_is_refused_with_its_line(tmp_path, text, line, words):
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    with pytest.raises(FileError) as caught:
        read_urdf(file)
    assert words in str(caught.value)
    assert str(file) in str(caught.value)
    assert caught.value.line == line


def read(tmp_path, text, **options) -> Spec:
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    return read_urdf(file, **options)


def test_arm(tmp_path):
    spec = read(tmp_path, ARM)
    joint, body = spec.joints["j"], spec.bodies["b"]
    assert (joint.type, joint.parent, joint.child) == ("revolute", "a", "b")
    assert (joint.at, joint.quat, joint.axis) == ((0.0, 0.0, 1.0), None, (0.0, 0.0, 1.0))
    assert (joint.limits, joint.velocity_limit, joint.effort_limit) == ((-1.0, 1.0), 2.0, 3.0)
    assert (joint.damping, joint.friction) == ((0.1,), (0.2,))
    assert (body.mass, body.com, body.inertia) == (2.0, (0.0, 0.0, 1.0), (1.0, 1.0, 1.0))
    assert body.inertial()[0] == 2.0
    assert body.shapes["collision_0"].radius == 1.0
    assert spec.bodies["a"].mass is None
    assert spec.gravity == (0.0, 0.0, -9.81)
    assert read_yaml(None, write_yaml(spec)) == spec


@pytest.mark.parametrize("base, kind", [("fixed", "fixed"), ("free", "free")])
def test_base_gets_a_joint_with_a_name_of_its_own(tmp_path, base, kind):
    spec = read(tmp_path, arm(('name="j"', 'name="base"')), base=base)
    assert list(spec.joints) == ["base_1", "base"]
    assert (spec.joints["base_1"].type, spec.joints["base_1"].parent, spec.joints["base_1"].child) == (
        kind,
        "ground",
        "a",
    )


@pytest.mark.parametrize(
    "kind, ours, axis",
    [
        ("fixed", "fixed", None),
        ("revolute", "revolute", (1.0, 0.0, 0.0)),
        ("continuous", "revolute", (1.0, 0.0, 0.0)),
        ("prismatic", "prismatic", (1.0, 0.0, 0.0)),
        ("planar", "planar", (1.0, 0.0, 0.0)),
        ("floating", "free", None),
    ],
)
def test_joint_types(tmp_path, kind, ours, axis):
    joint = read(tmp_path, arm(('"revolute"', f'"{kind}"'), (f"    {AXIS}\n", ""))).joints["j"]
    assert joint.type == ours
    assert joint.axis == axis or "axis" not in joint.model_fields_set
    assert joint.limits == ((-1.0, 1.0) if kind in ("revolute", "prismatic") else None)
    assert joint.effort_limit == (None if kind == "fixed" else 3.0)
    assert joint.damping == ((0.0,) if kind == "fixed" else (0.1,))


@pytest.mark.parametrize(
    "limit, expected",
    [
        ("", (None, None)),
        ('<limit effort="1" velocity="inf"/>', (None, None)),
        ('<limit lower="-inf" upper="inf" velocity="4"/>', (None, 4.0)),
        ('<limit upper="1" velocity="4"/>', ((0.0, 1.0), 4.0)),
    ],
)
def test_limits_that_are_not_all_given(tmp_path, limit, expected):
    joint = read(tmp_path, arm((f"<limit {LIMIT}/>", limit))).joints["j"]
    assert (joint.limits, joint.velocity_limit) == expected


def test_mimic(tmp_path):
    mimic = '<mimic joint="j" multiplier="-2" offset="0.5"/>'
    spec = read(tmp_path, arm(extra=LINK_C + JOINT_K.format("b", "c", mimic)))
    assert spec.joints["k"].mimic.model_dump() == {"joint": "j", "ratio": -2.0, "offset": 0.5}
    fixed = JOINT_K.format("b", "c", mimic).replace("revolute", "fixed")
    with pytest.warns(SpecWarning, match="joint 'k' is fixed: its <mimic> is ignored"):
        assert read(tmp_path, arm(extra=LINK_C + fixed)).joints["k"].mimic is None


def test_rotations(tmp_path):
    quarter = repr(math.pi / 2)
    text = arm(
        ('rpy="0 0 0"/>\n    <axis', f'rpy="0 0 {quarter}"/>\n    <axis'),
        ('rpy="0 0 0"/>\n      <mass', f'rpy="{quarter} 0 0"/>\n      <mass'),
        ('ixx="1" iyy="1" izz="1"', 'ixx="1" iyy="2" izz="2.5"'),
    )
    spec = read(tmp_path, text)
    np.testing.assert_allclose(spec.joints["j"].quat, [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], atol=1e-15)
    np.testing.assert_allclose(spec.bodies["b"].inertial()[2], np.diag([1, 2.5, 2]), atol=1e-15)
    assert read_yaml(None, write_yaml(spec)) == spec


def test_shapes(tmp_path):
    (tmp_path / "pkg" / "urdf").mkdir(parents=True)
    (tmp_path / "pkg" / "hull.stl").write_text("solid")
    quarter = repr(math.pi / 2)
    text = f"""<robot name="r"><link name="a">
      <visual><geometry><sphere radius="broken, and left out"/></geometry></visual>
      <collision><geometry><cylinder radius="0.1" length="2"/></geometry>
        <origin xyz="1 0 0" rpy="0 {quarter} 0"/></collision>
      <collision><geometry><!-- a pill --><capsule radius="0.1" length="2"/></geometry></collision>
      <collision><geometry><box size="1 2 3"/></geometry></collision>
      <collision><geometry><mesh filename="package://pkg/hull.stl" scale="2 2 2"/></geometry></collision>
      <collision><origin xyz="0 0 5"/><geometry><sphere radius="0.3"/></geometry></collision>
    </link></robot>"""
    file = tmp_path / "pkg" / "urdf" / "robot.urdf"
    file.write_text(text)
    with pytest.warns(SpecWarning, match="line 2: link 'a', visual_0: radius is 'broken"):
        shapes = load(file).bodies["a"].shapes
    assert list(shapes) == ["collision_0", "collision_1", "collision_2", "collision_4"]
    rod, pill, brick, ball = shapes.values()
    assert (rod.type, pill.type, brick.type, ball.type) == ("cylinder", "capsule", "box", "sphere")
    np.testing.assert_allclose(rod.at, (0, 0, 0), atol=1e-15)
    solid = rod.model_copy(update={"mass": 1.0})
    np.testing.assert_allclose(solid.inertial()[1], (1, 0, 0), atol=1e-15)
    assert (pill.at, pill.axis, pill.length) == ((0.0, 0.0, -1.0), (0.0, 0.0, 1.0), 2.0)
    assert brick.size == (1.0, 2.0, 3.0)
    assert ball.at == (0.0, 0.0, 5.0)
    with pytest.warns(SpecWarning, match="left out"):
        mesh = load(file, meshes=True).bodies["a"].shapes["collision_3"]
    assert (mesh.file, mesh.scale) == (str(tmp_path / "pkg" / "hull.stl"), (2.0, 2.0, 2.0))
    (tmp_path / "pkg" / "hull.stl").unlink()
    with pytest.warns(SpecWarning, match=r"line 7: the mesh 'package://pkg/hull\.stl' does not exist"):
        assert "collision_3" not in load(file, meshes=True).bodies["a"].shapes


def test_visual_shapes_serve_where_there_are_no_others(tmp_path):
    spec = read(tmp_path, arm(("<collision>", "<visual>"), ("</collision>", "</visual>")))
    assert list(spec.bodies["b"].shapes) == ["visual_0"]


def test_visual_shapes_are_drawn_and_nothing_else(tmp_path):
    visual = """<visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry><material name="orange"/></visual>
    <visual><geometry><sphere radius="2"/></geometry></visual></link>
    <material name="orange"><color rgba="1 0.5 0 1"/></material>
  <joint"""
    text = arm().replace("</link>\n  <joint", visual, 1)
    bare, spec = read(tmp_path, arm()), read(tmp_path, text)
    shapes = spec.bodies["b"].shapes
    assert list(shapes) == ["collision_0", "visual_0", "visual_1"]
    assert [shape.visual for shape in shapes.values()] == [False, True, True]
    assert (shapes["visual_0"].colour, shapes["visual_0"].at) == ("#ff8000", (0.0, 0.0, 1.0))
    assert list(spec.bodies["b"].drawn) == ["visual_0", "visual_1"]
    assert read_yaml(None, write_yaml(spec)) == spec
    # masses, inertias and motion are those of the robot without them
    one, two = gori.compile(bare), gori.compile(spec)
    assert one.fingerprint == two.fingerprint and one.mass == two.mass
    q, v = np.array([0.3]), np.array([2.0])
    np.testing.assert_array_equal(one.forward_dynamics(q, v, v), two.forward_dynamics(q, v, v))
    touching = read_urdf(tmp_path / "robot.urdf", collide="rubber").bodies["b"].shapes
    assert [shape.collide for shape in touching.values()] == [True, False, False]


def test_shape_without_volume_is_left_out(tmp_path):
    with pytest.warns(SpecWarning, match=r"line 11: link 'b', collision_0: this sphere has no volume"):
        assert read(tmp_path, arm(('radius="1"', 'radius="0"'))).bodies["b"].shapes == {}


@pytest.mark.parametrize(
    "change, words",
    [
        (('izz="1"', 'izz="3"'), "triangle inequality"),
        (('izz="1"', 'izz="-1"'), "not positive definite"),
        (('value="2"', 'value="0"'), "inertia without mass"),
    ],
)
def test_impossible_inertia_is_warned_of_or_refused(tmp_path, change, words):
    with pytest.warns(SpecWarning, match=f"line 4: link 'b': .*{words}"):
        spec = read(tmp_path, arm(change))
    assert spec.bodies["b"].unphysical
    assert not spec.bodies["a"].unphysical
    assert read_yaml(None, write_yaml(spec)) == spec
    with pytest.raises(FileError, match=words) as caught:
        read(tmp_path, arm(change), strict=True)
    assert caught.value.line == 4


def test_warnings_point_to_the_caller(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(arm(('izz="1"', 'izz="3"')).replace('radius="1"', 'radius="0"'))
    for reader in (load, read_urdf):
        with pytest.warns(SpecWarning) as caught:
            reader(file)
        assert [warning.filename for warning in caught] == [__file__] * 2


def test_import_is_light():
    """Reading descriptions needs neither scipy nor what parses URDF and meshes."""
    code = (
        "import sys, gori.formats; print(*{'scipy', 'lxml', 'yourdfpy', 'trimesh', 'numba'}.intersection(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_mirrored_mesh(tmp_path):
    (tmp_path / "hull.stl").touch()
    mesh = '<mesh filename="hull.stl" scale="1 -1 1"/>'
    spec = read(tmp_path, arm(('<sphere radius="1"/>', mesh)), meshes=True)
    assert spec.bodies["b"].shapes["collision_0"].scale == (1.0, -1.0, 1.0)
    with pytest.raises(FileError, match=r"links\.b\.shapes\.collision_0\.scale: must not contain a zero"):
        read(tmp_path, arm(('<sphere radius="1"/>', mesh.replace("-1", "0"))), meshes=True)


def test_mass_without_inertia_is_a_point(tmp_path):
    inertia = '      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>\n'
    with pytest.warns(SpecWarning, match="treated as a point mass"):
        body = read(tmp_path, arm((inertia, ""))).bodies["b"]
    assert (body.mass, body.inertia) == (2.0, None)


def test_options_and_packages(tmp_path, monkeypatch):
    file = tmp_path / "robot.urdf"
    file.write_text(ARM)
    with pytest.raises(InputError, match="base must be 'fixed' or 'free', not 'float'"):
        load(file, base="float")
    with pytest.raises(InputError, match="take no option mesh; known: base, meshes, strict"):
        load(file, mesh=True)
    with pytest.raises(FileError, match="there is no such file"):
        load(tmp_path / "none.urdf")
    for package in ("yourdfpy", "lxml"):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, package, None)
            with pytest.raises(MissingPackageError, match=r"pip install 'gori\[formats\]'"):
                load(file)


def robots() -> list[Path]:
    found = importlib.util.find_spec("cmeel")
    site = Path(found.origin).parents[1] if found and found.origin else Path(__file__).parent
    return sorted((site / "cmeel.prefix/share/example-robot-data/robots").glob("**/*.urdf"))


REFUSED = {
    "falcon.urdf": "child 'Z_propeller' is not a link",
    "ur3.urdf": "has no links",
}


@pytest.mark.skipif(not robots(), reason="example-robot-data is not installed")
def test_real_robots_load_and_survive_yaml():
    loaded, refused = 0, {}
    for file in robots():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpecWarning)
            try:
                spec = read_urdf(file, base="free")
            except FileError as error:
                refused[file.name] = error.reason
                continue
        assert read_yaml(None, write_yaml(spec)) == spec
        loaded += 1
    for name, reason in refused.items():
        print(f"refused: {name}: {reason}")
    assert refused.keys() == REFUSED.keys()
    assert all(REFUSED[name] in reason for name, reason in refused.items())
    assert loaded == len(robots()) - len(REFUSED) > 50


ORACLE = ("panda.urdf", "ur5_robot.urdf", "talos_full_v2.urdf", "solo12.urdf", "icub.urdf", "baxter.urdf")


@pytest.mark.parametrize("file", [file for file in robots() if file.name in ORACLE], ids=lambda file: file.name)
def test_poses_and_inertia_agree_with_pinocchio(file):
    """All links in the start position, and the inertia of the whole robot about its centre of mass."""
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.zeros(model.nq))
    pin.ccrba(model, data, np.zeros(model.nq), np.zeros(model.nv))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        spec = read_urdf(file)

    carrier = {joint.child: joint for joint in spec.joints.values()}
    poses = {"ground": (np.eye(3), np.zeros(3))}

    def pose(body):
        if body not in poses:
            (R, p), (Rj, pj) = pose(carrier[body].parent), carrier[body].pose()
            poses[body] = R @ Rj, p + R @ pj
        return poses[body]

    parts = []
    for name, body in spec.bodies.items():
        R, p = pose(name)
        frame = data.oMf[model.getFrameId(name, pin.FrameType.BODY)]
        np.testing.assert_allclose(R, frame.rotation, atol=1e-12)
        np.testing.assert_allclose(p, frame.translation, atol=1e-12)
        mass, com, inertia = body.inertial()
        if carrier[name].parent != "ground" and not _held(spec, carrier, name):
            parts.append((mass, p + R @ com, R @ inertia @ R.T))
    mass, com, inertia = combine(parts)
    np.testing.assert_allclose(mass, data.Ig.mass, rtol=1e-12)
    np.testing.assert_allclose(com, data.com[0], atol=1e-12)
    np.testing.assert_allclose(inertia, data.Ig.inertia, atol=1e-10)


def _held(spec, carrier, body) -> bool:
    """Whether only fixed joints lie between a body and the ground; Pinocchio counts such bodies as ground."""
    while body != "ground":
        if carrier[body].type != "fixed":
            return False
        body = carrier[body].parent
    return True


def test_collision_shapes_collide_where_asked(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "part.stl")
    text = """<robot name="r">
    <link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>
    <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision>
      <collision><geometry><mesh filename="part.stl"/></geometry></collision></link>
    <link name="c"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
      <limit lower="0" upper="1" effort="1" velocity="1"/>
    </joint>
    <joint name="k" type="floating"><parent link="a"/><child link="c"/></joint></robot>"""
    file = tmp_path / "r.urdf"
    file.write_text(text)
    plain = load(file)
    assert not any(shape.collide for body in plain.bodies.values() for shape in body.shapes.values())
    assert list(plain.bodies["b"].shapes) == ["collision_0"] and not plain.materials
    spec = load(file, collide="rubber")
    shapes = {f"{b}.{s}": shape for b, body in spec.bodies.items() for s, shape in body.shapes.items()}
    assert {name for name, shape in shapes.items() if shape.collide} == {
        "b.collision_0", "b.collision_1", "c.collision_0"
    }  # fmt: skip
    assert shapes["b.collision_1"].type == "mesh" and shapes["a.visual_0"].material is None
    assert spec.contacts["rubber/rubber"].friction == 0.5
    with pytest.raises(InputError, match="name of a material"):
        load(file, collide=True)
