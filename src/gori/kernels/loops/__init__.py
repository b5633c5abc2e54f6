"""Closed loops: a tree and cuts. The constraint equations of the cuts, and their solvers.

    M qdd + J' lambda = tau - bias,     Phi(q, t) = 0,     J v = nu,     J qdd + gamma = 0

`memory` declares what the solvers keep and recompute; `cuts` writes Phi, J and gamma; `factors` the sparse factors of
[M J'; J -eps]; `multipliers`, `partition` and `frozen` are the solvers. Each is one kernel with the signature `SOLVER`,
called by its address (`machine.closed`).
"""
