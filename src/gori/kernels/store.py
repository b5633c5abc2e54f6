"""Compiled kernels on disk.

A kernel lies in ROOT/HASH/NAME.CPU.kernel: HASH of the sources that it is compiled from (`sources.py`), CPU of the
processor that it was compiled for. The path of the checkout is in neither, so all checkouts with the same sources share
their kernels. A file begins with a checksum and is put in place whole: a reader sees all of it or nothing, and needs no
lock. Whatever is wrong with a file or a folder, the kernel is compiled, the run goes on, and one warning tells.

$GORI_CACHE may name several folders, separated like those of $PATH: kernels are looked for in all of them and kept in
the first that can be written. An administrator fills one for everyone (`GORI_CACHE=/opt/gori gori doctor --compile`).
"""

import contextlib
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from gori.errors import CacheWarning

SUFFIX = ".kernel"
_DIGEST = hashlib.sha256().digest_size
_told: set[str] = set()


def _tell(message: str) -> None:
    """Once in a process: the cache is a convenience, and what is wrong with it is wrong for every kernel."""
    if not _told:
        _told.add(message)
        warnings.warn(message, CacheWarning, stacklevel=2)


def cache_roots() -> list[Path]:
    """Folders of compiled kernels, in the order in which they are looked through."""
    named = [name for name in os.environ.get("GORI_CACHE", "").split(os.pathsep) if name]
    return [Path(name).absolute() for name in named] or [_user_cache() / "gori" / "kernels"]


def cache_root() -> Path:
    """The folder in which new kernels are kept: the first that can be written, or else the first."""
    roots = cache_roots()
    return next((root for root in roots if usable(root)), roots[0])


def _user_cache() -> Path:
    """The user's cache folder; without a home, a private folder among the temporary files."""
    asked = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if Path(asked).is_absolute():
        return Path(asked)
    try:
        home = Path.home()
    except RuntimeError:  # no $HOME and no entry in the table of users
        home = None
    if home is not None and home.is_absolute():
        return home if sys.platform == "win32" else home / ".cache"
    return _private_folder()


@cache
def _private_folder() -> Path:
    """Among the temporary files; nobody else may write there, for kernels are code."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"gori-{user}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if found.st_uid == user and stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077:
            return folder
    return Path(tempfile.mkdtemp(prefix="gori-"))


@cache
def usable(root: Path) -> bool:
    """Whether kernels can be kept there."""
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(root, os.W_OK)


class KernelStore:
    """Where one kernel is kept; takes the place of Numba's own cache in its dispatcher."""

    def __init__(self, folder_name: str, kernel_name: str):
        self.folder_name, self.kernel_name = folder_name, kernel_name
        self._file_name = ""  # known with the processor

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    @property
    def folder(self) -> Path:
        """Where it would be kept."""
        return cache_root() / self.folder_name

    def files(self) -> list[Path]:
        """Where it may be found."""
        return [root / self.folder_name / self._name() for root in cache_roots()]

    def exists(self) -> bool:
        return any(path.is_file() for path in self.files())

    def _name(self) -> str:
        if not self._file_name:
            from numba.core.registry import cpu_target

            target = repr(cpu_target.target_context.codegen().magic_tuple())
            self._file_name = f"{self.kernel_name}.{hashlib.sha256(target.encode()).hexdigest()[:8]}{SUFFIX}"
        return self._file_name

    # ---- what the dispatcher asks for

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled kernel, or None if it has to be compiled."""
        for path in self.files():
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                try:
                    return _read(path, target_context)
                except FileNotFoundError:
                    raise
                except Exception as error:  # a damaged pickle may raise anything
                    _tell(f"{path} cannot be used and is compiled again: {error or type(error).__name__}")
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        if not usable(cache_root()):
            _tell(
                f"compiled kernels cannot be kept in {cache_root()}: every process compiles its own; "
                "set GORI_CACHE to a folder that can be written"
            )
            return
        path = self.folder / self._name()
        try:
            write_whole(path, dumps(compiled._reduce()))
        except OSError as error:
            _tell(f"compiled kernels cannot be kept in {path.parent}: {error.strerror or error}; the run goes on")

    def flush(self) -> None:
        for path in self.files():
            with contextlib.suppress(OSError):
                path.unlink()

    # ---- one process at a time

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Held while it is compiled, so that no other process does the same work; without effect where there are no
        locks. Its folder is marked as in use.
        """
        with contextlib.ExitStack() as held:
            try:
                import fcntl

                self.folder.mkdir(parents=True, exist_ok=True)
                for name, kind in (("lock", fcntl.LOCK_SH), (f"{self.kernel_name}.lock", fcntl.LOCK_EX)):
                    handle = held.enter_context(open(self.folder / name, "a"))
                    fcntl.flock(handle, kind)
            except (ImportError, OSError):  # Windows; a folder that cannot be written, or another user's lock
                pass
            yield


def _read(path: Path, target_context: Any) -> Any:
    return CompileResult._rebuild(target_context, *pickle.loads(read_whole(path)))


def read_whole(path: Path) -> bytes:
    """What `write_whole` has put into a file; raises ValueError if it is damaged."""
    content = path.read_bytes()
    payload = content[_DIGEST:]
    if hashlib.sha256(payload).digest() != content[:_DIGEST]:
        raise ValueError("it is damaged")
    return payload


def write_whole(path: Path, payload: bytes) -> None:
    """Behind its checksum: aside, then in place at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(payload).digest())
            file.write(payload)
        os.chmod(name, 0o644)  # a folder that an administrator fills is read by everyone
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
