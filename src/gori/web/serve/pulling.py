"""A body that is pulled by the mouse: a spring and a damper from a point of it to where the pointer is."""

from typing import Any

import numpy as np

from gori.model import Model
from gori.web.poses import body_order

PERIOD = 0.5
"""of the whole machine on the spring [s]"""
DAMPING_RATIO = 0.7


class Pull:
    """A force for a Simulation, f(t, q, v) -> tau; nothing while no body is held.

    log   what was pulled, for the recording: rows [time, body, point, target], a body of None ends a pull
    """

    def __init__(self, model: Model):
        self.model, self.names = model, body_order(model)
        spec = model.spec
        mass = sum(body.inertial()[0] for body in spec.bodies.values()) or 1.0
        self.stiffness = mass * (2.0 * np.pi / PERIOD) ** 2
        self.damping = 2.0 * DAMPING_RATIO * np.sqrt(self.stiffness * mass)
        self.held: tuple[str, np.ndarray, np.ndarray] | None = None
        self.log: list[list[Any]] = []

    def hold(self, time: float, body: int | None, point: Any = None, target: Any = None) -> bool:
        """Pull a point of a body, in its frame, towards a target in the world [m]; None lets go. Whether it is held."""
        if body is None or not 0 < body < len(self.names):
            if self.held is not None:
                self.log.append([time, None, None, None])
            self.held = None
            return False
        self.held = (self.names[body], np.array(point, float), np.array(target, float))
        self.log.append([time, self.names[body], list(point), list(target)])
        return True

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Forces of the joints."""
        held = self.held
        if held is None:
            return np.zeros(self.model.nv)
        name, point, target = held
        pose = self.model.forward_kinematics(q)[name]
        arm = pose[:3, :3] @ point
        J = self.model.jacobian(q, name)
        J = J[3:] + np.cross(J[:3].T, arm).T
        force = self.stiffness * (target - pose[:3, 3] - arm) - self.damping * (J @ v)
        return J.T @ force
