"""Particles: what there is of them at the start, where they come in and where they are taken out.

Particles are spheres. A group of them has one material, radii of one rule, and a start: packed into a hollow shape or a
box by `gori.model.particles.packing`, or at given places.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import (
    Count,
    Index,
    NonNegative,
    Number,
    Part,
    Placed,
    Positive,
    Vector3,
    a_number,
    a_sequence,
    refuse_both,
)
from gori.spec.expression import closest
from gori.spec.joint import GROUND, closest_body

if TYPE_CHECKING:
    from gori.spec.spec import Spec

FILLED = ("box", "cylinder", "cone", "sphere", "capsule")
"""types of hollow shapes that can be filled"""
COLUMNS = (3, 4, 7, 10)
"""numbers that a particle's row may have: x y z, radius, velocity, spin"""


def _refusal(words: str, inside: str = "") -> PydanticCustomError:
    return PydanticCustomError("particles", "{words}", {"words": words} | ({"inside": inside} if inside else {}))


def _a_radius(value: Any) -> Any:
    value = a_sequence(value)
    how = "must be a radius, [smallest, largest], or a list of [radius, fraction]"
    if not isinstance(value, (list, tuple)):
        if isinstance(value, (str, dict)) or value is None:
            raise _refusal(f"{how}, not {value!r}")
        rows: Any = _positive(value)
    elif value and all(isinstance(row, (list, tuple)) and len(row) == 2 for row in value):
        rows = tuple((_positive(r), _positive(share)) for r, share in value)
    elif len(value) == 2 and not any(isinstance(item, (list, tuple)) for item in value):
        rows = _positive(value[0]), _positive(value[1])
        if rows[0] > rows[1]:
            raise _refusal(f"must be given from small to large: [{rows[1]:g}, {rows[0]:g}]")
    else:
        raise _refusal(f"{how}, not {value!r}")
    return rows


def _positive(value: Any) -> float:
    if (number := a_number(value)) <= 0.0:
        raise _refusal(f"must be positive, is {number:g}")
    return number


_LENGTH = {"type": "number", "exclusiveMinimum": 0}
_TWO = {"type": "array", "items": _LENGTH, "minItems": 2, "maxItems": 2}
Radius = Annotated[
    float | tuple[float, float] | tuple[tuple[float, float], ...],
    PlainValidator(_a_radius),
    WithJsonSchema({"anyOf": [_LENGTH, _TWO, {"type": "array", "items": _TWO, "minItems": 1}]}),
]


def radius_range(radius: Any) -> tuple[float, float]:
    """Smallest and largest radius [m] that a rule gives."""
    if isinstance(radius, tuple):
        radii = [row[0] if isinstance(row, tuple) else row for row in radius]
        return min(radii), max(radii)
    return radius, radius


def _places(value: Any) -> Any:
    """The name of a file, or rows of numbers."""
    if isinstance(value, str):
        return value
    try:
        rows = np.asarray(value, float)
    except (TypeError, ValueError):
        rows = np.zeros((0, 0))
    if rows.ndim != 2 or rows.shape[1] not in COLUMNS or not len(rows):
        raise _refusal(
            "must be a .csv or .npy file, or rows of x y z, optionally followed by radius, velocity and angular "
            f"velocity: {', '.join(map(str, COLUMNS[:-1]))} or {COLUMNS[-1]} numbers each"
        )
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise _refusal("must be finite", f"{row}.{column}")
    return tuple(tuple(row) for row in rows.tolist())


_ROWS = {"type": "array", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 10}}
_Places = Annotated[
    str | tuple[tuple[float, ...], ...],
    PlainValidator(_places),
    WithJsonSchema({"anyOf": [{"type": "string"}, _ROWS]}),
]


class Region(Placed):
    """A box in the frame of a body, centred at `at`."""

    size: Vector3 = Field(description="edge lengths along x, y, z [m]")
    body: str = Field(GROUND, description="body that it is attached to")

    @model_validator(mode="after")
    def _has_room(self):
        if min(self.size) <= 0.0:
            raise _refusal("must be positive in all three directions", "size")
        return self


