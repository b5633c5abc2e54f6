"""Soft soil: how it bears, shears and gives way to slip. The laws stand in `docs/soil.md`."""

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Discriminator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import NonNegative, Number, Part, Positive

NO_HUMP = 1.0 - math.exp(-1.0)
"""smallest ratio of peak and residual stress: below it the curve would start flatter than it goes on"""

DEPTHS = np.geomspace(1e-5, 10.0, 4000)
"""sinkages [m] at which a law is checked"""


class SlipSinkage(Part):
    """Sinkage by slip: z = c0 (P / p_crit)^c1 j^c2, j the slip path [m]."""

    c0: NonNegative = Field(description="slip sinkage after 1 m of shear displacement at p_crit [m^(1-c2)]")
    c1: NonNegative = Field(1.0, description="exponent of pressure")
    c2: NonNegative = Field(1.0, description="exponent of the shear displacement")
    p_crit: Positive = Field(1e4, description="reference pressure of c0 [Pa]")


class _Soil(Part):
    source: str = Field("", description="source of the data")
    cohesion: NonNegative = Field(description="c [Pa]")
    friction_deg: NonNegative = Field(description="angle of internal friction [deg]")
    shear_length: Positive = Field(description="shear deformation modulus K [m]")
    hump: Number | None = Field(
        None, description="peak / residual shear stress, C_e; default: no hump (Janosi and Hanamoto)"
    )
    rebound: Positive = Field(0.1, description="fraction of the largest sinkage recovered on unloading, R_zmax")
    slip_sinkage: SlipSinkage | None = None

    @field_validator("friction_deg")
    @classmethod
    def _an_angle(cls, value: float) -> float:
        if value >= 60.0:
            raise PydanticCustomError("angle", "must be below 60 degrees, is {value}", {"value": f"{value:g}"})
        return value

    @field_validator("hump")
    @classmethod
    def _a_hump(cls, value: float | None) -> float | None:
        if value is not None and value < NO_HUMP:
            raise PydanticCustomError(
                "hump",
                "must be at least 1 - 1/e = 0.632, is {value}; omit it for no hump",
                {"value": f"{value:g}"},
            )
        return value

    def pressure(self, z: Any, width: float = 0.3) -> np.ndarray:
        """Pressure [Pa] on fresh soil at the sinkages z [m], under a wheel of this width [m]."""
        raise NotImplementedError

    def largest_rebound(self) -> float:
        """The bound of `rebound`: with more, a load cycle would generate energy."""
        z, P = DEPTHS, self.pressure(DEPTHS)
        return min(1.0, float(np.min(P / (z * np.gradient(P, z, edge_order=2)))))

    @model_validator(mode="after")
    def _cycles_dissipate(self):
        bound = self.largest_rebound()
        if self.rebound >= 1.0 or self.rebound > bound:
            raise PydanticCustomError(
                "rebound",
                "rebound must be below 1 and at most {bound} for this pressure law, is {value}: "
                "a load cycle would generate energy",
                {"bound": f"{bound:.3f}", "value": f"{self.rebound:g}"},
            )
        return self


class ExponentialSoil(_Soil):
    """Pressure P = p0 (1 + k1 z)(1 - exp(-k2 z))."""

    type: Literal["exponential"]
    p0: Positive = Field(description="[Pa]")
    k1: NonNegative = Field(description="[1/m]")
    k2: Positive = Field(description="[1/m]")

    def pressure(self, z: Any, width: float = 0.3) -> np.ndarray:
        z = np.maximum(z, 0.0)
        return -self.p0 * (1.0 + self.k1 * z) * np.expm1(-self.k2 * z)


class BekkerSoil(_Soil):
    """Pressure P = (kc / b + kphi) z^n, b the width of the wheel."""

    type: Literal["bekker"]
    kc: NonNegative = Field(description="[N/m^(n+1)]")
    kphi: NonNegative = Field(description="[N/m^(n+2)]")
    n: Positive

    @model_validator(mode="after")
    def _bears(self):
        if self.kc + self.kphi == 0.0:
            raise PydanticCustomError("bears", "kc and kphi are both 0: the soil carries no load", {})
        return self

    def pressure(self, z: Any, width: float = 0.3) -> np.ndarray:
        return (self.kc / width + self.kphi) * np.maximum(z, 0.0) ** self.n

    def largest_rebound(self) -> float:
        return min(1.0, 1.0 / self.n)


Soil = Annotated[ExponentialSoil | BekkerSoil, Discriminator("type")]
