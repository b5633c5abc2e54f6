"""Tendons: fixed ones pull at their joints; spatial ones that are straight are springs between two points."""

from typing import Any

import numpy as np

from gori.formats.mjcf.drives import levers, on_joints, one_joint, sum_of
from gori.formats.mjcf.source import MjcfSource

_WRAP_SITE = 3
Forces = dict[str, dict[str, Any]]


def tendons(source: MjcfSource) -> Forces:
    """Forces of all tendons; what they are used for besides stands where it is used."""
    m, names, forces = source.m, source.names, {}
    for k, name in enumerate(names.tendons):
        lever = levers(m, k)
        alone = one_joint(m, k) is not None  # its limit and friction are those of the joint
        if m.tendon_limited[k] and not source.disabled("limit") and not alone:
            source.left.add("limit of a tendon over several joints, or of a spatial one", name)
        if m.tendon_frictionloss[k] and not source.disabled("frictionloss") and not alone:
            source.left.add("friction of a tendon over several joints, or of a spatial one", name)
        if m.tendon_stiffnesspoly[k].any() or m.tendon_dampingpoly[k].any() or m.tendon_springyield[k] > 0.0:
            source.left.add("spring or damper of a tendon that is not linear", name)
        stiffness = 0.0 if source.disabled("spring") else float(m.tendon_stiffness[k])
        damping = 0.0 if source.disabled("damper") else float(m.tendon_damping[k])
        if lever is None:
            forces |= _line(source, k, name, stiffness, damping)
        elif stiffness or damping:
            forces |= _on_joints(source, k, name, lever, stiffness, damping)
    return forces


def _on_joints(source: MjcfSource, k: int, name: str, lever: dict, stiffness: float, damping: float) -> Forces:
    """A spring that is free between two lengths, and a damper, along a sum of coordinates."""
    low, high = (float(x) for x in source.m.tendon_lengthspring[k])
    if len(lever) == 1 and low == high:
        ((joint, c),) = lever.items()
        motor = {"type": "motor", "joint": source.names.joints[joint], "target": low / c, "kp": stiffness * c**2}
        return {source.names.force(name): motor | ({"kd": damping * c**2} if damping else {})}
    length, speed = sum_of(lever, source.names, "q"), sum_of(lever, source.names, "v")
    if length is None:
        source.left.add("spring or damper of a tendon, on joints whose names no expression can spell", name)
        return {}
    pull = f"{stiffness!r}*({low!r} - {length})"
    if low < high:
        pull = f"{stiffness!r}*(max({low!r} - {length}, 0) - max({length} - {high!r}, 0))"
    name = source.names.force(name) if len(lever) == 1 else name
    return dict(on_joints(source, name, lever, f"({pull} - {damping!r}*{speed})"))


def _line(source: MjcfSource, k: int, name: str, stiffness: float, damping: float) -> Forces:
    """A straight tendon between two sites; one that bends around something, or hangs slack, is left out."""
    m, names = source.m, source.names
    path = np.arange(m.tendon_adr[k], m.tendon_adr[k] + m.tendon_num[k])
    low, high = m.tendon_lengthspring[k]
    if len(path) != 2 or (m.wrap_type[path] != _WRAP_SITE).any() or (stiffness and low != high):
        source.left.add("spatial tendon that bends or hangs slack", name)
        return {}
    if not (stiffness or damping):
        source.left.add("spatial tendon without stiffness", name)
        return {}
    a, b = (int(m.wrap_objid[w]) for w in path)
    if m.body_weldid[m.site_bodyid[a]] == m.body_weldid[m.site_bodyid[b]]:
        source.left.add("spatial tendon on one body", name)
        return {}
    spring = {"type": "spring", "parent": names.sites[a], "child": names.sites[b], "stiffness": stiffness}
    spring |= {"damping": damping} if damping else {}
    return {names.force(name): spring | {"length": float(low)}}
