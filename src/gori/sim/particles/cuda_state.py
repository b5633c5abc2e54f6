"""What lies on a GPU, read and written from the host: particles by id, and their contacts."""

from typing import Any, NamedTuple

import numpy as np

from gori.kernels.particles import cuda_flags as flag
from gori.kernels.particles.cuda_walls import MANY
from gori.model.particles.state import ParticleState
from gori.sim.particles.engine import ParticleSetup, find_pairs, full_history

ROW_MASK, COUNT_MASK = (1 << flag.ROW_BITS) - 1, (1 << flag.COUNT_BITS) - 1
"""of the entries of lists, the row; of their counts, how many"""


class DeviceBed(NamedTuple):
    """The arrays on the device, a copy of their flags, and what is needed to read them.

    rows    of the arrays, of which particles take the first `number`
    slots   for the neighbours of each
    """

    g: Any
    flags: np.ndarray
    rows: int
    number: int
    slots: int
    setup: ParticleSetup
    settings: np.ndarray

    def recall(self, state: ParticleState) -> None:
        """The spheres of now, and the history of what touches, onto lists that were made of the positions before."""
        g, flags, n, count = self.g, self.flags, self.rows, self.number
        now, lists = int(flags[flag.NOW]), int(flags[flag.LISTS])
        names = g.id.copy_to_host()[lists, :count]
        rows = np.searchsorted(state.id, names)
        counts = g.count.copy_to_host()
        all_levels = ((1 << flag.LEVELS) - 1) << flag.COUNT_BITS
        g.count.copy_to_device(counts | np.int32(all_levels))  # particles may have moved: all count
        sphere = g.sphere.copy_to_host().reshape(2, n, 4)
        sphere[now, :count] = state.sphere[rows]
        g.sphere.copy_to_device(sphere.ravel())
        points = np.floor(sphere * self.settings["per_unit"][0]).astype(np.int64).astype(np.int32)
        g.fixed_point.copy_to_device(points.ravel())
        if not (len(state.pairs) or len(state.walls)):
            return
        counts, other, history = self.lists(lists)
        k, i = slot_rows(counts, self.slots)
        pairs = np.stack([names[i], names[other[k, i] & ROW_MASK]], axis=1)
        found = find_pairs(np.sort(pairs, axis=1), state.pairs)
        hit = found >= 0
        sign = np.where(pairs[hit, 0] < pairs[hit, 1], 1.0, -1.0)
        history[k[hit], i[hit]] = sign[:, None] * state.history[found[hit]][:, : self.setup.history]
        other[k[hit], i[hit]] = ~other[k[hit], i[hit]]
        size, base = self.slots * n, lists * self.slots * n
        g.other[base : base + size].copy_to_device(np.ascontiguousarray(other).ravel())
        g.history[base * self.setup.history : (base + size) * self.setup.history].copy_to_device(
            np.ascontiguousarray(history).ravel()
        )
        rows, slots = self.walls(lists)
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

    def lists(self, lists: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts (n,), others (K, n) and history (K, n, H) of the lists; of rows that are not in use the count is 0."""
        g, n, slots = self.g, self.rows, self.slots
        base, size = lists * slots * n, slots * n
        counts = g.count[lists * n : (lists + 1) * n].copy_to_host() & COUNT_MASK
        counts[self.number :] = 0
        other = g.other[base : base + size].copy_to_host().reshape(slots, n)
        history = g.history[base * self.setup.history : (base + size) * self.setup.history].copy_to_host()
        return counts, other, history.reshape(slots, n, self.setup.history)

    def walls(self, lists: int) -> tuple[np.ndarray, np.ndarray]:
        """Row of the particle and slot of each listed wall."""
        at = self.g.wall_at.copy_to_host()[lists][:, : self.number]
        rows = np.repeat(np.arange(self.number), at[1])
        return rows, np.repeat(at[0] - np.concatenate([[0], np.cumsum(at[1])[:-1]]), at[1]) + np.arange(at[1].sum())

    def snapshot(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        flags, n, g, count = self.flags, self.rows, self.g, self.number
        now, lists = int(flags[flag.NOW]), int(flags[flag.LISTS])
        names = g.id[lists].copy_to_host().astype(np.int64)[:count]
        order = np.argsort(names)
        sphere = g.sphere[4 * n * now : 4 * (n * now + count)].copy_to_host().reshape(-1, 4)
        motion = g.motion[8 * n * now : 8 * (n * now + count)].copy_to_host().reshape(-1, 8).astype(float)
        motion[:, :3] += g.velocity_low[4 * n * lists : 4 * (n * lists + count)].copy_to_host().reshape(-1, 4)[:, :3]
        return names[order], sphere[order], motion[order]

    def state(self) -> ParticleState:
        g, flags = self.g, self.flags
        lists = int(flags[flag.LISTS])
        names = g.id[lists].copy_to_host().astype(np.int64)[: self.number]
        ids, sphere, motion = self.snapshot()
        counts, other, history = self.lists(lists)
        k, i = slot_rows(counts, self.slots)
        touch = other[k, i] < 0
        k, i = k[touch], i[touch]
        pairs = np.stack([names[i], names[~other[k, i] & ROW_MASK]], axis=1)
        first = pairs[:, 0] < pairs[:, 1]
        order = np.lexsort(pairs[first].T[::-1])
        rows, slots = self.walls(lists)
        wall, wall_history = g.wall.copy_to_host()[lists], g.wall_history.copy_to_host()[lists]
        held = wall[slots] < 0
        listed = g.listed_position.copy_to_host().reshape(-1, 4)[np.argsort(names), :3]
        return ParticleState(
            ids, sphere, motion, listed, g.listed_pose.copy_to_host(), pairs[first][order],
            full_history(history[k, i][first][order]),
            np.stack([names[rows[held]], ~wall[slots[held]]], axis=1).astype(np.int64),
            full_history(wall_history[slots[held]]), g.grid_i.copy_to_host().astype(np.int64).ravel(),
            np.bool_(flags[flag.FRESH] != 1), g.skin.copy_to_host()[0], np.int64(flags[flag.SINCE]),
        )  # fmt: skip

    def contacts(self) -> dict[str, int]:
        """Counts of contacts between particles, each once, and with walls."""
        lists = int(self.flags[flag.LISTS])
        counts, other, _ = self.lists(lists)
        used = np.arange(self.slots)[:, None] < counts
        _, slots = self.walls(lists)
        return {
            "contacts": int(np.count_nonzero((other < 0) & used) // 2),
            "wall_contacts": int((self.g.wall.copy_to_host()[lists, slots] < 0).sum()),
        }


def slot_rows(counts: np.ndarray, slots: int) -> tuple[np.ndarray, np.ndarray]:
    """Slot and row of all neighbours."""
    slot, row = np.nonzero(np.arange(slots)[:, None] < counts)
    return slot, row
