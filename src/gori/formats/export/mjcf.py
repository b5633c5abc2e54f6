"""A Spec as MJCF, the XML of MuJoCo.

MuJoCo refuses bodies that move without inertia, so joints with nothing but massless bodies between them become several
joints of one body. All angles are in radians, all rotations quaternions, all inertias given. Where coordinates do not
start at zero, the start is the keyframe `start`.
"""

import os
from xml.etree import ElementTree

import numpy as np

from gori.errors import FileError
from gori.formats.export.elements import add, finish, posed, require_spec
from gori.formats.export.mjcf_forces import write_forces
from gori.formats.export.mjcf_joints import JointWriter
from gori.formats.export.mjcf_loops import write_loops
from gori.formats.export.mjcf_shapes import ShapeWriter
from gori.formats.export.mjcf_terrain import write_terrain
from gori.formats.export.tree import SAME, Branches, Pose, check_joints, compose, inverse, note_sections
from gori.formats.left_out import LeftOut
from gori.spec import GROUND, Spec
from gori.spec.body import impossible_inertia

LEAST = 1e-15
"""mass and moment of inertia that MuJoCo takes for none"""
WRITTEN = ("cuts", "frames", "forces", "motions", "terrain")
"""sections of a Spec with a place in MJCF"""


def write_mjcf(spec: Spec, path: str | os.PathLike | None = None, lossy: bool = False) -> str:
    """The Spec as MJCF, also written to `path`.

    lossy   leave out what MJCF cannot say, with a FormatWarning, instead of refusing
    """
    require_spec(spec)
    return MjcfWriter(spec, path).document(path, lossy)


class MjcfWriter:
    def __init__(self, spec: Spec, path: str | os.PathLike | None):
        self.spec, self.left, self.tree = spec, LeftOut(), Branches(spec)
        self.root = ElementTree.Element("mujoco", model="gori")
        add(self.root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
        add(self.root, "option", gravity=spec.gravity)
        self.asset = add(self.root, "asset")
        self.elements = {GROUND: add(self.root, "worldbody")}
        self.joints = JointWriter(spec, self.left)
        self.shapes = ShapeWriter(spec, self.left, self.asset, path)
        self.used = self.tree.used()

    def document(self, path: str | os.PathLike | None, lossy: bool) -> str:
        spec = self.spec
        check_joints(spec, self.left)
        note_sections(spec, self.left, WRITTEN)
        if GROUND in spec.bodies:
            self.shapes.write(GROUND, self.elements[GROUND])
        write_terrain(spec, self.left, self.asset, self.elements[GROUND], self.shapes.masks)
        self._bodies()
        for name, frame in spec.frames.items():
            self._site(name, frame.body, frame.pose())
        self.shapes.write_contacts(self.root)
        write_loops(spec, self.left, self.root, self._site)
        controls = write_forces(spec, self.left, self.root, self.elements, self._site)
        self._check_inertia(path)
        self._keyframe(controls)
        if not len(self.asset):
            self.root.remove(self.asset)
        return finish(spec, self.root, self.left, path, lossy)

    def _bodies(self) -> None:
        """All bodies; a chain of massless ones is kept until the body comes that its joints move."""
        chains: dict[str, tuple[str, Pose, list[tuple[Pose, str]]]] = {}
        for name in self.tree.joints():
            joint = self.spec.joints[name]
            base, pose, moved = chains.get(joint.parent, (joint.parent, SAME, []))
            pose = compose(pose, joint.pose())
            moved = [*moved, (pose, name)] if joint.type != "fixed" else moved
            pose = compose(pose, inverse(joint.child_pose()))
            if self._is_between(joint.child):
                chains[joint.child] = base, pose, moved
            else:
                self._body(joint.child, base, pose, moved)

    def _is_between(self, body: str) -> bool:
        """Whether a body is nothing but the place between two joints."""
        spec, part, hanging = self.spec, self.spec.bodies[body], self.tree.children[body]
        kinds = [spec.joints[name].type for name in (self.tree.carrier[body], *hanging)]
        alone = len(hanging) == 1 and not part.shapes and body not in self.used
        return alone and part.inertial()[0] == 0.0 and not {"fixed", "free"} & set(kinds)

    def _body(self, body: str, base: str, pose: Pose, moved: list[tuple[Pose, str]]) -> None:
        """One body on its base; `pose` is where it is with all coordinates at zero."""
        kinds = [self.spec.joints[name].type for _, name in moved]
        if kinds == ["free"] and base == GROUND:  # its coordinates are its pose in the world
            pose = compose(moved[0][0], self.joints.free_start(moved[0][1]))
        elif "free" in kinds:
            self.left.add("free joint that does not hang from the ground", *(name for _, name in moved))
        element = add(self.elements[base], "body", name=self.shapes.called.get(body, body), **posed(pose))
        self.elements[body] = element
        for G, name in moved:
            self.joints.write(element, name, compose(inverse(pose), G), G)
        self._inertial(body, element)
        if self.spec.bodies[body].shapes:
            self.shapes.write(body, element)

    def _inertial(self, body: str, element: ElementTree.Element) -> None:
        mass, com, J = self.spec.bodies[body].inertial()
        if mass == 0.0:
            if J.any():
                self.left.add("inertia without mass", body)
            return
        full = [*np.diag(J), J[0, 1], J[0, 2], J[1, 2]]
        inertia = {"fullinertia": full} if any(full[3:]) else {"diaginertia": full[:3]}
        add(element, "inertial", pos=com, mass=mass, **inertia)

    def _site(self, name: str, body: str, pose: Pose) -> str:
        """A site on a body."""
        add(self.elements[body], "site", name=name, **posed(pose))
        return name

    def _check_inertia(self, path: str | os.PathLike | None) -> None:
        """MuJoCo refuses impossible inertias, and bodies that move without inertia, with all that is fixed to them."""
        spec = self.spec
        for body, part in spec.bodies.items():
            if part.inertial()[0] and (problem := impossible_inertia(*part.inertial())):
                raise FileError(f"body {body!r}: {problem}; MuJoCo refuses that", path)
        for body, element in self.elements.items():
            if body == GROUND or all(child.tag not in ("joint", "freejoint") for child in element):
                continue
            group, heavy = [body], False
            while group and not heavy:
                part = group.pop()
                mass, _, J = spec.bodies[part].inertial()
                heavy = mass > LEAST and np.linalg.eigvalsh(J)[0] > LEAST
                names = [name for name in self.tree.children[part] if spec.joints[name].type == "fixed"]
                group += [spec.joints[name].child for name in names]
            if not heavy:
                raise FileError(
                    f"body {body!r} moves without mass or inertia, which MuJoCo refuses: give it some", path
                )

    def _keyframe(self, controls: list[float]) -> None:
        qpos, qvel = self.joints.qpos, self.joints.qvel
        if self.joints.starts or any(qvel) or any(controls):
            key = add(add(self.root, "keyframe"), "key", name="start", qpos=qpos)
            for name, values in (("qvel", qvel), ("ctrl", controls)):
                if any(values):
                    key.set(name, " ".join(repr(float(x)) for x in values))
