"""Derivatives of steps in the space of q against central differences."""

import numpy as np
import pytest

from gori.model.tangents import cross_matrix, quaternion_steps, spring_turn, to_coordinates, to_tangent
from tests.checks import close, machine, states

D = 1e-6


def differences(f, size: int) -> np.ndarray:
    """Derivatives of rows f(dx), dx (size,), at zero: (rows, out, size)."""
    return np.stack([(f(D * e) - f(-D * e)) / (2.0 * D) for e in np.eye(size)], axis=-1)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.05, 0.4, 2.5])
def test_turns_are_derivatives_of_steps(size):
    model, tree = machine(0, types=("spherical", "free", "revolute", "cylindrical"))
    q, dv = states(tree, 5)["q"], states(tree, 5, 1)["v"]
    for info in model.joints:
        if info.type in ("spherical", "free"):
            dv[:, info.v] *= size / np.linalg.norm(dv[:, info.v][:, :3], axis=1)[:, None]
    end = model.integrate(q, dv)
    by_q = differences(lambda dx: model.difference(end, model.integrate(model.integrate(q, dx), dv)), model.nv)
    by_dv = differences(lambda dx: model.difference(end, model.integrate(q, dv + dx)), model.nv)
    turns = quaternion_steps(model, dv)
    assert {info.type for info in model.joints if info.v in [turn.at for turn in turns]} == {"spherical", "free"}
    for turn in turns:
        close(turn.by_q, by_q[:, turn.at, turn.at], 2e-8)
        close(turn.by_dv, by_dv[:, turn.at, turn.at], 2e-8)
        by_q[:, turn.at, turn.at] = by_dv[:, turn.at, turn.at] = np.eye(turn.by_q.shape[1])
    close(by_q, np.broadcast_to(np.eye(model.nv), by_q.shape), 1e-8)
    close(by_dv, np.broadcast_to(np.eye(model.nv), by_q.shape), 1e-8)


def test_cotangents_of_both_kinds():
    model, tree = machine(0, types=("spherical", "free", "planar"))
    batch, rng = states(tree, 4), np.random.default_rng(0)
    q, weights, dq = batch["q"], rng.normal(size=(4, model.nq)), rng.normal(size=(4, model.nq))
    by_step = differences(lambda dx: (weights * model.integrate(q, dx)).sum(axis=1)[:, None], model.nv)[:, 0]
    close(to_tangent(model, q, weights), by_step, 1e-8)

    # a number of steps from a configuration, by coordinates that are scaled first
    given, long = rng.normal(size=(4, model.nv)), q * 1.0
    for info in model.joints:
        if info.type in ("spherical", "free"):
            long[:, info.q][:, :4] *= 1.7
    scaled = model.integrate(long, np.zeros((4, model.nv)))

    def number(x):
        return (given * model.difference(scaled, model.integrate(x, np.zeros((4, model.nv))))).sum(axis=1)

    expected = (number(long + D * dq) - number(long - D * dq)) / (2.0 * D)
    close((to_coordinates(model, long, given) * dq).sum(axis=1), expected, 1e-8)


def test_turn_of_a_spring():
    model, _ = machine(0, n=1, types=("spherical",))
    rng = np.random.default_rng(1)
    rest, q = model.random(rng), model.random(rng, 6)
    q[0] = rest
    q[1] = -model.integrate(rest, np.array([1e-3, 2e-3, -1e-3]))
    r, by_turn = spring_turn(rest, q)
    close(r, model.difference(np.tile(rest, (6, 1)), q), 1e-12)
    by_difference = differences(lambda dx: spring_turn(rest, model.integrate(q, dx))[0], 3)
    close(by_turn, by_difference, 1e-7)


def test_cross_matrix():
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3))
    close(np.einsum("rij,rj->ri", cross_matrix(a), b), np.cross(a, b), 1e-15)
