"""J and M^-1 J' of contact points, against the dense mass matrix."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.diagonal import turn_velocities
from gori.kernels.contact.impulses.response import lay_flying
from tests.integrate.test_time_stepping import BALL, BLOCK, STILL, at, scene
from tests.plain import Plain, plain


def velocities_of(simulation, x):
    """Velocities (nv,) of the solver's, at the state before the last step."""
    data, machine = simulation.stepper.data, simulation.stepper.machine
    v = np.zeros(len(x))
    plain(turn_velocities)(machine, data, x, v, 1)
    return v


def rows_of(simulation):
    """J and M^-1 J' (n, 3, nv) of all points of the last step, of velocities as they are."""
    memory, nv = simulation.stepper.data.contact_memory, simulation.model.nv
    root = np.array([velocities_of(simulation, x) for x in np.eye(nv)])  # M^-1/2 of trees, one of all else
    found = []
    for row in memory.rows[: int(memory.head["points"][0])]:
        J, Y = np.zeros((3, nv)), np.zeros((3, nv))
        count, width = row["count_a"] + row["count_b"], row["width_a"] + row["width_b"]
        jac = memory.jac[row["at"] : row["at"] + 3 * count].reshape(3, count)
        out = memory.response[row["at_response"] : row["at_response"] + 3 * width].reshape(3, width)
        for side, first in (("a", 0), ("b", row["count_a"])):
            axes = memory.path[row[f"path_{side}"] : row[f"path_{side}"] + row[f"count_{side}"]]
            for c, axis in enumerate(axes):
                J[:, axis] += jac[:, first + c]
                if row[f"along_{side}"]:
                    Y[:, axis] += jac[:, first + c]
        Y[:, row["first_a"] : row["first_a"] + row["width_a"]] += out[:, : row["width_a"]]
        if row["width_b"]:
            Y[:, row["first_b"] : row["first_b"] + row["width_b"]] += out[:, row["width_a"] :]
        found.append((np.linalg.solve(root, J.T).T, Y @ root))
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


def test_a_flying_body_off_its_centre():
    """A body of mass 2 with its centre of mass at (0.1, 0, 0): the impulse along x through it does not turn it."""
    body_f, body_w = np.zeros((2, 24)), np.zeros((2, 62))
    body_f[1, 13], body_w[1, [0, 4, 8]] = 0.1, 1.0
    memory = Plain(
        solid=np.array([[0.0] * 7, [0.5, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]]), directions=np.eye(3), jac=np.zeros(18),
        response=np.zeros(18), arm=np.array([0.5, 0.0, 0.0]),
    )  # fmt: skip
    row = Plain(at=0, at_response=0, count_a=0, count_b=6, width_a=0, width_b=6)
    plain(lay_flying)(Plain(body_f=body_f), Plain(body_w=body_w, contact_memory=memory), 1, 1.0, row, 1, 0)
    J, Y = memory.jac.reshape(3, 6), memory.response.reshape(3, 6)
    np.testing.assert_allclose(Y[0], [0, 0, 0, 0.5, 0, 0])
    np.testing.assert_allclose(J[1], [0, 0, 0.5, 0, 1, 0])  # along y at x = 0.5
    np.testing.assert_allclose(Y[1], [0, 0, 0.4, 0, 0.5 - 0.04, 0])
