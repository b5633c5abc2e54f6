"""Recordings for tests of pages: a four-bar linkage, a truck on soft soil, grains in a tray; and a page to try with."""

from functools import cache
from pathlib import Path

import numpy as np

import gori
from gori.record import FrameFile, Frames, Recording
from tests.view.grains import tray

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPT = 'document.getElementById("gori").textContent = "</script> a page";'


@cache
def four_bar() -> Recording:
    """0.3 s of the example, 301 samples."""
    model = gori.compile(gori.load(EXAMPLES / "four_bar.yaml"))
    return gori.Simulation(model, gori.RK4(1e-3), loops=gori.loops.Partition()).run(0.3, progress=False)


@cache
def truck() -> tuple[Recording, gori.State]:
    """0.4 s of the example on soft soil, and its last State."""
    model = gori.compile(gori.load(EXAMPLES / "truck.yaml"))
    simulation = gori.Simulation(model, gori.Adams(1e-3), state=gori.at_rest(model, 8.0))
    return simulation.run(0.4, 0.01, progress=False), simulation.state


def shaken(path: Path, count: int = 300, frames: int = 12) -> Recording:
    """A tray that moves along its joint, with grains of two sizes thrown about in it; frames in a file."""
    model, rng = gori.compile(tray()), np.random.default_rng(3)
    radius = np.where(np.arange(count) % 2, 0.01, 0.02)
    with FrameFile(path, ("tray",), ("grain",), model.spec) as file:
        for k in range(frames):
            motion = np.zeros((count, 8))
            motion[:, 2], motion[:, 3] = 0.1 * k, 1.0
            T = np.eye(4)
            T[2, 3] = 0.1 * k
            place = rng.uniform(-0.4, 0.4, (count, 3)) + T[:3, 3]
            spheres = np.column_stack([place, radius])
            file.append(0.1 * k, np.arange(count), spheres, motion, [T])
    time = 0.05 * np.arange(2 * frames - 1)
    recording = Recording(model, time, 1.0 * time[:, None], np.ones((len(time), 1)))
    recording.frames = Frames(path)
    return recording


def stub_pages(folder: Path) -> Path:
    """A folder of built pages whose script writes one line."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "view.js").write_text(SCRIPT)
    (folder / "view.css").write_text("body { margin: 0; }")
    (folder / "licenses.txt").write_text("Licence of all that is bundled <here>\n")
    return folder
