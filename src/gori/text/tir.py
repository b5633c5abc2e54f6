"""Tyre property files (.tir): sections of `KEY = value`, for the Magic Formula MF 5.2 (PAC2002) and for Fiala's law.

A strict reader: what it does not understand in the sections that it needs is an error with its line. Sections for
other purposes (shape, ranges, belt dynamics, ..) are passed over, and so are comments, `$` and `!`.
"""

import math
import os
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from gori.door import contents
from gori.errors import FileError, SpecError
from gori.spec.expression import closest
from gori.spec.vehicle.tyre import ALIGNING, COEFFICIENTS, COMBINED, NEEDED, FialaTyre, MagicTyre

_FORMATS = ("PAC2002", "MF-TYRE", "MF-TIRE", "MF_05", "FIALA")
_OWN = "USER"
"""FITTYP of files made for a particular solver"""
_FITS = (5, 6, 21, 51, 52)
"""values of FITTYP that mean the Magic Formula up to 5.2"""
_UNITS = {
    "LENGTH": {"meter": 1.0, "m": 1.0, "millimeter": 1e-3, "mm": 1e-3, "centimeter": 1e-2, "cm": 1e-2, "km": 1e3,
               "kilometer": 1e3, "inch": 0.0254, "foot": 0.3048},
    "FORCE": {"newton": 1.0, "n": 1.0, "kilonewton": 1e3, "kn": 1e3, "kilogram_force": 9.80665, "kgf": 9.80665,
              "pound_force": 4.4482216152605, "lbf": 4.4482216152605},
    "ANGLE": {"radian": 1.0, "radians": 1.0, "rad": 1.0},
    "TIME": {"second": 1.0, "sec": 1.0, "s": 1.0, "millisecond": 1e-3, "ms": 1e-3, "minute": 60.0, "hour": 3600.0},
}  # fmt: skip
_OTHER_SIDE = {"left": "right", "right": "left"}
_PRESSURE = ("PPX1", "PPX2", "PPX3", "PPX4", "PPY1", "PPY2", "PPY3", "PPY4", "QPZ1", "QPZ2")
_FIALA = {"CSLIP": "slip_stiffness", "CALPHA": "cornering_stiffness", "UMIN": "friction_min", "UMAX": "friction_max"}


class _Value(NamedTuple):
    value: Any
    line: int
    section: str


class _Table(dict[str, _Value]):
    """Values by key; the units apart, since MASS is also the name of a value."""

    def __init__(self, path: Path):
        super().__init__()
        self.path = path
        self.sections: dict[str, int] = {}
        self.units: dict[str, _Value] = {}
        self.loads: list[tuple[float, float]] = []

    def fail(self, words: str, key: str = "") -> NoReturn:
        raise FileError(words, self.path, self[key].line if key in self else None)

    def number(self, key: str, default: float | None = None) -> float:
        if key not in self:
            if default is None:
                self.fail(f"{key} is missing{closest(key, self)}")
            return default
        value = self[key].value
        if not isinstance(value, float):
            self.fail(f"{key} must be a number, not {value!r}", key)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        if key not in self:
            if default is None:
                self.fail(f"{key} is missing")
            return default
        value = self[key].value
        if not isinstance(value, str):
            self.fail(f"{key} must be text in quotes, not {value:g}", key)
        return value

    def add(self, key: str, value: Any, line: int, section: str) -> None:
        owner = self.units if section == "UNITS" else self
        if key not in owner:
            owner[key] = _Value(value, line, section)
        elif owner[key].section == section or key in COEFFICIENTS:
            raise FileError(f"{key} is given twice, first in line {owner[key].line}", self.path, line)


