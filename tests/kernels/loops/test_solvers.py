"""Accelerations of closed machines by each solver: against the twins in relative and in absolute coordinates, and
against Pinocchio.

Largest difference that was seen on 240 machines: 4e-13 of the largest acceleration; 5e-15 is typical.
"""

import numpy as np
import pytest
from hypothesis import given, settings

import gori
from bench.mechanisms import CASES
from gori.integrate import FrozenExplicit, Multipliers, Partition
from gori.kernels.codes import OK
from gori.kernels.machine import ACCELERATIONS, RATES
from gori.model.state import State
from gori.sim import Simulation
from gori.spec import Spec
from gori.spec.joint import NV
from tests.checks import close
from tests.reference import absolute, loops
from tests.reference import dynamics as dyn
from tests.reference.forces import forces, state_count
from tests.reference.loop_oracles import ENGINE_CUTS, PINOCCHIO_JOINTS, pinocchio_loops
from tests.reference.random_loops import (
    closed_machines,
    random_closed,
    random_overconstrained,
    random_planar,
)
from tests.sim.test_forces import passive_fields, random_forces

SOLVERS = {"multipliers": Multipliers(), "partition": Partition(), "frozen_explicit": FrozenExplicit()}
MAKERS = {
    "closed": random_closed,
    "mimic": lambda rng: random_closed(rng, n_mimic=2),
    "twice": random_overconstrained,
    "planar": lambda rng: random_planar(rng, 7, 2),
}
TOLERANCE = 2e-12


def simulation_of(spec, q, v, z=(), loops=None, tau=None):
    model = gori.compile(spec)
    push = None if tau is None else lambda t, q, v: tau
    return Simulation(model, loops=loops, forces=push, state=State(0.0, q, v, np.array(z)))


def rates(simulation, t=0.0, y=None):
    """dq/dt, accelerations and rates of z by the solver of a Simulation; the rate of the work is left to `rhs`."""
    nq, nv = simulation.model.nq, simulation.model.nv
    y = simulation.stepper.y.copy() if y is None else y
    k = np.full(len(y), np.nan)
    code = simulation.loops.solver(simulation.stepper.machine, simulation.stepper.data, t, y, k, RATES)
    assert code == OK
    return k[:nq], k[nq : nq + nv], k[nq + nv : -1]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(10))
def test_against_both_twins(solver, kind, seed):
    rng = np.random.default_rng(seed)
    spec, q, v = MAKERS[kind](rng)
    tau = rng.normal(size=len(v))
    simulation = simulation_of(spec, q, v, loops=SOLVERS[solver], tau=tau)
    expected = loops.constrained(spec, q, v, tau)[0]
    close(expected, absolute.solve(spec, q, v, tau).qdd, 1e-9)
    for _ in range(3):  # frozen factors correct only from the second time on
        close(rates(simulation)[1], expected, TOLERANCE)


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(case=closed_machines(max_bodies=10))
def test_against_the_twin_anywhere(solver, case):
    spec, q, v = case
    tau = np.cos(np.arange(len(v)))
    simulation = simulation_of(spec, q, v, loops=SOLVERS[solver], tau=tau)
    for _ in range(2):
        close(rates(simulation)[1], loops.constrained(spec, q, v, tau)[0], 1e-10)  # where partition is at its worst


@pytest.mark.parametrize("seed", range(10))
def test_accelerations_at_the_start_of_implicit_methods(seed):
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng)
    simulation = simulation_of(spec, q, v)
    qdd = np.full(len(v), np.nan)
    code = Multipliers.solver(
        simulation.stepper.machine, simulation.stepper.data, 0.0, simulation.stepper.y, qdd, ACCELERATIONS
    )
    assert code == OK
    close(qdd, loops.constrained(spec, q, v, np.zeros(len(v)))[0], TOLERANCE)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(6))
def test_frozen_factors_of_another_pose(solver, seed):
    """Evaluated somewhere else than where the factors were made: nearby, and with other velocities."""
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng)
    simulation = simulation_of(spec, q, v, loops=SOLVERS[solver])
    rates(simulation)
    tree = loops.open_tree(spec)
    for size in (1e-3, 0.03, 0.1):
        there = loops.assemble(spec, dyn.integrate(tree, q, size * rng.normal(size=tree.nv)), tolerance=1e-14)
        speed = loops.consistent(spec, there, rng.normal(size=tree.nv))
        _, qdd, _ = rates(simulation, y=np.concatenate([there, speed, [0.0]]))
        expected = loops.constrained(spec, there, speed, np.zeros(tree.nv))[0]
        close(qdd, expected, 1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", [name for name in CASES if name != "n_four_bar_40"])
def test_mechanisms_of_the_literature(solver, name):
    """A little aside from where they start, which for some is at rest or a pose of much symmetry."""
    model = gori.compile(CASES[name].make())
    spec, rng = model.spec, np.random.default_rng(1)
    tree = loops.open_tree(spec)
    q = loops.assemble(spec, dyn.integrate(tree, model.q0, 0.05 * rng.normal(size=model.nv)), tolerance=1e-15)
    v = loops.consistent(spec, q, rng.normal(size=model.nv))
    tau, wrenches, _ = forces(tree, 0.0, q, v, np.zeros(0), model.q0)
    simulation = Simulation(model, loops=SOLVERS[solver], state=State(0.0, q, v))
    for _ in range(2):
        close(rates(simulation)[1], loops.constrained(spec, q, v, tau, wrenches)[0], 1e-11)


# ---- other engines


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(6))
def test_against_pinocchio(solver, seed):
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng, cut_types=ENGINE_CUTS, joint_types=PINOCCHIO_JOINTS)
    tau = rng.normal(size=len(v))
    expected, _ = pinocchio_loops(spec, q, v, tau)
    simulation = simulation_of(spec, q, v, loops=SOLVERS[solver], tau=tau)
    for _ in range(2):
        close(rates(simulation)[1], expected, TOLERANCE)


# ---- forces


def with_all_forces(rng, bare):
    """Forces of all kinds on a closed machine, and what joints do by themselves."""
    joints = {}
    for name, joint in bare.joints.items():
        fields = joint.model_dump(exclude_unset=True)
        joints[name] = fields | (passive_fields(rng, joint.type) if NV[joint.type] else {})
    parts = bare.model_dump(exclude_unset=True) | {"joints": joints}
    return Spec(**parts, forces=random_forces(rng, bare))


@pytest.mark.filterwarnings("ignore::gori.errors.SpecWarning")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(5))
def test_with_all_forces(solver, kind, seed):
    rng = np.random.default_rng(seed)
    bare, q, v = MAKERS[kind](rng)
    spec = with_all_forces(rng, bare)
    tree = loops.open_tree(spec)
    z, t = rng.normal(size=state_count(tree)) * 1e-3, 0.37
    tau, wrenches, zdot = forces(tree, t, q, v, z, q)
    simulation = simulation_of(spec, q, v, z, SOLVERS[solver])
    for _ in range(2):
        _, qdd, z_rate = rates(simulation, t)
        close(qdd, loops.constrained(spec, q, v, tau, wrenches)[0], TOLERANCE)
        close(z_rate, zdot, 1e-12)
