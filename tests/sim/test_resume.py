"""A State that was saved, and one that was pickled, are taken up by another process: the same digest at the end."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import InputError, RestartWarning
from tests.sim.resume_cases import METHODS, arm, cases, free_four_bar

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def digests(tmp_path_factory):
    """{file: digest}: as this process goes on, and as another does."""
    folder = tmp_path_factory.mktemp("states")
    here = {}
    for name, (make, first, more) in cases().items():
        simulation = make()
        simulation.run(first, progress=False)
        state, file = simulation.state, name.replace(" ", "_")
        state.save(folder / f"{file}.npz")
        (folder / f"{file}.pickle").write_bytes(pickle.dumps(state))
        simulation.run(more, progress=False)
        here |= dict.fromkeys((f"{file}.npz", f"{file}.pickle"), simulation.state.digest())
    command = [sys.executable, "-m", "tests.sim.resume_cases", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return here, dict(line.split() for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", cases())
@pytest.mark.parametrize("kind", ["npz", "pickle"])
def test_the_same_bits_in_another_process(digests, name, kind):
    here, there = digests
    file = f"{name.replace(' ', '_')}.{kind}"
    assert there[file] == here[file]


def test_the_singular_pose_is_passed():
    """The four-bar of the cases swings through the pose in which its loops lose rank."""
    simulation = free_four_bar(METHODS["rk4"], 6.0)()
    rec = simulation.run(0.55, sample=1e-3, progress=False)
    system = simulation.model.loop_system
    smallest = [np.linalg.svd(system.terms(q).J, compute_uv=False) for q in rec.q[250:]]
    assert min(values[-1] / values[0] for values in smallest) < 1e-2


@pytest.mark.parametrize("other", ["adams", "dopri5", "generalized_alpha"])
def test_another_method_drops_the_memory_and_says_so(other):
    make = arm(METHODS["rk4"])
    first = make()
    first.run(0.1, progress=False)
    with pytest.warns(RestartWarning, match="memory of another method.*starts afresh"):
        taken = arm(METHODS[other])(state=first.state)
    np.testing.assert_array_equal(taken.q, first.q)
    assert taken.time == first.time


def test_a_changed_state_starts_afresh():
    make = arm(METHODS["adams"])
    first = make()
    first.run(0.1, progress=False)
    same, changed = first.state, first.state.replace(v=first.v)  # the same numbers, but given anew
    go_on, afresh = make(state=same), make(state=changed)
    first.run(0.1, progress=False)
    go_on.run(0.1, progress=False)
    afresh.run(0.1, progress=False)
    assert go_on.state == first.state
    np.testing.assert_allclose(afresh.q, first.q, rtol=1e-6)
    assert not np.array_equal(afresh.q, first.q)  # Adams began with Runge-Kutta steps


def test_time_has_the_same_bits():
    """0.1 s is not a sum of binary fractions: a grid that started again at 0.1 would drift from the first one."""
    make = arm(METHODS["rk4"])
    whole, pieces = make(), make()
    expected = whole.run(0.3, sample=0.1, progress=False).time
    for _ in range(3):
        rec = pieces.run(0.1, sample=0.1, progress=False)
        pieces = make(state=pieces.state)
        assert rec.time[-1] in expected
    assert pieces.time == whole.time and np.array_equal(pieces.q, whole.q)


def test_a_snapshot_is_no_state():
    simulation = arm(METHODS["rk4"])()
    look = simulation.step(3)
    assert look.time == simulation.time and np.array_equal(look.q, simulation.q)
    with pytest.raises(InputError, match=r"not a Snapshot: take simulation\.state"):
        gori.Simulation(simulation.model, state=look)


def test_a_driver_without_memory_is_not_vouched_for(tmp_path):
    simulation = arm(METHODS["rk4"])()
    path = tmp_path / "run.h5"
    gori.Simulation(simulation.model, METHODS["rk4"], driver=lambda run: None).run(0.05, path=path, progress=False)
    with pytest.warns(RestartWarning, match="has no save and load"):
        gori.Simulation.resume(path, progress=False, driver=lambda run: None)
