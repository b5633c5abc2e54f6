"""What the tests of MJCF share: a file out of what is inside <mujoco>, and nothing left behind on disk."""

import os
from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("lxml")


@pytest.fixture
def mjcf(tmp_path):
    """A function that writes a file with what is inside <mujoco>, and gives its path."""

    def write(inside: str, name: str = "model.xml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<mujoco>\n{inside}\n</mujoco>\n")
        return path

    return write


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """MuJoCo writes MUJOCO_LOG.TXT into the working folder where nobody keeps it from that."""
    before = set(os.listdir())
    yield
    assert set(os.listdir()) == before
