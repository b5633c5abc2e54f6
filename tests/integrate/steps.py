"""Machine, Data, memory of a method and state, for parts of methods that are called one by one (`tests/plain.py`)."""

from typing import Any, NamedTuple

import numpy as np

import gori
from gori.integrate.clock import Sizes
from gori.integrate.newton import implicit_core
from gori.model.machine import machine_of
from gori.spec import GROUND, Spec
from tests.checks import machine as random_machine
from tests.plain import plain, records
from tests.reference.implicit import Step
from tests.reference.random_spec import random_state


class Bundle(NamedTuple):
    machine: Any
    data: Any
    memory: Any
    y: np.ndarray


def bundle(model, method, q=None, v=None, z=None, **changes) -> Bundle:
    """In plain Python; changes: other members of the Machine, functions in place of addresses."""
    machine, data = machine_of(model)
    sizes = Sizes(len(machine.body_i), model.nq, model.nv, model.nz)
    start = (model.q0 if q is None else q, model.v0 if v is None else v, np.zeros(model.nz) if z is None else z)
    memory, y = records(method.memory(sizes)), np.concatenate([*start, [0.0]])  # the last is the work
    return Bundle(records(machine).replace(core=plain(implicit_core), **changes), records(data), memory, y)


def random_bundle(seed, method, floating=False, **changes):
    """A random tree without forces: the bundle, and its Step in the reference, at time zero."""
    model, tree = random_machine(seed, n=5, floating=floating)
    q, v, _ = random_state(np.random.default_rng(seed), tree)
    user, h = None, method.settings().get("step", 0.0)
    if "user" in changes:
        own = changes["user"]

        def user(t, q, v):
            tau = np.zeros(len(v))
            own(t, q, v, tau)
            return tau

    return bundle(model, method, q, v, **changes), Step(tree, model.q0, 0.0, h, q, v, user=user)


def slider(mass=1.0, q=0.0, v=0.0, **joint) -> Any:
    """A mass on a rail along x, without gravity."""
    rail = {"type": "prismatic", "parent": GROUND, "child": "mass", "axis": [1, 0, 0], "q": q, "v": v}
    forces = joint.pop("forces", {})
    spec = Spec(gravity=[0, 0, 0], bodies={"mass": {"mass": mass}}, joints={"rail": rail | joint}, forces=forces)
    return gori.compile(spec)
