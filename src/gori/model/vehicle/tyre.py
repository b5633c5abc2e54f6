"""Tyres of a Spec -> their rows for the kernels."""

from typing import Literal

import numpy as np

from gori.kernels.vehicle import fiala, magic, tyre
from gori.spec.vehicle.tyre import SCALES, FialaTyre, MagicTyre

_MEASURED_AT = 16.7
"""speed of measurement that files without LONGVL are taken to mean [m/s]"""


def tyre_row(part: FialaTyre | MagicTyre, side: Literal["left", "right"] | None = None) -> np.ndarray:
    """Parameters (N_TYRE_F,) of a tyre; `side` of the vehicle on which it rolls, where that makes a difference."""
    row = np.zeros(tyre.N_TYRE_F)
    row[tyre.RADIUS], row[tyre.WIDTH], row[tyre.DAMPING] = part.radius, part.width, part.damping
    row[tyre.GROUND_MU], row[tyre.STILL] = part.reference_friction, part.standstill_damping
    row[tyre.MIRROR] = 1.0
    if part.load_table is None:
        stiffness = row[tyre.STIFFNESS] = part.stiffness
    else:
        depths, loads = np.array(part.load_table).T
        row[tyre.POINTS] = len(depths)
        row[tyre.DEPTHS : tyre.DEPTHS + len(depths)] = depths
        row[tyre.LOADS : tyre.LOADS + len(loads)] = loads
        stiffness = row[tyre.STIFFNESS] = loads[0] / depths[0]
    law = row[tyre.LAW :]
    if isinstance(part, FialaTyre):
        row[tyre.KIND] = tyre.FIALA
        row[tyre.ROLLING], row[tyre.ROLL_PART] = part.rolling_resistance, part.rolling_deflection
        row[tyre.SIGMA_X] = part.radius if part.relaxation_x is None else part.relaxation_x
        row[tyre.SIGMA_Y] = part.radius if part.relaxation_y is None else part.relaxation_y
        law[fiala.C_SLIP], law[fiala.C_ALPHA] = part.slip_stiffness, part.cornering_stiffness
        law[fiala.U_MIN], law[fiala.U_MAX] = part.friction_min, part.friction_max
        return row
    row[tyre.KIND] = tyre.MAGIC
    row[tyre.SIGMA_X], row[tyre.SIGMA_Y] = part.relaxation_x or 0.0, part.relaxation_y or 0.0
    if side is not None and part.side not in ("any", side):
        row[tyre.MIRROR] = -1.0
    given = dict.fromkeys(SCALES, 1.0) | {"FZMAX": np.inf, "LONGVL": _MEASURED_AT} | part.coefficients
    for name, value in given.items():
        law[getattr(magic, name)] = value
    if law[magic.PTY1] and not law[magic.PTY2]:
        law[magic.PTY2] = 2.0 * law[magic.PKY2]
    law[magic.CZ] = stiffness
    if part.rolling_deflection is not None:
        row[tyre.ROLL_PART] = part.rolling_deflection
    else:
        row[tyre.ROLL_PART] = -1.0 if law[magic.DREFF] or law[magic.FREFF] else 1.0 / 3.0
    return row
