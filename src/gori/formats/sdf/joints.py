"""Joints, and what carries the models that no joint holds.

The frame of a joint is fixed to both of its links where the description puts them, which is q = 0. A revolute2 is two
revolute joints with a massless body between; so is a universal joint with limits, or whose axes are not perpendicular.
"""

from typing import Any

import numpy as np

from gori.formats.plain import pose_of
from gori.formats.sdf.axes import direction, is_universal, motion, of_ball, pitch, side_by_side
from gori.formats.sdf.elements import child, inverse, needed, numbers, who
from gori.formats.sdf.frames import SdfLink
from gori.formats.sdf.gearboxes import tie_gearboxes
from gori.formats.sdf.scope import WORLD, Scope
from gori.formats.sdf.source import SdfSource
from gori.formats.xml import ElementError
from gori.spec import GROUND
from gori.spec.expression import closest

TYPES = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "screw": "helical",
         "universal": "universal", "revolute2": "revolute2", "ball": "spherical", "fixed": "fixed",
         "planar": "planar", "gearbox": "gearbox"}  # fmt: skip
"""Types of SDFormat joints, and what Gori calls them; revolute2 becomes two, a gearbox ties two others."""
_AXES = {"spherical": 0, "planar": 0, "fixed": 0, "universal": 2, "revolute2": 2}
_ACTING = {"damping", "friction", "stiffness", "limits", "velocity_limit", "effort_limit"}
Joints = dict[str, dict[str, Any]]


def joints(source: SdfSource) -> tuple[Joints, dict[str, dict[str, Any]]]:
    """All joints, and the massless bodies between those that were one."""
    made: Joints = {}
    between: dict[str, dict[str, Any]] = {}
    for scope in source.world.all():
        for name, element in scope.joints.items():
            _make(source, scope, name, element, made, between)
    tie_gearboxes(source, made)
    return made, between


def _make(source: SdfSource, scope: Scope, name: str, element: Any, made: Joints, between: Joints) -> None:
    kind, called = element.get("type", ""), source.joints[element]
    if kind not in TYPES:
        raise ElementError(
            element, f"{who(element)}: type {kind!r} is not one of {', '.join(TYPES)}{closest(kind, TYPES)}"
        )
    if kind == "gearbox":
        return
    parent, child_ = (_link(source, scope, element, role) for role in ("parent", "child"))
    held = [source.body(link) for link in (parent, child_) if link is None or link.scope.static]
    if len(held) == 2:
        source.left.add("joint of a static model", called) if kind != "fixed" else None
        return
    if parent == child_:
        raise ElementError(element, f"{who(element)} joins the link {source.body(parent)!r} with itself")
    # Drake's planar joints bring the frame of the child to that of the parent
    own = [needed(element, "parent"), needed(element, "child")] if kind == "planar" else [name, name]
    X_P, X_C = (
        inverse(source.frames.of_link(scope, link)) @ source.frames.pose(scope, frame, element)
        for link, frame in zip((parent, child_), own)
    )
    ends = {"parent": source.body(parent), "child": source.body(child_)}
    if TYPES[kind] == "spherical":  # turns about the axes of the child
        R_PC = X_P[:3, :3] @ X_C[:3, :3].T
        joint = {"type": "spherical"} | ends | pose_of(X_P[:3, 3], R_PC) | _on_child(X_C[:3, 3], np.eye(3))
        made[called] = joint | of_ball(source, scope, element)
        return
    place, on_child = pose_of(X_P[:3, 3], X_P[:3, :3]), _on_child(X_C[:3, 3], X_C[:3, :3])
    axes = [direction(source, scope, name, element, tag) for tag in ("axis", "axis2")[: _AXES.get(TYPES[kind], 1)]]
    motions = [motion(source, scope, element, tag) for tag in ("axis", "axis2")[: len(axes)]]
    if len(axes) == 2 and (kind == "revolute2" or not is_universal(axes, motions)):
        middle = source.name("link", f"{ends['child']}.{called}")
        between[middle] = {}
        first = {"type": "revolute", "parent": ends["parent"], "child": middle, "axis": axes[0]} | place
        second = {"type": "revolute", "parent": middle, "child": ends["child"], "axis": axes[1]} | on_child
        for k, part in enumerate((first, second)):
            made[source.name("joint", f"{called}.{k}")] = part | motions[k]
        return
    joint = {"type": TYPES[kind]} | ends | place | on_child
    if len(axes) == 2:
        joint |= {"axis": axes[0], "axis2": axes[1]} | side_by_side(*motions)
    elif axes:
        joint |= {"axis": axes[0]} | motions[0]
    if kind == "planar" and (damping := numbers(element, "damping", 3)) is not None and damping.any():
        joint["damping"] = damping.tolist()
    if kind == "screw":
        joint["pitch"] = pitch(source, element)
    made[called] = joint


