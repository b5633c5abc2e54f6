"""Materials of particles, walls and bodies that collide, and what happens where two of them touch. The laws stand in
`docs/particles.md` and `docs/contact.md`.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import NonNegative, Part, Positive, Share, a_number
from gori.spec.expression import closest

if TYPE_CHECKING:
    from gori.spec.spec import Spec

STIFFEST = 1e13
"""largest Young's modulus that is taken for one [Pa]: ten times that of diamond"""

_Modulus = Annotated[float, Field(gt=0, le=STIFFEST), BeforeValidator(a_number)]
_Poisson = Annotated[float, Field(ge=0, le=0.5), BeforeValidator(a_number)]
_FIELDS = {
    "hertz": ("restitution", "rolling_friction", "torsional_friction", "stiffness"),
    "voigt": ("k_n", "c_n", "k_t", "c_t"),
}
"""what belongs to one law alone"""
_OPTIONAL = ("stiffness",)
"""those of them that may be left out"""


class Material(Part):
    """What particles, walls and bodies that collide are made of."""

    E: _Modulus | None = Field(
        None,
        description="Young's modulus [Pa]; not needed for the law voigt, nor for bodies that collide as rigid ones",
    )
    nu: _Poisson = Field(0.25, description="Poisson's ratio, 0 to 0.5")
    density: Positive | None = Field(None, description="[kg/m3]; particles need it")
    rigid: bool = Field(False, description="rigid wall material, instead of E")
    source: str = Field("", description="source of the data")

    @model_validator(mode="after")
    def _yields_or_not(self):
        if self.rigid and self.E is not None:
            raise PydanticCustomError("rigid", "give E or rigid: true, not both", {})
        return self


class Contact(Part):
    """How two materials touch: Hertz and Mindlin's law from E and nu, or the constants of the law voigt."""

    law: Literal["hertz", "voigt"] = Field("hertz", description="the same for all contacts of a machine")
    friction: NonNegative = Field(description="Coulomb friction coefficient")
    restitution: Share | None = Field(None, description="hertz: normal coefficient of restitution, 0 to 1")
    rolling_friction: NonNegative = Field(
        0.0, description="hertz: largest rolling torque / (normal force x effective radius)"
    )
    torsional_friction: NonNegative = Field(
        0.0, description="hertz, bodies: largest torque about the normal / (normal force x effective radius)"
    )
    stiffness: Positive | None = Field(
        None, description="hertz, bodies: normal force k d^1.5 [N/m^1.5], instead of k from E and nu"
    )
    k_n: Positive | None = Field(None, description="voigt: normal force k_n d^1.5 [N/m^1.5]")
    c_n: NonNegative | None = Field(None, description="voigt: normal damping c_n d^0.25 [N s/m^1.25]")
    k_t: NonNegative | None = Field(None, description="voigt: tangential force k_t s^1.5 [N/m^1.5]")
    c_t: NonNegative | None = Field(None, description="voigt: tangential damping c_t s^0.25 [N s/m^1.25]")

    @model_validator(mode="after")
    def _of_one_law(self):
        for other, names in _FIELDS.items():
            for name in names if other != self.law else ():
                if name in self.model_fields_set:
                    words = f"belongs to the law {other}, but this is {self.law}: remove it, or write law: {other}"
                    raise PydanticCustomError("law", "{words}", {"words": words, "inside": name})
        for name in _FIELDS[self.law]:
            if getattr(self, name) is None and name not in _OPTIONAL:
                words = f"{name!r} is missing: the law {self.law} needs it"
                raise PydanticCustomError("law", "{words}", {"words": words, "inside": name})
        return self


def pair_of(key: str) -> tuple[str, str] | None:
    """The two materials that the name of a contact joins, such as grain/steel; None if it does not."""
    a, slash, b = key.partition("/")
    return (a, b) if slash and a and b and "/" not in b else None


def contacts_of(spec: "Spec") -> dict[tuple[str, str], str]:
    """Names of the contacts by pair of materials, each pair in both orders."""
    found: dict[tuple[str, str], str] = {}
    for key in spec.contacts:
        if (pair := pair_of(key)) is not None:
            a, b = pair
            found[a, b] = found[b, a] = key
    return found


