"""Every question one can ask a Model, against the textbook twins: one state, and batches that meet all lane edges."""

import numpy as np
import pytest
from hypothesis import given, settings

import gori
from gori.spec import GROUND
from tests.checks import SIZES, close, machine, states, take
from tests.reference import dynamics as dyn
from tests.reference.random_spec import specs
from tests.reference.tree import Tree

COUNT = max(SIZES)


def names(tree):
    return [tree.body_names[0], tree.body_names[-1], "f0", "f1", "f2", GROUND]


def frames(tree, ours):
    """One array of what the Model says of several frames: (.., nframe, rows, columns)."""
    return np.stack([ours(name) for name in names(tree)], axis=-3)


def own_axes(tree, q, name):
    """The Jacobian with its rows in the frame's own axes."""
    R = dyn.poses(tree, q)[name][:3, :3]
    J = dyn.jacobian(tree, q, name)
    return np.vstack([R.T @ J[:3], R.T @ J[3:]])


def own_axes_rate(tree, q, v, name):
    speed = 1.0 + np.linalg.norm(v)
    return speed * dyn.derivative(lambda s: own_axes(tree, dyn.integrate(tree, q, s * v / speed), name))


# name: (the Model's answer for a state or a batch x, the twin's answer for a state x, tolerance)
EXACT = {
    "forward_kinematics": (
        lambda m, t, x: frames(t, m.forward_kinematics(x["q"]).__getitem__),
        lambda t, x: np.stack([dyn.poses(t, x["q"])[name] for name in names(t)]),
        1e-12,
    ),
    "jacobian": (
        lambda m, t, x: frames(t, lambda name: m.jacobian(x["q"], name)),
        lambda t, x: np.stack([dyn.jacobian(t, x["q"], name) for name in names(t)]),
        1e-12,
    ),
    "jacobian, own axes": (
        lambda m, t, x: frames(t, lambda name: m.jacobian(x["q"], name, "body")),
        lambda t, x: np.stack([own_axes(t, x["q"], name) for name in names(t)]),
        1e-12,
    ),
    "inverse_dynamics": (
        lambda m, t, x: m.inverse_dynamics(x["q"], x["v"], x["a"]),
        lambda t, x: dyn.rnea(t, x["q"], x["v"], x["a"]),
        1e-11,
    ),
    "inverse_dynamics, wrenches": (
        lambda m, t, x: m.inverse_dynamics(x["q"], x["v"], x["a"], x["wrenches"]),
        lambda t, x: dyn.rnea(t, x["q"], x["v"], x["a"], x["wrenches"]),
        1e-11,
    ),
    "bias": (
        lambda m, t, x: m.bias(x["q"], x["v"]),
        lambda t, x: dyn.rnea(t, x["q"], x["v"], 0 * x["a"]),
        1e-11,
    ),
    "gravity_force": (
        lambda m, t, x: m.gravity_force(x["q"]),
        lambda t, x: dyn.rnea(t, x["q"], 0 * x["v"], 0 * x["a"]),
        1e-11,
    ),
    "mass_matrix": (lambda m, t, x: m.mass_matrix(x["q"]), lambda t, x: dyn.crba(t, x["q"]), 1e-12),
    "energy": (
        lambda m, t, x: np.stack(m.energy(x["q"], x["v"]), axis=-1),
        lambda t, x: np.array(dyn.energy(t, x["q"], x["v"])),
        1e-12,
    ),
    "momentum": (lambda m, t, x: m.momentum(x["q"], x["v"]), lambda t, x: dyn.momentum(t, x["q"], x["v"]), 1e-12),
    "center_of_mass": (lambda m, t, x: m.center_of_mass(x["q"]), lambda t, x: dyn.center_of_mass(t, x["q"]), 1e-12),
    "integrate": (
        lambda m, t, x: m.integrate(x["q"], x["v"]),
        lambda t, x: dyn.integrate(t, x["q"], x["v"]),
        1e-12,
    ),
    # from q to the q of another random state, so turns of up to pi, where the logarithm loses some digits
    "difference": (
        lambda m, t, x: m.difference(x["q"], x["other"]),
        lambda t, x: dyn.difference(t, x["q"], x["other"]),
        1e-10,
    ),
}
for method in ("aba", "crba", "direct"):
    EXACT[f"forward_dynamics, {method}"] = (
        lambda m, t, x, how=method: m.forward_dynamics(x["q"], x["v"], x["tau"], method=how),
        lambda t, x: dyn.aba(t, x["q"], x["v"], x["tau"]),
        1e-9,
    )
    EXACT[f"forward_dynamics, {method}, wrenches"] = (
        lambda m, t, x, how=method: m.forward_dynamics(x["q"], x["v"], x["tau"], x["wrenches"], method=how),
        lambda t, x: dyn.aba(t, x["q"], x["v"], x["tau"], x["wrenches"]),
        1e-9,
    )