def read_tir(path: str | os.PathLike) -> MagicTyre | FialaTyre:
    """The tyre in a .tir file, in SI units."""
    table = _read(Path(path))
    units = _units(table)
    kind = table.text("PROPERTY_FILE_FORMAT").upper()
    if kind not in _FORMATS and not (kind == _OWN and "FITTYP" in table):
        table.fail(f"PROPERTY_FILE_FORMAT {kind!r} is not one of {', '.join(_FORMATS)}", "PROPERTY_FILE_FORMAT")
    if "FITTYP" in table and table.number("FITTYP") not in _FITS:
        known = ", ".join(map(str, _FITS))
        table.fail(
            f"FITTYP {table.number('FITTYP'):g} is another version of the Magic Formula; supported: {known} (MF 5.2)",
            "FITTYP",
        )
    made = _fiala(table, units) if kind == "FIALA" else _magic(table, units)
    model = FialaTyre if kind == "FIALA" else MagicTyre
    try:
        return model(**made)
    except SpecError as error:
        # a problem of one coefficient has a line of its own
        place = error.problems[0][0].rpartition(".")[2] if error.problems else ""
        raise FileError(str(error), path, table[place].line if place in table else None) from None


def _read(path: Path) -> _Table:
    raw = contents(path)
    if b"\0" in raw:
        raise FileError("is not text in UTF-8: it holds zeros (NUL)", path, raw[: raw.index(b"\0")].count(b"\n") + 1)
    text = raw.decode("utf-8", errors="replace")
    table, section = _Table(path), ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = _without_comment(raw).strip()
        if not line:
            continue
        if line.startswith("["):
            section = line[1:].partition("]")[0].strip().upper()
            if not line.endswith("]") or not section:
                raise FileError(f"{line!r} is not a section such as [MODEL]", path, number)
            if section in table.sections:
                raise FileError(
                    f"section [{section}] is given twice, first in line {table.sections[section]}", path, number
                )
            table.sections[section] = number
        elif "=" in line:
            key, _, value = (part.strip() for part in line.partition("="))
            if not section:
                raise FileError(f"{key} appears before the first section", path, number)
            if not key or not value:
                raise FileError(f"{line!r} is not KEY = value", path, number)
            table.add(key.upper(), _value(value, key, path, number), number, section)
        elif section == "DEFLECTION_LOAD_CURVE" and not line.startswith("{"):
            table.loads.append(_row(line, path, number))
        elif section in ("MODEL", "UNITS", "DIMENSION", "VERTICAL") or section.endswith("COEFFICIENTS"):
            raise FileError(f"{line!r} is not KEY = value", path, number)
    if not table.sections:
        raise FileError("has no sections such as [MODEL]: this is not a .tir file", path)
    return table


def _without_comment(line: str) -> str:
    quoted = False
    for k, c in enumerate(line):
        if c == "'":
            quoted = not quoted
        elif c in "$!" and not quoted:
            return line[:k]
    return line


def _value(text: str, key: str, path: Path, line: int) -> Any:
    if text.startswith("'"):
        if len(text) < 2 or not text.endswith("'"):
            raise FileError(f"{key}: the quotes of {text} are not closed", path, line)
        return text[1:-1].strip()
    try:
        number = float(text)
    except ValueError:
        return text  # a word without quotes; where a number is needed it is refused
    if not math.isfinite(number):
        raise FileError(f"{key} must be finite, not {text}", path, line)
    return number


def _row(line: str, path: Path, number: int) -> tuple[float, float]:
    try:
        depth, load = map(float, line.split())
    except ValueError:
        raise FileError(f"{line!r} is not a row of depth and load", path, number) from None
    return depth, load


def _units(table: _Table) -> dict[str, float]:
    """SI values of the units of length, force, .."""
    if "UNITS" not in table.sections:
        table.fail("section [UNITS] is missing")
    scales = {}
    for name, known in _UNITS.items():
        if name not in table.units:
            raise FileError(f"{name} is missing in [UNITS]", table.path, table.sections["UNITS"])
        unit = str(table.units[name].value).lower()
        if unit not in known:
            why = ": the coefficients are per radian" if name == "ANGLE" else f"; known units are {', '.join(known)}"
            raise FileError(f"{name} = {unit!r} cannot be used{why}", table.path, table.units[name].line)
        scales[name] = known[unit]
    return scales


