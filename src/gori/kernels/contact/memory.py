"""State and work of contact between bodies.

    head, point   kept: the points that touched, or were about to, at the end of the last step
    pose, box     of the shapes now, and candidate pairs (`broad.py`, `pairs.py`)
    near, count   points at the state that is evaluated, each with impulse and anchors of the kept one of the same id
    wrench        on each body that collides, and `measured`: views of what a run records
    rows          of each point: what the solver of impulses needs (`rows.py`, `cone.py`)

The directions of a point are n, from A to B, and two tangents; its rows of the Jacobian are the speeds of B against A
along them. `jac` holds those of the axes on the way from A and B to the ground, point after point; `response`, M^-1 J',
those of all velocities of the branches of the tree that carry A and B.
"""

from typing import Annotated, Any

import numpy as np
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.contact.broad import BroadWork, broad_work
from gori.kernels.contact.narrow.work import NarrowWork, narrow_work
from gori.kernels.contact.response import POINTS
from gori.kernels.contact.tables import FOUND, MOST_POINTS
from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.layout import field, record
from gori.kernels.tree.columns import COM, END, INERTIA, KIND, MASS, NDOF, PARENT, V0
from gori.kernels.tree.joints import FREE

F1, F2 = types.float64[::1], types.float64[:, ::1]
F3 = types.float64[:, :, ::1]
I1, I2 = types.int64[::1], types.int64[:, ::1]
PAIRS = 32
"""candidates for which there is room, for each shape"""
DEPTH = 5
"""iterates that are mixed by the solver of impulses"""
MARGIN = 1e-3
"""how far apart points are looked for that nothing brings together, by the smaller of both curvature radii"""

HEAD = record(
    "ContactHead",
    field("points", "", "number of points", dtype="i8"),
    field("pairs", "", "number of candidate pairs", dtype="i8"),
    field("iterations", "", "of the solver so far", dtype="i8"),
    field("solves", "", "of the solver so far", dtype="i8"),
    field("stalled", "", "solves so far that ended without converging", dtype="i8"),
    field("work", "J", "of contact so far"),
    field("deepest", "m", "largest depth so far"),
)

POINT = record(
    "ContactPoint",
    field("a", "", "shape A", dtype="i8"),
    field("b", "", "shape B", dtype="i8"),
    field("feature", "", "which features of A and B meet", dtype="i8"),
    field("position", "m", "midway between both surfaces, world axes", shape=3),
    field("normal", "", "from A to B, world axes", shape=3),
    field("gap", "m", "between the surfaces; negative: depth"),
    field("force", "N", "on B, mean of the last step, world axes", shape=3),
    field("slip", "m", "way of B over A since it sticks, world axes", shape=3),
    field("anchor_a", "m", "end of the tangential spring, in the frame of A's row", shape=3),
    field("anchor_b", "m", "its other end, in the frame of B's row", shape=3),
    field("orientation", "", "of B's row seen from A's, by rows, in which rolling springs are relaxed", shape=9),
    field("sticking", "", "1: it touched, and the anchors hold", dtype="i8"),
    field("speed", "m/s", "with which the surfaces met, for the damping of the law"),
)

ROWS = record(
    "ContactRows",
    field("first_a", "", "first velocity of A's branch", dtype="i8"),
    field("width_a", "", "number of them; 0: A does not move", dtype="i8"),
    field("first_b", "", "first velocity of B's branch", dtype="i8"),
    field("width_b", "", "number of them; 0: B does not move, or on A's branch", dtype="i8"),
    field("path_a", "", "where the axes that move A begin in `path`", dtype="i8"),
    field("count_a", "", "number of them", dtype="i8"),
    field("path_b", "", "where the axes that move B begin in `path`", dtype="i8"),
    field("count_b", "", "number of them", dtype="i8"),
    field("direct", "", "1: they are all velocities of both branches", dtype="i8"),
    field("at", "", "where its rows begin in `jac`, of count_a + count_b columns", dtype="i8"),
    field("at_response", "", "where its rows begin in `response`, of width_a + width_b columns", dtype="i8"),
    field("tangent_1", "", "world axes", shape=3),
    field("tangent_2", "", "world axes", shape=3),
    field("impulse", "N s", "on B along n and both tangents", shape=3),
    field("last", "N s", "impulse before both sweeps", shape=3),
    field("over_normal", "kg", "1 / (W_nn + soft_normal); 0: nothing moves"),
    field("soft_normal", "1/kg", "compliance of the normal impulse"),
    field("soft_tangent", "1/kg", "compliance of the tangential impulses"),
    field("drift", "m/s", "speed along both tangents that brings a sticking point back", shape=2),
    field("weight", "kg^-0.5", "of changes of normal and tangential impulses", shape=2),
    field("tangential", "1/kg", "W of the tangents with their compliance: 11, 12, 22", shape=3),
    field("coupling", "1/kg", "W of the normal with both tangents", shape=2),
    field("over_largest", "kg", "1 / largest eigenvalue of it"),
    field("least", "m/s", "normal speed after the step is at least minus this"),
    field("friction", "", "coefficient"),
)