class Fill(Part):
    """Particles packed into a hollow shape or a box."""

    shape: str | None = Field(None, description="hollow shape to fill, as BODY.SHAPE, e.g. tray.bin")
    box: Region | None = Field(None, description="box to fill, instead of a shape")
    count: Count = Field(description="number of particles")
    packing: Literal["regular", "random", "poured"] = Field(
        "random",
        description="regular: a cubic grid; random: random without overlaps; poured: a loose packing from the "
        "floor up, extending above an open shape if necessary, that settles during the run",
    )
    seed: Index = Field(0, description="the same seed gives the same radii and positions")
    spacing: Positive | None = Field(None, description="distance between centres in a regular or poured packing [m]")

    @model_validator(mode="after")
    def _one_room(self):
        refuse_both(self, "shape", "box")
        if self.shape is None and self.box is None:
            raise _refusal("needs shape or box")
        if self.spacing is not None and self.packing == "random":
            raise _refusal("is for regular and poured packings", "spacing")
        return self


def _none(value: Any) -> Any:
    return None if value == "none" else value


Domain = Annotated[
    Region | None,
    BeforeValidator(_none),
    Field(
        description="a particle that leaves it is lost and ends the run; the first domain given applies to all; "
        "none: unbounded; default: the initial bounding box of particles, walls, inlets and outlets, extended on every "
        "side by twice its diagonal"
    ),
]


class ParticleGroup(Part):
    """A group of particles that is there at the start."""

    material: str = Field(description="one of the materials")
    radius: Radius | None = Field(
        None,
        description="[m]: one value, [smallest, largest] uniform by number, or [[radius, fraction by number], ...]",
    )
    fill: Fill | None = None
    positions: _Places | None = Field(
        None,
        description="instead of fill: a .csv or .npy file, or rows: x y z [m], optionally radius [m], "
        "velocity [m/s], angular velocity [rad/s]",
    )
    body: str = Field(GROUND, description="body in whose frame the positions are given")
    max_overlap: Annotated[float, Field(gt=0, le=0.5), BeforeValidator(a_number)] = Field(
        0.2,
        description="for positions: largest overlap at the start with a particle or a wall, as a share of the smaller "
        "radius; at most 0.5, beyond which a run ends",
    )
    velocity: Vector3 = Field(
        (0.0, 0.0, 0.0), description="initial velocity, world axes, relative to the body that holds the particles [m/s]"
    )
    domain: Domain = None

    @model_validator(mode="after")
    def _has_a_start(self):
        refuse_both(self, "fill", "positions")
        if self.fill is None and self.positions is None:
            raise _refusal("needs fill or positions")
        if self.fill is not None:
            if "body" in self.model_fields_set:
                raise _refusal("is for positions; for a box use fill.box.body", "body")
            if "max_overlap" in self.model_fields_set:
                raise _refusal("is for positions; what `fill` packs does not overlap", "max_overlap")
            if self.radius is None:
                raise _refusal("'radius' is missing", "radius")
            if self.fill.spacing is not None and self.fill.spacing < (least := 2.0 * radius_range(self.radius)[1]):
                words = f"must be at least the largest diameter, {least:g} m, is {self.fill.spacing:g}"
                raise _refusal(words, "fill.spacing")
        if isinstance(self.positions, tuple):
            if len(self.positions[0]) == 3 and self.radius is None:
                raise _refusal("'radius' is missing: give it, or a fourth number in the positions", "radius")
            if len(self.positions[0]) > 3 and min(row[3] for row in self.positions) <= 0.0:
                raise _refusal("the fourth number is the radius, and must be positive", "positions")
        return self


class Inlet(Part):
    """A box in which new particles appear, at a rate, wherever there is room."""

    material: str = Field(description="one of the materials")
    radius: Radius = Field(description="as for particles [m]")
    box: Region = Field(description="region in which new particles are inserted")
    rate: Positive = Field(description="particles per second")
    start: NonNegative = Field(0.0, description="time of the first particle [s]")
    stop: Positive | None = Field(None, description="end time [s]; default: never")
    count: Count | None = Field(None, description="largest number of particles")
    velocity: Vector3 = Field(
        (0.0, 0.0, 0.0), description="initial velocity, world axes, relative to the body that holds the box [m/s]"
    )
    domain: Domain = None
    seed: Index = Field(0, description="the same seed gives the same radii and positions")

    @model_validator(mode="after")
    def _makes_sense(self):
        if self.stop is not None and self.stop <= self.start:
            raise _refusal(f"must be after the start, {self.start:g} s, is {self.stop:g}", "stop")
        if (narrow := min(self.box.size)) < (least := 2.0 * radius_range(self.radius)[1]):
            raise _refusal(f"a particle of diameter {least:g} m does not fit: the box is only {narrow:g} m wide", "box")
        return self


