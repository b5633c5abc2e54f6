"""Derivatives of steps by parameters, against differences of compiled machines; and what is refused."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.kernels.tree.columns import N_BODY_F, P_PJ, PITCH
from gori.model.varied.slopes import Slope
from gori.sim.batch.batch import Batch
from gori.sim.batch.derivatives import Rollout, step_jacobian
from gori.sim.batch.parameters import ParameterSlopes, refuse_slopes
from tests.checks import close
from tests.integrate.closed_machines import rockers
from tests.sim.batch.machines import pendulum
from tests.sim.batch.test_backward import sprung

H = 2e-3
INERTIAL = ["bodies.b.mass", "bodies.b.com", "bodies.a.inertia"]
OF_FORCES = ["joints.ball.stiffness", "forces.near.stiffness", "forces.far.damping", "forces.far.length"]
PLACES = ["joints.ball.at", "forces.far.at", "forces.near.child_at", "gravity"]


def after(spec: gori.Spec, q, v, steps: int) -> tuple[np.ndarray, np.ndarray]:
    model = gori.compile(spec)
    run = gori.Simulation(model, gori.SemiImplicit(step=H), state=model.state(q, v))
    run.step(steps)
    return run.q, run.v


def differences(model, spec, path, q, v, steps=1) -> np.ndarray:
    """Of (q', v') by the components of a parameter (2 nv, components)."""
    value: object = spec
    for name in path.split("."):
        value = value[name] if isinstance(value, dict) or hasattr(value, "keys") else getattr(value, name)
    flat, columns = np.asarray(value, float).reshape(-1), []
    for c in range(len(flat)):
        d = 1e-4 * max(abs(flat[c]), 0.1)
        ends = []
        for sign in (1.0, -1.0):
            moved = flat.copy()
            moved[c] += sign * d
            ends.append(after(spec.set(path, moved.reshape(np.shape(value)).tolist()), q, v, steps))
        (up_q, up_v), (down_q, down_v) = ends
        columns.append(np.concatenate([model.difference(down_q, up_q), up_v - down_v]) / (2.0 * d))
    return np.array(columns).T


def scattered(n: int = 3) -> Batch:
    """Machines of other masses."""
    model, rng = gori.compile(sprung()), np.random.default_rng(0)
    masses = {"bodies.a.mass": np.linspace(1.0, 2.0, n)}
    batch = gori.batch(sprung(), n, gori.SemiImplicit(step=H), parameters=masses)
    batch.q[:], batch.v[:] = model.random(rng, n), rng.normal(size=(n, model.nv))
    return batch


def test_steps_of_trees():
    batch = scattered()
    paths, machine = [*INERTIAL, *OF_FORCES, *PLACES], 1
    found = step_jacobian(batch, paths)
    spec, q, v = batch.spec(machine), batch.q[machine].copy(), batch.v[machine].copy()
    for path in paths:
        expected = differences(batch.model, spec, path, q, v)
        assert np.abs(expected).max() > 1e-9
        close(found.by_parameters[path][machine].reshape(expected.shape) / np.abs(expected).max(),
              expected / np.abs(expected).max(), 1e-6)  # fmt: skip


def test_rollouts_of_machines_that_differ():
    batch, steps, path, rng = scattered(), 10, "bodies.a.mass", np.random.default_rng(1)
    q, v, nv = batch.q.copy(), batch.v.copy(), batch.model.nv
    given = rng.normal(size=(3, 2 * nv))
    found = Rollout(batch, np.zeros((steps, 3, 0)), [path]).vjp(given)
    assert batch.tables_differ
    for k in range(3):
        expected = given[k] @ differences(batch.model, batch.spec(k), path, q[k], v[k], steps)
        close(found.of_parameters[path][k], expected[0], 1e-6)


def test_loops():
    batch, path = gori.batch(rockers(), 2, gori.SemiImplicit(step=H)), "bodies.coupler.mass"
    q, v, given = batch.q[0].copy(), batch.v[0].copy(), np.random.default_rng(0).normal(size=(2, 6))
    found = Rollout(batch, np.zeros((5, 2, 0)), [path]).vjp(given).of_parameters[path]
    close(found[0], (given[0] @ differences(batch.model, rockers(), path, q, v, 5))[0], 1e-7)


def test_what_is_refused():
    loops = gori.batch(rockers(), 2)
    with pytest.raises(UnsupportedError, match=r"'joints.A.q' changes nothing in a step, or only where"):
        ParameterSlopes(loops, ["joints.A.q"])
    with pytest.raises(InputError, match=r"'joints.D.at' take machines with numbers beside its own.*cannot be closed"):
        ParameterSlopes(loops, ["joints.D.at"])
    for table, word, words in (
        ("body_f", N_BODY_F + P_PJ, "'path' are not there: it moves a joint of a machine with loops"),
        ("body_f", N_BODY_F + PITCH, "it changes the pitch of a screw"),
        ("cut", 3, "it changes the table 'cut'"),
    ):
        with pytest.raises(UnsupportedError, match=words):
            refuse_slopes(loops.model, "path", {table: Slope(np.array([word]), np.ones((1, 1, 1)), ("here",))})
    spec = gori.Spec(**pendulum().spec.model_dump(exclude_unset=True)).set("joints.shoulder.friction", 0.0)
    held = gori.batch(spec, 2)
    for path, words in {
        "forces.twist.value": "forces.twist.value is an input of the batch, see of_inputs",
        "forces.hold.target": "is an input of the batch",
    }.items():
        with pytest.raises(UnsupportedError, match=words):
            ParameterSlopes(held, [path])
    with pytest.raises(InputError, match=r"parameters must be a list of paths, not 'joints.A.q'"):
        ParameterSlopes(loops, "joints.A.q")
    assert not ParameterSlopes(loops, [])
