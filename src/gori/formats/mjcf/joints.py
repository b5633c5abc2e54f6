"""Joints. Several on one body become a chain of massless bodies, each named after its joint.

In MuJoCo a body is placed on its parent, and its joints move it from there one after the other:

    X = X_body  T(p1) J1(q1 - ref1) T(-p1)  T(p2) J2(q2 - ref2) T(-p2) ...

with anchors p and axes in the frame of the body. A reference is put into the joint's frame, so that q is the same
number here and there. `velocities.py` says how coordinates and velocities of free joints differ.
"""

from typing import Any

import numpy as np

from gori.formats.mjcf.source import MjcfSource
from gori.formats.mjcf.velocities import free_coordinates, free_velocity
from gori.formats.plain import pose_of, turn
from gori.spec.base import rotation

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3
"""kinds of joints in an MjModel"""
TYPES = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}


def joints(source: MjcfSource) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """All joints, and the massless bodies between those that move the same body."""
    m, names = source.m, source.names
    made: dict[str, dict[str, Any]] = {}
    between: dict[str, dict[str, Any]] = {}
    for k in range(1, m.nbody):
        parent, child = names.bodies[m.body_parentid[k]], names.bodies[k]
        place = m.body_pos[k], rotation(None, tuple(m.body_quat[k]))
        steps = [step for j in _own(m, k) for step in _steps(source, j)]
        if not steps:
            made[names.joint(f"{child}.fixed")] = {"type": "fixed", "parent": parent, "child": child} | pose_of(*place)
        if steps and m.jnt_type[m.body_jntadr[k]] == FREE:
            place = np.zeros(3), np.eye(3)  # its coordinates are its pose in the world
        for name, joint, at, R, child_at in steps:
            last = name == steps[-1][0]
            end = child if last else names.body(f"{child}.{name}")
            if not last:
                between[end] = {}
            joint |= {"parent": parent, "child": end} | pose_of(place[0] + place[1] @ at, place[1] @ R)
            if child_at.any():
                joint["child_at"] = child_at.tolist()
            made[name] = joint
            parent, place = end, (np.zeros(3), np.eye(3))
    return made, between


def _own(m: Any, body: int) -> range:
    first = m.body_jntadr[body]
    return range(first, first + m.body_jntnum[body])


def _steps(source: MjcfSource, j: int) -> list[tuple[str, dict[str, Any], np.ndarray, np.ndarray, np.ndarray]]:
    """Joints of the Spec for one of MuJoCo: name, fields, position and rotation on the parent, anchor on the child."""
    m, kind, name = source.m, int(source.m.jnt_type[j]), source.names.joints[j]
    zero, same = np.zeros(3), np.eye(3)
    if kind == FREE and is_split(m, j):
        axes = [(f"{name}.{letter}", row) for letter, row in zip("xyz", same, strict=True)]
        slides = [
            (source.names.joint(part), _moving(source, j, SLIDE, i) | {"axis": row.tolist()}, zero, same, zero)
            for i, (part, row) in enumerate(axes)
        ]
        return [*slides, (name, _moving(source, j, BALL, 3), zero, same, zero)]
    joint, p = _moving(source, j, kind, 0), m.jnt_pos[j]
    if kind in (SLIDE, HINGE):
        axis, ref = m.jnt_axis[j], m.qpos0[m.jnt_qposadr[j]]
        if not np.array_equal(axis, (0.0, 0.0, 1.0)):
            joint["axis"] = axis.tolist()
        if kind == SLIDE:
            return [(name, joint, -ref * axis, same, zero)]
        return [(name, joint, p, turn(axis, -ref) if ref else same, p)]
    return [(name, joint, p if kind == BALL else zero, same, p if kind == BALL else zero)]


