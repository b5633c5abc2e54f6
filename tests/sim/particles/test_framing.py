"""Frames while a run goes on: in memory or in a file, at their times."""

from pathlib import Path

import numpy as np

from gori.sim.particles.framing import Framing, frames_beside
from tests.sim.particles.shaken import simulation


def test_the_file_is_beside_the_recording():
    assert frames_beside("a/run.h5") == Path("a/run.particles.h5")
    assert frames_beside("run") == Path("run.particles.h5")


def test_a_frame_each_time(tmp_path):
    sim = simulation()
    for path in (None, tmp_path / "run.h5"):
        framing = Framing(sim.particles, sim.model.spec, 0.1, path, 0.0, 1.0, False)
        for time in np.linspace(0.0, 0.5, 21):
            framing.take(float(time))
        frames = framing.close()
        assert [round(frame.time, 6) for frame in frames] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
        assert len(frames[0]) == len(sim.particles) and frames[0].poses.keys() == {"tray"}
        assert frames[0].groups == ("load", "feeder") and np.array_equal(
            frames[-1].group, sim.particles.group[sim.particles.id]
        )
