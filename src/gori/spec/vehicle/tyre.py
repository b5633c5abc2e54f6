"""Tyres: Fiala's law from a few numbers, or the Magic Formula from the coefficients of a file."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from gori.spec.base import NonNegative, Number, Part, Positive, ReadOnly, Share, a_sequence, refuse_both
from gori.spec.expression import closest

MOST_POINTS = 10
"""rows of a table of loads, the origin not counted"""


def _a_load_table(rows: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    if rows and rows[0] == (0.0, 0.0):
        rows = rows[1:]
    if not 1 <= len(rows) <= MOST_POINTS:
        words = f"needs 1 to {MOST_POINTS} rows [deflection, load] in addition to [0, 0], has {len(rows)}"
        raise PydanticCustomError("table", "{words}", {"words": words})
    before = (0.0, 0.0)
    for k, row in enumerate(rows):
        for value, last, word in zip(row, before, ("depths", "loads")):
            if value <= last:
                words = f"{word} must increase from row to row, starting above 0: {value:g} follows {last:g}"
                raise PydanticCustomError("table", "{words}", {"words": words, "inside": str(k)})
        before = row
    return rows


LoadTable = Annotated[tuple[tuple[Number, Number], ...], BeforeValidator(a_sequence), AfterValidator(_a_load_table)]


class _AnyTyre(Part):
    radius: Positive = Field(description="free radius [m]")
    width: Positive = Field(description="width of the tread [m]")
    rim_radius: Positive | None = Field(
        None, description="radius of the rim, which stops the wheel at a wall [m]; default: half of the free radius"
    )
    stiffness: Positive | None = Field(None, description="vertical stiffness [N/m]")
    load_table: LoadTable | None = Field(
        None,
        description="instead of a stiffness: rows [deflection [m], load [N]]; starts at [0, 0], extrapolated linearly",
    )
    damping: NonNegative = Field(0.0, description="vertical damping [N s/m]")
    relaxation_x: Positive | None = Field(
        None, description="longitudinal relaxation length [m]; default: from the coefficients, or the radius"
    )
    relaxation_y: Positive | None = Field(None, description="lateral relaxation length [m]; likewise")
    reference_friction: Positive = Field(
        0.8, description="friction coefficient of the ground for which the data hold; on other ground forces scale"
    )
    standstill_damping: NonNegative = Field(0.5, description="damping ratio of the tyre at standstill")

    @model_validator(mode="after")
    def _one_spring(self):
        refuse_both(self, "stiffness", "load_table")
        if self.stiffness is None and self.load_table is None:
            raise PydanticCustomError("tyre", "a tyre needs stiffness or load_table", {})
        if self.rim_radius is not None and self.rim_radius >= self.radius:
            words = f"must be smaller than the radius, {self.radius:g} m, is {self.rim_radius:g}"
            raise PydanticCustomError("tyre", "{words}", {"words": words, "inside": "rim_radius"})
        return self

    @property
    def rim(self) -> float:
        """Radius of the rim [m]."""
        return 0.5 * self.radius if self.rim_radius is None else self.rim_radius


class FialaTyre(_AnyTyre):
    """Fiala's law: stiffness at small slip, friction that falls with slip."""

    type: Literal["fiala"]
    slip_stiffness: Positive = Field(description="longitudinal slip stiffness at zero slip [N]; CSLIP")
    cornering_stiffness: Positive = Field(description="cornering stiffness at zero slip angle [N/rad]; CALPHA")
    friction_max: Positive = Field(description="friction coefficient at zero slip; UMAX")
    friction_min: Positive = Field(description="friction coefficient at full sliding, slip 1; UMIN")
    rolling_resistance: NonNegative = Field(0.0, description="resisting torque = this * load * radius")
    rolling_deflection: Share = Field(
        1.0 / 3.0, description="rolling radius = free radius - this x vertical deflection"
    )

    @model_validator(mode="after")
    def _falling(self):
        if self.friction_min > self.friction_max:
            raise PydanticCustomError(
                "tyre",
                "friction_min must not be above friction_max, is {low} > {high}",
                {"low": f"{self.friction_min:g}", "high": f"{self.friction_max:g}"},
            )
        return self


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SCALES = _names(
    """LFZO LCX LMUX LEX LKX LHX LVX LGAX LCY LMUY LEY LKY LHY LVY LGAY LTR LRES LGAZ LXAL LYKA LVYKA LS LSGKP LSGAL
    LMY"""
)
"""scale factors, 1 if not given"""
NEEDED = _names(
    """FNOMIN
    PCX1 PDX1 PDX2 PEX1 PEX2 PEX3 PEX4 PKX1 PKX2 PKX3 PHX1 PHX2 PVX1 PVX2
    PCY1 PDY1 PDY2 PDY3 PEY1 PEY2 PEY3 PEY4 PKY1 PKY2 PKY3 PHY1 PHY2 PHY3 PVY1 PVY2 PVY3 PVY4"""
)
"""forces in pure slip cannot do without"""
COMBINED = _names("RBX1 RBX2 RCX1 RHX1 RBY1 RBY2 RBY3 RCY1 RHY1 RVY1 RVY2 RVY3 RVY4 RVY5 RVY6")
"""forces in combined slip need all of these, or none"""
ALIGNING = _names(
    """QBZ1 QBZ2 QBZ3 QBZ4 QBZ5 QBZ9 QCZ1 QDZ1 QDZ2 QDZ3 QDZ4 QDZ6 QDZ7 QDZ8 QDZ9
    QEZ1 QEZ2 QEZ3 QEZ4 QEZ5 QHZ1 QHZ2 QHZ3 QHZ4"""
)
"""the aligning moment needs all of these, or none"""
OPTIONAL = _names(
    """FZMAX LONGVL PDX3 REX1 REX2 PTX1 PTX2 PTX3 REY1 REY2 RHY2 PTY1 PTY2 QSY1 QSY2 QSY3 QSY4 BREFF DREFF FREFF QBZ10
    SSZ1 SSZ2 SSZ3 SSZ4"""
)
"""0 if not given; FZMAX without limit, LONGVL 16.7 m/s"""
COEFFICIENTS = SCALES + NEEDED + COMBINED + ALIGNING + OPTIONAL
_POSITIVE = _names(
    """FNOMIN FZMAX LONGVL LFZO LCX LMUX LKX LCY LMUY LKY PCX1 PDX1 PKX1 PCY1 PDY1 PKY2 PTX1 PTY1 PTY2 RCX1 RCY1"""
)


