"""Radau IIA of order 5 for stiff machines: adaptive and implicit (Hairer and Wanner 1996, section IV.8).

A step solves the three stages together, Z_i = h sum_j a_ij f(t + c_j h, y + Z_j), by Newton's method with a Jacobian
that is reused. A transformation splits its linear equations into one real and one complex set, each as large as the
machine:

    (s - f_y) x = r,     s = GAMMA / h  and  s = (ALPHA + i BETA) / h

Of y = (q, v, z, w) only u = (v, z) is left: q follows from q' = G(q) v, and the work w from its rates. With c = 1/s,
E = u'_q and B = u'_u,

    (1 - c B - c^2 E) x = c r,     or     (M + c C + c^2 K) x = c M r

`coefficients` has the numbers, `memory` what is kept and recomputed, `stages` Newton's method and the error, `dense`
and `tree` the two ways to solve the linear equations: with a matrix by differences, for any machine, and in O(n)
without one. `method` is the compiled run. Loops are those of explicit methods: u' is that of their solver, and the
state is projected onto the constraint manifold after each step.
"""

from gori.integrate.radau.method import Radau5

__all__ = ["Radau5"]
