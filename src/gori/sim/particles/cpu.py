"""Grains on the CPU: threads that march in step (`kernels/particles/march.py`)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gori.kernels.lanes import aligned
from gori.kernels.particles import grains as gr
from gori.kernels.particles.march import FASTEST, march
from gori.kernels.particles.tables import DEEP
from gori.sim.particles.engine import BedState, Setup, Trouble, find_pairs, grid_of, run_numbers
from gori.sim.particles.lockstep import unbroken

FULL = {gr.LIST_FULL: "slots", gr.TOUCH_FULL: "kept_slots", gr.WALL_FULL: "wall_slots"}
"""what a list that is full has too little of"""


class CpuBed:
    """Grains, double precision."""

    def __init__(self, setup: Setup, state: BedState):
        self.setup = setup
        self._columns = 8 if setup.rolling else 4  # of the history of a contact with a wall
        self._used = np.array([0, 1, 2, 4, 5, 6]) if setup.rolling else np.arange(3)  # of a state's history
        self._pool = ThreadPoolExecutor(max(1, setup.workers - 1), thread_name_prefix="grains")
        self.load(state)

    # ---- grains in and out

    @property
    def count(self) -> int:
        return len(self._g.before)

    def load(self, state: BedState) -> None:
        n = len(state.ident)
        rows = gr.rows_of_chunk(n)
        chunks = max(1, -(-n // rows))
        self._room = {"slots": 10 * rows + 8 * gr.CLASSES, "kept_slots": 14 * rows, "wall_slots": rows}
        self._chunks = chunks
        self.workers = max(1, min(self.setup.workers, chunks))
        walls = self.setup.walls
        bodies = len(walls.bin_i)
        run_i, run_f = run_numbers(self.setup, n, round(len(self.setup.pair_f) ** 0.5), self._columns)
        run_i[gr.ROWS] = rows
        self._uniform = n > 0 and bool((np.ptp(state.place[:, 3]) == 0.0) and (np.ptp(state.motion[:, 3]) == 0.0))
        run_i[gr.UNIFORM] = self._uniform
        run_i[gr.MIXED] = self.setup.rolling or (n > 0 and np.ptp(state.place[:, 3]) > 0.0)
        smallest = state.place[:, 3].min() if n else 0.0
        run_i[gr.CAREFUL] = self.setup.home >= 0 or self.setup.skin >= FASTEST * smallest
        grid = np.array(state.grid, np.int64)
        if not grid.any():
            grid = grid_of(state.place, 2.0 * self.setup.radius + self.setup.skin).astype(np.int64)
        whole = lambda *shape: np.zeros(shape, np.int64)  # noqa: E731
        small = lambda *shape: np.zeros(shape, np.int32)  # noqa: E731
        self.push = np.zeros((bodies, 6))
        place = np.concatenate([state.before, state.place[:, 3:]], axis=1)
        arrays: dict[str, Any] = {
            "run_i": run_i,
            "run_f": run_f,
            "place": _filled(aligned((2, n, 4)), place),
            "motion": _filled(aligned((2, n, 8)), state.motion),
            "ident": np.stack([state.ident, state.ident]),
            "lightness": np.zeros((1 if self._uniform else n, 2)),
            "before": aligned((n, 4)),
            "pose": state.pose_before.reshape(1, bodies, gr.N_POSE).copy(),
            "pose_before": np.zeros((bodies, gr.N_POSE)),
            "extent": walls.extent,
            "pair_f": self.setup.pair_f,
            "pair_row": _filled(aligned((len(self.setup.pair_f), 8)), self.setup.pair_f[:, :8]),
            "class_begin": whole(chunks, gr.CLASSES),
            "class_end": whole(chunks, gr.CLASSES),
            "wall_begin": whole(n),
            "wall_end": whole(n),
            "push": self.push,
            "wall_sum": np.zeros((max(1, len(walls.wall_i)), 6)),
            "wall_i": _some(walls.wall_i),
            "wall_f": _some(walls.wall_f),
            "rim_i": _some(walls.rim_i),
            "rim_f": _some(walls.rim_f),
            "bin_i": walls.bin_i,
            "bin_f": walls.bin_f,
            "bin_start": _some(walls.bin_start),
            "bin_wall": _some(walls.bin_wall),
            "always": _some(walls.always),
            "grid_i": grid,
            "cell": small(n),
            "cell_start": small(int(np.prod(grid)) + 1),
            "order": np.arange(n, dtype=np.int32),
            "kept_begin": whole(n),
            "kept_end": whole(n),
            "kept_wall_begin": whole(n),
            "kept_wall_end": whole(n),
            "load": aligned((self.workers, rows, 8)),
            "flags": whole(2, self.workers, 8),
            "counters": whole(1),
        }
        for name in self._room:
            arrays |= self._lists(name)
        self._g = gr.Grains(**arrays)
        if self._uniform:
            radius, mass, deep = state.place[0, 3], state.motion[0, 3], self.setup.pair_f[0, DEEP]
            self._g.lightness[0] = 1.0 / mass, 1.0 / (0.4 * mass * radius**2)
            self._g.fixed[:] = np.array([2.0 * radius, 0.5 * radius, 0.5 * mass, (2.0 - deep) * radius])[:, None]
        if n:
            self._call(0, 0)  # the lists
            self._recall(state)
            if state.due:
                self._g.run_i[gr.FRESH] = 0

    def _lists(self, name: str) -> dict[str, np.ndarray]:
        """Arrays of lists with room for all chunks."""
        size, columns = self._chunks * self._room[name], self._columns
        if name == "slots":
            groups, whole = size // 8, {key: np.zeros(size, np.int32) for key in ("owner", "other", "kind")}
            return whole | {
                "touching": np.zeros(groups, np.uint8),
                "history": aligned((groups * len(self._used), 8)),
                "fixed": aligned(((1 if self._uniform else groups) * gr.N_FIXED, 8)),
                "found": np.zeros((self.workers, self._room[name], 3), np.int32),
            }
        if name == "kept_slots":
            return {"kept": np.zeros(size, np.int32), "kept_history": np.zeros((size, len(self._used)))}
        return {
            "wall_owner": np.zeros(size, np.int32),
            "wall": np.zeros(size, np.int32),
            "wall_touching": np.zeros(size, np.uint8),
            "wall_history": np.zeros((size, columns)),
            "wall_near": np.zeros((size, 4)),
            "wall_push": np.zeros((size, 6)),
            "kept_wall": np.zeros(size, np.int32),
            "kept_wall_history": np.zeros((size, columns)),
        }

    def _grow(self, name: str) -> None:
        """More room in lists; what they keep for the next ones stays."""
        self._room[name] = (int(1.5 * self._room[name]) // 8 + 1) * 8
        new, old = self._lists(name), self._g._asdict()
        if self._uniform and "fixed" in new:
            new["fixed"] = old["fixed"]
        for key in ("kept_wall", "kept_wall_history"):
            if key in new:
                new[key][: len(old[key])] = old[key]
        self._g = self._g._replace(**new)

    def _recall(self, state: BedState) -> None:
        """The places of now, and the history of what touches, onto lists that were made of the places before."""
        g, now = self._g, int(self._g.run_i[gr.NOW])
        names = g.ident[g.run_i[gr.NAMES]]
        rows = np.searchsorted(state.ident, names)
        g.place[now], g.motion[now] = state.place[rows], state.motion[rows]
        g.run_i[gr.LEVEL] = 2  # grains may have moved since the lists were made: all gaps count
        slots = self._slots()
        pairs = np.stack([names[g.owner[slots]], names[g.other[slots]]], axis=1)
        found = find_pairs(np.sort(pairs, axis=1), state.pairs)
        hit = found >= 0
        sign = np.where(pairs[hit, 0] < pairs[hit, 1], 1.0, -1.0)
        group, lane = np.divmod(slots[hit], 8)
        np.bitwise_or.at(g.touching, group, (1 << lane).astype(np.uint8))
        history = g.history.reshape(-1, len(self._used), 8)
        history[group, :, lane] = sign[:, None] * state.history[found[hit]][:, self._used]
        slots = _slots(g.wall_begin, g.wall_end)
        rows = np.repeat(np.arange(len(names)), g.wall_end - g.wall_begin)
        found = find_pairs(np.stack([names[rows], g.wall[slots]], axis=1), state.walls)
        hit = found >= 0
        g.wall_touching[slots[hit]] = 1
        g.wall_history[slots[hit]] = state.wall_history[found[hit], : self._columns]

    def look(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        g = self._g
        names, now = g.ident[g.run_i[gr.NAMES]], g.run_i[gr.NOW]
        order = np.argsort(names)
        return names[order], g.place[now][order], g.motion[now][order]

    def state(self) -> BedState:
        g = self._g
        names = g.ident[g.run_i[gr.NAMES]]
        ident, place, motion = self.look()
        slots = self._touching()
        pairs, history = np.stack([names[g.owner[slots]], names[g.other[slots]]], axis=1), np.zeros((len(slots), 8))
        history[:, self._used] = g.history.reshape(-1, len(self._used), 8)[slots // 8, :, slots % 8]
        turned = pairs[:, 0] > pairs[:, 1]
        history[turned] *= -1.0
        pairs, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
        rows = np.repeat(np.arange(len(names)), g.wall_end - g.wall_begin)
        slots = _slots(g.wall_begin, g.wall_end)
        touch = g.wall_touching[slots] != 0
        walls = np.stack([names[rows], g.wall[slots]], axis=1)[touch].astype(np.int64)
        before = g.before[np.argsort(names), :3]
        return BedState(
            ident, place, motion, before, g.pose_before.copy(), pairs, history[first],
            walls, _wide(g.wall_history[slots[touch]]), g.grid_i.copy(), np.bool_(g.run_i[gr.FRESH] != 1),
        )  # fmt: skip

    def _slots(self) -> np.ndarray:
        """The slots of all pairs."""
        return _slots(self._g.class_begin.ravel(), self._g.class_end.ravel())

    def _touching(self) -> np.ndarray:
        """The slots of all pairs that touch."""
        slots = self._slots()
        return slots[(self._g.touching[slots // 8] >> (slots % 8)) & 1 != 0]

    # ---- marching

    def march(self, poses: np.ndarray, step: float) -> Trouble | None:
        self.push[:] = self._g.wall_sum[:] = 0.0
        if not self.count:
            return None
        self._g.run_f[gr.STEP] = step
        self._g = self._g._replace(pose=poses)
        return self._call(0, len(poses) - 1)

    def _call(self, first: int, steps: int) -> Trouble | None:
        """Sub-steps first to steps - 1, or lists alone if there are none; with more room where it is needed."""
        while True:
            g = self._g
            g.counters[0], g.run_i[gr.DONE] = 0, first
            with unbroken():
                others = [self._pool.submit(march, g, w, self.workers, first, steps) for w in range(1, self.workers)]
                code = march(g, 0, self.workers, first, steps)
                for other in others:
                    other.result()
            if code not in FULL:
                break
            self._grow(FULL[code])
            first = int(g.run_i[gr.DONE])
        if code == gr.OK:
            return None
        told = [flags[2] for flags in g.flags.reshape(-1, 8) if flags[0] == code]
        return Trouble(code, int(told[0]) if told else -1)

    def renew(self) -> None:
        """Make all lists anew, though they may not be due."""
        self._g.run_i[gr.FRESH] = 0
        self._call(0, 0)

    def wall_push(self) -> np.ndarray:
        return self._g.wall_sum[: len(self.setup.walls.wall_i)].copy()

    @property
    def lists_made(self) -> int:
        return int(self._g.run_i[gr.REBUILDS])

    def counts(self) -> dict[str, Any]:
        g = self._g
        slots, rows = self._touching(), int(g.run_i[gr.ROWS])
        same = g.owner[slots] // rows == g.other[slots] // rows
        walls = _slots(g.wall_begin, g.wall_end)
        return {
            "rebuilds": self.lists_made,
            "contacts": int(same.sum() + (~same).sum() // 2),
            "wall_contacts": int((g.wall_touching[walls] != 0).sum()),
        }


def _filled(out: np.ndarray, rows: np.ndarray) -> np.ndarray:
    out[:] = rows
    return out


def _some(table: np.ndarray) -> np.ndarray:
    """A table that is not empty: what Numba's types want."""
    return np.ascontiguousarray(table) if len(table) else np.zeros((1, *table.shape[1:]), table.dtype)


def _slots(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Numbers of all ranges, one after the other."""
    counts = end - begin
    return np.repeat(begin - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())


def _wide(history: np.ndarray) -> np.ndarray:
    out = np.zeros((len(history), 8))
    out[:, : history.shape[1]] = history
    return out
