"""Grains on any number of threads, in runs that are killed or interrupted, and grains that come and go."""

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model import threads
from gori.model.particles.part import checked_part, start_of_particles
from gori.record import Frames, read_checkpoint
from gori.sim import Simulation
from gori.sim.particles.run import ParticleRun
from tests.sim.particles.shaken import DURATION, FRAMES, STEP, simulation
from tests.sim.test_survival import reached, wait_for
from validation.particles_scenes import FLOOR, filled, scene, tube
from validation.particles_scenes import simulation as simulate

ROOT = Path(__file__).parents[3]


def digest(sim):
    """A hash of all that grains are: places, motion, contacts and their history."""
    whole = hashlib.sha256()
    for array in sim.particles.engine.state():
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()


@pytest.fixture
def all_threads():
    before = threads()
    yield
    threads(before)


def test_same_bits_on_one_two_and_three_threads(all_threads):
    """2300 grains are three chunks; with friction, rolling and a wall that turns."""
    body = {"drum": {"mass": 1.0, "inertia": [1, 1, 1], "shapes": {"wall": tube(0.06, 0.3, ends=("top",))}}}
    joints = {"axle": {"type": "revolute", "parent": "ground", "child": "drum", "axis": [0, 0, 1], "v": 3.0}}
    spec = scene(
        None, E=1e6, rolling=0.1, bodies=body, joints=joints, particles=filled("drum.wall", 2300, [0.003, 0.005])
    )
    hashes = []
    for count in (1, 2, 3):
        threads(count)
        sim = simulate(spec, 2e-3)
        sim.advance(60)
        assert sim.particles.setup.workers == count and sim.particles.contacts()["contacts"] > 1000
        hashes.append(digest(sim))
    assert len(set(hashes)) == 1


def same_end(path, whole):
    """The checkpoint at the end of a file holds the grains of a Simulation, to the last bit."""
    saved = read_checkpoint(path)
    for name, value in whole.particles.state().items():
        np.testing.assert_array_equal(saved.particles[name], value, err_msg=name)


def same_frames(found, expected):
    assert len(found) == len(expected) == round(DURATION / FRAMES) + 1
    for mine, theirs in zip(found, expected):
        assert mine.time == theirs.time
        for name in ("id", "position", "velocity"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)


def test_saving_and_restoring_after_each_step_changes_no_bit():
    """Wherever a run is stopped: between lists, right after new ones, after grains came in or went out."""
    one, other = simulation(), simulation()
    for _ in range(150):
        one.advance()
        other.advance()
        assert digest(one) == digest(other), one.time
        other.particles.load(other.particles.state())
    np.testing.assert_array_equal(one.q, other.q)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_killed_run_goes_on_bit_for_bit(tmp_path):
    path = tmp_path / "run.h5"
    whole = simulation()
    child = subprocess.Popen([sys.executable, "-m", "tests.sim.particles.shaken", path], cwd=ROOT)
    try:
        wait_for(lambda: path.exists() and reached(path) > 0.0)
        assert child.poll() is None, "the run was over before it could be killed"
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    at = reached(path)
    assert 0.0 < at < DURATION
    left = Frames(tmp_path / "run.particles.h5")
    assert 1 <= len(left) < DURATION / FRAMES and len(left[len(left) - 1].id) > 300
    rec = Simulation.resume(path, progress=False)
    expected = whole.run(DURATION, sample=2e-3, path=tmp_path / "whole.h5", frames=FRAMES, progress=False)
    for name in ("time", "q", "v", "z"):
        np.testing.assert_array_equal(getattr(rec, name), getattr(expected, name))
    same_end(path, whole)
    same_frames(rec.frames, expected.frames)


