"""Properties of this Python and this computer, as text. Nothing here raises: a failure is part of the answer."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module, metadata

_MODULES = {"pyyaml": "yaml"}
_SIMD = ("sse4.2", "avx", "avx2", "fma", "avx512f", "neon", "sve")


def version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def requirements() -> Iterator[tuple[str, str | None]]:
    """Packages that Gori names in its own metadata, each with the extra that it belongs to."""
    try:
        lines = metadata.requires("gori") or []
    except metadata.PackageNotFoundError:  # run from its sources, never installed
        lines = ["numpy", "scipy", "numba", "pydantic", "pyyaml"]
    for line in lines:
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra == ['\"]([\w-]+)", line)
        if name and name[0] != "gori":
            yield name[0], extra[1] if extra else None


def mandatory() -> dict[str, tuple[str, str | None]]:
    """Version of each package that Gori cannot do without, and why it cannot be imported if so."""
    found = {}
    for name in dict.fromkeys([*(name for name, extra in requirements() if extra is None), "llvmlite"]):
        problem = None
        try:
            import_module(_MODULES.get(name, name))
        except Exception as error:  # a package may fail in any way when it is half installed
            problem = f"{name} cannot be imported: {error}. Try pip install --force-reinstall {name}"
        found[name] = version(name) or "missing", problem
    return found


def optional() -> dict[str, tuple[str | None, str]]:
    """Version of each optional package, or None, and how to install it."""
    return {
        name: (version(name), f"pip install 'gori[{extra}]'")
        for name, extra in requirements()
        if extra not in (None, "dev")
    }


def cores() -> str:
    total = os.cpu_count() or 1
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:
        usable = total
    return f"{usable}" if usable == total else f"{usable} of {total}"


def simd() -> str:
    """Name of the CPU, and the vector instructions that LLVM finds on it."""
    from llvmlite import binding

    try:
        features = binding.get_host_cpu_features()
    except RuntimeError:  # not known on this platform
        features = {}
    return f"{binding.get_host_cpu_name()}: {' '.join(name for name in _SIMD if features.get(name)) or 'no SIMD known'}"


def threading_layer() -> str:
    """The layer that Numba would take for parallel loops. Its libraries are only loaded, no thread is started."""
    import numba

    chosen = str(numba.config.THREADING_LAYER).lower()  # type: ignore[attr-defined]
    libraries = {"tbb": "tbbpool", "omp": "omppool", "workqueue": "workqueue"}
    if chosen in libraries:
        return f"{chosen} (NUMBA_THREADING_LAYER)"
    for layer in numba.config.THREADING_LAYER_PRIORITY:  # type: ignore[attr-defined]
        try:
            if layer == "tbb":
                from numba.np.ufunc.parallel import _check_tbb_version_compatible

                _check_tbb_version_compatible()
            import_module(f"numba.np.ufunc.{libraries[layer]}")
        except Exception:
            continue
        return layer
    return "none"


def gpu() -> str:
    """The GPUs, and whether particles can be computed on them."""
    package, usable = version("numba-cuda"), _numba_gpus()
    names = _driver_gpus() or usable
    if not names:
        return "none found: particles are computed on the CPU"
    if not usable:
        cure = "numba-cuda cannot reach its driver" if package else "to use it: pip install 'gori[gpu]'"
        return f"{names}; {cure}"
    return f"{names}, numba-cuda {package or 'of numba'}: particles can be computed there (device: cuda)"


def _driver_gpus() -> str:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ""
    command = [tool, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return "; ".join(answer.stdout.split("\n")).strip("; ") if answer.returncode == 0 else ""


def _numba_gpus() -> str:
    try:
        from numba import cuda

        return "; ".join(str(gpu.name) for gpu in cuda.gpus) if cuda.is_available() else ""
    except Exception:  # a driver may fail in any way
        return ""
