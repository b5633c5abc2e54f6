"""Runs with a file: what it holds to be taken up from, and what is left of a run that fails."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.sim.recorded import OPTIONS, read_run
from tests.sim.machines import busy, falling
from tests.sim.resume_cases import free_four_bar


def test_a_file_tells_how_to_go_on(tmp_path):
    simulation = free_four_bar(gori.RK4(step=1e-3))(loops="partition")
    rec = simulation.run(0.05, sample=5e-3, path=tmp_path / "run.h5", progress=False)
    found = read_run(tmp_path / "run.h5")
    assert found.state == simulation.state
    assert set(found.options) <= set(OPTIONS) and found.options["loops"] == simulation.loops.settings()
    assert found.info["duration"] == 0.05 and "steps" not in found.info and "events" not in found.info
    nq, nv = simulation.model.nq, simulation.model.nv
    assert found.rows(3).shape == (3, 1 + nq + nv + 1 + 1)  # with the work and the turns of its cut
    np.testing.assert_array_equal(found.rows(99)[:, 1 + nq + nv], rec["energy.work"])
    np.testing.assert_array_equal(found.rows(99)[:, 0], rec.time)


def test_what_holds_no_checkpoint_is_refused(tmp_path):
    rec = gori.Simulation(gori.compile(falling())).run(0.01, progress=False)
    rec.save(tmp_path / "rec.h5")
    with pytest.raises(InputError, match="holds no checkpoint to go on from"):
        read_run(tmp_path / "rec.h5")


def test_a_run_that_fails_keeps_its_samples(tmp_path):
    """In memory and in the file, which says why."""

    def broken(t, q, v):
        if t > 0.05:
            raise ValueError("enough")
        return 0.0 * v

    simulation = gori.Simulation(gori.compile(busy()), gori.RK4(step=1e-3), forces=broken)
    with pytest.raises(SimulationError, match="ValueError: enough") as caught:
        simulation.run(0.2, sample=1e-3, path=tmp_path / "run.h5", progress=False)
    rec, stored = caught.value.recording, gori.Recording.load(tmp_path / "run.h5")
    assert rec.time[-1] == pytest.approx(0.05) and rec.info["steps"] == 50
    np.testing.assert_array_equal(stored.q, rec.q)
    assert "enough" in stored.info["error"]
