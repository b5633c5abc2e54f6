import subprocess

from gori.cli import machine


def test_versions():
    assert machine.version("numpy") and machine.version("no-such-package") is None
    found = machine.mandatory()
    assert {"numpy", "numba", "llvmlite"} <= set(found) and all(problem is None for _, problem in found.values())


def test_a_package_that_cannot_be_imported_is_told(monkeypatch):
    def fail(name):
        raise OSError("libx.so is missing")

    monkeypatch.setattr(machine, "import_module", fail)
    assert "numpy cannot be imported: libx.so is missing" in str(machine.mandatory()["numpy"][1])


def test_a_gpu_whose_driver_does_not_answer(monkeypatch):
    monkeypatch.setattr(machine.shutil, "which", lambda name: "/bin/nvidia-smi")
    monkeypatch.setattr(machine, "_numba_gpus", lambda: "")

    def late(*_, **__):
        raise subprocess.TimeoutExpired("nvidia-smi", 10)

    monkeypatch.setattr(machine.subprocess, "run", late)
    assert machine.gpu() == "none found: particles are computed on the CPU"
    answer = subprocess.CompletedProcess([], 0, stdout="H200, 141 GB\n")
    monkeypatch.setattr(machine.subprocess, "run", lambda *_, **__: answer)
    assert machine.gpu().startswith("H200, 141 GB; ")


def test_this_machine():
    assert int(machine.cores().split()[0]) >= 1 and ":" in machine.simd() and machine.threading_layer()
