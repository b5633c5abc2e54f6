"""Friction of joints by impulses."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.joints import push_axis, solve_axis
from tests.integrate.closed_contact import four_bar
from tests.kernels.contact.impulses.test_rows import velocities_of
from tests.plain import Plain, plain
from tests.reference.impulses import bounded, held


def arms(friction, **joint):
    """Two bars of 1 kg and 1 m with their masses in the middle, level, on hinges with friction."""
    bar = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [1e-3, 1e-3, 1e-3]}
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    return gori.compile(
        gori.Spec.model_validate(
            {
                "gori": 1, "bodies": {"upper": bar, "fore": bar},
                "joints": {
                    "shoulder": {**hinge, "parent": "ground", "child": "upper", "friction": friction, **joint},
                    "elbow": {**hinge, "parent": "upper", "at": [1, 0, 0], "child": "fore", "friction": friction / 4},
                },
            }
        )
    )  # fmt: skip


def test_one_axis_sticks_or_slips():
    axis = Plain(mobility=2.0, impulse=0.0, bound=0.5, slot=1, along=0, at=0, count=1)
    w, v = np.zeros((1, 8)), np.zeros(8)
    w[0, :2], v[1] = (0.3, 2.0), 0.4
    memory = Plain(axis_w=w, axis_block=np.zeros(1, int))
    assert plain(solve_axis)(axis, memory, v) == pytest.approx(0.4)
    assert (
        axis.impulse == pytest.approx(-0.2) and v[1] == pytest.approx(0.0, abs=1e-15) and v[0] == pytest.approx(-0.06)
    )
    v[1] = 3.0
    plain(solve_axis)(axis, memory, v)
    assert axis.impulse == -0.5 and v[1] == pytest.approx(2.4)
    plain(push_axis)(axis, memory, v, 1.0)
    assert v[1] == pytest.approx(4.4)


def impulses_of(model, step, start):
    """Impulses and rows of M^-1 of all axes with friction in one step, and the velocities before they act."""
    simulation = gori.Simulation(model, TimeStepping(step=step, tolerance=1e-13, sweeps=2000), state=start)
    simulation.step()
    memory = simulation.stepper.data.contact_memory
    Y = np.zeros((len(memory.axes), len(memory.x_free)))
    for row, axis in zip(Y, memory.axes):
        for p in range(axis["at"], axis["at"] + axis["count"]):
            row.reshape(-1, 8)[memory.axis_block[p]] = memory.axis_w[p]
    Y = np.array([velocities_of(simulation, row) for row in Y])
    return memory.axes, Y, simulation.stepper.memory.work.after


def test_a_tree_against_the_dense_equations():
    model, h = arms(8.0), 1e-2
    axes, Y, after = impulses_of(model, h, model.state(v=[1.0, -2.0]))
    inverse = np.linalg.inv(model.mass_matrix(model.q0))
    np.testing.assert_allclose(Y, inverse[axes["dof"]], atol=1e-12 * np.abs(inverse).max())
    free = after - axes["impulse"] @ Y
    expected = bounded(Y[:, axes["dof"]], free[axes["dof"]], h * np.array([8.0, 2.0]))
    np.testing.assert_allclose(axes["impulse"], expected, atol=1e-9)
    np.testing.assert_allclose(axes["bound"], [h * 8.0, h * 2.0])


def test_axes_in_a_loop_against_the_dense_equations():
    model = gori.compile(four_bar())
    model = gori.compile(model.spec.set({"joints.A.friction": 5.0, "joints.D.friction": 2.0}))
    axes, Y, _ = impulses_of(model, 1e-3, None)
    q = gori.Simulation(model, TimeStepping(step=1e-3)).q
    M, J = model.tree_mass_matrix(q), model.loop_system.terms(q).J
    for axis, row in zip(axes, Y):
        expected, _ = held(M, J, np.eye(model.nv)[axis["dof"]])
        np.testing.assert_allclose(row, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("friction, holds", [(19.7, True), (19.0, False)])
def test_a_level_arm_stands_or_falls(friction, holds):
    """Gravity turns the shoulder with m g (L/2 + 3L/2) = 19.62 N m, and the elbow with a quarter of that."""
    simulation = gori.Simulation(arms(friction), TimeStepping(step=1e-2))
    simulation.step(500)
    if holds:
        assert np.abs(simulation.q).max() < 1e-8 and np.abs(simulation.v).max() < 1e-10
    else:
        assert simulation.q[0] > 0.1


def test_a_sliding_joint_loses_the_work_of_friction():
    """A flywheel without load: w = w0 - F t / J until it stands, and stays; the work of friction is all its energy."""
    model = gori.compile(
        gori.Spec.model_validate(
            {
                "gori": 1, "bodies": {"wheel": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}},
                "joints": {
                    "axle": {"type": "revolute", "parent": "ground", "child": "wheel", "v": 5.0, "friction": 0.2}
                },
            }
        )
    )  # fmt: skip
    simulation = gori.Simulation(model, TimeStepping(step=1e-2))
    rec = simulation.run(4.0, sample=1e-2, progress=False)
    np.testing.assert_allclose(rec["axle.v"], np.maximum(5.0 - 2.0 * rec.time, 0.0), atol=1e-12)
    assert np.abs(rec["energy.balance"]).max() < 1e-12 and rec["energy.work"][-1] == pytest.approx(-1.25)


def test_another_method_goes_on():
    """z is the bristle under the friction of the step: RK4 goes on from a joint that sticks, and it stays."""
    model = arms(30.0)
    first = gori.Simulation(model, TimeStepping(step=1e-2))
    first.step(50)
    with pytest.warns(gori.errors.RestartWarning):
        other = gori.Simulation(model, gori.RK4(step=2e-4), state=first.state)
    other.step(500)
    assert np.abs(other.q - first.q).max() < 1e-6
