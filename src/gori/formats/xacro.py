"""Macros of xacro, expanded by the package of that name in a process of its own.

Xacro evaluates Python that stands in a file, and reads whatever the file includes. So it runs only when it is asked
for, with a bound on time and memory; that keeps a mistake from doing harm, not a person who means it.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from gori.door import TEXT, checked
from gori.errors import FileError, InputError, MissingPackageError

SECONDS = 30
MEMORY = 2 << 30
"""bytes of address space"""

_CHILD = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
    resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
except ImportError:  # not on Windows
    pass
import xacro
document = xacro.process_file(sys.argv[1], mappings=dict(word.split(":=", 1) for word in sys.argv[2:]))
sys.stdout.write(document.toprettyxml(indent=" "))
"""


def expand(file: Path, arguments: Mapping[str, str]) -> bytes:
    """The URDF that a xacro file stands for."""
    if not isinstance(arguments, Mapping):
        raise InputError(f"xacro must be True or {{argument: value}}, not {arguments!r}")
    if find_spec("xacro") is None:
        raise MissingPackageError("xacro files need xacro: pip install 'gori[xacro]'")
    checked(file, TEXT)
    words = [f"{name}:={value}" for name, value in arguments.items()]
    child = [sys.executable, "-I", "-c", _CHILD.format(memory=MEMORY, seconds=SECONDS), str(file.resolve()), *words]
    try:
        done = subprocess.run(
            child, capture_output=True, timeout=2 * SECONDS, stdin=subprocess.DEVNULL, env=dict(os.environ), check=False
        )
    except subprocess.TimeoutExpired:
        raise FileError(f"xacro did not end within {2 * SECONDS} s", file) from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or [f"it ended with {done.returncode}"]
        raise FileError(f"xacro cannot expand it: {lines[-1]}", file)
    if len(done.stdout) > TEXT:
        raise FileError(f"xacro makes {len(done.stdout) / 1e6:.0f} MB of it: files may have {TEXT / 1e6:.0f} MB", file)
    return done.stdout
