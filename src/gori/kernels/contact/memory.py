"""State and work of contact between bodies.

    head, point   kept: the points that touched, or were about to, at the end of the last step
    pose, box     of the shapes now, and candidate pairs (`broad.py`, `pairs.py`)
    near, count   points at the state that is evaluated, each with impulse and anchors of the kept one of the same id
    wrench        on each body that collides, and `measured`: views of what a run records
    rows          of each point: what the solver of impulses needs (`impulses/rows.py`, `cone.py`)
    turns         the same of its rolling and torsional friction, where any materials have it
    axes          friction of joints (`impulses/joints.py`)

The directions of a point are n, from A to B, and two tangents; its rows of the Jacobian are the speeds of B against A
along them. They stand in pieces `w`, point after point, by blocks of the velocities of the solver
(`impulses/blocks.py`, `diagonal.py`).
"""

from typing import Annotated, Any

import numpy as np
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.contact.branches import branches, paths, rubbing_axes
from gori.kernels.contact.broad import BroadWork, broad_work
from gori.kernels.contact.impulses.blocks import blocks_of, slots, velocities_at, ways
from gori.kernels.contact.impulses.diagonal import ROWS_AT_ONCE
from gori.kernels.contact.narrow.work import NarrowWork, narrow_work
from gori.kernels.contact.tables import CAPSULE, FOUND, MOST_POINTS, PLANE, SPHERE
from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.layout import field, record

F1, F2, F3 = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1]
I1, I2 = types.int64[::1], types.int64[:, ::1]
NONE = np.zeros(0, np.int64)
PAIRS = 32
"""candidates for which there is room, for each shape"""
MOST_BLOCKS = 128
"""of velocities of the solver, up to which Newton's method has room: 4 MB"""
DEPTH = 5
"""iterates that are mixed by the solver of impulses"""
CALM = 1e-2
"""way by which bodies may leave that of their velocities where these are enough to look for contacts, by the smallest
radius of curvature of all
"""
MARGIN = 1e-3
"""how far apart points are looked for that nothing brings together, by the smaller of both curvature radii"""

HEAD = record(
    "ContactHead",
    field("points", "", "number of points", dtype="i8"),
    field("pairs", "", "number of candidate pairs", dtype="i8"),
    field("iterations", "", "of the solver so far", dtype="i8"),
    field("solves", "", "of the solver so far", dtype="i8"),
    field("stalled", "", "solves so far that ended without converging", dtype="i8"),
    field("newton", "", "steps of Newton's method so far", dtype="i8"),
    field("rest", "", "solves for which it rested when it did not arrive last; 0: it did", dtype="i8"),
    field("resting", "", "of these, still to come", dtype="i8"),
    field("work", "J", "of contact so far"),
    field("deepest", "m", "largest depth so far"),
    field("deepest_time", "s", "when that was"),
    field("deepest_a", "", "shapes of it", dtype="i8"),
    field("deepest_b", "", "", dtype="i8"),
    field("soil_time", "s", "when cells of soft soil were updated by bodies last"),
    field("calm", "", "1: velocities before the last step would have been enough to look for contacts", dtype="i8"),
    field("parting", "m/s", "largest speed with which bodies inside each other shall part; 0: none that counts"),
)

POINT = record(
    "ContactPoint",
    field("a", "", "shape A", dtype="i8"),
    field("b", "", "shape B", dtype="i8"),
    field("feature", "", "which features of A and B meet", dtype="i8"),
    field("position", "m", "midway between both surfaces, world axes", shape=3),
    field("normal", "", "from A to B, world axes", shape=3),
    field("gap", "m", "between the surfaces; negative: depth"),
    field("on_face", "", "1: one of three or more with which a face lies on another", dtype="i8"),
    field("force", "N", "on B, mean of the last step, world axes", shape=3),
    field("slip", "m", "way of B over A since it sticks, world axes", shape=3),
    field("torque", "N m", "on B, of rolling and torsional friction, mean of the last step, world axes", shape=3),
    field("turn", "rad", "rotation of B against A since rolling or torsional friction holds, world axes", shape=3),
    field("anchor_a", "m", "end of the tangential spring, in the frame of A's row", shape=3),
    field("anchor_b", "m", "its other end, in the frame of B's row", shape=3),
    field("orientation", "", "of B's row seen from A's, by rows, in which rolling springs are relaxed", shape=9),
    field("sticking", "", "1: it touched, and the anchors hold", dtype="i8"),
    field("speed", "m/s", "with which the surfaces met, for the damping of the law"),
)

