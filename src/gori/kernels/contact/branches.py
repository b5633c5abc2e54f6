"""Which velocities an impulse on a body changes, and which bodies are solved by themselves; all known beforehand."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gori.kernels.forces.elements import E_DOF, E_KIND, E_STATE, JOINT_FRICTION
from gori.kernels.tree.columns import COM, END, INERTIA, KIND, MASS, NDOF, PARENT, V0
from gori.kernels.tree.joints import FREE


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


def solids(body_i: np.ndarray, body_f: np.ndarray) -> np.ndarray:
    """(rows, 7) of each body that flies alone: 1 / mass, and the inverse of its inertia about its centre of mass, own
    axes, as xx yy zz xy xz yz; zero for all others.
    """
    found = np.zeros((len(body_i), 7))
    for i in range(1, len(body_i)):
        mass = body_f[i, MASS]
        if body_i[i, KIND] == FREE and body_i[i, PARENT] == 0 and body_i[i, END] == i + 1 and mass > 0.0:
            xx, yy, zz, xy, xz, yz = body_f[i, INERTIA : INERTIA + 6]
            c = body_f[i, COM : COM + 3]
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (c @ c * np.eye(3) - np.outer(c, c))
            if np.linalg.matrix_rank(inertia, 1e-12 * np.trace(inertia)) == 3:
                inverse = np.linalg.inv(inertia)
                found[i] = [1.0 / mass, *np.diag(inverse), inverse[0, 1], inverse[0, 2], inverse[1, 2]]
    return found


def rubbing_axes(
    element_i: np.ndarray, body_i: np.ndarray, branch: np.ndarray, path_of: np.ndarray
) -> list[dict[str, int]]:
    """Each axis with friction: its element, velocity, state and row; `along`: 1 where its row has a number for each
    axis on the way to the ground, from `first` on in the paths, 0 where loops hold it, and it has one for each velocity
    of its branch, from `first` on; `width`, their number, and `at`, where the row begins.
    """
    found, at = [], 0
    for e in np.flatnonzero(element_i[:, E_KIND] == JOINT_FRICTION):
        dof = int(element_i[e, E_DOF])
        row = row_of(body_i, dof)
        along = int(branch[row, 4] == 0)
        first, width = path_of[row] if along else branch[row, :2]
        found.append(
            {"element": int(e), "dof": dof, "state": int(element_i[e, E_STATE]), "row": row}
            | {"along": along, "first": int(first), "width": int(width), "at": at}
        )  # fmt: skip
        at += int(width)
    return found
