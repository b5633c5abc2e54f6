"""Cuts: joints that close loops."""

from typing import Literal

from pydantic import Field, model_validator

from gori.spec.base import NonNegative, Number
from gori.spec.joint import Connection, check_axes, refuse_field

CutType = Literal[
    "fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "distance"
]


class Cut(Connection):
    """A joint that closes a loop. Kept in the Spec; the tree is what remains without it."""

    type: CutType
    pitch: Number | None = Field(None, description="travel of a helical cut [m per turn]")
    length: NonNegative | None = Field(None, description="of a distance cut [m]")

    @model_validator(mode="after")
    def _fits_type(self):
        if (self.length is not None) != (self.type == "distance"):
            refuse_field(
                self, "length", "length is required for distance cuts and not allowed for others; this one is {type}"
            )
        if (self.pitch is not None) != (self.type == "helical"):
            refuse_field(
                self, "pitch", "pitch is required for helical cuts and not allowed for others; this one is {type}"
            )
        check_axes(self, "cut", without=("fixed", "spherical", "distance"))
        return self
