"""Machines to measure with: chains as URDF text, so that every rival reads the same file, and a humanoid."""

import sys
import warnings
from pathlib import Path

import numpy as np

import gori


def chain_urdf(links: int, seed: int = 1) -> str:
    """A chain of revolute joints about random axes, each link a body with a full inertia tensor."""
    rng = np.random.default_rng(seed)
    parts = ['<robot name="chain"><link name="base"/>']
    for k in range(links):
        points = rng.uniform(-0.15, 0.15, (8, 3))
        mass = rng.uniform(0.5, 2.0)
        J = mass / 8 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points - points.mean(0))
        axis, rpy = rng.normal(size=3), rng.uniform(-1.0, 1.0, 3)
        com = points.mean(0)
        parts.append(
            f'<link name="link{k}"><inertial><origin xyz="{_words(com)}"/><mass value="{mass:.17g}"/>'
            f'<inertia ixx="{J[0, 0]:.17g}" ixy="{J[0, 1]:.17g}" ixz="{J[0, 2]:.17g}" iyy="{J[1, 1]:.17g}" '
            f'iyz="{J[1, 2]:.17g}" izz="{J[2, 2]:.17g}"/></inertial></link>'
            f'<joint name="joint{k}" type="revolute"><parent link="{f"link{k - 1}" if k else "base"}"/>'
            f'<child link="link{k}"/><origin xyz="0.3 0 0" rpy="{_words(rpy)}"/>'
            f'<axis xyz="{_words(axis / np.linalg.norm(axis))}"/>'
            '<limit lower="-3" upper="3" effort="100" velocity="10"/></joint>'
        )
    return "".join(parts) + "</robot>"


def _words(numbers) -> str:
    return " ".join(f"{x:.17g}" for x in numbers)


def robots_folder() -> Path:
    """Where the wheel example-robot-data keeps its robots."""
    for folder in sys.path:
        robots = Path(folder) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if robots.is_dir():
            return robots
    raise SystemExit("the benchmark needs the package example-robot-data: pip install 'gori[dev]'")


def humanoid_path() -> Path:
    return robots_folder() / "talos_data" / "robots" / "talos_reduced.urdf"


def load_urdf(path: Path, base: str = "fixed") -> gori.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gori.compile(gori.load(path, base=base), open_loops=True)