def is_split(m: Any, j: int) -> bool:
    """Whether a free joint becomes three slides and a ball: where it has what acts along MuJoCo's coordinates.

    Inertia of a drive along the axes of the world is another one than along those of the body, which turn.
    """
    dofs = slice(m.jnt_dofadr[j], m.jnt_dofadr[j] + 6)
    own = m.dof_armature[dofs].any() or m.dof_frictionloss[dofs].any() or m.jnt_stiffness[j]
    return bool(m.jnt_type[j] == FREE and own)


def _moving(source: MjcfSource, j: int, kind: int, offset: int) -> dict[str, Any]:
    """Fields of a joint that say something of its motion; `offset` is where it begins in a free joint that is split."""
    m = source.m
    joint: dict[str, Any] = {"type": TYPES[kind]}
    dof = int(m.jnt_dofadr[j]) + offset
    if not source.disabled("limit"):
        joint |= _limits(source, j, kind)
    if m.jnt_actfrclimited[j]:
        joint["effort_limit"] = float(np.abs(m.jnt_actfrcrange[j]).max())
    _set_start(source, joint, j, kind, offset)
    values = {
        "damping": 0.0 if source.disabled("damper") else m.dof_damping[dof] + source.drives.damping[dof],
        "armature": m.dof_armature[dof] + source.drives.armature[dof],
        "friction": 0.0 if source.disabled("frictionloss") else m.dof_frictionloss[dof] + source.drives.friction[dof],
        "stiffness": 0.0 if source.disabled("spring") else m.jnt_stiffness[j],
    }
    joint |= {key: float(value) for key, value in values.items() if value}
    if "stiffness" in joint:
        at = int(m.jnt_qposadr[j]) + offset
        rest = m.qpos_spring[at : at + (4 if kind == BALL else 1)]
        if not np.array_equal(rest, (1.0, 0.0, 0.0, 0.0) if kind == BALL else (0.0,)):
            joint["rest"] = rest.tolist()
    return joint


def _limits(source: MjcfSource, j: int, kind: int) -> dict[str, Any]:
    """Limits of a joint: its own, and those of tendons that have no other."""
    m, name = source.m, source.names.joints[j]
    if kind in (BALL, FREE):
        if m.jnt_limited[j]:
            source.left.add("limit of a ball joint", name)
        return {}
    low, high = source.drives.limits[j]
    if m.jnt_limited[j]:
        low, high = max(low, m.jnt_range[j, 0]), min(high, m.jnt_range[j, 1])
    if low > high:
        source.left.add("limits of a joint and its tendons that exclude each other", name)
        return {}
    return {"limits": [float(low), float(high)]} if np.isfinite((low, high)).all() else {}


def _set_start(source: MjcfSource, joint: dict[str, Any], j: int, kind: int, offset: int) -> None:
    """Start coordinates and velocities, where they are not zero."""
    m = source.m
    at, dof = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
    if kind == FREE:
        q, v = (
            free_coordinates(source.qpos[at : at + 7]),
            free_velocity(source.qpos[at : at + 7], source.qvel[dof : dof + 6]),
        )
    else:
        count = 4 if kind == BALL else 1
        q = source.qpos[at + offset : at + offset + count]
        v = source.qvel[dof + offset : dof + offset + (3 if kind == BALL else 1)]
    neutral = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0][: len(q)]) if kind in (FREE, BALL) else np.zeros(1)
    if not np.array_equal(q, neutral):
        # a keyframe need not close loops to the last digit: they are closed from there
        joint["guess" if source.start is not None and source.closes_loops else "q"] = q.tolist()
    if v.any():
        joint["v"] = v.tolist()


def note_what_is_nonlinear(source: MjcfSource) -> None:
    """Springs and dampers of joints that are not linear."""
    m, names = source.m, source.names
    for j in range(m.njnt):
        if m.jnt_stiffnesspoly[j].any():
            source.left.add("terms of higher order of joint stiffness", names.joints[j])
        if m.dof_dampingpoly[m.jnt_dofadr[j]].any():
            source.left.add("terms of higher order of joint damping", names.joints[j])
        if m.jnt_springyield[j] > 0.0:
            source.left.add("yield of joint springs", names.joints[j])
