"""Random numbers of many machines, each with a stream of its own: what a machine draws depends on its seed, on how
often it was reset, on the step of its episode and on the name of what is drawn, and on nothing else: not on how many
machines there are, nor on the device.

Philox4x32-10, a function of a counter and a key (Salmon et al. 2011, section 3.3): no state is kept. Words of 32 bits
are computed in int64, which every array package has; products wrap around, and their low 64 bits are right.
"""

from typing import Any
from zlib import crc32

import numpy as np

from gori.learn.arrays import Arrays

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
"""what the key grows by from round to round"""
LOW = 0xFFFFFFFF
"""mask of the low 32 bits"""


def philox(counter: tuple[Any, Any, Any, Any], key: tuple[Any, Any]) -> tuple[Any, Any, Any, Any]:
    """Four random words of 32 bits from four words of a counter and two of a key; int64 arrays that broadcast."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        p0, p1 = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (p1 >> 32 & LOW) ^ c1 ^ k0, p1 & LOW, (p0 >> 32 & LOW) ^ c3 ^ k1, p0 & LOW
        k0, k1 = (k0 + WEYL[0]) & LOW, (k1 + WEYL[1]) & LOW
    return c0, c1, c2, c3


class Streams:
    """The random numbers of an environment.

    seeds      of the machines (machines,)
    episodes   how often each was reset with this seed, less one (machines,)
    steps      of its episode (machines,)
    """

    def __init__(self, arrays: Arrays):
        self._arrays = arrays
        self.seeds = arrays.zeros(dtype="int64")
        self.episodes = arrays.zeros(dtype="int64")
        self.steps = arrays.zeros(dtype="int64")
        self._columns: dict[int, Any] = {}  # counters of blocks, which need not go to the device again

    def seed(self, seeds: Any, mask: Any) -> None:
        """Other seeds (machines,) for some machines; their next reset is their first."""
        xp, seeds = self._arrays.xp, self._arrays.of(seeds, "int64")
        self.seeds = xp.where(mask, seeds, self.seeds)
        self.episodes = xp.where(mask, -1, self.episodes)

    def begin(self, mask: Any) -> None:
        """The next episode of some machines."""
        self.episodes = self.episodes + mask
        self.steps = self.steps * ~mask

    def advance(self) -> None:
        """One step of all machines."""
        self.steps = self.steps + 1

    def uniform(self, name: str, size: int, mask: Any = None) -> Any:
        """Numbers from 0 to 1 (machines, size), the same whenever they are asked for by this name in this step.

        mask   machines that need them: others may get zeros, which saves time on a CPU
        """
        if mask is None or self._arrays.on_gpu:
            return self._drawn(name, size, self.seeds, self.episodes, self.steps)
        found = self._arrays.zeros(size)
        found[mask] = self._drawn(name, size, self.seeds[mask], self.episodes[mask], self.steps[mask])
        return found

    def _drawn(self, name: str, size: int, seeds: Any, episodes: Any, steps: Any) -> Any:
        arrays, blocks = self._arrays, -(-size // 2)
        if blocks not in self._columns:
            self._columns[blocks] = arrays.of(np.arange(blocks), "int64")[None, :]
        column = self._columns[blocks]
        seeds = seeds[:, None] + 0 * column
        counter = episodes[:, None] & LOW, steps[:, None] & LOW, column, crc32(name.encode()) + 0 * seeds
        a, b, c, d = philox(counter, (seeds & LOW, seeds >> 32 & LOW))
        high = arrays.xp.stack((a, c), axis=2).reshape(-1, 2 * blocks)[:, :size] >> 5
        low = arrays.xp.stack((b, d), axis=2).reshape(-1, 2 * blocks)[:, :size] >> 6
        return (arrays.cast(high, "float64") * 2.0**26 + arrays.cast(low, "float64")) * 2.0**-53

    def between(self, name: str, low: Any, high: Any, mask: Any = None) -> Any:
        """Numbers between low and high, arrays of one shape (size,)."""
        low, high = self._arrays.of(low), self._arrays.of(high)
        return low + (high - low) * self.uniform(name, len(low), mask)

    def choice(self, name: str, count: int, mask: Any = None) -> Any:
        """One of so many, by number (machines,)."""
        return self._arrays.cast(self.uniform(name, 1, mask)[:, 0] * count, "int64")


def seeds_of(seed: Any, count: int) -> np.ndarray:
    """Seeds of the machines: seed + k for machine k, or those of a list."""
    if isinstance(seed, (int, np.integer)):
        return int(seed) % (1 << 62) + np.arange(count, dtype=np.int64)
    return np.array([int(one) % (1 << 62) for one in seed], np.int64)
