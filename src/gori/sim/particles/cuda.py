"""Particles on a GPU (`kernels/particles/cuda.py`)."""

from typing import Any

import numpy as np

from gori.errors import MissingPackageError, SimulationError, UnsupportedError
from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import GPU, CudaArrays, depending_on, host_array, shape_of
from gori.model.particles.state import ParticleState
from gori.model.particles.walls import Walls
from gori.sim.particles.engine import (
    WALL_GRIDS,
    WALL_TABLES,
    EngineFailure,
    ParticleSetup,
    buckets_of,
    grids_of,
    settings_of,
)

try:
    from numba import cuda

    from gori.kernels.particles import cuda_flags as flag
    from gori.sim.particles.cuda_state import ROW_MASK, DeviceBed
    from gori.sim.particles.launch import SIMULATED, Launch, pinned
except ImportError as error:  # no numba-cuda
    raise MissingPackageError("particles on a GPU need numba-cuda: pip install 'gori[gpu]'") from error

SINGLE = np.float32
OLDEST = (7, 0)
"""compute capability that will do"""
LARGE = 65_000
"""particles from which on sub-steps are kernels of their own"""
FIRST_SLOTS = 16
"""for neighbours of each particle, to begin with"""
COPIES, SUMS = 64, 65_536
"""of the sums over each primitive of a wall, as threads that add to the same one wait for each other; and sums at most,
with more than one copy"""
UNIT = 2.0**-28
"""of positions in fixed point, of the largest radius and skin: eight of them lie within half of 32 bits"""
SAME = 1e-12
"""of a step that differs by rounding, as times do that are added up: not worth a transfer to the device"""
TINY_SINGLE = 1e-36
"""TINY of the pairs' table, in single precision"""


def check_device() -> None:
    """Raise if there is no GPU that can be used."""
    if SIMULATED:
        return
    if not cuda.is_available():
        raise UnsupportedError(
            "device cuda: no NVIDIA GPU can be used here (numba.cuda.is_available() is False). Install the driver and "
            "pip install 'gori[gpu]', or use device: cpu"
        )
    capability = cuda.get_current_device().compute_capability
    if capability < OLDEST:
        raise UnsupportedError(
            f"device cuda: this GPU has compute capability {capability[0]}.{capability[1]}, and particles need "
            f"{OLDEST[0]}.{OLDEST[1]} or more. Use device: cpu"
        )


