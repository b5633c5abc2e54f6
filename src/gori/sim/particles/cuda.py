"""Grains on a GPU (`kernels/particles/cuda.py`)."""

from typing import Any

import numpy as np

from gori.errors import MissingPackageError, SimulationError, UnsupportedError
from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as c
from gori.sim.particles.engine import BedState, Setup, Trouble, find_pairs, grid_of, run_numbers

try:
    from numba import cuda

    from gori.kernels.particles import cuda_tables as flag
    from gori.kernels.particles.cuda_walls import MANY
    from gori.sim.particles.launch import SIMULATED, Launch, pinned
except ImportError as error:  # no numba-cuda
    raise MissingPackageError("grains on a GPU need numba-cuda: pip install 'gori[gpu]'") from error

SINGLE = np.float32
OLDEST = (7, 0)
"""compute capability that will do"""
LARGE = 65_000
"""grains from which on sub-steps are kernels of their own"""
SLOTS = 16
"""for neighbours of each grain, to begin with"""
COPIES, SUMS = 64, 65_536
"""of the sums over each primitive of a wall, as threads that add to the same one wait for each other; and sums at most,
with more than one copy"""
UNIT = 2.0**-28
"""of places as whole numbers, of the largest radius and skin: eight of them lie within half of 32 bits"""
ROWS, COUNT = (1 << flag.ROW_BITS) - 1, (1 << flag.COUNT_BITS) - 1
"""of the entries of lists, what tells the row; of their counts, what tells how many"""
SAME = 1e-12
"""of a step that differs by rounding, as times do that are added up: not worth a word to the device"""
TINY = 1e-36
"""of the pairs' table, in single precision"""


def check_device() -> None:
    """Raise if there is no GPU to be used."""
    if SIMULATED:
        return
    if not cuda.is_available():
        raise UnsupportedError(
            "device cuda: no NVIDIA GPU can be used here (numba.cuda.is_available() is False). Install the driver and "
            "pip install 'gori[gpu]', or take device: cpu"
        )
    capability = cuda.get_current_device().compute_capability
    if capability < OLDEST:
        raise UnsupportedError(
            f"device cuda: this GPU has compute capability {capability[0]}.{capability[1]}, and grains need "
            f"{OLDEST[0]}.{OLDEST[1]} or more. Take device: cpu"
        )


