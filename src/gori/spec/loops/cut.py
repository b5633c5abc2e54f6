"""Cuts: joints that close loops."""

from typing import Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import NonNegative, Number
from gori.spec.joint import Connection, Joint, check_axes, refuse_field

CutType = Literal[
    "fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "distance"
]

AS_A_JOINT = "list it under `joints`, and gori.compile cuts another joint of its loop"
"""what to do with a cut that shall have what joints of the tree have"""


class Cut(Connection):
    """A joint that closes a loop. Kept in the Spec; the tree is what remains without it."""

    type: CutType
    pitch: Number | None = Field(None, description="travel of a helical cut [m per turn]")
    length: NonNegative | None = Field(None, description="of a distance cut [m]")

    @model_validator(mode="before")
    @classmethod
    def _not_of_a_joint(cls, given: Any) -> Any:
        """What only joints of the tree have: start values, springs, friction, limits."""
        for name in given if isinstance(given, dict) else ():
            if name in Joint.model_fields and name not in cls.model_fields:
                raise PydanticCustomError(
                    "field", "a cut takes no {name}: {cure}", {"name": name, "cure": AS_A_JOINT, "inside": name}
                )
        return given

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
