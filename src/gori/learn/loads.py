"""Forces that can be observed: of motors and torques on joints, and of contact on bodies."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.kernels.forces.elements import E_DOF, E_KIND, E_Q, E_SIGNAL, JOINT_FORCE, MOTOR
from gori.kernels.forces.parameters import MOTOR_F, N_ELEMENT_F
from gori.learn.terms import Term
from gori.model.variants import signal_of
from gori.spec.expression import closest

if TYPE_CHECKING:
    from gori.learn.env import VectorEnv


class Efforts(Term):
    """Torques and forces that motors, torques and forces of the Spec put on their joints (machines, forces) [N m, N],
    by name, with their inputs as they stand.
    """

    def __init__(self, *forces: str):
        self.forces = forces

    def bind(self, env: "VectorEnv") -> None:
        forces, known = env.model.forces, tuple(name for name in env.batch.inputs if name in env.model.spec.forces)
        for name in self.forces:
            if name not in known:
                raise InputError(
                    f"{name!r} is no motor, torque or force on a joint whose value is a number{closest(name, known)}"
                )
        signals = [forces.signal_names.index(signal_of(env.model, name)) for name in self.forces]
        kinds = np.isin(forces.element_i[:, E_KIND], (JOINT_FORCE, MOTOR))
        elements = [int(np.flatnonzero(kinds & (forces.element_i[:, E_SIGNAL] == k))[0]) for k in signals]
        self._refuse_others(env, elements)
        self._inputs = [env.arrays.view(env.batch.inputs[name]) for name in self.forces]
        rows = forces.element_i[elements]
        self._q, self._v = (env.arrays.of(rows[:, column].copy(), "int64") for column in (E_Q, E_DOF))
        gains = [self._gains(env, name, element) for name, element in zip(self.forces, elements)]
        self._plain, self._kp, self._kd, self._rate, self._most = (env.arrays.of(one) for one in np.array(gains).T)

    def _refuse_others(self, env: "VectorEnv", elements: list[int]) -> None:
        """Refuse gains that differ from machine to machine, and rates of targets that follow time."""
        for name, element in zip(self.forces, elements):
            force = env.model.spec.forces[name]
            if np.isin(env.batch.differing("element_f") // N_ELEMENT_F, element).any():
                raise UnsupportedError(f"gains of {name!r} differ from machine to machine: observe q and v instead")
            if not isinstance(getattr(force, "target_velocity", 0.0), (int, float)):
                raise UnsupportedError(f"the target_velocity of {name!r} is no number: observe q and v instead")

    def _gains(self, env: "VectorEnv", name: str, element: int) -> tuple[float, float, float, float, float]:
        """Share of the input itself, kp, kd, rate of the target, largest effort."""
        if name in env.batch.servos:
            kp, kd, most = env.batch.servos[name]
            return 0.0, kp, kd, 0.0, most
        p = env.model.forces.element_f[element]
        if env.model.forces.element_i[element, E_KIND] == JOINT_FORCE:
            return 1.0, 0.0, 0.0, 0.0, np.inf
        motor: Any = env.model.spec.forces[name]
        return 0.0, float(p[MOTOR_F.kp]), float(p[MOTOR_F.kd]), float(motor.target_velocity), float(p[MOTOR_F.limit])

    def __call__(self, env: "VectorEnv") -> Any:
        given = env.xp.stack(self._inputs, axis=1)
        effort = self._kp * (given - env.q[:, self._q]) + self._kd * (self._rate - env.v[:, self._v])
        return env.xp.clip(self._plain * given + effort, -self._most, self._most)


class ContactForces(Term):
    """Force of contact on bodies (machines, 3 bodies), world axes [N]: of impulses the mean of the last step of the
    physics. With `torques` (machines, 6 bodies): the moment about the origin of each body, then the force.
    """

    def __init__(self, *bodies: str, torques: bool = False):
        self.bodies, self.torques = bodies, torques

    def bind(self, env: "VectorEnv") -> None:
        self._arrays = [env.arrays.view(env.batch.contact_wrench(body)) for body in self.bodies]

    def __call__(self, env: "VectorEnv") -> Any:
        return env.xp.concatenate([array if self.torques else array[:, 3:] for array in self._arrays], axis=1)
