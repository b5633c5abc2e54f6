"""A process that tries one thing after another and may die of it: what it was at is known, and the next process goes on
behind that.

    for told in tries(["-m", "soak.files", folder, seed], 0, 3000, seconds=40.0): ...

The process gets two more words, the number of its first try and the one after its last. It prints two lines of JSON for
each: {"k": number, ...} before it begins, and {"what": ..., "words": ...} when it has ended.
"""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[1]
STARTING = 240.0
"""wall time for a process to load kernels, and to compile them where they are not kept [s]"""


def tries(arguments: Sequence[str], first: int, end: int, seconds: float) -> Iterator[dict[str, Any]]:
    """What came of each try. `what` is "crashes" or "hangs" where the process has died of it, or took longer than so
    many seconds.
    """
    while first < end:
        for told in _one_process([*arguments, str(first), str(end)], seconds):
            first = told["k"] + 1
            yield told


def _one_process(arguments: list[str], seconds: float) -> Iterator[dict[str, Any]]:
    """Results of one process; the last one says how it ended, if not well."""
    path = os.pathsep.join([str(ROOT), *sys.path])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONFAULTHANDLER": "1"}
    errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 (closed below)
    piped: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": errors, "text": True}
    child = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=environment, **piped)
    lines: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        for line in child.stdout or ():
            lines.put(line)
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    begun: dict[str, Any] = {}
    ended: dict[str, Any] = {}
    patience = STARTING
    try:
        while True:
            try:
                line = lines.get(timeout=patience)
            except queue.Empty:
                if not begun:
                    raise RuntimeError(f"{arguments}: no answer in {patience:g} s") from None
                yield begun | {"what": "hangs", "words": f"more than {seconds:g} s"}
                return
            if line is None:
                break
            told, patience = json.loads(line), seconds
            if "what" in told:
                yield begun | told
                begun, ended = {}, begun
            else:
                begun = told
        child.wait()
        how = f"exit {child.returncode} {_last_words(errors)}"
        if begun:
            yield begun | {"what": "crashes", "words": how}
        elif child.returncode and ended:
            yield ended | {"what": "crashes", "words": f"after it, as memory was broken before: {how}"}
        elif child.returncode:
            raise RuntimeError(f"{arguments}: did not start, exit {child.returncode}: {_last_words(errors)}")
    finally:
        child.kill()
        child.wait()
        errors.close()


def _last_words(errors: IO[str]) -> str:
    errors.seek(0)
    return " | ".join(line.strip() for line in errors.readlines()[-30:])[-1500:]
