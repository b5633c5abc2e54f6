"""Who may touch whom, where `collide` lets collision shapes collide.

Shapes of the same friction become one material. Two materials touch with the smaller friction of both, as in Gazebo;
links of one model touch only where it, or one of the two, has <self_collide>.
"""

from itertools import combinations, combinations_with_replacement
from typing import Any

from gori.formats.sdf.elements import flag, number
from gori.formats.sdf.frames import SdfLink
from gori.formats.sdf.source import SdfSource

FRICTION = 1.0
"""SDFormat's own coefficient of friction, where none is given"""


def let_collide(source: SdfSource, shapes: dict[SdfLink, dict[str, dict[str, Any]]]) -> dict[str, Any]:
    """Materials, contacts and `no_contact` of the Spec; what collides is marked in the shapes."""
    if source.collide is None:
        return {}
    material: dict[float, str] = {}
    touching: dict[Any, list[SdfLink]] = {}
    for link, solids in shapes.items():
        elements = {element.get("name"): element for element in link.scope.links[link.name].findall("collision")}
        for name, shape in solids.items():
            if shape.get("visual"):
                continue
            mu = _friction(source, elements.get(name))
            k = len(material)
            called = material.setdefault(mu, f"{source.collide}_{k + 1}" if k else source.collide)
            shape |= {"material": called, "collide": True}
            if link not in touching.setdefault(link.scope, []):
                touching[link.scope].append(link)
    contacts = {
        f"{material[a]}/{material[b]}": {"friction": min(a, b), "restitution": 0.0}
        for a, b in combinations_with_replacement(material, 2)
    }
    apart = [
        [source.body(a), source.body(b)]
        for scope, links in touching.items()
        if not flag(scope.element, "self_collide")
        for a, b in combinations(links, 2)
        if not any(flag(link.scope.links[link.name], "self_collide") for link in (a, b))
    ]
    return {"materials": {name: {} for name in material.values()}, "contacts": contacts, "no_contact": apart}


def _friction(source: SdfSource, collision: Any) -> float:
    """The coefficient of a collision shape; what else its surface says is left out."""
    if collision is None or (surface := collision.find("surface")) is None:
        return FRICTION
    ode, torsional = surface.find("friction/ode"), surface.find("friction/torsional")
    bounce = surface.find("bounce")
    if torsional is not None or (bounce is not None and number(bounce, "restitution_coefficient", 0.0)):
        source.left.add("torsional friction and bounce of collision shapes", collision.get("name"))
    return FRICTION if ode is None else number(ode, "mu", FRICTION, low=0.0)