ROWS = record(
    "ContactRows",
    field("at", "", "where its pieces begin in `block` and `w`: J of what loops hold", dtype="i8"),
    field("to", "", "where those of diagonal velocities begin; behind them, M^-1 J' of what loops hold", dtype="i8"),
    field("count", "", "number of pieces of its speeds, from `at` on", dtype="i8"),
    field("to_count", "", "number of pieces that its impulses change, from `to` on", dtype="i8"),
    field("tangent_1", "", "world axes", shape=3),
    field("tangent_2", "", "world axes", shape=3),
    field("impulse", "N s", "on B along n and both tangents", shape=3),
    field("last", "N s", "impulse before both sweeps", shape=3),
    field("over_normal", "kg", "1 / (W_nn + soft_normal); 0: nothing moves"),
    field("soft_normal", "1/kg", "compliance of the normal impulse"),
    field("soft_tangent", "1/kg", "compliance of the tangential impulses"),
    field("drift", "m/s", "speed along both tangents, and the normal, that brings a sticking point back", shape=3),
    field("weight", "kg^-0.5", "of changes of normal and tangential impulses", shape=2),
    field("tangential", "1/kg", "W of the tangents with their compliance: 11, 12, 22", shape=3),
    field("inverse", "kg", "inverse of it: 11, 12, 22", shape=3),
    field("coupling", "1/kg", "W of the normal with both tangents", shape=2),
    field("over_largest", "kg", "1 / largest eigenvalue of it"),
    field("least", "m/s", "normal speed after the step is at least minus this"),
    field("friction", "", "coefficient; of a row of rotation: rolling friction times effective radius [m]"),
    field("torsion", "m", "of a row of rotation: torsional friction times effective radius"),
    field("load", "N s", "normal impulse that bounds friction in a step of Newton's method"),
    field("speed", "m/s", "along the three directions, in that step", shape=3),
    field("rate", "m/s", "change of it along the direction of the step", shape=3),
)
"""three speeds of a point; or, of its rolling and torsional friction, three angular speeds [rad/s] along the same
directions, with impulses in N m s
"""

AXIS = record(
    "FrictionAxis",
    field("element", "", "of the friction, among the force elements", dtype="i8"),
    field("dof", "", "its velocity", dtype="i8"),
    field("state", "", "its state z", dtype="i8"),
    field("row", "", "of the body that it carries", dtype="i8"),
    field("along", "", "1: its row is of diagonal velocities, on its way to the ground", dtype="i8"),
    field("slot", "", "where its velocity stands in those of the solver", dtype="i8"),
    field("at", "", "where its pieces begin in `axis_block` and `axis_w`", dtype="i8"),
    field("count", "", "number of them", dtype="i8"),
    field("bound", "N s, N m s", "largest impulse"),
    field("impulse", "N s, N m s", "on the axis"),
    field("last", "N s, N m s", "impulse before both sweeps"),
    field("mobility", "1/kg, 1/(kg m2)", "velocity by a unit impulse"),
    field("weight", "", "root of it"),
    field("speed", "m/s, rad/s", "in a step of Newton's method"),
    field("rate", "m/s, rad/s", "change of it along the direction of the step"),
)
"""friction of one axis of a joint"""


