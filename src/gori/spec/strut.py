"""A strut: everything on the line between a wheel's arm and the chassis.

With x the distance of its ends, tension (which pulls them together) is

    stiffness (x - length) + d(x, sign of x') x' + stop(x - longest) - stop(shortest - x)

d is `compression` while it shortens and `rebound` while it lengthens; where the distance is outside `midstroke`, it is
`end_compression` and `end_rebound`. Over the length `blend` beyond either end of midstroke it goes linearly from the
one to the other, so the force is continuous in x and in x'. The stops push back by a table of force over how far they
are pressed, linear from (0, 0) from row to row, the last slope going on.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import NonNegative, Part, Positive, Vector3, a_sequence
from gori.spec.joint import Range, refuse_same_body

STOP_ROWS = 7
"""most rows of the table of the stops, without (0, 0)"""

_Rows = tuple[tuple[float, float], ...]


def _refuse_row(k: int, words: str) -> None:
    raise PydanticCustomError("table", "{words}", {"words": words, "inside": str(k)})


def _a_stop(rows: _Rows) -> _Rows:
    """Rows after (0, 0)."""
    rest = rows[1:] if rows and rows[0] == (0.0, 0.0) else rows
    first = len(rows) - len(rest)
    if not 1 <= len(rest) <= STOP_ROWS:
        raise PydanticCustomError(
            "table", "a stop takes 1 to {most} rows [m, N] besides [0, 0], not {has}",
            {"most": STOP_ROWS, "has": len(rest)},
        )  # fmt: skip
    before = (0.0, 0.0)
    for k, (travel, force) in enumerate(rest, first):
        if travel <= before[0]:
            _refuse_row(k, f"travel must increase from row to row: {travel} follows {before[0]}")
        if force < before[1]:
            _refuse_row(k, f"the force of a stop must not decrease: {force} N follows {before[1]} N")
        before = (travel, force)
    return rest


_Stop = Annotated[tuple[tuple[NonNegative, NonNegative], ...], BeforeValidator(a_sequence), AfterValidator(_a_stop)]


class Strut(Part):
    """A spring, a damper with two or four rates, and stops, along the line between two points."""

    type: Literal["strut"]
    parent: str = Field(description="body or frame")
    at: Vector3 = Field((0.0, 0.0, 0.0), description="end on the parent, in its frame [m]")
    child: str = Field(description="body or frame")
    child_at: Vector3 = Field((0.0, 0.0, 0.0), description="end on the child, in its frame [m]")
    stiffness: NonNegative = Field(0.0, description="[N/m]")
    length: NonNegative | None = Field(None, description="free length [m]; default: the length in the initial pose")
    compression: NonNegative = Field(0.0, description="compression damping in midstroke [N s/m]")
    rebound: NonNegative = Field(0.0, description="rebound damping in midstroke [N s/m]")
    midstroke: Range | None = Field(
        None, description="shortest and longest length of midstroke [m]; default: all lengths"
    )
    end_compression: NonNegative | None = Field(None, description="compression damping outside midstroke [N s/m]")
    end_rebound: NonNegative | None = Field(None, description="rebound damping outside midstroke [N s/m]")
    blend: Positive = Field(0.01, description="transition length of the damping at the ends of midstroke [m]")
    shortest: NonNegative | None = Field(None, description="length at which the bump stop engages [m]")
    longest: NonNegative | None = Field(None, description="length at which the rebound stop engages [m]")
    stop: _Stop | None = Field(None, description="force of either stop against its compression: [[m, N], ...]")

    @model_validator(mode="after")
    def _fits_together(self):
        refuse_same_body(self)
        ends = [name for name in ("end_compression", "end_rebound") if getattr(self, name) is not None]
        if self.midstroke is None and ends:
            raise PydanticCustomError("strut", "{name} needs midstroke", {"name": ends[0], "inside": ends[0]})
        if self.midstroke is not None and not 0.0 < self.midstroke[0] < self.midstroke[1]:
            raise PydanticCustomError("strut", "must be two lengths, the shorter one first", {"inside": "midstroke"})
        stops = [name for name in ("shortest", "longest") if getattr(self, name) is not None]
        if bool(stops) != (self.stop is not None):
            raise PydanticCustomError("strut", "a stop needs its table `stop`, and shortest or longest", {})
        if self.shortest is not None and self.longest is not None and self.shortest >= self.longest:
            raise PydanticCustomError(
                "strut", "the bump stop at {low} m is not below the rebound stop at {high} m",
                {"low": self.shortest, "high": self.longest, "inside": "shortest"},
            )  # fmt: skip
        return self