def test_ctrl_c_keeps_recording_and_frames(tmp_path):
    path = tmp_path / "run.h5"

    def tired(sim):
        if sim.time > 0.2:
            raise KeyboardInterrupt

    rec = simulation(driver=tired).run(DURATION, sample=2e-3, path=path, frames=FRAMES, progress=False)
    assert rec.info["interrupted"] and 0.2 < rec.time[-1] < 0.22
    assert len(rec.frames) == 11 and len(rec.frames[10].id) > 300
    stored = gori.Recording.load(path)
    np.testing.assert_array_equal(stored.z, rec.z)
    whole = simulation()
    expected = whole.run(DURATION, sample=2e-3, path=tmp_path / "whole.h5", frames=FRAMES, progress=False)
    rec = Simulation.resume(path, progress=False, driver=lambda sim: None, changed=True)
    np.testing.assert_array_equal(rec.z, expected.z)
    same_end(path, whole)
    same_frames(rec.frames, expected.frames)


def test_a_run_goes_on_from_a_state():
    one, other = simulation(), simulation()
    one.advance(120)
    middle = one.state
    one.advance(80)
    other.state = middle
    other.advance(80)
    # its clock counts from there on, so times differ by rounding
    np.testing.assert_array_equal(one.particles.id, other.particles.id)
    np.testing.assert_allclose(other.particles.position, one.particles.position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.q, one.q, rtol=0, atol=1e-12)


def test_what_comes_in_and_goes_out_is_counted():
    sim = simulation()
    particles, start, seen, lost = sim.particles, len(sim.particles), set(), 0
    for _ in range(300):
        before = dict(zip(particles.id, particles.mass))
        sim.advance()
        now = dict(zip(particles.id, particles.mass))
        gone, new = before.keys() - now.keys(), now.keys() - before.keys()
        assert not new & seen, "an ident came twice"
        assert sum(now.values()) == pytest.approx(
            sum(before.values()) - sum(before[k] for k in gone) + sum(now[k] for k in new), rel=1e-13
        )
        seen |= new
        lost += len(gone)
    assert len(seen) == round(300.0 * (0.3 - 0.02))  # the rate of the inlet, from its start
    assert lost > 0
    assert len(particles) == start + len(seen) - lost


def heap(count=200):
    """Grains at rest on a floor, in a box."""
    box = {"type": "box", "size": [0.08, 0.08, 0.2], "at": [0, 0, 0.1], "hollow": True, "material": "wall"}
    spec = scene(
        None, {"bin": box}, E=1e6, rolling=0.1, particles=filled("ground.bin", count, [0.003, 0.005], "poured")
    )
    sim = simulate(spec, 2e-3)
    sim.advance(200)
    return sim


def contacts_of(sim, without=()):
    """{pair: history} and {(grain, wall): history} of contacts that none of these grains takes part in."""
    state = sim.particles.engine.state()
    pairs = {tuple(p): h for p, h in zip(state.pairs.tolist(), state.history.tolist()) if not set(p) & set(without)}
    walls = {tuple(w): h for w, h in zip(state.walls.tolist(), state.wall_history.tolist()) if w[0] not in without}
    return pairs, walls


def test_added_grains_leave_the_others_alone():
    alone, joined = heap(), heap()
    before = contacts_of(joined)
    assert len(before[0]) > 300
    joined.particles.add([[0.0, 0.0, 0.19], [0.03, 0.03, 0.18]], [0.004, 0.005], "grain", velocity=[0.0, 0.1, 0.0])
    assert contacts_of(joined) == before
    assert joined.particles.id[-2:].tolist() == [200, 201]
    for sim in (alone, joined):
        sim.advance(20)
    # they stand in another order in memory, so sums differ by rounding
    np.testing.assert_allclose(joined.particles.position[:200], alone.particles.position, rtol=0, atol=1e-10)
    assert joined.particles.position[200, 2] < 0.19


