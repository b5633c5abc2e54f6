"""Shapes on a body. One list serves inertia, view, particle walls and contact; a visual shape is only drawn."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.door import triangles
from gori.errors import SpecError
from gori.spec.base import (
    Colour,
    Count,
    Direction,
    Index,
    Names,
    NonNegative,
    Number,
    Placed,
    Positive,
    Vector3,
    a_number,
    refuse_both,
    rotation,
    rotation_to,
)
from gori.spec.gear import involute_gear, mesh_inertia

Inertial = tuple[float, np.ndarray, np.ndarray]
"""mass [kg], centre of mass (3,) [m], inertia about the centre of mass (3, 3) [kg m2]"""


class _Wall(Placed):
    material: str | None = Field(None, description="one of the materials; with it the surface is a wall for particles")
    until: Positive | None = Field(
        None, description="time at which the wall vanishes [s]: a gate that opens; default: it stays"
    )

    collide: bool = Field(
        False,
        description="touches other shapes that collide, where `contacts` has an entry for the two materials",
    )
    visual: bool = Field(
        False,
        description="drawn and nothing else: no mass, no wall, no contact; then the other shapes of the body are drawn "
        "only where the viewer is asked for collision shapes",
    )
    colour: Colour | None = Field(
        None, description="'#rrggbb', or '#rrggbbaa' with opacity; default: by the material, or by the body"
    )

    @model_validator(mode="after")
    def _only_drawn(self):
        given = ("density", "mass", "material", "collide", "until")
        if self.visual and (found := [name for name in given if getattr(self, name, None)]):
            words = f"a visual shape is only drawn: it takes no {found[0]}"
            raise PydanticCustomError("visual", "{words}", {"words": words, "inside": "visual"})
        return self

    wheel: str | None = Field(
        None,
        description="one of the wheels on this body: a shape that collides turns with it, so that friction acts on its "
        "angular velocity; the shape must be round about the axle",
    )

    @model_validator(mode="after")
    def _turns_where_it_collides(self):
        if self.wheel is not None and not self.collide:
            raise PydanticCustomError("wheel", "is for shapes that collide: add collide: true", {"inside": "wheel"})
        return self

    @model_validator(mode="after")
    def _a_gate_is_a_wall(self):
        if self.until is not None and self.material is None:
            raise PydanticCustomError("until", "is for walls: add a material", {"inside": "until"})
        if self.collide and self.material is None:
            raise PydanticCustomError("collide", "a shape that collides needs a material", {"inside": "collide"})
        if self.collide and self.until is not None:
            raise PydanticCustomError(
                "until", "is for walls of particles: a shape that collides stays", {"inside": "until"}
            )
        return self


class _Solid(_Wall):
    faces: ClassVar[tuple[str, ...]] = ()
    """those that can be left open"""

    density: Positive | None = Field(None, description="[kg/m3]; gives the body mass and inertia")
    mass: Positive | None = Field(None, description="[kg], instead of a density")
    hollow: bool = Field(False, description="a thin shell that can hold particles")
    open: Names = Field(
        (),
        description="open faces of a hollow shape: box x- x+ y- y+ z- z+, cylinder or cone base top",
    )
    thickness: Positive | None = Field(
        None,
        description="of the closed faces of a hollow shape that collides [m]: they lie outside of its inner surface; "
        "default: a tenth of its smallest edge or diameter",
    )

    @model_validator(mode="after")
    def _one_amount(self):
        refuse_both(self, "density", "mass")
        return self

    @model_validator(mode="after")
    def _a_shell(self):
        if self.hollow and self.heavy:
            raise PydanticCustomError(
                "hollow",
                "a hollow shape is a shell without thickness, so {amount} defines no inertia: "
                "give the body mass, com and inertia, or additional solid shapes",
                {"amount": "density" if self.density is not None else "mass"},
            )
        if self.thickness is not None and not (self.hollow and self.collide):
            words = "only a hollow shape that collides has a thickness: add hollow: true and collide: true"
            raise PydanticCustomError("thickness", "{words}", {"words": words, "inside": "thickness"})
        if self.open and not self.hollow:
            raise PydanticCustomError("open", "only a hollow shape can be open: add hollow: true", {"inside": "open"})
        for face in self.open:
            if face not in self.faces:
                known = f"is not one of {', '.join(self.faces)}" if self.faces else "is not there: it has no faces"
                words = f"{face!r} {known}"
                raise PydanticCustomError("open", "{words}", {"words": words, "inside": "open"})
        return self

    @property
    def heavy(self) -> bool:
        return self.density is not None or self.mass is not None

    def unit(self) -> Inertial:
        """Volume, centre and inertia for density 1, in the shape's own frame."""
        raise NotImplementedError

    def inertial(self) -> Inertial:
        """Mass, centre of mass and inertia about it, in the body's frame."""
        try:
            volume, center, inertia = self.unit()
        except ArithmeticError:  # powers of a length that is too large or too small
            raise SpecError(f"a {self.type} of this size is beyond the range of numbers") from None  # pyright: ignore
        if not 0.0 < volume < np.inf:
            raise SpecError(f"a {self.type} of volume {volume:g} m3 is beyond the range of numbers")  # pyright: ignore
        density = self.density if self.density is not None else (self.mass or 0.0) / volume
        R, p = self.pose()
        return density * volume, p + R @ center, density * (R @ inertia @ R.T)


