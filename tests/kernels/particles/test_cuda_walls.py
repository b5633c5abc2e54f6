"""Walls on a GPU: in the simulator, and bits, loads and histories by hand."""

from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles import cuda_walls as kernel
from gori.kernels.particles.wall_contacts import covered
from tests.cuda.simulator import run_checks
from tests.kernels.particles.device import on_host
from tests.plain import plain

R = 1e-3


def test_in_the_simulator():
    run_checks("slides over triangles", "rolls in round meshes", "crosses seams")


def test_bits_of_walls():
    bit_of = on_host(kernel.bit_of)
    assert [bit_of(k) for k in (0, 1, 61)] == [1, 2, 1 << 61]
    assert bit_of(62) == bit_of(63) == bit_of(1000) == 1 << kernel.MANY  # those from MANY on share one


def test_loads_come_back():
    load = np.zeros(24, np.float32)
    on_host(kernel.put_load)(load, 1, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert on_host(kernel.get_load)(load, 1) == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0) and not load[:8].any()


DOWN, SIDE = (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)


def walls(gaps, touching, bodies, directions=None):
    """One particle, particle 0, with a slot for each wall; histories 1, 2, 3, ...; each wall to another side, if no
    directions are given
    """
    n = len(gaps)
    near = np.zeros((n, 4))
    near[:, 0] = gaps
    near[:, 1:] = np.eye(3)[np.arange(n) % 3] if directions is None else directions
    k = np.arange(n, dtype=np.int32)
    wall_i = np.zeros((n, c.N_WALL_I), np.int32)
    wall_i[:, c.BODY] = bodies
    return SimpleNamespace(
        wall=np.where(touching, ~k, k)[None], wall_at=np.array([[[0], [n]]], np.int32), wall_near=near.ravel(),
        wall_i=wall_i, wall_history=np.repeat(np.arange(1.0, n + 1), 4).reshape(1, n, 4).astype(np.float32),
    )  # fmt: skip


def handed(gaps, touching, bodies, directions=None):
    g = walls(np.array(gaps) * R, np.array(touching), bodies, directions)
    bits = on_host(kernel.hand_over)(g, 0, 0, R)
    acting = (g.wall[0] < 0).tolist()
    assert [bits >> k & 1 == 1 for k in range(len(gaps))] == acting
    return acting, g.wall_history[0, :, 0].tolist()


def test_a_contact_goes_on_to_the_next_facet_of_its_body():
    assert handed([1.1, 0.9], [True, False], [0, 0]) == ([False, True], [0.0, 1.0])
    assert handed([1.1, 0.9], [True, False], [0, 1]) == ([False, True], [0.0, 2.0])  # of another body: as it was
    assert handed([0.8, 0.9], [True, True], [0, 0]) == ([True, True], [1.0, 2.0])  # nothing has changed
    assert handed([1.1, 1.2, 0.5], [True, True, False], [0, 0, 0]) == ([False, False, True], [0.0, 0.0, 2.0])


def test_a_contact_that_is_part_of_a_deeper_one_does_not_act():
    flat = [DOWN, DOWN]
    assert handed([0.8, 0.9], [True, True], [0, 0], [DOWN, SIDE]) == ([True, True], [1.0, 2.0])
    assert handed([0.9, 0.9005], [True, True], [0, 0], flat) == ([True, False], [1.0, 0.0])
    assert handed([0.9005, 0.9], [True, False], [0, 0], flat) == ([False, True], [0.0, 1.0])  # handed over
    assert handed([0.9, 0.9], [False, True], [0, 0], flat) == ([True, False], [2.0, 0.0])  # equally deep: the first
    assert handed([0.9, 0.95], [True, True], [0, 0], flat) == ([True, True], [1.0, 2.0])  # a step: two walls


def test_the_acting_walls_are_those_of_the_cpu():
    """The same rule as `wall_contacts.covered`, out of flat memory."""
    rng = np.random.default_rng(9)
    for _ in range(200):
        n = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-3.0, 0.5) + DOWN
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        gaps = R * (0.995 + 10.0 ** rng.uniform(-4.0, -2.0, 3) * rng.choice([-1.0, 1.0], 3))
        g, near = walls(gaps, [False] * 3, 0, n), np.column_stack([gaps, n])
        on_cpu = [gaps[k] < R and not plain(covered)(SimpleNamespace(wall_near=near), k, 0, 3, R) for k in range(3)]
        assert [on_host(kernel.acts)(g, k, 0, 3, R) for k in range(3)] == on_cpu
