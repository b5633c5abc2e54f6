"""Shapes on a body. One list serves inertia, view, particle walls and contact."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from gori.errors import MissingPackageError, SpecError
from gori.spec.base import Direction, Placed, Positive, Vector3, refuse_both, rotation_to

Inertial = tuple[float, np.ndarray, np.ndarray]
"""mass [kg], centre of mass (3,) [m], inertia about the centre of mass (3, 3) [kg m2]"""


class _Solid(Placed):
    density: Positive | None = Field(None, description="[kg/m3]; gives the body mass and inertia")
    mass: Positive | None = Field(None, description="[kg], instead of a density")

    @model_validator(mode="after")
    def _one_amount(self):
        refuse_both(self, "density", "mass")
        return self

    @property
    def heavy(self) -> bool:
        return self.density is not None or self.mass is not None

    def unit(self) -> Inertial:
        """Volume, centre and inertia for density 1, in the shape's own frame."""
        raise NotImplementedError

    def inertial(self) -> Inertial:
        """Mass, centre of mass and inertia about it, in the body's frame."""
        volume, center, inertia = self.unit()
        density = self.density if self.density is not None else (self.mass or 0.0) / volume
        R, p = self.pose()
        return density * volume, p + R @ center, density * (R @ inertia @ R.T)


class Sphere(_Solid):
    type: Literal["sphere"]
    radius: Positive = Field(description="[m]")

    def unit(self) -> Inertial:
        volume = 4.0 / 3.0 * np.pi * self.radius**3
        return volume, np.zeros(3), 0.4 * volume * self.radius**2 * np.eye(3)


class Box(_Solid):
    type: Literal["box"]
    size: Vector3 = Field(description="edges along x, y, z [m]; the box is centred at `at`")

    @model_validator(mode="after")
    def _positive(self):
        if min(self.size) <= 0.0:
            raise PydanticCustomError("size", "size must be positive in all three directions", {})
        return self

    def unit(self) -> Inertial:
        x, y, z = self.size
        volume = x * y * z
        return volume, np.zeros(3), volume / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])


class _Bar(_Solid):
    radius: Positive = Field(description="[m]")
    length: Positive = Field(description="[m]; of a capsule, between the centres of its two caps")
    axis: Direction = Field((1.0, 0.0, 0.0), description="the bar runs from `at` along this direction")

    def _turned(self, volume: float, along: float, across: float) -> Inertial:
        R = rotation_to(self.axis)
        return volume, R @ [0.0, 0.0, self.length / 2.0], R @ np.diag([across, across, along]) @ R.T


class Cylinder(_Bar):
    type: Literal["cylinder"]

    def unit(self) -> Inertial:
        r, h = self.radius, self.length
        volume = np.pi * r * r * h
        return self._turned(volume, volume * r * r / 2.0, volume * (3.0 * r * r + h * h) / 12.0)


class Capsule(_Bar):
    type: Literal["capsule"]

    def unit(self) -> Inertial:
        r, h = self.radius, self.length
        rod, caps = np.pi * r * r * h, 4.0 / 3.0 * np.pi * r**3
        along = rod * r * r / 2.0 + caps * 0.4 * r * r
        across = rod * (3.0 * r * r + h * h) / 12.0 + caps * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r)
        return self._turned(rod + caps, along, across)


class Mesh(_Solid):
    type: Literal["mesh"]
    file: str = Field(description="STL, OBJ, ...; relative to the description's file")
    scale: Vector3 = Field((1.0, 1.0, 1.0), description="factor for each axis; a negative one mirrors")
    surface: bool = Field(False, description="as a wall, it may be an open sheet; otherwise a hole is an error")

    @model_validator(mode="after")
    def _has_volume(self):
        if 0.0 in self.scale:
            raise PydanticCustomError("scale", "must not hold a zero, which makes the mesh flat", {"inside": "scale"})
        return self

    def unit(self) -> Inertial:
        try:
            import trimesh
        except ImportError as error:
            raise MissingPackageError("meshes need trimesh: pip install 'gori[formats]'") from error
        try:
            mesh = trimesh.load_mesh(self.file)
        except Exception as error:
            raise SpecError(f"mesh {self.file!r} cannot be read: {error}") from error
        mesh.apply_scale(self.scale)
        if not mesh.is_watertight or mesh.volume <= 0.0:
            raise SpecError(
                f"mesh {self.file!r} is not a closed surface, so it has no volume: repair it, or give the body's mass, "
                "com and inertia and leave out the mesh's density"
            )
        return float(mesh.volume), np.array(mesh.center_mass), np.array(mesh.moment_inertia)


SHAPES = {"sphere": Sphere, "box": Box, "cylinder": Cylinder, "capsule": Capsule, "mesh": Mesh}
Shape = Annotated[Sphere | Box | Cylinder | Capsule | Mesh, Field(discriminator="type")]
