"""Arguments that are text: names, and names of files."""

import os
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from gori.errors import InputError

LONGEST = 255
"""characters of one name in a path"""


def path_of(path: Any) -> Path:
    """The name of a file or folder; anything else, such as the number of an open file, is refused."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"the name of a file must be text or a Path, not {path!r}")
    name = os.fspath(path)
    if not isinstance(name, str) or "\0" in name:
        raise InputError(f"the name of a file must be text without zeros, not {name!r}")
    if max(map(len, name.split(os.sep))) > LONGEST:
        raise InputError(f"{name[:40]!r}... is too long for the name of a file")
    return Path(name)


def file_of(path: Any) -> Path:
    """The name of a file to write; where that is a link, of what it leads to."""
    file = path_of(path)
    if not file.name:
        raise InputError(f"{str(path)!r} is not the name of a file")
    try:
        file = file.resolve() if file.is_symlink() else file
        other = file.exists() and not (file.is_file() or file.is_dir())
    except (OSError, RuntimeError):  # what cannot be looked at, or links in a circle: whoever writes says so
        return file
    if other:
        raise InputError(f"{str(path)!r} is no file, but a device or a pipe, which must not be replaced")
    return file


def names_of(names: Any, what: str) -> list[str]:
    """A list of names."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"{what} must be a list of names, not {names!r}")
    found: list[Any] = []
    try:
        found.extend(names)  # not +=, which an array takes for a sum
    except TypeError:  # an array of no dimensions
        found.append(names)
    if strange := [name for name in found if not isinstance(name, str)]:
        raise InputError(f"{what} must be a list of names, not {strange[0]!r}")
    return found


def is_one_of(name: Any, known: Container[str]) -> bool:
    """Whether a name is known; what is no text is not."""
    return isinstance(name, str) and name in known
