"""Files that are there whole or not at all: written aside, then put in place at once."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gori.errors import FileError, RecordError


@contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[Path]:
    """Where to write what shall become `path`; with the same suffix. A disk that is full raises RecordError."""
    path = Path(path)
    part = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_whole(path: str | os.PathLike, text: str) -> None:
    """Write a text file; what was there before stays if that fails."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a device, which nothing can replace
            Path(path).write_text(text, encoding="utf-8")
            return
        with whole_file(os.path.realpath(path)) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        cause = error.__cause__ if isinstance(error, RecordError) else error
        raise FileError(f"cannot be written: {getattr(cause, 'strerror', None) or cause}", path) from None
