"""Along a known motion: accelerations, what forces leave unbalanced, and what joints and cuts transmit."""

import numpy as np
import pytest

import gori
from gori.kernels.loops.multipliers import multipliers
from gori.kernels.loops.trace import accelerations_along, stressed, transmitted, unbalanced
from gori.model.machine import machine_of
from gori.model.state import State
from gori.sim import Simulation
from tests.checks import arm, close
from tests.reference import loops
from tests.reference.random_loops import random_closed


def rows(model, count=3):
    """Samples (time, q, v) of a tree, and nothing recorded."""
    rng = np.random.default_rng(0)
    return np.column_stack([np.arange(count), rng.normal(size=(count, model.nq + model.nv))]), np.zeros((count, 0))


def test_a_tree():
    model = gori.compile(arm())
    samples, recorded = rows(model)
    machine, data = machine_of(model)
    qdd, force = np.full((2, 3, 2), np.nan)
    assert accelerations_along(machine, data, samples, recorded, qdd) == 3
    q, v = samples[:, 1:3].copy(), samples[:, 3:].copy()
    close(qdd, model.forward_dynamics(q, v, np.zeros((3, 2))), 1e-11)
    assert unbalanced(machine, data, samples, recorded, qdd, force) == 3
    close(force, np.zeros((3, 2)), 1e-10)
    assert unbalanced(machine, data, samples, recorded, np.zeros((3, 2)), force) == 3
    close(force, -model.inverse_dynamics(q, v, np.zeros((3, 2))), 1e-11)


def test_the_number_of_samples_that_went_well():
    model = gori.compile(arm())
    samples, recorded = rows(model)
    simulation = Simulation(model, forces=lambda t, q, v: (1.0 / (0.0 if t > 1.5 else 1.0)) + 0.0 * v)
    qdd = np.zeros((3, 2))
    machine, data = simulation.stepper.machine, simulation.stepper.data
    assert accelerations_along(machine, data, samples, recorded, qdd) == 2 and not qdd[2].any()


@pytest.mark.parametrize("seed", range(3))
def test_a_machine_with_loops(seed):
    """Accelerations by the solver; wrenches through joints and cuts for its accelerations and multipliers."""
    spec, q, v = random_closed(np.random.default_rng(seed))
    model = gori.compile(spec)
    simulation = Simulation(model, state=State(0.0, q, v))
    samples, recorded = np.concatenate([[0.0], q, v])[None], np.zeros((1, 0))
    machine = simulation.stepper.machine.replace(closed=multipliers.address)
    qdd, tau = np.full((1, model.nv), np.nan), np.zeros(model.nv)
    assert accelerations_along(machine, simulation.stepper.data, samples, recorded, qdd) == 1
    expected, lam = loops.constrained(spec, q, v, tau)
    close(qdd[0], expected, 1e-9)

    force = np.full((1, model.nv), np.nan)
    assert unbalanced(machine, simulation.stepper.data, samples, recorded, qdd, force) == 1
    close(force[0], loops.jacobian(spec, q).T @ lam, 1e-8)

    whole, data = machine_of(model, loops=model.loop_system.tables)
    joints, cuts = np.zeros((1, len(machine.body_i), 6)), np.zeros((1, len(whole.cut), 6))
    transmitted(whole, data, samples, recorded, qdd, lam[None], 0, joints, cuts)
    reference = loops.reactions(spec, q, v, tau)
    for info in model.joints:
        close(joints[0, info.rows[-1]], reference[info.name], 1e-7)
    for name, wrench in zip(model.loop_system.tables.cuts, cuts[0]):
        close(wrench, reference[name], 1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_what_multipliers_alone_do(seed):
    """The difference between two sets of multipliers, with all else the same."""
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng)
    model = gori.compile(spec)
    whole, data = machine_of(model, loops=model.loop_system.tables)
    samples, recorded = np.concatenate([[0.0], q, v])[None], np.zeros((1, len(data.recorded)))
    lam, more = rng.normal(size=(2, 1, len(whole.equation)))
    found = []
    for multipliers_ in (lam, lam + more):
        joints, cuts = np.zeros((1, len(whole.body_i), 6)), np.zeros((1, len(whole.cut), 6))
        transmitted(whole, data, samples, recorded, np.zeros((1, model.nv)), multipliers_, 0, joints, cuts)
        found.append((joints, cuts))
    joints, cuts = np.zeros((1, len(whole.body_i), 6)), np.zeros((1, len(whole.cut), 6))
    stressed(whole, data, samples, more, more[:0], joints, cuts)
    close(joints[:, 1:], (found[1][0] - found[0][0])[:, 1:], 1e-10)
    close(cuts, found[1][1] - found[0][1], 1e-10)


@pytest.mark.parametrize("force", [300.0, 30.0, -40.0, -300.0])
def test_a_small_change_of_a_belt_goes_to_the_spans_that_bear_it(force):
    """Taut on both sides, or on one: the tangent of what is transmitted."""
    part = {"mass": 1.0, "inertia": [1, 1, 1]}
    joints = {name: {"type": "revolute", "parent": "ground", "child": name.lower(), "at": [x, 0, 0]}
              for name, x in (("A", 0.0), ("B", 0.5))}  # fmt: skip
    belt = {"type": "belt", "bodies": ["a", "b"], "radii": [0.05, 0.1], "tension": 100.0}
    model = gori.compile(gori.Spec(bodies={"a": part, "b": part}, joints=joints, gears={"belt": belt}))
    machine, data = machine_of(model, loops=model.loop_system.tables)
    samples, none, h = np.zeros((1, 5)), np.zeros((1, 0)), 1e-4
    ends = []
    for step in (-h, h):
        out = np.zeros((1, 3, 6)), np.zeros((1, 1, 6))
        transmitted(machine, data, samples, none, np.zeros((1, 2)), np.array([[-force + step]]), 0, *out)
        ends.append(out[0])
    here = np.zeros((1, 3, 6)), np.zeros((1, 1, 6))
    stressed(machine, data, samples, np.ones((1, 1)), np.array([[-force]]), *here)
    close(here[0][:, 1:], (ends[1] - ends[0])[:, 1:] / (2.0 * h), 1e-7)