class Sphere(_Solid):
    type: Literal["sphere"]
    radius: Positive = Field(description="[m]")

    def unit(self) -> Inertial:
        volume = 4.0 / 3.0 * np.pi * self.radius**3
        return volume, np.zeros(3), 0.4 * volume * self.radius**2 * np.eye(3)


class Ellipsoid(_Solid):
    type: Literal["ellipsoid"]
    radii: Vector3 = Field(description="half axes along x, y, z [m]; the ellipsoid is centred at `at`")

    @model_validator(mode="after")
    def _full(self):
        if min(self.radii) <= 0.0:
            raise PydanticCustomError("radii", "must be positive in all three directions", {"inside": "radii"})
        if self.hollow:
            raise PydanticCustomError("hollow", "an ellipsoid cannot be hollow", {"inside": "hollow"})
        return self

    def unit(self) -> Inertial:
        a, b, c = self.radii
        volume = 4.0 / 3.0 * np.pi * a * b * c
        return volume, np.zeros(3), volume / 5.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


class Box(_Solid):
    faces = ("x-", "x+", "y-", "y+", "z-", "z+")

    type: Literal["box"]
    size: Vector3 = Field(description="edge lengths along x, y, z [m]; the box is centred at `at`")

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
    length: Positive = Field(description="[m]; for a capsule, between the centres of its caps")
    axis: Direction = Field((1.0, 0.0, 0.0), description="the shape extends from `at` along this direction")

    def _turned(self, volume: float, along: float, across: float, center: float | None = None) -> Inertial:
        """center: how far along the axis [m]; if not given, in the middle"""
        R, center = rotation_to(self.axis), self.length / 2.0 if center is None else center
        return volume, R @ [0.0, 0.0, center], R @ np.diag([across, across, along]) @ R.T


class Cylinder(_Bar):
    faces = ("base", "top")

    type: Literal["cylinder"]

    def unit(self) -> Inertial:
        r, h = self.radius, self.length
        volume = np.pi * r * r * h
        return self._turned(volume, volume * r * r / 2.0, volume * (3.0 * r * r + h * h) / 12.0)


class Cone(_Bar):
    """A frustum: from a disc about `at` to a smaller or larger one, or to a point."""

    faces = ("base", "top")

    type: Literal["cone"]
    top_radius: NonNegative = Field(0.0, description="radius at the far end [m]; 0 is a point")

    def unit(self) -> Inertial:
        # slices of radius r + (t - r) z / h: volume pi r2, about the axis pi r4 / 2, across pi r4 / 4 + pi r2 z2
        r, t, h = self.radius, self.top_radius, self.length
        squares = r * r + r * t + t * t
        volume, center = np.pi * h / 3.0 * squares, h / 4.0 * (r * r + 2.0 * r * t + 3.0 * t * t) / squares
        along = np.pi * h / 10.0 * (r**4 + r**3 * t + r * r * t * t + r * t**3 + t**4)
        at_base = along / 2.0 + np.pi * h**3 / 30.0 * (r * r + 3.0 * r * t + 6.0 * t * t)
        return self._turned(volume, along, at_base - volume * center**2, center)


class Capsule(_Bar):
    type: Literal["capsule"]

    def unit(self) -> Inertial:
        r, h = self.radius, self.length
        rod, caps = np.pi * r * r * h, 4.0 / 3.0 * np.pi * r**3
        along = rod * r * r / 2.0 + caps * 0.4 * r * r
        across = rod * (3.0 * r * r + h * h) / 12.0 + caps * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r)
        return self._turned(rod + caps, along, across)


class _Faceted(_Solid):
    crease_deg: Annotated[float, Field(ge=0, lt=90), BeforeValidator(a_number)] = Field(
        25.0,
        description="triangles that meet at less than this angle, one after the other, are a smooth wall [deg]; "
        "0: as drawn",
    )


