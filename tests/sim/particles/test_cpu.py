"""Particles on the CPU: against the textbook twin, for any number of workers, and on from a state bit for bit."""

import math
import signal
from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.kernels.particles.arrays import rows_of_chunk
from gori.model.particles.state import fresh_state
from gori.model.particles.walls import wall_tables
from gori.sim.particles.cpu import CpuEngine
from gori.sim.particles.engine import ParticleSetup
from tests.reference import particles as twin
from tests.sim.particles.poses import riding, still

RADIUS, DENSITY, STEP = 1e-3, 2500.0, 5e-6
GLASS, RUBBER = (5e7, 0.25), (2e7, 0.4)
GRAVITY = np.array([1.0, -2.0, -9.81])


def table(pairs, count):
    """pair_f of the twin's pairs of materials."""
    pair_f = np.zeros((count * count, t.N_PAIR_F))
    pair_f[:, t.HALF], pair_f[:, t.ONE], pair_f[:, t.DEEP], pair_f[:, t.TINY] = 0.5, 1.0, 0.5, 1e-200
    for (a, b), pair in pairs.items():
        for row in (a * count + b, b * count + a):
            pair_f[row, : t.MU_ROLL + 1] = pair
            pair_f[row, t.C_ROLL] = 0.6 * math.sqrt(1.4 * pair.kt)
    return pair_f


def corner(material=0):
    """Three planes that meet at the origin."""
    return [twin.Plane(np.zeros(3), np.eye(3)[k], material) for k in range(3)]


def setup_of(pairs, count=1, law=t.HERTZ, planes=(), rolling=False, skin=0.1 * RADIUS, radius=RADIUS, workers=1):
    shapes = [
        (0, f"ground.{k}", SimpleNamespace(type="plane", normal=plane.normal), np.eye(3), plane.point, plane.material)
        for k, plane in enumerate(planes)
    ]
    walls = wall_tables(shapes, radius, 1)
    far = np.full(3, 10.0)
    return ParticleSetup(table(pairs, count), law, rolling, walls, GRAVITY, skin, radius, -1, -far, far, workers)


def heap(count, seed=0, spread=0.0, materials=1):
    """Grains on a lattice, large and small ones in turn, so narrow that neighbours touch; off their places by chance,
    and in motion: place and motion."""
    rng = np.random.default_rng(seed)
    side = math.ceil(count ** (1.0 / 3.0))
    cells = np.stack(np.unravel_index(rng.permutation(side**3)[:count], (side, side, side)), axis=1)
    place = np.zeros((count, 4))
    place[:, :3] = RADIUS * ((1.96 - spread) * cells + 0.98 + rng.uniform(-0.03, 0.03, (count, 3)))
    small = cells.sum(axis=1) % 2
    place[:, 3] = RADIUS * (1.0 - small * spread * rng.uniform(0.9, 1.0, count))
    motion = np.zeros((count, 8))
    motion[:, :3], motion[:, 4:7] = rng.normal(0.0, 0.05, (count, 3)), rng.normal(0.0, 40.0, (count, 3))
    motion[:, :3] -= 20.0 * place[:, :3]  # into the corner
    motion[:, t.MATERIAL] = rng.integers(materials, size=count)
    motion[:, t.MASS] = DENSITY * 4.0 / 3.0 * math.pi * place[:, 3] ** 3 * (1.0 + motion[:, t.MATERIAL])
    return place, motion


def bed_of(setup, place, motion):
    return CpuEngine(setup, fresh_state(place, motion, np.arange(len(place)), still(0)[0]))


ONE = {(0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4)}
TWO = {
    (0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4),
    (0, 1): twin.hertz_pair(GLASS, RUBBER, 0.7, 0.2),
    (1, 1): twin.hertz_pair(RUBBER, RUBBER, 0.8, 0.0),
}
ROLLING = {(0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4, 0.1)}
SOME_ROLLING = {
    (0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4, 0.1),
    (0, 1): twin.hertz_pair(GLASS, RUBBER, 0.7, 0.2),
    (1, 1): twin.hertz_pair(RUBBER, RUBBER, 0.8, 0.3, 0.05),
}
VOIGT = {(0, 0): twin.Pair(8e5, 2.0, 4e5, 0.5, 0.4)}
CASES = {
    "equal": (ONE, 1, t.HERTZ, False, 0.0),
    "sizes": (ONE, 1, t.HERTZ, False, 0.5),
    "materials": (TWO, 2, t.HERTZ, False, 0.0),
    "materials and sizes": (TWO, 2, t.HERTZ, False, 0.6),
    "rolling": (ROLLING, 1, t.HERTZ, True, 0.0),
    "some roll": (SOME_ROLLING, 2, t.HERTZ, True, 0.4),
    "voigt": (VOIGT, 1, t.VOIGT, False, 0.0),
    "voigt, sizes": (VOIGT, 1, t.VOIGT, False, 0.5),
}


