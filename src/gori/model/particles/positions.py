"""Positions of particles that a person gives: rows of numbers, or a file of them."""

import numpy as np

from gori.door import rows_of_numbers
from gori.errors import FileError, InputError
from gori.model.particles.packing import draw_radii
from gori.spec import ParticleGroup
from gori.spec.particles.groups import COLUMNS


def given_rows(part: ParticleGroup, name: str) -> np.ndarray:
    """Rows (n, 10) of given positions: x y z, radius, velocity, angular velocity, in its body's frame."""
    given = part.positions
    rows = _read(given, name) if isinstance(given, str) else np.array(given, float)
    full = np.zeros((len(rows), COLUMNS[-1]))
    full[:, : rows.shape[1]] = rows
    if rows.shape[1] == 3:
        if part.radius is None:
            raise InputError(f"the positions of {name!r} have no radius: give it, or a fourth column in {given}")
        full[:, 3] = draw_radii(part.radius, len(rows), np.random.default_rng(0))
    if not (full[:, 3] > 0.0).all():
        row = int(np.flatnonzero(~(full[:, 3] > 0.0))[0])
        raise InputError(
            f"the fourth column of positions is the radius: particle {row} of {name!r} has {full[row, 3]:g}"
        )
    return full


def _read(file: str, name: str) -> np.ndarray:
    try:
        rows = rows_of_numbers(file)
    except FileError as error:
        raise FileError(f"{error.reason}, for the positions of {name!r}", file) from None
    if rows.ndim != 2 or rows.shape[1] not in COLUMNS or not len(rows) or rows.dtype.kind not in "fiu":
        raise FileError(
            f"must hold rows of x y z, optionally followed by radius, velocity and angular velocity ({COLUMNS} "
            f"numbers), not an array of shape {rows.shape}",
            file,
        )
    if not np.isfinite(rows).all():
        raise FileError(f"holds a number that is not finite in row {int(np.argwhere(~np.isfinite(rows))[0][0])}", file)
    return rows.astype(float)
