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
    find_pairs,
    full_history,
    grid_of,
    settings_of,
)

try:
    from numba import cuda

    from gori.kernels.particles import cuda_flags as flag
    from gori.kernels.particles.cuda_walls import MANY
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
ROW_MASK, COUNT_MASK = (1 << flag.ROW_BITS) - 1, (1 << flag.COUNT_BITS) - 1
"""of the entries of lists, the row; of their counts, how many"""
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
    def count(self) -> int:
        return self._count

    def _bytes(self) -> float:
        """Memory of one particle [B]: of all arrays whose sizes grow with their number."""
        sizes = dict.fromkeys(self._sizes, 0) | {"n": 1, "neighbours": self._slots, "history": self.setup.history}
        own = (name for name in depending_on(GPU, "n"))
        return float(sum(np.prod(shape_of(GPU[name], sizes)) * GPU[name].dtype.itemsize for name in own))

    def _load(self, state: ParticleState) -> None:
        n, setup, walls = len(state.id), self.setup, self.setup.walls
        if n > ROW_MASK:
            raise UnsupportedError(f"{n} particles exceed the limit of {ROW_MASK} on a GPU. Use fewer")
        self._count, bodies, primitives = n, len(walls.bin_i), max(1, len(walls.wall_i))
        self._large, self._launch = n >= LARGE, Launch(n, bodies, setup.wrenches[1])
        self._wall_slots = max(self._wall_slots, n // 4 + 256)
        settings = settings_of(setup, state)
        unit = (setup.radius + setup.skin) * UNIT
        settings["neighbours"], settings["unit"], settings["per_unit"] = self._slots, unit, 1.0 / unit
        settings["unit_per_skin"] = unit / setup.skin
        self._settings = settings
        pair_f = setup.pair_f.astype(SINGLE)
        pair_f[:, c.TINY] = TINY_SINGLE
        grid = state.grid if np.any(state.grid) else grid_of(state.sphere, 2.0 * setup.radius + setup.skin)
        self._sizes = {
            "n": n, "bodies": bodies, "primitives": primitives, "history": setup.history, "cells": int(np.prod(grid)),
            "holders": setup.wrenches[1],
            "copies": min(COPIES, max(1, SUMS // primitives)), "moments": 1, "blocks": 1,
        }  # fmt: skip
        sphere = np.concatenate([state.listed_position, state.sphere[:, 3:]], axis=1)
        low = np.zeros((n, 4))
        low[:, :3] = state.motion[:, :3] - state.motion[:, :3].astype(SINGLE)
        given: dict[str, Any] = {
            "settings": settings.view(np.dtype((np.record, settings.dtype))) if SIMULATED else settings,
            "sphere": np.tile(sphere.ravel(), 2),
            "motion": np.tile(state.motion.ravel(), 2),
            "velocity_low": np.tile(low.ravel(), 2),
            "id": np.stack([state.id, state.id]),
            "pose": state.listed_pose[None],
            "pair_f": pair_f,
            "grid_i": grid,
            "order": np.arange(n),
            "holder": setup.wrenches[0],
        }
        given |= {name: getattr(walls, name) for name in WALL_TABLES}
        lists = {*depending_on(GPU, "neighbours"), *depending_on(GPU, "wall_slots")}
        arrays = {name: self._array(name, given.get(name)) for name in GPU if name not in lists}
        self._g: Any = CudaArrays(**arrays, **self._lists(), **self._wall_lists())
        self.wrench = np.zeros((setup.wrenches[1], 6))
        if n:
            self._sizes["blocks"] = self._launch.choose(self._g, self._large)
            self._g = self._g._replace(**{name: self._array(name) for name in depending_on(GPU, "blocks")})
            self._run(0)
            self._recall(state)
            if state.due:
                self._unfresh()

    def _array(self, name: str, value: Any = None) -> Any:
        """An array on the device."""
        if value is None and not GPU[name].zero:
            dtype: Any = GPU[name].dtype
            return cuda.device_array(shape_of(GPU[name], self._sizes), dtype)
        if name == "settings":
            return cuda.to_device(value)
        return cuda.to_device(host_array(GPU[name], self._sizes, value))

    def _lists(self) -> dict[str, Any]:
        self._sizes["neighbours"] = self._slots
        return {name: self._array(name) for name in depending_on(GPU, "neighbours")}

    def _wall_lists(self) -> dict[str, Any]:
        self._sizes["wall_slots"] = self._wall_slots
        return {name: self._array(name) for name in depending_on(GPU, "wall_slots")}

    def _recall(self, state: ParticleState) -> None:
        """The spheres of now, and the history of what touches, onto lists that were made of the positions before."""
        g, flags, n = self._g, self._flags(), self._count
        now, lists = int(flags[flag.NOW]), int(flags[flag.LISTS])
        names = g.id.copy_to_host()[lists]
        rows = np.searchsorted(state.id, names)
        counts = g.count.copy_to_host()
        all_levels = ((1 << flag.LEVELS) - 1) << flag.COUNT_BITS
        g.count.copy_to_device(counts | np.int32(all_levels))  # particles may have moved: all count
        sphere = g.sphere.copy_to_host().reshape(2, n, 4)
        sphere[now] = state.sphere[rows]
        g.sphere.copy_to_device(sphere.ravel())
        points = np.floor(sphere * self._settings["per_unit"][0]).astype(np.int64).astype(np.int32)
        g.fixed_point.copy_to_device(points.ravel())
        if not (len(state.pairs) or len(state.walls)):
            return
        counts, other, history = self._host_lists(lists)
        k, i = _slot_rows(counts, self._slots)
        pairs = np.stack([names[i], names[other[k, i] & ROW_MASK]], axis=1)
        found = find_pairs(np.sort(pairs, axis=1), state.pairs)
        hit = found >= 0
        sign = np.where(pairs[hit, 0] < pairs[hit, 1], 1.0, -1.0)
        history[k[hit], i[hit]] = sign[:, None] * state.history[found[hit]][:, : self.setup.history]
        other[k[hit], i[hit]] = ~other[k[hit], i[hit]]
        size, base = self._slots * n, lists * self._slots * n
        g.other[base : base + size].copy_to_device(np.ascontiguousarray(other).ravel())
        g.history[base * self.setup.history : (base + size) * self.setup.history].copy_to_device(
            np.ascontiguousarray(history).ravel()
        )
        rows, slots = self._host_walls(lists)
        wall, wall_history = g.wall.copy_to_host(), g.wall_history.copy_to_host()
        found = find_pairs(np.stack([names[rows], wall[lists, slots]], axis=1), state.walls)
        hit = found >= 0
        wall_history[lists, slots[hit]] = state.wall_history[found[hit]][:, : self.setup.history]
        wall[lists, slots[hit]] = ~wall[lists, slots[hit]]
        bits, number = np.zeros(2 * n, np.int64), slots[hit] - g.wall_at.copy_to_host()[lists, 0, rows[hit]]
        np.bitwise_or.at(bits, n + rows[hit], np.int64(1) << np.minimum(number, MANY))
        g.wall_bits.copy_to_device(bits)
        g.wall.copy_to_device(wall)
        g.wall_history.copy_to_device(wall_history)

    def _host_lists(self, lists: int, slots: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts (n,), others (K, n) and history (K, n, H) of the lists."""
        g, n, slots = self._g, self._count, slots or self._slots
        base, size = lists * slots * n, slots * n
        counts = g.count[lists * n : (lists + 1) * n].copy_to_host() & COUNT_MASK
        other = g.other[base : base + size].copy_to_host().reshape(slots, n)
        history = g.history[base * self.setup.history : (base + size) * self.setup.history].copy_to_host()
        return counts, other, history.reshape(slots, n, self.setup.history)

    def _host_walls(self, lists: int) -> tuple[np.ndarray, np.ndarray]:
        """Row of the particle and slot of each listed wall."""
        at = self._g.wall_at.copy_to_host()[lists]
        rows = np.repeat(np.arange(self._count), at[1])
        return rows, np.repeat(at[0] - np.concatenate([[0], np.cumsum(at[1])[:-1]]), at[1]) + np.arange(at[1].sum())

    def snapshot(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        flags, n, g = self._flags(), self._count, self._g
        now, lists = int(flags[flag.NOW]), int(flags[flag.LISTS])
        names = g.id[lists].copy_to_host().astype(np.int64)
        order = np.argsort(names)
        sphere = g.sphere[4 * n * now : 4 * n * (now + 1)].copy_to_host().reshape(n, 4)
        motion = g.motion[8 * n * now : 8 * n * (now + 1)].copy_to_host().reshape(n, 8).astype(float)
        motion[:, :3] += g.velocity_low[4 * n * lists : 4 * n * (lists + 1)].copy_to_host().reshape(n, 4)[:, :3]
        return names[order], sphere[order], motion[order]

    def state(self) -> ParticleState:
        g, flags = self._g, self._flags()
        lists = int(flags[flag.LISTS])
        names = g.id[lists].copy_to_host().astype(np.int64)
        ids, sphere, motion = self.snapshot()
        counts, other, history = self._host_lists(lists)
        k, i = _slot_rows(counts, self._slots)
        touch = other[k, i] < 0
        k, i = k[touch], i[touch]
        pairs = np.stack([names[i], names[~other[k, i] & ROW_MASK]], axis=1)
        first = pairs[:, 0] < pairs[:, 1]
        order = np.lexsort(pairs[first].T[::-1])
        rows, slots = self._host_walls(lists)
        wall, wall_history = g.wall.copy_to_host()[lists], g.wall_history.copy_to_host()[lists]
        held = wall[slots] < 0
        listed = g.listed_position.copy_to_host().reshape(-1, 4)[np.argsort(names), :3]
        return ParticleState(
            ids, sphere, motion, listed, g.listed_pose.copy_to_host(), pairs[first][order],
            full_history(history[k, i][first][order]),
            np.stack([names[rows[held]], ~wall[slots[held]]], axis=1).astype(np.int64),
            full_history(wall_history[slots[held]]), g.grid_i.copy_to_host().astype(np.int64),
            np.bool_(flags[flag.FRESH] != 1),
        )  # fmt: skip

    # ---- marching

    def march(self, poses: np.ndarray, step: float) -> EngineFailure | None:
        if not self._count:
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
            code = int(flags[flag.CODE])
            if code in (c.LIST_FULL, c.WALL_FULL):
                self._grow(code, flags)
            elif code != c.OK:
                return EngineFailure(code, int(flags[flag.CULPRIT]))
            elif flags[flag.FRESH] == 1 and flags[flag.DONE] >= steps:
                break
            elif flags[flag.DONE] >= steps and steps:
                break  # lists are due, and will be made when the next sub-step comes
            self._launch.run(self._g, "renew")
        if steps:
            self.wrench = self._launch.wrench.copy()
        return None

    def _grow(self, code: int, flags: np.ndarray) -> None:
        """Longer lists. Particles are sorted already, and the lists of before stand: they give the history."""
        old, n, lists = self._g, self._count, int(flags[flag.LISTS])
        if code == c.LIST_FULL:
            before = self._slots
            self._slots = -(-max(int(1.25 * before), int(flags[flag.NEEDED_SLOTS])) // 8) * 8
            new = self._lists()
            _, other, history = self._host_lists(lists, before)
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
        flags[[flag.CODE, flag.WALL_SLOTS, flag.WALL_PARTICLES, flag.NEEDED_SLOTS]] = 0
        self._g.flags.copy_to_device(flags)

    def _set(self, name: str, value: float) -> None:
        """Change one of the settings."""
        self._settings[name] = value
        self._g.settings.copy_to_device(self._settings)

    def _flags(self) -> np.ndarray:
        return self._g.flags.copy_to_host()

    def _unfresh(self) -> None:
        """Lists are due."""
        flags = self._flags()
        flags[flag.FRESH] = 0
        self._g.flags.copy_to_device(flags)

    def change_walls(self, walls: Walls) -> None:
        self.setup = self.setup._replace(walls=walls)
        self._g = self._g._replace(**{name: self._array(name, getattr(walls, name)) for name in WALL_GRIDS})
        self._launch.forget()
        self._unfresh()

    def renew(self) -> None:
        """Make all lists anew, though they may not be due."""
        self._unfresh()
        self._launch.run(self._g, "renew")
        if self._flags()[flag.CODE] != c.OK:
            self._run(0, anew=False)

    def wall_wrench(self) -> np.ndarray:
        return self._g.primitive_wrench.copy_to_host().sum(axis=0)[: len(self.setup.walls.wall_i)]

    @property
    def lists_made(self) -> int:
        return int(self._flags()[flag.REBUILDS])

    def counts(self) -> dict[str, Any]:
        flags, n = self._flags(), self._count
        lists = int(flags[flag.LISTS])
        base = lists * self._slots * n
        other = self._g.other[base : base + self._slots * n].copy_to_host().reshape(self._slots, n)
        used = np.arange(self._slots)[:, None] < self._g.count[lists * n : (lists + 1) * n].copy_to_host() & COUNT_MASK
        _, slots = self._host_walls(lists)
        return {
            "rebuilds": self.lists_made,
            "contacts": int(np.count_nonzero((other < 0) & used) // 2),
            "wall_contacts": int((self._g.wall.copy_to_host()[lists, slots] < 0).sum()),
        }


def _slot_rows(counts: np.ndarray, slots: int) -> tuple[np.ndarray, np.ndarray]:
    """Slot and row of all neighbours."""
    slot, row = np.nonzero(np.arange(slots)[:, None] < counts)
    return slot, row
