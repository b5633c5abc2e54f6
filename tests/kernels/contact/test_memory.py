"""Sizes and paths of the memory of contact."""

import numpy as np

import gori
from gori.kernels.contact.memory import DEPTH, branches, contact_memory, paths, solids
from tests.integrate.test_time_stepping import BALL, BLOCK, STILL, at, scene


def two_bodies():
    return gori.compile(scene(ball=(BALL, at(z=1.0), STILL), block=(BLOCK, at(z=2.0), STILL)))


def test_branches_and_paths_of_a_tree():
    arm = gori.compile(gori.load("examples/arm.yaml"))
    body_i = arm.kernel_tables.body_i
    found = branches(body_i, arm.nv, whole=False)
    assert (found[1:, :2] == (0, 7)).all() and (found[1:, 3] == len(body_i)).all()
    path, of = paths(body_i)
    assert of[0, 1] == 0 and [path[of[i, 0] : sum(of[i])].tolist() for i in (1, 3)] == [[0], [2, 1, 0]]


def test_each_flying_body_is_a_branch():
    model = two_bodies()
    found = branches(model.kernel_tables.body_i, 12, whole=False)
    assert found[1:].tolist() == [[0, 6, 1, 2], [6, 6, 2, 3]]
    assert (branches(model.kernel_tables.body_i, 12, whole=True)[1:, 1] == 12).all()


def test_inverse_inertia_of_flying_bodies():
    model = two_bodies()
    t = model.kernel_tables
    ball = solids(t.body_i, t.body_f)[1]
    mass = 1000.0 * 4.0 / 3.0 * np.pi * 1e-3
    np.testing.assert_allclose(ball[:4], [1.0 / mass, *[1.0 / (0.4 * mass * 0.01)] * 3], rtol=1e-12)
    arm = gori.compile(gori.load("examples/arm.yaml")).kernel_tables
    assert not solids(arm.body_i, arm.body_f).any()


def test_room_for_both_paths():
    model = two_bodies()
    t = model.kernel_tables
    memory = contact_memory(model.contact.tables, t.body_i, t.body_f, 12, points=5)
    assert len(memory.jac) == 5 * 6 * 6 and len(memory.response) == 5 * 3 * 12 and memory.mix_f.shape == (DEPTH, 15)