# twins that are differences, good to about 1e-8
DIFFERENCES = {
    "jacobian_rate": (
        lambda m, t, x: frames(t, lambda name: m.jacobian_rate(x["q"], x["v"], name)),
        lambda t, x: np.stack([dyn.jacobian_dot(t, x["q"], x["v"], name) for name in names(t)]),
        1e-8,
    ),
    "jacobian_rate, own axes": (
        lambda m, t, x: frames(t, lambda name: m.jacobian_rate(x["q"], x["v"], name, "body")),
        lambda t, x: np.stack([own_axes_rate(t, x["q"], x["v"], name) for name in names(t)]),
        1e-8,
    ),
    "derivatives": (
        lambda m, t, x: np.stack(m.derivatives(x["q"], x["v"], x["tau"]), axis=-3),
        lambda t, x: np.stack(dyn.aba_derivatives(t, x["q"], x["v"], x["tau"])),
        1e-8,
    ),
    "transposed_derivatives": (
        lambda m, t, x: np.stack(m.transposed_derivatives(x["q"], x["v"], x["tau"], x["a"]), axis=-2),
        lambda t, x: np.stack(dyn.aba_transposed(t, x["q"], x["v"], x["tau"], x["a"])),
        1e-8,
    ),
    "inverse_derivatives": (
        lambda m, t, x: np.stack(m.inverse_derivatives(x["q"], x["v"], x["a"]), axis=-3),
        lambda t, x: np.stack(dyn.rnea_derivatives(t, x["q"], x["v"], x["a"])),
        1e-8,
    ),
}


def check(spec, ours, twin, tolerance, rows):
    """One state, and every size of batch, row by row; `rows` are those that the twin is asked for."""
    model, tree = gori.compile(spec), Tree(spec)
    batch = states(tree, COUNT)
    batch["other"] = np.roll(batch["q"], 1, axis=0)
    expected = {b: twin(tree, take(batch, b)) for b in rows}
    close(ours(model, tree, take(batch, 0)), expected[0], tolerance)
    for size in SIZES:
        result = ours(model, tree, take(batch, slice(0, size)))
        assert len(result) == size
        for b in rows:
            if b < size:
                assert result[b].shape == expected[b].shape
                close(result[b], expected[b], tolerance)


@pytest.mark.parametrize("question", EXACT)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(spec=specs())
def test_against_the_twin(question, spec):
    check(spec, *EXACT[question], rows=range(COUNT))


@pytest.mark.parametrize("question", DIFFERENCES)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(spec=specs(max_bodies=4))
def test_against_the_twin_by_differences(question, spec):
    # lanes of the first block, of the second, and of the rest
    check(spec, *DIFFERENCES[question], rows=(0, 3, 8, 18))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("question", [*EXACT, *DIFFERENCES])
def test_large_branched_machine(question, seed):
    """More degrees of freedom than lanes, so that the matrices pass through the 8 x 8 blocks and their edges."""
    model, tree = machine(seed, n=14, types=("revolute", "prismatic", "universal", "fixed", "free"), branching=0.4)
    assert model.nv > 16
    ours, twin, tolerance = (EXACT | DIFFERENCES)[question]
    batch = states(tree, COUNT, seed)
    batch["other"] = np.roll(batch["q"], 1, axis=0)
    result = ours(model, tree, batch)
    for b in (8, 18):
        close(result[b], twin(tree, take(batch, b)), tolerance)


def test_single_state_counts_for_a_whole_batch():
    model, tree = machine(0)
    x = states(tree, 11)
    tau = model.inverse_dynamics(x["q"], x["v"][0], x["a"][0], {"f0": x["wrenches"]["f0"][0], "f1": np.ones(6)})
    for b in range(11):
        wrenches = {"f0": x["wrenches"]["f0"][0], "f1": np.ones(6)}
        close(tau[b], dyn.rnea(tree, x["q"][b], x["v"][0], x["a"][0], wrenches), 1e-11)
    qdd = model.forward_dynamics(x["q"][0], x["v"][0], x["tau"][0], {"f0": x["wrenches"]["f0"]})
    for b in range(11):
        wrenches = {"f0": x["wrenches"]["f0"][b]}
        close(qdd[b], dyn.aba(tree, x["q"][0], x["v"][0], x["tau"][0], wrenches), 1e-9)
