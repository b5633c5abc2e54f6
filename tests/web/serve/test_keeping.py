"""Rows of samples as a Recording, and where it is kept."""

import numpy as np
import pytest

import gori
from gori.web.serve.keeping import RunFolder, recording_of


def test_rows_give_the_recording_that_a_run_gives(tmp_path):
    model = gori.compile(gori.vehicle.spec("hmmwv"))
    run = gori.Simulation(model, gori.Adams(step=1e-3, order=2), loops="real_time")
    rows = [run.stepper.sample()[None].copy()]
    for _ in range(5):
        run.advance(10)
        rows.append(run.stepper.sample()[None].copy())
    rec = recording_of(model, rows, run._info(0.05))
    other = gori.Simulation(model, gori.Adams(step=1e-3, order=2), loops="real_time").run(
        0.05, sample=0.01, progress=False
    )
    assert np.array_equal(rec.q, other.q) and np.array_equal(rec.time, other.time)
    assert rec["truck.wheel_fl.load"] == pytest.approx(other["truck.wheel_fl.load"])
    folder = RunFolder(tmp_path / "runs")
    path = folder.new("drive")
    rec.save(path)
    assert folder.new("drive") != path and len(gori.open_run(path)) == 6
    folder.close()
    assert path.exists()  # a folder that was given stays
