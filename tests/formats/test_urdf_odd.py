"""Odd URDF files: each is read with a note that says what was assumed, and refused by a strict reader."""

import warnings

import numpy as np
import pytest

pytest.importorskip("lxml")

import gori
from gori.errors import FileError
from gori.formats import urdf_odd
from tests.formats.test_urdf import ARM, AXIS, JOINT_K, LIMIT, LINK_C, arm

LEFT, RIGHT = ARM.split("\n", 1)
ODD = {
    "version": (ARM.replace('version="1.0"', 'version="0.0"'), 1, "a version of XML that does not exist"),
    "comment before": ("<!-- made by hand -->\n" + ARM, 1, "has a comment before the document"),
    "text before": ("robot:\n" + ARM, 1, "has text before the document"),
    "text behind": (ARM + "the end\n", 22, "has text behind the document"),
    "zeros": (ARM + "\0\0\0", 23, "holds zeros"),
    "name with space": (arm(extra='  <link name="c d"/>\n' + JOINT_K.format("b", "c d", "")), 22, "called 'c_d' here"),
    "ground": (arm(('link name="a"', 'link name="ground"'), ('t link="a"', 't link="ground"')), 3, "'ground_link'"),
    "two axes": (arm((AXIS, AXIS + '<axis xyz="1 0 0"/>')), 18, "more than one <axis>: the first one counts"),
    "two inertials": (arm(("</inertial>", "</inertial><inertial/>")), 9, "than one <inertial>: the first one counts"),
    "two origins": (arm((AXIS, AXIS + '<origin xyz="0 0 9"/>')), 18, "more than one <origin>: the first one counts"),
    "limits swapped": (arm((LIMIT, 'lower="1" upper="-1"')), 19, "the lower limit 1 is above the upper -1"),
    "one infinite limit": (arm((LIMIT, 'lower="-inf" upper="1"')), 19, "only one of its limits is infinite"),
    "negative effort": (arm((LIMIT, 'lower="-1" upper="1" effort="-1"')), 19, "effort must not be negative"),
    "negative friction": (arm(('friction="0.2"', 'friction="-1"')), 20, "friction must not be negative"),
    "unknown mimic": (arm((AXIS, AXIS + '<mimic joint="jj"/>')), 18, "'jj', which is not a joint; did you mean 'j'?"),
    "unknown shape": (arm(("<sphere", "<cone")), 11, "<cone> is not one of box, cylinder"),
    "several roots": (arm(extra=LINK_C), 22, "has several root links ('a', 'c')"),
}  # fmt: skip


def read(tmp_path, text, **options):
    (tmp_path / "robot.urdf").write_bytes(text.encode())
    return gori.load(tmp_path / "robot.urdf", **options)


@pytest.mark.parametrize("text, line, words", ODD.values(), ids=ODD)
def test_odd_files_are_read_with_a_note(tmp_path, text, line, words):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spec = read(tmp_path, text)
    assert len(caught) == 1 and words in str(caught[0].message) and f"line {line}: " in str(caught[0].message)
    with pytest.raises(FileError, match=f"line {line}: ") as refused:
        read(tmp_path, text, strict=True)
    assert words in str(refused.value)

    # the robot is the one without the oddity
    model, plain = gori.compile(spec), gori.compile(read(tmp_path, ARM))
    q = np.zeros(model.nq)
    np.testing.assert_allclose(model.mass_matrix(q)[0, 0], plain.mass_matrix(plain.q0)[0, 0], rtol=1e-14)
    assert spec.joints["j"].axis == (0.0, 0.0, 1.0) and spec.bodies["b"].mass == 2.0


def test_what_was_assumed(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in ("limits swapped", "one infinite limit"):
            assert read(tmp_path, ODD[case][0]).joints["j"].limits is None
        assert read(tmp_path, ODD["negative friction"][0]).joints["j"].friction == (0.0,)
        assert read(tmp_path, ODD["unknown mimic"][0]).joints["j"].mimic is None
        assert not read(tmp_path, ODD["unknown shape"][0]).bodies["b"].shapes
        spec = read(tmp_path, ODD["several roots"][0], base="free")
    assert {name: joint.child for name, joint in spec.joints.items() if joint.type == "free"} == {
        "base": "a",
        "base_1": "c",
    }


def test_spherical_joints(tmp_path):
    text = ARM.replace('type="revolute"', 'type="spherical"').replace(f"    {AXIS}\n    <limit {LIMIT}/>\n", "")
    with pytest.warns(UserWarning, match="not one of URDF's own"):
        spec = read(tmp_path, text)
    assert spec.joints["j"].type == "spherical"
    assert gori.compile(spec).nv == 3


def test_a_name_that_is_taken(tmp_path):
    links = '  <link name="c d"/>\n  <link name="c_d"/>\n'
    joints = JOINT_K.format("b", "c d", "") + JOINT_K.format("b", "c_d", "").replace('"k"', '"m"')
    with pytest.warns(UserWarning, match="is called 'c_d_2' here"):
        assert {"c_d", "c_d_2"} <= set(read(tmp_path, arm(extra=links + joints)).bodies)


def test_other_encodings(tmp_path):
    (tmp_path / "robot.urdf").write_bytes(ARM.replace('"1.0"?', '"1.0" encoding="utf-16"?').encode("utf-16"))
    assert set(gori.load(tmp_path / "robot.urdf").bodies) == {"a", "b"}
    assert urdf_odd.clean(b"\xef\xbb\xbf<robot/>", lambda line, words: pytest.fail(words)) == b"<robot/>"
