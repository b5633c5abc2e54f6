"""One writer at a time: a lock beside a file or in a folder, which the system frees when its owner dies, however.

The lock is that of the operating system (flock) on a small file, which also says who holds it. Where there are no such
locks, as on some network drives, owner, host and start time in the file are what counts: a lock whose process has gone
is taken over, one of another computer is not.
"""

import contextlib
import errno
import json
import os
import socket
import sys
import time
import weakref
from pathlib import Path
from typing import Any

from gori.errors import FileError, RecordError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_held: "weakref.WeakSet[Lock]" = weakref.WeakSet()


class Lock:
    """Held from its making until `release`, or the end of a `with` block. Raises FileError if another process, or this
    one, holds it.

    target   the file or folder that it protects
    """

    def __init__(self, target: str | os.PathLike):
        self.target = Path(target)
        inside = self.target.is_dir()
        self.path = self.target / ".lock" if inside else self.target.with_name(f".{self.target.name}.lock")
        self._handle: int | None = None
        while self._handle is None:
            try:
                self._handle = self._acquire()
            except OSError as error:
                raise RecordError(f"{self.target} cannot be written: {error.strerror or error}") from None
        _held.add(self)

    def _acquire(self) -> int | None:
        """The open lock file; None if its last owner has removed it meanwhile."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            if not self._try(handle):
                raise FileError(f"is in use: {_words(_read(handle))}", self.target)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(self.path)):
                    os.lseek(handle, 0, os.SEEK_SET)
                    os.ftruncate(handle, 0)
                    os.write(handle, json.dumps(_owner()).encode())
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return None

    def _try(self, handle: int) -> bool:
        if fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                return False
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
        return not _alive(_read(handle))

    def release(self) -> None:
        """Let others write; the lock file goes."""
        handle, self._handle = self._handle, None
        _held.discard(self)
        if handle is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()
            os.close(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.release()

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _owner() -> dict[str, Any]:
    command = " ".join([Path(sys.argv[0] or "python").name, *sys.argv[1:]])[:200]
    return {"process": os.getpid(), "host": socket.gethostname(), "since": time.time(), "command": command,
            "process_start": _process_start(os.getpid())}  # fmt: skip


def _read(handle: int) -> dict[str, Any]:
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        found = json.loads(os.read(handle, 4096))
    except ValueError:  # not written yet
        return {}
    return found if isinstance(found, dict) else {}


def _words(owner: dict[str, Any]) -> str:
    """Who holds it."""
    if not owner:
        return "another run is just beginning there"
    who = f"process {owner.get('process')} on {owner.get('host')} ({owner.get('command')})"
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(owner.get("since", 0.0)))
    return f"{who} has been writing there since {since}"


def _alive(owner: dict[str, Any]) -> bool:
    """Whether the process that wrote this is there; one of another computer may be."""
    process = owner.get("process")
    if not isinstance(process, int):
        return False
    if owner.get("host") != socket.gethostname():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        pass
    return owner.get("process_start") in (None, _process_start(process))


def _process_start(process: int) -> str | None:
    """When a process began, in ticks of its system; None where that cannot be told."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


def _forget() -> None:
    """A forked child holds no locks: they stay its parent's."""
    for lock in _held:
        if lock._handle is not None:
            os.close(lock._handle)
            lock._handle = None
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
