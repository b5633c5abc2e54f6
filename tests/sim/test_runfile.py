"""A run out of a Spec with its section `run`: folders, settings, summaries, and runs that go on."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError
from gori.sim.runfile import (
    channel_names,
    conservative,
    default_folder,
    energy,
    open_run,
    read_summary,
    resume_run,
    run_spec,
    summary,
    with_run,
)
from tests.sim.machines import falling, hinge, with_forces

RUN = {"duration": 0.5, "method": {"type": "rk4", "step": 1e-3}, "sample": 0.01, "record": ["rail.*"]}


def spec(**run):
    return falling().set("run", RUN | run)


def test_the_folder_of_a_run(tmp_path):
    rec = run_spec(spec(events={"low": "rail.q - 0.5"}), tmp_path / "a", csv=True, plots=False, progress=False)
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "channels.csv", "run.h5", "run.yaml", "summary.json",
    ]  # fmt: skip
    again = open_run(tmp_path / "a")
    assert np.array_equal(again.q, rec.q) and again["rail.a"] == pytest.approx(-9.81 * np.ones(len(rec)))
    about = read_summary(tmp_path / "a")
    assert about["ended"] == "finished" and about["steps"] == 500 and about["samples"] == len(rec)
    assert about["events"][0]["time"] == pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=1e-9)
    assert gori.load(tmp_path / "a" / "run.yaml").run == spec(events={"low": "rail.q - 0.5"}).run
    with pytest.raises(FileError, match="contains the results of an earlier run"):
        run_spec(spec(), tmp_path / "a", progress=False)
    with pytest.raises(FileError, match="there is nothing to resume"):
        resume_run(tmp_path / "a")


def test_a_stop_ends_it(tmp_path):
    stop = spec(events={"low": {"value": "rail.q - 0.5", "action": "stop"}})
    rec = run_spec(stop, tmp_path, plots=False, progress=False)
    assert rec["rail.q"][-1] == pytest.approx(0.5) and read_summary(tmp_path)["ended"] == "stopped by low"
    assert summary(rec, "failed: at once")["ended"] == "failed: at once"


def test_interrupted_and_taken_up_again(tmp_path):
    whole = run_spec(spec(), tmp_path / "whole", plots=False, progress=False)
    asked = iter(range(20))

    def driver(_):
        if next(asked) == 15:
            raise KeyboardInterrupt

    (tmp_path / "part").mkdir()
    simulation = gori.Simulation(gori.compile(spec()), gori.RK4(step=1e-3), driver=driver, driver_period=0.02)
    simulation._programs = dict  # the driver only stands for Ctrl-C
    part = simulation.run(0.5, sample=0.01, path=tmp_path / "part" / "run.h5", progress=False)
    assert part.info["interrupted"] and part.time[-1] < 0.35 and read_summary(tmp_path / "part") == {}
    rest = resume_run(tmp_path / "part", plots=False, progress=False)
    assert np.array_equal(rest.q, whole.q) and read_summary(tmp_path / "part")["ended"] == "finished"


def test_other_settings():
    given = spec()
    assert with_run(given) is given and with_run(given, duration=0.5) is given
    assert with_run(given, duration=2.0).run.duration == 2.0
    assert with_run(given, method="dopri5").run.method == {"type": "dopri5"}  # the step belonged to the other
    assert with_run(given, step=0.01).run.method == {"type": "rk4", "step": 0.01}
    assert with_run(falling(), duration=1.0, step=0.1).run.method == {"type": "rk4", "step": 0.1}
    with pytest.raises(InputError, match="device cuda is for particles, but there are none"):
        with_run(given, device="cuda")


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ({"method": {"type": "rk5"}}, "run.method: method 'rk5' is not one of"),
        ({"loops": {"type": "glue"}}, "run.loops:"),
        ({"record": ["ral.q"]}, "run.record: no channel matches 'ral.q'; did you mean 'rail.q'"),
        ({"plots": [["rail.q"], ["z"]]}, "run.plots.1: z has no columns"),
    ],
)
def test_refused_before_anything_is_written(run, words, tmp_path):
    with pytest.raises(InputError, match=words):
        run_spec(spec(**run), tmp_path / "a", progress=False)
    assert not (tmp_path / "a").exists()


def test_nothing_to_run(tmp_path):
    with pytest.raises(InputError, match="no duration given"):
        run_spec(falling(), tmp_path)
    with pytest.raises(FileError, match=r"it has no run\.h5"):
        resume_run(tmp_path)
    assert default_folder("a/b/crane.yaml").as_posix() == "out/crane" and read_summary(tmp_path) == {}


def test_energy_drifts_only_where_gravity_alone_does_work():
    free = gori.Simulation(gori.compile(falling()), gori.RK4(step=1e-3)).run(0.5, sample=0.1)
    assert conservative(free.model) and energy(free)["drift"] < 1e-12
    assert energy(free)["start"] == pytest.approx(9.81)
    push = with_forces(hinge(), push={"type": "torque", "joint": "axle", "value": 1.0})
    pushed = gori.Simulation(gori.compile(push), gori.RK4(step=1e-3)).run(0.5, sample=0.1)
    assert not conservative(pushed.model) and energy(pushed)["drift"] is None
    assert energy(pushed)["end"] == pytest.approx(0.5 * 0.5**2)


def test_patterns_name_each_channel_once():
    rec = gori.Simulation(gori.compile(falling()), gori.RK4(step=1e-3)).run(0.1, sample=0.1)
    names = channel_names(rec, ["rail.v", "rail.*", "time"])
    assert names[0] == "rail.v" and names[-1] == "time" and len(set(names)) == len(names) > 3
