"""Forces of a Spec -> rows of elements for the kernels, and the table of their signals."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.kernels.forces import elements as el
from gori.model.loops.motions import motion_signal
from gori.model.model import Model
from gori.model.signals import SignalTable
from gori.spec.base import rotation

STICK = 1e-3
"""deflection at which Coulomb friction breaks away, where the joint does not give a stick_stiffness [rad, m]"""


class ForceTables(NamedTuple):
    """All force elements of a Model, and the names of their rows."""

    element_i: np.ndarray
    element_f: np.ndarray
    signal_i: np.ndarray
    signal_f: np.ndarray
    depth: int
    states: int  # internal states, of joint friction
    names: tuple[str, ...]
    signal_names: tuple[str, ...]
    motions: dict[str, int]  # first of the three signals of each motion


class _Rows:
    def __init__(self, model: Model):
        self.model, self.signals = model, SignalTable()
        self.index: list[list[int]] = []
        self.values: list[np.ndarray] = []
        self.names: list[str] = []
        self.signal_names: list[str] = []
        self.states = 0

    @cached_property
    def inertia(self) -> np.ndarray:
        """What each degree of freedom moves in the start pose, the others held: the diagonal of M."""
        return np.diag(self.model.tree_mass_matrix(self.model.q0))

    def add(self, name: str, kind: int, parameters: Any, dof=0, q=0, a=0, b=0, signal=0, state=0) -> None:
        row = np.zeros(el.N_ELEMENT_F)
        row[: len(parameters)] = parameters
        self.index.append([kind, dof, q, a, b, signal, state])
        self.values.append(row)
        self.names.append(name)

    def signal(self, value: Any, where: str) -> int:
        self.signal_names.append(where)
        return self.signals.add(value, where, self.model)

    def motion(self, name: str) -> int:
        """The first of the three signals of a motion."""
        motion = self.model.spec.motions[name]
        start = self.model.q0[self.model.joint(motion.joint).q.start + motion.axis]
        where = f"motion {name!r}"
        self.signal_names += [where, f"the rate of {where}", f"the acceleration of {where}"]
        return self.signals.add_motion(motion_signal(motion, float(start)), where, self.model)

    def anchor(self, body: str, at: Any, R: np.ndarray | None = None) -> tuple[int, np.ndarray, np.ndarray]:
        """Row, rotation (3, 3) and position in the row's frame, of a frame fixed to a body."""
        t, k = self.model.tables, self.model.frame(body)
        R_BF, p_BF = t.frame_f[k, :9].reshape(3, 3), t.frame_f[k, 9:]
        return int(t.frame_i[k]), R_BF @ (np.eye(3) if R is None else R), p_BF + R_BF @ np.array(at)


def compile_forces(model: Model) -> ForceTables:
    """All forces of the Model's Spec: what its joints do by themselves, then the named forces."""
    rows = _Rows(model)
    for info in model.joints:
        _passive(rows, info)
    for name, force in model.spec.forces.items():
        _FORCES[force.type](rows, name, force)
    motions = {name: rows.motion(name) for name in model.spec.motions}
    signal_i, signal_f, depth = rows.signals.tables()
    return ForceTables(
        np.array(rows.index, np.int64).reshape(-1, el.N_ELEMENT_I),
        np.array(rows.values).reshape(-1, el.N_ELEMENT_F),
        signal_i,
        signal_f,
        depth,
        rows.states,
        tuple(rows.names),
        tuple(rows.signal_names),
        motions,
    )


def _passive(rows: _Rows, info) -> None:
    model, joint = rows.model, rows.model.spec.joints[info.name]
    k, d, friction = model.stiffness[info.v], model.damping[info.v], model.friction[info.v]
    dofs = range(info.v.start, info.v.stop)
    if info.type == "free" and k.any():
        raise UnsupportedError(f"joint {info.name!r}: a free joint has no stiffness; put a bushing between the bodies")
    if info.type == "spherical" and k.any():
        if np.ptp(k) or np.ptp(d):
            raise UnsupportedError(f"joint {info.name!r}: a spherical joint takes one stiffness for all directions")
        rows.add(info.name, el.BALL_SPRING, [k[0], *model.rest[info.q], d[0]], dof=info.v.start, q=info.q.start)
    elif k.any() or d.any():
        for i, dof in enumerate(dofs):
            # quaternion joints come here with damping alone: their q is not read
            at = info.q.start + min(i, info.nq - 1)
            rest = model.rest[at] if k[i] else 0.0
            rows.add(info.name, el.JOINT_SPRING, [k[i], rest, d[i], 0.0], dof=dof, q=at)
    for i, dof in enumerate(dofs):
        if friction[i] > 0.0:
            stick = friction[i] / STICK if joint.stick_stiffness is None else joint.stick_stiffness
            damping = 2.0 * np.sqrt(stick * max(0.0, rows.inertia[dof]))  # critical, so that it comes to rest
            rows.add(info.name, el.JOINT_FRICTION, [friction[i], stick, damping], dof=dof, state=rows.states)
            rows.states += 1
    if joint.limit_stiffness is not None and np.isfinite(model.lower[info.v]).all():
        low, high = model.lower[info.v][0], model.upper[info.v][0]
        parameters = [low, high, joint.limit_stiffness, joint.limit_damping or 0.0]
        rows.add(info.name, el.JOINT_LIMIT, parameters, dof=info.v.start, q=info.q.start)


