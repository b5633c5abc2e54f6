"""Output of commands: plain when piped, coloured and wrapped in a terminal."""

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

WIDE = 500
"""columns of a pipe: nothing is wrapped there, so that grep finds whole lines"""


def output() -> Console:
    return _console(sys.stdout.isatty(), stderr=False)


def errors() -> Console:
    return _console(sys.stderr.isatty(), stderr=True)


def _console(terminal: bool, stderr: bool) -> Console:
    # markup and emoji off: names and messages may hold [brackets] and :colons:
    width = None if terminal or "COLUMNS" in os.environ else WIDE
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def complain(message: str) -> None:
    """Print an error on stderr."""
    console = errors()
    console.print(Text(f"error: {message}", "red"), soft_wrap=not console.is_terminal)


def warn(messages: Iterable[str]) -> None:
    """Print warnings on stderr, one sentence each."""
    console = errors()
    for message in messages:
        console.print(Text(f"warning: {message}", "yellow"), soft_wrap=not console.is_terminal)


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Print warnings raised inside as they come, each once, without the line of Python that they come from."""
    told: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in told:
            told.add(str(message))
            warn([str(message)])

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


@contextmanager
def collected_warnings(file: object) -> Iterator[list[str]]:
    """Messages of warnings raised inside, each once, without the leading file name."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield messages
    messages.extend(dict.fromkeys(str(warning.message).removeprefix(f"{file}, ") for warning in caught))


def count(number: int, noun: str) -> str:
    """`1 body`, `2 bodies`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def file_size(size: int) -> str:
    for factor, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
