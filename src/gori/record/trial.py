"""Reads the structure of an HDF5 file, and a little of each dataset: a program, since a damaged file may end it.

python trial.py FILE   ends with 0, also where the library says what is wrong; not if it crashes or takes all memory
"""

import sys
from typing import Any

MEMORY = 4 << 30
"""most that it may take [bytes]"""


def limit_memory() -> None:
    """Where the system can do that."""
    try:
        import resource

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
        with h5py.File(path, "r", locking=False) as file:
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
    limit_memory()
    sys.exit(read_structure(sys.argv[1]))