def particle_materials(spec: "Spec") -> dict[str, str]:
    """Materials that particles are made of, each with the dotted place of the first part that says so."""
    found: dict[str, str] = {}
    for group in ("particles", "inlets"):
        for name, part in getattr(spec, group).items():
            found.setdefault(part.material, f"{group}.{name}.material")
    return found


def wall_materials(spec: "Spec") -> dict[str, str]:
    """Materials of walls, each with the dotted place of the first shape of it."""
    found: dict[str, str] = {}
    for body, part in spec.bodies.items():
        for name, shape in part.shapes.items():
            if shape.material is not None:
                found.setdefault(shape.material, f"bodies.{body}.shapes.{name}.material")
    return found


def colliding_materials(spec: "Spec") -> dict[str, str]:
    """Materials of shapes that collide, and of the terrain, each with the dotted place of the first that says so."""
    found: dict[str, str] = {}
    for body, part in spec.bodies.items():
        for name, shape in part.shapes.items():
            if shape.collide and shape.material is not None:
                found.setdefault(shape.material, f"bodies.{body}.shapes.{name}.material")
    if spec.terrain is not None and spec.terrain.material is not None:
        found.setdefault(spec.terrain.material, "terrain.material")
    return found


def check_materials(spec: "Spec") -> Iterator[tuple[str, str]]:
    """Problems of materials and contacts of a Spec, and of what refers to them."""
    for name in spec.materials:
        if "/" in name:
            yield (
                f"materials.{name}",
                f"the name of a material must not contain '/', which separates two of them: {name!r}",
            )
    yield from _check_contacts(spec)
    particles, walls = particle_materials(spec), wall_materials(spec)
    for name, at in (particles | walls | colliding_materials(spec)).items():
        if name not in spec.materials:
            hint = closest(name, spec.materials) or f": add materials: {{{name}: {{E: 1e8, nu: 0.25, density: 2500}}}}"
            yield at, f"{name!r} is not a material{hint}"
            return
    for name, at in particles.items():
        if spec.materials[name].density is None:
            yield f"materials.{name}.density", f"particles are made of {name!r} ({at}), which needs a density"
        if spec.materials[name].rigid:
            yield f"materials.{name}.rigid", f"particles are made of {name!r} ({at}): only walls can be rigid; give E"
    known = contacts_of(spec)
    for a, b in (*combinations_with_replacement(particles, 2), *product(particles, walls)):
        if (a, b) not in known:
            yield (
                "contacts",
                f"particles of {a!r} can touch {b!r}, but that contact is not defined: "
                f"add contacts: {{{a}/{b}: {{restitution: 0.5, friction: 0.4}}}}",
            )
        elif spec.contacts[known[a, b]].law == "hertz":
            for name in (a, b):
                if spec.materials[name].E is None and not spec.materials[name].rigid:
                    yield f"materials.{name}.E", f"the contact {known[a, b]!r} uses the law hertz, which needs E"


def _check_contacts(spec: "Spec") -> Iterator[tuple[str, str]]:
    first: dict[frozenset[str], str] = {}
    of_bodies = set(colliding_materials(spec)) - set(particle_materials(spec))
    laws: dict[str, str] = {}
    for key, contact in spec.contacts.items():
        at = f"contacts.{key}"
        if (pair := pair_of(key)) is None:
            yield at, f"{key!r} must name two materials, such as grain/steel"
            continue
        for name in pair:
            if name not in spec.materials:
                yield at, f"{name!r} is not a material{closest(name, spec.materials)}"
        if (other := first.setdefault(frozenset(pair), key)) != key:
            yield at, f"{other!r} and {key!r} are the same pair: remove one"
        if not set(pair) <= of_bodies:
            laws.setdefault(contact.law, key)
    if len(laws) > 1:
        (law, first_key), (_, key), *_ = sorted(laws.items())
        yield f"contacts.{key}.law", f"all contacts must use the same law, but {first_key!r} uses {law}"
