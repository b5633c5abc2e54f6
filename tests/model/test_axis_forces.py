"""Forces on axes of rows of states: those of the kernels, and their derivatives against central differences."""

import numpy as np
import pytest

import gori
from gori.errors import UnsupportedError
from gori.kernels.forces import elements
from gori.model.axis_forces import AxisForces, ForceTerm
from gori.model.variants import settable_forces, signal_of, with_held_forces
from tests.checks import arm, close
from tests.model.forces_on_axes import forces_on_axes

D = 1e-6
ROWS = 24


def machine_at(seed: int):
    """A Model whose inputs are held, its forces, and rows of arguments."""
    model = gori.compile(forces_on_axes(seed))
    inputs = settable_forces(model)
    model = with_held_forces(model, inputs)
    forces = AxisForces(model, [model.forces.signal_names.index(signal_of(model, name)) for name in inputs])
    rng = np.random.default_rng(seed)
    q = model.random(rng, ROWS)
    for name in ("j0", "j1"):  # beyond their limits too
        q[:, model.joint(name).q.start] = rng.uniform(-0.6, 0.6, ROWS)
    v, u = rng.normal(size=(ROWS, model.nv)), rng.normal(size=(ROWS, len(inputs)))
    return model, inputs, forces, (rng.uniform(0.0, 1.0, ROWS), q, v, u)


def dense(terms: list[ForceTerm], axes: int, columns: int) -> np.ndarray:
    out = np.zeros((ROWS, axes, columns))
    for term in terms:
        out[:, term.axis, term.column] += term.value
    return out


@pytest.mark.parametrize("seed", [0, 1])
def test_forces_are_those_of_a_simulation(seed):
    model, inputs, forces, (t, q, v, u) = machine_at(seed)
    found = forces.at(t, q, v, u).tau
    plain = gori.compile(model.spec)
    for k in range(6):
        state, values = plain.state(q[k], v[k], time=float(t[k])), dict(zip(inputs, u[k].tolist()))
        run = gori.Simulation(plain, gori.SemiImplicit(step=1e-3), state=state, force_values=values)
        run.step(1)
        close(run.stepper.data.tau, found[k], 1e-12)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_derivatives(seed):
    model, inputs, forces, (t, q, v, u) = machine_at(seed)
    now = forces.at(t, q, v, u)

    def differences(f, size):
        return np.stack([(f(D * e) - f(-D * e)) / (2.0 * D) for e in np.eye(size)], axis=-1)

    by_q = differences(lambda dx: forces.at(t, model.integrate(q, dx), v, u).tau, model.nv)
    by_v = differences(lambda dx: forces.at(t, q, v + dx, u).tau, model.nv)
    by_u = differences(lambda dx: forces.at(t, q, v, u + dx).tau, len(inputs))
    own = np.eye(model.nv)
    close(dense(now.across_q, model.nv, model.nv) + own * now.own_q[:, None], by_q, 1e-8)
    close(dense(now.across_v, model.nv, model.nv) + own * now.own_v[:, None], by_v, 1e-8)
    close(dense(now.by_inputs, model.nv, len(inputs)), by_u, 1e-8)


def test_all_covered_kinds_are_there_and_work_on_both_sides():
    model, _, _, (_, q, _, _) = machine_at(0)
    covered = {elements.JOINT_SPRING, elements.BALL_SPRING, elements.JOINT_LIMIT, elements.JOINT_FORCE, elements.MOTOR}
    assert set(model.forces.element_i[:, elements.E_KIND]) == covered
    low, at, high = -0.2, q[:, model.joint("j0").q.start], 0.3
    assert (at < low).any() and (at > high).any() and ((low < at) & (at < high)).any()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"joints__elbow__friction": 0.3}, "friction.*'elbow'"),
        ({"forces": {"rope": {"type": "spring", "parent": "ground", "child": "lower", "stiffness": 1.0}}}, "'rope'"),
        ({"forces": {"wind": {"type": "wrench", "body": "lower", "force": [1, 0, 0]}}}, "wrench.*'wind'"),
        ({"forces": {"x": {"type": "torque", "joint": "elbow", "value": "tool.z"}}}, "forces.x.value.*body"),
    ],
)
def test_what_is_not_covered_is_refused_by_name(changes, words):
    spec = arm(**{name: value for name, value in changes.items() if name != "forces"})
    if "forces" in changes:
        spec = gori.Spec(**spec.model_dump(exclude_unset=True) | {"forces": changes["forces"]})
    with pytest.raises(UnsupportedError, match=words):
        AxisForces(gori.compile(spec))
