"""What a manoeuvre tells: figures with units, curves to look at, and the Recording that all of it comes from."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.record import Recording
from gori.spec.expression import closest


class Figure(NamedTuple):
    """One number of a result."""

    name: str
    value: float
    unit: str

    def text(self) -> str:
        """The value as people read it."""
        if self.unit == "yes/no":
            return "yes" if self.value else "no"
        return "none" if np.isnan(self.value) else f"{self.value:.4g}"


class PlotLine(NamedTuple):
    """A curve of a panel; style as Matplotlib has it."""

    label: str
    x: Any
    y: Any
    style: str = "-"


def track(label: str, places: Any, style: str = "-") -> PlotLine:
    """The PlotLine through places (n, 2)."""
    return PlotLine(label, places[:, 0], places[:, 1], style)


class Panel(NamedTuple):
    """One diagram."""

    title: str
    x: str
    y: str
    lines: list[PlotLine]
    equal: bool = False
    """whether both axes have one scale"""


@dataclass(frozen=True)
class Result:
    """Of one manoeuvre: `result["distance"]`, `print(result)`, `result.plot("bump.png")`, `result.report("out")`."""

    name: str
    about: str
    """what was driven, in a line"""
    figures: tuple[Figure, ...]
    recording: Recording
    panels: tuple[Panel, ...] = ()
    notes: tuple[str, ...] = ()
    """what to know when the figures are read"""
    curves: dict[str, np.ndarray] = field(default_factory=dict)
    """arrays that the figures come from, by name"""

    def __getitem__(self, name: str) -> float:
        """The value of a figure by its name."""
        for figure in self.figures:
            if figure.name == name:
                return figure.value
        names = [figure.name for figure in self.figures]
        raise InputError(f"{self.name} has no result {name!r}{closest(name, names)}; there are {', '.join(names)}")

    def __str__(self) -> str:
        wide = max(len(figure.name) for figure in self.figures)
        lines = [f"{figure.name:<{wide}}  {figure.text():>10} {_unit(figure)}" for figure in self.figures]
        return "\n".join([self.about, *lines, *self.notes])

    def plot(self, path: str | os.PathLike | None = None) -> Any:
        """All panels as one picture; saved to `path`."""
        import matplotlib.pyplot as plt

        columns = 1 if len(self.panels) < 2 else 2
        rows = -(-len(self.panels) // columns)
        figure, axes = plt.subplots(
            rows, columns, figsize=(5.5 * columns, 3.2 * rows), layout="constrained", squeeze=False
        )
        for axis, panel in zip(axes.flat, self.panels):
            for line in panel.lines:
                axis.plot(line.x, line.y, line.style, label=line.label, linewidth=1.0, markersize=3.0)
            axis.set(title=panel.title, xlabel=panel.x, ylabel=panel.y)
            axis.grid(alpha=0.3)
            if panel.equal:
                axis.set_aspect("equal", adjustable="datalim")
            if any(line.label for line in panel.lines):
                axis.legend(fontsize="small")
        for axis in axes.flat[len(self.panels) :]:
            axis.set_axis_off()
        figure.suptitle(self.about, fontsize="medium")
        if path is not None:
            try:
                figure.savefig(path, dpi=130)
            except (OSError, ValueError) as error:
                raise InputError(f"{path} cannot be plotted: {error}") from None
            plt.close(figure)
        return figure

    def report(self, folder: str | os.PathLike, picture: bool = True) -> Path:
        """Write NAME.md with the figures, NAME.png, and NAME.h5, the recording; returns the path of the first."""
        folder = Path(folder)
        page = folder / f"{self.name}.md"
        lines = [f"# {self.name.replace('_', ' ')}", "", self.about, "", "| result | value | unit |", "|---|---:|---|"]
        lines += [f"| {figure.name} | {figure.text()} | {_unit(figure)} |" for figure in self.figures]
        lines += [""] * bool(self.notes) + [f"- {note}" for note in self.notes]
        if picture and self.panels:
            lines += ["", f"![{self.name}]({self.name}.png)"]
        method, loops = self.recording.info.get("method", {}), self.recording.info.get("loops", {})
        how = f"{method.get('type')}, step {method.get('step', 0.0):g} s, loops by {loops.get('type', 'the method')}"
        lines += ["", f"{self.recording.time[-1]:.4g} s simulated: {how}. The recording is in {self.name}.h5."]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{page} cannot be written: {error.strerror}") from None
        self.recording.save(folder / f"{self.name}.h5")
        if picture and self.panels:
            self.plot(folder / f"{self.name}.png")
        return page


def _unit(figure: Figure) -> str:
    return "" if figure.unit == "yes/no" else figure.unit