class CudaEngine:
    """Particles in single precision, but for positions."""

    def __init__(self, setup: ParticleSetup, state: ParticleState, slots: tuple[int, int] = (0, 0)):
        check_device()
        self.setup = setup
        self._slots, self._wall_slots = max(FIRST_SLOTS, slots[0]), slots[1]
        try:
            self._load(state)
        except Exception as error:
            if "OUT_OF_MEMORY" not in str(error).upper().replace(" ", "_"):
                raise
            free, total = (x / 2**30 for x in cuda.current_context().get_memory_info())
            raise SimulationError(
                f"{len(state.id)} particles do not fit on the GPU: it has {total:.1f} GiB, of which {free:.1f} are "
                f"free, and a particle takes about {self._bytes():.0f} bytes. Use fewer particles, or device: cpu"
            ) from error

    def with_state(self, state: ParticleState, setup: ParticleSetup | None = None) -> "CudaEngine":
        return CudaEngine(setup or self.setup, state, (self._slots, self._wall_slots))

    # ---- particles in and out

    @property
    def since(self) -> int:
        return int(self._launch.flags[flag.SINCE])

    def _bytes(self) -> float:
        """Memory of one particle [B]: of all arrays whose sizes grow with their number."""
        own = {"n": 1, "bucketed": 1, "neighbours": self._slots, "history": self.setup.history}
        sizes = dict.fromkeys(self._sizes, 0) | own
        arrays = depending_on(GPU, "n")
        return float(sum(np.prod(shape_of(GPU[name], sizes)) * GPU[name].dtype.itemsize for name in arrays))

    def _load(self, state: ParticleState) -> None:
        count, setup, walls = len(state.id), self.setup, self.setup.walls
        n = count if not setup.spare else count + count // 4 + setup.spare
        if n > ROW_MASK:
            raise UnsupportedError(f"{n} particles exceed the limit of {ROW_MASK} on a GPU. Use fewer")
        self.count, self._rows, bodies, primitives = count, n, len(walls.bin_i), max(1, len(walls.wall_i))
        self._large, self._launch = n >= LARGE, Launch(n, bodies, setup.wrenches[1])
        self._wall_slots = max(self._wall_slots, n // 4 + 256)
        settings, skin = settings_of(setup, state), setup.skin_of(state)
        unit = (setup.radius + max(setup.widest, skin)) * UNIT
        settings["neighbours"], settings["unit"], settings["per_unit"] = self._slots, unit, 1.0 / unit
        settings["count"] = n
        self._settings = settings
        self._first = (state.sphere[0, c.R], state.motion[0, c.MASS]) if count else (0.0, 0.0)
        pair_f = setup.pair_f.astype(SINGLE)
        pair_f[:, c.TINY] = TINY_SINGLE
        grid = state.grid.reshape(-1, 3)
        if not (grid.any() and len(grid) == len(setup.level_radius)):
            grid = grids_of(state.sphere, setup, skin)
        self._sizes = {
            "n": n, "bodies": bodies, "primitives": primitives, "history": setup.history, "levels": len(grid),
            "bucketed": n if len(grid) > 1 else 1, "holders": setup.wrenches[1],
            "copies": min(COPIES, max(1, SUMS // primitives)), "moments": 1, "blocks": 1,
        }  # fmt: skip
        sphere, motion, ids, low = np.zeros((n, 4)), np.zeros((n, 8)), np.zeros(n, int), np.zeros((n, 4))
        sphere[:count, :3], sphere[:count, 3] = state.listed_position, state.sphere[:, 3]
        motion[:count], ids[:count] = state.motion, state.id
        low[:, :3] = motion[:, :3] - motion[:, :3].astype(SINGLE)
        flags = np.zeros(flag.N_FLAGS, np.int32)
        flags[flag.COUNT] = count
        given: dict[str, Any] = {
            "settings": settings.view(np.dtype((np.record, settings.dtype))) if SIMULATED else settings,
            "sphere": np.tile(sphere.ravel(), 2),
            "motion": np.tile(motion.ravel(), 2),
            "velocity_low": np.tile(low.ravel(), 2),
            "id": np.stack([ids, ids]),
            "pose": state.listed_pose[None],
            "pair_f": pair_f,
            "flags": flags,
            "skin": [skin, 1.0 / skin, 0.0],
            "level_radius": setup.level_radius,
            "order": np.arange(n),
            "holder": setup.wrenches[0],
            "outlet_i": np.zeros(0) if setup.outlets is None else setup.outlets[0],
            "outlet_f": np.zeros((0, 18)) if setup.outlets is None else setup.outlets[1],
        }
        given |= {name: getattr(walls, name) for name in WALL_TABLES}
        later = {*depending_on(GPU, "neighbours"), *depending_on(GPU, "wall_slots"), *GRIDS}
        arrays = {name: self._array(name, given.get(name)) for name in GPU if name not in later}
        self._g: Any = CudaArrays(**arrays, **self._lists(), **self._wall_lists(), **self._grids(grid))
        self.wrench = np.zeros((setup.wrenches[1], 6))
        if count:
            self._sizes["blocks"] = self._launch.choose(self._g, self._large)
            self._g = self._g._replace(**{name: self._array(name) for name in depending_on(GPU, "blocks")})
            self._run(0)
            self._bed().recall(state)
            self._put_flags({flag.SINCE: int(state.since)} | ({flag.FRESH: 0} if state.due else {}))
        if setup.replaces(skin):
            self._g.skin.copy_to_device(np.array([setup.skin, 1.0 / setup.skin, 0.0]))
            self.expire()

    def _array(self, name: str, value: Any = None) -> Any:
        """An array on the device."""
        if value is None and not GPU[name].zero:
            dtype: Any = GPU[name].dtype
            return cuda.device_array(shape_of(GPU[name], self._sizes), dtype)
        if name == "settings":
            return cuda.to_device(value)
        return cuda.to_device(host_array(GPU[name], self._sizes, value))

    def _grids(self, grid: np.ndarray) -> dict[str, Any]:
        """Arrays of the grids of all levels of sizes, (levels, 3) cells."""
        first, buckets = buckets_of(grid)
        self._sizes |= {"cells": int(np.prod(grid[-1])), "buckets": buckets}
        given = {"grid_i": grid, "bucket_first": first}
        return {name: self._array(name, given.get(name)) for name in GRIDS}

    def _lists(self) -> dict[str, Any]:
        self._sizes["neighbours"] = self._slots
        return {name: self._array(name) for name in depending_on(GPU, "neighbours")}

    def _wall_lists(self) -> dict[str, Any]:
        self._sizes["wall_slots"] = self._wall_slots
        return {name: self._array(name) for name in depending_on(GPU, "wall_slots")}

    def _bed(self) -> DeviceBed:
        """What lies on the device."""
        return DeviceBed(self._g, self._flags(), self._rows, self.count, self._slots, self.setup, self._settings)

    def snapshot(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._bed().snapshot()

    def state(self) -> ParticleState:
        return self._bed().state()

    def add(self, ids: np.ndarray, sphere: np.ndarray, motion: np.ndarray, poses: np.ndarray) -> bool:
        g, n, count, more = self._g, self._rows, self.count, len(ids)
        same = (sphere[:, 3] == self._first[0]) & (motion[:, c.MASS] == self._first[1])
        if not count or count + more > n or (self._settings[0]["uniform"] and not same.all()):
            return False
        flags = self._flags()
        now, lists = int(flags[flag.NOW]), int(flags[flag.LISTS])
        single, low = motion.astype(SINGLE), np.zeros((more, 4), SINGLE)
        low[:, :3] = motion[:, :3] - single[:, :3]
        put = lambda array, first, values: array[first : first + values.size].copy_to_device(values.ravel())  # noqa: E731
        put(g.sphere, 4 * (now * n + count), np.ascontiguousarray(sphere, float))
        put(g.motion, 8 * (now * n + count), single)
        put(g.velocity_low, 4 * (lists * n + count), low)
        put(g.id[lists], count, ids.astype(np.int32))
        put(g.count, lists * n + count, np.zeros(more, np.int32))
        put(g.wall_at[lists, 1], count, np.zeros(more, np.int32))
        everything = g.sphere[4 * now * n : 4 * (now * n + count + more)].copy_to_host().reshape(-1, 4)
        grid = grids_of(everything, self.setup, float(g.skin.copy_to_host()[0]))
        self._g = g._replace(pose=cuda.to_device(poses[None].copy()), **self._grids(grid))
        self._launch.forget()
        self._launch.poses = pinned((1, *poses.shape))
        self._put_flags({flag.COUNT: count + more, flag.FRESH: 0, flag.SINCE: 0, flag.DONE: 0})
        self._run(0, anew=False)
        return True

    # ---- marching

    def march(self, poses: np.ndarray, step: float) -> EngineFailure | None:
        if not self.count:
            self.wrench[:] = 0.0
            return None
        if abs(self._settings["step"][0] - step) > SAME * step:
            self._set("step", step)
        if self._g.pose.shape != poses.shape:
            self._g = self._g._replace(pose=cuda.device_array(poses.shape))
            self._launch.forget()
            self._launch.poses = pinned(poses.shape)
        self._launch.poses[:] = poses
        return self._run(len(poses) - 1)

    def _run(self, steps: int, anew: bool = True) -> EngineFailure | None:
        """Sub-steps to the end of the table, or lists alone; with longer lists where they are full."""
        while True:
            if self._large and steps:
                self._launch.run_steps(self._g, steps, anew)
            else:
                self._launch.run_march(self._g, steps, anew)
            flags, anew = self._launch.flags.copy(), False
            code, self.count = int(flags[flag.CODE]), int(flags[flag.COUNT])
            if code in (c.LIST_FULL, c.WALL_FULL):
                self._grow(code, flags)
            elif code != c.OK:
                return EngineFailure(code, int(flags[flag.CULPRIT]))
            elif flags[flag.FRESH] == 1 and flags[flag.DONE] >= steps:
                break
            elif flags[flag.DONE] >= steps and steps:
                break  # lists are due, and will be made when the next sub-step comes
            self._launch.run(self._g, "renew", int(steps > 0))
        if steps:
            self.wrench = self._launch.wrench.copy()
        return None

    def _grow(self, code: int, flags: np.ndarray) -> None:
        """Longer lists. Particles are sorted already, and the lists of before stand: they give the history."""
        old, n, lists = self._g, self._rows, int(flags[flag.LISTS])
        if code == c.LIST_FULL:
            before = self._slots
            self._slots = -(-max(int(1.25 * before), int(flags[flag.NEEDED_SLOTS])) // 8) * 8
            new = self._lists()
            _, other, history = self._bed()._replace(slots=before).lists(lists)
            base, more = lists * self._slots * n, (0, self._slots - before)
            new["other"][base : base + self._slots * n].copy_to_device(np.pad(other, (more, (0, 0))).ravel())
            wide = np.pad(history, (more, (0, 0), (0, 0))).ravel()
            base *= self.setup.history
            new["history"][base : base + len(wide)].copy_to_device(wide)
            self._set("neighbours", self._slots)
        else:
            before = self._wall_slots
            self._wall_slots = max(2 * before, int(flags[flag.WALL_SLOTS]) + 256)
            new = self._wall_lists()
            for name in ("wall", "wall_history"):
                rows = np.zeros(new[name].shape, new[name].dtype)
                rows[:, :before] = getattr(old, name).copy_to_host()
                new[name].copy_to_device(rows)
        self._g = old._replace(**new)
        self._launch.forget()
        flags[[flag.CODE, flag.WALL_SLOTS, flag.WALL_PARTICLES, flag.NEEDED_SLOTS, flag.FAR_SLOTS]] = 0
        self._g.flags.copy_to_device(flags)

    def _set(self, name: str, value: float) -> None:
        """Change one of the settings."""
        self._settings[name] = value
        self._g.settings.copy_to_device(self._settings)

    def _flags(self) -> np.ndarray:
        return self._g.flags.copy_to_host()

    def _put_flags(self, values: dict[int, int]) -> None:
        """Change some of the flags."""
        flags = self._flags()
        for name, value in values.items():
            flags[name] = value
        self._g.flags.copy_to_device(flags)
        self._launch.flags[:] = flags

    def expire(self) -> None:
        self._put_flags({flag.FRESH: 0, flag.SINCE: 0})

    def change_walls(self, walls: Walls) -> None:
        self.setup = self.setup._replace(walls=walls)
        self._g = self._g._replace(**{name: self._array(name, getattr(walls, name)) for name in WALL_GRIDS})
        self._launch.forget()
        self.expire()

    def renew(self) -> None:
        """Make all lists anew, though they may not be due."""
        self.expire()
        self._launch.run(self._g, "renew", 0)
        if self._flags()[flag.CODE] != c.OK:
            self._run(0, anew=False)

    def wall_wrench(self) -> np.ndarray:
        return self._g.primitive_wrench.copy_to_host().sum(axis=0)[: len(self.setup.walls.wall_i)]

    @property
    def lists_made(self) -> int:
        return int(self._flags()[flag.REBUILDS])

    def counts(self) -> dict[str, Any]:
        return {"rebuilds": self.lists_made} | self._bed().contacts()


GRIDS = {"grid_i", "bucket_first", *depending_on(GPU, "cells", "buckets")}
"""arrays that belong to the grids"""
