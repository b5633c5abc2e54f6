"""From a soil to its row, and the grid of cells that remembers."""

import math

import numpy as np

from gori.errors import InputError
from gori.kernels.vehicle import soil as row
from gori.kernels.vehicle.patch import N_CELL, NEVER, STAMP, Z_DYN, Z_MAX
from gori.spec.vehicle.soil import BekkerSoil, ExponentialSoil
from gori.spec.vehicle.terrain import SoftGround

LARGEST = 20_000_000
"""cells that a grid may have: more than a gigabyte"""


def soil_row(
    soil: ExponentialSoil | BekkerSoil, corner: tuple[float, float], size: tuple[float, float], cell: float
) -> np.ndarray:
    """The row of a soil (N_SOIL_F,).

    corner   x and y of the grid's lower corner [m]
    size     lengths of the grid along x and y [m]; the last cells may reach beyond
    cell     side of a cell [m]
    """
    if not 0.0 < cell < math.inf:
        raise InputError(f"the cell of a soil grid must be positive, is {cell:g} m")
    count = [max(1, math.ceil(length / cell - 1e-9)) for length in size]
    if count[0] * count[1] > LARGEST:
        raise InputError(
            f"a grid of {count[0]} x {count[1]} cells is too large (at most {LARGEST:,} in all): "
            "take larger cells, or a smaller size"
        )
    p = np.zeros(row.N_SOIL_F)
    if isinstance(soil, BekkerSoil):
        p[row.S_KIND] = row.BEKKER
        p[row.KC], p[row.KPHI], p[row.EXPONENT] = soil.kc, soil.kphi, soil.n
    else:
        p[row.S_KIND] = row.EXPONENTIAL
        p[row.P0], p[row.K1], p[row.K2] = soil.p0, soil.k1, soil.k2
    p[row.REBOUND] = soil.rebound
    p[row.COHESION], p[row.TAN_PHI] = soil.cohesion, math.tan(math.radians(soil.friction_deg))
    p[row.SHEAR_LENGTH], p[row.SHARE] = soil.shear_length, 1.0
    if soil.hump is not None:
        p[row.SHARE], p[row.HUMP] = 1.0 / soil.hump, soil.hump / (1.0 - math.exp(-1.0)) - 1.0
    p[row.P_CRIT] = 1.0
    if soil.slip_sinkage is not None:
        slip = soil.slip_sinkage
        p[row.C0], p[row.C1], p[row.C2], p[row.P_CRIT] = slip.c0, slip.c1, slip.c2, slip.p_crit
    p[row.X0], p[row.Y0], p[row.CELL], p[row.NX], p[row.NY] = *corner, cell, *count
    return p


def fresh_ground(p: np.ndarray) -> np.ndarray:
    """The cells of a soil's grid (NX * NY, N_CELL), that nothing has touched."""
    ground = np.zeros((int(p[row.NX]) * int(p[row.NY]), N_CELL))
    ground[:, STAMP] = NEVER
    return ground


def rut_depths(soft: SoftGround, ground: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray:
    """Depth [m] that is left of what rolled over soft soil, (ny, nx): less what comes back when nothing presses.

    ground   of a State: places of the cells that something has touched, and what they remember
    """
    p = soil_row(soft.soil, soft.at, soft.size, soft.cell)
    depths = np.zeros(int(p[row.NX]) * int(p[row.NY]))
    if ground is not None:
        places, cells = ground
        depths[places] = cells[:, Z_DYN] + (1.0 - soft.soil.rebound) * cells[:, Z_MAX]
    return depths.reshape(int(p[row.NY]), int(p[row.NX]))