def test_removed_grains_leave_the_others_alone():
    sim = heap()
    particles = sim.particles
    top = particles.position[:, 2] > np.quantile(particles.position[:, 2], 0.9)
    gone = particles.id[top].tolist()
    kept = contacts_of(sim, gone)
    mass = particles.mass[~top].sum()
    assert particles.remove(top) == len(gone)
    assert contacts_of(sim) == kept
    assert particles.mass.sum() == pytest.approx(mass, rel=1e-14)
    assert not set(gone) & set(particles.id.tolist())
    sim.advance(20)
    particles.remove(np.ones(len(particles), bool))
    assert len(particles) == 0 and particles.momentum.tolist() == [0.0, 0.0, 0.0]
    sim.advance(5)  # an empty bed marches on
    particles.add([[0.0, 0.0, 0.05]], 0.004, "grain")
    sim.advance(5)
    assert particles.position[0, 2] < 0.05


def test_grains_that_do_not_fit_are_not_added():
    sim = simulate(scene([[0.0, 0.0, 0.01, 0.01]], FLOOR), 1e-3)
    particles = sim.particles
    with pytest.raises(InputError, match="no material 'sand': grain, wall"):
        particles.add([[0.0, 0.0, 0.1]], 0.01, "sand")
    with pytest.raises(InputError, match=r"radius 0.02 m is larger than the largest"):
        particles.add([[0.0, 0.0, 0.1]], 0.02, "grain")
    with pytest.raises(InputError, match=r"positions \(n, 3\) of finite numbers, and positive radii"):
        particles.add([[0.0, np.nan, 0.1]], 0.01, "grain")
    with pytest.raises(InputError, match="1 booleans"):
        particles.remove([True, False])
    assert len(particles) == 1


def test_what_is_known_of_the_last_step_stays_when_grains_come_and_go():
    sim = simulate(scene([[0.0, 0.0, 0.01, 0.01], [0.1, 0.0, 0.01, 0.01]], FLOOR), 1e-3)
    sim.advance(300)
    particles, force, lists = sim.particles, sim.particles.wall_forces(), sim.particles.contacts()["rebuilds"]
    weight = 9.81 * particles.mass.sum()
    assert force["ground.floor"].sum(axis=0)[2] == pytest.approx(-weight, rel=1e-3)
    particles.add([0.0, 0.1, 0.2], 0.01, "grain")
    particles.remove(particles.position[:, 0] > 0.05)
    assert np.array_equal(particles.wall_forces()["ground.floor"], force["ground.floor"])
    assert particles.contacts()["rebuilds"] > lists
    sim.advance(1)
    assert particles.wall_forces()["ground.floor"].sum(axis=0)[2] == pytest.approx(-0.5 * weight, rel=1e-3)


def test_particles_are_packed_where_the_bodies_are():
    """A part from the same bodies is packed alike, from another state elsewhere; a run starts with what it is given."""
    sim = simulation()
    stepper = sim.stepper
    there = stepper.q.copy()
    there[0] += 0.5
    parts = [start_of_particles(sim.model, q, stepper.v) for q in (stepper.q, there)]

    def run(part):
        part = checked_part(part, sim.model.particles)
        return ParticleRun(sim.model, stepper.machine, stepper.data, "cpu", STEP, stepper.y, part).particles

    state, moved = (run(part).state() for part in parts)
    for name, value in sim.particles.state().items():
        np.testing.assert_array_equal(state[name], value, err_msg=name)
    np.testing.assert_allclose(moved["sphere"][:, :3] - state["sphere"][:, :3], [[0.5, 0.0, 0.0]] * 400, atol=1e-12)
    again = run(state)
    np.testing.assert_array_equal(again.state()["sphere"], state["sphere"])


@pytest.mark.parametrize("stored", [True, False])
def test_frames_of_a_run_end_with_it(tmp_path, stored):
    """Steps after it go on, and leave the frames of the recording alone."""
    sim = simulation()
    rec = sim.run(0.04, path=tmp_path / "run.h5" if stored else None, frames=0.01, progress=False)
    sim.advance(20)
    assert len(rec.frames) == 5 and rec.frames[-1].time == pytest.approx(0.04)
