"""HDF5 files opened to be read: only such as the library survives."""

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, cast

import h5py

from gori.errors import FileError, GoriError
from gori.record import trial
from gori.record.damage import warn_of_damage
from gori.record.seal import SEAL, sealed
from gori.record.trial import SIGNATURE, RawFile

__all__ = ["RawFile", "ReadFile", "open_hdf5"]

TRIAL_SECONDS = 20.0


class ReadFile(h5py.File):
    """An HDF5 file to read. `path` names it, `size` is that of the file as it was written [bytes], and `held` what is
    there of it: less if it was cut off.

    It is read through a file of Python's, so that it does not matter who else has it open with which locks.
    """

    def __init__(self, path: str | os.PathLike, raw: RawFile):
        super().__init__(raw, "r", locking=False)
        self.path, self.size, self.held, self._raw = os.fspath(path), raw.size, raw.held, raw

    def number_at(self, place: int) -> int:
        """A number of 32 bits as it is in the file."""
        self._raw.seek(place)
        return int.from_bytes(self._raw.read(4) or b"", "little")

    def close(self) -> None:
        super().close()
        self._raw.close()


def open_hdf5(path: str | os.PathLike) -> Any:
    """The file, also while a run writes on it; a FileError where the library would not survive it."""
    raw = None
    try:
        raw = RawFile(path)
        if raw.read(len(SIGNATURE)) != SIGNATURE:
            raise FileError("cannot be read as HDF5: it does not begin as such a file does", path)
        whole = sealed(cast(BinaryIO, raw), raw.size)
        if not whole:
            status = os.stat(path)
            if not _survives(os.path.abspath(path), status.st_ino, status.st_size, status.st_mtime_ns):
                raise FileError("is damaged: its structure (HDF5) cannot be read", path)
        file = ReadFile(path, raw)
    except BaseException as error:
        if raw is not None:
            raw.close()
        if isinstance(error, FileNotFoundError):
            raise FileError("there is no such file", path) from None
        if isinstance(error, GoriError) or not isinstance(error, Exception):
            raise
        words = (error.strerror if isinstance(error, OSError) else None) or error
        raise FileError(f"cannot be read as HDF5: {words}", path) from None
    if file.held < file.size:
        warn_of_damage(path, f"is cut off: {file.held} of {file.size} bytes are there")
    elif whole is False or (whole is None and _has_seal(file)):
        words = "its structure is not as it was written. It is damaged, or another program has changed it"
        warn_of_damage(path, f"{words}: what is read may be wrong")
    return file


def _has_seal(file: Any) -> bool:
    """Whether a file should have a seal: one that has lost its mark is damaged, too."""
    try:
        return SEAL in file
    except Exception:  # of a damaged file the library may raise anything
        return True


@lru_cache(maxsize=256)
def _survives(path: str, *_: int) -> bool:
    """Whether another process can read the structure of a file; the further numbers tell one file from another."""
    if not sys.executable:
        return True
    command = [sys.executable, "-P", str(Path(trial.__file__)), path]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TRIAL_SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False
    except OSError:  # no process can be started here: as before
        return True
    return done.returncode == 0
