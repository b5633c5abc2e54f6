"""Hard ground under wheels: a plane with a height field, features and patches of other friction on it."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import Named, NonNegative, Number, Part, Positive, ReadOnly, a_number, a_sequence
from gori.spec.vehicle.soil import Soil

RISER = 1e-3
"""over which length a step rises [m]: the ground has one height at each place"""

_Slope = Annotated[float, Field(ge=RISER), BeforeValidator(a_number)]
Place = Annotated[tuple[Number, Number], BeforeValidator(a_sequence)]


class _Feature(Part):
    at: Place = Field((0.0, 0.0), description="x and y of the centre of its leading edge [m]")
    yaw_deg: Number = Field(0.0, description="direction of travel across it, from the x axis [deg]")
    width: Positive | None = Field(None, description="lateral extent [m]; default: unlimited")

    def profile(self, s: np.ndarray) -> np.ndarray:
        """Its height [m] at places s [m] along it."""
        up, top, down = self.flanks()  # pyright: ignore[reportAttributeAccessIssue]
        rise = np.clip(s / up, 0.0, 1.0) * np.clip((up + top + down - s) / down, 0.0, 1.0)
        return self.height * rise  # pyright: ignore[reportAttributeAccessIssue]

    def heights(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What it adds to the ground at places of the world [m]."""
        c, s = np.cos(np.radians(self.yaw_deg)), np.sin(np.radians(self.yaw_deg))
        dx, dy = x - self.at[0], y - self.at[1]
        inside = np.abs(c * dy - s * dx) <= (np.inf if self.width is None else 0.5 * self.width)
        return np.where(inside, self.profile(c * dx + s * dy), 0.0)


class Trapezoid(_Feature):
    """A bump: up, level, down. If nothing is said, 60 cm long and 8 cm high."""

    type: Literal["trapezoid"]
    length: Positive = Field(0.6, description="at its base [m]")
    top: NonNegative | None = Field(None, description="length of its flat top [m]; default: half of its length")
    height: Number = Field(0.08, description="[m]; negative: a hole")

    @model_validator(mode="after")
    def _has_flanks(self):
        if self.top is not None and self.top > self.length - 2 * RISER:
            words = f"must be shorter than the length by at least {2 * RISER:g} m, is {self.top:g}"
            raise PydanticCustomError("feature", "{words}", {"words": words, "inside": "top"})
        return self

    def flanks(self) -> tuple[float, float, float]:
        """Lengths of the way up, the top and the way down [m]."""
        top = 0.5 * self.length if self.top is None else self.top
        return 0.5 * (self.length - top), top, 0.5 * (self.length - top)


class HalfSine(_Feature):
    """A round bump: half a wave."""

    type: Literal["sine"]
    length: Positive = Field(description="[m]")
    height: Number = Field(description="[m]; negative: a hole")

    def flanks(self) -> tuple[float, float, float]:
        """Its length stands in the place of the top [m]."""
        return 0.0, self.length, 0.0

    def profile(self, s: np.ndarray) -> np.ndarray:
        """Its height [m] at places s [m] along it."""
        return self.height * np.sin(np.pi * np.clip(s / self.length, 0.0, 1.0))


class Step(_Feature):
    """A kerb or a drop."""

    type: Literal["step"]
    height: Number = Field(description="[m]; negative: down")
    length: Positive | None = Field(None, description="extent [m]; default: unlimited")

    def flanks(self) -> tuple[float, float, float]:
        """Lengths of the way up, the top and the way down [m]."""
        return RISER, np.inf if self.length is None else self.length, RISER


class Ramp(_Feature):
    """A slope up to a level, and down again if `down` is given."""

    type: Literal["ramp"]
    height: Number = Field(description="[m]; negative: down")
    length: _Slope = Field(description="of the slope [m]")
    top: NonNegative | None = Field(None, description="length of the flat top [m]; default: unlimited")
    down: _Slope | None = Field(None, description="length of the descent [m]; default: as the ascent")

    @model_validator(mode="after")
    def _ends(self):
        if self.down is not None and self.top is None:
            raise PydanticCustomError("feature", "a ramp with a descent needs the length of its top", {})
        return self

    def flanks(self) -> tuple[float, float, float]:
        """Lengths of the way up, the top and the way down [m]."""
        return self.length, np.inf if self.top is None else self.top, self.down or self.length


Feature = Annotated[Trapezoid | HalfSine | Step | Ramp, Field(discriminator="type")]


