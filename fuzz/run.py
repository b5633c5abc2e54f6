"""Many mutants on several processes, and a table of what came of them."""

from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fuzz.tries import SHARES
from soak.watched import tries

SECONDS = 20.0
"""wall time after which a file counts as a hang; one that takes more than a second of the processor is told as slow"""
OFFENCES = ("foreign", "hangs", "slow", "crashes", "memory", "not finite", "message")


class Found(NamedTuple):
    """counts: by format, of all verdicts and of `parsed`. problems: what must not be, in words."""

    counts: dict[str, Counter[str]]
    problems: list[str]

    def total(self) -> Counter[str]:
        return sum(self.counts.values(), Counter())

    def figures(self) -> dict[str, int]:
        """For a benchmark."""
        total = self.total()
        return {
            "mutants": total["tried"],
            "mutants_past_parser": total["parsed"],
            "foreign_exceptions": total["foreign"],
            "hangs": total["hangs"] + total["slow"],
            "mutant_crashes": total["crashes"] + total["memory"],
            "not_finite": total["not finite"],
        }


def run(count: int, seed: int, workers: int = 2, tell: Callable[[str], object] = lambda problem: None) -> Found:
    """Make and read so many mutants. The same seed and number make the same mutant, in any process.

    tell   is called with each problem at once
    """
    found = Found(defaultdict(Counter), [])
    bounds = np.linspace(0, count, workers + 1).astype(int)
    with ThreadPoolExecutor(workers) as pool:
        for made in [pool.submit(_part, seed, int(a), int(b), found, tell) for a, b in pairwise(bounds)]:
            made.result()
    return found


def _part(seed: int, first: int, end: int, found: Found, tell: Callable[[str], object]) -> None:
    for told in tries(["-m", "fuzz.tries", str(seed)], first, end, SECONDS):
        counts = found.counts[told["format"]]
        counts["tried"] += 1
        counts[told["what"]] += 1
        counts["parsed"] += told.get("parsed", True)
        if told["what"] in OFFENCES:
            words = f"{told['k']} {told['file']}, {told['told'][:100]}: {told['what']}, {told['words']}"
            found.problems.append(words)
            tell(words)


COLUMNS = ("tried", "past the parser", "refused by the parser", "refused by Gori", "loaded", *OFFENCES)


def rows(found: Found) -> list[list[Any]]:
    """One for each format, and their sum."""
    made = []
    for name, c in [(name, found.counts[name]) for name in SHARES if name in found.counts] + [("all", found.total())]:
        before = c["tried"] - c["parsed"]
        made.append(
            [name, c["tried"], c["parsed"], before, c["refused"] - before, c["loaded"], *(c[x] for x in OFFENCES)]
        )
    return made
