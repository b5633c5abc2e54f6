"""Cuts, mimic and held joints of a Spec as equalities of MJCF."""

from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np

from gori.formats.export.elements import add
from gori.formats.export.tree import Pose, compose
from gori.formats.left_out import LeftOut
from gori.spec import Spec
from gori.spec.joint import NV

SiteMaker = Callable[[str, str, Pose], str]


def write_loops(spec: Spec, left: LeftOut, root: ElementTree.Element, site: SiteMaker) -> None:
    """All equalities. MuJoCo holds them by springs; `solref` and `solimp` say how stiff these are."""
    section = ElementTree.Element("equality")
    for name, cut in spec.cuts.items():
        sides = (("parent", cut.parent, cut.pose()), ("child", cut.child, cut.child_pose()))
        if cut.type in ("fixed", "spherical"):
            ends = [site(f"{name}.{side}", body, pose) for side, body, pose in sides]
            add(section, "weld" if cut.type == "fixed" else "connect", name=name, site1=ends[0], site2=ends[1])
        elif cut.type == "revolute":  # two points of the axis
            along = np.array(cut.axis) / np.linalg.norm(cut.axis)
            for letter, shift in (("a", np.zeros(3)), ("b", along)):
                step = (np.eye(3), shift)
                ends = [site(f"{name}.{letter}.{side}", body, compose(pose, step)) for side, body, pose in sides]
                add(section, "connect", name=f"{name}.{letter}", site1=ends[0], site2=ends[1])
        else:
            left.add(f"{cut.type} cut", name)
    for name, joint in spec.joints.items():
        if joint.mimic is not None:
            law = (joint.mimic.offset, joint.mimic.ratio, 0.0, 0.0, 0.0)
            add(section, "joint", name=f"{name}.mimic", joint1=name, joint2=joint.mimic.joint, polycoef=law)
    for name, motion in spec.motions.items():
        held = motion.joint in spec.joints and NV[spec.joints[motion.joint].type] == 1
        if isinstance(motion.value, float) and held:
            add(section, "joint", name=name, joint1=motion.joint, polycoef=(motion.value, 0.0, 0.0, 0.0, 0.0))
        else:
            left.add("motion over time, or of a joint of several axes", name)
    if len(section):
        root.append(section)
