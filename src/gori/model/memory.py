"""Memory is estimated before it is taken: a request that cannot be met is refused with its figure."""

import os
from pathlib import Path

from gori.errors import InputError


def free_memory() -> int | None:
    """Bytes that this process can still take; None where that cannot be told."""
    found = [_available(), _of_group()]
    return min((size for size in found if size is not None), default=None)


def _available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_group() -> int | None:
    """What a container or a batch system leaves, as Linux keeps its account."""
    folder = Path("/sys/fs/cgroup")
    try:
        most, used = ((folder / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return None if most == "max" else max(0, int(most) - int(used))
    except (OSError, ValueError):
        return None


def require_memory(needed: float, what: str, cure: str) -> None:
    """Refuse what would take more bytes than there are."""
    free = free_memory()
    if free is not None and needed > free:
        raise InputError(f"{what} would take {needed / 1e9:.3g} GB of memory, and {free / 1e9:.3g} GB are free: {cure}")


def require_memory_of(count: int, each: float, what: str) -> None:
    """Refuse so many things of so many bytes each where there is no room for them, and tell how many would fit."""
    if (free := free_memory()) is not None:
        fits = int(free // each) if each else count
        require_memory(count * each, f"{count} {what} of {each:.0f} bytes", f"{fits} {what} would fit")
