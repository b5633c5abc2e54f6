"""URDF as XML: strict parsing, and the checks that a URDF parser leaves out."""

import math
from pathlib import Path
from typing import Any

from gori.door import contents
from gori.formats.urdf_odd import Note, clean
from gori.formats.xml import ElementError, numbers_of, tree_of
from gori.spec.spec import closest

TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
    "spherical": "spherical",
}
"""Types of URDF joints, and what Gori calls them."""


def parse(path: Path, note: Note, text: bytes | None = None) -> Any:
    """The root element of an XML file, or of its text: no entities, no network."""
    return tree_of(clean(contents(path) if text is None else text, note), path)


def check(root: Any) -> None:
    """Raise ElementError at the first thing that keeps this from being a robot."""
    for element in root.iter():
        if isinstance(element.tag, str) and "xacro" in element.tag.partition("}")[0]:
            raise ElementError(element, "contains xacro macros: run xacro on it first, and load the resulting URDF")
    if root.tag != "robot":
        raise ElementError(root, f"the root element is <{root.tag}>, not <robot>: this is not a URDF")
    links, joints = _named(root, "link"), _named(root, "joint")
    if not links:
        raise ElementError(root, "has no links")
    for name, link in links.items():
        _check_inertial(name, link)
    for name, joint in joints.items():
        _check_joint(name, joint, links, joints)
    _check_tree(links, joints)


def _named(root: Any, tag: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for element in root.findall(tag):
        name = element.get("name")
        if not name:
            raise ElementError(element, f"a <{tag}> has no name")
        if name in found:
            raise ElementError(element, f"{tag} {name!r} is given twice, first in line {found[name].sourceline}")
        found[name] = element
    return found


def only(element: Any, tag: str) -> Any:
    """The one child of that tag, or None."""
    found = element.findall(tag)
    if len(found) > 1:
        raise ElementError(found[1], f"{element.tag} {element.get('name')!r} has more than one <{tag}>")
    return found[0] if found else None


def numbers(element: Any, who: str, name: str, count: int, infinite: bool = False) -> list[float] | None:
    """The numbers in an attribute, or None if it is not there."""
    text = element.get(name)
    if text is None:
        return None
    return numbers_of(element, f"{who}: {name}", text, count, infinite)


def number(element: Any, who: str, name: str, infinite: bool = False, low: float | None = None) -> float | None:
    """The number in an attribute, or None if it is not there."""
    found = numbers(element, who, name, 1, infinite)
    if found is not None and low is not None and found[0] < low:
        raise ElementError(element, f"{who}: {name} must not be negative, is {found[0]:g}")
    return found[0] if found else None


def check_origin(element: Any, who: str) -> None:
    origin = only(element, "origin")
    if origin is not None:
        numbers(origin, who, "xyz", 3)
        numbers(origin, who, "rpy", 3)


def _check_inertial(name: str, link: Any) -> None:
    inertial = only(link, "inertial")
    if inertial is None:
        return
    who = f"link {name!r}"
    check_origin(inertial, who)
    mass, inertia = only(inertial, "mass"), only(inertial, "inertia")
    if mass is None or mass.get("value") is None:
        raise ElementError(inertial, f"{who}: <inertial> does not give a mass")
    number(mass, f"{who}, mass", "value", low=0.0)
    for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz") if inertia is not None else ():
        if number(inertia, f"{who}, inertia", key) is None and key[1] == key[2]:
            raise ElementError(inertia, f"{who}: <inertia> does not give {key}")


def _check_joint(name: str, joint: Any, links: dict, joints: dict) -> None:
    who, kind = f"joint {name!r}", joint.get("type")
    if kind is None:
        raise ElementError(joint, f"{who} has no type")
    if kind not in TYPES:
        raise ElementError(joint, f"{who}: type {kind!r} is not one of {', '.join(TYPES)}{closest(kind, TYPES)}")
    for role in ("parent", "child"):
        element = only(joint, role)
        if element is None or not element.get("link"):
            raise ElementError(joint if element is None else element, f"{who} has no {role} link")
        link = element.get("link")
        if link not in links:
            raise ElementError(element, f"{who}: {role} {link!r} is not a link{closest(link, links)}")
    check_origin(joint, who)
    if kind == "fixed":  # exporters leave zero axes, limits and mimics on joints that do not move
        return
    axis, limit, dynamics, mimic = (only(joint, tag) for tag in ("axis", "limit", "dynamics", "mimic"))
    if axis is not None and math.hypot(*(numbers(axis, f"{who}, axis", "xyz", 3) or [1.0])) < 1e-9:
        raise ElementError(axis, f"{who}: axis is the zero vector")
    if limit is not None:
        _check_limit(who, limit)
    for key in ("damping", "friction") if dynamics is not None else ():
        number(dynamics, who, key, low=0.0)
    if mimic is not None:
        _check_mimic(name, mimic, joints)


def _check_limit(who: str, limit: Any) -> None:
    for key in ("velocity", "effort"):
        number(limit, who, key, infinite=True, low=0.0)
    for key in ("lower", "upper"):
        number(limit, who, key, infinite=True)


def _check_mimic(name: str, mimic: Any, joints: dict) -> None:
    who, other = f"joint {name!r}", mimic.get("joint")
    moves = ("revolute", "continuous", "prismatic")
    if other == name or joints[other].get("type") not in moves or joints[name].get("type") not in moves:
        raise ElementError(
            mimic, f"{who} mimics {other!r}: both must be joints of one degree of freedom, and not the same"
        )
    for key in ("multiplier", "offset"):
        number(mimic, f"{who}, mimic", key)


def _check_tree(links: dict, joints: dict) -> None:
    mover: dict[str, str] = {}
    for name, joint in joints.items():
        child = joint.find("child").get("link")
        if child in mover:
            raise ElementError(
                joint,
                f"joints {mover[child]!r} and {name!r} both carry link {child!r}: that closes a loop. URDF holds only "
                "trees: leave one out here, and write it among the joints or cuts of a YAML file that uses this one",
            )
        mover[child] = name
    settled: set[str] = set()
    for link in links:
        path: list[str] = []
        while link in mover and link not in settled:
            if link in path:
                ring = " <- ".join([*path[path.index(link) :], link])
                raise ElementError(joints[mover[link]], f"the links {ring} form a cycle without a root")
            path.append(link)
            link = joints[mover[link]].find("parent").get("link")
        settled.update(path)
