"""From Denavit-Hartenberg rows to bodies, joints, cuts and frames.

With Screw(z, angle, length) a turn about z and a travel along it, the frame of a row on its link is

    standard    Screw(z, theta, d) Screw(x, alpha, a)                     Denavit and Hartenberg (1955), Paul (1981)
    modified    Screw(x, alpha, a) Screw(z, theta, d)                     Craig (1986)
    branched    Screw(z, psi, c) Screw(x, alpha, a) Screw(z, theta, d)    Kim and Kim (1993), equation (5)

Branched is modified with one more screw, so that a link can carry several joints: its own x can lie along the common
normal to only one of them (for which psi = c = 0).
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gori.errors import SpecError
from gori.formats.dh_rows import DOF, PER_DOF, ChainBase, DHRow, Link
from gori.formats.dh_table import DHTable, Numbered, lettered
from gori.spec import Body
from gori.spec.base import quaternion
from gori.spec.explain import Problem

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_SIMPLE = {
    "fixed": [("fixed", "z")],
    "revolute": [("revolute", "z")],
    "prismatic": [("prismatic", "z")],
    "cylindrical": [("revolute", "z"), ("prismatic", "z")],
    "universal": [("revolute", "z"), ("revolute", "x")],
    # not the angles z x z of Euler: their first and last axis are one line where the links are in line
    "spherical": [("revolute", "z"), ("revolute", "x"), ("revolute", "y")],
}
"""simple joints that make up a joint, each with its axis in the frames that coincide at q = 0"""
_AS_GIVEN = ("limits", "limits_deg", "limit_stiffness", "limit_damping", "velocity_limit", "effort_limit",
             "stick_stiffness", "mimic")  # fmt: skip


class Origins(dict[str, str]):
    """Places in a Spec, and the places in the `dh` section that they come from."""

    def trace(self, place: str) -> str:
        """The same place as the user wrote it."""
        best = max((key for key in self if f"{place}.".startswith(f"{key}.")), key=len, default=None)
        return place if best is None else self[best] + place[len(best) :]

    def traced(self, problems: Iterable[Problem]) -> list[Problem]:
        return [(self.trace(at), message) for at, message in problems]


def refused(problems: list[Problem]) -> SpecError:
    """All problems as one error."""
    error = SpecError("\n".join(f"{at}: {message}" for at, message in problems))
    error.problems = tuple(problems)
    return error


def expand(table: DHTable) -> tuple[dict[str, dict[str, Any]], Origins]:
    """Plain data of a chain's bodies, joints, cuts and frames, by name, and their origins."""
    frames = table.frames()
    made: dict[str, dict[str, Any]] = {group: {} for group in ("bodies", "joints", "cuts", "frames")}
    origins = Origins()

    def add(group: str, name: str, part: dict[str, Any], origin: str) -> None:
        if name in made[group]:
            both = f"{origins.trace(f'{group}.{name}')} makes a part of that name too"
            raise refused([(f"dh.{origin}", f"{both}, {name!r}: choose another name")])
        made[group][name] = part
        origins[f"{group}.{name}"] = f"dh.{origin}"

    bodies, base = [table.base.body, *(frame.name for frame in frames)], _base(table.base)
    on = [(bodies[link], base if link == 0 else np.eye(4)) for link in table.carriers()]
    for frame, (body, placed) in zip(frames, on):
        if isinstance(frame.row, Link):
            for part in _link(frame, frame.row, body, placed, table.convention):
                add("bodies", part.body, part.body_data, frame.place)
                add("joints", part.joint, part.joint_data, frame.place)
                origins[f"joints.{part.joint}.q"] = f"dh.{frame.place}.{part.variable}"
                if part.joint_data["parent"] == table.base.body:
                    origins[f"joints.{part.joint}.parent"] = "dh.base.body"
        else:
            pose = _pose(placed @ row_pose(frame.row, table.convention))
            add("frames", frame.name, {"body": body} | pose, frame.place)
    for key, cut in table.cuts.items():
        sides = [made["frames"][lettered(side, key)] for side in ("C", "R")]
        part = {"type": cut.type, "parent": sides[0]["body"], "child": sides[1]["body"]}
        part |= {name: value for name, value in sides[0].items() if name != "body"}
        part |= {f"child_{name}": value for name, value in sides[1].items() if name != "body"}
        add("cuts", lettered("cut", key), part, f"cuts.{key}")
    return {group: parts for group, parts in made.items() if parts}, origins


