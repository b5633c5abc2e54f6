"""Compiled steps that go back, machine after machine: loops of all kinds, springs between bodies, and refusals."""

import numpy as np
import pytest

import gori
from gori.errors import UnsupportedError
from gori.sim.batch.backward import CpuBackward, Traced, backward_memory, refuse_backward
from gori.sim.batch.derivatives import step_jacobian
from tests.checks import close
from tests.integrate.closed_machines import rockers, slider_crank
from tests.model.forces_on_axes import forces_on_axes
from tests.reference.random_loops import CUT_TYPES, random_closed
from tests.sim.batch.differences import changes_along, on_loops, stepped
from tests.sim.batch.machines import EXAMPLES, arm, pendulum

H = 2e-3


def engine(model: gori.Model) -> CpuBackward:
    return CpuBackward([gori.batch(model, 1, gori.SemiImplicit(step=H)).another()])


def jacobian(model: gori.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    nv, signals = model.nv, len(model.forces.signal_i)
    traced = Traced(np.zeros((1, 1)), np.concatenate([q, v])[None, None], np.zeros((1, 1, signals)))
    return engine(model).run(traced, np.eye(2 * nv)[None, :, None], False, []).of_state[0]


def test_trees_are_as_those_of_arrays_of_states():
    model, rng = arm(), np.random.default_rng(0)
    batch = gori.batch(model, 1, gori.SemiImplicit(step=H))
    batch.q[:], batch.v[:] = model.random(rng, 1), rng.normal(size=(1, model.nv))
    close(jacobian(model, batch.q[0], batch.v[0]), step_jacobian(batch).by_state[0], 1e-13)


@pytest.mark.parametrize("kind", CUT_TYPES)
def test_loops_of_all_kinds(kind):
    spec, q, v = random_closed(np.random.default_rng(1), cut_types=(kind,), n_mimic=1)
    model = gori.compile(spec)
    q, v = on_loops(model, spec, q, v)
    changes = changes_along(model, spec, q, v, H)
    close(changes.start @ jacobian(model, q, v).T, changes.end, 2e-8)


@pytest.mark.parametrize("make", [rockers, slider_crank])
def test_projections_are_differentiated_too(make):
    """With long steps, which end far from the loops before they are projected."""
    model, spec = gori.compile(make()), make()
    state = model.state()
    q, v = on_loops(model, spec, state.q, state.v)
    batch = gori.batch(model, 1, gori.SemiImplicit(step=5.0 * H))
    batch.q[:], batch.v[:] = q, v
    changes = changes_along(model, spec, q, v, 5.0 * H)
    close(changes.start @ step_jacobian(batch).by_state[0].T, changes.end, 5e-7)


def sprung() -> gori.Spec:
    """Two bodies in flight with springs between them and to the ground."""
    body = {"mass": 1.3, "com": [0.1, 0.05, -0.5], "inertia": [0.1, 0.12, 0.08, 0.01, 0.02, 0.003]}
    ends = {"type": "spring", "at": [0.5, 0.2, 0], "child_at": [0, 0.1, -0.3], "stiffness": 30.0, "damping": 1.5}
    return gori.Spec(
        bodies={"a": body, "b": body},
        joints={
            "fly": {"type": "free", "parent": "ground", "child": "a"},
            "ball": {"type": "spherical", "parent": "a", "child": "b", "at": [0.2, 0.1, -1.0], "stiffness": 3.0},
        },
        forces={
            "near": ends | {"parent": "a", "child": "b", "length": 0.2},
            "far": ends | {"parent": "ground", "child": "b", "length": 0.7},
        },
    )


def test_springs_between_bodies():
    model, rng = gori.compile(sprung()), np.random.default_rng(0)
    q, v, nv = model.random(rng), rng.normal(size=model.nv), model.nv
    found, D = jacobian(model, q, v), 1e-6
    end = stepped(model, q, v, H)[0]
    for column, e in enumerate(np.eye(2 * nv)):
        ends = [stepped(model, model.integrate(q, x * e[:nv]), v + x * e[nv:], H) for x in (D, -D)]
        up, down = (np.concatenate([model.difference(end, q), v]) for q, v in ends)
        close(found[:, column], (up - down) / (2.0 * D), 2e-8)


def test_a_machine_that_cannot_be_moved_has_nan():
    """Beside others, of two threads."""
    model, rng, n = arm(), np.random.default_rng(0), 40
    nv = model.nv
    states, given = rng.normal(size=(n, 2, 2 * nv)), rng.normal(size=(n, 3, 1, 2 * nv))
    states[17, 1, 0] = np.nan
    traced = Traced(np.zeros((n, 2)), states, np.zeros((n, 2, 0)))
    two = [gori.batch(model, 1, gori.SemiImplicit(step=H)).another() for _ in range(2)]
    found, alone = (CpuBackward(runs).run(traced, given, True, []) for runs in (two, two[:1]))
    assert np.isnan(found.of_state[17]).all() and np.isnan(found.of_body[17]).all()
    assert found.of_state.shape == (n, 3, 2 * nv) and np.isfinite(np.delete(found.of_body, 17, 0)).all()
    for ours, theirs in zip(found, alone):
        assert np.array_equal(ours, theirs, equal_nan=True)


def test_memory_is_as_large_as_the_machine():
    batch = gori.batch(gori.compile(rockers()), 1)
    memory = backward_memory(batch.another().stepper, 4)
    assert memory.trace.given.shape == (4, 6) and memory.work.n.shape == memory.work.mu.shape == (2,)


def test_what_is_refused():
    with pytest.raises(UnsupportedError, match=r"friction.*'shoulder'"):
        refuse_backward(pendulum())
    with pytest.raises(UnsupportedError, match=r"forces.weak.target, an expression of positions"):
        refuse_backward(gori.compile(forces_on_axes(0, 7)))
    refuse_backward(gori.compile(gori.load(EXAMPLES / "robot_pd.yaml")))
