"""Tyres of a Spec -> their rows for the kernels."""

from typing import Literal

import numpy as np

from gori.kernels.vehicle import magic
from gori.kernels.vehicle.tables import FIALA, MAGIC, TYRE
from gori.spec.vehicle.tyre import SCALES, FialaTyre, MagicTyre

_MEASURED_AT = 16.7
"""speed of measurement that files without LONGVL are taken to mean [m/s]"""


def tyre_row(part: FialaTyre | MagicTyre, side: Literal["left", "right"] | None = None) -> np.ndarray:
    """Table (1,) of a tyre; `side` of the vehicle on which it rolls, where that makes a difference."""
    table = TYRE.zeros(1)
    row = table[0]
    row["radius"], row["width"], row["damping"], row["rim"] = part.radius, part.width, part.damping, part.rim
    row["reference_friction"], row["standstill_damping"] = part.reference_friction, part.standstill_damping
    row["mirror"] = 1.0
    if part.load_table is None:
        stiffness = part.stiffness
    else:
        depths, loads = np.array(part.load_table).T
        row["points"] = len(depths)
        row["depths"][: len(depths)], row["loads"][: len(loads)] = depths, loads
        stiffness = loads[0] / depths[0]
    row["stiffness"] = stiffness
    if isinstance(part, FialaTyre):
        row["kind"] = FIALA
        row["rolling"], row["roll_part"] = part.rolling_resistance, part.rolling_deflection
        row["sigma_x"] = part.radius if part.relaxation_x is None else part.relaxation_x
        row["sigma_y"] = part.radius if part.relaxation_y is None else part.relaxation_y
        row["slip_stiffness"], row["cornering_stiffness"] = part.slip_stiffness, part.cornering_stiffness
        row["friction_min"], row["friction_max"] = part.friction_min, part.friction_max
        return table
    if not isinstance(part, MagicTyre):
        raise NotImplementedError(f"no row for tyres of the type {part.type!r}")
    row["kind"], law = MAGIC, row["magic"]
    row["sigma_x"], row["sigma_y"] = part.relaxation_x or 0.0, part.relaxation_y or 0.0
    if side is not None and part.side not in ("any", side):
        row["mirror"] = -1.0
    given = dict.fromkeys(SCALES, 1.0) | {"FZMAX": np.inf, "LONGVL": _MEASURED_AT} | part.coefficients
    for name, value in given.items():
        law[getattr(magic, name)] = value
    if law[magic.PTY1] and not law[magic.PTY2]:
        law[magic.PTY2] = 2.0 * law[magic.PKY2]
    law[magic.CZ] = stiffness
    if part.rolling_deflection is not None:
        row["roll_part"] = part.rolling_deflection
    else:
        row["roll_part"] = -1.0 if law[magic.DREFF] or law[magic.FREFF] else 1.0 / 3.0
    return table