@pytest.mark.parametrize("case", CASES)
def test_against_the_twin(case):
    """Some hundred sub-steps in a corner, several lists: places, velocities, spins, histories, push on the walls."""
    pairs, materials, law, rolling, spread = CASES[case]
    place, motion = heap(44, 1, spread, materials)
    planes = corner(materials - 1)
    bed = bed_of(setup_of(pairs, materials, law, planes, rolling, workers=2), place, motion)
    book = twin.Grains(
        place, motion[:, 3], pairs, "hertz" if law == t.HERTZ else "voigt", v=motion[:, :3], w=motion[:, 4:7],
        material=motion[:, t.MATERIAL].astype(int), walls=planes, gravity=GRAVITY,
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


def pile(workers, count=6000, **given):
    """A bed of several chunks."""
    place, motion = heap(count, 2, given.pop("spread", 0.0))
    return bed_of(setup_of(ONE, planes=corner(), workers=workers, **given), place, motion)


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


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_both_grains_of_a_pair_find_the_same(spread):
    """Pairs of two chunks are computed twice, and have the same history to the last bit, with the other sign."""
    bed = pile(2, spread=spread)
    bed.march(still(60), STEP)
    g, slots, rows = bed._g, bed._touching(), rows_of_chunk(6000)
    owner, other = g.owner[slots], g.other[slots]
    across = owner // rows != other // rows
    history = g.history.reshape(-1, 3, 8)[slots // 8, :, slots % 8]
    seen = {(i, j): h for i, j, h in zip(owner[across], other[across], history[across])}
    assert len(seen) > 200
    assert all(np.array_equal(h, -seen[j, i]) for (i, j), h in seen.items())
    assert np.abs(history[across]).max() > 0.0


def test_momentum_stays():
    """Without walls and gravity the sum of all momenta stays, to rounding: forces are equal and opposite."""
    place, motion = heap(3000, 3, 0.3)
    setup = setup_of(ONE, workers=2)._replace(gravity=np.zeros(3))
    bed = bed_of(setup, place, motion)
    assert bed.march(still(100), STEP) is None
    _, _, after = bed.snapshot()
    momentum = [(m[:, 3:4] * m[:, :3]).sum(axis=0) for m in (motion, after)]
    np.testing.assert_allclose(*momentum, rtol=0, atol=1e-14 * (motion[:, 3:4] * np.abs(motion[:, :3])).sum())


@pytest.mark.parametrize("case", ["equal", "some roll", "voigt, sizes"])
def test_on_from_a_state(case):
    """A run that goes on from a state in the middle of a list's life is the same to the last bit."""
    pairs, materials, law, rolling, spread = CASES[case]
    place, motion = heap(1500, 4, spread, materials)
    motion[:, :3] *= 0.2
    setup = setup_of(pairs, materials, law, corner(), rolling, workers=2)
    bed = bed_of(setup, place, motion)
    assert bed.march(still(90), STEP) is None
    while np.array_equal(bed.state().sphere[:, :3], bed.state().listed_position):
        assert bed.march(still(1), STEP) is None
    state = bed.state()
    assert bed.counts()["rebuilds"] > 1 and len(state.pairs) > 500 and len(state.walls) > 50
    again = CpuEngine(setup._replace(workers=1), state)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(again.state(), state))
    for one in (bed, again):
        assert one.march(still(150), STEP) is None
    assert bed.counts()["rebuilds"] > 2
    assert all(a.tobytes() == b.tobytes() for a, b in zip(bed.state(), again.state()))
    assert bed.wrench.tobytes() == again.wrench.tobytes()


def test_lists_grow():
    """A skin of three radii and planes in layers need more room than there is at first; nothing changes but that."""
    results = []
    for skin in (0.2 * RADIUS, 3.0 * RADIUS):
        place, motion = heap(400, 5)
        floors = [twin.Plane(np.array([0.0, 0.0, -1e-6 * k]), np.array([0.0, 0.0, 1.0])) for k in range(6)]
        bed = bed_of(setup_of(ONE, planes=[*corner(), *floors], skin=skin), place, motion)
        before = bed._capacity["pair_slots"]
        assert bed.march(still(40), STEP) is None
        results.append((bed, before))
    (narrow, _), (wide, _) = results
    rows = rows_of_chunk(400)
    assert (
        wide._capacity["pair_slots"] > 11 * rows + 64 > narrow._capacity["pair_slots"]
        and wide._capacity["wall_slots"] > rows
    )
    assert wide.counts()["contacts"] == narrow.counts()["contacts"]
    np.testing.assert_allclose(wide.snapshot()[1], narrow.snapshot()[1], rtol=0, atol=1e-10 * RADIUS)


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


def test_gaps_that_cannot_close_may_be_skipped():
    """Pairs that nobody has moved far enough to touch are not looked at; to look at all of them changes no bit."""
    some, every = pile(1, 2000, skin=0.5 * RADIUS), pile(1, 2000, skin=0.5 * RADIUS)
    levels = set()
    for _ in range(300):
        assert some.march(still(1), STEP) is None
        levels.add(int(some._progress["level"]))
        every._progress["level"] = 2
        assert every.march(still(1), STEP) is None
    assert levels == {0, 1, 2} and some.counts() == every.counts()
    for a, b in zip(some.snapshot(), every.snapshot()):
        np.testing.assert_array_equal(a, b)


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


def test_ctrl_c_waits_until_workers_have_met():
    """A worker that has begun would wait for ever for the one that was interrupted."""
    x, v = heap(100)
    beds = [CpuEngine(setup_of(ONE, workers=2), fresh_state(x, v, np.arange(len(x)), still(0)[0])) for _ in range(2)]
    interrupted, whole = beds
    submit = interrupted._pool.submit

    def pressed(*task):
        signal.raise_signal(signal.SIGINT)
        return submit(*task)

    interrupted._pool = SimpleNamespace(submit=pressed)
    with pytest.raises(KeyboardInterrupt):
        interrupted.march(still(20), STEP)
    whole.march(still(20), STEP)
    for a, b in zip(interrupted.snapshot(), whole.snapshot()):  # it came to the end of its march
        np.testing.assert_array_equal(a, b)
