"""Particles on the CPU: threads that march in step (`kernels/particles/march.py`)."""

from typing import Any

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import (
    CLASSES,
    CPU,
    ParticleArrays,
    depending_on,
    host_array,
    most_chunks,
    most_rows,
    rows_of_chunk,
)
from gori.kernels.particles.march import march
from gori.model.particles.state import ParticleState
from gori.model.particles.walls import Walls
from gori.sim.callers.signals import without_interrupts
from gori.sim.particles.engine import (
    WALL_GRIDS,
    WALL_TABLES,
    EngineFailure,
    ParticleSetup,
    buckets_of,
    find_pairs,
    full_history,
    grids_of,
    settings_of,
)
from gori.sim.particles.lockstep import WorkerThreads

CAPACITY_OF = {c.LIST_FULL: "pair_slots", c.TOUCH_FULL: "kept_slots", c.WALL_FULL: "wall_slots"}
"""what a list that is full has too little of"""


class CpuEngine:
    """Particles in double precision."""

    def __init__(self, setup: ParticleSetup, state: ParticleState, pool: WorkerThreads | None = None):
        self.setup = setup
        # columns of a state's history that the lists hold
        self._tracked = np.array([0, 1, 2, 4, 5, 6]) if setup.rolling else np.arange(3)
        self._pool = pool or WorkerThreads(max(1, setup.workers - 1))
        self._load(state)

    def with_state(self, state: ParticleState, setup: ParticleSetup | None = None) -> "CpuEngine":
        return CpuEngine(setup or self.setup, state, self._pool)

    # ---- particles in and out

    @property
    def count(self) -> int:
        return int(self._progress["count"])

    @property
    def since(self) -> int:
        return int(self._progress["since"])

    def _load(self, state: ParticleState) -> None:
        setup, walls, count = self.setup, self.setup.walls, len(state.id)
        space = count if not setup.spare else count + count // 4 + setup.spare
        rows, chunks = most_rows(space), most_chunks(space)
        self._capacity = {"pair_slots": 10 * rows + 8 * CLASSES, "kept_slots": 14 * rows, "wall_slots": rows}
        self.workers = max(1, min(setup.workers, -(-count // rows_of_chunk(count))))
        settings = settings_of(setup, state)
        self._uniform = bool(settings[0]["uniform"])
        skin = setup.skin_of(state)
        grid = state.grid.reshape(-1, 3)
        if not (grid.any() and len(grid) == len(setup.level_radius)):
            grid = grids_of(state.sphere, setup, skin)
        bodies, primitives = len(walls.bin_i), max(1, len(walls.wall_i))
        self._sizes = {
            "n": space, "chunks": chunks, "workers": self.workers, "rows": rows, "bodies": bodies,
            "primitives": primitives, "holders": setup.wrenches[1], "history": setup.history,
            "tracked": len(self._tracked), "inertias": 1 if self._uniform else space, "moments": 1,
            "levels": len(grid), "bucketed": space if len(grid) > 1 else 1,
        }  # fmt: skip
        sphere, motion, ids = np.zeros((2, space, 4)), np.zeros((2, space, 8)), np.zeros((2, space), np.int64)
        sphere[:, :count, :3], sphere[:, :count, 3] = state.listed_position, state.sphere[:, 3]
        motion[:, :count], ids[:, :count] = state.motion, state.id
        given: dict[str, Any] = {
            "settings": settings,
            "skin": [skin, 0.0, 0.0],
            "sphere": sphere,
            "motion": motion,
            "id": ids,
            "pose": state.listed_pose[None],
            "pair_f": setup.pair_f,
            "pair_row": setup.pair_f[:, :8],
            "level_radius": setup.level_radius,
            "order": np.arange(space),
            "holder": setup.wrenches[0],
            "outlet_i": np.zeros(0) if setup.outlets is None else setup.outlets[0],
            "outlet_f": np.zeros((0, 18)) if setup.outlets is None else setup.outlets[1],
        }
        given |= {name: getattr(walls, name) for name in WALL_TABLES}
        later = {name for capacity in self._capacity for name in depending_on(CPU, *_sizes_of(capacity))} | set(GRIDS)
        arrays = {
            name: host_array(array, self._sizes, given.get(name)) for name, array in CPU.items() if name not in later
        }
        arrays |= self._grids(grid)
        for capacity in self._capacity:
            arrays |= self._lists(capacity, chunks)
        self._g: Any = ParticleArrays(**arrays)
        self._progress["count"], self._progress["rows"] = count, rows_of_chunk(count)
        self.wrench = self._g.wrench
        if self._uniform:
            radius, mass, deep = state.sphere[0, 3], state.motion[0, 3], setup.pair_f[0, c.DEEP]
            self._g.inverse_mass[0] = 1.0 / mass, 1.0 / (0.4 * mass * radius**2)
            constants = [2.0 * radius, 0.5 * radius, 0.5 * mass, (2.0 - deep) * radius]
            self._g.pair_constants[:] = np.array(constants)[:, None]
        if count:
            self._call(0, 0)  # the lists
            self._recall(state)
            self._progress["since"] = state.since
            if state.due or setup.replaces(skin):
                self.expire()
        if setup.replaces(skin):
            self._g.skin[0] = setup.skin

    @property
    def _progress(self) -> Any:
        return self._g.progress[0]

    def _lists(self, capacity: str, chunks: int) -> dict[str, np.ndarray]:
        """Arrays of lists, which are shared by so many chunks now, and may come to be by others."""
        size = self._sizes["chunks"] * self._capacity[capacity]
        sizes = self._sizes | {capacity: size}
        if capacity == "pair_slots":
            groups = size // 8
            constants = (1 if self._uniform else groups) * c.N_CONSTANTS
            sizes |= {"groups": groups, "constants": constants, "chunk_slots": size // max(1, chunks)}
        return {name: host_array(CPU[name], sizes) for name in depending_on(CPU, *_sizes_of(capacity))}

    def _grids(self, grid: np.ndarray) -> dict[str, np.ndarray]:
        """Arrays of the grids of all levels of sizes, (levels, 3) cells."""
        first, buckets = buckets_of(grid)
        sizes = self._sizes | {"cells": int(np.prod(grid[-1])), "buckets": buckets}
        given = {"grid_i": grid, "bucket_first": first}
        return {name: host_array(CPU[name], sizes, given.get(name)) for name in GRIDS}

    def _grow(self, capacity: str) -> None:
        """Longer lists; what they keep for the next ones stays."""
        self._capacity[capacity] = (int(1.5 * self._capacity[capacity]) // 8 + 1) * 8
        rows = int(self._progress["rows"])
        new, old = self._lists(capacity, -(-self.count // rows)), self._g._asdict()
        if self._uniform and "pair_constants" in new:
            new["pair_constants"] = old["pair_constants"]
        for key in ("kept_wall", "kept_wall_history"):
            if key in new:
                new[key][: len(old[key])] = old[key]
        self._g = self._g._replace(**new)

    def _recall(self, state: ParticleState) -> None:
        """The places of now, and the history of what touches, onto lists that were made of the places before."""
        g, now, names = self._g, int(self._progress["now"]), self._ids()
        rows = np.searchsorted(state.id, names)
        g.sphere[now, : len(rows)], g.motion[now, : len(rows)] = state.sphere[rows], state.motion[rows]
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
        rows, slots = self._wall_slots()
        found = find_pairs(np.stack([names[rows], g.wall[slots]], axis=1), state.walls)
        hit = found >= 0
        g.wall_touching[slots[hit]] = 1
        g.wall_history[slots[hit]] = state.wall_history[found[hit], : self.setup.history]

    def _ids(self) -> np.ndarray:
        """Ids by row."""
        return self._g.id[self._progress["ids"], : self.count]

    def snapshot(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        g, names, now = self._g, self._ids(), self._progress["now"]
        order = np.argsort(names)
        return names[order], g.sphere[now][order], g.motion[now][order]

    def state(self) -> ParticleState:
        g, names = self._g, self._ids()
        ids, sphere, motion = self.snapshot()
        slots = self._touching()
        pairs, history = np.stack([names[g.owner[slots]], names[g.other[slots]]], axis=1), np.zeros((len(slots), 8))
        history[:, self._tracked] = g.history.reshape(-1, len(self._tracked), 8)[slots // 8, :, slots % 8]
        turned = pairs[:, 0] > pairs[:, 1]
        history[turned] *= -1.0
        pairs, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
        rows, slots = self._wall_slots()
        touch = g.wall_touching[slots] != 0
        walls = np.stack([names[rows], g.wall[slots]], axis=1)[touch].astype(np.int64)
        listed = g.listed_position[np.argsort(names), :3]
        return ParticleState(
            ids, sphere, motion, listed, g.listed_pose.copy(), pairs, history[first],
            walls, full_history(g.wall_history[slots[touch]]), g.grid_i.ravel().copy(),
            np.bool_(self._progress["fresh"] != 1), g.skin[0], np.int64(self.since),
        )  # fmt: skip

    def _slots(self) -> np.ndarray:
        """The slots of all pairs."""
        used = -(-self.count // int(self._progress["rows"]))
        return _slots(self._g.class_begin[:used].ravel(), self._g.class_end[:used].ravel())

    def _touching(self) -> np.ndarray:
        """The slots of all pairs that touch."""
        slots = self._slots()
        return slots[(self._g.touching[slots // 8] >> (slots % 8)) & 1 != 0]

    def _wall_slots(self) -> tuple[np.ndarray, np.ndarray]:
        """Row of the particle and slot of each listed wall."""
        begin, end = self._g.wall_begin[: self.count], self._g.wall_end[: self.count]
        return np.repeat(np.arange(self.count), end - begin), _slots(begin, end)

    def add(self, ids: np.ndarray, sphere: np.ndarray, motion: np.ndarray, poses: np.ndarray) -> bool:
        g, now, count, more = self._g, int(self._progress["now"]), self.count, len(ids)
        rows = slice(count, count + more)
        if not count or count + more > len(g.listed_position) or sphere[:, c.R].min() < g.settings["least"][0]:
            return False
        same = (sphere[:, c.R] == g.sphere[now, 0, c.R]) & (motion[:, c.MASS] == g.motion[now, 0, c.MASS])
        if self._uniform and not same.all():
            return False
        with without_interrupts():
            g.sphere[now, rows], g.motion[now, rows], g.id[self._progress["ids"], rows] = sphere, motion, ids
            self._progress["added"], self._progress["fresh"] = more, 0
            grid = grids_of(g.sphere[now, : count + more], self.setup, float(g.skin[0]))
            self._g = g._replace(pose=poses[None].copy(), **self._grids(grid))
            self._call(0, 0)
        return True

    def expire(self) -> None:
        self._progress["fresh"] = self._progress["since"] = 0

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
        self.expire()

    def renew(self) -> None:
        """Make all lists anew, though they may not be due."""
        self.expire()
        self._call(0, 0)

    def wall_wrench(self) -> np.ndarray:
        return self._g.primitive_wrench[: len(self.setup.walls.wall_i)].copy()

    @property
    def lists_made(self) -> int:
        return int(self._progress["rebuilds"])

    def counts(self) -> dict[str, Any]:
        g, rows = self._g, int(self._progress["rows"])
        slots, (_, walls) = self._touching(), self._wall_slots()
        same = g.owner[slots] // rows == g.other[slots] // rows
        return {
            "rebuilds": self.lists_made,
            "contacts": int(same.sum() + (~same).sum() // 2),
            "wall_contacts": int((g.wall_touching[walls] != 0).sum()),
        }


GRIDS = {"grid_i", "bucket_first", *depending_on(CPU, "cells", "buckets")}
"""arrays that belong to the grids"""


def _sizes_of(capacity: str) -> tuple[str, ...]:
    """Names of sizes that depend on one of the capacities of lists."""
    return ("pair_slots", "groups", "constants", "chunk_slots") if capacity == "pair_slots" else (capacity,)


def _slots(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Numbers of all ranges, one after the other."""
    counts = end - begin
    return np.repeat(begin - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
