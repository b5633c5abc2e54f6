"""The folders of compiled kernels: what is in them, and what is left there by other sources."""

import re
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gori.kernels.jit import Kernel

_NAME = re.compile(r"[0-9a-f]{16}")
"""name of a folder that Gori made: $GORI_CACHE may hold other things, and those are nobody's to count or remove"""


def all_kernels() -> dict[str, "Kernel"]:
    """Every kernel by name. They enter their table when their module is imported, so all modules are imported."""
    import importlib
    import pkgutil

    from gori import integrate, kernels
    from gori.kernels import jit

    for package in (kernels, integrate):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    return jit.KERNELS


def is_cached(kernel: "Kernel") -> bool:
    """Whether compiled code for this processor is on disk."""
    return kernel.store.exists()


def programs_in(folder: Path) -> list[Path]:
    """Programs of batches for a GPU in their folder."""
    from gori.sim.batch.program import SUFFIX

    return sorted(folder.glob(f"*{SUFFIX}"))


def folder_size(folder: Path) -> int:
    """Bytes of all files in a folder; files that vanish meanwhile do not count."""
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return size


def stale_folders(root: Path, current: Collection[Path]) -> list[Path]:
    """Folders of other sources, or of another Python or Numba."""
    if not root.is_dir():
        return []
    ours = (path for path in root.iterdir() if path.is_dir() and _NAME.fullmatch(path.name))
    return sorted(path for path in ours if path not in current)


def remove(folder: Path) -> bool:
    """Remove a stale folder, unless a process compiles into it right now; whether it is gone."""
    if _in_use(folder):
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def _in_use(folder: Path) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows refuses by itself to remove what is open
        return False
    try:
        with open(folder / "lock") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