def _the_coefficients(given: dict[str, float]) -> dict[str, float]:
    for name in given:
        if name not in COEFFICIENTS:
            words = f"unknown coefficient {name!r}{closest(name, COEFFICIENTS)}"
            raise PydanticCustomError("magic", "{words}", {"words": words, "inside": name})
    wanted = list(NEEDED)
    for group in (COMBINED, ALIGNING):
        if any(name in given for name in group):
            wanted += group
    if lacking := [name for name in wanted if name not in given]:
        raise PydanticCustomError("magic", "{words}", {"words": f"missing coefficients: {', '.join(lacking)}"})
    for name in _POSITIVE:
        if name in given and given[name] <= 0.0:
            words = f"{name} must be positive, is {given[name]:g}"
            raise PydanticCustomError("magic", "{words}", {"words": words, "inside": name})
    if given["PKY1"] >= 0.0:
        words = f"PKY1 must be negative, is {given['PKY1']:g}: slip angles follow .tir files (ISO axes)"
        raise PydanticCustomError("magic", "{words}", {"words": words, "inside": "PKY1"})
    return ReadOnly(given)


class MagicTyre(_AnyTyre):
    """The Magic Formula MF 5.2 (PAC2002). `gori.text.tir.read_tir` makes it out of a .tir file."""

    type: Literal["magic"]
    coefficients: Annotated[dict[str, Number], AfterValidator(_the_coefficients)] = Field(
        description="named as in .tir files, in SI units: PCX1, PDX1, ..., with FNOMIN, FZMAX [N], LONGVL [m/s]"
    )
    side: Literal["left", "right", "any"] = Field(
        "any", description="side of the vehicle for which the data hold; mirrored on the other side"
    )
    rolling_deflection: Share | None = Field(
        None,
        description="rolling radius = free radius - this x vertical deflection; default: from "
        "BREFF, DREFF and FREFF, or 1/3 without these coefficients",
    )


Tyre = Annotated[FialaTyre | MagicTyre, Field(discriminator="type")]
TYRES: dict[str, type[Part]] = {"fiala": FialaTyre, "magic": MagicTyre}
"""by type"""