def _link(source: SdfSource, scope: Scope, element: Any, role: str) -> SdfLink | None:
    end = child(element, role)
    name = needed(element, role)
    if role == "child" and name == WORLD:
        raise ElementError(end, f"{who(element)}: the child must not be the world: let it be the parent")
    return source.frames.link(scope, name, end)


def _on_child(p: np.ndarray, R: np.ndarray) -> dict[str, Any]:
    """Where a joint is on its child."""
    return {f"child_{key}": value for key, value in pose_of(p, R).items()}


def carriers(source: SdfSource, made: Joints, between: Joints, base: str) -> Joints:
    """Joints from the ground: static links are held, and of what no joint holds, one link is free, or held."""
    found: Joints = {}
    links = {body: link for link, body in source.bodies.items()}
    for body, link in links.items():
        if link.scope.static:
            found[source.name("joint", f"{body}.fixed")] = _placed(source, "fixed", link, body)
    reached = _together([*made.values(), *found.values()], [GROUND, *links, *between])
    carried = {joint["child"] for joint in made.values()}
    held = reached[GROUND]
    for body in sorted(links, key=lambda body: body in carried):  # those that no joint carries come first
        if body not in held:
            held |= reached[body]
            found[source.name("joint", f"{body}.{base}")] = _placed(source, base, links[body], body)
    _turn_balls(made, found)
    return found


def _turn_balls(made: Joints, carried: Joints) -> None:
    """Swap parent and child of balls with friction that carry their parent: it is alike in both directions.

    Loops are cut at joints that nothing but reactions act in; the others are the tree.
    """
    outwards: dict[str, list[str]] = {}
    for joint in (*carried.values(), *made.values()):
        if joint["type"] in ("fixed", "free") or joint.keys() & _ACTING:
            outwards.setdefault(joint["parent"], []).append(joint["child"])
    reached, todo = {GROUND}, [GROUND]
    while todo:
        new = [body for body in outwards.get(todo.pop(), ()) if body not in reached]
        reached.update(new)
        todo += new
    for name, joint in made.items():
        friction = {key: joint[key] for key in ("damping", "friction") if key in joint}
        if joint["type"] != "spherical" or not friction or joint["parent"] in reached or joint["child"] not in reached:
            continue
        place = {"at": joint.get("child_at"), "child_at": joint.get("at")}
        if "quat" in joint:
            place["quat"] = [x if k == 0 else -x + 0.0 for k, x in enumerate(joint["quat"])]
        ends = {"type": "spherical", "parent": joint["child"], "child": joint["parent"]}
        made[name] = ends | friction | {key: value for key, value in place.items() if value}


def _together(joints: list[dict[str, Any]], bodies: list[str]) -> dict[str, set[str]]:
    """For each body those that joints connect it with, by way of others too."""
    groups = {name: {name} for name in bodies}
    for joint in joints:
        small, large = sorted((groups[joint["parent"]], groups[joint["child"]]), key=len)
        if small is not large:
            large |= small
            groups |= dict.fromkeys(small, large)
    return groups


def _placed(source: SdfSource, kind: str, link: SdfLink, body: str) -> dict[str, Any]:
    """A joint from the ground to a link where it is; the coordinates of a free one are its pose in the world."""
    X = source.pose(link)
    pose, ends = pose_of(X[:3, 3], X[:3, :3]), {"parent": GROUND, "child": body}
    if kind == "fixed" or not pose:
        return {"type": kind} | ends | pose
    return {"type": kind} | ends | {"q": [*pose.get("quat", (1.0, 0.0, 0.0, 0.0)), *pose.get("at", (0.0, 0.0, 0.0))]}
