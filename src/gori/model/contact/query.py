"""Contacts of a Model at a pose: where its shapes touch, and how velocities there follow from those of the joints."""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.contact.broad import broad_pairs, broad_work
from gori.kernels.contact.narrow.pairs import collide_pairs
from gori.kernels.contact.narrow.work import narrow_work
from gori.kernels.contact.poses import shapes_at
from gori.kernels.contact.tables import FOUND, MOST_POINTS, ContactTables
from gori.kernels.tree.columns import DOF_BODY, END, N_BODY_W, N_DOF_W, P_WB, S
from gori.model.arrays import rows_of
from gori.model.model import Model

FIRST_ROOM = 8
"""pairs that there is room for at first, for each shape"""


class ContactPoint(NamedTuple):
    """A point where two shapes touch, or are near each other.

    a, b       names of the shapes, such as "box.body"
    position   (3,) midway between the surfaces [m], world axes
    normal     (3,) unit vector from a to b, world axes
    gap        between the surfaces [m]; negative: depth
    jacobian   (3, nv): velocity of b against a at the point, along the normal and two tangents, = jacobian @ v
    shapes     numbers of both shapes;  feature: which of their features meet
    """

    a: str
    b: str
    position: np.ndarray
    normal: np.ndarray
    gap: float
    jacobian: np.ndarray
    shapes: tuple[int, int] = (0, 0)
    feature: int = 0


def contact_points(model: Model, q: Any, reach: float) -> list[ContactPoint]:
    """See `Model.contacts`."""
    if isinstance(reach, bool) or not isinstance(reach, int | float) or not 0.0 <= reach < np.inf:
        raise InputError(f"reach must be a length of at least 0 [m], not {reach!r}")
    rows = rows_of(q, model.nq, "q")
    if len(rows) != 1:
        raise InputError(f"contacts are found at one pose: q must have shape ({model.nq},), not {rows.shape}")
    if model.contact is None:
        return []
    tables, t = model.contact.tables, model.kernel_tables
    n = len(tables.shape)
    pose, box = np.empty((n, 12)), np.empty((n, 6))
    body_w, dof_w = np.zeros((len(t.body_i), N_BODY_W)), np.zeros((model.nv, N_DOF_W))
    shapes_at(t.body_i, t.body_f, tables, rows[0], float(reach), pose, box, body_w, dof_w)
    pair = _pairs(tables, pose, box)
    found, count = FOUND.zeros(len(pair), MOST_POINTS), np.zeros(len(pair), np.int64)
    collide_pairs(tables, pair, pose, float(reach), narrow_work(), found, count)

    def velocity_of(row: int, position: np.ndarray) -> np.ndarray:
        """(3, nv): velocity of the point of a row that is at this position, world axes."""
        body = t.dof_i[:, DOF_BODY]
        carried = (body <= row) & (row < t.body_i[body, END])
        arm = position - body_w[body, P_WB : P_WB + 3]
        linear = dof_w[:, S + 3 : S + 6] + np.cross(dof_w[:, S : S + 3], arm)
        return np.where(carried[:, None], linear, 0.0).T

    points, names, row = [], model.contact.names, tables.shape["row"].tolist()
    for (a, b), some, k in zip(pair.tolist(), found, count.tolist()):
        for point in some[:k]:
            position, normal = point["position"].copy(), point["normal"].copy()
            relative = velocity_of(row[b], position) - velocity_of(row[a], position)
            jacobian = np.stack([normal, *tangents_of(normal)]) @ relative
            gap, feature = float(point["gap"]), int(point["feature"])
            points.append(ContactPoint(names[a], names[b], position, normal, gap, jacobian, (a, b), feature))
    return points


def _pairs(tables: ContactTables, pose: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Candidates (m, 2) of the broad phase, whatever their number."""
    room = FIRST_ROOM * len(box)
    while True:
        pair = np.empty((room, 2), np.int64)
        count = broad_pairs(tables, pose, box, broad_work(len(box), room), pair)
        if count <= room:
            return pair[:count]
        room = count


def tangents_of(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors u, v with (u, v, n) right-handed (Duff et al. 2017, listing 3)."""
    x, y, z = normal
    s = 1.0 if z >= 0.0 else -1.0
    a = -1.0 / (s + z)
    b = x * y * a
    return np.array([1.0 + s * x * x * a, s * b, -s * x]), np.array([b, s + y * y * a, -y])
