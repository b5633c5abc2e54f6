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
