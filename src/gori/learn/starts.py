"""How episodes begin: from States, at random, with other parameters; each changes what the start of the batch gave."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.model import State
from gori.model.coordinates import JointInfo
from gori.spec.joint import QUATERNION

if TYPE_CHECKING:
    from gori.learn.env import VectorEnv

Range = float | tuple[Any, Any]
"""a: from -a to a; (low, high): numbers, or one for each degree of freedom"""
OPEN = 1e-9
"""by how much a loop may be open [m, rad]"""


class EpisodeStart:
    """Base of what is done when episodes begin."""

    def bind(self, env: "VectorEnv") -> None:
        """Look up what is needed; a mistake is told here."""

    def begin(self, env: "VectorEnv", mask: Any) -> None:
        """Begin the episodes of some machines (machines,)."""
        raise NotImplementedError


class States(EpisodeStart):
    """One of some States, at random; each is put in by one call for all machines that drew it."""

    def __init__(self, states: State | Sequence[State]):
        self.states = [states] if isinstance(states, State) else list(states)
        if not self.states or not all(isinstance(one, State) for one in self.states):
            raise InputError("a start needs one State or a list of them, such as model.state()")

    def begin(self, env: "VectorEnv", mask: Any) -> None:
        drawn = env.streams.choice("start.state", len(self.states), mask)
        for k, state in enumerate(self.states):
            env.batch.reset(env.arrays.mask(mask & (drawn == k)), state)


class Spread(EpisodeStart):
    """Random deviations from where machines start, uniformly distributed.

    positions    {joint: range} for each degree of freedom; of a spherical joint a rotation vector in axes of the body
                 [rad]; of a free joint that, then a displacement in axes of the world [m]
    velocities   {joint: range} of v
    """

    def __init__(self, positions: Mapping[str, Range] | None = None, velocities: Mapping[str, Range] | None = None):
        self.positions, self.velocities = dict(positions or {}), dict(velocities or {})
        if not self.positions and not self.velocities:
            raise InputError("a spread needs positions or velocities, such as {'joint': 0.1}")

    def bind(self, env: "VectorEnv") -> None:
        model = env.model
        self._moved = [model.joint(name) for name in self.positions]
        self._pushed = [model.joint(name) for name in self.velocities]
        ranges = [*self.positions.items(), *self.velocities.items()]
        bounds = [_range(f"joint {name!r}", one, model.joint(name).nv) for name, one in ranges]
        self._low, self._high = (env.arrays.of(np.concatenate([[], *side])) for side in zip(*bounds))
        self._name = "start.spread." + ".".join([*self.positions, "", *self.velocities])
        if model.loops:
            _refuse_in_loops(env, [(joint, True) for joint in self._moved] + [(joint, False) for joint in self._pushed])

    def begin(self, env: "VectorEnv", mask: Any) -> None:
        drawn, at, mask_of_rows = env.streams.between(self._name, self._low, self._high, mask), 0, mask[:, None]
        for joint in self._moved:
            q, by = env.q[:, joint.q], drawn[:, at : at + joint.nv]
            env.q[:, joint.q] = env.xp.where(mask_of_rows, _displaced(env, joint, q, by), q)
            at += joint.nv
        for joint in self._pushed:
            v, by = env.v[:, joint.v], drawn[:, at : at + joint.nv]
            env.v[:, joint.v] = env.xp.where(mask_of_rows, v + by, v)
            at += joint.nv


class StartInputs(EpisodeStart):
    """Inputs at random, {name: range}, which stay until an action changes them."""

    def __init__(self, inputs: Mapping[str, Range]):
        self.inputs = dict(inputs)

    def bind(self, env: "VectorEnv") -> None:
        self._arrays = {
            name: (env.arrays.view(env.batch.inputs[name]), *map(env.arrays.of, _range(f"input {name!r}", one, 1)))
            for name, one in self.inputs.items()
        }

    def begin(self, env: "VectorEnv", mask: Any) -> None:
        for name, (array, low, high) in self._arrays.items():
            drawn = env.streams.between(f"start.input.{name}", low, high, mask)[:, 0]
            array[...] = env.xp.where(mask, env.arrays.cast(drawn, str(array.dtype).removeprefix("torch.")), array)


class OtherParameters(EpisodeStart):
    """One of the sets of `parameters` of the batch, at random: give the batch more sets than machines.

    among   numbers of the sets that are drawn; default: all. It may be changed between episodes, as for tests on sets
            that were never learned on
    """

    def __init__(self, among: range | None = None):
        self.among = among

    def bind(self, env: "VectorEnv") -> None:
        if env.batch.sets == 0:
            raise InputError("the batch has no parameters to draw: give gori.batch(..., parameters={path: values})")
        self._among(env.batch.sets)

    def begin(self, env: "VectorEnv", mask: Any) -> None:
        among = self._among(env.batch.sets)
        drawn = env.streams.choice("start.parameters", len(among), mask) * among.step + among.start
        env.batch.assign(drawn if env.arrays.on_gpu else env.arrays.host(drawn), env.arrays.mask(mask))

    def _among(self, sets: int) -> range:
        among = range(sets) if self.among is None else self.among
        if not isinstance(among, range) or not among or not 0 <= min(among) <= max(among) < sets:
            raise InputError(f"among must be a range of numbers from 0 to {sets - 1}, not {self.among!r}")
        return among


def _range(where: str, given: Range, size: int) -> tuple[np.ndarray, np.ndarray]:
    try:
        pair = given if isinstance(given, tuple) else (-given, given)
        low, high = (np.broadcast_to(np.asarray(one, float), (size,)).copy() for one in pair)
    except (TypeError, ValueError):
        raise InputError(f"the range of {where} must be a number or (low, high) of {size}, not {given!r}") from None
    if not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
        raise InputError(f"the range of {where} must go from a lower to a higher number, not {given!r}")
    return low, high


def _displaced(env: "VectorEnv", joint: JointInfo, q: Any, d: Any) -> Any:
    """Coordinates of a joint, displaced."""
    if joint.type not in QUATERNION:
        return q + d
    xp = env.xp
    half = 0.5 * xp.sqrt(xp.sum(d[:, :3] * d[:, :3], axis=1))
    share = 0.5 * xp.where(half > 0.0, xp.sin(half) / xp.where(half > 0.0, half, 1.0), 1.0)
    a, b, c, e = xp.cos(half), share * d[:, 0], share * d[:, 1], share * d[:, 2]
    w, x, y, z = (q[:, k] for k in range(4))
    turned = (w * a - x * b - y * c - z * e, w * b + x * a + y * e - z * c,
              w * c - x * e + y * a + z * b, w * e + x * c - y * b + z * a)  # fmt: skip
    turned = xp.stack(turned, axis=1)
    return turned if joint.type == "spherical" else xp.concatenate((turned, q[:, 4:7] + d[:, 3:6]), axis=1)


def _refuse_in_loops(env: "VectorEnv", joints: list[tuple[JointInfo, bool]]) -> None:
    """Refuse joints that would open loops, by trying each."""
    model = env.model
    q, v = env.batch.state(0).q, np.zeros(model.nv)
    for joint, moved in joints:
        for k in range(joint.v.start, joint.v.stop):
            v[:] = 0.0
            v[k] = 0.1
            other = model.integrate(q, v) if moved else model.integrate(q, 1e-3 * v)
            if np.abs(model.loop_system.terms(other).gap).max() > OPEN + np.abs(model.loop_system.terms(q).gap).max():
                raise UnsupportedError(
                    f"joint {joint.name!r} is part of a closed loop, which random values would open: start from States "
                    "that are closed (gori.assemble)"
                )
