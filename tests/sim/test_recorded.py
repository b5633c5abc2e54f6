"""Runs with a file: what it holds to be taken up from, and what is left of a run that fails."""

import copy
import pickle

import numpy as np
import pytest

import gori
from gori.errors import DamageWarning, FileError, InputError, SimulationError
from gori.record.columns import open_columns
from gori.record.lock import Lock
from gori.sim.recorded import OPTIONS, read_run
from tests.sim.machines import busy, falling
from tests.sim.resume_cases import free_four_bar


def test_a_file_tells_how_to_go_on(tmp_path):
    simulation = free_four_bar(gori.RK4(step=1e-3))(loops="partition")
    simulation.run(0.05, sample=5e-3, path=tmp_path / "run.h5", progress=False)
    found = read_run(tmp_path / "run.h5")
    assert found.state == simulation.state
    assert set(found.options) <= set(OPTIONS) and found.options["loops"] == simulation.loops.settings()
    assert found.info["duration"] == 0.05 and "steps" not in found.info and "events" not in found.info


@pytest.mark.parametrize("method", [gori.RK4(step=1e-3), gori.Dopri5(), gori.Radau5(), gori.GeneralizedAlpha()])
def test_the_end_is_the_last_sample(method, tmp_path):
    """Also where the time between samples does not divide the run; once, and in the file."""
    model, path = gori.compile(busy()), tmp_path / "run.h5"
    simulation = gori.Simulation(model, method)
    rec = simulation.run(1.0, sample=0.3, path=path, progress=False)
    np.testing.assert_allclose(rec.time, [0.0, 0.3, 0.6, 0.9, 1.0], atol=1e-12)
    np.testing.assert_array_equal(rec.q[-1], simulation.q)
    np.testing.assert_array_equal(gori.Recording.load(path).q, rec.q)
    again = gori.Simulation.resume(path, progress=False)  # it has ended: nothing is left to do
    np.testing.assert_array_equal(again.time, rec.time)
    whole = gori.Simulation(model, method).run(1.0, sample=0.1, progress=False)
    np.testing.assert_allclose(whole.time, np.arange(11) / 10.0, atol=1e-12)


def test_a_run_in_two_parts_has_the_same_end(tmp_path):
    model, path = gori.compile(busy()), tmp_path / "run.h5"
    rec = gori.Simulation(model, gori.RK4(step=1e-4)).run(2.0, sample=0.3, progress=False)
    part = gori.Simulation(model, gori.RK4(step=1e-4)).run(2.0, sample=0.3, progress=False, path=path, max_wall=1e-9)
    assert part.info["end"] == "interrupted" and part.time[-1] < 2.0
    both = gori.Simulation.resume(path, progress=False)
    np.testing.assert_array_equal(both.time, rec.time)
    np.testing.assert_array_equal(both.q, rec.q)


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


def test_with_a_path_samples_are_in_the_file_alone(tmp_path, monkeypatch):
    """The Recording reads from it, also when another run has taken its name."""
    monkeypatch.setattr("gori.record.columns.AT_ONCE", 0)
    path, model = tmp_path / "run.h5", gori.compile(busy())
    rec = gori.Simulation(model, gori.RK4(step=1e-3)).run(0.2, sample=1e-3, path=path, progress=False)
    alone = gori.Simulation(model, gori.RK4(step=1e-3)).run(0.2, sample=1e-3, progress=False)
    gori.Simulation(model, gori.RK4(step=1e-3)).run(0.1, sample=1e-3, path=path, progress=False, overwrite=True)
    assert rec._columns.path == str(path) and rec.model is model and rec.channels() == alone.channels()
    for name in rec.channels():
        np.testing.assert_array_equal(rec[name], alone[name], err_msg=name)
    for one in (rec, alone):
        one.info["made_by"].pop("date")
    assert rec.info == alone.info


