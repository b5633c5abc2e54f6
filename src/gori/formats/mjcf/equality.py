"""Equality constraints: cuts, mimic joints, and joints that are held.

MuJoCo holds them by springs of its own; here they are exact.
"""

from typing import Any

from gori.formats.mjcf.drives import levers
from gori.formats.mjcf.source import MjcfSource
from gori.formats.plain import pose_of
from gori.spec import GROUND

CONNECT, WELD, JOINT, TENDON = 0, 1, 2, 3
"""kinds of equalities in an MjModel"""
_SITE = 6
"""kind of object that an equality may name instead of bodies"""
_SCALAR = (2, 3)

Parts = dict[str, dict[str, Any]]


def equalities(source: MjcfSource, joints: Parts) -> tuple[Parts, Parts]:
    """Cuts and motions; `mimic` is put into the joints."""
    m, names = source.m, source.names
    cuts: Parts = {}
    motions: Parts = {}
    for k, name in enumerate(names.equalities):
        kind = int(m.eq_type[k])
        if not m.eq_active0[k] or source.disabled("equality"):
            source.left.add("equality that is not active", name)
        elif kind in (CONNECT, WELD):
            _add_cut(source, k, name, cuts)
        elif kind == JOINT:
            a, b = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
            _couple(source, k, {a: 1.0}, {b: 1.0} if b >= 0 else {}, joints, motions)
        elif kind == TENDON:
            ends = [{} if t < 0 else levers(m, int(t)) for t in (m.eq_obj1id[k], m.eq_obj2id[k])]
            if ends[0] is None or ends[1] is None:
                source.left.add("equality of spatial tendons", name)
            else:
                _couple(source, k, ends[0], ends[1], joints, motions)
        else:
            source.left.add("equality of a flex", name)
    return cuts, motions


# ---- two bodies


def _add_cut(source: MjcfSource, k: int, name: str, cuts: Parts) -> None:
    """Anchors on two bodies that coincide; a weld holds the rotation as well."""
    m, names = source.m, source.names
    first, second = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
    data, no_turn = m.eq_data[k], (1.0, 0.0, 0.0, 0.0)
    weld = m.eq_type[k] == WELD
    if m.eq_objtype[k] == _SITE:
        poses = [(m.site_pos[s], m.site_quat[s] if weld else no_turn) for s in (first, second)]
        first, second = int(m.site_bodyid[first]), int(m.site_bodyid[second])
    elif weld:
        poses = [(data[3:6], data[6:10]), (data[:3], no_turn)]
    else:
        poses = [(data[:3], no_turn), (data[3:6], no_turn)]
    if m.body_weldid[first] == m.body_weldid[second] or names.bodies[first] == names.bodies[second]:
        source.left.add("equality of bodies that do not move on each other", name)
        return
    child = {f"child_{key}": value for key, value in pose_of(*poses[1]).items()}
    cuts[name] = {
        "type": "fixed" if weld else "spherical",
        "parent": names.bodies[first],
        "child": names.bodies[second],
        **pose_of(*poses[0]),
        **child,
    }
    mocap = [names.bodies[b] for b in (first, second) if m.body_mocapid[b] >= 0]
    if mocap and GROUND not in mocap:
        source.left.note(f"equality {name!r} holds a body at the mocap body {mocap[0]!r}, which stands still")


# ---- coordinates


def _couple(
    source: MjcfSource, k: int, one: dict[int, float], other: dict[int, float], joints: Parts, motions: Parts
) -> None:
    """sum c_i (q_i - q_i0) = a0 + a1 sum d_i (q_i - q_i0), as a mimic of two joints or as one joint that is held."""
    m, names = source.m, source.names
    name, law = names.equalities[k], m.eq_data[k, :5]
    if law[2:].any() and other:
        source.left.add("equality of higher order between joints", name)
        return
    factors = {joint: one.get(joint, 0.0) - law[1] * other.get(joint, 0.0) for joint in {**one, **other}}
    factors = {joint: c for joint, c in factors.items() if c}
    if not factors or len(factors) > 2 or any(m.jnt_type[joint] not in _SCALAR for joint in factors):
        source.left.add("equality of more than two joints" if len(factors) > 2 else "equality without effect", name)
        return
    # sum c_i q_i = total
    total = law[0] + sum(c * m.qpos0[m.jnt_qposadr[joint]] for joint, c in factors.items())
    if len(factors) == 1:
        ((joint, c),) = factors.items()
        motions[source.names.force(f"{name}.hold")] = {"joint": names.joints[joint], "value": float(total / c)}
        return
    for follower, leader in (tuple(factors), tuple(factors)[::-1]):
        mimic = {
            "joint": names.joints[leader],
            "ratio": float(-factors[leader] / factors[follower]),
            "offset": float(total / factors[follower] + 0.0),
        }
        if _may_follow(joints, names.joints[follower], names.joints[leader]):
            joints[names.joints[follower]]["mimic"] = mimic
            return
    source.left.add("equality of joints that are coupled already", name)


def _may_follow(joints: Parts, follower: str, leader: str) -> bool:
    """Whether a joint is still free to mimic another, and that one does not follow it."""
    if "mimic" in joints[follower]:
        return False
    while leader != follower and "mimic" in joints[leader]:
        leader = joints[leader]["mimic"]["joint"]
    return leader != follower