class CudaBed:
    """Grains, single precision but for places."""

    def __init__(self, setup: Setup, state: BedState):
        check_device()
        self.setup = setup
        self._numbers = 8 if setup.rolling else 4
        self._slots, self._wall_slots = SLOTS, 0
        self.load(state)

    # ---- grains in and out

    @property
    def count(self) -> int:
        return self._count

    def load(self, state: BedState) -> None:
        try:
            self._load(state)
        except Exception as error:
            if "OUT_OF_MEMORY" not in str(error).upper().replace(" ", "_"):
                raise
            free, total = (x / 2**30 for x in cuda.current_context().get_memory_info())
            raise SimulationError(
                f"{len(state.ident)} grains do not fit on the GPU: it has {total:.1f} GiB, of which {free:.1f} are "
                f"free, and a grain takes about {self._bytes():.0f} bytes. Take fewer grains, or device: cpu"
            ) from error

    def _bytes(self) -> float:
        """Memory of one grain [B]."""
        return 2 * (32 + 16 + 32 + 16 + 4 + 4 + 8) + 180 + 2 * self._slots * 4 * (1 + self._numbers)

    def _load(self, state: BedState) -> None:
        n, walls = len(state.ident), self.setup.walls
        if n > ROWS:
            raise UnsupportedError(f"{n} grains are more than a GPU takes here, {ROWS}. Take fewer")
        self._count, bodies = n, len(walls.bin_i)
        self._large, self._launch = n >= LARGE, Launch(n, bodies)
        self.push = np.zeros((bodies, 6))
        copies = min(COPIES, max(1, SUMS // max(1, len(walls.wall_i))))
        self._wall_slots = max(self._wall_slots, n // 4 + 256)
        run_i, run_f = run_numbers(self.setup, n, round(len(self.setup.pair_f) ** 0.5), self._numbers)
        run_i[gr.SLOTS] = self._slots
        mass = state.motion[:, 3]
        run_i[gr.UNIFORM] = n > 0 and np.ptp(state.place[:, 3]) == 0.0 and np.ptp(mass) == 0.0
        run_f[gr.UNIT] = (self.setup.radius + self.setup.skin) * UNIT
        run_f[gr.PER_UNIT] = 1.0 / run_f[gr.UNIT]
        self._run_i = run_i.astype(np.int32)
        self._run_f = run_f = np.append(run_f, run_f[gr.UNIT] / self.setup.skin)
        pair_f = self.setup.pair_f.astype(SINGLE)
        pair_f[:, c.TINY] = TINY
        grid = np.array(state.grid, np.int64)
        if not grid.any():
            grid = grid_of(state.place, 2.0 * self.setup.radius + self.setup.skin)
        place = np.concatenate([state.before, state.place[:, 3:]], axis=1)
        twice = lambda rows, kind: np.concatenate([rows, rows]).astype(kind).ravel()  # noqa: E731
        velocity = state.motion[:, :3]
        low = np.zeros((n, 4))
        low[:, :3] = velocity - velocity.astype(SINGLE)
        flags = np.zeros(flag.N_FLAGS, np.int32)
        table = {"wall_i": walls.wall_i, "wall_f": walls.wall_f, "rim_i": walls.rim_i, "rim_f": walls.rim_f}
        table |= {"bin_i": walls.bin_i, "bin_f": walls.bin_f, "bin_start": walls.bin_start}
        table |= {"bin_wall": walls.bin_wall, "always": walls.always, "extent": walls.extent, "pair_f": pair_f}
        host: dict[str, Any] = {name: _some(value) for name, value in table.items()}
        host |= {
            "run_i": self._run_i,
            "run_f": run_f,
            "place": twice(place, float),
            "motion": twice(state.motion, SINGLE),
            "low": twice(low, SINGLE),
            "ident": np.stack([state.ident, state.ident]).astype(np.int32),
            "pose": state.pose_before.reshape(1, bodies, gr.N_POSE).copy(),
            "pose_before": np.zeros((bodies, gr.N_POSE)),
            "back": np.zeros(12),
            "count": np.zeros(2 * n, np.int32),
            "wall_at": np.zeros((2, 2, n), np.int32),
            "wall_bits": np.zeros(2 * n, np.int64),
            "order": np.arange(n, dtype=np.int32),
            "push": self.push,
            "wall_sum": np.zeros((copies, max(1, len(walls.wall_i)), 6)),
            "grid_i": grid.astype(np.int32),
            "flags": flags,
        }
        empty: dict[str, Any] = {
            "before": (4 * n, float),
            "mark": (4 * n, np.int32),
            "spot": (8 * n, np.int32),
            "load": (8 * n, SINGLE),
            "wall_rows": (n, np.int32),
            "cell": (n, np.int32),
            "rank": (n, np.int32),
            "start": (int(np.prod(grid)) + 1, np.int32),
        }
        arrays = {name: cuda.to_device(value) for name, value in host.items()}
        arrays |= {name: _room(shape, kind) for name, (shape, kind) in empty.items()}
        arrays |= self._lists() | self._wall_lists()
        sums = _room((bodies, 1, 6), float)
        self._g = flag.CudaGrains(**arrays, totals=_room(1, np.int32), sums=sums)
        if n:
            blocks = self._launch.choose(self._g, self._large)
            sums = _room((bodies, blocks, 6), float)
            self._g = self._g._replace(totals=_room(blocks, np.int32), sums=sums)
            self._run(0)
            self._recall(state)
            if state.due:
                self._unfresh()

    def _lists(self) -> dict[str, Any]:
        size = 2 * self._slots * self._count
        return {
            "other": cuda.to_device(np.zeros(size + 8 * self._count, np.int32)),  # any row may be read
            "history": _room(size * self._numbers, SINGLE),
        }

    def _wall_lists(self) -> dict[str, Any]:
        slots = self._wall_slots
        return {
            "wall": cuda.to_device(np.zeros((2, slots), np.int32)),
            "wall_history": cuda.to_device(np.zeros((2, slots, self._numbers), SINGLE)),
            "wall_owner": cuda.to_device(np.zeros(slots, np.int32)),
            "wall_near": _room(4 * slots, float),
            "wall_load": _room(8 * slots, SINGLE),
            "wall_push": cuda.to_device(np.zeros((slots, 6))),
        }

    def _recall(self, state: BedState) -> None:
        """The places of now, and the history of what touches, onto lists that were made of the places before."""
        g, flags, n = self._g, self._flags(), self._count
        now, lists = int(flags[flag.NOW]), int(flags[flag.LISTS])
        names = g.ident.copy_to_host()[lists]
        rows = np.searchsorted(state.ident, names)
        counts = g.count.copy_to_host()
        all_levels = ((1 << flag.LEVELS) - 1) << flag.COUNT_BITS
        g.count.copy_to_device(counts | np.int32(all_levels))  # grains may have moved: all count
        place = g.place.copy_to_host().reshape(2, n, 4)
        place[now] = state.place[rows]
        g.place.copy_to_device(place.ravel())
        spots = np.floor(place * self._run_f[gr.PER_UNIT]).astype(np.int64).astype(np.int32)
        g.spot.copy_to_device(spots.ravel())
        if not (len(state.pairs) or len(state.walls)):
            return
        counts, other, history = self._host_lists(lists)
        k, i = _slot_rows(counts, self._slots)
        pairs = np.stack([names[i], names[other[k, i] & ROWS]], axis=1)
        found = find_pairs(np.sort(pairs, axis=1), state.pairs)
        hit = found >= 0
        sign = np.where(pairs[hit, 0] < pairs[hit, 1], 1.0, -1.0)
        history[k[hit], i[hit]] = sign[:, None] * state.history[found[hit]][:, : self._numbers]
        other[k[hit], i[hit]] = ~other[k[hit], i[hit]]
        size, base = self._slots * n, lists * self._slots * n
        g.other[base : base + size].copy_to_device(np.ascontiguousarray(other).ravel())
        g.history[base * self._numbers : (base + size) * self._numbers].copy_to_device(
            np.ascontiguousarray(history).ravel()
        )
        rows, slots = self._host_walls(lists)
        wall, wall_history = g.wall.copy_to_host(), g.wall_history.copy_to_host()
        found = find_pairs(np.stack([names[rows], wall[lists, slots]], axis=1), state.walls)
        hit = found >= 0
        wall_history[lists, slots[hit]] = state.wall_history[found[hit]][:, : self._numbers]
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
        counts = g.count[lists * n : (lists + 1) * n].copy_to_host() & COUNT
        other = g.other[base : base + size].copy_to_host().reshape(slots, n)
        history = g.history[base * self._numbers : (base + size) * self._numbers].copy_to_host()
        return counts, other, history.reshape(slots, n, self._numbers)

    def _host_walls(self, lists: int) -> tuple[np.ndarray, np.ndarray]:
        """Row of the grain and slot of each listed wall."""
        at = self._g.wall_at.copy_to_host()[lists]
        rows = np.repeat(np.arange(self._count), at[1])
        return rows, np.repeat(at[0] - np.concatenate([[0], np.cumsum(at[1])[:-1]]), at[1]) + np.arange(at[1].sum())

    def look(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        flags, n, g = self._flags(), self._count, self._g
        now, lists = int(flags[flag.NOW]), int(flags[flag.LISTS])
        names = g.ident[lists].copy_to_host().astype(np.int64)
        order = np.argsort(names)
        place = g.place[4 * n * now : 4 * n * (now + 1)].copy_to_host().reshape(n, 4)
        motion = g.motion[8 * n * now : 8 * n * (now + 1)].copy_to_host().reshape(n, 8).astype(float)
        motion[:, :3] += g.low[4 * n * lists : 4 * n * (lists + 1)].copy_to_host().reshape(n, 4)[:, :3]
        return names[order], place[order], motion[order]

    def state(self) -> BedState:
        g, flags = self._g, self._flags()
        lists = int(flags[flag.LISTS])
        names = g.ident[lists].copy_to_host().astype(np.int64)
        ident, place, motion = self.look()
        counts, other, history = self._host_lists(lists)
        k, i = _slot_rows(counts, self._slots)
        touch = other[k, i] < 0
        k, i = k[touch], i[touch]
        pairs = np.stack([names[i], names[~other[k, i] & ROWS]], axis=1)
        first = pairs[:, 0] < pairs[:, 1]
        order = np.lexsort(pairs[first].T[::-1])
        rows, slots = self._host_walls(lists)
        wall, wall_history = g.wall.copy_to_host()[lists], g.wall_history.copy_to_host()[lists]
        held = wall[slots] < 0
        before = g.before.copy_to_host().reshape(-1, 4)[np.argsort(names), :3]
        return BedState(
            ident, place, motion, before, g.pose_before.copy_to_host(), pairs[first][order],
            _wide(history[k, i][first][order]),
            np.stack([names[rows[held]], ~wall[slots[held]]], axis=1).astype(np.int64),
            _wide(wall_history[slots[held]]), g.grid_i.copy_to_host().astype(np.int64),
            np.bool_(flags[flag.FRESH] != 1),
        )  # fmt: skip

    # ---- marching

    def march(self, poses: np.ndarray, step: float) -> Trouble | None:
        if not self._count:
            self.push[:] = 0.0
            return None
        if abs(self._run_f[gr.STEP] - step) > SAME * step:
            self._run_f[gr.STEP] = step
            self._g.run_f.copy_to_device(self._run_f)
        if self._g.pose.shape != poses.shape:
            self._g = self._g._replace(pose=_room(poses.shape, float))
            self._launch.forget()
            self._launch.poses = pinned(poses.shape)
        self._launch.poses[:] = poses
        return self._run(len(poses) - 1)

    def _run(self, steps: int, anew: bool = True) -> Trouble | None:
        """Sub-steps to the end of the table, or lists alone; with more room where it is needed."""
        while True:
            if self._large and steps:
                self._launch.run_steps(self._g, steps, anew)
            else:
                self._launch.run_march(self._g, steps, anew)
            flags, anew = self._launch.flags.copy(), False
            code = int(flags[flag.CODE])
            if code in (gr.LIST_FULL, gr.WALL_FULL):
                self._grow(code, flags)
            elif code != gr.OK:
                return Trouble(code, int(flags[flag.CULPRIT]))
            elif flags[flag.FRESH] == 1 and flags[flag.DONE] >= steps:
                break
            elif flags[flag.DONE] >= steps and steps:
                break  # lists are due, and will be made when the next sub-step comes
            self._launch.run(self._g, "renew")
        if steps:
            self.push = self._launch.push.copy()
        return None

    def _grow(self, code: int, flags: np.ndarray) -> None:
        """More room in lists. Grains are sorted already, and the lists of before stand: they give the history."""
        old, n, lists = self._g, self._count, int(flags[flag.LISTS])
        if code == gr.LIST_FULL:
            before = self._slots
            self._slots = -(-max(int(1.25 * before), int(flags[flag.SLOTS])) // 8) * 8
            new = self._lists()
            _, other, history = self._host_lists(lists, before)
            base, more = lists * self._slots * n, (0, self._slots - before)
            new["other"][base : base + self._slots * n].copy_to_device(np.pad(other, (more, (0, 0))).ravel())
            wide = np.pad(history, (more, (0, 0), (0, 0))).ravel()
            base *= self._numbers
            new["history"][base : base + len(wide)].copy_to_device(wide)
            self._run_i[gr.SLOTS] = self._slots
            old.run_i.copy_to_device(self._run_i)
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
        flags[[flag.CODE, flag.WALL_SLOTS, flag.WALL_GRAINS, flag.SLOTS]] = 0
        self._g.flags.copy_to_device(flags)

    def _flags(self) -> np.ndarray:
        return self._g.flags.copy_to_host()

    def _unfresh(self) -> None:
        """Lists are due."""
        flags = self._flags()
        flags[flag.FRESH] = 0
        self._g.flags.copy_to_device(flags)

    def renew(self) -> None:
        """Make all lists anew, though they may not be due."""
        self._unfresh()
        self._launch.run(self._g, "renew")
        if self._flags()[flag.CODE] != gr.OK:
            self._run(0, anew=False)

    def wall_push(self) -> np.ndarray:
        return self._g.wall_sum.copy_to_host().sum(axis=0)[: len(self.setup.walls.wall_i)]

    @property
    def lists_made(self) -> int:
        return int(self._flags()[flag.REBUILDS])

    def counts(self) -> dict[str, Any]:
        flags, n = self._flags(), self._count
        lists = int(flags[flag.LISTS])
        base = lists * self._slots * n
        other = self._g.other[base : base + self._slots * n].copy_to_host().reshape(self._slots, n)
        used = np.arange(self._slots)[:, None] < self._g.count[lists * n : (lists + 1) * n].copy_to_host() & COUNT
        _, slots = self._host_walls(lists)
        return {
            "rebuilds": self.lists_made,
            "contacts": int(np.count_nonzero((other < 0) & used) // 2),
            "wall_contacts": int((self._g.wall.copy_to_host()[lists, slots] < 0).sum()),
        }


def _room(shape: Any, kind: Any) -> Any:
    """An array on the device, as it comes."""
    return cuda.device_array(shape, kind)


def _some(table: np.ndarray) -> np.ndarray:
    """A table that is not empty."""
    return np.ascontiguousarray(table) if len(table) else np.zeros((1, *table.shape[1:]), table.dtype)


def _slot_rows(counts: np.ndarray, slots: int) -> tuple[np.ndarray, np.ndarray]:
    """Slot and row of all neighbours."""
    slot, row = np.nonzero(np.arange(slots)[:, None] < counts)
    return slot, row


def _wide(history: np.ndarray) -> np.ndarray:
    out = np.zeros((len(history), 8))
    out[:, : history.shape[1]] = history
    return out
