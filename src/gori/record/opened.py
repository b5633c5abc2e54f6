"""HDF5 files opened to be read: only such as the library survives."""

import io
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
from gori.record.seal import sealed

SIGNATURE = b"\x89HDF\r\n\x1a\n"
TRIAL_SECONDS = 20.0
PREAD = "pread" in dir(os)
"""not on Windows"""


class RawFile(io.RawIOBase):
    """Bytes of a file by their place: what is open here stays as it is when another file takes its name, and processes
    that share it by a fork do not move each other's place.
    """

    def __init__(self, path: str | os.PathLike):
        super().__init__()
        self._file, self._at = open(path, "rb", buffering=0), 0  # noqa: SIM115 (closed by close)
        self.size = os.fstat(self._file.fileno()).st_size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = os.pread(self._file.fileno(), len(view), self._at) if PREAD else self._sought(len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _sought(self, count: int) -> bytes:
        self._file.seek(self._at)
        return self._file.read(count) or b""

    def close(self) -> None:
        self._file.close()
        super().close()


class ReadFile(h5py.File):
    """An HDF5 file to read. `path` names it, `size` is that of the file [bytes].

    It is read through a file of Python's, so that it does not matter who else has it open with which locks.
    """

    def __init__(self, path: str | os.PathLike, raw: RawFile):
        super().__init__(raw, "r", locking=False)
        self.path, self.size, self._raw = os.fspath(path), raw.size, raw

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
    if whole is False:
        words = "its structure is not as it was written. It is damaged, or another program has changed it"
        warn_of_damage(path, f"{words}: what is read may be wrong")
    return file


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
