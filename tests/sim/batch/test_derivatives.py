"""Derivatives of steps of a batch: against differences of Simulations, of rollouts, and refusals by name."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.sim.batch.batch import Batch
from gori.sim.batch.derivatives import ROWS, Rollout, rollout_vjp, step_jacobian
from tests.checks import close
from tests.integrate.closed_machines import rockers
from tests.model.forces_on_axes import forces_on_axes
from tests.sim.batch.differences import changes_along, on_loops
from tests.sim.batch.machines import arm, balls, four_bar, pendulum
from tests.vehicle.trucks import soft, truck

D, H = 1e-6, 2e-3
COUNT = 5


def scattered(seed: int, count: int = COUNT) -> Batch:
    """Machines with all covered forces, anywhere, with any inputs, which have moved already."""
    model, rng = gori.compile(forces_on_axes(seed, 7)), np.random.default_rng(seed)
    batch = gori.batch(model, count, gori.SemiImplicit(step=H))
    batch.q[:], batch.v[:] = model.random(rng, count), rng.normal(size=(count, model.nv))
    for name in batch.inputs:
        batch.inputs[name] = rng.normal(size=count)
    batch.step(3)
    return batch


def after(model, state, values: dict[str, float], steps: int = 1):
    """q and v of a Simulation after steps."""
    run = gori.Simulation(model, gori.SemiImplicit(step=H), state=state, force_values=values)
    run.step(steps)
    return run.q, run.v


@pytest.mark.parametrize("seed", [0, 1])
def test_jacobian_of_a_step_is_that_of_simulations(seed):
    batch = scattered(seed)
    before = batch.q.copy()
    found, model, machine = step_jacobian(batch), gori.compile(batch.model.spec), 2
    assert np.array_equal(batch.q, before)
    state, nv = batch.state(machine), model.nv
    state, nv = model.state(state.q, state.v, state.time), model.nv
    values = {name: float(batch.inputs[name][machine]) for name in batch.inputs}
    end = after(model, state, values)[0]

    def change(dx, **other):
        q, v = after(model, state.replace(q=model.integrate(state.q, dx[:nv]), v=state.v + dx[nv:]), values | other)
        return np.concatenate([model.difference(end, q), v])

    for column, e in enumerate(np.eye(2 * nv)):
        close(found.by_state[machine, :, column], (change(D * e) - change(-D * e)) / (2.0 * D), 2e-8)
    for column, name in enumerate(batch.inputs):
        up, down = (change(np.zeros(2 * nv), **{name: values[name] + sign * 1e-3}) for sign in (1.0, -1.0))
        close(found.by_inputs[machine, :, column], (up - down) / 2e-3, 1e-9)


@pytest.mark.parametrize("count", [COUNT, ROWS // 3])
def test_vjp_is_the_product_of_jacobians(count):
    """In blocks of all steps, and of three."""
    batch, other, rng = scattered(0, count), scattered(0, count), np.random.default_rng(5)
    steps, nv, m = 7, batch.model.nv, len(batch.inputs)
    inputs, given = rng.normal(size=(steps, count, m)), rng.normal(size=(steps, count, 2 * nv))
    last = rollout_vjp(batch, inputs, given[-1])
    every = Rollout(other, inputs).vjp(given)
    assert np.array_equal(batch.q, other.q) and np.array_equal(batch.inputs["hold"], inputs[-1, :, 1])

    again, jacobians = scattered(0, count), []
    for k in range(steps):
        for column, name in enumerate(again.inputs):
            again.inputs[name] = inputs[k, :, column]
        jacobians.append(step_jacobian(again))
        again.step(1)
    assert np.array_equal(again.q, batch.q)
    for found, cotangents in ((last, [*np.zeros_like(given[:-1]), given[-1]]), (every, given)):
        back = np.zeros((count, 2 * nv))
        for k in reversed(range(steps)):
            back = back + cotangents[k]
            close(found.of_inputs[k], np.einsum("ri,rij->rj", back, jacobians[k].by_inputs), 1e-10)
            back = np.einsum("ri,rij->rj", back, jacobians[k].by_state)
        close(found.of_start, back, 1e-10)


def test_vjp_is_the_difference_of_rollouts():
    batch, rng = scattered(1), np.random.default_rng(2)
    steps, nv = 20, batch.model.nv
    start, u = [batch.state(k) for k in range(COUNT)], 0.3 * rng.normal(size=(steps, COUNT, len(batch.inputs)))
    du, dx = rng.normal(size=u.shape), rng.normal(size=(COUNT, 2 * nv))
    weights = rng.normal(size=(COUNT, 2 * nv))

    def arrive(size):
        for k in range(COUNT):
            batch.reset(k, start[k])
        batch.q[:] = batch.model.integrate(batch.q, size * dx[:, :nv])
        batch.v[:] += size * dx[:, nv:]
        Rollout(batch, u + size * du)
        return batch.q.copy(), batch.v.copy()

    (up_q, up_v), (down_q, down_v) = arrive(D), arrive(-D)
    expected = (weights * np.hstack([batch.model.difference(down_q, up_q), up_v - down_v])).sum(axis=1) / (2.0 * D)
    for k in range(COUNT):
        batch.reset(k, start[k])
    found = rollout_vjp(batch, u, weights)
    close((found.of_start * dx).sum(axis=1) + (found.of_inputs * du).sum(axis=(0, 2)), expected, 1e-7)


def test_machines_that_fail_have_no_derivatives():
    batch, well = scattered(0), scattered(0)
    batch.v[3, 0] = np.nan
    nv, m = batch.model.nv, len(batch.inputs)
    found = step_jacobian(batch)
    expected = step_jacobian(well)
    assert np.isnan(found.by_state[3]).all() and np.isnan(found.by_inputs[3]).all()
    assert np.array_equal(np.delete(found.by_state, 3, 0), np.delete(expected.by_state, 3, 0))
    rollout = Rollout(batch, np.zeros((4, COUNT, m)))
    assert rollout.failed.tolist() == [False, False, False, True, False]
    back, whole = (
        rollout.vjp(np.ones((COUNT, 2 * nv))),
        rollout_vjp(well, np.zeros((4, COUNT, m)), np.ones((COUNT, 2 * nv))),
    )
    assert np.isnan(back.of_start[3]).all() and np.isnan(back.of_inputs[:, 3]).all()
    close(np.delete(back.of_start, 3, 0), np.delete(whole.of_start, 3, 0), 1e-12)
    batch.v[:] = np.nan
    assert np.isnan(step_jacobian(batch).by_state).all()


def test_machines_without_inputs():
    batch = gori.batch(arm(), 3)
    found = rollout_vjp(batch, np.zeros((5, 3, 0)), np.ones((3, 14)))
    assert found.of_inputs.shape == (5, 3, 0) and np.isfinite(found.of_start).all()
    assert step_jacobian(batch).by_inputs.shape == (3, 14, 0)


def test_starts_that_differ_are_covered():
    batch = gori.batch(gori.compile(forces_on_axes(0, 4)), 3, parameters={"joints.j0.q": [0.0, 0.1, 0.2]})
    assert not batch.tables_differ and np.isfinite(step_jacobian(batch).by_state).all()


def test_loops_over_many_steps():
    """Along the loops, from starts on them."""
    spec = rockers()
    model, steps = gori.compile(spec), 20
    q, v = on_loops(model, spec, model.state().q, model.state().v)
    batch = gori.batch(model, 2, gori.SemiImplicit(step=H))
    batch.q[:], batch.v[:] = q, v
    given = np.random.default_rng(0).normal(size=(2, 6))
    found = rollout_vjp(batch, np.zeros((steps, 2, 0)), given)
    changes = changes_along(model, spec, q, v, H, steps=steps)
    close(found.of_start @ changes.start.T, given @ changes.end.T, 1e-7)


def test_machines_that_differ_are_each_their_own():
    masses = {"bodies.upper_arm.shapes.tube.density": [1000.0, 3000.0]}
    batch, alone = gori.batch(arm(), 2, parameters=masses), []
    found = step_jacobian(batch)
    for k in range(2):
        alone.append(step_jacobian(gori.batch(gori.compile(batch.spec(k)), 1)).by_state[0])
    close(found.by_state, alone, 1e-12)
    assert batch.tables_differ and np.abs(alone[0] - alone[1]).max() > 1e-6


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gori.batch(four_bar(), 2, loops="partition"), "loops that are solved otherwise than by multipliers"),
        (lambda: gori.batch(balls(), 2), "contact between bodies"),
        (lambda: gori.batch(arm(), 2, gori.RK4(step=H)), "method rk4: use semi_implicit"),
        (lambda: gori.batch(truck(soft()), 2), "wheels, tyres and drive trains"),
        (lambda: gori.batch(pendulum(), 2), "friction.*'shoulder'"),
    ],
)
def test_what_is_refused(make, words):
    with pytest.raises(UnsupportedError, match=words):
        step_jacobian(make())


def test_arguments_of_another_shape():
    batch = scattered(0)
    nv, m = batch.model.nv, len(batch.inputs)
    for wrong in (np.zeros((3, COUNT, m + 1)), np.zeros((COUNT, m)), np.zeros((0, COUNT, m))):
        with pytest.raises(InputError, match=f"inputs must have shape .steps, {COUNT}, {m}., for twist, hold"):
            Rollout(batch, wrong)
    values = np.zeros((3, COUNT, m))
    values[1, 2, 0] = np.inf
    with pytest.raises(InputError, match=r"inputs\[1, 2, 0\] of 'twist'"):
        Rollout(batch, values)
    rollout = Rollout(batch, np.zeros((3, COUNT, m)))
    for wrong in (np.zeros((2, COUNT, 2 * nv)), np.zeros(2 * nv)):
        with pytest.raises(InputError, match="cotangent must have shape"):
            rollout.vjp(wrong)
    with pytest.raises(InputError, match="cotangent must hold finite numbers"):
        rollout.vjp(np.full((COUNT, 2 * nv), np.nan))
