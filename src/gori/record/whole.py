"""Files that are there whole or not at all: written aside, then put in place at once."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gori.errors import RecordError


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
