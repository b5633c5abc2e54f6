"""How things are measured here: rivals take turns, the best of many short runs counts."""

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Mapping
from datetime import date

from rich.console import Console
from rich.table import Table

console = Console(width=110)


def race(runs: dict[str, Callable[[], object]], seconds: float = 0.6, rounds: int = 9) -> dict[str, float]:
    """Seconds per call of each rival: the best of `rounds` rounds, in which all take turns.

    A noisy neighbour slows a round of everyone, so the ratio of two of these numbers is steadier than either.
    """
    loops = {}
    for name, run in runs.items():
        run()
        start = time.perf_counter()
        run()
        once = max(time.perf_counter() - start, 1e-7)
        loops[name] = max(1, int(seconds / rounds / once / len(runs)))
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            for _ in range(loops[name]):
                run()
            best[name] = min(best[name], (time.perf_counter() - start) / loops[name])
    return best


def turns(runs: dict[str, Callable[[], float]], seconds: float = 1.0, rounds: int = 5) -> dict[str, float]:
    """As `race`, for runs that build something first and return the seconds of what counts."""
    best = {name: run() for name, run in runs.items()}
    for _ in range(rounds):
        for name, run in runs.items():
            for _ in range(max(1, min(20, int(seconds / rounds / len(runs) / best[name])))):
                best[name] = min(best[name], run())
    return best


def machine() -> str:
    """The machine in words, for the table."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as info:
            model = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {date.today()}"


def commit() -> str:
    """The commit that is measured; with a + if files were changed since. GORI_COMMIT tells it where there is no git."""
    if told := os.environ.get("GORI_COMMIT"):
        return told
    git = ["git", "-C", os.path.dirname(__file__), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def show(title: str, columns: list[str], rows: list[list]) -> None:
    """Print a table; numbers with three digits."""
    table = Table(title=title, title_justify="left")
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k == 0 else "right")
    for row in rows:
        table.add_row(*(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row))
    console.print(table)


def finish(figures: Mapping[str, float | None]) -> None:
    """The last line: all figures as one JSON object; None, for what could not be measured, is null."""
    print(json.dumps({name: value if value is None else float(f"{value:.4g}") for name, value in figures.items()}))
