"""Checks of the GPU in the CUDA simulator, in a process of its own, which the simulator needs."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_checks(*names: str, module: str = "checks") -> None:
    """Run checks of a module of this folder by name; all must be good."""
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", f"tests.cuda.{module}", *names],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [f"{name}: good" for name in names]
