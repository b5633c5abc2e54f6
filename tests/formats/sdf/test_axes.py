"""Axes of joints: directions, limits, dynamics, mimic and pitch."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, FormatWarning
from gori.formats.sdf.axes import is_universal, side_by_side

TWO = """<model name='m'><link name='a'/><link name='b'><pose>{pose}</pose></link>
  <frame name='f'><pose>0 0 0 0 0.5 0</pose></frame>
  <joint name='j' type='{kind}'><parent>a</parent><child>b</child>{inside}</joint></model>"""


def joint(sdf, inside, kind="revolute", version="1.12", pose="0 0 0 0 0 0", name="j"):
    return gori.load(sdf(TWO.format(kind=kind, inside=inside, pose=pose), version)).joints[name]


def axis(inside, xyz="0 0 1", attribute="", tag="axis"):
    return f"<{tag}><xyz{attribute}>{xyz}</xyz>{inside}</{tag}>"


def test_an_axis_in_the_frame_of_the_joint_or_another(sdf):
    turned = {"pose": "0 0 0 0.3 0 0"}
    assert joint(sdf, axis("", "1 2 3"), **turned).axis == (1.0, 2.0, 3.0)
    X = gori.spec.base.rotation(tuple(np.degrees([0.3, 0.0, 0.0])), None)
    in_model = joint(sdf, axis("", "1 2 3", " expressed_in='__model__'"), **turned).axis
    assert np.allclose(in_model, X.T @ [1, 2, 3])
    F = gori.spec.base.rotation(tuple(np.degrees([0.0, 0.5, 0.0])), None)
    assert np.allclose(joint(sdf, axis("", "1 2 3", " expressed_in='f'"), **turned).axis, X.T @ F @ [1, 2, 3])


@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")
def test_older_versions_have_axes_in_the_model(sdf):
    turned = {"pose": "0 0 0 0.3 0 0"}
    in_model = joint(sdf, axis("", "0 1 0", " expressed_in='__model__'"), **turned).axis
    for inside, version, model in (
        ("", "1.4", True),
        ("", "1.5", False),
        ("<use_parent_model_frame>1</use_parent_model_frame>", "1.6", True),
        ("<use_parent_model_frame>0</use_parent_model_frame>", "1.6", False),
        ("<use_parent_model_frame>1</use_parent_model_frame>", "1.7", False),
    ):
        found = joint(sdf, axis(inside, "0 1 0"), version=version, **turned).axis
        assert np.allclose(found, in_model if model else (0.0, 1.0, 0.0)), (inside, version)


def test_the_convention_of_version_1_4_is_named_where_it_matters(sdf):
    with pytest.warns(FormatWarning, match=r"axes of joints are along the axes of their model, as in SDFormat 1\.4"):
        joint(sdf, axis(""), version="1.4", pose="0 0 0 0.3 0 0")
    assert gori.load(sdf(TWO.format(kind="revolute", inside=axis(""), pose="0 0 0 0 0 0"), "1.4"), strict=True)


@pytest.mark.parametrize(
    ("limit", "fields"),
    [
        ("<lower>-1</lower><upper>2</upper><effort>5</effort><velocity>6</velocity>",
         {"limits": (-1.0, 2.0), "effort_limit": 5.0, "velocity_limit": 6.0}),
        ("<lower>-1e16</lower><upper>1e16</upper><effort>-1</effort>", {"limits": None, "effort_limit": None}),
        ("<lower>-inf</lower><upper>inf</upper><effort>inf</effort>", {"limits": None, "effort_limit": None}),
        ("<lower>-1</lower>", {"limits": (-1.0, 1e16)}),
        ("<lower>0</lower><upper>1</upper><stiffness>9</stiffness><dissipation>2</dissipation>",
         {"limit_stiffness": 9.0, "limit_damping": 2.0}),
        ("<lower>0</lower><upper>1</upper><dissipation>2</dissipation>", {"limit_damping": None}),
    ],
)  # fmt: skip
def test_limits(sdf, limit, fields):
    found = joint(sdf, axis(f"<limit>{limit}</limit>"))
    assert {key: getattr(found, key) for key in fields} == fields
    assert joint(sdf, axis(f"<limit>{limit}</limit>"), kind="continuous").limits is None


def test_limits_and_friction_that_make_no_sense_are_noted(sdf):
    with pytest.warns(FormatWarning, match="the lower limit 2 is above the upper 1: it has none"):
        assert joint(sdf, axis("<limit><lower>2</lower><upper>1</upper></limit>")).limits is None
    with pytest.warns(FormatWarning, match="damping must not be negative, is -3: taken as 0"):
        assert joint(sdf, axis("<dynamics><damping>-3</damping></dynamics>")).damping == (0.0,)


def test_springs_dampers_and_friction(sdf):
    found = joint(sdf, axis("<dynamics><damping>1</damping><friction>2</friction><spring_stiffness>3</spring_stiffness>"
                            "<spring_reference>4</spring_reference></dynamics>"))  # fmt: skip
    assert (found.damping, found.friction, found.stiffness, found.rest) == ((1.0,), (2.0,), (3.0,), (4.0,))


def test_screws_by_their_old_and_their_new_pitch(sdf):
    """0.5 m per turn, right-handed, is 4 pi rad/m of a left-handed thread with a minus."""
    assert joint(sdf, axis("") + "<screw_thread_pitch>0.5</screw_thread_pitch>", "screw").pitch == 0.5
    with pytest.warns(FormatWarning, match="thread_pitch is in radians per metre of a left-handed thread"):
        assert np.isclose(joint(sdf, axis("") + f"<thread_pitch>{-4 * np.pi}</thread_pitch>", "screw").pitch, 0.5)
    with pytest.raises(FileError, match="thread_pitch must not be zero"):
        joint(sdf, axis("") + "<thread_pitch>0</thread_pitch>", "screw")


def test_a_mimic_follows_its_leader(sdf):
    """q = 3 (leader - 2) + 1."""
    path = sdf("""<model name='m'><link name='a'/><link name='b'/><link name='c'/>
      <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
      <joint name='k' type='prismatic'><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz>
      <mimic joint='j' axis='axis'><multiplier>3</multiplier><offset>1</offset><reference>2</reference></mimic>
      </axis></joint></model>""", "1.11")  # fmt: skip
    mimic = gori.load(path).joints["k"].mimic
    assert (mimic.joint, mimic.ratio, mimic.offset) == ("j", 3.0, -5.0)
    path.write_text(path.read_text().replace("joint='j'", "joint='a'"))
    with pytest.raises(FileError, match="mimics 'a', which is not a joint"):
        gori.load(path)
    path.write_text(path.read_text().replace("joint='a'", "joint='j'").replace("axis='axis'", "axis='axis2'"))
    with pytest.warns(FormatWarning, match="mimic of a joint of several axes: k"):
        assert gori.load(path).joints["k"].mimic is None


def test_what_acts_in_a_ball(sdf):
    inside = axis("<dynamics><damping>0.5</damping></dynamics><limit><lower>-1</lower><upper>1</upper></limit>")
    with pytest.warns(FormatWarning, match="limits of a ball joint: j"):
        assert joint(sdf, inside, "ball").damping == (0.5,)
    assert joint(sdf, "", "ball").damping == (0.0,)


def test_axes_that_make_no_sense(sdf):
    for inside, words in (("", "has no <axis>"), (axis("", "0 0 0"), "<axis> is the zero vector")):
        with pytest.raises(FileError, match=words):
            joint(sdf, inside)
    with pytest.raises(FileError, match="has no <axis2>"):
        joint(sdf, axis(""), "universal")


def test_two_axes_are_one_universal_joint_or_two_joints():
    assert is_universal([[0, 0, 2], [1, 0, 0]], [{"damping": 1.0}, {}])
    assert not is_universal([[0, 0, 1], [1, 0, 0.1]], [{}, {}])
    for key in ("limits", "effort_limit", "mimic"):
        assert not is_universal([[0, 0, 1], [1, 0, 0]], [{}, {key: 1}])
    assert side_by_side({"damping": 1.0}, {"friction": 2.0}) == {"damping": [1.0, 0.0], "friction": [0.0, 2.0]}
