"""Curves over one quantity: a table to read, to plot and to save."""

import os
from collections.abc import Mapping

import numpy as np

from gori.errors import InputError
from gori.spec.expression import closest


class Curves:
    """Columns of equal length by name, each with its unit; the first is what the others are plotted over."""

    def __init__(self, title: str, columns: Mapping[str, tuple[np.ndarray, str]]):
        self.title = title
        self.units = {name: unit for name, (_, unit) in columns.items()}
        self._columns = {name: values for name, (values, _) in columns.items()}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(self._columns[self.names[0]])

    def __getitem__(self, name: str) -> np.ndarray:
        """A column (N,)."""
        if name not in self._columns:
            raise InputError(f"{self.title} has no column {name!r}{closest(name, self.names)}")
        return self._columns[name]

    def label(self, name: str) -> str:
        """A name with its unit."""
        return f"{name} [{self.units[name]}]" if self.units[name] else name

    def at(self, name: str, value: float) -> float:
        """A column at a value of the first, linear between its rows."""
        x = self[self.names[0]]
        order = np.argsort(x)
        if not x[order[0]] <= value <= x[order[-1]]:
            raise InputError(f"{self.names[0]} {value:g} is outside {x[order[0]]:g} to {x[order[-1]]:g}")
        return float(np.interp(value, x[order], self[name][order]))

    def __str__(self) -> str:
        heads = [self.label(name) for name in self.names]
        widths = [max(12, len(head)) for head in heads]
        lines = ["  ".join(head.rjust(width) for head, width in zip(heads, widths))]
        for row in zip(*self._columns.values()):
            lines.append("  ".join(f"{value:{width}.6g}" for value, width in zip(row, widths)))
        return "\n".join([self.title, *lines])

    def save(self, path: str | os.PathLike) -> None:
        """Write all columns as CSV, the names in its first line."""
        rows = np.column_stack(list(self._columns.values()))
        np.savetxt(path, rows, delimiter=",", header=",".join(self.names), comments="", fmt="%.10g")

    def plot(self, path: str | os.PathLike, *names: str) -> None:
        """Draw columns (default: all), each in a plot of its own, over the first."""
        from matplotlib.figure import Figure

        x, wanted = self.names[0], names or self.names[1:]
        across = min(3, len(wanted))
        down = -(-len(wanted) // across)
        figure = Figure(figsize=(4.2 * across, 3.0 * down), layout="constrained")
        for k, name in enumerate(wanted):
            axes = figure.add_subplot(down, across, k + 1)
            axes.plot(self[x], self[name])
            axes.set(xlabel=self.label(x), ylabel=self.label(name))
            axes.grid(alpha=0.3)
        figure.suptitle(self.title)
        figure.savefig(path, dpi=120)
