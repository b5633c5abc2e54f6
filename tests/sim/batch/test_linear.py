"""A step as a linear map: against differences of steps of forward dynamics, and the transposed map against the map."""

import numpy as np
import pytest

import gori
from gori.model.axis_forces import AxisForces
from gori.sim.batch.linear import linear_steps
from tests.checks import close
from tests.model.forces_on_axes import forces_on_axes

D, H, ROWS = 1e-6, 0.02, 9


@pytest.mark.parametrize("seed", [3, 4])
def test_jacobians_and_their_transposes(seed):
    model = gori.compile(forces_on_axes(seed))
    forces, nv, rng = AxisForces(model), model.nv, np.random.default_rng(seed)
    t, q, v, u = np.full(ROWS, 0.2), model.random(rng, ROWS), rng.normal(size=(ROWS, nv)), np.zeros((ROWS, 0))

    def step(q, v):
        end = v + H * model.forward_dynamics(q, v, forces.at(t, q, v, u).tau)
        return model.integrate(q, H * end), end

    def from_there(dx):
        place, speed = step(model.integrate(q, dx[:nv]), v + dx[nv:])
        return np.hstack([model.difference(step(q, v)[0], place), speed])

    steps = linear_steps(model, forces, H, t, q, v, u)
    by_state, by_inputs = steps.jacobians()
    expected = np.stack([(from_there(D * e) - from_there(-D * e)) / (2.0 * D) for e in np.eye(2 * nv)], axis=-1)
    close(by_state, expected, 1e-8)
    assert by_inputs.shape == (ROWS, 2 * nv, 0) and steps.turns

    given = rng.normal(size=(ROWS, 2 * nv))
    some = slice(2, 7)
    back = np.hstack(steps.pulled_back(given[some, :nv], given[some, nv:], some))
    close(back, np.einsum("ri,rij->rj", given, by_state)[some], 1e-12)