def _joint_place(rows: _Rows, force) -> dict[str, int]:
    info = rows.model.joint(force.joint)
    return {"dof": info.v.start + force.dof, "q": info.q.start + min(force.dof, info.nq - 1)}


def _value(rows: _Rows, name: str, force) -> None:
    signal = rows.signal(force.value, f"forces.{name}.value")
    rows.add(name, el.JOINT_FORCE, [], signal=signal, **_joint_place(rows, force))


def _torsion(rows: _Rows, name: str, force) -> None:
    parameters = [force.stiffness, force.rest_q(), force.damping, force.preload]
    rows.add(name, el.JOINT_SPRING, parameters, **_joint_place(rows, force))


def _motor(rows: _Rows, name: str, force) -> None:
    place = _joint_place(rows, force)
    hold = rows.model.q0[place["q"]]
    target = rows.signal(hold if force.target is None else force.target, f"forces.{name}.target")
    rows.signal(force.target_velocity, f"forces.{name}.target_velocity")
    limit = np.inf if force.limit is None else force.limit
    rows.add(name, el.MOTOR, [force.kp, force.kd, limit], signal=target, **place)


def _spring(rows: _Rows, name: str, force) -> None:
    a, _, p_A = rows.anchor(force.parent, force.at)
    b, _, p_B = rows.anchor(force.child, force.child_at)
    rows.add(name, el.LINE, [*p_A, *p_B, force.stiffness, force.damping, _free_length(rows, force)], a=a, b=b)


def _free_length(rows: _Rows, force) -> float:
    if force.length is not None:
        return force.length
    poses = rows.model.forward_kinematics(rows.model.q0)
    ends = [poses[body] @ [*at, 1.0] for body, at in ((force.parent, force.at), (force.child, force.child_at))]
    return float(np.linalg.norm(ends[1] - ends[0]))


def _strut(rows: _Rows, name: str, force) -> None:
    a, _, p_A = rows.anchor(force.parent, force.at)
    b, _, p_B = rows.anchor(force.child, force.child_at)
    p = np.zeros(el.N_ELEMENT_F)
    p[:6] = [*p_A, *p_B]
    p[[el.S_K, el.S_FREE]] = force.stiffness, _free_length(rows, force)
    p[el.S_SHORT] = -np.inf if force.shortest is None else force.shortest
    p[el.S_LONG] = np.inf if force.longest is None else force.longest
    p[[el.S_LOW, el.S_HIGH]] = force.midstroke or (-np.inf, np.inf)
    p[el.S_BLEND] = force.blend
    p[[el.S_IN, el.S_OUT]] = force.compression, force.rebound
    p[el.S_END_IN] = force.compression if force.end_compression is None else force.end_compression
    p[el.S_END_OUT] = force.rebound if force.end_rebound is None else force.end_rebound
    table = np.ravel(force.stop or ())
    p[el.S_ROWS] = len(table) // 2
    p[el.S_TABLE : el.S_TABLE + len(table)] = table
    rows.add(name, el.STRUT, p, a=a, b=b)


def _bushing(rows: _Rows, name: str, force) -> None:
    a, R_A, p_A = rows.anchor(force.parent, force.at, rotation(force.rpy_deg, force.quat))
    b, R_B, p_B = rows.anchor(force.child, force.child_at, rotation(force.child_rpy_deg, force.child_quat))
    parameters = [*R_A.ravel(), *p_A, *R_B.ravel(), *p_B, *force.stiffness, *force.damping]
    rows.add(name, el.BUSHING, parameters, a=a, b=b)


def _wrench(rows: _Rows, name: str, force) -> None:
    row, R, p = rows.anchor(force.body, force.at)
    signals = [rows.signal(x, f"forces.{name}.moment") for x in force.moment]
    signals += [rows.signal(x, f"forces.{name}.force") for x in force.force]
    rows.add(name, el.WRENCH, [*R.ravel(), *p, float(force.axes == "body")], a=row, signal=signals[0])


_FORCES = {
    "torque": _value,
    "force": _value,
    "torsion": _torsion,
    "motor": _motor,
    "spring": _spring,
    "strut": _strut,
    "bushing": _bushing,
    "wrench": _wrench,
}
