"""Coordinates of joints that the tree does not have: those of cuts, and those of joints that were turned around.

A cut has the coordinates that its type of joint has, with the same meaning. A universal, planar or spherical joint that
`gori.compile` turned around has others in the tree than those that were written; these are the written ones.
"""

from typing import Any, NamedTuple

import numpy as np

from gori.kernels.loops import tables as t
from gori.kernels.loops.coordinates import coordinates_along
from gori.model.loops.frames import KINDS, fill_frames
from gori.model.model import Model
from gori.model.tables import JointInfo
from gori.spec.joint import NQ, NV

REMEMBERED = (t.TURN, t.FIRST, t.SECOND, t.BALL)
"""kinds of which a run has to keep the full turns, or the sign"""


class CutCoordinates(NamedTuple):
    """The coordinates, one joint after the other.

    table    (rows,) COORDINATE
    joints   where the coordinates of each joint are among them
    turns    how many numbers have to be remembered
    """

    table: np.ndarray
    joints: tuple[JointInfo, ...]
    turns: int

    @property
    def sizes(self) -> tuple[int, int]:
        """Count of coordinates and of velocities."""
        return (self.joints[-1].q.stop, self.joints[-1].v.stop) if self.joints else (0, 0)

    def columns(self, name: str) -> list[int]:
        """Which of the remembered numbers belong to a joint."""
        (info,) = (info for info in self.joints if info.name == name)
        own = [int(k) for q, k in zip(self.table["q"], self.table["turns"]) if info.q.start <= q < info.q.stop]
        return [k for k in own if k >= 0]


def cut_coordinates(model: Model) -> CutCoordinates:
    """Of all cuts that have any, and of joints that were turned around and got others by that."""
    rows, joints, turns, q, v = [], [], 0, 0, 0
    for joint in model.connections:
        other = joint.reversed and joint.type in ("universal", "planar", "spherical")
        if joint.type not in KINDS or not (joint.cut or other):
            continue
        joints.append(JointInfo(joint.name, joint.type, slice(q, q + NQ[joint.type]), slice(v, v + NV[joint.type]), ()))
        for k, (kind, axis) in enumerate(KINDS[joint.type]):
            row = t.COORDINATE.zeros(1)
            row["kind"], row["axis"], row["q"], row["v"] = kind, axis, q + k, v + k
            row["turns"] = turns if kind in REMEMBERED else -1
            turns += kind in REMEMBERED
            fill_frames(row, model, joint)
            rows.append(row)
        q, v = joints[-1].q.stop, joints[-1].v.stop
    return CutCoordinates(np.concatenate([t.COORDINATE.zeros(0), *rows]), tuple(joints), turns)


class Along(NamedTuple):
    """Coordinates (N, ncq), velocities and accelerations (N, ncv) along a motion."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


def along(model: Model, time: Any, q: Any, v: Any, a: Any = None, turns: Any = None) -> Along:
    """Coordinates of cuts for states (N, ...).

    a       (N, nv) accelerations; default: none, and those that are given back mean nothing
    turns   (N, turns) what was remembered; default: counted from state to state
    """
    from gori.model.machine import machine_of

    coordinates = model.cut_coordinates
    machine, data = machine_of(model, wheels=False)
    samples = np.ascontiguousarray(np.column_stack([time, q, v]))
    known = np.zeros((0, coordinates.turns)) if turns is None else np.ascontiguousarray(turns)
    nq, nv = coordinates.sizes
    found = Along(np.zeros((len(samples), nq)), *np.zeros((2, len(samples), nv)))
    rates = np.zeros((len(samples), model.nv)) if a is None else np.ascontiguousarray(a)
    coordinates_along(machine, data, samples, rates, known, found.q, found.v, found.a)
    return found


class WithCuts:
    """The coordinates of a Model by the names of its joints, then those of its cuts: what events can watch."""

    def __init__(self, model: Model):
        self._model = model
        self.used = False
        """whether a cut was asked for"""

    def joint(self, name: str) -> JointInfo:
        """Where the coordinates of a joint or cut are."""
        nq, nv = self._model.nq, self._model.nv
        for info in self._model.cut_coordinates.joints:
            if info.name == name:
                self.used = True
                q, v = slice(info.q.start + nq, info.q.stop + nq), slice(info.v.start + nv, info.v.stop + nv)
                return info._replace(q=q, v=v)
        return self._model.joint(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)
