"""A State that was saved, and one that was pickled, are taken up by another process: the same digest at the end."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import InputError, RestartWarning
from tests.integrate.test_time_stepping import at, scene
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


IN_CONTACT = [
    gori.RK4(step=2e-4), gori.Adams(step=2e-4), gori.AdamsMoulton(step=2e-4), gori.SemiImplicit(step=2e-4),
    gori.ImplicitEuler(step=1e-3), gori.ImplicitEuler(step=1e-3, newton=True), gori.GeneralizedAlpha(step=2e-4),
    gori.Dopri5(), gori.Radau5(), gori.TimeStepping(step=5e-3),
]  # fmt: skip


def test_all_methods_are_here():
    assert {type(method) for method in IN_CONTACT} == {getattr(gori.methods, name) for name in gori.methods.__all__}


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
@pytest.mark.parametrize("method", IN_CONTACT, ids=lambda method: method.tag())
def test_a_run_in_contact_goes_on_to_the_same_digest(tmp_path, method):
    """As docs/simulate.md prints it; and what is counted of a run is a statistic, in no digest and never lost."""
    ball = ({"type": "sphere", "radius": 0.1}, at(z=0.105), [0.0, 3.0, 0.0, 0.5, 0.0, 0.0])
    model = gori.compile(scene(law={"stiffness": 1e6}, ball=ball))
    simulation = gori.Simulation(model, method)
    simulation.run(0.05, progress=False)
    state = simulation.state
    state.save(tmp_path / "half.npz")
    other = gori.Simulation(model, method, state=gori.State.load(tmp_path / "half.npz"))
    assert other.state.digest() == state.digest()
    one, two = (each.run(0.05, progress=False) for each in (other, simulation))
    assert other.state.digest() == simulation.state.digest() and other.state == simulation.state
    for name in ("impulses", "newton", "jacobian"):
        assert one.info.get(name) == two.info.get(name)


def test_what_is_counted_goes_on_in_a_resumed_run():
    """A State within a run holds what the run has counted, and a new Simulation adds to that."""
    model = gori.compile(scene(ball=({"type": "sphere", "radius": 0.1}, at(z=0.1), [0.0] * 6)))
    simulation = gori.Simulation(model, gori.TimeStepping(step=5e-3))
    simulation.step(10)
    state = simulation.state
    assert list(state.parts["method"]["counts_of_run"][:1]) == [10.0]
    other = gori.Simulation(model, gori.TimeStepping(step=5e-3), state=state)
    other.step(10)
    grown = other.method.counts(other.stepper.memory) - other._kept.counted
    assert other.method.report(grown)["impulses"]["solves"] == 20
    changed = dict(state.parts["method"]) | {"counts_of_run": np.zeros(3)}
    assert gori.State(state.time, state.q, state.v, state.z, {**state.parts, "method": changed}, state.model) == state


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