class ContactMemory(Bundle):
    """All pieces; head is a table of one row."""

    head: Annotated[Any, HEAD.type[::1]]
    point: Annotated[Any, POINT.type[::1]]
    near: Annotated[Any, POINT.type[::1]]
    count: Annotated[Any, I1]  # (2,) points that are near, and candidate pairs
    rows: Annotated[Any, ROWS.type[::1]]
    pose: Annotated[Any, F2]  # (shapes, 12) rotation by rows and origin, world
    box: Annotated[Any, F2]  # (shapes, 6) low and high corner, with the way of a step
    broad: Annotated[BroadWork, BroadWork.type]
    pairs: Annotated[Any, I2]  # (n, 2) candidates
    # axes that separate pairs (`axes.py`): (n, 3) now and in the step before, its pairs (n, 2) and their number (1,)
    axis: Annotated[Any, F2]
    axis_before: Annotated[Any, F2]
    pairs_before: Annotated[Any, I2]
    pairs_noted: Annotated[Any, I1]
    found: Annotated[Any, FOUND.type[::1]]  # of one pair
    narrow: Annotated[NarrowWork, NarrowWork.type]  # work of one pair
    ahead: Annotated[Any, F1]  # (1,) step that an adaptive method is about to take [s]
    margin: Annotated[Any, F1]  # (1,) by which all boxes are grown [m]
    newest: Annotated[Any, I1]  # (shapes,) last of the kept points with this shape A, or -1
    older: Annotated[Any, I1]  # (points,) the one before it with the same A, or -1
    body: Annotated[Any, I1]  # (shapes,) row of `wrench` for the body of each shape, or -1
    wrench: Annotated[Any, F2]  # (bodies, 6) of contact on bodies: moment about the origin of the row, force; world
    measured: Annotated[Any, F1]  # (2,) number of points that bear a force, and smallest gap [m], or nan
    branch: Annotated[Any, I2]  # (rows, 4) first velocity and number of them, of a row's branch; its rows: first, end
    path: Annotated[Any, I1]  # velocities that move each row, from its joint to the ground
    path_of: Annotated[Any, I2]  # (rows, 2) where those of each row begin, and number of them
    jac: Annotated[Any, F1]
    response: Annotated[Any, F1]
    # mixing of iterates (`mixing.py`): differences of the last few, (DEPTH, 3 points) and (DEPTH, nv), and the last one
    mix_f: Annotated[Any, F2]
    mix_g: Annotated[Any, F2]
    mix_v: Annotated[Any, F2]
    last_f: Annotated[Any, F1]
    last_g: Annotated[Any, F1]
    last_v: Annotated[Any, F1]
    gram: Annotated[Any, F2]  # (2 DEPTH, DEPTH) equations of the mixture, and below them their factors
    share: Annotated[Any, F1]  # (DEPTH,)
    solid: Annotated[Any, F2]  # (rows, 7) of bodies that fly alone: 1 / mass, inverse inertia; others: zero
    arm: Annotated[Any, F1]  # (3,) of one point from the origin of a body [m]
    directions: Annotated[Any, F2]  # (3, 3) of one point, by rows
    force: Annotated[Any, F2]  # (6, WIDTH) of one point on its way to the ground: lanes
    waiting: Annotated[Any, I2]  # (POINTS, 2) where the rows of points that are carried together begin, their width
    load: Annotated[Any, F2]  # (nv, WIDTH) of one point along its directions, on its way to the ground
    motion: Annotated[Any, F3]  # (rows, 6, WIDTH) velocities of bodies by a unit impulse along each direction


