"""Actuators as motors and forces with their names.

In MuJoCo the force of an actuator is gain x control + bias, with bias = b0 + b1 length + b2 velocity. Where b1 or b2
pulls back it is a motor, tau = kp (target - q) + kd (target_velocity - v); without both it is a torque or force. Each
starts with the control of the keyframe, or 0, and is changed in a run by `force_values`, in the unit of its joint.
"""

from typing import Any

import numpy as np

from gori.formats.mjcf.drives import IN_JOINT, IN_SITE, gear_of, on_joints, sum_of, transmission
from gori.formats.mjcf.joints import FREE
from gori.formats.mjcf.source import MjcfSource

Forces = dict[str, dict[str, Any]]
_FIXED_GAIN, _AFFINE_GAIN = 0, 1
_NO_BIAS, _AFFINE_BIAS = 0, 1


def actuators(source: MjcfSource) -> Forces:
    """Forces of all actuators that are linear; the others are left out by name."""
    forces: Forces = {}
    names = source.names.actuators
    if source.disabled("actuation"):
        if names:
            source.left.add("actuators, which <flag actuation> disables", *names)
        return forces
    for k, name in enumerate(names):
        if reason := _unlike(source, k):
            source.left.add(reason, name)
        else:
            forces |= _force(source, k, name)
    return forces


def _unlike(source: MjcfSource, k: int) -> str | None:
    """Why no motor or force is like this actuator."""
    m = source.m
    if m.actuator_dyntype[k] != 0:
        return "actuator with an activation of its own"
    if m.actuator_ctrlnum[k] != 1:
        return "actuator with several inputs"
    gain = m.actuator_gainprm[k]
    if m.actuator_gaintype[k] not in (_FIXED_GAIN, _AFFINE_GAIN) or m.actuator_biastype[k] not in (
        _NO_BIAS,
        _AFFINE_BIAS,
    ):
        return "actuator that is not linear"
    if m.actuator_gaintype[k] == _AFFINE_GAIN and gain[1:3].any():
        return "actuator whose gain depends on its length or speed"
    if m.actuator_delay[k] > 0.0:
        return "actuator with a delay"
    if m.actuator_plugin[k] >= 0:
        return "actuator of a plugin"
    if m.actuator_dampingpoly[k].any():
        return "actuator whose damping is not linear"
    if transmission(m, k) is None and not _is_constant_wrench(m, k):
        return "actuator with a transmission that is not linear in the coordinates"
    if not gear_of(m, k).any():
        return "actuator with gear 0"
    return None


def _is_constant_wrench(m: Any, k: int) -> bool:
    """Whether it pushes at a site, or at a joint of several degrees of freedom, whatever the pose is."""
    if m.actuator_biastype[k] == _AFFINE_BIAS and m.actuator_biasprm[k, 1:3].any():
        return False
    return m.actuator_trntype[k] == IN_JOINT or (m.actuator_trntype[k] == IN_SITE and m.actuator_trnid[k, 1] < 0)


def _force(source: MjcfSource, k: int, name: str) -> Forces:
    m = source.m
    control = _control(source, k)
    gain = float(m.actuator_gainprm[k, 0])
    b0, b1, b2 = (float(b) for b in m.actuator_biasprm[k, :3]) if m.actuator_biastype[k] == _AFFINE_BIAS else (0.0,) * 3
    low, high = (float(x) for x in m.actuator_forcerange[k]) if m.actuator_forcelimited[k] else (-np.inf, np.inf)
    lever = transmission(m, k)
    if lever is None:
        return _wrench(source, k, name, float(np.clip(gain * control + b0, low, high)))
    if not (b1 or b2):
        return dict(on_joints(source, name, lever, float(np.clip(gain * control + b0, low, high))))
    if len(lever) == 1 and b1 <= 0.0 and b2 <= 0.0 and low == -high:
        ((joint, gear),) = lever.items()
        return {name: _motor(source, joint, gear, (gain * control + b0, b1, b2), high)}
    length, speed = sum_of(lever, source.names, "q"), sum_of(lever, source.names, "v")
    if length is None:
        source.left.add("actuator that takes an expression, with joints whose names no expression can spell", name)
        return {}
    force = f"({gain * control + b0!r} + {b1!r}*{length} + {b2!r}*{speed})"
    if low > -np.inf or high < np.inf:
        force = f"clamp({force}, {low!r}, {high!r})"
    return dict(on_joints(source, name, lever, force))


def _control(source: MjcfSource, k: int) -> float:
    """Start value of its input, within its range."""
    m = source.m
    at = int(m.actuator_ctrladr[k])
    control = float(source.ctrl[at])
    if m.actuator_ctrllimited[at] and not source.disabled("clampctrl"):
        control = float(np.clip(control, *m.actuator_ctrlrange[at]))
    return control


def _motor(
    source: MjcfSource, joint: int, gear: float, law: tuple[float, float, float], limit: float
) -> dict[str, Any]:
    """tau = g (a + b1 g q + b2 g v), with a = gain x control + b0, as a motor."""
    m, (a, b1, b2) = source.m, law
    motor: dict[str, Any] = {"type": "motor", "joint": source.names.joints[joint]}
    if b1:
        motor |= {"target": -a / (b1 * gear) + 0.0, "kp": -b1 * gear**2}
    if b2:
        motor["kd"] = -b2 * gear**2
        if not b1:
            motor["target_velocity"] = -a / (b2 * gear) + 0.0
    limit *= abs(gear)
    if m.jnt_actfrclimited[joint]:
        low, high = m.jnt_actfrcrange[joint]
        limit = min(limit, high) if low == -high else limit
    if np.isfinite(limit) and limit > 0.0:
        motor["limit"] = float(limit)
    return motor


def _wrench(source: MjcfSource, k: int, name: str, force: float) -> Forces:
    """A force along the world's axes and a moment along the body's, or both along those of a site."""
    m, names = source.m, source.names
    target, gear = int(m.actuator_trnid[k, 0]), gear_of(m, k) * force + 0.0
    push, twist = gear[:3].tolist(), gear[3:].tolist()
    if m.actuator_trntype[k] == IN_SITE:
        return {name: {"type": "wrench", "body": names.sites[target], "force": push, "moment": twist, "axes": "body"}}
    joint = names.joints[target]
    if m.jnt_type[target] != FREE:
        rows = {names.force(f"{name}.{i}"): (i, push[i]) for i in range(3) if gear_of(m, k)[i]}
        return {part: {"type": "torque", "joint": joint, "dof": i, "value": value} for part, (i, value) in rows.items()}
    body = names.bodies[m.jnt_bodyid[target]]
    made = {f"{name}.force": {"type": "wrench", "body": body, "force": push},
            f"{name}.moment": {"type": "wrench", "body": body, "moment": twist, "axes": "body"}}  # fmt: skip
    asked = {f"{name}.force": gear_of(m, k)[:3].any(), f"{name}.moment": gear_of(m, k)[3:].any()}
    return {names.force(part): wrench for part, wrench in made.items() if asked[part]}
