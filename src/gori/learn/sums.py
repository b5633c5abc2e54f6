"""Sums over episodes: what a training run plots."""

from collections.abc import Iterable
from typing import Any

from gori.learn.arrays import Arrays


class Sums:
    """Return of each episode so far, and the sum of each term of the reward."""

    def __init__(self, arrays: Arrays, rewards: Iterable[str]):
        self._arrays = arrays
        self.total = arrays.zeros()
        self.parts = {name: arrays.zeros() for name in rewards}

    def add(self, parts: dict[str, Any], total: Any) -> None:
        """Rewards of a step."""
        self.total = self.total + total
        for name, part in parts.items():
            self.parts[name] = self.parts[name] + part

    def begin(self, mask: Any) -> None:
        """Episodes of some machines."""
        self.total = self._arrays.xp.where(mask, 0.0, self.total)
        self.parts = {name: self._arrays.xp.where(mask, 0.0, part) for name, part in self.parts.items()}

    def info(self, steps: Any, done: Any) -> dict[str, Any]:
        """As Gymnasium has infos: arrays by name, and a mask for each that says where they count."""
        rewards = self.parts | {f"_{name}": done for name in self.parts}
        return {"return": self.total, "_return": done, "length": steps, "_length": done, "rewards": rewards,
                "_rewards": done}  # fmt: skip
