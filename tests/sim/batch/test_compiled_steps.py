"""Steps that go back by compiled code, of the machines that are good."""

import numpy as np

import gori
from gori.sim.batch.compiled_steps import CompiledSteps, held_signals, inputs_now
from gori.sim.batch.derivatives import Rollout, step_jacobian
from tests.checks import close
from tests.sim.batch.machines import EXAMPLES, H


def test_trees_are_as_those_of_arrays_of_states():
    model = gori.compile(gori.load(EXAMPLES / "robot_pd.yaml"))
    batch, rng = gori.batch(model, 3, gori.SemiImplicit(step=H)), np.random.default_rng(0)
    batch.q[:], batch.v[:], nv = model.random(rng, 3), rng.normal(size=(3, model.nv)), model.nv
    compiled, good = CompiledSteps(batch, []), np.array([True, False, True])
    assert len(held_signals(batch)) == len(batch.inputs) == inputs_now(batch).shape[1]
    found = compiled.jacobian(good)
    for ours, theirs in zip(found, step_jacobian(batch)):
        close(ours[good], theirs[good], 1e-12)
        assert np.isnan(ours[1]).all()
    run, given = Rollout(batch, rng.normal(size=(4, 3, len(batch.inputs)))), rng.normal(size=(4, 3, 2 * nv))
    for cotangent in (given, given[0]):
        ours = compiled.vjp(run.time, run.q, run.v, run.inputs, cotangent, good)
        theirs = run.vjp(cotangent)
        close(ours.of_start[good], theirs.of_start[good], 1e-11)
        close(ours.of_inputs[:, good], theirs.of_inputs[:, good], 1e-11)
        assert np.isnan(ours.of_start[1]).all() and np.isnan(ours.of_inputs[:, 1]).all()
