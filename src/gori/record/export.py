"""Recordings as tables, CSV files and plots."""

import csv
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gori.errors import FileError, InputError
from gori.text.arguments import names_of, path_of

if TYPE_CHECKING:
    from gori.record.recording import Recording

_WORDS = {
    "m": "length",
    "rad": "angle",
    "m/s": "velocity",
    "rad/s": "angular velocity",
    "J": "energy",
    "kg m/s": "momentum",
    "kg m2/s": "angular momentum",
    "N": "force",
    "N m": "moment",
    "W": "power",
}
_LEGEND_ROWS = 12
_ROWS = 1 << 14


def table(rec: "Recording", names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Channels as columns (N,)."""
    return {label: column for name in names for label, column in _columns(rec, name)}


def _columns(rec: "Recording", name: str) -> list[tuple[str, np.ndarray]]:
    value = rec[name]
    return [(".".join([name, *map(str, at)]), value[(slice(None), *at)]) for at in np.ndindex(value.shape[1:])]


def write_csv(rec: "Recording", path: str | os.PathLike, names: tuple[str, ...]) -> None:
    """Time and channels, one sample in a line; names in the first."""
    columns = table(rec, tuple(dict.fromkeys(("time", *names_of(names or ("q", "v", "z"), "channels")))))
    path = path_of(path)
    try:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            # Python's numbers print the shortest text that reads back to the same number; they are large
            for first in range(0, len(rec), _ROWS):
                writer.writerows(zip(*(column[first : first + _ROWS].tolist() for column in columns.values())))
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror}", path) from None


def plot(rec: "Recording", names: tuple[str, ...], path: str | os.PathLike | None) -> Any:
    """Channels over time: one axes for each unit."""
    import matplotlib.pyplot as plt

    if not names:
        raise InputError('name the channels to plot, such as rec.plot("energy.total"); rec.channels() lists all')
    groups: dict[str, list[tuple[str, np.ndarray]]] = {}
    for name in names:
        for unit, column in zip(rec.units(name), _columns(rec, name)):
            groups.setdefault(unit, []).append(column)
    if not groups:
        raise InputError(f"nothing to plot: {', '.join(names)} has no columns")

    figure, rows = plt.subplots(
        len(groups), 1, sharex=True, squeeze=False, figsize=(8.0, 1.0 + 2.6 * len(groups)), layout="constrained"
    )
    for axes, (unit, columns) in zip(rows[:, 0], groups.items()):
        for label, column in columns:
            axes.plot(rec.time, column, label=label, linewidth=1.2)
        axes.set_ylabel(f"{_WORDS.get(unit, '')} [{unit or '-'}]".strip())
        axes.grid(alpha=0.3)
        axes.legend(loc="best", fontsize="small", ncols=1 + (len(columns) - 1) // _LEGEND_ROWS)
    rows[-1, 0].set_xlabel("time [s]")
    if path is not None:
        try:
            figure.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            raise FileError(f"cannot be written: {error}", path) from None
        finally:
            plt.close(figure)
    return figure
