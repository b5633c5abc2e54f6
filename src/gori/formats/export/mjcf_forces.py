"""Forces of a Spec as actuators and tendons of MJCF."""

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gori.formats.export.elements import add
from gori.formats.export.tree import Pose, axes_of, start_of
from gori.formats.left_out import LeftOut
from gori.spec import GROUND, Spec

SiteMaker = Callable[[str, str, Pose], str]


def write_forces(
    spec: Spec, left: LeftOut, root: ElementTree.Element, elements: dict[str, ElementTree.Element], site: SiteMaker
) -> list[float]:
    """All forces; returns the start values of the actuators' controls, in their order."""
    actuators, tendons = ElementTree.Element("actuator"), ElementTree.Element("tendon")
    controls: list[float] = []
    for name, force in spec.forces.items():
        written = False
        if force.type in ("torque", "force", "motor"):
            written = _motor(spec, name, force, actuators, controls)
        elif force.type == "wrench":
            written = _gravcomp(spec, force, elements) or _jet(name, force, actuators, controls, spec, site)
        elif force.type == "spring" and force.length is not None:
            ends = [_end(spec, name, force, side, site) for side in ("parent", "child")]
            line = add(tendons, "spatial", name=name, stiffness=force.stiffness, damping=force.damping or None,
                       springlength=force.length)  # fmt: skip
            for end in ends:
                add(line, "site", site=end)
            written = True
        elif force.type == "torsion" and (not force.preload or force.stiffness):
            rest = force.rest_q() + (force.preload / force.stiffness if force.preload else 0.0)
            fixed = add(tendons, "fixed", name=name, stiffness=force.stiffness, damping=force.damping or None,
                        springlength=rest)  # fmt: skip
            add(fixed, "joint", joint=_axis(spec, force), coef=1.0)
            written = True
        if not written:
            left.add(f"{force.type} that MJCF cannot say", name)
    root.extend(section for section in (tendons, actuators) if len(section))
    return controls


def _axis(spec: Spec, force: Any) -> str:
    """The name that one degree of freedom of a joint has in MJCF."""
    axes = axes_of(force.joint, spec.joints[force.joint]) or ()
    return axes[min(force.dof, len(axes) - 1)].name if axes else force.joint


def _motor(spec: Spec, name: str, force: Any, actuators: ElementTree.Element, controls: list[float]) -> bool:
    joint = spec.joints[force.joint]
    if joint.type in ("spherical", "free"):
        if joint.type == "free" or not isinstance(force.value, float):
            return False
        add(actuators, "motor", name=name, joint=force.joint, gear=np.eye(3)[force.dof])
        controls.append(force.value)
        return True
    target = _axis(spec, force)
    if force.type != "motor":
        if not isinstance(force.value, float):
            return False
        add(actuators, "motor", name=name, joint=target)
        controls.append(force.value)
        return True
    start = start_of(joint, "q")
    at = (
        force.target
        if force.target is not None
        else 0.0
        if start is None
        else float(start[min(force.dof, len(start) - 1)])
    )
    if not (isinstance(at, float) and isinstance(force.target_velocity, float)):
        return False
    law: dict[str, Any] = {"gainprm": force.kp, "biasprm": (force.kd * force.target_velocity, -force.kp, -force.kd)}
    if not force.kp:
        law = {"gainprm": force.kd, "biasprm": (0.0, 0.0, -force.kd)}
        at = force.target_velocity
    limits = {"forcerange": (-force.limit, force.limit)} if force.limit is not None else {}
    add(actuators, "general", name=name, joint=target, biastype="affine", **law, **limits)
    controls.append(at)
    return True


def _gravcomp(spec: Spec, force: Any, elements: dict[str, ElementTree.Element]) -> bool:
    """Whether a wrench is a constant force at the centre of mass against gravity; then it is written as that."""
    if force.body not in elements or force.body == GROUND or any(force.moment) or force.axes != "world":
        return False
    if not all(isinstance(x, float) for x in force.force):
        return False
    mass, com, _ = spec.bodies[force.body].inertial()
    weight = mass * np.array(spec.gravity)
    size = weight @ weight
    share = -(np.array(force.force) @ weight) / size if size > 0.0 else 0.0
    there = np.allclose(com, force.at, rtol=0.0, atol=1e-12)
    if not (share and there and np.allclose(-share * weight, force.force, rtol=1e-12)):
        return False
    element = elements[force.body]
    if element.get("gravcomp") is not None:
        return False
    element.set("gravcomp", repr(float(share)))
    return True


def _jet(name: str, force: Any, actuators: Any, controls: list[float], spec: Spec, site: SiteMaker) -> bool:
    """A constant wrench in the axes of a body or frame: a motor at a site."""
    values = (*force.force, *force.moment)
    if force.axes != "body" or not all(isinstance(x, float) for x in values):
        return False
    at, frame = (np.eye(3), np.array(force.at)), spec.frames.get(force.body)
    if frame is not None and not any(force.at):
        end = force.body
    elif frame is not None:
        R, p = frame.pose()
        end = site(f"{name}.at", frame.body, (R, p + R @ at[1]))
    else:
        end = site(f"{name}.at", force.body, at)
    add(actuators, "motor", name=name, site=end, gear=values)
    controls.append(1.0)
    return True


def _end(spec: Spec, name: str, force: Any, side: str, site: SiteMaker) -> str:
    """A site at the end of a spring."""
    body, at = getattr(force, side), np.array(force.at if side == "parent" else force.child_at)
    R, p = (np.eye(3), np.zeros(3))
    if body in spec.frames:
        (R, p), body = spec.frames[body].pose(), spec.frames[body].body
    return site(f"{name}.{side}", body, (R, p + R @ at))
