"""Output of commands: plain when piped, coloured and wrapped in a terminal."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.padding import Padding
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


def warn(console: Console, messages: list[str]) -> None:
    """Print warnings, one paragraph each."""
    if messages:
        console.print(Text(count(len(messages), "warning"), "bold yellow"))
    for message in messages:
        console.print(Padding(Text(message, "yellow"), (0, 0, 0, 2), expand=False))


@contextmanager
def shown_warnings() -> Iterator[None]:
    """Print warnings raised inside as they come, without file and line."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: warn(errors(), [str(message)])
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