class Outlet(Part):
    """Where particles are taken out of a run: those whose centre is in a box, or below a height."""

    box: Region | None = None
    below: Number | None = Field(None, description="z in the frame of the body [m]")
    body: str = Field(GROUND, description="for below: body in whose frame z is measured")

    @model_validator(mode="after")
    def _one_place(self):
        refuse_both(self, "box", "below")
        if self.box is None and self.below is None:
            raise _refusal("needs box or below")
        if self.box is not None and "body" in self.model_fields_set:
            raise _refusal("is for below; for a box use box.body", "body")
        return self


# ---- what needs the rest of the Spec


def find_shape(spec: "Spec", name: str) -> tuple[str, str] | None:
    """Body and shape that a dotted name means; both may have dots of their own."""
    pairs = ((body, name[len(body) + 1 :]) for body in spec.bodies if name.startswith(body + "."))
    return next((pair for pair in pairs if pair[1] in spec.bodies[pair[0]].shapes), None)


def check_particles(spec: "Spec") -> Iterator[tuple[str, str]]:
    """What is wrong with particles, inlets and outlets of a Spec whose bodies are in order."""
    taken: dict[str, str] = dict.fromkeys(spec.drivetrains, "a drive train")
    for group, word in (("particles", "a group of particles"), ("inlets", "an inlet"), ("outlets", "an outlet")):
        for name in getattr(spec, group):
            if (other := taken.setdefault(name, word)) != word:
                yield f"{group}.{name}", f"{name!r} is already the name of {other}: choose another name"
    for at, body in _bodies_of(spec):
        if body != GROUND and body not in spec.bodies:
            yield at, f"{body!r} is not a body{closest_body(body, spec.bodies)}"
    for name, particles in spec.particles.items():
        if particles.fill is not None and particles.fill.shape is not None:
            yield from _check_filled(spec, f"particles.{name}.fill.shape", particles.fill.shape)


def _bodies_of(spec: "Spec") -> Iterator[tuple[str, str]]:
    """Each body that particles, inlets and outlets name, after its dotted place."""
    for name, particles in spec.particles.items():
        at = f"particles.{name}"
        yield f"{at}.body", particles.body
        if particles.fill is not None and particles.fill.box is not None:
            yield f"{at}.fill.box.body", particles.fill.box.body
        if particles.domain is not None:
            yield f"{at}.domain.body", particles.domain.body
    for name, inlet in spec.inlets.items():
        yield f"inlets.{name}.box.body", inlet.box.body
        if inlet.domain is not None:
            yield f"inlets.{name}.domain.body", inlet.domain.body
    for name, outlet in spec.outlets.items():
        if outlet.box is not None:
            yield f"outlets.{name}.box.body", outlet.box.body
        yield f"outlets.{name}.body", outlet.body


def _check_filled(spec: "Spec", at: str, name: str) -> Iterator[tuple[str, str]]:
    shapes = [f"{body}.{shape}" for body, part in spec.bodies.items() for shape in part.shapes]
    if (found := find_shape(spec, name)) is None:
        yield at, f"{name!r} is not a shape BODY.SHAPE{closest(name, shapes)}"
        return
    shape = spec.bodies[found[0]].shapes[found[1]]
    if shape.type not in FILLED:
        cure = "give fill a box inside it instead"
        yield at, f"{name!r} is a {shape.type}; {', '.join(FILLED[:-1])} and {FILLED[-1]} can be filled: {cure}"
    elif not getattr(shape, "hollow", False):
        yield at, f"{name!r} is solid: add hollow: true to the shape"
    elif shape.material is None:
        yield at, f"{name!r} has no material, so particles would fall through it: add material: to the shape"
