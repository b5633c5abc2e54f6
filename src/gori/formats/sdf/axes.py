"""Axes of joints: their directions, limits, springs, dampers and friction."""

import math
from typing import Any

import numpy as np

from gori.formats.plain import tidy
from gori.formats.sdf.elements import NO_LIMIT, child, number, numbers, text, truth, who
from gori.formats.sdf.scope import MODEL, Scope
from gori.formats.sdf.source import SdfSource
from gori.formats.xml import ElementError

SINGLE = ("revolute", "continuous", "prismatic", "screw")
"""types of one degree of freedom"""


def direction(source: SdfSource, scope: Scope, name: str, element: Any, tag: str) -> list[float]:
    """The direction of an axis in the frame of its joint."""
    axis = child(element, tag)
    if axis is None:
        raise ElementError(element, f"{who(element)} has no <{tag}>")
    given = numbers(axis, "xyz", 3)
    xyz = np.array([0.0, 0.0, 1.0]) if given is None else given
    if np.linalg.norm(xyz) < 1e-9:
        raise ElementError(axis, f"{who(element)}: <{tag}> is the zero vector")
    where = child(axis, "xyz")
    frame = where.get("expressed_in", "") if where is not None else ""
    word = text(axis, "use_parent_model_frame") if scope.version < (1, 7) else ""
    if truth(axis, "use_parent_model_frame", word) if word else scope.version < (1, 5):
        frame = MODEL
    if not frame:
        return xyz.tolist()
    R = source.frames.pose(scope, name, element)[:3, :3].T @ source.frames.pose(scope, frame, axis)[:3, :3]
    if scope.version < (1, 5) and not np.allclose(R, np.eye(3)):
        source.left.note("axes of joints are along the axes of their model, as in SDFormat 1.4")
    return tidy(R @ xyz)


def motion(source: SdfSource, scope: Scope, element: Any, tag: str) -> dict[str, Any]:
    """Limits, damping, friction and spring of an axis."""
    axis, called = child(element, tag), source.joints[element]
    dynamics, limit = child(axis, "dynamics"), child(axis, "limit")
    fields: dict[str, Any] = {}
    if limit is not None:
        lower = number(limit, "lower", -NO_LIMIT, infinite=True)
        upper = number(limit, "upper", NO_LIMIT, infinite=True)
        if lower > upper:
            source.left.note(f"joint {called!r}: the lower limit {lower:g} is above the upper {upper:g}: it has none")
        elif element.get("type") != "continuous" and (lower > -NO_LIMIT or upper < NO_LIMIT):
            fields["limits"] = (max(lower, -NO_LIMIT), min(upper, NO_LIMIT))
            for key, ours in (("stiffness", "limit_stiffness"), ("dissipation", "limit_damping")):
                if child(limit, key) is not None:
                    fields[ours] = number(limit, key, 0.0, low=0.0)
            if "limit_stiffness" not in fields:
                fields.pop("limit_damping", None)
        for key in ("velocity", "effort"):
            value = number(limit, key, -1.0, infinite=True)
            if 0.0 <= value < NO_LIMIT and math.isfinite(value):
                fields[f"{key}_limit"] = value
    if dynamics is not None:
        given = {"damping": "damping", "friction": "friction", "stiffness": "spring_stiffness"}
        for ours, key in given.items():
            value = number(dynamics, key, 0.0)
            if value < 0.0:
                source.left.note(f"joint {called!r}: {key} must not be negative, is {value:g}: taken as 0")
            elif value:
                fields[ours] = value
        if "stiffness" in fields and (rest := number(dynamics, "spring_reference", 0.0)):
            fields["rest"] = rest
    return fields | _mimic(source, scope, element, axis)


def _mimic(source: SdfSource, scope: Scope, element: Any, axis: Any) -> dict[str, Any]:
    """q = multiplier (q of the leader - reference) + offset (SDFormat 1.11)."""
    mimic = child(axis, "mimic")
    if mimic is None:
        return {}
    leader = scope.find(mimic.get("joint", ""), mimic)
    if leader.kind != "joint":
        raise ElementError(mimic, f"{who(element)} mimics {mimic.get('joint')!r}, which is not a joint")
    single = all(joint.get("type") in SINGLE for joint in (element, leader.element))
    if not single or mimic.get("axis", "axis") != "axis":
        source.left.add("mimic of a joint of several axes", source.joints[element])
        return {}
    ratio = number(mimic, "multiplier", 1.0)
    offset = number(mimic, "offset", 0.0) - ratio * number(mimic, "reference", 0.0)
    return {"mimic": {"joint": source.joints[leader.element], "ratio": ratio, "offset": offset}}


def of_ball(source: SdfSource, scope: Scope, element: Any) -> dict[str, Any]:
    """Damping and friction of a ball, which stand at an axis that means nothing else."""
    if child(element, "axis") is None:
        return {}
    found = motion(source, scope, element, "axis")
    if lost := [key for key in ("limits", "stiffness") if key in found]:
        source.left.add(f"{' and '.join(lost)} of a ball joint", source.joints[element])
    return {key: found[key] for key in ("damping", "friction") if key in found}


def is_universal(axes: list[list[float]], motions: list[dict[str, Any]]) -> bool:
    """Whether two axes are a universal joint of the Spec: perpendicular, without limits, and following no other."""
    a, b = (np.array(axis) / np.linalg.norm(axis) for axis in axes)
    return bool(abs(a @ b) < 1e-9) and not any(key.endswith(("limits", "limit", "mimic")) for m in motions for key in m)


def side_by_side(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Numbers of two axes side by side."""
    return {key: [first.get(key, 0.0), second.get(key, 0.0)] for key in first | second}


def pitch(source: SdfSource, element: Any) -> float:
    """Travel per turn [m]. The older thread_pitch is in radians per metre, and counts backwards."""
    if child(element, "screw_thread_pitch") is None and child(element, "thread_pitch") is not None:
        old = number(element, "thread_pitch", 1.0)
        if old == 0.0:
            raise ElementError(element, f"{who(element)}: thread_pitch must not be zero")
        words = "its thread_pitch is in radians per metre of a left-handed thread"
        source.left.note(f"joint {source.joints[element]!r}: {words}")
        return -2.0 * math.pi / old
    return number(element, "screw_thread_pitch", 1.0)
