"""Forces of walls on particles, and their reactions, against the textbook twin; contacts that go on across facets."""

from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.kernels.particles import wall_contacts as kernel
from gori.kernels.particles.arrays import SETTINGS
from gori.model.particles.facets import facet_rows
from gori.model.particles.walls import wall_tables
from tests.plain import plain, rows
from tests.reference import particles as twin
from tests.reference.walls import counted
from tests.sim.particles.heaps import GLASS, RADIUS, STEP, table
from tests.sim.particles.poses import still

PAIRS = {(0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4, 0.1)}


def arrays(walls, count, law=t.HERTZ, rolling=True):
    """Every particle with a slot for every primitive, nothing touching yet."""
    settings, n = SETTINGS.zeros(1), len(walls[0])
    settings["law"], settings["materials"], settings["step"], settings["history"] = law, 1, STEP, 8 if rolling else 4
    wall_i, wall_f, rim_i, rim_f = walls[:4]
    return SimpleNamespace(
        settings=rows(settings), pair_f=table(PAIRS, 1), wall_i=wall_i, wall_f=wall_f, rim_i=rim_i, rim_f=rim_f,
        wall_begin=n * np.arange(count), wall_end=n * np.arange(1, count + 1), wall=np.tile(np.arange(n), count),
        wall_owner=np.repeat(np.arange(count), n), wall_touching=np.zeros(n * count, np.uint8),
        wall_history=np.zeros((n * count, 8)), wall_near=np.zeros((n * count, 4)), wall_wrench=np.zeros((n * count, 6)),
    )  # fmt: skip


def grains(count, seed=0):
    rng = np.random.default_rng(seed)
    x, v = np.zeros((count, 4)), np.zeros((count, 8))
    x[:, 3] = RADIUS
    x[:, :3] = RADIUS * rng.uniform(0.98, 1.1, (count, 3))
    v[:, :3], v[:, 4:7], v[:, t.MASS] = rng.normal(0.0, 0.3, (count, 3)), rng.normal(0.0, 100.0, (count, 3)), 1e-5
    return x, v


def planes():
    shapes = [
        (0, f"p{k}", SimpleNamespace(type="plane", normal=np.eye(3)[k]), np.eye(3), np.zeros(3), 0) for k in range(3)
    ]
    return wall_tables(shapes, RADIUS, 1)


@pytest.mark.parametrize("moving", [False, True])
def test_against_the_twin(moving):
    """Three sub-steps in a corner whose body may move: loads, histories, and what the walls get."""
    count, pose = 12, still(0)[0]
    V = np.array([0.4, -0.2, 0.1]) if moving else np.zeros(3)
    pose[0, t.VEL : t.VEL + 3] = V
    x, v = grains(count)
    book = twin.Grains(
        x, v[:, t.MASS], PAIRS, v=v[:, :3], w=v[:, 4:7], walls=[twin.Plane(np.zeros(3), n, v=V) for n in np.eye(3)]
    )
    book.place[:, 0] += 10.0 * np.arange(count)  # apart from each other: the twin's grains touch walls alone
    x[:, 0] = RADIUS * 1.5  # and only two of the planes
    book.place[:, 1:], book.walls[0].point = x[:, 1:], np.array([-10.0, 0.0, 0.0])
    g, load = arrays(planes(), count), np.zeros((count, 8))
    pushed = np.zeros((3, 3))
    for _ in range(3):
        load[:] = 0.0
        F, M = book.forces(STEP)
        assert plain(kernel.wall_forces)(g, x, v, pose, load, 0, count) == -1
        np.testing.assert_allclose(load[:, :3], F, rtol=0, atol=1e-12 * np.abs(F).max())
        np.testing.assert_allclose(load[:, 4:7], M, rtol=0, atol=1e-12 * np.abs(M).max())
        pushed += book.wall_force
    for (i, (_, k)), (h, roll) in book.history.items():
        np.testing.assert_allclose(g.wall_history[3 * i + k, :3], h, atol=1e-12 * np.abs(h).max())
        np.testing.assert_allclose(g.wall_history[3 * i + k, 4:7], roll, atol=1e-12 * np.abs(roll).max() + 1e-30)
    assert 3 < len(book.history) == g.wall_touching.sum()
    wrench = g.wall_wrench.reshape(count, 3, 6).sum(axis=0)
    np.testing.assert_allclose(wrench[:, 3:], pushed, atol=1e-12 * np.abs(pushed).max())


def test_a_contact_that_ends_is_forgotten():
    x, v = grains(1)
    x[0, :3] = RADIUS * np.array([3.0, 3.0, 0.99])
    g, load = arrays(planes(), 1), np.zeros((1, 8))
    plain(kernel.wall_forces)(g, x, v, still(0)[0], load, 0, 1)
    assert g.wall_touching.tolist() == [0, 0, 1] and g.wall_history[2].any()
    x[0, 2] = 1.01 * RADIUS
    load[:] = 0.0
    plain(kernel.wall_forces)(g, x, v, still(0)[0], load, 0, 1)
    assert not g.wall_touching.any() and not g.wall_history.any() and not load.any()


def test_too_deep_names_the_particle():
    x, v = grains(4)
    x[:, :3] = 5.0 * RADIUS
    g, load = arrays(planes(), 4), np.zeros((4, 8))
    x[2, 1] = 0.49 * RADIUS
    assert plain(kernel.wall_forces)(g, x, v, still(0)[0], load, 0, 4) == 2


