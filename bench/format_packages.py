"""MJCF, SDFormat and URDF files of packages on PyPI: fetched once into a cache, unpacked, and never installed."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MJCF = (
    "dm_control==1.0.50",
    "gymnasium==1.4.0",
    "gymnasium-robotics==1.4.2",
    "robosuite==1.5.2",
    "playground==0.2.0",
    "pybullet==3.2.7",
)
SDF = (
    "drake==1.51.1",
    "manipulation==2026.10.17",
    "pybullet==3.2.7",
    "underactuated==2026.9.8",
    "gym-ignition-models==1.1.1",
    "example-robot-data==5.0.0",
)
URDF = ("pybullet==3.2.7", "icub-models==3.2.0", "rtb-data==2.0.0")


def cache() -> Path:
    """The folder of what was fetched: GORI_BENCH_CACHE, or one in the folder of temporary files."""
    return Path(os.environ.get("GORI_BENCH_CACHE", Path(tempfile.gettempdir()) / "gori-bench-formats"))


def unpacked(requirement: str, folder: Path) -> Path:
    """The folder with the files of a package."""
    name = requirement.partition("==")[0].replace("-", "_")
    target = folder / name
    if not target.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        wheels = folder / "wheels"
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            "-q",
            "--only-binary=:all:",
            "-d",
            wheels,
            requirement,
        ]
        subprocess.run(list(map(str, command)), check=True)
        wheel = next(path for path in wheels.glob("*.whl") if path.name.lower().startswith(name.lower()))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)
    return target


def mjcf_files(folder: Path) -> list[Path]:
    """All XML files below a folder that hold a <mujoco> element."""
    return sorted(path for path in folder.rglob("*.xml") if b"<mujoco" in path.read_bytes())


def urdf_files(folder: Path) -> list[Path]:
    """All URDF files below a folder."""
    return sorted(folder.rglob("*.urdf"))


def sdf_files(folder: Path) -> list[Path]:
    """All SDFormat files below a folder."""
    return sorted(folder.rglob("*.sdf"))
