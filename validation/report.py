"""The one table of all checks: on the terminal, as Markdown, and as JSON with all values."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.timing import machine
from validation.check import Check, Source

COLUMNS = ("case", "quantity", "solver", "source", "reference", "ours", "error", "bound", "pass")


def passed(checks: Sequence[Check]) -> bool:
    """Whether all pass; a report without checks does not."""
    return bool(checks) and all(check.passed for check in checks)


def summary(checks: Sequence[Check]) -> str:
    failed = sum(not check.passed for check in checks)
    return f"{len(checks)} checks, all pass" if not failed else f"{len(checks)} checks, {failed} fail"


def sources(checks: Sequence[Check]) -> str:
    """How many references come from where: "30 published, 12 exact"."""
    counts = Counter(check.source for check in checks)
    return ", ".join(f"{counts[source]} {source}" for source in get_args(Source) if counts[source])


def cells(check: Check) -> list[str]:
    """One row as text; reference and ours with two digits more than agree."""
    digits = 3
    if check.reference and isinstance(check.ours, float) and math.isfinite(check.error):
        share = check.error / max(abs(check.reference), abs(check.ours))
        digits = 14 if share < 1e-12 else max(4, 2 - math.floor(math.log10(share)))
    values = [_number(value, digits) for value in (check.reference, check.ours)]
    verdict = "yes" if check.passed else "NO"
    return [
        check.case,
        check.quantity,
        check.solver,
        check.source,
        *values,
        f"{check.error:.1e}",
        f"{check.bound:g}",
        verdict,
    ]


def _number(value: float | str, digits: int) -> str:
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def show(checks: Sequence[Check], width: int = 180) -> None:
    """Print the table."""
    table = Table(title=f"{summary(checks)}. {machine()}", title_justify="left")
    for column in COLUMNS:
        table.add_column(column, justify="right" if column in COLUMNS[4:8] else "left", overflow="fold")
    for check in checks:
        table.add_row(*map(escape, cells(check)), style=None if check.passed else "bold red")
    Console(width=width).print(table)


def markdown(checks: Sequence[Check], command: str) -> str:
    """The table as a page."""
    lines = [f"`{command}`: {summary(checks)}. References: {sources(checks)}.", "", f"{machine()}.", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|---|---|---|---|--:|--:|--:|--:|---|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(check)) + " |" for check in checks]
    return "\n".join(lines) + "\n"


def as_json(checks: Sequence[Check], command: str) -> str:
    """Everything, for programs; what is not a finite number is written as text."""
    rows = [
        {
            "case": check.case,
            "quantity": check.quantity,
            "solver": check.solver,
            "source": check.source,
            "reference": check.reference,
            "ours": check.ours,
            "error": check.error if math.isfinite(check.error) else str(check.error),
            "bound": check.bound,
            "pass": check.passed,
            "values": {name: list(pair) for name, pair in check.values.items()},
        }
        for check in checks
    ]
    whole = {"command": command, "machine": machine(), "pass": passed(checks), "checks": rows}
    return json.dumps(whole, indent=1) + "\n"


def put_into(page: Path, checks: Sequence[Check], command: str) -> None:
    """Replace all that follows the headline `## The table` of a page by the table."""
    text, mark = page.read_text(), "## The table\n"
    if mark not in text:
        raise ValueError(f"{page} has no line {mark.strip()!r}")
    page.write_text(text[: text.index(mark) + len(mark)] + "\n" + markdown(checks, command))


def write(checks: Sequence[Check], folder: Path, command: str) -> None:
    """report.md and report.json in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(markdown(checks, command))
    (folder / "report.json").write_text(as_json(checks, command))
