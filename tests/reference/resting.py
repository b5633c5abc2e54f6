"""Forces of contacts that rest, by the textbook: conditions of complementarity and Coulomb friction, and projections.

a = b + W f, three rows for each point, normal first; 0 <= f_n, a_n >= 0, f_n a_n = 0; |f_t| <= mu f_n, and f_t
opposite to a_t where it is on its limit, a_t = 0 where it is not.
"""

import numpy as np


def cone_parts(f):
    """Normal part (m,) and tangential part (m, 2)."""
    f = np.reshape(f, (-1, 3))
    return f[:, 0], f[:, 1:]


def amiss(W, b, mu, f):
    """How far accelerations are from what the conditions allow: the largest of all [m/s2].

    Each condition by itself: no pull, no acceleration inwards, none of both at once, friction within its limit, and
    power of friction mu f_n |a_t| as of a force straight against it.
    """
    (fn, ft), (an, at) = cone_parts(f), cone_parts(b + W @ f)
    own = np.diag(W).reshape(-1, 3)
    slip, most = np.hypot(*at.T), mu * np.maximum(fn, 0.0)
    beyond = (np.hypot(*ft.T) - most) * own[:, 1:].max(axis=1)
    against = (most[:, None] * at + slip[:, None] * ft) / np.maximum(most, 1e-12 + 1e-6 * most.max())[:, None]
    return max(
        (-fn * own[:, 0]).max(), (-an).max(), np.minimum(fn * own[:, 0], np.abs(an)).max(), beyond.max(),
        np.abs(against).max(),
    )  # fmt: skip


def by_projection(W, b, mu, count):
    """Forces by many projections onto the cones (Jourdan, Alart, Jean 1998): each point f_n = (f_n - a_n / w)+, and f_t
    - a_t / w drawn onto the disc of radius mu f_n, all others held; w: largest eigenvalue of the own block of W.
    """
    m, f = len(b) // 3, np.zeros(len(b))
    rows = [slice(3 * c, 3 * c + 3) for c in range(m)]
    over = [1.0 / np.linalg.eigvalsh(W[r, r])[-1] for r in rows]
    for _ in range(count):
        for r, share in zip(rows, over):
            g = f[r] - share * (b[r] + W[r] @ f)
            g[0] = max(g[0], 0.0)
            size = np.hypot(g[1], g[2])
            if size > mu * g[0]:
                g[1:] *= mu * g[0] / size
            f[r] = g
    return f