@pytest.mark.parametrize("body", [0, 1])
def test_history_goes_on_from_one_facet_to_the_next(body):
    """Two triangles of a square in z = 0; a particle slides over their common edge. Of another body it is new."""
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    g, pose = arrays(facet_rows(corners, np.array([[0, 1, 2], [0, 2, 3]])), 1), np.repeat(still(0)[0], 2, axis=0)
    near = plain(kernel.near_walls)
    near(g, pose, 0, 0.7, 0.3, 0.9 * RADIUS, RADIUS)
    first = int(np.argmin(g.wall_near[:, 0]))
    other = 1 - first
    g.wall_touching[first], g.wall_history[first], g.wall_i[other, t.BODY] = 1, np.arange(8.0), body
    near(g, pose, 0, 0.3, 0.7, 0.9 * RADIUS, RADIUS)
    assert g.wall_near[other, 0] == pytest.approx(0.9 * RADIUS) and g.wall_near[first, 0] >= RADIUS
    kept, gone = (other, first) if body == 0 else (first, other)
    assert g.wall_history[kept].tolist() == list(range(8)) and not g.wall_history[gone].any()


def slots(near, **fields):
    """One particle of radius 1, with a slot for each wall: its gap and direction, none acting yet."""
    n = len(near)
    wall_i = np.zeros((n, t.N_WALL_I), np.int32)
    wall_i[:, t.SHAPE] = fields.pop("shape", 0)
    g = SimpleNamespace(
        wall_near=np.array([[gap, *direction] for gap, direction in near]), wall=np.arange(n), wall_i=wall_i,
        wall_touching=np.zeros(n, np.uint8), wall_history=np.zeros((n, 4)),
    )  # fmt: skip
    vars(g).update(fields)
    return g


def test_which_contacts_count_against_the_twin():
    """Walls whose planes are turned against each other by anything from nothing to a corner."""
    rng, several, fewer = np.random.default_rng(6), 0, 0
    for _ in range(400):
        n = rng.normal(size=(4, 3)) * 10.0 ** rng.uniform(-3.0, 0.5) + [0.0, 0.0, 1.0]
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        near = [(0.99 + 10.0 ** rng.uniform(-5.0, -1.5) * rng.choice([-1.0, 1.0]), e) for e in n]
        near[1] = near[0] if rng.random() < 0.3 else near[1]
        g, touching = slots(near), [k for k in range(4) if near[k][0] < 1.0]
        expected = dict(zip(touching, counted([near[k] for k in touching], 1.0, kernel.SAME)))
        assert {k: not plain(kernel.covered)(g, k, 0, 4, 1.0) for k in touching} == expected
        several += sum(expected.values()) > 1
        fewer += sum(expected.values()) < len(touching)
    assert several > 50 and fewer > 50


DOWN, SLANT = (0.0, 0.0, -1.0), (0.0, 0.6, -0.8)


def test_two_shapes_side_by_side_have_one_contact_and_hand_it_over():
    """Beyond the seam the edge of the first is no deeper than the face of the second: it no longer acts, and what it
    knew goes on there."""
    g = slots([(0.9, DOWN), (0.901, DOWN)], shape=[0, 1], wall_touching=np.array([1, 0], np.uint8))
    g.wall_history[0] = 1.0, 2.0, 3.0, 4.0
    plain(kernel.hand_over)(g, 0, 2, 1.0, 2)
    assert g.wall_touching.tolist() == [kernel.ACTS, kernel.COVERED] and g.wall_history[0].any()
    g.wall_touching[1], g.wall_near[0, 0] = 0, 0.902
    plain(kernel.hand_over)(g, 0, 2, 1.0, 2)
    assert g.wall_touching.tolist() == [kernel.ACTS | kernel.COVERED, 0]
    assert g.wall_history.tolist() == [[0.0] * 4, [1.0, 2.0, 3.0, 4.0]]


def test_a_history_goes_on_within_a_shape_at_best():
    """Two contacts end and one begins: it goes on from that of its own shape, and not from another body."""
    near = [(1.1, DOWN), (1.1, DOWN), (0.9, DOWN)]
    for shape, body, expected in (([1, 0, 0], 0, 2.0), ([0, 1, 0], 0, 1.0), ([1, 1, 0], 0, 1.0), ([1, 0, 0], 1, 0.0)):
        g = slots(near, shape=shape, wall_touching=np.array([1, 1, 0], np.uint8))
        g.wall_history[:2, 0], g.wall_i[:2, t.BODY] = [1.0, 2.0], body
        plain(kernel.hand_over)(g, 0, 3, 1.0, 1)
        assert g.wall_history[2, 0] == expected


def test_walls_of_a_true_corner_both_act():
    g = slots([(0.9, DOWN), (0.9, SLANT)])
    plain(kernel.hand_over)(g, 0, 2, 1.0, 2)
    assert not g.wall_touching.any()  # neither is part of the other


def test_one_wall_twice_pushes_once():
    """The same plane as two shapes, the second one a hair lower: force, torque and reaction are those of one."""
    x, v = grains(1)
    x[0, :3] = RADIUS * np.array([0.0, 0.0, 0.99])
    found = []
    for heights in ((0.0,), (0.0, -1e-4 * RADIUS), (-1e-4 * RADIUS, 0.0)):
        floor = SimpleNamespace(type="plane", normal=np.eye(3)[2])
        shapes = [(0, f"p{k}", floor, np.eye(3), np.array([0.0, 0.0, z]), 0) for k, z in enumerate(heights)]
        g, load = arrays(wall_tables(shapes, RADIUS, 1), 1), np.zeros((1, 8))
        for _ in range(3):
            load[:] = 0.0
            plain(kernel.wall_forces)(g, x, v, still(0)[0], load, 0, 1)
        assert g.wall_touching.sum() == 1
        found.append([load, g.wall_wrench.sum(axis=0), g.wall_history.sum(axis=0)])
    for other in found[1:]:
        for a, b in zip(found[0], other):
            np.testing.assert_array_equal(a.ravel(), b.ravel())
