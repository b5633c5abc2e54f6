"""Stiff chains to measure implicit steps with: rods on hinges with springs and dampers, released horizontally.

Links are solid rods, 0.1 m long and 3 cm thick, of 0.1 kg; gravity pulls obliquely, so that the motion is spatial.
"""

import numpy as np

import gori

LENGTH, MASS, RADIUS = 0.1, 0.1, 0.015
KINDS = ("alternating", "planar", "random", "tapered", "heavy tip", "swung")


def chain(
    links: int, kind: str = "alternating", stiffness: float = 100.0, damping: float = 1.0, speed: float = 0.5
) -> gori.Model:
    """A chain of hinges.

    alternating   axes z, y, z, y, ...            planar    all axes y: motion in a plane
    random        axes in random directions       tapered   each link 3 % lighter than the one before
    heavy tip     the last link twenty times as heavy
    swung         alternating, with a start velocity of the first hinge [rad/s]
    """
    rng = np.random.default_rng(links)
    bodies, joints = {}, {}
    for k in range(links):
        mass = MASS * (0.97**k if kind == "tapered" else 20.0 if kind == "heavy tip" and k == links - 1 else 1.0)
        across = mass * (LENGTH**2 / 12 + RADIUS**2 / 4)
        bodies[f"link{k}"] = gori.spec.Body(
            mass=mass, com=(LENGTH / 2, 0, 0), inertia=(mass * RADIUS**2 / 2, across, across)
        )
        axis = (
            rng.normal(size=3) if kind == "random" else np.array([0, 1, 0] if kind == "planar" or k % 2 else [0, 0, 1])
        )
        joints[f"hinge{k}"] = gori.spec.Joint(
            type="revolute",
            parent=f"link{k - 1}" if k else "ground",
            child=f"link{k}",
            at=(LENGTH if k else 0.0, 0, 0),
            axis=tuple(float(x) for x in axis / np.linalg.norm(axis)),
            stiffness=stiffness,
            damping=damping,
            v=speed if kind == "swung" and k == 0 else 0.0,
        )
    return gori.compile(gori.Spec(gravity=(0, -5, -8.44), bodies=bodies, joints=joints))


def highest_frequency(model: gori.Model, stiffness: float = 100.0) -> float:
    """Of the chain at its start [rad/s]: the largest omega with det(K - omega^2 M) = 0."""
    return float(np.sqrt(stiffness / np.linalg.eigvalsh(model.mass_matrix(model.q0))[0]))
