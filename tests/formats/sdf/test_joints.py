"""Joints of all types, beside Specs that are written by hand, and what carries models."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, FormatWarning
from gori.formats.sdf.joints import carriers, joints
from gori.spec.base import rotation

LINK = """<link name='{name}'><pose>{pose}</pose><inertial><pose>0.1 0.2 -0.1 0 0 0</pose><mass>2</mass>
  <inertia><ixx>0.3</ixx><iyy>0.4</iyy><izz>0.5</izz><ixy>0.02</ixy></inertia></inertial></link>"""
BODY = {"mass": 2.0, "com": (0.1, 0.2, -0.1), "inertia": (0.3, 0.4, 0.5, 0.02, 0.0, 0.0)}
AXIS = "<axis><xyz>0 0 1</xyz></axis>"


def machine(sdf, kind, inside="", version="1.12"):
    """Two links; the first one hangs at a hinge, the second at a joint 0.2 m off its origin."""
    links = LINK.format(name="a", pose="0 0 0 0 0 0") + LINK.format(name="b", pose="1 0 0.5 0 0 0.3")
    joint = (
        f"<joint name='j' type='{kind}'><parent>a</parent><child>b</child><pose>0 0.2 0 0 0 0</pose>{inside}</joint>"
    )
    tilted = AXIS.replace("0 0 1", "1 0 0")
    base = f"<joint name='base' type='revolute'><parent>world</parent><child>a</child>{tilted}</joint>"
    return gori.load(sdf(f"<model name='m'>{links}{base}{joint}</model>", version))


def twin(moving):
    bodies = {"a": BODY, "b": BODY} | {joint["child"]: {} for joint in moving.values() if joint["child"] not in "ab"}
    base = {"type": "revolute", "parent": "ground", "child": "a", "axis": (1.0, 0.0, 0.0)}
    return gori.Spec(bodies=bodies, joints={"base": base} | moving)


TURN = rotation((0.0, 0.0, np.degrees(0.3)), None)
ENDS = {"parent": "a", "child": "b"}
ON_A = {"at": tuple(np.array([1.0, 0.0, 0.5]) + TURN @ [0.0, 0.2, 0.0]), "rpy_deg": (0.0, 0.0, np.degrees(0.3))}
ON_B = {"child_at": (0.0, 0.2, 0.0)}
TILTED = AXIS.replace("0 0 1", "0 1 2")
BOTH = TILTED + "<axis2><xyz>1 0 0</xyz></axis2>"
LIMITED = BOTH.replace("</axis2>", "<limit><lower>-1</lower><upper>1</upper></limit></axis2>")
TWINS = {
    "revolute": (TILTED, {"j": {"type": "revolute", "axis": (0.0, 1.0, 2.0)} | ENDS | ON_A | ON_B}),
    "continuous": (TILTED, {"j": {"type": "revolute", "axis": (0.0, 1.0, 2.0)} | ENDS | ON_A | ON_B}),
    "prismatic": (TILTED, {"j": {"type": "prismatic", "axis": (0.0, 1.0, 2.0)} | ENDS | ON_A | ON_B}),
    "screw": (
        TILTED + "<screw_thread_pitch>0.4</screw_thread_pitch>",
        {"j": {"type": "helical", "axis": (0.0, 1.0, 2.0), "pitch": 0.4} | ENDS | ON_A | ON_B},
    ),
    "ball": ("", {"j": {"type": "spherical"} | ENDS | ON_A | ON_B}),
    "fixed": ("", {"j": {"type": "fixed"} | ENDS | ON_A | ON_B}),
    "universal": (
        BOTH,
        {"j": {"type": "universal", "axis": (0.0, 1.0, 2.0), "axis2": (1.0, 0.0, 0.0)} | ENDS | ON_A | ON_B},
    ),
    "revolute2": (
        BOTH,
        {
            "j.0": {"type": "revolute", "axis": (0.0, 1.0, 2.0), "parent": "a", "child": "b.j"} | ON_A,
            "j.1": {"type": "revolute", "axis": (1.0, 0.0, 0.0), "parent": "b.j", "child": "b"} | ON_B,
        },
    ),
}


@pytest.mark.parametrize("kind", TWINS)
def test_dynamics_are_those_of_the_same_machine_written_by_hand(sdf, kind):
    inside, moving = TWINS[kind]
    ours, by_hand = gori.compile(machine(sdf, kind, inside)), gori.compile(twin(moving))
    assert ours.joint_names == by_hand.joint_names and ours.body_names == by_hand.body_names
    rng = np.random.default_rng(1)
    for q in by_hand.random(1, 3):
        v, tau = rng.normal(size=(2, by_hand.nv))
        M = by_hand.mass_matrix(q)
        assert np.abs(ours.mass_matrix(q) - M).max() < 1e-13 * np.abs(M).max()
        assert np.allclose(ours.bias(q, v), by_hand.bias(q, v), rtol=0, atol=1e-12)
        assert np.allclose(ours.forward_dynamics(q, v, tau), by_hand.forward_dynamics(q, v, tau), rtol=1e-11)
        assert np.allclose(ours.forward_kinematics(q)["b"], by_hand.forward_kinematics(q)["b"], atol=1e-14)


def test_a_moving_joint_of_a_world(sdf):
    """From one model to another, and from the world."""
    models = "".join(f"<model name='m{name}'>{LINK.format(name=name, pose=pose)}</model>" for name, pose in
                     (("a", "0 0 0 0 0 0"), ("b", "1 0 0.5 0 0 0.3")))  # fmt: skip
    tilted = AXIS.replace("0 0 1", "1 0 0")
    base = f"<joint name='base' type='revolute'><parent>world</parent><child>ma::a</child>{tilted}</joint>"
    ends = "<parent>ma</parent><child>mb::b</child><pose>0 0.2 0 0 0 0</pose>"
    joint = f"<joint name='j' type='prismatic'>{ends}{TILTED}</joint>"
    ours = gori.compile(gori.load(sdf(f"<world name='w'><gravity>0 0 -9.81</gravity>{models}{base}{joint}</world>")))
    by_hand = gori.compile(twin(TWINS["prismatic"][1]))
    assert ours.joint_names == by_hand.joint_names == ("base", "j") and ours.body_names == ("ma.a", "mb.b")
    q, v = np.array([[0.3, 0.4], [0.5, 0.6]])
    assert np.allclose(ours.mass_matrix(q), by_hand.mass_matrix(q), rtol=0, atol=1e-13)
    assert np.allclose(ours.bias(q, v), by_hand.bias(q, v), rtol=0, atol=1e-12)


def test_a_universal_joint_with_limits_is_two_hinges(sdf):
    spec = machine(sdf, "universal", LIMITED)
    assert [*spec.joints] == ["base", "j.0", "j.1"] and spec.joints["j.1"].limits == (-1.0, 1.0)
    skew = machine(sdf, "universal", BOTH.replace("1 0 0", "1 0 0.5"))
    assert [*skew.joints] == ["base", "j.0", "j.1"] and skew.bodies["b.j"].mass is None


def test_a_planar_joint_of_drake(sdf):
    """It brings the frame of the child to that of the parent."""
    joint = """<drake:joint name='j' type='planar'><drake:parent>f</drake:parent><drake:child>b</drake:child>
      <drake:damping>1 2 3</drake:damping></drake:joint>"""
    frame = "<frame name='f' attached_to='a'><pose>0 0 0.5 0 0 0</pose></frame>"
    spec = gori.load(sdf(f"<model name='m'><link name='a'/><link name='b'/>{frame}{joint}</model>"))
    found = spec.joints["j"]
    assert (found.type, found.at, found.child_at, found.damping) == (
        "planar",
        (0.0, 0.0, 0.5),
        (0.0,) * 3,
        (1.0, 2.0, 3.0),
    )


def test_a_pendulum_has_the_inertia_and_the_torque_of_the_book(sdf):
    """2 kg at 1.5 m below a hinge: I + m l2, and m g l sin q."""
    path = sdf("""<model name='m'><link name='rod'><inertial><pose>0 0 -1.5 0 0 0</pose><mass>2</mass>
      <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.3</izz></inertia></inertial></link>
      <joint name='hinge' type='revolute'><parent>world</parent><child>rod</child><axis><xyz>0 1 0</xyz></axis></joint>
      </model>""")
    model = gori.compile(gori.load(path))
    assert np.isclose(model.mass_matrix(np.array([0.7]))[0, 0], 0.2 + 2.0 * 1.5**2, rtol=1e-14)
    assert np.isclose(model.gravity_force(np.array([0.7]))[0], 2.0 * 9.81 * 1.5 * np.sin(0.7), rtol=1e-14)


def test_what_carries_models(sdf):
    links = "<link name='a'><pose>1 0 0 0 0 0</pose></link><link name='b'/><link name='c'/>"
    joint = f"<joint name='j' type='revolute'><parent>b</parent><child>a</child>{AXIS}</joint>"
    text = f"<model name='m'><pose>0 0 2 0 0 0</pose>{links}{joint}</model>"
    spec = gori.load(sdf(text))
    # the one that no joint carries, though it comes second
    assert {name: joint.type for name, joint in spec.joints.items()} == {
        "b.free": "free",
        "c.free": "free",
        "j": "revolute",
    }
    assert spec.joints["b.free"].q == (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0)
    held = gori.load(sdf(text), base="fixed")
    assert held.joints["b.fixed"].at == (0.0, 0.0, 2.0) and gori.compile(held).nv == 1
    still = gori.load(sdf(text.replace("<pose>0", "<static>true</static><pose>0", 1)))
    assert {joint.type for joint in still.joints.values()} == {"fixed"} and len(still.joints) == 3


def test_joints_between_what_is_held_are_void(sdf):
    text = f"<model name='m'><static>1</static><link name='a'/><link name='b'/><joint name='j' type='{{}}'>" \
           f"<parent>a</parent><child>b</child>{AXIS}</joint></model>"  # fmt: skip
    with pytest.warns(FormatWarning, match="joint of a static model: j"):
        gori.load(sdf(text.format("revolute")))
    assert gori.load(sdf(text.format("fixed")), strict=True)


def test_joints_may_close_loops(sdf):
    """Four links of 1 m in a square: one degree of freedom, cut where the loop closes."""
    corners = {"ab": (0, 0), "bc": (0, 1), "cd": (1, 1), "da": (1, 0)}
    links = "".join(f"<link name='{name}'><pose>{x} {y} 0 0 0 0</pose></link>" for name, x, y in
                    (("b", 0, 0), ("c", 0, 1), ("d", 1, 0)))  # fmt: skip
    hinges = ""
    for name, (x, y) in corners.items():
        ends = [end.replace("a", "world") for end in name]
        parent, child = ends if "world" not in ends[1:] else reversed(ends)
        hinges += (f"<joint name='{name}' type='revolute'><pose relative_to='__model__'>{x} {y} 0 0 0 0</pose>"
                   f"<parent>{parent}</parent><child>{child}</child>{AXIS}</joint>")  # fmt: skip
    model = gori.compile(gori.load(sdf(f"<model name='m'>{links}{hinges}</model>")))
    assert model.nv == 3 and len(model.spec.cuts) == 1 and model.mobility().freedom == 1


def test_balls_with_friction_are_turned_where_the_tree_wants_it(sdf):
    """A rod that is the parent of the body that carries it."""
    damping = "<axis><xyz>0 0 1</xyz><dynamics><damping>0.5</damping></dynamics></axis>"
    text = """<model name='m'><link name='a'/><link name='rod'><pose>0 0 1 0.3 0.2 0.1</pose></link>
      <joint name='base' type='fixed'><parent>world</parent><child>a</child></joint>
      <joint name='j' type='ball'><parent>{}</parent><child>{}</child><pose relative_to='a'>0 0.1 0.5 0 0 0</pose>{}
      </joint></model>"""
    turned, straight = (gori.load(sdf(text.format(*ends, damping))) for ends in (("rod", "a"), ("a", "rod")))
    assert (turned.joints["j"].parent, turned.joints["j"].damping) == ("a", (0.5,))
    q = gori.compile(straight).random(3)
    one, other = (gori.compile(spec).forward_kinematics(q)["rod"] for spec in (turned, straight))
    assert np.allclose(one, other, atol=1e-14)


@pytest.mark.parametrize(
    ("kind", "inside", "words"),
    [
        ("revolut", AXIS, "type 'revolut' is not one of .*; did you mean 'revolute'?"),
        ("fixed", "<child>world</child>", "more than one <child>"),
    ],
)
def test_joints_that_make_no_sense(sdf, kind, inside, words):
    with pytest.raises(FileError, match=words):
        machine(sdf, kind, inside)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ("<parent>a</parent><child>world</child>", "the child must not be the world: let it be the parent"),
        ("<parent>a</parent><child>f</child>", "joins the link 'a' with itself"),
        ("<parent>a</parent><child>none</child>", "'none' is not a link"),
        ("<child>a</child>", "does not give <parent>"),
    ],
)
def test_ends_that_make_no_sense(sdf, ends, words):
    with pytest.raises(FileError, match=words) as caught:
        links = "<link name='a'/><frame name='f'/>"
        gori.load(sdf(f"<model name='m'>{links}\n<joint name='j' type='fixed'>{ends}</joint></model>"))
    assert caught.value.line == 3


def test_joints_as_plain_data(source_of):
    text = f"<joint name='j' type='revolute2'><parent>a</parent><child>b</child>{BOTH}</joint>"
    source = source_of(f"<model name='m'><link name='a'/><link name='b'/>{text}</model>")
    made, between = joints(source)
    assert between == {"b.j": {}} and [*made] == ["j.0", "j.1"]
    assert made["j.0"] == {"type": "revolute", "parent": "a", "child": "b.j", "axis": [0.0, 1.0, 2.0]}
    assert carriers(source, made, between, "fixed") == {"a.fixed": {"type": "fixed", "parent": "ground", "child": "a"}}
