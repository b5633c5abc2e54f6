"""Gearboxes, which are no joints of their own: they tie the angles of two hinges on one body to each other.

theta_1 is the angle of the parent against the reference body about <axis>, theta_2 that of the child about <axis2>, and
theta_2 = -ratio theta_1. So the hinge of the child follows that of the parent.
"""

from typing import Any

import numpy as np

from gori.formats.sdf.axes import direction
from gori.formats.sdf.elements import child, needed, number
from gori.formats.sdf.scope import Scope
from gori.formats.sdf.source import SdfSource

Joints = dict[str, dict[str, Any]]
Hinges = dict[frozenset[str], list[tuple[Scope, str]]]
"""hinges by the two bodies that they join: the scope of each, and its name there"""


def tie_gearboxes(source: SdfSource, made: Joints) -> None:
    """Add `mimic` to the hinges that gearboxes drive; a gearbox without two hinges is left out by name."""
    hinges: Hinges = {}
    boxes = []
    for scope in source.world.all():
        for name, element in scope.joints.items():
            joint = made.get(source.joints[element], {})
            if joint.get("type") == "revolute":
                hinges.setdefault(frozenset((joint["parent"], joint["child"])), []).append((scope, name))
            if element.get("type") == "gearbox":
                boxes.append((scope, name))
    for scope, name in boxes:
        _tie(source, scope, name, made, hinges)


def _tie(source: SdfSource, scope: Scope, name: str, made: Joints, hinges: Hinges) -> None:
    element = scope.joints[name]
    roles = ("gearbox_reference_body", "parent", "child")
    base, driver, driven = (
        source.body(source.frames.link(scope, needed(element, role), child(element, role))) for role in roles
    )
    second = "axis" if child(element, "axis2") is None else "axis2"
    first_hinge = _hinge(source, made, hinges, (base, driver), _in_world(source, scope, name, "axis"))
    second_hinge = _hinge(source, made, hinges, (base, driven), _in_world(source, scope, name, second))
    if first_hinge is None or second_hinge is None or "mimic" in made[second_hinge[0]]:
        source.left.add("gearbox without two hinges on its reference body", source.joints[element])
        return
    (leader, one), (follower, two) = first_hinge, second_hinge
    ratio = -number(element, "gearbox_ratio", 1.0) * one * two
    made[follower] |= {"mimic": {"joint": leader, "ratio": ratio}}


def _in_world(source: SdfSource, scope: Scope, name: str, tag: str) -> np.ndarray:
    """The direction of an axis in the world, of length 1."""
    X = source.frames.in_world(scope) @ source.frames.pose(scope, name, scope.joints[name])
    axis = X[:3, :3] @ direction(source, scope, name, scope.joints[name], tag)
    return axis / np.linalg.norm(axis)


def _hinge(
    source: SdfSource, made: Joints, hinges: Hinges, ends: tuple[str, str], axis: np.ndarray
) -> tuple[str, float] | None:
    """The hinge between two bodies along an axis, and 1 or -1: the angle of the second body is that times q."""
    for scope, name in hinges.get(frozenset(ends), ()):
        along = float(_in_world(source, scope, name, "axis") @ axis)
        if abs(abs(along) - 1.0) < 1e-9:
            called = source.joints[scope.joints[name]]
            return called, round(along) * (1.0 if made[called]["child"] == ends[1] else -1.0)
    return None
