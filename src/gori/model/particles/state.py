"""The state of particles: what must be kept to go on bit for bit, each array declared once and checked."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import numpy as np

from gori.errors import InputError
from gori.kernels.particles import columns as c

NO_GRID, NO_SKIN, NEW = np.zeros(3, np.int64), np.float64(0.0), np.int64(0)


class ParticleState(NamedTuple):
    """Particles by id, and touching contacts with their history. Each field: dtype, shape, meaning.

    A run that goes on makes the lists of `listed_position` and `listed_pose` again, and so the same ones.
    """

    id: Annotated[np.ndarray, "i8 n", "ascending"]
    sphere: Annotated[np.ndarray, "f8 n 4", "centre and radius [m]"]
    motion: Annotated[np.ndarray, "f8 n 8", "velocity, mass, angular velocity, material"]
    listed_position: Annotated[np.ndarray, "f8 n 3", "centres when the lists were made [m]"]
    listed_pose: Annotated[np.ndarray, "f8 bodies 18", "poses of the bodies at that time"]
    pairs: Annotated[np.ndarray, "i8 contacts 2", "ids of particles that touch, the smaller first"]
    history: Annotated[np.ndarray, "f8 contacts 8", "as seen from the first: tangential (3), 0, rolling (3), 0"]
    walls: Annotated[np.ndarray, "i8 wall_contacts 2", "id and primitive"]
    wall_history: Annotated[np.ndarray, "f8 wall_contacts 8", "as `history`"]
    grid: Annotated[np.ndarray, "i8 axes", "cells of each level of sizes; the order depends on them"] = NO_GRID
    due: Annotated[Any, "b1", "whether the next march begins with new lists"] = np.False_
    skin: Annotated[Any, "f8", "neighbour-list skin [m]; 0: to be chosen"] = NO_SKIN
    since: Annotated[Any, "i8", "sub-steps since the lists were made"] = NEW


FIELDS: dict[str, str] = {
    name: get_args(hint)[1] for name, hint in get_type_hints(ParticleState, include_extras=True).items()
}
"""dtype and shape of each field"""


def fresh_state(sphere: np.ndarray, motion: np.ndarray, ids: np.ndarray, poses: np.ndarray) -> ParticleState:
    """Particles without contacts."""
    none = np.zeros((0, 8))
    return ParticleState(
        np.asarray(ids, np.int64),
        np.ascontiguousarray(sphere, float),
        np.ascontiguousarray(motion, float),
        np.array(sphere[:, :3], float),
        np.array(poses, float),
        np.zeros((0, 2), np.int64),
        none,
        np.zeros((0, 2), np.int64),
        none.copy(),
    )


def checked_array(name: str, value: Any, declared: str, sizes: dict[str, int]) -> np.ndarray:
    """An array of a saved state: of the dtype and shape that are declared, and finite; new sizes go into `sizes`."""
    kind, *shape = declared.split()
    dtype, array = np.dtype(kind), np.asarray(value)
    if not (array.dtype == dtype or (array.dtype.kind == dtype.kind and array.dtype.kind in "iufb")):
        raise InputError(f"state.particles[{name!r}] must hold {dtype}, not {array.dtype}")
    if array.ndim != len(shape):
        raise InputError(f"state.particles[{name!r}] must have {len(shape)} dimensions, not {array.ndim}")
    for extent, size in zip(shape, array.shape):
        wanted = int(extent) if extent.isdigit() else sizes.setdefault(extent, size)
        if size != wanted:
            words = " x ".join(str(sizes.get(extent, extent)) for extent in shape)
            raise InputError(f"state.particles[{name!r}] must be {words}, not {array.shape}")
    if kind == "f8" and not np.isfinite(array).all():
        raise InputError(f"state.particles[{name!r}] holds a number that is not finite")
    return array.astype(dtype)


def checked_state(
    saved: Mapping[str, Any], bodies: int, primitives: int, materials: int, ever: int, widest: float
) -> ParticleState:
    """The ParticleState of a saved one, a copy; raises an InputError that names the field that is wrong.

    ever     how many particles there have been: the grid may be one for all of them
    widest   largest skin [m]
    """
    sizes = {"bodies": bodies}
    missing = [name for name in FIELDS if name not in saved]
    if missing:
        raise InputError(f"state.particles[{missing[0]!r}] is missing")
    arrays = {name: checked_array(name, saved[name], declared, sizes) for name, declared in FIELDS.items()}
    state = ParticleState(**arrays)
    ids, material = state.id, state.motion[:, c.MATERIAL]
    known = lambda column: np.isin(column, ids).all()  # noqa: E731
    wrong = {
        "id": len(ids) and (ids[0] < 0 or (np.diff(ids) <= 0).any()) and "must be ascending, from 0 on",
        "sphere": not (state.sphere[:, c.R] > 0.0).all() and "holds a radius that is not positive",
        "motion": not (state.motion[:, c.MASS] > 0.0).all() and "holds a mass that is not positive",
        "pairs": not (known(state.pairs) and (state.pairs[:, 0] < state.pairs[:, 1]).all())
        and "must name two particles each, the smaller id first",
        "walls": not (known(state.walls[:, 0]) and _within(state.walls[:, 1], primitives))
        and f"must name a particle and one of {primitives} primitives",
        "grid": (len(state.grid) % 3 or (state.grid.any() and not _fits_grid(state.grid, ever)))
        and f"must be three powers of two from 8 on for each level, with no more than {most_cells(ever)} cells in all",
        "skin": not 0.0 <= state.skin <= widest * (1.0 + 1e-12) and f"must be from 0 to {widest:g} m",
        "since": state.since < 0 and "must be a count",
    }  # fmt: skip
    if not (_within(material, materials) and (material == np.floor(material)).all()):
        wrong["motion"] = f"holds a material that is none of the {materials}"
    for name, words in wrong.items():
        if words:
            raise InputError(f"state.particles[{name!r}] {words}")
    return state


def most_cells(count: int) -> int:
    """Cells of the grid of so many particles, at most."""
    return max(4 * count, 4096)


def _fits_grid(grid: np.ndarray, count: int) -> bool:
    sizes = [int(cells) for cells in grid]  # whose product may be beyond 64 bits
    levels = [math.prod(sizes[k : k + 3]) for k in range(0, len(sizes), 3)]
    return all(cells >= 8 and cells & (cells - 1) == 0 for cells in sizes) and max(levels) <= most_cells(count)


def _within(index: np.ndarray, count: int) -> bool:
    return bool(((index >= 0) & (index < count)).all())
