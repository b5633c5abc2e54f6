"""Links: mass, centre of mass and inertia; what gravity does not act on; frames."""

from typing import Any

import numpy as np

from gori.errors import SpecError
from gori.formats.plain import inertial_of, pose_of
from gori.formats.sdf.elements import child, flag, inverse, number, pose, truth, who
from gori.formats.sdf.frames import SdfLink
from gori.formats.sdf.source import SdfSource
from gori.formats.xml import ElementError
from gori.spec.body import Body

_MOMENTS = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))
WATER = 1000.0
"""density where none is given [kg/m3]"""


def inertial(source: SdfSource, link: SdfLink, shapes: dict[str, Any]) -> dict[str, Any]:
    """Mass, centre of mass and inertia of a link; SDFormat has 1 kg and 1 kg m2 where nothing is given."""
    element = link.scope.links[link.name]
    given = child(element, "inertial")
    if given is None:
        mass, com, J = 1.0, np.zeros(3), np.eye(3)
    elif truth(given, "auto", given.get("auto", "false")):
        mass, com, J = _of_shapes(element, given, shapes)
    else:
        X, relative_to = pose(given)
        if relative_to:
            raise ElementError(given, f"{who(element)}: the <pose> of <inertial> is relative to its link alone")
        moments = child(given, "inertia")
        I = np.eye(3)  # noqa: E741
        if moments is not None:
            values = {key: number(moments, key, float(key[1] == key[2])) for row in _MOMENTS for key in row}
            I = np.array([[values[key] for key in row] for row in _MOMENTS])  # noqa: E741
        turned = not np.array_equal(X[:3, :3], np.eye(3))
        mass, com, J = number(given, "mass", 1.0, low=0.0), X[:3, 3], X[:3, :3] @ I @ X[:3, :3].T if turned else I
        if child(given, "fluid_added_mass") is not None:
            source.left.add("added mass of a fluid", source.body(link))
    body, problem = inertial_of(mass, com, J)
    if problem:
        source.left.note(f"link {source.body(link)!r}: {problem}")
    return body


def _of_shapes(element: Any, given: Any, shapes: dict[str, Any]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia of the collision shapes with their densities, scaled to the mass if that is given."""
    everywhere = number(given, "density", WATER, low=0.0)
    solids = {}
    for collision in element.findall("collision"):
        shape = shapes.get(collision.get("name"))
        if shape is not None and shape["type"] != "plane":
            solids[collision.get("name")] = shape | {"density": number(collision, "density", everywhere, low=0.0)}
    if not solids:
        raise ElementError(given, f"{who(element)}: its inertia is to come from collision shapes, and it has none")
    try:
        mass, com, J = Body.model_validate({"shapes": solids}).inertial()
    except SpecError as error:
        raise ElementError(given, f"{who(element)}: {error}") from None
    wanted = number(given, "mass", mass, low=0.0)
    return wanted, com, J * (wanted / mass)


def weightless(source: SdfSource, bodies: dict[str, dict[str, Any]], gravity: np.ndarray) -> dict[str, dict[str, Any]]:
    """Forces that lift the links with <gravity> false, at their centres of mass."""
    forces = {}
    for link, body in source.bodies.items():
        inertial = bodies[body]
        lift = -inertial.get("mass", 0.0) * gravity + 0.0
        if lift.any() and not link.scope.static and not flag(link.scope.links[link.name], "gravity", True):
            at = pose_of(inertial.get("com", (0.0, 0.0, 0.0)), np.eye(3))
            forces[f"{body}.lift"] = {"type": "wrench", "body": body, "force": lift.tolist()} | at
    return forces


def frames(source: SdfSource) -> dict[str, dict[str, Any]]:
    """Frames, each on the link that it is fixed to, where that link is at first."""
    found = {}
    for scope in source.world.all():
        for name, element in scope.frames.items():
            link = source.frames.link(scope, name, element)
            X = inverse(source.frames.of_link(scope, link)) @ source.frames.pose(scope, name, element)
            place = {"body": source.body(link)} | pose_of(X[:3, 3], X[:3, :3])
            found[source.name("frame", scope.prefix + name)] = place
    return found
