"""`gori doctor`, and the cache of kernels."""

import os
import re
import sys

import pytest

from gori.cli import cache
from gori.kernels import jit
from gori.kernels.store import cache_root
from gori.sim.batch.program import folder_of_programs
from tests.cli.files import shell


@pytest.fixture
def one_kernel(monkeypatch):
    """Only the kernel that compiles fastest."""
    cache.all_kernels()
    monkeypatch.setattr(jit, "KERNELS", {"difference_batch": jit.KERNELS["difference_batch"]})


@pytest.fixture
def own_root(tmp_path, monkeypatch):
    """A cache folder of the test's own, with one stale folder and one that is not Gori's."""
    for name in ("0123456789abcdef", "not_ours"):
        (tmp_path / "cache" / name).mkdir(parents=True)
        (tmp_path / "cache" / name / "lock").write_text("12345")
    monkeypatch.setenv("GORI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_doctor(run):
    result = run("doctor")
    assert result.exit_code == 0 and result.stderr == ""
    for item in ("gori", "python", "platform", "numpy", "scipy", "numba", "llvmlite", "cores", "threads", "cpu", "gpu"):
        assert item in result.stdout
    assert re.search(r"numba layer +(tbb|omp|workqueue)", result.stdout)
    assert cache_root().name in result.stdout and all(name in result.stdout for name in cache.all_kernels())


def test_doctor_compile(run, one_kernel):
    result = run("doctor", "--compile")
    assert result.exit_code == 0
    assert re.search(r"difference_batch +[\d.]+ s  (loaded|compiled)", result.stdout)
    assert re.search(r"1 kernel ready in [\d.]+ s", result.stdout)
    assert cache.is_cached(jit.KERNELS["difference_batch"])


def test_doctor_tells_what_is_not_compiled(tmp_path):
    process = shell("doctor", env=os.environ | {"GORI_CACHE": str(tmp_path)})
    output, errors = process.communicate()
    assert process.returncode == 0 and errors == ""
    assert re.search(r"compiled +0 of \d+", output) and re.search(r"not compiled +\w+, ", output)
    assert list(tmp_path.iterdir()) == [] or not any(tmp_path.rglob("*.kernel"))


def test_doctor_tells_of_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    process = shell("doctor", env=os.environ | {"GORI_CACHE": str(tmp_path / "file")})
    output, _ = process.communicate()
    assert process.returncode == 0 and "cannot be written: set GORI_CACHE" in output


def test_doctor_clean(run, own_root):
    assert re.search(r"stale +1 folder of other sources or versions, 5 bytes", run("doctor").stdout)
    assert (own_root / "0123456789abcdef").exists()
    assert re.search(r"stale +1 folder removed", run("doctor", "--clean").stdout)
    assert [path.name for path in own_root.iterdir()] == ["not_ours"]


def test_programs_for_a_gpu_are_listed_and_cleaned(run, own_root):
    """Those of other sources lie in a folder of another name."""
    for folder in (folder_of_programs(), "0123456789abcdef"):
        (own_root / folder).mkdir(exist_ok=True)
        (own_root / folder / "0123456789abcdef01234567.cubin").write_bytes(bytes(2000))
    assert re.search(r"for a GPU +1 program of batches, 2(\.0)? k", run("doctor").stdout)
    assert re.search(r"stale +1 folder removed", run("doctor", "--clean").stdout)
    assert sorted(path.name for path in own_root.iterdir()) == sorted([folder_of_programs(), "not_ours"])


def test_doctor_clean_spares_a_folder_in_use(run, own_root):
    fcntl = pytest.importorskip("fcntl")
    with open(own_root / "0123456789abcdef" / "lock") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert "1 in use and kept" in run("doctor", "--clean").stdout
    assert (own_root / "0123456789abcdef").exists()


def test_doctor_finds_a_broken_package(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    result = run("doctor")
    assert result.exit_code == 1 and "h5py cannot be imported" in result.stderr


def test_doctor_finds_a_kernel_that_does_not_compile(run, one_kernel, monkeypatch):
    def fail(self):
        raise TypeError("no such type")

    monkeypatch.setattr(jit.Kernel, "load", fail)
    result = run("doctor", "--compile")
    assert result.exit_code == 1 and "difference_batch" in result.stderr and "no such type" in result.stderr
