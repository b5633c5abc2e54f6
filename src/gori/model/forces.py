"""Forces of a Spec -> rows of elements for the kernels, and the table of their signals."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.kernels.forces import elements as el
from gori.kernels.forces import parameters as par
from gori.model.loops.frames import start_of_cut
from gori.model.loops.motions import motion_signal
from gori.model.model import Model
from gori.model.signals import SignalTable
from gori.spec.base import rotation

STICK, SOFTEST = 1e-3, 1e-2
"""deflection at which Coulomb friction breaks away, where the joint does not give a stick_stiffness, and up to which it
is made softer for light joints [rad, m]"""
FASTEST = 500.0
"""natural frequency of a sticking joint above which it is [rad/s]: steps of 1 ms follow it"""


class ForceTables(NamedTuple):
    """All force elements of a Model, and the names of their rows."""

    element_i: np.ndarray
    element_f: np.ndarray
    signal_i: np.ndarray
    signal_f: np.ndarray
    depth: int
    probes: tuple[str, ...]  # bodies and frames that the signals read
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
        """What each degree of freedom moves in the start pose: see `moved_inertia`."""
        return moved_inertia(self.model.tree_mass_matrix(self.model.q0), self.model.friction > 0.0)

    def add(self, name: str, kind: int, parameters: np.ndarray, dof=0, q=0, a=0, b=0, signal=0, state=0) -> None:
        self.index.append([kind, dof, q, a, b, signal, state])
        self.values.append(parameters)
        self.names.append(name)

    def signal(self, value: Any, where: str) -> int:
        self.signal_names.append(where)
        return self.signals.add(value, where, self.model)

    def motion(self, name: str) -> int:
        """The first of the three signals of a motion."""
        model, motion = self.model, self.model.spec.motions[name]
        if motion.joint in model.spec.cuts:
            start = start_of_cut(model, motion.joint)[motion.axis]
        else:
            start = model.q0[model.joint(motion.joint).q.start + motion.axis]
        where = f"motion {name!r}"
        self.signal_names += [where, f"the rate of {where}", f"the acceleration of {where}"]
        return self.signals.add_motion(motion_signal(motion, float(start)), where, self.model, motion.interpolation)

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
        np.array(rows.values).reshape(-1, par.N_ELEMENT_F),
        signal_i,
        signal_f,
        depth,
        tuple(rows.signals.probes),
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
        raise UnsupportedError(f"joint {info.name!r}: a free joint has no stiffness; use a bushing between the bodies")
    if info.type == "spherical" and k.any():
        if np.ptp(k) or np.ptp(d):
            raise UnsupportedError(f"joint {info.name!r}: a spherical joint takes one stiffness for all directions")
        parameters = par.row(par.BALL_SPRING_F, stiffness=k[0], rest=model.rest[info.q], damping=d[0])
        rows.add(info.name, el.BALL_SPRING, parameters, dof=info.v.start, q=info.q.start)
    elif k.any() or d.any():
        for i, dof in enumerate(dofs):
            # quaternion joints come here with damping alone: their q is not read
            at = info.q.start + min(i, info.nq - 1)
            rest = model.rest[at] if k[i] else 0.0
            parameters = par.row(par.SPRING_F, stiffness=k[i], rest=rest, damping=d[i], preload=0.0)
            rows.add(info.name, el.JOINT_SPRING, parameters, dof=dof, q=at)
    for i, dof in enumerate(dofs):
        if friction[i] > 0.0:
            stick, damping = stick_of(friction[i], joint.stick_stiffness, rows.inertia[dof], bool(model.loops))
            parameters = par.row(par.FRICTION_F, coulomb=friction[i], stiffness=stick, damping=damping)
            rows.add(info.name, el.JOINT_FRICTION, parameters, dof=dof, state=rows.states)
            rows.states += 1
    if joint.limit_stiffness is not None and np.isfinite(model.lower[info.v]).all():
        low, high = model.lower[info.v][0], model.upper[info.v][0]
        damping = joint.limit_damping or 0.0
        parameters = par.row(par.LIMIT_F, lower=low, upper=high, stiffness=joint.limit_stiffness, damping=damping)
        rows.add(info.name, el.JOINT_LIMIT, parameters, dof=info.v.start, q=info.q.start)


def moved_inertia(M: np.ndarray, rubs: np.ndarray) -> np.ndarray:
    """What each degree of freedom with friction moves (..., nv), at least [kg m2, kg]: those without are free, and
    those with move against each other as they can.

    As a diagonal matrix it is J <= M, so that no motion of sticking joints is faster than sqrt(s/J) of one of them.

    M      (..., nv, nv) mass matrix
    rubs   (nv,) which of them have friction
    """
    held = np.maximum(np.diagonal(M, axis1=-2, axis2=-1), 0.0)
    try:
        W = np.linalg.inv(M)[..., rubs, :][..., rubs]
    except np.linalg.LinAlgError:
        return held if M.ndim == 2 else np.stack([moved_inertia(one, rubs) for one in M])
    own = np.diagonal(W, axis1=-2, axis2=-1)
    good = np.asarray(np.isfinite(W).all(axis=(-2, -1)) & (own > 0.0).all(axis=-1))
    scale = 1.0 / np.sqrt(np.where(good[..., None], own, 1.0))
    scaled = np.where(good[..., None, None], scale[..., :, None] * W * scale[..., None, :], np.eye(W.shape[-1]))
    held[..., rubs] = np.where(good[..., None], scale**2 / np.linalg.eigvalsh(scaled)[..., -1:], held[..., rubs])
    return held


def stick_of(friction: Any, stiffness: Any, inertia: Any, looped: bool) -> tuple[Any, Any]:
    """Stiffness and damping of friction that sticks: critical, so that the joint comes to rest. Numbers or arrays.

    By default it slides after STICK, or later where it would be faster than FASTEST.
    """
    if stiffness is None:
        stiffness = np.minimum(friction / STICK, np.maximum(friction / SOFTEST, inertia * FASTEST**2))
    # what the loop moves besides is not known, and the part itself may have no mass
    unknown = looped | ~(np.asarray(inertia) > 0.0)
    inertia = np.where(unknown, np.maximum(inertia, stiffness / FASTEST**2), inertia)
    return stiffness, 2.0 * np.sqrt(stiffness * inertia)


def stick_rate(parameters: np.ndarray) -> float:
    """Rate [1/s] with which a joint with the parameters of FRICTION_F sticks: its natural frequency."""
    return 2.0 * float(parameters[par.FRICTION_F.stiffness]) / float(parameters[par.FRICTION_F.damping])


def _axis(rows: _Rows, force) -> dict[str, int]:
    info = rows.model.joint(force.joint)
    return {"dof": info.v.start + force.dof, "q": info.q.start + min(force.dof, info.nq - 1)}


def _value(rows: _Rows, name: str, force) -> None:
    signal = rows.signal(force.value, f"forces.{name}.value")
    rows.add(name, el.JOINT_FORCE, np.zeros(par.N_ELEMENT_F), signal=signal, **_axis(rows, force))


def _torsion(rows: _Rows, name: str, force) -> None:
    parameters = par.row(
        par.SPRING_F,
        stiffness=force.stiffness,
        rest=force.rest_q(),
        damping=force.damping,
        preload=force.preload,
    )
    rows.add(name, el.JOINT_SPRING, parameters, **_axis(rows, force))


def _motor(rows: _Rows, name: str, force) -> None:
    axis = _axis(rows, force)
    hold = rows.model.q0[axis["q"]]
    target = rows.signal(hold if force.target is None else force.target, f"forces.{name}.target")
    rows.signal(force.target_velocity, f"forces.{name}.target_velocity")
    limit = np.inf if force.limit is None else force.limit
    parameters = par.row(par.MOTOR_F, kp=force.kp, kd=force.kd, limit=limit)
    rows.add(name, el.MOTOR, parameters, signal=target, **axis)


def _spring(rows: _Rows, name: str, force) -> None:
    a, _, p_A = rows.anchor(force.parent, force.at)
    b, _, p_B = rows.anchor(force.child, force.child_at)
    parameters = par.row(
        par.LINE_F,
        point_a=p_A,
        point_b=p_B,
        stiffness=force.stiffness,
        damping=force.damping,
        free_length=_free_length(rows, force),
    )
    rows.add(name, el.LINE, parameters, a=a, b=b)


def _free_length(rows: _Rows, force) -> float:
    if force.length is not None:
        return force.length
    poses = rows.model.forward_kinematics(rows.model.q0)
    ends = [poses[body] @ [*at, 1.0] for body, at in ((force.parent, force.at), (force.child, force.child_at))]
    return float(np.linalg.norm(ends[1] - ends[0]))


def _strut(rows: _Rows, name: str, force) -> None:
    a, _, p_A = rows.anchor(force.parent, force.at)
    b, _, p_B = rows.anchor(force.child, force.child_at)
    midstroke, table = force.midstroke or (-np.inf, np.inf), np.ravel(force.stop or ())
    parameters = par.row(
        par.STRUT_F,
        point_a=p_A,
        point_b=p_B,
        stiffness=force.stiffness,
        free_length=_free_length(rows, force),
        shortest=-np.inf if force.shortest is None else force.shortest,
        longest=np.inf if force.longest is None else force.longest,
        midstroke_from=midstroke[0],
        midstroke_to=midstroke[1],
        blend=force.blend,
        compression=force.compression,
        rebound=force.rebound,
        end_compression=force.compression if force.end_compression is None else force.end_compression,
        end_rebound=force.rebound if force.end_rebound is None else force.end_rebound,
        stop_rows=len(table) // 2,
        stop_table=table,
    )
    rows.add(name, el.STRUT, parameters, a=a, b=b)


def _bushing(rows: _Rows, name: str, force) -> None:
    a, R_A, p_A = rows.anchor(force.parent, force.at, rotation(force.rpy_deg, force.quat))
    b, R_B, p_B = rows.anchor(force.child, force.child_at, rotation(force.child_rpy_deg, force.child_quat))
    parameters = par.row(
        par.BUSHING_F, R_A=R_A, p_A=p_A, R_B=R_B, p_B=p_B, stiffness=force.stiffness, damping=force.damping
    )
    rows.add(name, el.BUSHING, parameters, a=a, b=b)


def _wrench(rows: _Rows, name: str, force) -> None:
    row, R, p = rows.anchor(force.body, force.at)
    signals = [rows.signal(x, f"forces.{name}.moment") for x in force.moment]
    signals += [rows.signal(x, f"forces.{name}.force") for x in force.force]
    parameters = par.row(par.WRENCH_F, R=R, p=p, own_axes=force.axes == "body")
    rows.add(name, el.WRENCH, parameters, a=row, signal=signals[0])


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
