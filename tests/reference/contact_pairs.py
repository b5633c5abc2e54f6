"""Boxes of shapes and pairs of them, by trying all: the twin of `kernels/contact/poses.py` and `broad.py`."""

import numpy as np

from gori.kernels.contact.tables import PLANE


def poses(shape, R_W, p_W):
    """Rotations (n, 3, 3) and origins (n, 3) of shapes; R_W (nrow, 3, 3), p_W (nrow, 3) of the rows."""
    R, p, row = shape["rotation"].reshape(-1, 3, 3), shape["position"], shape["row"]
    return R_W[row] @ R, p_W[row] + np.einsum("nij,nj->ni", R_W[row], p)


def corners(half):
    """(8, 3) of a box with these half edges."""
    return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half


def boxes(shape, R, p, reach):
    """(n, 6): lowest and highest corner of each shape's own box, and the reach."""
    made = np.zeros((len(shape), 6))
    for k, half in enumerate(shape["half"]):
        points = corners(half) @ R[k].T + p[k] if np.isfinite(half[0]) else np.array([[-np.inf] * 3, [np.inf] * 3])
        made[k] = [*(points.min(axis=0) - reach), *(points.max(axis=0) + reach)]
    return made


def pairs(tables, R, p, box):
    """Sorted pairs a < b of shapes whose boxes overlap and that can touch."""
    shape, n, never = tables.shape, len(tables.shape), set(tables.excluded.tolist())
    found = []
    for a in range(n):
        for b in range(a + 1, n):
            A, B = shape[a], shape[b]
            touch = A["row"] != B["row"] and tables.law[A["material"], B["material"]]["touches"]
            endless = np.isinf(A["half"][0]) and np.isinf(B["half"][0])
            overlap = (box[a, :3] <= box[b, 3:]).all() and (box[b, :3] <= box[a, 3:]).all()
            apart = any(_in_front(shape[i], R[i], p[i], box[j]) for i, j in ((a, b), (b, a)))
            if touch and overlap and not endless and not apart and a * n + b not in never:
                found.append((a, b))
    return np.array(found, np.int64).reshape(-1, 2)


def _in_front(plane, R, p, box):
    if plane["kind"] != PLANE or plane["row"] != 0 or np.isinf(box[0]):
        return False
    ends = (corners(1.0) + 1.0) / 2.0
    points = box[:3] + ends * (box[3:] - box[:3])
    return bool(((points - p) @ R[:, 2]).min() > 0.0)
