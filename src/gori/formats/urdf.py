"""A Spec out of a URDF file."""

import io
import logging
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import FileError, InputError, MissingPackageError, SpecError
from gori.formats.plain import inertial_of
from gori.formats.srdf import read_srdf
from gori.formats.urdf_meshes import MeshFiles
from gori.formats.urdf_odd import mend, note_roots
from gori.formats.urdf_shapes import Found, convert, keep_shapes
from gori.formats.urdf_xml import TYPES, ElementError, check, parse
from gori.formats.xacro import expand
from gori.spec import GROUND, Spec
from gori.spec.base import quaternion
from gori.spec.explain import warn

FRICTION = 0.5
"""coefficient of friction of shapes that `collide` lets touch: URDF has none"""
_CONTACT = {"friction": FRICTION, "restitution": 0.0}


def read_urdf(
    path: str | os.PathLike,
    base: str = "fixed",
    meshes: bool = False,
    strict: bool = False,
    collide: str | None = None,
    packages: Sequence[str | os.PathLike] = (),
    srdf: str | os.PathLike | None = None,
    xacro: bool | Mapping[str, str] = False,
) -> Spec:
    """The Spec of a robot in URDF.

    base     "fixed" holds the root link to the ground, "free" lets it fly
    meshes   read mesh shapes as well; those that are not there are left out with a warning
    strict   refuse what is otherwise only warned of, such as an inertia that no body can have
    collide  name of a material: all <collision> shapes are of it and collide, meshes as convex hulls; it touches itself
             with the friction FRICTION and without restitution. Default: nothing collides
    packages folders in which package://NAME/... and model://NAME/... are looked for, before those in ROS_PACKAGE_PATH
             and the folders around the file
    srdf     a file that names links which never touch each other (<disable_collisions>)
    xacro    expand macros first, with these arguments. This runs Python that stands in the file and reads what it
             includes: only for files that you trust
    """
    if collide is not None and (not isinstance(collide, str) or not collide):
        raise InputError(f"collide must be the name of a material, not {collide!r}")
    if base not in ("fixed", "free"):
        raise InputError(f"base must be 'fixed' or 'free', not {base!r}")
    file = Path(path)

    def note(line: int, words: str) -> None:
        if strict:
            raise FileError(words, file, line)
        warn(f"{file}, line {line}: {words}")

    try:
        root = parse(file, note, None if xacro is False else expand(file, {} if xacro is True else xacro))
        mend(root, note)
        check(root)
        note_roots(root, note)
        lines = {f"{tag.tag}s.{tag.get('name')}": tag.sourceline for tag in root.iterchildren("link", "joint")}
        shapes = keep_shapes(root, meshes, note, MeshFiles(file, packages), collide is not None)
        robot = _parsed(root, file)
        bodies = {}
        for link in robot.links:
            bodies[link.name], remarks = _inertial(link.inertial)
            for remark in remarks:
                note(lines[f"links.{link.name}"], f"link {link.name!r}: {remark}")
            if solids := _shapes(link, shapes[link.name], collide):
                bodies[link.name]["shapes"] = solids
        joints = _base(robot, base)
        for joint in robot.joints:
            if joint.type == "fixed" and joint.mimic is not None:
                note(lines[f"joints.{joint.name}"], f"joint {joint.name!r} is fixed: its <mimic> is ignored")
            joints[joint.name] = _joint(joint)
    except ElementError as problem:
        raise FileError(problem.reason, file, problem.line) from None
    touch: dict[str, Any] = {}
    if collide:
        touch = {"materials": {collide: {}}, "contacts": {f"{collide}/{collide}": _CONTACT}}
    if srdf is not None:
        touch["no_contact"] = read_srdf(srdf).apart(bodies)
    try:
        return Spec(gori=1, bodies=bodies, joints=joints, **touch)
    except SpecError as error:
        raise _at_its_line(error, file, lines) from None


