"""What the tests of malformed files share."""

import os
import time
import warnings
from pathlib import Path

import pytest

import gori
from gori.errors import GoriError

LONGEST = 2000
"""characters of an error"""


def refused(read, *arguments, **options) -> str:
    """The error of Gori that a file gives: in a moment, and not a long one."""
    began = time.process_time()
    with warnings.catch_warnings(), pytest.raises(GoriError) as caught:
        warnings.simplefilter("ignore")
        read(*arguments, **options)
    assert time.process_time() - began < 2.0  # one second, and kernels that are loaded first
    assert 0 < len(str(caught.value)) < LONGEST
    return str(caught.value)


def compiled(path: Path, **options) -> gori.Model:
    return gori.compile(gori.load(path, **options))


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def strange_places(folder: Path, suffix: str) -> None:
    """What is no file: a folder, a pipe, a device, a ring of links, a link to nothing."""
    (folder / f"folder{suffix}").mkdir()
    os.mkfifo(folder / f"pipe{suffix}")
    (folder / f"zero{suffix}").symlink_to("/dev/zero")
    (folder / f"ring{suffix}").symlink_to(f"ring{suffix}")
    (folder / f"dangling{suffix}").symlink_to("nothing")
