"""What a policy acts on: inputs of a batch, set directly or by a controller of joints."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gori.errors import InputError

if TYPE_CHECKING:
    from gori.learn.env import VectorEnv

Numbers = float | Sequence[float] | np.ndarray


class Action:
    """Base of the terms of an action: `size` numbers of it, clipped to `limits`.

    scale, offset   one for all or one for each: offset + scale * number is the value that acts
    limits          lowest and highest number
    delay           steps of the environment after which an action acts; until then that of an action of zeros
    every           steps of the physics from one act to the next; None: one act in a step of the environment
    """

    def __init__(
        self,
        size: int,
        scale: Numbers = 1.0,
        offset: Numbers | None = None,
        *,
        limits: tuple[float, float] = (-1.0, 1.0),
        delay: int = 0,
        every: int | None = None,
    ):
        if isinstance(delay, bool) or not isinstance(delay, int) or delay < 0:
            raise InputError(f"delay must be a whole number of steps, not {delay!r}")
        if every is not None and (isinstance(every, bool) or not isinstance(every, int) or every < 1):
            raise InputError(f"every must be a number of steps of the physics, not {every!r}")
        if not limits[0] < limits[1]:
            raise InputError(f"limits must be a lowest and a highest number, not {limits!r}")
        self.size, self.limits, self.every = size, limits, every
        self._scale, self._offset, self._delay = scale, offset, delay

    def bind(self, env: "VectorEnv") -> None:
        """Look up what is needed; a mistake is told here."""
        offset = np.zeros(self.size) if self._offset is None else self._offset
        try:
            scale, offset = (np.broadcast_to(np.asarray(one, float), (self.size,)) for one in (self._scale, offset))
        except ValueError:
            raise InputError(f"scale and offset must be one number or {self.size} of them") from None
        self.scale, self.offset = env.arrays.of(scale.copy()), env.arrays.of(offset.copy())
        self._coming = [env.arrays.zeros(self.size) for _ in range(self._delay)]
        self.value = env.arrays.zeros(self.size) + self.offset

    def take(self, env: "VectorEnv", numbers: Any) -> None:
        """Numbers of the policy (machines, size), which are within the limits."""
        if self._delay:
            self._coming.append(numbers)
            numbers = self._coming.pop(0)
        self.value = self.offset + self.scale * numbers

    def reset(self, env: "VectorEnv", mask: Any) -> None:
        """Episodes of some machines begin: what was on its way is dropped."""
        mask = mask[:, None]
        self._coming = [env.xp.where(mask, 0.0, numbers) for numbers in self._coming]

    def act(self, env: "VectorEnv") -> None:
        """Write inputs of the batch."""
        raise NotImplementedError


class InputAction(Action):
    """Inputs of the batch by name: torques, forces, targets of motors, pedals. Motors of the Spec with `kp` and
    `kd` are evaluated within the step of the physics: for position control nothing is as fast.
    """

    def __init__(self, names: str | Sequence[str], scale: Numbers = 1.0, offset: Numbers | None = None, **options: Any):
        self.names = (names,) if isinstance(names, str) else tuple(names)
        super().__init__(len(self.names), scale, offset, **options)

    def bind(self, env: "VectorEnv") -> None:
        super().bind(env)
        self._arrays = [env.arrays.view(env.batch.inputs[name]) for name in self.names]

    def act(self, env: "VectorEnv") -> None:
        for k, array in enumerate(self._arrays):
            array[...] = self.value[:, k]


class TargetAction(Action):
    """Targets of joints: torque = kp (target - q) - kd v.

    torques   {joint of one degree of freedom: input that is its torque or force}
    kp, kd    [N m/rad, N m s/rad], one for all or one for each
    most      largest torque
    offset    default: where the joints are in the Spec
    every     INSIDE: in each step of the physics, with all other forces, so that a step of the environment is one
              launch: the inputs are targets then (`Batch.servo`). A number of steps, or None for a step of the
              environment: torques are computed from the arrays of the environment, and held
    """

    INSIDE = "inside"

    def __init__(
        self,
        torques: Mapping[str, str],
        kp: Numbers,
        kd: Numbers = 0.0,
        *,
        most: Numbers = np.inf,
        scale: Numbers = 1.0,
        offset: Numbers | None = None,
        every: int | Literal["inside"] | None = INSIDE,
        **options: Any,
    ):
        self.torques, self._inside = dict(torques), every == self.INSIDE
        super().__init__(len(self.torques), scale, offset, every=None if every == self.INSIDE else every, **options)  # type: ignore[arg-type]
        self._gains = kp, kd, most

    def bind(self, env: "VectorEnv") -> None:
        joints = [env.model.joint(name) for name in self.torques]
        if several := [joint.name for joint in joints if joint.nv != 1]:
            raise InputError(f"joint {several[0]!r} has several degrees of freedom: a target is one number")
        if self._offset is None:
            self._offset = [float(env.model.q0[joint.q.start]) for joint in joints]
        super().bind(env)
        try:
            kp, kd, most = (np.broadcast_to(np.asarray(one, float), (self.size,)).copy() for one in self._gains)
        except ValueError:
            raise InputError(f"kp, kd and most must be one number or {self.size} of them") from None
        if self._inside:
            for (joint, name), *gains in zip(self.torques.items(), kp.tolist(), kd.tolist(), most.tolist()):
                if getattr(env.model.spec.forces.get(name), "joint", joint) != joint:
                    raise InputError(f"{name!r} is no torque or force of joint {joint!r}")
                env.batch.servo(name, *gains)
        elif servos := [name for name in self.torques.values() if name in env.batch.servos]:
            raise InputError(f"{servos[0]!r} is a servo of this batch: act with every='inside', or make another batch")
        self._kp, self._kd, self._most = (env.arrays.of(one) for one in (kp, kd, most))
        self._q, self._v = env.columns("q", tuple(self.torques)), env.columns("v", tuple(self.torques))
        self._arrays = [env.arrays.view(env.batch.inputs[name]) for name in self.torques.values()]

    def act(self, env: "VectorEnv") -> None:
        torque = self.value
        if not self._inside:
            torque = self._torque(env)
        for k, array in enumerate(self._arrays):
            array[...] = torque[:, k]

    def _torque(self, env: "VectorEnv") -> Any:
        torque = self._kp * (self.value - env.q[:, self._q]) - self._kd * env.v[:, self._v]
        return env.xp.clip(torque, -self._most, self._most)
