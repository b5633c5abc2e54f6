"""Reads the structure of an HDF5 file, and a little of each dataset: a program, since a damaged file may end it.

python trial.py FILE   ends with 0, also where the library says what is wrong; not if it crashes or takes all memory
"""

import io
import os
import sys
from typing import Any

SIGNATURE = b"\x89HDF\r\n\x1a\n"
END_OF_FILE = 40
"""where a superblock of version 0 says how long the file is (HDF5 File Format Specification 3.0, II.A)"""
LONGEST = 100
"""times what is there: a file that says to be longer was not cut off, but changed"""
PREAD = "pread" in dir(os)
"""not on Windows"""
MEMORY = 1 << 30
"""most that it may take [bytes]"""
SECONDS, PER_SECOND = 3, 1 << 23
"""of the processor that it may take, more for larger files [s, bytes/s]: a damaged one can keep the
library busy for ever
"""


class RawFile(io.RawIOBase):
    """Bytes of a file by their place: what is open here stays as it is when another file takes its name, and processes
    that share it by a fork do not move each other's place.

    A file that was cut off has its full length, with zeros at the end: the library reads no other.

    size   as it was written [bytes]
    held   what is there of it [bytes]
    """

    def __init__(self, path: str | os.PathLike):
        super().__init__()
        self._file, self._at = open(path, "rb", buffering=0), 0  # noqa: SIM115 (closed by close)
        head = self._read(END_OF_FILE + 8)
        self.held = os.fstat(self._file.fileno()).st_size  # after that: of a file that grows, the end moves last
        said = int.from_bytes(head[END_OF_FILE:], "little") if head[: len(SIGNATURE) + 1] == SIGNATURE + b"\0" else 0
        self.size = said if self.held < said <= LONGEST * self.held else self.held

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        data = self._read(len(view))
        if len(data) < len(view) and self.held <= self._at + len(data) < self.size:
            data += bytes(min(len(view), self.size - self._at) - len(data))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _read(self, count: int) -> bytes:
        if PREAD:
            return os.pread(self._file.fileno(), count, self._at)
        self._file.seek(self._at)
        return self._file.read(count) or b""

    def close(self) -> None:
        self._file.close()
        super().close()


def limit_itself(path: str) -> None:
    """Memory, and time of the processor for a file of that size; where the system can do that."""
    try:
        import resource

        seconds = SECONDS + os.path.getsize(path) // PER_SECOND
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def read_structure(path: str) -> int:
    """Read all names, attributes, sizes, and the first and last numbers; 1 if memory did not suffice."""
    import h5py

    def visit(name: str, thing: Any) -> None:
        dict(thing.attrs)
        if isinstance(thing, h5py.Dataset):
            look_at(thing)

    try:
        with RawFile(path) as raw, h5py.File(raw, "r", locking=False) as file:
            dict(file.attrs)
            file.visititems(visit)
    except MemoryError:
        return 1
    except Exception:  # the library has found out by itself
        return 0
    return 0


def look_at(data: Any) -> None:
    """A dataset: where it is, and its ends."""
    try:
        if data.chunks is not None:
            data.id.get_num_chunks()
        if data.shape == ():
            data[()]
        elif data.size:
            _ = data[:1], data[-1:]
    except MemoryError:
        raise
    except Exception:  # this one is damaged, others may be whole
        return


if __name__ == "__main__":
    limit_itself(sys.argv[1])
    sys.exit(read_structure(sys.argv[1]))
