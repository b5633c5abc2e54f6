"""Which velocities an impulse on a body changes, all known beforehand."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gori.kernels.forces.elements import E_DOF, E_KIND, E_STATE, JOINT_FRICTION
from gori.kernels.tree.columns import END, NDOF, PARENT, V0


def row_of(body_i: np.ndarray, dof: int) -> int:
    """The row whose joint has a velocity."""
    return next(i for i in range(1, len(body_i)) if body_i[i, V0] <= dof < body_i[i, V0] + body_i[i, NDOF])


def branches(body_i: np.ndarray, nv: int, cuts: Iterable[Any] = ()) -> np.ndarray:
    """(rows, 5) of the branch of the ground that carries each row: first velocity, number of them, first and end row,
    and whether loops hold it. Branches that loops connect are one, with all rows between them.

    cuts   velocities in the equations of each cut
    """
    found = np.zeros((len(body_i), 5), np.int64)
    starts = [*body_i[:, V0], nv]
    for i in range(1, len(body_i)):
        if body_i[i, PARENT] == 0:
            found[i] = starts[i], starts[body_i[i, END]] - starts[i], i, body_i[i, END], 0
        else:
            found[i] = found[body_i[i, PARENT]]
    for dofs in cuts:
        rows = [row_of(body_i, int(dof)) for dof in dofs]
        if not rows:
            continue
        root, end = found[rows, 2].min(), found[rows, 3].max()
        found[root:end] = starts[root], starts[end] - starts[root], root, end, 1
    return found


def paths(body_i: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocities that move each row, from its own joint to the ground, one row after the other; and (rows, 2) where
    those of a row begin, and their number.
    """
    path: list[int] = []
    found = np.zeros((len(body_i), 2), np.int64)
    for i in range(1, len(body_i)):
        found[i, 0], j = len(path), i
        while j > 0:
            path += range(body_i[j, V0], body_i[j, V0] + body_i[j, NDOF])
            j = body_i[j, PARENT]
        found[i, 1] = len(path) - found[i, 0]
    return np.array(path, np.int64), found


def rubbing_axes(element_i: np.ndarray, body_i: np.ndarray, branch: np.ndarray) -> list[dict[str, int]]:
    """Each axis with friction: its element, velocity, state and row; and `along`: 1 where its row has numbers for the
    way to the ground, 0 where loops hold it, and it has them for all of its branch.
    """
    found = []
    for e in np.flatnonzero(element_i[:, E_KIND] == JOINT_FRICTION):
        dof = int(element_i[e, E_DOF])
        row = row_of(body_i, dof)
        state, along = int(element_i[e, E_STATE]), int(branch[row, 4] == 0)
        found.append({"element": int(e), "dof": dof, "state": state, "row": row, "along": along})
    return found
