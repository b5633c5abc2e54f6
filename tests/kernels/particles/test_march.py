"""Many sub-steps on the CPU: against the textbook twin, for any number of workers, and what ends a march."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.kernels.particles.march import march, runaway
from gori.model.particles.state import fresh_state
from gori.model.particles.walls import wall_tables
from gori.sim.particles.cpu import CpuEngine
from tests.plain import plain, rows
from tests.reference import particles as twin
from tests.sim.particles.heaps import (
    CASES,
    DENSITY,
    GRAVITY,
    ONE,
    RADIUS,
    STEP,
    bed_of,
    corner,
    heap,
    pile,
    setup_of,
)
from tests.sim.particles.poses import riding, still


@pytest.mark.parametrize(("case", "full"), [*((case, False) for case in CASES), ("equal", True), ("some roll", True)])
def test_against_the_twin(case, full):
    """Some hundred sub-steps in a corner, several lists: places, velocities, spins, histories, push on the walls; with
    friction at the contact point or at the whole radius.
    """
    pairs, materials, law, rolling, spread = CASES[case]
    place, motion = heap(44, 1, spread, materials)
    planes = corner(materials - 1)
    setup = setup_of(pairs, materials, law, planes, rolling, workers=2)._replace(full_arm=float(full))
    bed = bed_of(setup, place, motion)
    book = twin.Grains(
        place, motion[:, 3], pairs, "hertz" if law == t.HERTZ else "voigt", v=motion[:, :3], w=motion[:, 4:7],
        material=motion[:, t.MATERIAL].astype(int), walls=planes, gravity=GRAVITY, full_arm=full,
    )  # fmt: skip
    for steps in (30, 90):
        pushed = np.zeros(3)
        for _ in range(steps):
            book.step(STEP)
            pushed += book.wall_force.sum(axis=0)
        assert bed.march(still(steps), STEP) is None
        _, x, v = bed.snapshot()
        np.testing.assert_allclose(x[:, :3], book.place[:, :3], rtol=0, atol=1e-12 * RADIUS)
        np.testing.assert_allclose(v[:, :3], book.v, rtol=0, atol=1e-11 * np.abs(book.v).max())
        np.testing.assert_allclose(v[:, 4:7], book.w, rtol=0, atol=1e-11 * np.abs(book.w).max())
        np.testing.assert_allclose(bed.wrench[0, 3:], pushed, rtol=0, atol=1e-11 * np.abs(pushed).max())
        state = bed.state()
        assert len(book.history) > 15 or steps > 30
        mine = {tuple(pair): h for pair, h in zip(state.pairs.tolist(), state.history)}
        mine |= {(i, ("wall", k)): h for (i, k), h in zip(state.walls.tolist(), state.wall_history)}
        assert mine.keys() == book.history.keys()
        scale = max((np.abs(h[0]).max() for h in book.history.values()), default=0.0)
        for key, (h, g) in book.history.items():
            np.testing.assert_allclose(mine[key][:3], h, rtol=0, atol=1e-10 * scale)
            np.testing.assert_allclose(mine[key][4:7], g, rtol=0, atol=1e-10 * scale * RADIUS)
    assert bed.counts()["rebuilds"] > 2


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_workers_do_not_change_a_bit(spread):
    beds = [pile(workers, spread=spread) for workers in (1, 2, 3)]
    assert beds[1].workers == 2
    for bed in beds:
        assert bed.march(still(120), STEP) is None
        assert bed.counts()["rebuilds"] > 2
    for bed in beds[1:]:
        assert all(a.tobytes() == b.tobytes() for a, b in zip(bed.state(), beds[0].state()))
        assert bed.wrench.tobytes() == beds[0].wrench.tobytes()


def test_too_deep_and_too_fast():
    place, motion = heap(300, 6)
    deep = place.copy()
    deep[1, :3] = deep[0, :3] + [0.0, 0.0, 1.4 * RADIUS]
    failure = bed_of(setup_of(ONE), deep, motion).march(still(2), STEP)
    assert failure is not None and failure.code == t.TOO_DEEP
    for speed in (0.3 * RADIUS / STEP, math.nan):
        fast = motion.copy()
        place[17, 0] = 1.0  # alone
        fast[17, 1] = speed
        failure = bed_of(setup_of(ONE), place, fast).march(still(2), STEP)
        assert failure is not None and failure.code == t.RUNAWAY and failure.id == 17


def test_a_bed_of_none_and_of_one():
    for count in (0, 1):
        place, motion = heap(8, 7)
        bed = bed_of(setup_of(ONE, planes=corner(), workers=2), place[:count], motion[:count])
        assert bed.march(still(5), STEP) is None
        assert len(bed.snapshot()[0]) == count and bed.counts()["contacts"] == 0


def test_lists_hold_while_grains_ride_along():
    """A body far off turns by 0.01 rad and drives on; grains on it move by 20 skins, but hardly seen from the body."""
    steps, velocity, spin = 400, np.array([2.0, -1.0, 0.5]), 5.0
    place, motion = heap(60, 4)
    apart = place.copy()
    apart[:, :3] *= 1.05  # none touch
    lists, ends = {}, {}
    for home in (0, -1):
        for name, at in (("apart", apart), ("in touch", place)):
            x, v = at.copy(), motion.copy()
            x[:, :3] += (0.3, 0.2, -0.1)
            v[:, :3] = velocity + np.cross([0.0, 0.0, spin], x[:, :3])
            setup = setup_of(ONE)._replace(home=home, gravity=np.zeros(3))
            bed = CpuEngine(setup, fresh_state(x, v, np.arange(len(x)), riding(0, STEP, velocity, spin)[0]))
            assert bed.march(riding(steps, STEP, velocity, spin), STEP) is None
            lists[home, name], ends[home, name] = bed.counts()["rebuilds"], bed.snapshot()
    assert lists[0, "apart"] == 1 and lists[-1, "apart"] > 15
    assert lists[0, "in touch"] < lists[-1, "in touch"]
    for name in ("apart", "in touch"):
        np.testing.assert_allclose(ends[0, name][1], ends[-1, name][1], rtol=0, atol=1e-9 * RADIUS)
        np.testing.assert_allclose(ends[0, name][2][:, :3], ends[-1, name][2][:, :3], rtol=0, atol=1e-9)


@pytest.mark.parametrize("far", [10.0, 1e30])
def test_a_plane_comes_near_while_the_home_turns(far):
    """A grain rides down on a body that turns about the origin of the ground, whose plane it hits."""
    steps, spin, arm = 400, 5.0, 0.5
    plane = (
        1,
        "ground.floor",
        SimpleNamespace(type="plane", normal=np.eye(3)[2]),
        np.eye(3),
        np.array([0, 0, -3e-3]),
        0,
    )
    table, angle = np.repeat(still(steps), 2, axis=1), spin * STEP * np.arange(steps + 1)
    table[:, 0, t.ROT], table[:, 0, t.ROT + 2] = np.cos(angle), np.sin(angle)
    table[:, 0, t.ROT + 6], table[:, 0, t.ROT + 8] = -np.sin(angle), np.cos(angle)
    table[:, 0, t.OMEGA + 1] = spin
    motion, place = np.zeros((1, 8)), np.array([[arm, 0.0, 0.0, RADIUS]])
    motion[0, 2], motion[0, t.MASS] = -arm * spin, DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    ends = []
    for home in (0, -1):
        setup = setup_of(ONE)._replace(
            walls=wall_tables([plane], RADIUS, 2),
            home=home,
            gravity=np.zeros(3),
            low=np.full(3, -far),
            high=np.full(3, far),
        )
        bed = CpuEngine(setup, fresh_state(place, motion, np.arange(1), table[0]))
        assert bed.march(table, STEP) is None
        assert bed.wrench[1, 5] < 0.0 and bed.snapshot()[2][0, 2] > 0.1  # it has bounced
        ends.append(bed.snapshot()[1])
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-9 * RADIUS)


def test_free_flight_is_a_leapfrog():
    """v += dt g, then x += dt v, for each of nine particles, which are one group of eight and a rest."""
    place, motion = heap(9, 3)
    place[:, :3] *= 3.0
    motion[:, :3] *= 0.01
    bed = bed_of(setup_of(ONE), place, motion)
    steps = 40
    assert bed.march(still(steps), STEP) is None
    _, x, v = bed.snapshot()
    np.testing.assert_allclose(v[:, :3], motion[:, :3] + steps * STEP * GRAVITY, rtol=1e-12)
    way = steps * STEP * motion[:, :3] + 0.5 * steps * (steps + 1) * STEP**2 * GRAVITY
    np.testing.assert_allclose(x[:, :3] - place[:, :3], way, rtol=1e-7)
    assert np.array_equal(v[:, 3:], motion[:, 3:]) and np.array_equal(x[:, 3], place[:, 3])


def test_a_march_of_no_steps_makes_lists():
    bed = bed_of(setup_of(ONE), *heap(20))
    before = bed.counts()["rebuilds"]
    bed._g.pose[:] = still(0)
    assert march(bed._g, 0, 1, 0, 0) == t.OK
    assert bed.counts()["rebuilds"] == before + 1 and bed._progress["fresh"] == 1


def test_the_first_runaway_is_found():
    bed = bed_of(setup_of(ONE), *heap(20))
    bed.march(still(1), STEP)
    g = bed._g._replace(settings=rows(bed._g.settings))
    x, u = g.sphere[0].copy(), g.motion[0].copy()
    assert plain(runaway)(g, x, u, 0, 20) == -1
    u[[7, 12], 1] = 0.26 * RADIUS / STEP
    assert plain(runaway)(g, x, u, 0, 20) == 7 and plain(runaway)(g, x, u, 8, 12) == -1
    u[12, 0] = math.nan
    assert plain(runaway)(g, x, u, 8, 20) == 12
