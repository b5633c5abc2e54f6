"""Contact between bodies in a Spec: which shapes can touch each other, and checks of what is said about it.

Two shapes touch only if both say `collide: true`, `contacts` has an entry for their materials, and their bodies are
neither fixed together, nor joined, nor listed in `no_contact`.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from gori.spec.expression import closest
from gori.spec.joint import GROUND
from gori.spec.material import colliding_materials, contacts_of

if TYPE_CHECKING:
    from gori.spec.spec import Spec

TERRAIN = "terrain"
"""the terrain in `no_contact`, and among the names of shapes"""


def sinks(spec: "Spec") -> bool:
    """Whether shapes may sink into soft soil."""
    terrain = spec.terrain
    if terrain is None or terrain.soft is None or terrain.material is None:
        return False
    return any(shape.collide for body in spec.bodies.values() for shape in body.shapes.values())


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, (list, tuple)):
        raise PydanticCustomError("pairs", "must be a list of pairs of names, such as [[arm, hand]]", {})
    for k, pair in enumerate(value):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise PydanticCustomError(
                "pairs", "must be two names of bodies or shapes, such as [arm, hand]", {"inside": str(k)}
            )
    return tuple((pair[0], pair[1]) for pair in value)


_NAME = {"type": "string"}
Pairs = Annotated[
    tuple[tuple[str, str], ...],
    BeforeValidator(_pairs),
    WithJsonSchema({"type": "array", "items": {"type": "array", "items": _NAME, "minItems": 2, "maxItems": 2}}),
]


def shape_of(spec: "Spec", name: str) -> tuple[str, str | None] | None:
    """Body and shape that a name of `no_contact` means; no shape where it is the whole body, None if it is unknown."""
    if name in spec.bodies or name in (GROUND, TERRAIN):
        return name, None
    for body in sorted((body for body in spec.bodies if name.startswith(body + ".")), key=len, reverse=True):
        if name[len(body) + 1 :] in spec.bodies[body].shapes:
            return body, name[len(body) + 1 :]
    return None


def check_contact(spec: "Spec") -> Iterator[tuple[str, str]]:
    """Problems of shapes that collide, as (dotted place, message)."""
    for k, pair in enumerate(spec.no_contact):
        for name in pair:
            if shape_of(spec, name) is None:
                known = [*spec.bodies, *(f"{b}.{s}" for b, body in spec.bodies.items() for s in body.shapes)]
                yield f"no_contact.{k}", f"{name!r} is not a body or a shape{closest(name, known)}"
    known = contacts_of(spec)
    for pair in combinations_with_replacement(colliding_materials(spec), 2):
        if (key := known.get(pair)) is not None and spec.contacts[key].law != "hertz":
            yield (
                f"contacts.{key}.law",
                f"shapes that collide are made of {' and '.join(dict.fromkeys(pair))}, and the law "
                f"{spec.contacts[key].law} is for particles: give friction and restitution",
            )


def unused_shapes(spec: "Spec") -> list[tuple[str, str]]:
    """Warnings of shapes that collide, but can touch nothing, as (dotted place, message)."""
    materials, known = colliding_materials(spec), contacts_of(spec)
    return [
        (
            at,
            f"shapes of {name!r} collide, but `contacts` has no entry of it with a material that collides: "
            f"add contacts: {{{name}/{name}: {{friction: 0.5, restitution: 0.0}}}}",
        )
        for name, at in materials.items()
        if not any((name, other) in known for other in materials)
    ]
