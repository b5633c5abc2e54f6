"""The State that a Model starts from, with all its parts."""

from typing import Any

import numpy as np

from gori.model.arrays import numbers_of
from gori.model.loops.assembly import assemble, check_one
from gori.model.loops.velocity import consistent_velocity
from gori.model.model import Model
from gori.model.particles.part import start_of_particles
from gori.model.state import State, seconds


def start_state(model: Model, q: Any = None, v: Any = None, time: float = 0.0) -> State:
    """At q and v, or where the Spec starts, with loops closed; vehicles and particles as the Spec has them there."""
    time = seconds(time)
    if model.loops:
        q = assemble(model, q, time=time)
        v = consistent_velocity(model, q, v, time=time)
    q = model.q0 if q is None else numbers_of(q, "q")
    v = model.v0 if v is None else numbers_of(v, "v")
    check_one(model, q=(q, model.nq), v=(v, model.nv))
    parts: dict[str, Any] = {}
    if model.vehicle is not None:
        parts["vehicle"] = model.vehicle.state(time)
    if model.particles is not None:
        parts["particles"] = start_of_particles(model, q, v)
    return State(time, q, v, np.zeros(model.nz), parts, model.fingerprint)
