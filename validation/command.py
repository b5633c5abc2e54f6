"""The command: solve the cases, print the table and write it to out/validation; exit code 1 if a row fails."""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

from validation import balance, report
from validation.check import Check, attempt

CASES = (
    "a01_pendulum",
    "a02_four_bars",
    "a03_andrews",
    "a04_bricard",
    "quick_return",
    "slider_crank",
    "rank",
    "frame",
    "gears",
    "contact_impacts",
    "contact_friction",
    "contact_rest",
    "residual",
    "energy",
    "vehicle",
    "particles",
    "particles_bulk",
)
"""modules of this folder, each with checks(long) that gives its rows"""


def rows(name: str, long: bool) -> Iterator[Check]:
    """The rows of one case, and of the energy balance of its runs; a case that fails as a whole is one row that
    fails.
    """
    balance.forget()
    yield from attempt(name, "", lambda _: import_module(f"validation.{name}").checks(long))
    yield from balance.checks(name)


def timed(name: str, long: bool, rows: Callable[[str, bool], Iterable[Check]] = rows) -> tuple[list[Check], float]:
    """All rows of a case, and the seconds they took."""
    began = time.perf_counter()
    return list(rows(name, long)), time.perf_counter() - began


def collect(names: Sequence[str], solved: Iterable[tuple[list[Check], float]]) -> list[Check]:
    """The rows of all cases in their order; tells of each case as it is done."""
    checks: list[Check] = []
    for name, (found, seconds) in zip(names, solved, strict=True):
        failed = sum(not check.passed for check in found)
        print(f"{name}: {len(found)} rows, {failed} fail, {seconds:.1f} s", flush=True)
        checks += found
    return checks


def judge(checks: Iterable[Check], folder: Path, command: str) -> int:
    """Show and write the table; the exit code."""
    checks = list(checks)
    report.write(checks, folder, command)
    report.show(checks)
    for check in checks:
        if not check.passed:
            print(f"FAILS: {check.case}, {check.quantity}, {check.solver}: {check.ours}")
    print(f"{report.summary(checks)}; {folder / 'report.md'}")
    return 0 if report.passed(checks) else 1


def main(arguments: Sequence[str] | None = None, rows: Callable[[str, bool], Iterable[Check]] = rows) -> int:
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"default: all of {', '.join(CASES)}")
    parser.add_argument("--long", action="store_true", help="with the rows that take minutes, as a million steps")
    parser.add_argument("--jobs", type=int, default=2, help="cases at the same time; default: 2")
    parser.add_argument("--page", type=Path, help="a page to put the table into, as docs/validation.md")
    parser.add_argument("--out", type=Path, default=Path("out/validation"), help="folder of the report")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.cases if name not in CASES]:
        parser.error(f"unknown case {unknown[0]!r}; there are {', '.join(CASES)}")
    names = given.cases or CASES
    if given.jobs > 1 and len(names) > 1:
        with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
            checks = collect(names, pool.map(partial(timed, long=given.long, rows=rows), names))
    else:
        checks = collect(names, (timed(name, given.long, rows) for name in names))
    command = " ".join(["python -m validation", *given.cases, *(["--long"] if given.long else [])])
    if given.page is not None:
        report.put_into(given.page, checks, command)
    return judge(checks, given.out, command)
