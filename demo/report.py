"""The report: what was checked, with pictures, as one HTML page."""

import html
import time
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@dataclass
class Case:
    """One capability: its checks and pictures."""

    title: str
    words: str
    checks: list[tuple[str, str, bool]] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def check(self, what: str, value: float, bound: float, unit: str = "") -> None:
        """A figure that must stay below its bound."""
        self.checks.append((what, f"{value:.3g}{unit} (must be below {bound:.3g})", bool(value < bound)))

    def note(self, what: str, value: str) -> None:
        """A figure without a bound."""
        self.checks.append((what, value, True))

    @property
    def passed(self) -> bool:
        return all(ok for _, _, ok in self.checks)


class Report:
    """Collects cases and writes the page."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.cases: list[Case] = []
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, make) -> None:
        """Run one case: a function of a new Case; its docstring is title and words."""
        title, _, words = make.__doc__.strip().partition("\n")
        case = Case(title.strip(". "), " ".join(words.split()))
        start = time.perf_counter()
        make(case, self)
        case.seconds = time.perf_counter() - start
        self.cases.append(case)
        print(f"{'ok  ' if case.passed else 'FAIL'} {case.title} ({case.seconds:.1f} s)")
        for what, value, ok in case.checks:
            print(f"     {'' if ok else 'FAIL '}{what}: {value}")

    def picture(self, case: Case, name: str, figure) -> None:
        figure.savefig(self.folder / name, dpi=110, bbox_inches="tight")
        plt.close(figure)
        case.pictures.append(name)

    def write(self, heading: str) -> Path:
        parts = [
            "<!doctype html><meta charset=utf-8><title>Gori demo</title><style>body{font:16px/1.5 sans-serif;max-width:"
            "60em;margin:2em auto}table{border-collapse:collapse}td{padding:.1em 1em .1em 0}img{max-width:"
            "100%}.bad{color:#b00}</style><h1>Gori demo</h1>",
            f"<p>{html.escape(heading)}</p>",
        ]
        for case in self.cases:
            parts.append(f"<h2>{html.escape(case.title)}</h2><p>{html.escape(case.words)}</p><table>")
            for what, value, ok in case.checks:
                style = "" if ok else " class=bad"
                parts.append(f"<tr{style}><td>{html.escape(what)}<td>{html.escape(value)}")
            parts.append("</table>" + "".join(f'<p><img src="{name}">' for name in case.pictures))
        path = self.folder / "report.html"
        path.write_text("\n".join(parts), encoding="utf-8")
        return path
