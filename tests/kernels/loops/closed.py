"""Machines with loops, in plain Python (`tests/plain.py`), at states that are closed or nearly so."""

from typing import Any, NamedTuple

import numpy as np

import gori
from gori.model.state import State
from gori.sim import Simulation
from gori.spec import Spec
from tests.plain import records
from tests.reference import loops


class Case(NamedTuple):
    spec: Spec
    machine: Any
    data: Any
    m: Any
    q: np.ndarray
    v: np.ndarray
    kept: list[int]  # equations that the solvers have, of those of the reference, which knows no motions


def case(spec: Spec, q=None, v=None, solver: str = "multipliers", **changes) -> Case:
    """At q and v, or at the start of a Simulation; changes: other members of the Machine."""
    model = gori.compile(spec)
    state = None if q is None else State(0.0, q, v)
    simulation = Simulation(model, loops=solver, state=state)
    machine, data = records(simulation.stepper.machine).replace(**changes), records(simulation.stepper.data)
    names = loops.names(spec)
    kept = [names.index(name) for name in model.loop_system.kept.names if name in names]
    return Case(spec, machine, data, data.loops, simulation.q.copy(), simulation.v.copy(), kept)


def dense_jacobian(made: Case) -> np.ndarray:
    """J (ne, nv) of the kept equations, by the reference."""
    return loops.jacobian(made.spec, made.q)[made.kept]