class ContactMemory(Bundle):
    """All pieces; head is a table of one row."""

    in_lanes = frozenset(
        {
            "axis_w", "w", "x_before", "x_free", "x_after", "x_moving", "x_last", "x_rebound", "mix_f", "mix_g",
            "mix_v", "mix_change", "last_f", "last_v", "hessian", "corner", "turned", "direction", "force", "load",
        }
    )  # fmt: skip
    constant = frozenset(
        {
            "axis_block", "margin", "body", "branch", "path", "path_of", "place", "velocity_at", "way", "way_of",
        }
    )  # fmt: skip

    head: Annotated[Any, HEAD.type[::1]]
    point: Annotated[Any, POINT.type[::1]]
    near: Annotated[Any, POINT.type[::1]]
    count: Annotated[Any, I1]  # (2,) points that are near, and candidate pairs
    rows: Annotated[Any, ROWS.type[::1]]
    turns: Annotated[Any, ROWS.type[::1]]
    axes: Annotated[Any, AXIS.type[::1]]
    axis_block: Annotated[Any, I1]  # of each piece of an axis with friction
    axis_w: Annotated[Any, F2]  # (pieces, WIDTH) rows of these axes: w, or of M^-1
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
    reached: Annotated[Any, F2]  # (shapes, 6) low and high corner, with the way that impulses make
    margin: Annotated[Any, F1]  # (3,) by which all boxes are grown, by which bodies may leave them, and calm ones [m]
    newest: Annotated[Any, I1]  # (shapes,) last of the kept points with this shape A, or -1
    older: Annotated[Any, I1]  # (points,) the one before it with the same A, or -1
    body: Annotated[Any, I1]  # (shapes,) row of `wrench` for the body of each shape, or -1
    wrench: Annotated[Any, F2]  # (bodies, 6) of contact on bodies: moment about the origin of the row, force; world
    measured: Annotated[Any, F1]  # (2,) number of points that bear a force, and smallest gap [m], or nan
    # (rows, 5) first velocity and number of them, of a row's branch; its rows: first, end; 1: loops hold it
    branch: Annotated[Any, I2]
    path: Annotated[Any, I1]  # velocities that move each row, from its joint to the ground
    path_of: Annotated[Any, I2]  # (rows, 2) where those of each row begin, and number of them
    place: Annotated[Any, I1]  # (nv,) where each velocity stands in those of the solver
    velocity_at: Annotated[Any, I1]  # (8 blocks,) the velocity at each place, or -1
    way: Annotated[Any, I1]  # blocks that move each row
    way_of: Annotated[Any, I2]  # (rows, 2) where those of each row begin, and number of them
    block: Annotated[Any, I1]  # of each piece of a row of a point
    w: Annotated[Any, F3]  # (pieces, 3, WIDTH) rows of points along their three directions
    # velocities of the solver: before the step, without contact, after the step, and of its way
    x_before: Annotated[Any, F1]
    x_free: Annotated[Any, F1]
    x_after: Annotated[Any, F1]
    x_moving: Annotated[Any, F1]
    x_last: Annotated[Any, F1]  # before a pair of sweeps
    # impulses with all their restitution, and velocities with them (`impulses/rebound.py`)
    rebound: Annotated[Any, F1]
    x_rebound: Annotated[Any, F1]
    # mixing of iterates (`impulses/mixing.py`), in blocks: differences of the last few of impulses and velocities, the
    # last ones, and by how much impulses change
    mix_f: Annotated[Any, F3]
    mix_g: Annotated[Any, F3]
    mix_v: Annotated[Any, F3]
    mix_change: Annotated[Any, F1]
    last_f: Annotated[Any, F1]
    last_g: Annotated[Any, F1]
    last_v: Annotated[Any, F1]
    gram: Annotated[Any, F2]  # (2 DEPTH, DEPTH) equations of the mixture, and below them their factors
    share: Annotated[Any, F1]  # (DEPTH,)
    # Newton's method (`impulses/newton.py`, `cholesky.py`), n blocks: the Hessian (n (n + 1) / 2, 8, 8), which of its
    # blocks are filled (n, n), diagonal factors and transposed columns (n, 8, 8), the direction (8 n,)
    hessian: Annotated[Any, F3]
    filled: Annotated[Any, I2]
    corner: Annotated[Any, F3]
    turned: Annotated[Any, F3]
    direction: Annotated[Any, F1]
    total: Annotated[Any, F1]  # (6,) of soft soil on one shape: moment about the origin of its row, and force
    arm: Annotated[Any, F1]  # (3,) of one point from the origin of a body [m]
    directions: Annotated[Any, F2]  # (3, 3) of one point, by rows
    force: Annotated[Any, F2]  # (6, WIDTH) of one point on its way to the ground: lanes
    waiting: Annotated[Any, I2]  # (ROWS_AT_ONCE, 2) rows that are carried together: point, 1: of its rolling friction
    load: Annotated[Any, F2]  # (longest path, WIDTH) rows of points that are carried together
    root: Annotated[Any, F1]  # (nv,) 1 / sqrt(D) of each axis
    carried: Annotated[Any, F2]  # (rows, 6) velocities of bodies while those of their tree become diagonal


