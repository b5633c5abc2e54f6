"""J, M^-1 J' and mobility of contact points against the dense mass matrix, and which of them have rolling friction."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.diagonal import from_diagonal
from gori.kernels.contact.impulses.rows import lay_blocks, lay_mobility
from gori.kernels.contact.impulses.starts import HEAVY, SOFT_NORMAL, SOFT_TANGENT
from gori.kernels.contact.memory import ROWS
from tests.integrate.test_time_stepping import BALL, BLOCK, STILL, at, scene
from tests.plain import Plain, plain, rows


def velocities_of(simulation, x):
    """Velocities (nv,) of the solver's, at the state before the last step."""
    data, machine, nv = simulation.stepper.data, simulation.stepper.machine, simulation.model.nv
    v = np.zeros(nv)
    plain(from_diagonal)(machine, data, x, np.zeros(len(x)), np.zeros(nv), v)
    return v


def row_in_blocks(memory, first, count):
    """Three rows of numbers for all places (3, 8 blocks), from the pieces of a point."""
    found = np.zeros((3, len(memory.x_free) // 8, 8))
    for p in range(first, first + count):
        found[:, memory.block[p]] = memory.w[p]
    return found.reshape(3, -1)


def rows_of(simulation):
    """J and M^-1 J' (n, 3, nv) of all points of the last step, of velocities as they are."""
    memory = simulation.stepper.data.contact_memory
    place = memory.place
    units = np.eye(len(memory.x_free))[place]
    root = np.array([velocities_of(simulation, x) for x in units])  # M^-1/2 of trees, one of all else
    found = []
    for row in memory.rows[: int(memory.head["points"][0])]:
        J = row_in_blocks(memory, row["at"], row["count"])
        Y = row_in_blocks(memory, row["to"], row["to_count"])
        empty = np.delete(np.hstack([J, Y]), np.concatenate([place, place + J.shape[1]]), axis=1)
        assert not empty.any()
        found.append((np.linalg.solve(root, J[:, place].T).T, Y[:, place] @ root))
    return found


def gripper():
    """Two fingers on an arm around a free ball: points between a tree and a body, and within the tree."""
    solid = {"material": "steel", "collide": True}
    finger = {"type": "sphere", "radius": 0.1, "density": 500.0, **solid}
    spec = scene(ball=(BALL, at(x=0.6, z=0.0), STILL), gravity=(0, 0, 0), ground={}).model_dump(exclude_unset=True)
    bodies = dict(spec["bodies"]) | {
        "arm": {"mass": 2.0, "com": [0.3, 0, 0], "inertia": [0.1, 0.2, 0.2]},
        "left": {"shapes": {"tip": {**finger, "at": [0.6, 0, 0]}}},
        "right": {"shapes": {"tip": {**finger, "at": [0.6, 0, 0]}}},
    }
    joints = dict(spec["joints"]) | {
        "base": {"type": "revolute", "parent": "ground", "child": "arm", "axis": [0, 1, 0]},
        "close_left": {"type": "revolute", "parent": "arm", "child": "left", "axis": [0, 0, 1], "q": [0.335]},
        "close_right": {"type": "revolute", "parent": "arm", "child": "right", "axis": [0, 0, 1], "q": [-0.335]},
    }
    return gori.Spec.model_validate(spec | {"bodies": bodies, "joints": joints})


def foot():
    """A box on an arm of three joints, flush on the floor."""
    box = {"type": "box", "size": [0.3, 0.2, 0.1], "at": [0, 0, -0.5], "density": 500.0, "material": "steel"}
    spec = scene().model_dump(exclude_unset=True)
    link = {"mass": 1.0, "com": [0, 0, -0.2], "inertia": [0.02, 0.02, 0.01]}
    bodies = dict(spec["bodies"]) | {"hip": link, "leg": link, "foot": {"shapes": {"sole": {**box, "collide": True}}}}
    joints = {
        "lift": {"type": "prismatic", "parent": "ground", "child": "hip", "axis": [0, 0, 1], "q": [0.55]},
        "swing": {"type": "revolute", "parent": "hip", "child": "leg", "axis": [0, 1, 0]},
        "ankle": {"type": "universal", "parent": "leg", "child": "foot"},
    }
    return gori.Spec.model_validate(spec | {"bodies": bodies, "joints": joints})


@pytest.mark.parametrize(
    "spec", [gripper(), foot(), scene(ball=(BALL, at(z=0.1), STILL), b=(BLOCK, at(x=1.0, z=0.05), STILL))]
)
def test_rows_are_those_of_the_mass_matrix(spec):
    model = gori.compile(spec)
    simulation = gori.Simulation(model, TimeStepping(step=1e-3))
    q = simulation.q.copy()
    simulation.step()
    inverse, found = np.linalg.inv(model.mass_matrix(q)), rows_of(simulation)
    assert len(found) >= 2
    for J, Y in found:
        assert np.abs(J).max() > 0.1
        np.testing.assert_allclose(Y, J @ inverse, atol=1e-9 * np.abs(inverse).max())
    # normals and speeds are those of the query at the same pose
    for (J, _), contact in zip(found, model.contacts(q, reach=0.05)):
        np.testing.assert_allclose(np.abs(J[0]), np.abs(contact.jacobian[0]), atol=1e-2)


def one_row(J, Y=None):
    """A point with 3 x 8 k numbers of J, and those of M^-1 J' if loops hold it: a row and its memory."""
    pieces = [one.reshape(3, -1, 8).transpose(1, 0, 2) for one in (J, Y) if one is not None]
    blocks, row = J.shape[1] // 8, ROWS.zeros(1)
    memory = Plain(w=np.concatenate(pieces), block=np.tile(np.arange(blocks), len(pieces)))
    row["count"], row["to_count"], row["to"] = blocks, blocks, 0 if Y is None else blocks
    return rows(row)[0], memory


@pytest.mark.parametrize("held", [False, True])
def test_mobility_is_that_of_the_rows(held):
    rng = np.random.default_rng(2)
    J, inverse = rng.normal(size=(3, 16)), np.diag(rng.uniform(0.5, 3.0, 16)) if held else np.eye(16)
    row, memory = one_row(J, J @ inverse if held else None)
    W = J @ inverse @ J.T
    plain(lay_mobility)(Plain(gap=-1.0), row, memory, HEAVY / W[0, 0], 1e-6)  # deep under its own mass HEAVY times
    largest = np.linalg.eigvalsh(W[1:, 1:])[-1]
    assert 1.0 / row.over_normal == pytest.approx((1.0 + 0.5 * SOFT_NORMAL) * W[0, 0])
    assert 1.0 / row.over_largest == pytest.approx((1.0 + 0.5 * SOFT_TANGENT) * largest)
    np.testing.assert_allclose(row.coupling, W[0, 1:])
    np.testing.assert_allclose(row.tangential - np.array([1, 0, 1]) * row.soft_tangent, W[[1, 1, 2], [1, 2, 2]])
    (ss, st, tt), (a, b, c) = row.tangential, row.inverse
    np.testing.assert_allclose(np.array([[ss, st], [st, tt]]) @ [[a, b], [b, c]], np.eye(2), atol=1e-12)


def test_blocks_of_two_bodies_stand_once_and_those_of_loops_twice():
    """Row 1 moves by block 0, row 2 by 0 and 1, row 3 by 2; loops hold the branch of row 3, of the blocks 2 and 3."""
    branch = np.zeros((4, 5), np.int64)
    branch[3] = 16, 12, 3, 4, 1
    memory = Plain(
        branch=branch, way=np.array([0, 1, 0, 2]), way_of=np.array([[0, 0], [0, 1], [1, 2], [3, 1]]),
        place=np.arange(28), block=np.full(20, -1), w=np.ones((20, 3, 8)),
    )  # fmt: skip
    row = Plain()
    assert plain(lay_blocks)(row, memory, 1, 2, 5) == 7
    assert (row.at, row.to, row.count, row.to_count) == (5, 5, 2, 2) and memory.block[5:7].tolist() == [1, 0]
    assert plain(lay_blocks)(row, memory, 3, 1, 7) == 11
    assert (row.at, row.to, row.count, row.to_count) == (7, 8, 2, 3) and memory.block[7:11].tolist() == [2, 0, 2, 3]
    assert not memory.w[5:11].any() and memory.w[[4, 11]].all()


def test_a_face_has_no_rolling_friction_but_a_ball_has():
    spec = scene(law={"rolling_friction": 0.1}, ball=(BALL, at(z=0.1), STILL), b=(BLOCK, at(x=1.0, z=0.05), STILL))
    simulation = gori.Simulation(gori.compile(spec), TimeStepping(step=1e-3))
    simulation.step()
    memory = simulation.stepper.data.contact_memory
    points = int(memory.head["points"][0])
    friction, face = memory.turns["friction"][:points], memory.point["on_face"][:points]
    assert sorted(face) == [0, 1, 1, 1, 1]
    assert friction[face == 0] == pytest.approx(0.1 * 0.1) and not friction[face == 1].any()
