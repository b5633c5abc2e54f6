"""Implicit steps in textbook NumPy: x are the accelerations at the end of a step, x = f(q(x), v(x)).

A step is given by v(x) = base_v + cv x and q(x) = q (+) (base_m + cq x). States of friction take a step of implicit
Euler at v(x).
"""

from dataclasses import dataclass, field

import numpy as np

from tests.reference import dynamics as dyn
from tests.reference.forces import bristle, forces, moving
from tests.reference.tree import Tree


def slide(tree, v, z, h, q0):
    """States of friction after time h at v: z_end = z + h v where it sticks there, z + h (+-F - s z_end) / d else."""
    result, k = z.copy(), 0
    for link in moving(tree):
        for dof, F in zip(range(link.v.start, link.v.stop), np.broadcast_to(link.joint.friction, len(v[link.v]))):
            if F > 0.0:
                s, d = bristle(tree, link.joint, dof, F, q0)
                result[k] = z[k] + h * v[dof]
                carried = s * result[k] + d * v[dof]
                if abs(carried) > F:
                    result[k] = (d * z[k] + h * np.sign(carried) * F) / (d + h * s)
                k += 1
    return result


@dataclass
class Step:
    """One step from (t, q, v, z) to t + h. user: further joint forces, a function of t, q, v."""

    tree: Tree
    q0: np.ndarray
    t: float
    h: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))
    user: object = None

    def __post_init__(self):
        """As for implicit Euler."""
        self.cv, self.cq, self.base_v, self.base_m = self.h, self.h**2, self.v, self.h * self.v

    def load(self, t, q, v, z):
        tau, wrenches, _ = forces(self.tree, t, q, v, z, self.q0)
        return tau + (0.0 if self.user is None else self.user(t, q, v)), wrenches

    def end(self, x):
        """t, q, v, z at the end."""
        v = self.base_v + self.cv * x
        q = dyn.integrate(self.tree, self.q, self.base_m + self.cq * x)
        return self.t + self.h, q, v, slide(self.tree, v, self.z, self.h, self.q0)

    def f(self, x):
        """Forward dynamics at the end."""
        t, q, v, z = self.end(x)
        return dyn.aba(self.tree, q, v, *self.load(t, q, v, z))

    def derivative(self, function, x, columns=slice(None)):
        """These columns of d function / dx at x, by central differences that move v by 1e-4."""
        size = 1e-4 / self.cv
        changes = size * np.eye(len(x))[columns]
        return np.column_stack([(function(x + d) - function(x - d)) / (2.0 * size) for d in changes])

    def A(self, x, columns=slice(None)):
        """These columns of I - cv f_v - cq f_x."""
        return np.eye(len(x))[:, columns] - self.derivative(self.f, x, columns)

    def N(self, a):
        """M + cv C + cq K at x = 0 for accelerations a. K is taken in the tangent space of the end: for ball joints the
        turn within the step is left out.
        """
        t, q, v, z = self.end(np.zeros(len(a)))

        def needed(x):
            there, speed = dyn.integrate(self.tree, q, self.cq * x), v + self.cv * x
            tau, wrenches = self.load(t, there, speed, z)
            return dyn.rnea(self.tree, there, speed, a, wrenches) - tau

        return dyn.crba(self.tree, q) + self.derivative(needed, np.zeros(len(a)))


def linear_step(step: Step, a):
    """x of the linearly implicit step, (M + cv C + cq K) x = M f(0), derivatives for the accelerations a."""
    zero = np.zeros(step.tree.nv)
    return np.linalg.solve(step.N(a), dyn.crba(step.tree, step.end(zero)[1]) @ step.f(zero))


def column_step(step: Step, A, columns):
    """x of the linearly implicit step with A (changed in place) of which only these columns are made anew."""
    zero = np.zeros(step.tree.nv)
    A[:, columns] = step.A(zero, columns)
    return np.linalg.solve(A, step.f(zero))


def newton_step(step: Step, x):
    """x of the implicit step, by Newton's method from x on; A serves as long as the changes shrink tenfold."""
    A, size = step.A(x), np.inf
    for _ in range(50):
        change = np.linalg.solve(A, x - step.f(x))
        x, now = x - change, np.abs(change).max(initial=0.0)
        if now <= 1e-11 * (1.0 + np.abs(x).max(initial=0.0)):
            return x
        if now > 0.1 * size:
            A, now = step.A(x), np.inf
        size = now
    raise AssertionError("the twin does not converge")


def alpha_step(step: Step, vdot, a, rho=0.8):
    """Generalized-alpha (Chung and Hulbert 1993; Arnold and Bruels 2007): vdot and a at the end; changes step.

    vdot are the accelerations at the start, a the method's own.
    """
    h, am, af = step.h, (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2

    def next_a(x):
        return ((1.0 - af) * x + af * vdot - am * a) / (1.0 - am)

    rest = next_a(np.zeros(len(a)))
    step.cv, step.cq = (h * w * (1.0 - af) / (1.0 - am) for w in (gamma, h * beta))
    step.base_v = step.v + h * ((1.0 - gamma) * a + gamma * rest)
    step.base_m = h * step.v + h**2 * ((0.5 - beta) * a + beta * rest)
    x = newton_step(step, vdot)
    return x, next_a(x)
