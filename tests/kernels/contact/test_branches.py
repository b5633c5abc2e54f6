"""Branches and paths of a tree."""

import gori
from gori.kernels.contact.branches import branches, paths, row_of, rubbing_axes
from tests.integrate.test_time_stepping import BALL, BLOCK, STILL, at, scene


def two_bodies():
    return gori.compile(scene(ball=(BALL, at(z=1.0), STILL), block=(BLOCK, at(z=2.0), STILL)))


def test_branches_and_paths_of_a_tree():
    arm = gori.compile(gori.load("examples/arm.yaml"))
    body_i = arm.kernel_tables.body_i
    found = branches(body_i, arm.nv)
    assert (found[1:, :2] == (0, 7)).all() and (found[1:, 3] == len(body_i)).all()
    path, of = paths(body_i)
    assert of[0, 1] == 0 and [path[of[i, 0] : sum(of[i])].tolist() for i in (1, 3)] == [[0], [2, 1, 0]]


def test_each_flying_body_is_a_branch():
    model = two_bodies()
    found = branches(model.kernel_tables.body_i, 12)
    assert found[1:].tolist() == [[0, 6, 1, 2, 0], [6, 6, 2, 3, 0]]


def test_loops_join_branches_and_all_between_them():
    model = gori.compile(scene(**{name: (BALL, at(z=k), STILL) for k, name in enumerate("abcd")}))
    found = branches(model.kernel_tables.body_i, 24, [[2, 13]])
    assert (found[1:4] == [0, 18, 1, 4, 1]).all() and found[4].tolist() == [18, 6, 4, 5, 0]
    both = branches(model.kernel_tables.body_i, 24, [[2, 7], [13, 19]])
    assert both[1:, 0].tolist() == [0, 0, 12, 12] and (both[1:, 4] == 1).all()


def test_axes_with_friction():
    model = gori.compile(gori.load("examples/arm.yaml").set({"joints.upper_roll.friction": 0.5}))
    body_i = model.kernel_tables.body_i
    branch, dof = branches(body_i, model.nv), model.joint("upper_roll").v.start
    (axis,) = rubbing_axes(model.forces.element_i, body_i, branch)
    assert axis["dof"] == dof and axis["row"] == row_of(body_i, dof) and axis["along"] == 1
    branch[:, 4] = 1  # as if loops held it
    (axis,) = rubbing_axes(model.forces.element_i, body_i, branch)
    assert axis["along"] == 0
