"""Memory of impacts by events: gaps that are watched, contacts that rest, and the work of their forces (`rest.py`).

pair, stop   pairs of shapes whose gap is watched, and limits of joints
head, held   kept: contacts that rest, which are held at the level of accelerations
the others   work of one evaluation
"""

from typing import Annotated, Any

import numpy as np
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.contact.memory import DEPTH
from gori.kernels.contact.tables import MOST_POINTS
from gori.kernels.layout import field, record

F1, F2 = types.float64[::1], types.float64[:, ::1]
I1, I2 = types.int64[::1], types.int64[:, ::1]

MOST_HELD = 32
"""contacts that may rest at the same time"""

REST_HEAD = record(
    "RestHead",
    field("held", "", "number of contacts that rest", dtype="i8"),
    field("rate", "1/s", "with which gaps and slips of resting contacts are brought back to zero"),
    field("lift", "m, rad", "gap at which a contact has ceased to rest"),
)

HELD = record(
    "HeldContact",
    field("a", "", "shape A", dtype="i8"),
    field("b", "", "shape B", dtype="i8"),
    field("feature", "", "which features of A and B meet", dtype="i8"),
    field("stop", "", "row of JOINT_STOP; -1: a pair of shapes", dtype="i8"),
    field("friction", "", "coefficient"),
    field("position", "m", "of the point, world axes", shape=3),
    field("normal", "", "from A to B, world axes", shape=3),
    field("gap", "m", "between the surfaces; of a joint: way to its limit [m, rad]"),
    field("force", "N", "on B along the normal and two tangents", shape=3),
)

JOINT_STOP = record(
    "JointStop",
    field("dof", "", "index in v", dtype="i8"),
    field("coordinate", "", "index in q", dtype="i8"),
    field("side", "", "1: lower limit, -1: upper limit"),
    field("bound", "m, rad", "the limit"),
)


class RestMemory(Bundle):
    """All pieces; n = nv + ne are the equations of bodies and loops, m = MOST_HELD."""

    solver: Annotated[int, types.int64]  # address of the loop solver; 0: no loops
    pair: Annotated[Any, I2]  # (pairs, 2) shapes
    stop: Annotated[Any, JOINT_STOP.type[::1]]
    head: Annotated[Any, REST_HEAD.type[::1]]
    held: Annotated[Any, HELD.type[::1]]
    owner: Annotated[Any, I1]  # (MOST_POINTS,) held contact that a found point belongs to, or -1
    q: Annotated[Any, F1]  # (nq,) a little before or after the present state
    q_rate: Annotated[Any, F1]  # (nq,)
    behind: Annotated[Any, F1]  # (3 m,) speeds of the points there
    ahead: Annotated[Any, F1]
    speed: Annotated[Any, F1]  # (3 m,) speeds now
    speeds: Annotated[Any, F1]  # (pairs,) with which the points of each pair may come nearer (`ahead.py`)
    jac: Annotated[Any, F1]  # (3 m nv,)
    equations: Annotated[Any, F2]  # (n, n + 3 m)
    mobility: Annotated[Any, F2]  # (3 m, 3 m)
    free: Annotated[Any, F1]  # (3 m,) accelerations without contact
    force: Annotated[Any, F1]  # (3 m,)
    directions: Annotated[Any, F2]  # (3, 3) normal and tangents of one point, by rows
    # mixing of iterates (`hold.py`): differences of the last few (DEPTH, 3 m), the last one, and their least squares
    mix_f: Annotated[Any, F2]
    mix_g: Annotated[Any, F2]
    last: Annotated[Any, F1]  # (3 m,) forces before a sweep
    last_f: Annotated[Any, F1]
    last_g: Annotated[Any, F1]
    gram: Annotated[Any, F2]  # (2 DEPTH, DEPTH) equations, and below them their factors
    share: Annotated[Any, F1]  # (DEPTH,)
    newton: Annotated[Any, F2]  # (3 m, 3 m + 1) equations of a step of Newton's method (`newton.py`)
    # damped steps (`damped.py`): their equations, units of forces and the best forces so far
    normal: Annotated[Any, F2]  # (3 m, 3 m + 1)
    unit: Annotated[Any, F1]  # (3 m,)
    best: Annotated[Any, F1]  # (3 m,)
    scale: Annotated[Any, F1]  # (n,) units in which the equations are solved (`rest.py`)
    # least normal forces (`spread.py`)
    chosen: Annotated[Any, I1]  # (m,) points that may share a load
    effect: Annotated[Any, F2]  # (m, m) what each does to normal accelerations
    product: Annotated[Any, F2]  # (m, m)
    along: Annotated[Any, F2]  # (4, m) normal force before, friction by it along both tangents, least normal force
    share_of: Annotated[Any, F1]  # (m,) 1, or 0 for those that would pull


def rest_memory(
    nq: int = 0,
    nv: int = 0,
    equations: int = 0,
    solver: int = 0,
    pairs: np.ndarray | None = None,
    stops: np.ndarray | None = None,
    rate: float = 0.0,
    lift: float = 1e-7,
) -> RestMemory:
    """A new memory; without pairs and stops next to nothing. equations: of loops."""
    pairs = np.zeros((0, 2), np.int64) if pairs is None else pairs
    stops = JOINT_STOP.zeros(0) if stops is None else stops
    there = len(pairs) + len(stops) > 0
    m, n = (MOST_HELD, nv + equations) if there else (0, 0)
    head = REST_HEAD.zeros(1)
    head["rate"], head["lift"] = rate, lift
    return RestMemory(
        solver=solver, pair=pairs, stop=stops, head=head, held=HELD.zeros(m),
        owner=np.zeros(MOST_POINTS, np.int64), q=np.zeros(nq if there else 0), q_rate=np.zeros(nq if there else 0),
        behind=np.zeros(3 * m), ahead=np.zeros(3 * m), speed=np.zeros(3 * m),
        speeds=np.zeros(len(pairs)), jac=np.zeros(3 * m * nv),
        equations=np.zeros((n, n + 3 * m)), mobility=np.zeros((3 * m, 3 * m)), free=np.zeros(3 * m),
        force=np.zeros(3 * m), directions=np.zeros((3, 3)), mix_f=np.zeros((DEPTH, 3 * m)),
        mix_g=np.zeros((DEPTH, 3 * m)), last=np.zeros(3 * m), last_f=np.zeros(3 * m), last_g=np.zeros(3 * m),
        gram=np.zeros((2 * DEPTH, DEPTH)), share=np.zeros(DEPTH),
        newton=np.zeros((3 * m, 3 * m + 1)), normal=np.zeros((3 * m, 3 * m + 1)), unit=np.zeros(3 * m),
        best=np.zeros(3 * m), scale=np.zeros(n), chosen=np.zeros(m, np.int64),
        effect=np.zeros((m, m)), product=np.zeros((m, m)), along=np.zeros((4, m)), share_of=np.zeros(m),
    )  # fmt: skip
