"""A double pendulum described in Python, against its closed form.

Two point masses on massless rods of length L1, L2, angles q1 and q2 (relative). The mass matrix in closed form is
    M11 = m1 L1^2 + m2 (L1^2 + 2 L1 L2 cos q2 + L2^2),   M12 = m2 (L1 L2 cos q2 + L2^2),   M22 = m2 L2^2
"""

import numpy as np

import gori

m1, m2, L1, L2 = 1.0, 0.5, 0.8, 0.6
spec = gori.Spec(
    bodies={
        "upper": gori.spec.Body(mass=m1, com=(0, 0, -L1), inertia=(0, 0, 0)),
        "lower": gori.spec.Body(mass=m2, com=(0, 0, -L2), inertia=(0, 0, 0)),
    },
    joints={
        "shoulder": gori.spec.Joint(type="revolute", parent="ground", child="upper", axis=(0, 1, 0)),
        "elbow": gori.spec.Joint(type="revolute", parent="upper", child="lower", at=(0, 0, -L1), axis=(0, 1, 0)),
    },
)
model = gori.compile(spec)

q = np.array([0.3, 1.1])
c = np.cos(q[1])
exact = np.array(
    [
        [m1 * L1**2 + m2 * (L1**2 + 2 * L1 * L2 * c + L2**2), m2 * (L1 * L2 * c + L2**2)],
        [m2 * (L1 * L2 * c + L2**2), m2 * L2**2],
    ]
)
print("mass matrix:\n", model.mass_matrix(q))
assert np.allclose(model.mass_matrix(q), exact, rtol=1e-14)

# the same machine with a heavier lower mass: a new Spec, nothing is changed in place
heavier = gori.compile(spec.set("lower.mass", 2.0))
print("holding torques:", model.gravity_force(q), "->", heavier.gravity_force(q))
assert np.isclose(heavier.gravity_force(q)[1] / model.gravity_force(q)[1], 2.0 / m2)