class Mesh(_Faceted):
    type: Literal["mesh"]
    file: str = Field(description="STL, OBJ, ...; relative to the description's file")
    scale: Vector3 = Field((1.0, 1.0, 1.0), description="factor for each axis; negative mirrors")
    surface: bool = Field(False, description="allow an open surface as a wall, such as a sheet or an open bin")
    pieces: bool = Field(
        False, description="collides as several convex pieces that fill it, instead of as its convex hull"
    )

    @model_validator(mode="after")
    def _has_volume(self):
        if 0.0 in self.scale:
            raise PydanticCustomError(
                "scale", "must not contain a zero, which would flatten the mesh", {"inside": "scale"}
            )
        return self

    def unit(self) -> Inertial:
        mesh = triangles(self.file, f"mesh {self.file!r}", process=True)
        mesh.apply_scale(self.scale)
        if not len(mesh.faces) or not mesh.is_watertight or mesh.volume <= 0.0:
            raise SpecError(
                f"mesh {self.file!r} is not a closed surface, so it has no volume: repair it, or give the body's mass, "
                "com and inertia and remove the density of the mesh"
            )
        return float(mesh.volume), np.array(mesh.center_mass), np.array(mesh.moment_inertia)


MOST_GEAR_POINTS = 200_000
"""points of the outline of a gear"""


class Gear(_Faceted):
    """A spur gear with involute teeth; its first tooth points along x of the shape's frame, turned by `phase_deg`."""

    type: Literal["gear"]
    teeth: Count
    module: Positive = Field(description="module: pitch diameter / number of teeth [m]")
    width: Positive = Field(description="[m]")
    axis: Direction = Field((0.0, 0.0, 1.0), description="the gear extends from `at` along this direction")
    phase_deg: Number = Field(0.0, description="angle of the first tooth about the axis [deg]")
    pressure_angle_deg: Annotated[float, Field(gt=0, lt=45), BeforeValidator(a_number)] = Field(
        20.0, description="[deg]"
    )
    backlash: NonNegative = Field(
        0.0, description="of a pair of equal gears, along the pitch circle [m]: each tooth is thinner by half of it"
    )
    addendum: Positive = Field(1.0, description="height of the tip above the pitch circle, in modules")
    dedendum: Positive = Field(1.25, description="depth of the root below the pitch circle, in modules")
    bore: NonNegative = Field(0.0, description="diameter of the hole [m]")
    flank_points: Count = Field(8, description="mesh points along each flank, at least 2")
    root_points: Index = Field(2, description="mesh points between the roots of two teeth")

    @model_validator(mode="after")
    def _has_teeth(self):
        if (points := self.teeth * (2 * self.flank_points + self.root_points + 2)) > MOST_GEAR_POINTS:
            words = {"points": points, "most": MOST_GEAR_POINTS}
            raise PydanticCustomError("gear", "has {points} points around; at most {most} are possible", words)
        try:
            self.mesh()
        except SpecError as error:
            raise PydanticCustomError("gear", "{words}", {"words": str(error)}) from None
        return self

    def mesh(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (n, 3) [m] in the shape's own frame, and triangles (m, 3)."""
        names = ("pressure_angle_deg", "backlash", "addendum", "dedendum", "bore", "flank_points", "root_points")
        options = {name: getattr(self, name) for name in names}
        vertices, faces = involute_gear(self.teeth, self.module, self.width, **options)
        return vertices @ (rotation_to(self.axis) @ rotation((0.0, 0.0, self.phase_deg), None)).T, faces

    def unit(self) -> Inertial:
        return mesh_inertia(*self.mesh())


class Plane(_Wall):
    """An infinite plane. What is behind it counts as inside: a half-space."""

    type: Literal["plane"]
    normal: Direction = Field((0.0, 0.0, 1.0), description="outward normal, towards the particles")

    @property
    def heavy(self) -> bool:
        return False

    def inertial(self) -> Inertial:
        """None: it has no end."""
        return 0.0, np.zeros(3), np.zeros((3, 3))


SHAPES = {
    "sphere": Sphere, "box": Box, "cylinder": Cylinder, "cone": Cone, "capsule": Capsule, "mesh": Mesh, "plane": Plane,
    "gear": Gear, "ellipsoid": Ellipsoid,
}  # fmt: skip
Shape = Annotated[
    Sphere | Box | Cylinder | Cone | Capsule | Mesh | Plane | Gear | Ellipsoid, Field(discriminator="type")
]
