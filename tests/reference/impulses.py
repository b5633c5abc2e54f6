"""Textbook twins of impulses: loops by one dense system, friction with bounds by many projected sweeps."""

import numpy as np


def held(M, J, f):
    """Velocities x and multipliers of an impulse f (nv,) where J x = 0:  M x + J' lam = f."""
    nv, ne = len(M), len(J)
    A = np.block([[M, J.T], [J, np.zeros((ne, ne))]])
    found = np.linalg.lstsq(A, np.concatenate([f, np.zeros(ne)]), rcond=1e-12)[0]
    return found[:nv], found[nv:]


def bounded(W, u, bound, sweeps=10_000):
    """Impulses p (n,) with |p| <= bound, and W p + u zero where they are less: one after the other."""
    p = np.zeros(len(u))
    for _ in range(sweeps):
        for k in range(len(u)):
            p[k] = np.clip(p[k] - (W[k] @ p + u[k]) / W[k, k], -bound[k], bound[k])
    return p


def diagonal(M, v):
    """Diagonal velocities x = L v of a tree whose velocities are numbered from the ground on: M = L'L, L lower."""
    U = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1]  # M = U U', by the axes from the last to the first
    return U.T @ v


def compliant(J, free, normal, tangential, least, drift, friction, sweeps=20_000):
    """Impulses p (n, 3) of contact points that give way, and velocities x = free + J' p, in which masses are one:
    p_n = max(0, -(u_n + least) / R_n) and p_t = -(u_t + drift) / R_t, no longer than mu p_n. One after the other.

    J   (n, 3, nv);  normal, tangential, least, friction (n,);  drift (n, 2)
    """
    p, x = np.zeros((len(J), 3)), free.copy()
    for _ in range(sweeps):
        for k, rows in enumerate(J):
            W, before = rows @ rows.T, p[k].copy()
            p[k, 0] = max(0.0, p[k, 0] - (rows[0] @ x + least[k] + normal[k] * p[k, 0]) / (W[0, 0] + normal[k]))
            x += rows[0] * (p[k, 0] - before[0])
            length = np.linalg.eigvalsh(W[1:, 1:])[-1] + tangential[k]
            p[k, 1:] -= (rows[1:] @ x + drift[k] + tangential[k] * p[k, 1:]) / length
            size, limit = np.linalg.norm(p[k, 1:]), friction[k] * p[k, 0]
            p[k, 1:] *= limit / size if size > limit else 1.0
            x += (p[k, 1:] - before[1:]) @ rows[1:]
    return p, x
