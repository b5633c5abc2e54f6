"""Every example runs as a user would run it, and its own checks hold."""

import subprocess
import sys
from pathlib import Path

import pytest

import gori

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_example(path, tmp_path):
    if "import torch" in path.read_text():
        pytest.importorskip("torch")
    result = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert "assert " in path.read_text(), "an example checks its own result"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_description(path):
    model = gori.compile(gori.load(path), open_loops=True)
    assert model.nv > 0 and model.mass > 0.0
