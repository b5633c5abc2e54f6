"""Kernels on disk: whatever is wrong with the cache, kernels are compiled and the run goes on."""

import errno
import os
import pathlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gori
from gori.errors import CacheWarning
from gori.kernels import jit, store
from gori.kernels.sources import ROOT

LOAD = """
import warnings
warnings.simplefilter("always")
from gori.kernels.tree.configuration import difference_batch
import numpy as np
table, q, dv = np.zeros((1, 6), np.int64), np.zeros((1, 0)), np.zeros((1, 0))
difference_batch(table, q, q, dv)
print(difference_batch.folder, difference_batch.cached)
"""


def load(cache: object, sources: Path = ROOT.parent, **environment: str) -> tuple[str, bool, str]:
    """In a new process: the folder of a kernel, whether it was loaded, and what was told."""
    env = {**os.environ, "GORI_CACHE": str(cache), "PYTHONPATH": str(sources), **environment}
    done = subprocess.run([sys.executable, "-c", LOAD], env=env, capture_output=True, text=True, check=True)
    folder, cached = done.stdout.split()
    return folder, cached == "True", done.stderr


@pytest.fixture(scope="module")
def full(tmp_path_factory) -> Path:
    """A cache with one kernel."""
    root = tmp_path_factory.mktemp("full")
    assert not load(root)[1]
    return root


@pytest.fixture
def cache(full, tmp_path) -> Path:
    return Path(shutil.copytree(full, tmp_path / "cache"))


def kernel_file(cache: Path) -> Path:
    (found,) = cache.rglob("*.kernel")
    return found


def test_a_second_process_loads(cache):
    folder, cached, told = load(cache)
    assert cached and folder.startswith(str(cache)) and told == ""


@pytest.mark.parametrize("damage", ["short", "empty", "flipped", "not ours"])
def test_a_damaged_file_is_compiled_again(cache, damage):
    path = kernel_file(cache)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes({"short": content[:1000], "empty": b"", "flipped": content, "not ours": b"x" * 5000}[damage])
    _, cached, told = load(cache)
    assert not cached and "CacheWarning" in told and path.name in told and "compiled again" in told
    assert load(cache)[1:] == (True, "")


def test_another_checkout_shares_its_kernels(cache, tmp_path):
    shutil.copytree(ROOT, tmp_path / "other" / "gori", ignore=shutil.ignore_patterns("__pycache__"))
    assert load(cache, tmp_path / "other")[1:] == (True, "")


def test_a_cache_of_everyone_is_read_and_not_written(cache, tmp_path):
    before = sorted(path.name for path in cache.rglob("*"))
    folder, cached, told = load(f"{tmp_path / 'mine'}{os.pathsep}{cache}")
    assert cached and told == "" and folder.startswith(str(tmp_path / "mine"))
    assert sorted(path.name for path in cache.rglob("*")) == before


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become another user")
def test_a_user_without_home_or_right_to_write(cache, tmp_path):
    """A process of a user that the system does not know, with a cache of another one: read, nothing else."""
    script = f"import os; os.setgroups([]); os.setgid(54321); os.setuid(54321)\n{LOAD}"
    for path in (cache, *cache.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    os.chmod(tmp_path, 0o755)
    for parent in tmp_path.parents[:2]:
        os.chmod(parent, 0o755)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT.parent), "TMPDIR": str(tmp_path)}
    reachable = subprocess.run(
        [sys.executable, "-c", f"import os; os.setuid(54321); os.listdir({str(ROOT)!r}); import numba"], env=env
    )
    if reachable.returncode:
        pytest.skip("another user cannot reach this installation")

    def run(**more: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-c", script], env=env | more, capture_output=True, text=True)

    done = run(GORI_CACHE=str(cache))
    assert done.returncode == 0 and done.stdout.split()[1] == "True" and done.stderr == ""
    kernel_file(cache).unlink()
    done = run(GORI_CACHE=str(cache))
    assert done.returncode == 0 and done.stdout.split()[1] == "False" and "cannot be kept" in done.stderr


def test_the_folder_of_new_kernels(monkeypatch, tmp_path):
    monkeypatch.setenv("GORI_CACHE", str(tmp_path / "here"))
    assert store.cache_root() == tmp_path / "here"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GORI_CACHE", os.pathsep.join(map(str, (tmp_path / "file", tmp_path / "there"))))
    assert store.cache_root() == tmp_path / "there"
    monkeypatch.delenv("GORI_CACHE")
    if sys.platform == "win32":
        return
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert store.cache_root() == tmp_path / "gori" / "kernels"
    for nothing in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", nothing)
        assert store.cache_root() == Path.home() / ".cache" / "gori" / "kernels"


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_without_a_home(monkeypatch, tmp_path):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("GORI_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(pathlib.Path, "home", no_home)
    monkeypatch.setattr(store.tempfile, "gettempdir", lambda: str(tmp_path))
    store._private_folder.cache_clear()
    try:
        folder = store.cache_root()
        assert folder.is_relative_to(tmp_path / f"gori-{os.getuid()}")
        store._private_folder.cache_clear()
        (tmp_path / f"gori-{os.getuid()}").chmod(0o777)  # others could put code there
        assert not store.cache_root().is_relative_to(tmp_path / f"gori-{os.getuid()}")
    finally:
        store._private_folder.cache_clear()


def test_a_full_disk_does_not_end_a_run(monkeypatch, tmp_path):
    def full_disk(path, payload):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    from gori.kernels.tree.configuration import difference_batch as source

    monkeypatch.setenv("GORI_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "write_whole", full_disk)
    monkeypatch.setattr(store, "_told", set())
    fresh = jit.kernel(source.signature)(source.dispatcher.py_func)
    jit.KERNELS["difference_batch"] = source
    with pytest.warns(CacheWarning, match="No space left on device; the run goes on"):
        fresh.load()
    assert fresh.call is fresh.dispatcher and not any(tmp_path.rglob("*.kernel"))


def test_a_write_that_fails_leaves_nothing(monkeypatch, tmp_path):
    def fail(*_):
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(store.os, "replace", fail)
    with pytest.raises(OSError, match="no"):
        store.write_whole(tmp_path / "a" / "x.kernel", b"abc")
    assert list((tmp_path / "a").iterdir()) == []


def test_it_is_told_once(monkeypatch):
    monkeypatch.setattr(store, "_told", set())
    with pytest.warns(CacheWarning) as told:
        store._tell("first")
        store._tell("second")
    assert len(told) == 1 and gori.errors.CacheWarning is CacheWarning
