"""The equations of an implicit step at trial accelerations, against the reference."""

import numpy as np
import pytest

from gori.integrate import ImplicitEuler
from gori.integrate.newton import begin_step
from gori.integrate.step_equations import (
    axis_derivatives,
    defect,
    end_state,
    friction_states,
    generalised_force,
    residual,
    simple,
)
from gori.kernels.codes import OK, USER_ERROR
from tests.checks import close
from tests.integrate.steps import bundle, random_bundle, slider
from tests.integrate.test_strategies import with_forces
from tests.plain import plain
from tests.reference import dynamics as dyn
from tests.reference.implicit import Step, slide

H = 0.01


def begun(made, t=0.0):
    """The work of a bundle at the start of a step of implicit Euler."""
    machine, data, memory, y = made
    work = memory.work
    nq, nv = len(work.q_end), len(work.x)
    plain(begin_step)(machine, data, memory, work, np.zeros(nv), t, H, H, H * H)
    work.base_velocity[:] = y[nq : nq + nv]
    work.base_increment[:] = H * y[nq : nq + nv]
    return work


def forced(seed):
    """A random tree with forces of all kinds: bundle, reference, accelerations."""
    model, tree, start = with_forces(seed)
    made = bundle(model, ImplicitEuler(H, jacobian="full"), start.q, start.v, start.z)
    x = np.random.default_rng(seed).normal(size=model.nv)
    return made, Step(tree, model.q0, start.time, H, start.q, start.v, start.z), x


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_terms_of_a_tree_with_all_forces(seed):
    """End state, x - f, and r = ID - G, which is M (x - f)."""
    (machine, data, memory, y), step, x = forced(seed)
    work = begun((machine, data, memory, y), step.t)
    _, q, v, z = step.end(x)
    plain(end_state)(machine, memory, work, y, x)
    for actual, expected in ((work.q_end, q), (work.v_end, v), (work.z_end, z)):
        close(actual, expected, 1e-12)
    out = np.empty(len(x))
    assert plain(defect)(machine, data, memory, y, x, out) == OK
    close(out, x - step.f(x), 1e-8)
    assert plain(residual)(machine, data, memory, y, x, x, out) == OK
    close(out, dyn.crba(step.tree, q) @ (x - step.f(x)), 1e-8)
    G = np.empty(len(x))
    assert plain(generalised_force)(machine, data, memory, G) == OK
    close(G, dyn.rnea(step.tree, q, v, x) - out, 1e-8)
    assert not plain(simple)(machine)


def test_friction_over_a_step():
    model, tree, start = with_forces(4)
    machine, *_ = bundle(model, ImplicitEuler(H))
    for speed in (1.0, 1e-13, -3.0):
        z, v = start.z.copy(), speed * np.sign(start.v)
        plain(friction_states)(machine, v, z, H)
        close(z, slide(tree, v, start.z, H, model.q0), 1e-14)


def test_a_function_of_the_user_that_fails():
    made, _ = random_bundle(0, ImplicitEuler(H), user=lambda *_: 1)
    work = begun(made)
    machine, data, memory, y = made
    assert plain(defect)(machine, data, memory, y, work.x, work.defect) == USER_ERROR
    assert plain(residual)(machine, data, memory, y, work.x, work.x, work.residual) == USER_ERROR


ELEMENTS = {
    "spring": {"stiffness": 50.0, "damping": 3.0},
    "friction that sticks": {"friction": 20.0, "stick_stiffness": 400.0, "v": 0.3},
    "friction that slips": {"friction": 2.0, "stick_stiffness": 400.0, "v": 0.3},
    "limit": {"limits": [-1.0, -0.1], "limit_stiffness": 70.0, "limit_damping": 2.0, "q": 0.2, "v": -0.2},
    "motor": {"forces": {"m": {"type": "motor", "joint": "rail", "target": "1+t", "kp": 30.0, "kd": 4.0}}},
    "motor at its limit": {
        "forces": {"m": {"type": "motor", "joint": "rail", "target": 9.0, "kp": 30.0, "limit": 5.0}}
    },
    "force": {"forces": {"f": {"type": "force", "joint": "rail", "value": "sin(t)"}}},
}


@pytest.mark.filterwarnings("ignore::gori.errors.SpecWarning")
@pytest.mark.parametrize("name", ELEMENTS)
def test_derivatives_of_forces_on_one_axis(name):
    """-dG/dx by differences."""
    model = slider(**ELEMENTS[name])
    machine, data, memory, y = made = bundle(model, ImplicitEuler(H))
    work = begun(made)
    assert plain(simple)(machine)

    def force(x):
        G = np.empty(1)
        plain(end_state)(machine, memory, work, y, np.array([x]))
        assert plain(generalised_force)(machine, data, memory, G) == OK
        return G[0]

    x, d = 2.0, 1e-3
    slope = (force(x + d) - force(x - d)) / (2.0 * d)
    force(x)
    plain(axis_derivatives)(machine, memory, work, data.values)
    assert work.diagonal[0] == pytest.approx(-slope, rel=1e-6, abs=1e-12)
    assert (slope == 0.0) == (name in ("force", "motor at its limit", "friction that slips"))


@pytest.mark.parametrize(
    "force",
    [
        {"type": "force", "joint": "rail", "value": "-3*rail.q"},
        {"type": "spring", "parent": "ground", "child": "mass", "at": [0, 0, 1], "stiffness": 9.0},
    ],
    ids=["follows the state", "acts on a body"],
)
def test_forces_that_are_not_simple(force):
    model = slider(forces={"f": force})
    assert not plain(simple)(bundle(model, ImplicitEuler(H)).machine)
