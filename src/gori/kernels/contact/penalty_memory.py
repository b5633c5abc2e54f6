"""What the penalty law needs beside the contact points of `memory.py`.

worst      what of a run shows that its steps are too long, or a stiffness too low: a row for each of PASSED, ...
before     (shapes, 12) poses of the shapes at the end of the last step, and `time` of it
way        (shapes,) how far any point of a shape has come in the step [m]
solid      (rows, 7) 1 / mass, and the inverse of the inertia about the centre of mass, own axes, of each row as if it
           were alone; zero: it has no mass
apparent   (rows, 48) how contact resists changes of the accelerations of each row (`linear.py`), six columns of eight
weight     (2,) dv and dq by a change of accelerations in a step of an implicit method [s], [s2]: input of LINEARISE
rough      (1,) 1: forces of contact changed within a step as by an impact that it does not resolve: output of JUMPS
"""

from typing import Annotated, Any

import numpy as np
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.layout import field, record
from gori.kernels.tree.columns import COM, INERTIA, MASS, PARENT

F1, F2 = types.float64[::1], types.float64[:, ::1]

PASSED, DEEP, FAR, STIFF = 0, 1, 2, 3
"""PASSED   a body is on another side of a thin one than before, through it
DEEP     depth, by half of the smallest thickness of both shapes
FAR      way towards each other in a step, by half of the smallest thickness
STIFF    step times the natural frequency of both bodies on their contact, and the rate of its decay
"""

WORST = record(
    "ContactWorst",
    field("value", "", "the largest so far; of PASSED the number of times"),
    field("time", "s", "when that was; of PASSED the first time"),
    field("speed", "m/s", "of approach then"),
    field("a", "", "the shapes", dtype="i8"),
    field("b", "", "", dtype="i8"),
)


class PenaltyMemory(Bundle):
    """All pieces."""

    worst: Annotated[Any, WORST.type[::1]]
    before: Annotated[Any, F2]
    between: Annotated[Any, F2]  # (4, 12) work: poses of two shapes now and on their way
    way: Annotated[Any, F1]
    time: Annotated[Any, F1]  # (1,)
    solid: Annotated[Any, F2]
    root: Annotated[Any, types.int64[::1]]  # (rows,) row at the root of the tree of each row
    apparent: Annotated[Any, F2]
    weight: Annotated[Any, F1]
    rough: Annotated[Any, F1]
    axes: Annotated[Any, F2]  # (3, 3) work: what resists changes of the velocity of one point, by its axes
    turning: Annotated[Any, F2]  # (3, 3) work: the same of rotations


def penalty_memory(
    body_i: np.ndarray | None = None, body_f: np.ndarray | None = None, shapes: int = 0
) -> PenaltyMemory:
    """A new memory for the rows of a machine; without shapes next to nothing."""
    rows = 0 if body_f is None or shapes == 0 else len(body_f)
    root = np.arange(rows)
    for i in range(1, rows):
        root[i] = i if body_i is None or body_i[i, PARENT] == 0 else root[body_i[i, PARENT]]
    return PenaltyMemory(
        worst=WORST.zeros(4), before=np.zeros((shapes, 12)), between=np.zeros((4, 12)), way=np.zeros(shapes),
        time=np.zeros(1), solid=np.zeros((0, 7)) if body_f is None or rows == 0 else solids(body_f),
        root=root,
        apparent=np.zeros((rows, 48)), weight=np.zeros(2), rough=np.zeros(1), axes=np.zeros((3, 3)),
        turning=np.zeros((3, 3)),
    )  # fmt: skip


def solids(body_f: np.ndarray) -> np.ndarray:
    """(rows, 7) 1 / mass and inverse inertia of each row, xx yy zz xy xz yz; none about axes without inertia."""
    found = np.zeros((len(body_f), 7))
    for i in range(1, len(body_f)):
        mass, c = body_f[i, MASS], body_f[i, COM : COM + 3]
        if not mass > 0.0:
            continue
        xx, yy, zz, xy, xz, yz = body_f[i, INERTIA : INERTIA + 6]
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (c @ c * np.eye(3) - np.outer(c, c))
        inverse = np.linalg.pinv(inertia, rcond=1e-9, hermitian=True)
        found[i] = [1.0 / mass, *np.diag(inverse), inverse[0, 1], inverse[0, 2], inverse[1, 2]]
    return found
