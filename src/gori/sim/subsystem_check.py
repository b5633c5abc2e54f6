"""A subsystem on trial: run beside a Model, saved, restored and run again."""

from typing import Any

import numpy as np

from gori.errors import InputError
from gori.integrate import RK4, Method
from gori.model import Model
from gori.model.state import State
from gori.sim.simulation import Simulation


def check_subsystem(subsystem: Any, model: Model, method: Method | None = None, steps: int = 20) -> None:
    """Raise InputError if a subsystem does not go on from its own state bit for bit, or SimulationError if it fails.

    It takes so many steps, is saved, takes as many again, is restored and takes them once more: both times it must end
    with the same bits. Then it is set back to the memory that it had before.

    method   of the bodies, with a fixed step; default: RK4(step=1e-3)
    """
    simulation = Simulation(model, RK4(step=1e-3) if method is None else method, subsystems=[subsystem])
    (exchange,) = (x for name, x in simulation.exchanges.items() if name != "particles")
    name = exchange.name
    try:
        simulation.step(steps)
        middle = State.from_bytes(simulation.state.to_bytes())
        simulation.step(steps)
        end = simulation.state
        simulation.state = middle
        if odd := _different(middle, simulation.state):
            raise InputError(f"subsystem {name!r}: after load, state() differs from what was loaded in {odd}")
        simulation.step(steps)
        if odd := _different(end, simulation.state):
            raise InputError(
                f"subsystem {name!r} does not go on from its state() bit for bit: after {steps} more steps it differs "
                f"in {odd}. state() must hold all that advance() depends on, and load() restore it"
            )
    finally:
        exchange.guarded.give_back()


def _different(one: State, other: State) -> str:
    """Names of what is not the same in two States, to the last bit; empty if nothing is."""
    a, b = one.arrays(), other.arrays()
    odd = [name for name in {**a, **b} if name not in a or name not in b or not _same(a[name], b[name])]
    return ", ".join(sorted(odd, key=lambda name: name.startswith(("method/", "clock/", "exchange")))[:5])


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
