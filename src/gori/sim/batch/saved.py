"""Files of batches: all that the machines keep, from which they go on bit for bit."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from gori.door import checked
from gori.errors import FileError
from gori.text.arguments import file_of, path_of

FORMAT = 1
"""version of the files"""
LARGEST = 1 << 42
"""bytes of a file"""


def save_kept(path: str | Path, tag: str, kept: Mapping[str, np.ndarray]) -> None:
    """Write a file, which replaces one that is there when it is complete; tag: of which batch it is."""
    file = file_of(path)
    part = file.with_name(file.name + ".part")
    try:
        with open(part, "wb") as out:
            np.savez(out, format=np.array(FORMAT), tag=np.array(tag), **kept)  # type: ignore[arg-type]
        os.replace(part, file)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise FileError(f"cannot be written: {error.strerror or error}", file) from error


def load_kept(path: str | Path, tag: str) -> dict[str, np.ndarray]:
    """The arrays in a file of a batch of this tag."""
    file = checked(path_of(path), LARGEST)
    try:
        with np.load(file, allow_pickle=False) as archive:
            kept = dict(archive)
        version, found = kept.pop("format").item(), kept.pop("tag").item()
    except Exception as error:  # torn archives fail in many ways
        raise FileError("holds no batch of Gori, or is damaged", file) from error
    if version != FORMAT or found != tag:
        raise FileError("is of another batch: Model, method, device, number of machines or parameters differ", file)
    return kept