def _parsed(root: Any, file: Path) -> Any:
    """The tree as objects, by yourdfpy."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    try:
        import yourdfpy
    except ImportError as error:
        raise MissingPackageError("URDF needs yourdfpy: pip install 'gori[formats]'") from error

    # what is not used must not make the parser stumble
    for element in list(root.iter("material", "transmission", "gazebo", "safety_controller", "calibration")):
        element.getparent().remove(element)
    root.set("name", root.get("name", "robot"))
    log = logging.getLogger("yourdfpy.urdf")
    silent, log.disabled = log.disabled, True
    try:
        clean = io.BytesIO(etree.tostring(root))
        return yourdfpy.URDF.load(clean, build_scene_graph=False, load_meshes=False).robot
    except Exception as error:
        raise FileError(f"yourdfpy cannot read it: {type(error).__name__}: {error}", file) from error
    finally:
        log.disabled = silent


def _at_its_line(error: SpecError, file: Path, lines: dict[str, int]) -> FileError:
    found = []
    for at, message in error.problems:
        at = at.replace("bodies.", "links.", 1) if at.startswith("bodies.") else at
        match = max((key for key in lines if f"{at}.".startswith(f"{key}.")), key=len, default=None)
        found.append((lines[match] if match else 1, f"{at}: {message}"))
    line = min(found)[0]
    return FileError("\n".join(words for _, words in sorted(found)), file, line)


def _pose(origin: np.ndarray | None) -> dict[str, Any]:
    """`at` and `quat` of a homogeneous matrix (4, 4), where they are not zero and identity."""
    pose: dict[str, Any] = {}
    if origin is not None and np.any(origin[:3, 3]):
        pose["at"] = origin[:3, 3].tolist()
    if origin is not None and not np.array_equal(origin[:3, :3], np.eye(3)):
        pose["quat"] = quaternion(origin[:3, :3])
    return pose


def _inertial(inertial: Any) -> tuple[dict[str, Any], list[str]]:
    """Mass, centre of mass and inertia in the axes of the link; and warnings."""
    remarks: list[str] = []
    if inertial is None:
        return {}, remarks
    mass, J = inertial.mass, inertial.inertia
    if J is None:
        if mass > 0.0:
            remarks.append("it has a mass but no <inertia>: treated as a point mass")
        J = np.zeros((3, 3))
    com = np.zeros(3)
    if inertial.origin is not None:
        R, com = inertial.origin[:3, :3], inertial.origin[:3, 3]
        if not np.array_equal(R, np.eye(3)):
            J = R @ J @ R.T
    body, problem = inertial_of(mass, com, J)
    return body, remarks + ([problem] if problem else [])


def _shapes(link: Any, found: list[Found], collide: str | None) -> dict[str, Any]:
    """Collision shapes, and visual ones that are only drawn."""
    shapes = {}
    for this, parsed in zip(found, [*link.collisions, *link.visuals], strict=True):
        touch = {"material": collide, "collide": True} if collide and not this.visual else {}
        shapes[this.name] = convert(this, parsed, _pose(parsed.origin)) | touch
    return shapes


def _base(robot: Any, base: str) -> dict[str, Any]:
    """The joints that carry the root links, one as a rule, under names that no other joint has."""
    carried = {joint.child for joint in robot.joints}
    roots = [link.name for link in robot.links if link.name not in carried]
    taken = {joint.name for joint in robot.joints}
    names = ("base", *(f"base_{i}" for i in range(1, len(taken) + len(roots) + 1)))
    free = (name for name in names if name not in taken)
    return {name: {"type": base, "parent": GROUND, "child": root} for root, name in zip(roots, free)}


def _joint(joint: Any) -> dict[str, Any]:
    data = {"type": TYPES[joint.type], "parent": joint.parent, "child": joint.child} | _pose(joint.origin)
    if joint.type == "fixed":
        return data
    if joint.type not in ("floating", "spherical"):
        data["axis"] = joint.axis.tolist()
    if joint.limit is not None:
        lower, upper = joint.limit.lower, joint.limit.upper
        # URDF takes a missing limit as 0; both missing would be a joint that cannot move, and is meant as no limits
        if joint.type in ("revolute", "prismatic") and (lower is not None or upper is not None):
            limits = (lower or 0.0, upper or 0.0)
            if all(map(math.isfinite, limits)):
                data["limits"] = limits
        for name, value in (("velocity_limit", joint.limit.velocity), ("effort_limit", joint.limit.effort)):
            if value is not None and math.isfinite(value):
                data[name] = value
    if joint.dynamics is not None:
        for name, text in (("damping", joint.dynamics.damping), ("friction", joint.dynamics.friction)):
            if text is not None:  # yourdfpy leaves these as text
                data[name] = float(text)
    if joint.mimic is not None:
        data["mimic"] = {"joint": joint.mimic.joint, "ratio": joint.mimic.multiplier, "offset": joint.mimic.offset}
    return data
