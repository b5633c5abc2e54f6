"""Which sources a kernel is compiled from: its module, and every module of compiled code that this imports.

Numba's own cache does not see that a callee was edited, so kernels are kept in folders that are named by a hash of
these sources. An edit then compiles again what it concerns, and no more.
"""

import hashlib
import re
import sys
import time
from functools import cache
from pathlib import Path

import llvmlite
import numba

ROOT = Path(__file__).parent.parent
PACKAGES = ("kernels", "integrate")
"""folders of all compiled code; kernels import nothing else that is compiled"""
NOT_COMPILED = ("kernels/sources.py", "kernels/store.py")
"""an edit of these changes no compiled code"""

_IMPORT = re.compile(r"^[ \t]*(?:from gori\.([\w.]+) import (\([^)]*\)|.*)|import gori\.([\w.]+))", re.MULTILINE)


@cache
def _file(module: str) -> str | None:
    """kernels.tree.rnea -> kernels/tree/rnea.py; None if it is no module of compiled code."""
    path = module.replace(".", "/")
    if path.split("/")[0] in PACKAGES:
        for name in (f"{path}.py", f"{path}/__init__.py"):
            if (ROOT / name).is_file() and name not in NOT_COMPILED:
                return name
    return None


@cache
def _read(name: str) -> tuple[bytes, tuple[str, ...]]:
    """Hash of a file, and the files that it imports."""
    text = (ROOT / name).read_bytes()
    found = set()
    for package, names, plain in _IMPORT.findall(text.decode()):
        module = package or plain
        found.add(_file(module))
        found |= {_file(f"{module}.{word.split()[0]}") for word in names.strip("()").split(",") if word.strip()}
    return hashlib.sha256(text).digest(), tuple(sorted(found - {None}))


@cache
def sources_of(module: str) -> tuple[str, ...]:
    """Files that a module is compiled from, itself included."""
    to_do, seen = [_file(module.removeprefix("gori."))], set()
    while to_do:
        name = to_do.pop()
        if name is not None and name not in seen:
            seen.add(name)
            to_do += _read(name)[1]
    return tuple(sorted(seen))


@cache
def all_sources() -> tuple[str, ...]:
    """Files of all compiled code of Gori."""
    return tuple(sorted(str(path.relative_to(ROOT)) for name in PACKAGES for path in (ROOT / name).rglob("*.py")))


@cache
def hash_of_all() -> str:
    """Of all compiled code of Gori."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for name in all_sources():
        digest.update(name.encode() + _read(name)[0])
    return digest.hexdigest()[:16]


@cache
def source_hash(module: str) -> str:
    """Of these files, and of what compiles them. A module outside Gori counts with all compiled code of Gori."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version}".encode())
    names = sources_of(module)
    if not module.startswith("gori."):
        file = getattr(sys.modules.get(module), "__file__", None)
        digest.update(Path(file).read_bytes() if file else str(time.time_ns()).encode())  # no file: compiled each time
        names = all_sources()
    for name in names:
        digest.update(name.encode() + _read(name)[0])
    return digest.hexdigest()[:16]