def may_need_polytope(shape: np.ndarray) -> bool:
    """Whether the depth of some pair of shapes may be one of cores: balls and capsules have formulas of their own."""
    return not np.isin(shape["kind"], (SPHERE, CAPSULE, PLANE)).all()


def contact_memory(
    machine: Any,
    nv: int,
    points: int = 0,
    pairs: int | None = None,
    solver: bool = True,
    rubbing: bool = False,
    bodies: Any = None,
    recorded: np.ndarray | None = None,
    cells: np.ndarray | None = None,
) -> ContactMemory:
    """A new memory for so many points; without shapes that collide, and without friction of joints, next to nothing.

    pairs      candidates for which there is room; default: PAIRS for each shape
    solver     with room for rows of impulses
    rubbing    friction of joints is solved by impulses
    bodies     (shapes,) row of `wrench` for the body of each shape; default: none has one
    recorded   (6 bodies + 2,) where `wrench` and `measured` stand
    cells      of soft soil, which wheels change
    """
    tables, body_i, shapes = machine.contact, machine.body_i, len(machine.contact.shape)
    branch = branches(
        body_i, nv, [machine.path[at : at + n] for at, n in zip(machine.cut["path"], machine.cut["axes"])]
    )
    found = rubbing_axes(machine.element_i, body_i, branch) if rubbing else []
    used = bool(shapes or found)
    rows = len(body_i) if used else 0
    branch, path, path_of = (branch, *paths(body_i)) if used else (branch[:0], NONE, NONE.reshape(0, 2))
    place = slots(body_i, nv) if used else NONE
    blocks = int(place.max(initial=-1)) // WIDTH + 1
    way, way_of = ways(path, path_of, place)
    widest = max((len(blocks_of(place, *one[:2])) for one in branch if one[4] == 1), default=0)  # of what loops hold
    axes, axis_block = AXIS.zeros(len(found)), list[int]()
    for axis, values in zip(axes, found):
        row = values["row"]
        pieces = [way[k] for k in np.arange(way_of[row, 1]) + way_of[row, 0]]
        pieces = pieces if values["along"] else blocks_of(place, *branch[row, :2])
        values |= {"slot": int(place[values["dof"]]), "at": len(axis_block), "count": len(pieces)}
        axis_block += pieces
        for name, value in values.items():
            axis[name] = value
    curvature = tables.shape["curvature"] if shapes else np.zeros(0)
    curved = curvature[np.isfinite(curvature)]
    margin, calm = 0.5 * MARGIN * float(curved.max(initial=0.0)), CALM * float(curved.min(initial=np.inf))
    if (np.isinf(tables.shape["half"][:, 0]) & (tables.shape["row"] > 0)).any() if shapes else False:
        calm = -np.inf  # what has no end and moves comes from afar
    thinnest = float(tables.shape["half"].min(initial=np.inf)) if shapes else np.inf
    turning = bool(((tables.law["rolling"] > 0.0) | (tables.law["torsion"] > 0.0)).any())
    kinds = (2 if turning else 1) if solver else 0  # of three rows, for each point
    recorded = np.zeros(2) if recorded is None else recorded
    pairs = PAIRS * shapes if pairs is None else pairs
    pieces = 2 * kinds * points * (int(way_of[:, 1].max(initial=0)) + widest)
    impulses = -(-(3 * points * kinds + len(axes)) // WIDTH)  # blocks of them
    mixed = DEPTH if solver and used else 0
    direct = blocks if solver and used and blocks <= MOST_BLOCKS and not (branch[:, 4] == 1).any() else 0
    return ContactMemory(
        head=HEAD.zeros(1), point=POINT.zeros(points), near=POINT.zeros(points), count=np.zeros(2, np.int64),
        rows=ROWS.zeros(points if solver else 0), turns=ROWS.zeros(points if kinds == 2 else 0),
        axes=axes, axis_block=np.array(axis_block, np.int64), axis_w=aligned((len(axis_block), WIDTH)),
        pose=np.zeros((shapes, 12)), box=np.zeros((shapes, 6)), reached=np.zeros((shapes, 6)),
        broad=broad_work(shapes, pairs),
        pairs=np.zeros((pairs, 2), np.int64), found=FOUND.zeros(MOST_POINTS),
        axis=np.zeros((pairs, 3)), axis_before=np.zeros((pairs, 3)),
        pairs_before=np.zeros((pairs, 2), np.int64), pairs_noted=np.zeros(1, np.int64),
        narrow=narrow_work(cells, bool(shapes) and may_need_polytope(tables.shape)),
        ahead=np.zeros(1), margin=np.array([margin, 0.5 * thinnest, calm]),
        newest=np.zeros(shapes, np.int64),
        older=np.zeros(points, np.int64), body=np.array([-1] * shapes if bodies is None else bodies, np.int64),
        wrench=recorded[:-2].reshape(-1, 6), measured=recorded[-2:], branch=branch,
        path=path, path_of=path_of, place=place, velocity_at=velocities_at(place, blocks), way=way, way_of=way_of,
        block=np.zeros(pieces, np.int64), w=aligned((pieces, 3, WIDTH)),
        x_before=aligned(WIDTH * blocks), x_free=aligned(WIDTH * blocks), x_after=aligned(WIDTH * blocks),
        x_moving=aligned(WIDTH * blocks), x_last=aligned(WIDTH * blocks), x_rebound=aligned(WIDTH * blocks),
        rebound=np.zeros(WIDTH * impulses),
        mix_f=aligned((mixed, impulses, WIDTH)), mix_g=aligned((mixed, impulses, WIDTH)),
        mix_v=aligned((mixed, blocks, WIDTH)), mix_change=aligned(WIDTH * impulses),
        last_f=aligned(WIDTH * impulses), last_g=aligned(WIDTH * impulses), last_v=aligned(WIDTH * blocks),
        gram=np.zeros((2 * DEPTH, DEPTH)), share=np.zeros(DEPTH),
        hessian=aligned((direct * (direct + 1) // 2, WIDTH, WIDTH)), filled=np.zeros((direct, direct), np.int64),
        corner=aligned((direct, WIDTH, WIDTH)), turned=aligned((direct, WIDTH, WIDTH)),
        direction=aligned(WIDTH * direct), total=np.zeros(6), arm=np.zeros(3), directions=np.zeros((3, 3)),
        force=aligned((6, WIDTH)), load=aligned((int(path_of[:, 1].max(initial=0)), WIDTH)),
        waiting=np.zeros((ROWS_AT_ONCE, 2), np.int64), root=np.zeros(len(place)), carried=np.zeros((rows, 6)),
    )  # fmt: skip