def _a_grid(value: Any) -> Any:
    """Rows of equal length, of numbers; as plain tuples, checked all at once."""
    try:
        grid = np.asarray(value, float)
    except (TypeError, ValueError):
        raise PydanticCustomError("field", "must be rows of numbers of equal length", {}) from None
    if grid.ndim != 2 or min(grid.shape) < 2:
        raise PydanticCustomError("field", "must have at least two rows of at least two heights", {})
    if not np.isfinite(grid).all():
        row, column = np.argwhere(~np.isfinite(grid))[0]
        raise PydanticCustomError("finite", "must be finite", {"inside": f"{row}.{column}"})
    return tuple(map(tuple, grid.tolist()))


class HeightField(Part):
    """Heights on a grid, bilinear between; outside, its edge goes on. They are added to the plane."""

    at: Place = Field((0.0, 0.0), description="x and y of the first height [m]")
    cell: Positive = Field(description="grid spacing along x, and by default along y [m]")
    cell_y: Positive | None = Field(None, description="grid spacing along y [m]")
    heights: Annotated[tuple[tuple[float, ...], ...], BeforeValidator(_a_grid)] = Field(
        description="[m]; one row per y, one height per x"
    )

    def cells(self) -> tuple[float, float]:
        """Distances along x and y [m]."""
        return self.cell, self.cell_y or self.cell

    def heights_at(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What it adds to the ground at places of the world [m]."""
        grid, (cx, cy) = np.array(self.heights), self.cells()
        a = np.clip((x - self.at[0]) / cx, 0.0, grid.shape[1] - 1.0)
        b = np.clip((y - self.at[1]) / cy, 0.0, grid.shape[0] - 1.0)
        i = np.minimum(a.astype(int), grid.shape[1] - 2)
        j = np.minimum(b.astype(int), grid.shape[0] - 2)
        low = grid[j, i] + (a - i) * (grid[j, i + 1] - grid[j, i])
        high = grid[j + 1, i] + (a - i) * (grid[j + 1, i + 1] - grid[j + 1, i])
        return low + (b - j) * (high - low)


class FrictionPatch(Part):
    """A rectangle of other friction: ice, or one side of a split road."""

    at: Place = Field(description="x and y of its centre [m]")
    size: Annotated[tuple[Positive, Positive], BeforeValidator(a_sequence)] = Field(description="length and width [m]")
    yaw_deg: Number = Field(0.0, description="direction of its length, from the x axis [deg]")
    friction: NonNegative = Field(description="friction coefficient")


def _no_name(value: Any) -> Any:
    if isinstance(value, str):
        words = f"a name can only be used in files; in Python give gori.soil({value!r})"
        raise PydanticCustomError("soil", "{words}", {"words": words})
    return value


class SoftGround(Part):
    """Soft soil on a grid of cells that remember what has rolled over them."""

    soil: Annotated[Soil, BeforeValidator(_no_name)] = Field(
        description="`gori.soil(name)`; in files also a name from the library"
    )
    at: Place = Field((0.0, 0.0), description="x and y of the corner with the smallest coordinates [m]")
    size: Annotated[tuple[Positive, Positive], BeforeValidator(a_sequence)] = Field(description="along x and y [m]")
    cell: Positive = Field(0.05, description="cell size [m]")
    window: Annotated[tuple[Positive, Positive], BeforeValidator(a_sequence)] | None = Field(
        None, description="along x and y [m]: so much is remembered around the wheels; default: all of it"
    )


class Terrain(Part):
    """Ground under wheels, hard or with soft soil on it. World z is up; where features overlap their heights add, and
    the last patch counts.
    """

    at: Annotated[tuple[Number, Number, Number], BeforeValidator(a_sequence)] = Field(
        (0.0, 0.0, 0.0), description="a point on the plane [m]"
    )
    grade: Place = Field((0.0, 0.0), description="slope of the plane along x and y, such as [0.2, 0] for 20 %")
    friction: NonNegative = Field(0.8, description="friction coefficient outside of patches")
    field: HeightField | None = None
    features: Named[Feature] = Field(default_factory=ReadOnly)
    patches: Named[FrictionPatch] = Field(default_factory=ReadOnly)
    soft: SoftGround | None = Field(None, description="soft soil; default: hard ground")
    material: str | None = Field(
        None, description="one of the materials; with it shapes that collide touch the hard ground"
    )

    def height(self, x: Any, y: Any) -> np.ndarray:
        """Height of the ground [m] at places x, y [m], arrays of one shape; of soft ground before anything rolled."""
        x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
        h = self.at[2] + self.grade[0] * (x - self.at[0]) + self.grade[1] * (y - self.at[1])
        if self.field is not None:
            h = h + self.field.heights_at(x, y)
        return sum((feature.heights(x, y) for feature in self.features.values()), start=h)
