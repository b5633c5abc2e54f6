"""Interpolation in Chebyshev points (Berrut and Trefethen, Barycentric Lagrange interpolation, 2004).

    p(x) = sum_j l_j(x) f(x_j),    l_j(x) = (w_j / (x - x_j)) / sum_k w_k / (x - x_k)

With the extremes of the Chebyshev polynomials as nodes, w_j = (-1)^j, half of that at both ends; for smooth functions
the error falls geometrically with their number. Each set of nodes below contains the one before it.
"""

import numpy as np

COUNTS = 2, 3, 5, 9, 17, 33
"""of nodes, from coarse to fine"""


def chebyshev_nodes(low: float, high: float, count: int) -> np.ndarray:
    """Nodes (count,) on [low, high], both ends included."""
    x = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.pi * (np.arange(count) / (count - 1)))
    x[0], x[-1] = low, high
    return x


def barycentric_weights(nodes: np.ndarray) -> np.ndarray:
    """w (k,), but for a factor, for nodes that stand anywhere."""
    if len(nodes) == 1:
        return np.ones(1)
    apart = (nodes[:, None] - nodes) / (0.25 * np.ptp(nodes))
    return 1.0 / np.prod(apart + np.eye(len(nodes)), axis=1)


def lagrange(nodes: np.ndarray, x: np.ndarray) -> np.ndarray:
    """l_j(x) (n, k); at a node exactly one of them is 1, the others are 0."""
    apart = x[:, None] - nodes
    hit = apart == 0.0
    apart[hit] = 1.0
    basis = barycentric_weights(nodes) / apart
    total, met = basis.sum(axis=1, keepdims=True), hit.any(axis=1)
    total[met] = 1.0  # where x is a node it may come to zero
    basis /= total
    basis[met] = hit[met]
    return basis


def outer_rows(bases: list[np.ndarray]) -> np.ndarray:
    """Products (n, k1 k2 ...) of the functions of several coordinates (n, k1), (n, k2), ...; the last runs fastest."""
    out = bases[0]
    for basis in bases[1:]:
        out = (out[:, :, None] * basis[:, None, :]).reshape(len(out), -1)
    return out
