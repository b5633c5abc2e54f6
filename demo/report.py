"""The report: what was checked, with plots and recordings to play, as one HTML page."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import gori
from demo.page import page
from gori.errors import BrowserError, MissingPackageError
from gori.web.browser import Browser, find_browser
from gori.web.render import Shots

SIZE = (800, 450)
"""of the picture of a recording [pixels]"""
PATIENCE = 15.0
"""time after which recordings get a light picture only, as on a machine that is busy [s]"""
LIMIT_MB = 6.0
"""of one recording"""
PLOTS = {
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25, "axes.titlesize": 11,
    "font.size": 10, "legend.frameon": False, "lines.linewidth": 1.8,
    "axes.prop_cycle": matplotlib.cycler(color=["#2563a8", "#d1495b", "#3a9d72", "#e0a030", "#7b5ea7", "#5b6675"]),
}  # fmt: skip


@dataclass
class Film:
    """A recording to play: NAME.html, its pictures in light and dark, or a plot where no browser could draw them."""

    name: str
    title: str
    at: float
    still: str = ""
    posters: tuple[str, str] | None = None


@dataclass
class Case:
    """One capability: its checks, plots and recordings."""

    title: str
    words: str
    checks: list[tuple[str, str, bool | None]] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    films: list[Film] = field(default_factory=list)
    seconds: float = 0.0

    def check(self, what: str, value: float, bound: float, unit: str = "") -> None:
        """A figure that must stay below its bound."""
        self.checks.append((what, f"{value:.3g}{unit} (must be below {bound:.3g})", bool(value < bound)))

    def check_above(self, what: str, value: float, bound: float, unit: str = "") -> None:
        """A figure that must reach its bound."""
        self.checks.append((what, f"{value:.3g}{unit} (must be above {bound:.3g})", bool(value > bound)))

    def note(self, what: str, value: str) -> None:
        """A figure without a bound."""
        self.checks.append((what, value, None))

    @property
    def passed(self) -> bool:
        return all(ok is not False for _, _, ok in self.checks)


class Report:
    """Collects cases and writes the page."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.chapters: list[tuple[str, list[Case]]] = []
        folder.mkdir(parents=True, exist_ok=True)
        plt.rcParams.update(PLOTS)

    @property
    def cases(self) -> list[Case]:
        return [case for _, cases in self.chapters for case in cases]

    def chapter(self, title: str) -> None:
        """Cases from now on belong to it."""
        self.chapters.append((title, []))

    def run(self, make: Callable[[Case, "Report"], None]) -> None:
        """Run one case: a function of a new Case; its docstring is title and words."""
        title, _, words = (make.__doc__ or "").strip().partition("\n")
        case = Case(title.strip(". "), " ".join(words.split()))
        start = time.perf_counter()
        make(case, self)
        case.seconds = time.perf_counter() - start
        self.chapters[-1][1].append(case)
        print(f"{'ok  ' if case.passed else 'FAIL'} {case.title} ({case.seconds:.1f} s)", flush=True)
        for what, value, ok in case.checks:
            print(f"     {'FAIL ' if ok is False else ''}{what}: {value}")

    def picture(self, case: Case, name: str, figure: Any) -> None:
        """Add a plot; its ground is clear, so that it suits light and dark pages."""
        self._save(name, figure, transparent=True)
        case.pictures.append((name, "plot"))

    def drawn(self, case: Case, name: str) -> None:
        """Add a picture that is in the folder already."""
        case.pictures.append((name, "drawn"))

    def film(self, case: Case, name: str, recording: gori.Recording, still: Any, at: float, **options: Any) -> None:
        """Add a recording in the viewer.

        still     figure, or name of a picture, to be shown where no browser is found
        at        time of the pictures that stand in its place until it is played [s]
        options   of `gori.to_html`
        """
        if not isinstance(still, str):
            still = self._save(f"{name}_still.png", still)
        try:
            gori.to_html(recording, self.folder / f"{name}.html", LIMIT_MB, title=case.title, **options)
        except MissingPackageError as error:
            case.note("recording to play", f"left out: {error}")
            self.drawn(case, still)
            return
        case.films.append(Film(name, case.title, at, still))

    def _save(self, name: str, figure: Any, transparent: bool = False) -> str:
        figure.savefig(self.folder / name, dpi=144, bbox_inches="tight", transparent=transparent)
        plt.close(figure)
        return name

    def _posters(self) -> None:
        """Pictures of all recordings, by one browser; where there is none, or it fails, plots stay in their place."""
        films = [film for case in self.cases for film in case.films]
        try:
            find_browser()
        except MissingPackageError as error:
            print(f"pictures of the viewer are plots: {error}")
            return
        start = time.perf_counter()
        try:
            with Browser(*SIZE) as browser:
                for film in films:
                    dark = time.perf_counter() - start < PATIENCE
                    film.posters = self._poster(browser, film, dark)
        except BrowserError as error:
            print(f"pictures of the viewer are plots: {error}")
        print(f"pictures of {len(films)} recordings ({time.perf_counter() - start:.1f} s)")

    def _poster(self, browser: Browser, film: Film, dark: bool) -> tuple[str, str]:
        """Names of the pictures for light and dark pages; where time runs out, both the same."""
        light, other = f"{film.name}_light.png", f"{film.name}_dark.png"
        bare = self.folder / "bare.html"  # without panels
        text = (self.folder / f"{film.name}.html").read_text(encoding="utf-8")
        bare.write_text(text.replace('"options": {', '"options": {"bare": true, ', 1), encoding="utf-8")
        for name, scheme in ((light, False), (other, True)):
            if scheme and not dark:
                return light, light
            browser.prefer(scheme)
            (self.folder / name).write_bytes(Shots(browser, bare, None).at(film.at))
        bare.unlink()
        return light, other

    def write(self, machine: str, start: float) -> Path:
        """Draw what is left to draw, and write the page; start: of the clock `time.perf_counter`."""
        self._posters()
        heading = f"{machine}; {time.perf_counter() - start:.0f} s in all"
        path = self.folder / "report.html"
        path.write_text(page(self.chapters, heading), encoding="utf-8")
        return path