def branches(body_i: np.ndarray, nv: int, whole: bool) -> np.ndarray:
    """(rows, 4) first velocity, number of them, first and end row, of the branch of the ground that carries each row.

    whole   loops may connect branches: all velocities belong to one
    """
    found = np.zeros((len(body_i), 4), np.int64)
    starts = [*body_i[:, V0], nv]
    for i in range(1, len(body_i)):
        if whole:
            found[i] = 0, nv, 1, len(body_i)
        elif body_i[i, PARENT] == 0:
            found[i] = starts[i], starts[body_i[i, END]] - starts[i], i, body_i[i, END]
        else:
            found[i] = found[body_i[i, PARENT]]
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


def contact_memory(
    tables: Any,
    body_i: np.ndarray,
    body_f: np.ndarray,
    nv: int,
    whole: bool = False,
    points: int = 0,
    solver: bool = True,
    bodies: Any = None,
    recorded: np.ndarray | None = None,
    cells: np.ndarray | None = None,
) -> ContactMemory:
    """A new memory for so many points; without tables next to nothing.

    solver     with room for rows of impulses
    bodies     (shapes,) row of `wrench` for the body of each shape; default: none has one
    recorded   (6 bodies + 2,) where `wrench` and `measured` stand
    cells      of soft soil, which wheels change
    """
    shapes = 0 if tables is None else len(tables.shape)
    branch = branches(body_i, nv, whole) if shapes else np.zeros((0, 4), np.int64)
    curvature = tables.shape["curvature"] if shapes else np.zeros(0)
    margin = 0.5 * MARGIN * float(curvature[np.isfinite(curvature)].max(initial=0.0))
    widest = int(branch[:, 1].max(initial=0))
    room = points * 3 * widest * (1 if whole or widest == nv else 2) if solver else 0
    recorded = np.zeros(2) if recorded is None else recorded
    path, path_of = paths(body_i) if shapes else (np.zeros(0, np.int64), np.zeros((0, 2), np.int64))
    columns = points * 6 * int(path_of[:, 1].max(initial=0)) if solver else 0
    mixed = DEPTH if solver and shapes else 0
    return ContactMemory(
        head=HEAD.zeros(1), point=POINT.zeros(points), near=POINT.zeros(points), count=np.zeros(2, np.int64),
        rows=ROWS.zeros(points if solver else 0),
        pose=np.zeros((shapes, 12)), box=np.zeros((shapes, 6)), broad=broad_work(shapes, PAIRS * shapes),
        pairs=np.zeros((PAIRS * shapes, 2), np.int64), found=FOUND.zeros(MOST_POINTS),
        axis=np.zeros((PAIRS * shapes, 3)), axis_before=np.zeros((PAIRS * shapes, 3)),
        pairs_before=np.zeros((PAIRS * shapes, 2), np.int64), pairs_noted=np.zeros(1, np.int64),
        narrow=narrow_work(cells), ahead=np.zeros(1), margin=np.full(1, margin), newest=np.zeros(shapes, np.int64),
        older=np.zeros(points, np.int64), body=np.array([-1] * shapes if bodies is None else bodies, np.int64),
        wrench=recorded[:-2].reshape(-1, 6), measured=recorded[-2:], branch=branch,
        path=path, path_of=path_of, jac=np.zeros(columns), response=np.zeros(room),
        mix_f=np.zeros((mixed, 3 * points)), mix_g=np.zeros((mixed, 3 * points)),
        mix_v=np.zeros((mixed, nv if shapes else 0)), last_f=np.zeros(3 * points), last_g=np.zeros(3 * points),
        last_v=np.zeros(nv if shapes else 0), gram=np.zeros((2 * DEPTH, DEPTH)), share=np.zeros(DEPTH),
        solid=solids(body_i, body_f) if shapes else np.zeros((0, 7)), arm=np.zeros(3), directions=np.zeros((3, 3)),
        force=aligned((6, WIDTH)), load=aligned((nv if shapes else 0, WIDTH)),
        motion=aligned((len(body_i) if shapes else 0, 6, WIDTH)), waiting=np.zeros((POINTS, 2), np.int64),
    )  # fmt: skip
