"""How actuators and tendons pull at joints: transmissions that are linear in the coordinates, and what drives add.

An actuator of gear g on a joint has the length g q, and its force f acts as g f. A fixed tendon has the length
sum c_i q_i, and pulls with c_i f at each joint; an actuator on it has both factors.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gori.errors import FileError
from gori.spec.expression import parse

IN_JOINT, IN_PARENT, IN_TENDON, IN_SITE = 0, 1, 3, 4
"""kinds of transmission in an MjModel"""
_SCALAR = (2, 3)
"""slide and hinge joints"""
_WRAP_JOINT = 1
"""a joint in the path of a tendon: all of them make it a fixed one"""


class Reflected(NamedTuple):
    """What drives and tendons add to the joints, by degree of freedom (nv,); and limits (njnt, 2) of their q."""

    damping: np.ndarray
    armature: np.ndarray
    friction: np.ndarray
    limits: np.ndarray


def reflected(m: Any, file: Any, names: Any) -> Reflected:
    """Damping and inertia of drives, each times the square of its gear; and what tendons of one joint have."""
    damping, armature, friction = np.zeros(m.nv), np.zeros(m.nv), np.zeros(m.nv)
    limits = np.tile((-np.inf, np.inf), (m.njnt, 1))
    tendon = np.array(m.tendon_armature)
    for k in range(len(names.actuators)):
        d, a = float(m.actuator_damping[k]), float(m.actuator_armature[k])
        if not (d or a):
            continue
        gear, target = gear_of(m, k)[0], int(m.actuator_trnid[k, 0])
        if m.actuator_trntype[k] == IN_TENDON:
            tendon[target] += a * gear**2
        elif m.jnt_type[target] in _SCALAR:
            dof = m.jnt_dofadr[target]
            damping[dof] += d * gear**2
            armature[dof] += a * gear**2
        elif a:
            raise FileError(
                f"actuator {names.actuators[k]!r}: armature on a ball or free joint has no counterpart", file
            )
    for k in np.flatnonzero(tendon):
        lever = levers(m, int(k))
        if lever is None or len(lever) != 1:
            raise FileError(
                f"tendon {names.tendons[k]!r}: its armature is inertia that joints share, which has no counterpart",
                file,
            )
        ((joint, c),) = lever.items()
        armature[m.jnt_dofadr[joint]] += c**2 * tendon[k]
    for k in range(m.ntendon):
        if (lever := one_joint(m, k)) is not None:
            joint, c = lever
            friction[m.jnt_dofadr[joint]] += abs(c) * m.tendon_frictionloss[k]
            if m.tendon_limited[k]:
                low, high = sorted(m.tendon_range[k] / c)
                limits[joint] = max(limits[joint, 0], low), min(limits[joint, 1], high)
    return Reflected(damping, armature, friction, limits)


def one_joint(m: Any, tendon: int) -> tuple[int, float] | None:
    """The joint of a fixed tendon that has only one, and its factor."""
    lever = levers(m, tendon)
    if lever is None or len(lever) != 1:
        return None
    ((joint, c),) = lever.items()
    return (joint, c) if c else None


def levers(m: Any, tendon: int) -> dict[int, float] | None:
    """Joints of a fixed tendon, each with its factor; None if the tendon is spatial."""
    path = range(m.tendon_adr[tendon], m.tendon_adr[tendon] + m.tendon_num[tendon])
    if any(m.wrap_type[w] != _WRAP_JOINT for w in path):
        return None
    found: dict[int, float] = {}
    for w in path:
        joint = int(m.wrap_objid[w])
        found[joint] = found.get(joint, 0.0) + float(m.wrap_prm[w])
    return found


def gear_of(m: Any, actuator: int) -> np.ndarray:
    """Its gear (6,)."""
    return m.actuator_gear[m.actuator_outadr[actuator]]


def transmission(m: Any, actuator: int) -> dict[int, float] | None:
    """Joints of one degree of freedom that an actuator acts on, each with its factor; None if it is of another kind."""
    kind, target, gear = (
        m.actuator_trntype[actuator],
        int(m.actuator_trnid[actuator, 0]),
        float(gear_of(m, actuator)[0]),
    )
    if kind in (IN_JOINT, IN_PARENT) and m.jnt_type[target] in _SCALAR:
        return {target: gear}
    if kind == IN_TENDON and (lever := levers(m, target)) is not None:
        return {joint: gear * c for joint, c in lever.items()}
    return None


def sum_of(lever: dict[int, float], names: Any, reading: str) -> str | None:
    """The length of a tendon (`reading` "q") or its rate ("v") as an expression; None if a name cannot be spelled."""
    parts = []
    for joint, c in lever.items():
        name = f"{names.joints[joint]}.{reading}"
        try:
            parse(name)
        except ValueError:
            return None
        parts.append(f"{c!r}*{name}")
    return "(" + " + ".join(parts) + ")"


def on_joints(source: Any, name: str, lever: dict[int, float], value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Forces on all joints of a lever, each `value` times its factor: a number, or an expression in brackets."""
    for joint, c in lever.items():
        own = source.names.joints[joint]
        part = name if len(lever) == 1 else source.names.force(f"{name}.{own}")
        total = float(c * value) if isinstance(value, float) else f"{c!r}*{value}"
        kind = "force" if source.m.jnt_type[joint] == _SCALAR[0] else "torque"
        yield part, {"type": kind, "joint": own, "value": total}