@pytest.mark.parametrize("large", [False, True])
def test_the_end_of_a_run_with_a_file_is_its_last_sample(tmp_path, monkeypatch, large):
    """Also where it is taken up, and the samples before are in the file alone."""
    if large:
        monkeypatch.setattr("gori.record.columns.AT_ONCE", 0)
    path, method = tmp_path / "run.h5", gori.RK4(step=1e-3)
    stopping = True

    def driver(_):
        if stopping and simulation.time > 0.045:
            raise KeyboardInterrupt

    simulation = gori.Simulation(gori.compile(busy()), method, driver=driver)
    left = simulation.run(0.1, sample=0.03, path=path, progress=False)
    assert left.info["end"] == "interrupted" and left.time[-1] == pytest.approx(0.03)
    stopping, before = False, left.part(slice(0, 2)).q
    rec = gori.Simulation.resume(path, progress=False, driver=driver)
    np.testing.assert_allclose(rec.time, [0.0, 0.03, 0.06, 0.09, 0.1])
    np.testing.assert_array_equal(gori.Recording.load(path).time, rec.time)
    np.testing.assert_array_equal(left.q, rec.q[:2])
    np.testing.assert_array_equal(before, rec.q[:2])


def test_a_large_run_that_is_stopped_reads_on_while_it_is_taken_up(tmp_path, monkeypatch):
    """It is not packed: the same file grows again in place."""
    monkeypatch.setattr("gori.record.columns.AT_ONCE", 0)
    monkeypatch.setattr("gori.sim.recorded.QUICKLY_PACKED", 0)
    path, method, stopping = tmp_path / "run.h5", gori.RK4(step=1e-3), True

    def driver(simulation):
        if stopping and simulation.time > 0.045:
            raise KeyboardInterrupt

    left = gori.Simulation(gori.compile(busy()), method, driver=driver).run(0.1, 1e-3, path, progress=False)
    count, stopping = len(left), False
    rec = gori.Simulation.resume(path, progress=False, driver=driver)
    assert 40 <= count == len(left) < len(rec) == 101
    for name in ("time", "q", "v"):
        np.testing.assert_array_equal(left[name], rec[name][:count])


def test_nobody_writes_on_a_file_before_its_samples_are_opened(tmp_path, monkeypatch):
    path, tried = tmp_path / "run.h5", []

    def opened(name, *more):
        with pytest.raises(FileError, match="is in use"):
            Lock(name)
        tried.append(name)
        return open_columns(name, *more)

    monkeypatch.setattr("gori.sim.recorded.open_columns", opened)
    gori.Simulation(gori.compile(falling())).run(0.01, path=path, progress=False)
    assert tried == [path]
    Lock(path).release()


def push(t, q, v):
    return -0.1 * v


def test_a_recording_of_a_run_is_copied_and_pickled():
    """With its accelerations, also with forces of the user if they can be pickled, else with what was computed."""
    for force, there in ((push, True), (lambda t, q, v: -0.1 * v, False)):
        rec = gori.Simulation(gori.compile(busy()), gori.RK4(step=1e-3), forces=force).run(0.05, progress=False)
        back = pickle.loads(pickle.dumps(rec))
        assert back.channels() == rec.channels() and copy.deepcopy(rec).channels() == rec.channels()
        np.testing.assert_array_equal(copy.deepcopy(rec)["a"], rec["a"])
        if there:
            np.testing.assert_array_equal(back["a"], rec["a"])
        else:
            with pytest.raises(InputError, match="need its user force functions"):
                back["a"]
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(rec))["a"], rec["a"])


def test_a_run_whose_notes_are_lost_is_not_continued(tmp_path):
    gori.Simulation(gori.compile(falling())).run(0.01, path=tmp_path / "run.h5", progress=False)
    data = bytearray((tmp_path / "run.h5").read_bytes())
    at = data.find(b'"duration"')
    data[at] = 255
    (tmp_path / "run.h5").write_bytes(data)
    with (
        pytest.warns(DamageWarning, match="other notes are missing"),
        pytest.raises(FileError, match="does not say the method of its run"),
    ):
        read_run(tmp_path / "run.h5")


def test_a_run_that_cannot_begin_leaves_no_recording(tmp_path):
    """Frames of particles cannot be stored: nothing of the recording is left beside the file that is in the way."""
    model = gori.compile(gori.load("examples/tray.yaml").set("particles.load.fill.count", 20))
    (tmp_path / "run.particles.h5").write_text("mine")
    with pytest.raises(FileError, match="already exists"):
        gori.Simulation(model).run(0.01, path=tmp_path / "run.h5", frames=0.005, progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["run.particles.h5"]
