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
        meant = [shape_of(spec, name) for name in pair]
        if meant[0] is not None and meant[0] == meant[1]:
            yield f"no_contact.{k}", f"{pair[0]!r} is given twice, and never touches itself: name two bodies or shapes"
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


def weightless_bodies(spec: "Spec") -> list[tuple[str, str]]:
    """Warnings of bodies that collide and that nothing but a force could move, but have no mass, as (dotted place,
    message). They are no errors: where such a body is, and what it touches there, can be asked for all the same.
    """
    linked: dict[str, list[Any]] = {}
    for joint in (*spec.joints.values(), *spec.cuts.values()):
        for body in (joint.parent, joint.child):
            linked.setdefault(body, []).append(joint)
    driven = {motion.joint for motion in spec.motions.values()}
    held = [joint for name, joint in spec.joints.items() if name in driven or joint.type == "fixed" or joint.mimic]
    geared = {body for gear in spec.gears.values() for body in gear.bodies}
    found = []
    for name, body in spec.bodies.items():
        colliding = [shape for shape, one in body.shapes.items() if one.collide]
        light = not body.mass and not any(shape.heavy for shape in body.shapes.values())
        joints = linked.get(name, [])
        if name == GROUND or not colliding or not light or name in geared or len(joints) != 1:
            continue
        if (
            joints[0].child == name
            and not any(joints[0] is one for one in held)
            and not any(getattr(joints[0], "armature", ()))
        ):
            found.append((
                f"bodies.{name}",
                f"body {name!r} collides, but has no mass, so it cannot be moved in a run: give shape {colliding[0]!r} "
                "a density or mass, or the body mass and inertia",
            ))  # fmt: skip
    return found
