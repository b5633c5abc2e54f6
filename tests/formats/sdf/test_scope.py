"""What names mean in models within models."""

import pytest
from lxml import etree

from gori.formats.sdf.scope import Scope
from gori.formats.xml import ElementError


def model(name, parent=None, **more):
    element = etree.fromstring(f"<model name='{name}'/>")
    scope = Scope(element, (1, 9), parent, name, **more)
    if parent is not None:
        parent.models[name] = scope
    return scope


@pytest.fixture
def robot():
    world = model("w")
    robot = model("robot", world)
    arm = model("arm", robot)
    tool = model("tool", robot, merged=True)
    for scope, links in ((robot, "ab"), (arm, "ac"), (tool, "d")):
        scope.links |= {name: etree.fromstring(f"<link name='{name}'/>") for name in links}
    arm.frames["f"] = etree.fromstring("<frame name='f'/>")
    arm.joints["j"] = etree.fromstring("<joint name='j'/>")
    return robot


def test_names_are_looked_up_from_the_inside(robot):
    arm, tool, at = robot.models["arm"], robot.models["tool"], robot.element
    assert robot.find("a", at) == ("link", robot, robot.links["a"])
    assert robot.find("arm::a", at) == ("link", arm, arm.links["a"])
    assert [robot.find(f"arm::{name}", at).kind for name in "fj"] == ["frame", "joint"]
    assert robot.find("arm", at) == robot.find("arm::__model__", at) == ("model", arm, None)
    # what is merged belongs to both
    assert robot.find("d", at).scope is tool and tool.find("b", at).scope is robot
    for name in ("c", "arm::b", "tool", "none::a"):
        with pytest.raises(ElementError):
            robot.find(name, at)


def test_scopes_within_scopes(robot):
    world, arm = robot.parent, robot.models["arm"]
    assert world.is_world and not robot.is_world and arm.world is world.world is world
    assert [scope.name for scope in world.all()] == ["w", "robot", "arm", "tool"]
    assert arm.up_to(world) == [arm, robot] and arm.up_to(arm) == [] and robot.up_to(arm) is None


def test_a_wrong_name_has_a_hint(robot):
    robot.links["shoulder"] = robot.links["a"]
    with pytest.raises(ElementError) as caught:
        robot.find("sholder", robot.element)
    assert "'sholder' is not a link, joint, frame or model here; did you mean 'shoulder'?" in caught.value.reason