def _common(table: _Table, units: dict[str, float]) -> dict[str, Any]:
    """What both kinds share: size, spring and damper."""
    length, force, time = units["LENGTH"], units["FORCE"], units["TIME"]
    made: dict[str, Any] = {
        "radius": table.number("UNLOADED_RADIUS") * length,
        "width": table.number("WIDTH") * length,
        "damping": table.number("VERTICAL_DAMPING", 0.0) * force * time / length,
    }
    if table.number("RIM_RADIUS", 0.0):
        made["rim_radius"] = table.number("RIM_RADIUS") * length
    if table.loads:
        made["load_table"] = [(depth * length, load * force) for depth, load in table.loads]
    else:
        made["stiffness"] = table.number("VERTICAL_STIFFNESS") * table.number("LCZ", 1.0) * force / length
    return made


def _magic(table: _Table, units: dict[str, float]) -> dict[str, Any]:
    pressed = [key for key in _PRESSURE if table.number(key, 0.0)]
    if pressed and table.number("IP", 1.0) != table.number("IP_NOM", table.number("IP", 1.0)):
        table.fail(f"IP is not IP_NOM, and the influence of pressure ({', '.join(pressed)}) is not modelled", "IP")
    wanted = list(NEEDED)
    # the last digit is 4 for combined slip, and negative modes mirror the tyre
    mode = table.number("USE_MODE", 4.0)
    if abs(mode) % 10 == 4:
        wanted += COMBINED
    if any(key in table for key in ALIGNING):
        wanted += ALIGNING
    if lacking := [key for key in wanted if key not in table]:
        table.fail(f"missing coefficients: {', '.join(lacking)}")
    other = {"LKYG", "LKG"} & set(table)
    for key in other:
        if table.number(key) != 1.0:
            table.fail(f"{key} = {table.number(key):g} is not modelled: it must be 1", key)
    coefficients = {key: table.number(key) for key in COEFFICIENTS if key in table}
    for key in ("FNOMIN", "FZMAX"):
        if key in coefficients:
            coefficients[key] *= units["FORCE"]
    if "LONGVL" in coefficients:
        coefficients["LONGVL"] *= units["LENGTH"] / units["TIME"]
    # a relaxation length or scale of zero says that there is none
    for key in ("PTX1", "PTY1", "PTY2"):
        if coefficients.get(key) == 0.0:
            del coefficients[key]
    side = table.text("TYRESIDE", "any").lower()
    if side not in ("left", "right", "any", "symmetric"):
        table.fail(f"TYRESIDE {side!r} is not LEFT, RIGHT or SYMMETRIC", "TYRESIDE")
    if mode < 0.0:
        if side not in _OTHER_SIDE:
            table.fail(f"USE_MODE {mode:g} mirrors the tyre: TYRESIDE must be LEFT or RIGHT", "USE_MODE")
        side = _OTHER_SIDE[side]
    side = "any" if side == "symmetric" else side
    return _common(table, units) | {"type": "magic", "coefficients": coefficients, "side": side}


def _fiala(table: _Table, units: dict[str, float]) -> dict[str, Any]:
    made = _common(table, units) | {"type": "fiala"}
    for key, name in _FIALA.items():
        made[name] = table.number(key) * (units["FORCE"] if name.endswith("stiffness") else 1.0)
    for key, name in (("RELAX_LENGTH_X", "relaxation_x"), ("RELAX_LENGTH_Y", "relaxation_y")):
        if table.number(key, 0.0):
            made[name] = table.number(key) * units["LENGTH"]
    # in Fiala files it is an arm: torque / load
    arm, radius = table.number("ROLLING_RESISTANCE", 0.0), table.number("UNLOADED_RADIUS")
    made["rolling_resistance"] = arm / radius if radius else 0.0
    return made
