"""Particles on the CPU: threads that march in step (`kernels/particles/march.py`)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import CLASSES, CPU, ParticleArrays, depending_on, host_array, rows_of_chunk
from gori.kernels.particles.drift import FASTEST
from gori.kernels.particles.march import march
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
from gori.sim.particles.lockstep import without_interrupts

CAPACITY_OF = {c.LIST_FULL: "pair_slots", c.TOUCH_FULL: "kept_slots", c.WALL_FULL: "wall_slots"}
"""what a list that is full has too little of"""


class CpuEngine:
    """Particles in double precision."""

    def __init__(self, setup: ParticleSetup, state: ParticleState, pool: ThreadPoolExecutor | None = None):
        self.setup = setup
        # columns of a state's history that the lists hold
        self._tracked = np.array([0, 1, 2, 4, 5, 6]) if setup.rolling else np.arange(3)
        self._pool = pool or ThreadPoolExecutor(max(1, setup.workers - 1), thread_name_prefix="particles")
        self._load(state)

    def with_state(self, state: ParticleState, setup: ParticleSetup | None = None) -> "CpuEngine":
        return CpuEngine(setup or self.setup, state, self._pool)

    # ---- particles in and out

    @property
    def count(self) -> int:
        return len(self._g.listed_position)

    def _load(self, state: ParticleState) -> None:
        setup, walls, n = self.setup, self.setup.walls, len(state.id)
        rows = rows_of_chunk(n)
        chunks = max(1, -(-n // rows))
        self._capacity = {"pair_slots": 10 * rows + 8 * CLASSES, "kept_slots": 14 * rows, "wall_slots": rows}
        self.workers = max(1, min(setup.workers, chunks))
        settings = settings_of(setup, state)
        smallest = state.sphere[:, c.R].min() if n else 0.0
        settings["rows"], settings["careful"] = rows, setup.home >= 0 or setup.skin >= FASTEST * smallest
        self._uniform = bool(settings[0]["uniform"])
        grid = state.grid if np.any(state.grid) else grid_of(state.sphere, 2.0 * setup.radius + setup.skin)
        bodies, primitives = len(walls.bin_i), max(1, len(walls.wall_i))
        self._sizes = {
            "n": n, "chunks": chunks, "workers": self.workers, "rows": rows, "bodies": bodies, "primitives": primitives,
            "holders": setup.wrenches[1],
            "history": setup.history, "tracked": len(self._tracked), "inertias": 1 if self._uniform else n,
            "cells": int(np.prod(grid)), "moments": 1,
        }  # fmt: skip
        sphere = np.concatenate([state.listed_position, state.sphere[:, 3:]], axis=1)
        given: dict[str, Any] = {
            "settings": settings,
            "sphere": np.stack([sphere, sphere]),
            "motion": np.stack([state.motion, state.motion]),
            "id": np.stack([state.id, state.id]),
            "pose": state.listed_pose[None],
            "pair_f": setup.pair_f,
            "pair_row": setup.pair_f[:, :8],
            "grid_i": grid,
            "order": np.arange(n),
            "holder": setup.wrenches[0],
        }
        given |= {name: getattr(walls, name) for name in WALL_TABLES}
        lists = {name for capacity in self._capacity for name in depending_on(CPU, *_sizes_of(capacity))}
        arrays = {
            name: host_array(array, self._sizes, given.get(name)) for name, array in CPU.items() if name not in lists
        }
        for capacity in self._capacity:
            arrays |= self._lists(capacity)
        self._g: Any = ParticleArrays(**arrays)
        self.wrench = self._g.wrench
        if self._uniform:
            radius, mass, deep = state.sphere[0, 3], state.motion[0, 3], setup.pair_f[0, c.DEEP]
            self._g.inverse_mass[0] = 1.0 / mass, 1.0 / (0.4 * mass * radius**2)
            constants = [2.0 * radius, 0.5 * radius, 0.5 * mass, (2.0 - deep) * radius]
            self._g.pair_constants[:] = np.array(constants)[:, None]
        if n:
            self._call(0, 0)  # the lists
            self._recall(state)
            if state.due:
                self._progress["fresh"] = 0

    @property
    def _progress(self) -> Any:
        return self._g.progress[0]

    def _lists(self, capacity: str) -> dict[str, np.ndarray]:
        """Arrays of lists for all chunks."""
        size = self._sizes["chunks"] * self._capacity[capacity]
        sizes = self._sizes | {capacity: size}
        if capacity == "pair_slots":
            groups = size // 8
            constants = (1 if self._uniform else groups) * c.N_CONSTANTS
            sizes |= {"groups": groups, "constants": constants, "chunk_slots": self._capacity[capacity]}
        return {name: host_array(CPU[name], sizes) for name in depending_on(CPU, *_sizes_of(capacity))}

    def _grow(self, capacity: str) -> None:
        """Longer lists; what they keep for the next ones stays."""
        self._capacity[capacity] = (int(1.5 * self._capacity[capacity]) // 8 + 1) * 8
        new, old = self._lists(capacity), self._g._asdict()
        if self._uniform and "pair_constants" in new:
            new["pair_constants"] = old["pair_constants"]
        for key in ("kept_wall", "kept_wall_history"):
            if key in new:
                new[key][: len(old[key])] = old[key]
        self._g = self._g._replace(**new)

    def _recall(self, state: ParticleState) -> None:
        """The places of now, and the history of what touches, onto lists that were made of the places before."""
        g, now = self._g, int(self._progress["now"])
        names = g.id[self._progress["ids"]]
        rows = np.searchsorted(state.id, names)
        g.sphere[now], g.motion[now] = state.sphere[rows], state.motion[rows]
        self._progress["level"] = 2  # particles may have moved since the lists were made: all gaps count
        slots = self._slots()
        pairs = np.stack([names[g.owner[slots]], names[g.other[slots]]], axis=1)
        found = find_pairs(np.sort(pairs, axis=1), state.pairs)
        hit = found >= 0
        sign = np.where(pairs[hit, 0] < pairs[hit, 1], 1.0, -1.0)
        group, lane = np.divmod(slots[hit], 8)
        np.bitwise_or.at(g.touching, group, (1 << lane).astype(np.uint8))
        history = g.history.reshape(-1, len(self._tracked), 8)
        history[group, :, lane] = sign[:, None] * state.history[found[hit]][:, self._tracked]
        slots = _slots(g.wall_begin, g.wall_end)
        rows = np.repeat(np.arange(len(names)), g.wall_end - g.wall_begin)
        found = find_pairs(np.stack([names[rows], g.wall[slots]], axis=1), state.walls)
        hit = found >= 0
        g.wall_touching[slots[hit]] = 1
        g.wall_history[slots[hit]] = state.wall_history[found[hit], : self.setup.history]

    def snapshot(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        g = self._g
        names, now = g.id[self._progress["ids"]], self._progress["now"]
        order = np.argsort(names)
        return names[order], g.sphere[now][order], g.motion[now][order]

    def state(self) -> ParticleState:
        g = self._g
        names = g.id[self._progress["ids"]]
        ids, sphere, motion = self.snapshot()
        slots = self._touching()
        pairs, history = np.stack([names[g.owner[slots]], names[g.other[slots]]], axis=1), np.zeros((len(slots), 8))
        history[:, self._tracked] = g.history.reshape(-1, len(self._tracked), 8)[slots // 8, :, slots % 8]
        turned = pairs[:, 0] > pairs[:, 1]
        history[turned] *= -1.0
        pairs, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
        rows = np.repeat(np.arange(len(names)), g.wall_end - g.wall_begin)
        slots = _slots(g.wall_begin, g.wall_end)
        touch = g.wall_touching[slots] != 0
        walls = np.stack([names[rows], g.wall[slots]], axis=1)[touch].astype(np.int64)
        listed = g.listed_position[np.argsort(names), :3]
        return ParticleState(
            ids, sphere, motion, listed, g.listed_pose.copy(), pairs, history[first],
            walls, full_history(g.wall_history[slots[touch]]), g.grid_i.copy(), np.bool_(self._progress["fresh"] != 1),
        )  # fmt: skip

    def _slots(self) -> np.ndarray:
        """The slots of all pairs."""
        return _slots(self._g.class_begin.ravel(), self._g.class_end.ravel())

    def _touching(self) -> np.ndarray:
        """The slots of all pairs that touch."""
        slots = self._slots()
        return slots[(self._g.touching[slots // 8] >> (slots % 8)) & 1 != 0]

    # ---- marching

    def march(self, poses: np.ndarray, step: float) -> EngineFailure | None:
        self.wrench[:] = self._g.primitive_wrench[:] = 0.0
        if not self.count:
            return None
        self._g.settings["step"] = step
        self._g = self._g._replace(pose=poses)
        return self._call(0, len(poses) - 1)

    def _call(self, first: int, steps: int) -> EngineFailure | None:
        """Sub-steps first to steps - 1, or lists alone if there are none; with longer lists where they are full."""
        with without_interrupts():
            while True:
                g = self._g
                g.counters[0], self._progress["done"] = 0, first
                others = [self._pool.submit(march, g, w, self.workers, first, steps) for w in range(1, self.workers)]
                code = march(g, 0, self.workers, first, steps)
                for other in others:
                    other.result()
                if code not in CAPACITY_OF:
                    break
                self._grow(CAPACITY_OF[code])
                first = int(self._progress["done"])
        if code == c.OK:
            return None
        culprits = g.reports["culprit"][g.reports["code"] == code]
        return EngineFailure(code, int(culprits[0]) if len(culprits) else -1)

    def change_walls(self, walls: Walls) -> None:
        arrays = {name: host_array(CPU[name], self._sizes, getattr(walls, name)) for name in WALL_GRIDS}
        self.setup, self._g = self.setup._replace(walls=walls), self._g._replace(**arrays)
        self._progress["fresh"] = 0

    def renew(self) -> None:
        """Make all lists anew, though they may not be due."""
        self._progress["fresh"] = 0
        self._call(0, 0)

    def wall_wrench(self) -> np.ndarray:
        return self._g.primitive_wrench[: len(self.setup.walls.wall_i)].copy()

    @property
    def lists_made(self) -> int:
        return int(self._progress["rebuilds"])

    def counts(self) -> dict[str, Any]:
        g = self._g
        slots, rows = self._touching(), self._sizes["rows"]
        same = g.owner[slots] // rows == g.other[slots] // rows
        walls = _slots(g.wall_begin, g.wall_end)
        return {
            "rebuilds": self.lists_made,
            "contacts": int(same.sum() + (~same).sum() // 2),
            "wall_contacts": int((g.wall_touching[walls] != 0).sum()),
        }


def _sizes_of(capacity: str) -> tuple[str, ...]:
    """Names of sizes that depend on one of the capacities of lists."""
    return ("pair_slots", "groups", "constants", "chunk_slots") if capacity == "pair_slots" else (capacity,)


def _slots(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Numbers of all ranges, one after the other."""
    counts = end - begin
    return np.repeat(begin - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
