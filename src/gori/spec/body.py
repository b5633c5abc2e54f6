"""Bodies, and frames fixed to them."""

from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import Named, NonNegative, Number, Part, Placed, ReadOnly, Vector3, a_sequence
from gori.spec.shape import Inertial, Shape


def _three_or_six(value):
    value = a_sequence(value)
    if isinstance(value, (list, tuple)) and any(isinstance(row, (list, tuple, np.ndarray)) for row in value):
        raise PydanticCustomError(
            "inertia", "must be a flat list: for a 3x3 matrix, give the 6 numbers xx yy zz xy xz yz", {}
        )
    if not isinstance(value, (list, tuple)) or len(value) not in (3, 6):
        raise PydanticCustomError("inertia", "must be a list of 3 (xx yy zz) or 6 (xx yy zz xy xz yz) numbers", {})
    return value


_LENGTHS = [{"minItems": n, "maxItems": n} for n in (3, 6)]
Moments = Annotated[
    tuple[Number, ...],
    BeforeValidator(_three_or_six),
    WithJsonSchema({"type": "array", "items": {"type": "number"}, "anyOf": _LENGTHS}),
]


class Body(Part):
    """A rigid body: mass, centre of mass and inertia, or shapes with a density, or nothing (massless)."""

    mass: NonNegative | None = Field(None, description="[kg]")
    com: Vector3 | None = Field(None, description="centre of mass, body frame [m]")
    inertia: Moments | None = Field(
        None, description="about the centre of mass, body axes: xx yy zz, or xx yy zz xy xz yz [kg m2]"
    )
    shapes: Named[Shape] = Field(default_factory=ReadOnly)
    unphysical: bool = Field(
        False, description="accept a physically impossible inertia, as found in some imported files"
    )

    @model_validator(mode="after")
    def _consistent(self):
        heavy = [name for name, shape in self.shapes.items() if shape.heavy]
        own = [name for name in ("mass", "com", "inertia") if getattr(self, name) is not None]
        if heavy and own:
            raise PydanticCustomError(
                "both",
                "{own} given here, and shape {shape} has a density: give one or the other",
                {"own": " and ".join(own), "shape": repr(heavy[0])},
            )
        if own and self.mass is None:
            raise PydanticCustomError("mass", "{own} given without mass", {"own": " and ".join(own)})
        if not self.unphysical and (problem := impossible_inertia(*self._own())):
            raise PydanticCustomError("inertia", "{problem}", {"problem": problem})
        return self

    def _own(self) -> Inertial:
        inertia = np.zeros((3, 3))
        if self.inertia is not None:
            inertia[np.diag_indices(3)] = self.inertia[:3]
            if len(self.inertia) == 6:
                inertia[[0, 0, 1], [1, 2, 2]] = inertia[[1, 2, 2], [0, 0, 1]] = self.inertia[3:]
        return self.mass or 0.0, np.array(self.com or (0.0, 0.0, 0.0)), inertia

    def inertial(self) -> Inertial:
        """Mass, centre of mass and inertia about it, body frame."""
        parts = [shape.inertial() for shape in self.shapes.values() if shape.heavy]
        return combine(parts) if parts else self._own()

    @property
    def drawn(self) -> dict[str, Shape]:
        """Shapes that a picture shows: the visual ones, or all where there are none."""
        return {name: shape for name, shape in self.shapes.items() if shape.visual} or self.shapes


class Frame(Placed):
    """A named frame fixed to a body: a tool, a sensor, a point of interest."""

    body: str


def combine(parts: list[Inertial]) -> Inertial:
    """One rigid body out of several: mass, centre of mass and inertia about it."""
    mass = sum(part[0] for part in parts)
    if mass == 0.0:
        return 0.0, np.zeros(3), sum((part[2] for part in parts), np.zeros((3, 3)))
    com = sum((m * c for m, c, _ in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for m, c, J in parts:
        d = c - com
        inertia += J + m * (d @ d * np.eye(3) - np.outer(d, d))  # Steiner
    return mass, com, inertia


def impossible_inertia(mass: float, com: np.ndarray, inertia: np.ndarray) -> str | None:
    """Why no body can have this inertia about its centre of mass, or None.

    Principal moments must be non-negative and no one larger than the sum of the other two (each is an integral of
    two squared coordinates). A point mass (all zero) and a thin rod (one zero) are allowed.
    """
    if not np.isfinite(inertia).all():
        return "inertia is beyond the range of numbers"
    low, middle, high = moments = np.linalg.eigvalsh(inertia)
    words = " ".join(f"{m:.4g}" for m in moments)
    slack = 1e-6 * max(high, 0.0)
    if low < -slack or (low < 0.0 and high <= 0.0):
        return f"inertia is not positive definite: principal moments {words}"
    if high > low + middle + slack:
        sides = f"{high:.4g} > {low:.4g} + {middle:.4g}"
        return f"inertia violates the triangle inequality: principal moments {words}, and {sides}"
    if mass == 0.0 and high > 0.0:
        return "inertia without mass"
    return None