def screw(axis: str, angle: float, length: float) -> np.ndarray:
    """Homogeneous matrix (4, 4) of a turn [rad] about x or z and a travel [m] along it."""
    along, i, j = {"x": (0, 1, 2), "z": (2, 0, 1)}[axis]
    T = np.eye(4)
    T[i, i] = T[j, j] = np.cos(angle)
    T[j, i] = np.sin(angle)
    T[i, j] = -T[j, i]
    T[along, 3] = length
    return T


def row_pose(row: DHRow, convention: str) -> np.ndarray:
    """Frame (4, 4) of a row on its link, where theta and d are what the row gives."""
    before, after = _around(row, convention)
    return before @ screw("z", row.angle("theta"), row.d or 0.0) @ after


def _around(row: DHRow, convention: str) -> tuple[np.ndarray, np.ndarray]:
    """What stands before and after Screw(z, theta, d)."""
    across = screw("x", row.angle("alpha"), row.a)
    if convention == "standard":
        return np.eye(4), across
    return screw("z", row.angle("psi"), row.c or 0.0) @ across, np.eye(4)


class _Step(NamedTuple):
    """A body of the Spec and the joint that carries it."""

    body: str
    body_data: dict[str, Any]
    joint: str
    joint_data: dict[str, Any]
    variable: str
    """theta or d, whichever is the coordinate"""


def _link(frame: Numbered, row: Link, parent: str, placed: np.ndarray, convention: str) -> list[_Step]:
    """The simple joints of a link, massless links between them; the last one carries the link itself."""
    key = frame.place.removeprefix("links.")
    before, after = _around(row, convention)
    before = placed @ before @ _constant(row)
    joint, steps, simple = lettered("J", key), [], _SIMPLE[row.kind]
    for k, (kind, axis) in enumerate(simple):
        last = k == len(simple) - 1
        several = len(simple) > 1
        body = frame.name if last else f"{frame.name}_{k + 1}"
        data: dict[str, Any] = {"type": kind, "parent": parent, "child": body}
        data |= _pose(before) if k == 0 else {}
        data |= _pose(np.linalg.inv(after), "child_") if last else {}
        data |= {"axis": _AXES[axis]} if axis != "z" else {}
        start, variable = _start(row, k, kind)
        data |= {"q": start} if start is not None else {}
        data |= _of_dof(row, k)
        mass = row.model_dump(include=set(Body.model_fields), exclude_unset=True) if last else {}
        steps.append(_Step(body, mass, f"{joint}_{k + 1}" if several else joint, data, variable))
        parent = body
    return steps


def _constant(row: Link) -> np.ndarray:
    """Screw(z, theta, d) with q = 0."""
    theta, d = row.angle("theta"), row.d or 0.0
    match row.kind:
        case "fixed":
            return screw("z", theta, d)
        case "prismatic":
            return screw("z", theta, row.offset or 0.0)
        case "cylindrical":
            return np.eye(4)
    return screw("z", row.angle("offset"), d)


def _start(row: Link, k: int, kind: str) -> tuple[float | None, str]:
    """Start of coordinate k of a link's joint, None if the row does not give it; and the field that would give it."""
    if kind == "prismatic":
        return (None if row.d is None else row.d - (row.offset or 0.0)), "d"
    variable = "theta" if row.theta_deg is None else "theta_deg"
    given = np.atleast_1d(row.angles("theta"))
    if kind == "fixed" or getattr(row, variable) is None or k >= len(given):
        return None, variable
    return float(given[k]) - row.angle("offset"), variable


def _of_dof(row: Link, k: int) -> dict[str, Any]:
    """What the row says of the motion of its coordinate k; of a fixed joint everything, for the Spec to refuse."""
    data = {}
    for name in (*PER_DOF, *_AS_GIVEN):
        value = getattr(row, name)
        if name not in row.model_fields_set or value is None:
            continue
        split = name in PER_DOF and DOF[row.kind] > 1
        data[name] = value[min(k, len(value) - 1)] if split else value
    return data


def _base(base: ChainBase) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = base.pose()
    return T


def _pose(T: np.ndarray, side: str = "") -> dict[str, Any]:
    """`at` and `quat` of a homogeneous matrix (4, 4), where they are not zero and identity."""
    pose: dict[str, Any] = {}
    if T[:3, 3].any():
        pose[f"{side}at"] = tuple(T[:3, 3].tolist())
    if not np.array_equal(T[:3, :3], np.eye(3)):
        pose[f"{side}quat"] = quaternion(T[:3, :3])
    return pose
