"""What can be observed: Terms for `VectorEnv`, beside plain functions of the environment."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gori.errors import InputError
from gori.learn.frames import in_axes
from gori.learn.ground import GroundHeights
from gori.learn.terms import Term

if TYPE_CHECKING:
    from gori.learn.env import VectorEnv

VERTICAL = 1e-9
"""horizontal part of an x axis that has no heading"""


class Positions(Term):
    """Coordinates of joints, by default of all: q (machines, nq)."""

    def __init__(self, *joints: str):
        self.joints = joints
        self._columns: Any = slice(None)

    def bind(self, env: "VectorEnv") -> None:
        if self.joints:
            self._columns = env.columns("q", self.joints)

    def __call__(self, env: "VectorEnv") -> Any:
        return env.q[:, self._columns]


class Velocities(Term):
    """Velocities of joints, by default of all: v (machines, nv)."""

    def __init__(self, *joints: str):
        self.joints = joints
        self._columns: Any = slice(None)

    def bind(self, env: "VectorEnv") -> None:
        if self.joints:
            self._columns = env.columns("v", self.joints)

    def __call__(self, env: "VectorEnv") -> Any:
        return env.v[:, self._columns]


class FrameTerm(Term):
    """Base of what is observed of a body or frame."""

    def __init__(self, frame: str):
        self.frame = frame

    def bind(self, env: "VectorEnv") -> None:
        env.motion(self.frame)


class Position(FrameTerm):
    """Origin of a body or frame (machines, 3), world axes [m]."""

    def __call__(self, env: "VectorEnv") -> Any:
        return env.motion(self.frame).position


class Orientation(FrameTerm):
    """x and y axis of a body or frame (machines, 6), world axes: continuous, as angles and quaternions are not."""

    def __call__(self, env: "VectorEnv") -> Any:
        axes = env.motion(self.frame).axes
        return env.xp.concatenate((axes[0], axes[1]), axis=1)


class Up(FrameTerm):
    """The vertical in the axes of a body or frame (machines, 3): (0, 0, 1) if it stands upright."""

    def __call__(self, env: "VectorEnv") -> Any:
        axes = env.motion(self.frame).axes
        return env.xp.stack([axes[k][:, 2] for k in range(3)], axis=1)


class Twist(FrameTerm):
    """Angular velocity, then velocity of the origin (machines, 6), in axes of the body or frame [rad/s, m/s]."""

    def __call__(self, env: "VectorEnv") -> Any:
        moved = env.motion(self.frame)
        parts = [in_axes(env.xp, moved.axes, one) for one in (moved.angular, moved.linear)]
        return env.xp.concatenate(parts, axis=1)


class Imu(FrameTerm):
    """What an inertial sensor at a frame measures (machines, 6): angular velocity [rad/s], then acceleration less
    gravity [m/s2], in its own axes. The acceleration is that of the last step of the environment, in the mean.
    """

    def bind(self, env: "VectorEnv") -> None:
        super().bind(env)
        self._gravity = env.arrays.of(env.model.spec.gravity)
        self._before, self._acceleration = env.arrays.zeros(3), env.arrays.zeros(3)

    def update(self, env: "VectorEnv") -> None:
        velocity = env.motion(self.frame).linear
        self._acceleration, self._before = (velocity - self._before) / env.dt, velocity

    def reset(self, env: "VectorEnv", mask: Any) -> None:
        self._before = env.xp.where(mask[:, None], env.motion(self.frame).linear, self._before)
        self._acceleration = env.xp.where(mask[:, None], 0.0, self._acceleration)

    def __call__(self, env: "VectorEnv") -> Any:
        moved = env.motion(self.frame)
        parts = (moved.angular, self._acceleration - self._gravity)
        return env.xp.concatenate([in_axes(env.xp, moved.axes, one) for one in parts], axis=1)


class LastAction(Term):
    """The action of the last step (machines, size); zero when an episode begins."""

    def __call__(self, env: "VectorEnv") -> Any:
        return env.action


class Time(Term):
    """Time of the episode so far (machines, 1) [s]; what is left of it, if `left`."""

    def __init__(self, left: bool = False):
        self.left = left

    def bind(self, env: "VectorEnv") -> None:
        if self.left and env.longest is None:
            raise InputError("what is left of an episode is observed, and the environment has no `duration`")

    def __call__(self, env: "VectorEnv") -> Any:
        steps = env.arrays.cast(env.steps, "float64")[:, None]
        return ((env.longest or 0) - steps if self.left else steps) * env.dt


class Outputs(Term):
    """Channels of wheels, drive trains and contact, of `Batch.outputs` (machines, numbers): three of a force."""

    def __init__(self, *channels: str):
        self.channels = channels

    def bind(self, env: "VectorEnv") -> None:
        arrays = [env.arrays.view(env.batch.outputs[name]) for name in self.channels]
        columns = [[array] if array.ndim == 1 else [array[:, k] for k in range(array.shape[1])] for array in arrays]
        self._arrays = [column for group in columns for column in group]

    def __call__(self, env: "VectorEnv") -> Any:
        return env.xp.stack([env.arrays.cast(array, "float64") for array in self._arrays], axis=1)


class Rays(FrameTerm):
    """How far rays from a frame go until they meet the ground (machines, rays) [m], or `reach`.

    directions   (rays, 3) in axes of the frame, of any length
    samples      on each ray: what is narrower than reach / samples may be missed
    """

    def __init__(
        self, frame: str, directions: Sequence[Sequence[float]] | np.ndarray, reach: float = 10.0, samples: int = 50
    ):
        super().__init__(frame)
        self.directions = np.asarray(directions, float)
        if self.directions.ndim != 2 or self.directions.shape[1] != 3 or not self.directions.any(axis=1).all():
            raise InputError(f"directions must be vectors (rays, 3), none of them zero, not {directions!r:.100}")
        if not reach > 0.0 or samples < 1:
            raise InputError(f"reach must be positive, and samples at least 1, not {reach!r} and {samples!r}")
        self.reach, self.samples = float(reach), int(samples)

    def bind(self, env: "VectorEnv") -> None:
        super().bind(env)
        self._ground = GroundHeights(env.model, env.arrays)
        units = self.directions / np.linalg.norm(self.directions, axis=1)[:, None]
        self._units = [env.arrays.of(units[:, k].copy())[None, :] for k in range(3)]

    def __call__(self, env: "VectorEnv") -> Any:
        moved = env.motion(self.frame)
        at = [moved.position[:, k : k + 1] + 0.0 * self._units[0] for k in range(3)]
        x, y, z = self._units
        along = [moved.axes[0][:, k : k + 1] * x + moved.axes[1][:, k : k + 1] * y + moved.axes[2][:, k : k + 1] * z
                 for k in range(3)]  # fmt: skip
        return self._ground.distance(at, along, self.reach, self.samples)


class Heights(FrameTerm):
    """Height of a frame over the ground below points around it (machines, points) [m].

    points   (points, 2): forward and to the left of the frame [m], in its heading, level
    """

    def __init__(self, frame: str, points: Sequence[Sequence[float]] | np.ndarray):
        super().__init__(frame)
        self.points = np.asarray(points, float)
        if self.points.ndim != 2 or self.points.shape[1] != 2:
            raise InputError(f"points must be of shape (points, 2), not {self.points.shape}")

    def bind(self, env: "VectorEnv") -> None:
        super().bind(env)
        self._ground = GroundHeights(env.model, env.arrays)
        self._forward, self._left = (env.arrays.of(self.points[:, k].copy())[None, :] for k in range(2))

    def __call__(self, env: "VectorEnv") -> Any:
        moved = env.motion(self.frame)
        x, y, z = (moved.position[:, k : k + 1] for k in range(3))
        c, s = moved.axes[0][:, 0:1], moved.axes[0][:, 1:2]
        level = env.xp.clip(env.xp.sqrt(c * c + s * s), VERTICAL, 1.0)
        upright = level > VERTICAL
        c, s = env.xp.where(upright, c / level, 1.0), env.xp.where(upright, s / level, 0.0)
        places = x + c * self._forward - s * self._left, y + s * self._forward + c * self._left
        return z - self._ground.height(*places)
