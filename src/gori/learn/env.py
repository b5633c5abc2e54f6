"""Thousands of machines as one Gymnasium environment, with arrays that stay on the device of the batch."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.learn.actions import Action
from gori.learn.arrays import Arrays
from gori.learn.checks import (
    actions_of,
    columns,
    flags,
    is_mask,
    option_of,
    refuse_seed,
    rhythm_of,
    row,
    side_by_side,
    steps_of,
)
from gori.learn.frames import FrameMotion, JointChain
from gori.learn.graphs import StepGraph
from gori.learn.package import spaces, vector
from gori.learn.random import Streams, seeds_of
from gori.learn.starts import EpisodeStart
from gori.learn.sums import Sums
from gori.learn.terms import each_once, terms_of
from gori.sim.batch.batch import Batch

DTYPES = ("float32", "float64")
RESET_MASK = "reset_mask"
"""Gymnasium's name of the option that says which machines are reset"""


class VectorEnv(vector.VectorEnv):
    """A vector environment of the machines of a batch, for Gymnasium 1.1 or newer.

    batch          `gori.batch(model, count, method, device=...)`
    observations   {name: function of the environment, or Term}: arrays (machines,) or (machines, size), side by side
    actions        {name: Action}, side by side
    rewards        {name: function, Term, or (one of them, weight)}: (machines,), summed
    terminations   {name: function or Term}: masks (machines,); a machine that failed terminates too
    starts         what is done in this order when an episode begins and the machine stands at the start of the batch
    control_steps  steps of the physics in one step of the environment
    duration       of an episode [s], after which it is truncated; default: unlimited
    xp             "numpy", "cupy" or "torch"; default: NumPy on a CPU, on a GPU CuPy, or PyTorch where that is missing
    dtype          of observations and rewards

    Episodes that end begin anew in the same step; the last observation is `info["final_obs"]`, and sums of the episode
    are in `info["final_info"]`, with masks `_final_obs` and `_final_info`, as Gymnasium has it.
    """

    metadata = {"autoreset_mode": vector.AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        batch: Batch,
        observations: Mapping[str, Any],
        actions: Mapping[str, Action],
        rewards: Mapping[str, Any],
        *,
        terminations: Mapping[str, Any] | None = None,
        starts: Sequence[EpisodeStart] = (),
        control_steps: int = 1,
        duration: float | None = None,
        xp: str | ModuleType | None = None,
        dtype: str = "float32",
    ):
        if not isinstance(batch, Batch):
            raise InputError(f"an environment is made of a batch, gori.batch(model, count, method), not of {batch!r}")
        if dtype not in DTYPES:
            raise InputError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
        if isinstance(control_steps, bool) or not isinstance(control_steps, int) or control_steps < 1:
            raise InputError(f"control_steps must be a positive integer, not {control_steps!r}")
        self.batch, self.model, self.num_envs = batch, batch.model, len(batch)
        self.arrays = Arrays(batch, xp)
        self.xp: Any = self.arrays.xp
        """the array package: functions of terms use its arrays"""
        self.q, self.v = self.arrays.view(batch.q), self.arrays.view(batch.v)
        """coordinates and velocities of all machines, live"""
        self._codes = self.arrays.view(batch.codes)
        self.streams = Streams(self.arrays)
        self.control_steps, self._dtype = control_steps, dtype
        self.dt = control_steps * float(batch.method.settings()["step"])
        """duration of a step [s]"""
        self.longest = None if duration is None else steps_of(duration, self.dt)
        """steps of an episode that is truncated"""
        self.failed = self._codes != 0
        """machines that failed in this step (machines,)"""
        self._chains: dict[str, JointChain] = {}
        self._motions: dict[str, FrameMotion] = {}
        self._actions = actions_of(actions, control_steps)
        self._rhythm = rhythm_of(self._actions, control_steps)
        self._observations = terms_of("observations", observations)
        self._rewards, self._terminations = terms_of("rewards", rewards), terms_of("terminations", terminations)
        self._terms = each_once([self._observations, self._rewards, self._terminations])
        self._starts = tuple(starts)
        if not self._observations:
            raise InputError("an environment needs at least one observation")
        for one in (*self._actions.values(), *self._starts, *self._terms):
            one.bind(self)
        self._make_spaces()
        self._sums = Sums(self.arrays, self._rewards)
        self._all = self.arrays.zeros() == 0.0
        self._graph: StepGraph | None = None

    def _make_spaces(self) -> None:
        low, high = (
            np.array([action.limits[side] for action in self._actions.values() for _ in range(action.size)])
            for side in (0, 1)
        )
        self._low, self._high = self.arrays.of(low), self.arrays.of(high)
        self.action_parts = side_by_side({name: action.size for name, action in self._actions.items()})
        """{name of an action: its columns}"""
        self.action = self.arrays.zeros(len(low))
        """the last action, within its limits (machines, size)"""
        sizes = {name: self._part(name, term(self)).shape[1] for name, term in self._observations.items()}
        self.observation_parts = side_by_side(sizes)
        """{name of an observation: its columns}"""
        kind = getattr(np, self._dtype)
        self.single_action_space = spaces.Box(low.astype(kind), high.astype(kind), dtype=kind)
        self.single_observation_space = spaces.Box(-np.inf, np.inf, (sum(sizes.values()),), dtype=kind)
        self.action_space = vector.utils.batch_space(self.single_action_space, self.num_envs)
        self.observation_space = vector.utils.batch_space(self.single_observation_space, self.num_envs)

    # ---- what terms may ask

    @property
    def steps(self) -> Any:
        """Steps of each episode so far (machines,)."""
        return self.streams.steps

    def uniform(self, name: str, size: int = 1) -> Any:
        """Random numbers from 0 to 1 (machines, size), the same for one name as often as it is asked in one step."""
        return self.streams.uniform(name, size)

    def motion(self, frame: str) -> FrameMotion:
        """Axes, position and velocities of a body or frame of all machines, world axes."""
        if frame not in self._chains:
            self._chains[frame] = chain = JointChain(self.model, frame, self.arrays)
            chain.refuse_varied(self.batch.differing("body_f"))
        if frame not in self._motions:
            self._motions[frame] = self._chains[frame].motion(self.q, self.v)
        return self._motions[frame]

    def columns(self, of: str, joints: Sequence[str]) -> Any:
        """Columns of "q" or "v" of some joints: a slice where they follow each other."""
        found = [k for name in joints for k in range(self.model.nq)[getattr(self.model.joint(name), of)]]
        if found == list(range(found[0], found[0] + len(found))):
            return slice(found[0], found[0] + len(found))
        return self.arrays.of(np.array(found), "int64")

    # ---- episodes

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin episodes: of all machines, or of those of the mask `options["reset_mask"]`.

        seed   machine k gets seed + k; or a list of seeds; None: go on with those that they have
        """
        self._require_open()
        mask = self._mask(option_of(options, RESET_MASK))
        first = self._np_random_seed is None
        if seed is None and first:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        if seed is not None:
            refuse_seed(seed, self.num_envs)
            seeds = seeds_of(seed, self.num_envs)
            super().reset(seed=int(seeds[0]))
            self.streams.seed(seeds, self._all if first else mask)
        self._begin(mask)
        observations = self._observe()
        if self._graph is not None:
            self._graph.settle()
        return observations, {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Act and move: (observations, rewards, terminated, truncated, info), arrays on the device."""
        self._require_open()
        if self._np_random_seed is None:
            raise InputError("call reset() before the first step()")
        return self.advance(actions) if self._graph is None else self._graph.step(actions)

    def capture(self) -> None:
        """Let steps be a CUDA graph from the third one on, with PyTorch on a GPU: its small operations are launched all
        at once. What Python decides in a step is then as it was in that one: numbers and lists that terms look at stay,
        and what they keep must be arrays that are their attributes, or in lists or dictionaries that are.
        """
        objects = [self, self.streams, self._sums, *self._actions.values(), *self._starts, *self._terms]
        self._graph = StepGraph(self, objects)

    def advance(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """A step as it is, operation by operation."""
        self._move(self.within_limits(actions))
        observations = self._finite(self._observe())
        rewards, parts = self._reward()
        terminated = self.failed
        for name, term in self._terminations.items():
            terminated = terminated | flags(f"termination {name!r}", term(self), self.num_envs)
        truncated = self.steps >= self.longest if self.longest is not None else terminated & False
        self._sums.add(parts, rewards)
        done = terminated | truncated
        info: dict[str, Any] = {"failed": self.failed, "_failed": self._all}
        if self.arrays.on_gpu or bool(done.any()):  # on a GPU nothing is waited for
            info |= {"final_obs": observations, "_final_obs": done}
            info |= {"final_info": self._sums.info(self.steps, done), "_final_info": done}
            self._begin(done)
            observations = self.xp.where(done[:, None], self._observe(), observations)
        return observations, self._narrow(rewards), terminated, truncated, info

    def _move(self, action: Any) -> None:
        self.action = action
        for name, part in self._actions.items():
            part.take(self, action[:, self.action_parts[name]])
        for k in range(0, self.control_steps, self._rhythm):
            for part in self._actions.values():
                if k % (part.every or self.control_steps) == 0:
                    part.act(self)
            self.batch.step(self._rhythm)
        self.streams.advance()
        self._motions.clear()
        self.failed = self._codes != 0
        for term in self._terms:
            term.update(self)

    def _begin(self, mask: Any) -> None:
        """Episodes of some machines."""
        self.streams.begin(mask)
        self._sums.begin(mask)
        self.action = self.xp.where(mask[:, None], 0.0, self.action)
        self.batch.reset(self.arrays.mask(mask))
        for start in self._starts:
            start.begin(self, mask)
        self._motions.clear()
        for one in (*self._actions.values(), *self._terms):
            one.reset(self, mask)

    def _observe(self) -> Any:
        parts = [self._part(name, term(self)) for name, term in self._observations.items()]
        return self._narrow(self.xp.concatenate(parts, axis=1))

    def _narrow(self, values: Any) -> Any:
        """With the type of observations and rewards: what is too large for it becomes infinite."""
        with np.errstate(over="ignore"):
            return self.arrays.cast(values, self._dtype)

    def _finite(self, observations: Any) -> Any:
        """With zeros where numbers are not finite, of machines that have failed with that."""
        finite = self.xp.isfinite(observations)
        self.failed = self.failed | ~self.xp.all(finite, axis=1)
        return self.xp.where(finite, observations, 0.0)

    def _reward(self) -> tuple[Any, dict[str, Any]]:
        """Sum of the terms, and each. A machine that failed has no infinite ones."""
        total, parts = self.arrays.zeros(), {}
        for name, term in self._rewards.items():
            part = row(f"reward {name!r}", term(self), self.num_envs)
            parts[name] = part = self.xp.where(self.failed & ~self.xp.isfinite(self._narrow(part)), 0.0, part)
            total = total + part
        return total, parts

    # ---- arguments

    def within_limits(self, actions: Any) -> Any:
        """Actions (machines, size) as an array on the device, clipped."""
        try:
            values = self.arrays.of(actions)
        except (TypeError, ValueError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and hasattr(actions, "dtype"):  # of the device
                raise
            shape = tuple(self.action.shape)
            raise InputError(f"actions must be an array of numbers of shape {shape}, not {actions!r:.100}") from None
        if tuple(values.shape) != tuple(self.action.shape):
            raise InputError(f"actions must be of shape {tuple(self.action.shape)}, not {tuple(values.shape)}")
        return self.xp.clip(values, self._low, self._high)

    def _mask(self, mask: Any) -> Any:
        if mask is None:
            return self._all
        if not is_mask(mask) or tuple(mask.shape) != (self.num_envs,):
            raise InputError(f"options[{RESET_MASK!r}] must be ({self.num_envs},) of bool, not {mask!r}")
        return self.arrays.of(mask, "bool")

    def _part(self, name: str, values: Any) -> Any:
        """What a term of an observation gave, as (machines, size)."""
        return self.arrays.cast(columns(f"observation {name!r}", values, self.num_envs), "float64")

    def _require_open(self) -> None:
        if self.closed:
            raise InputError("this environment was closed: make another one")

    def render(self) -> NoReturn:
        """Refused: a machine is shown by the viewer."""
        raise UnsupportedError(
            "a vector environment draws nothing: run gori.Simulation(env.model, env.batch.method, "
            "state=env.batch.state(0)) and look at its recording with `gori view`"
        )
