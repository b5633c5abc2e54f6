"""Simulation in time."""

from gori.sim.events import Event
from gori.sim.simulation import Simulation
from gori.sim.trace import Trace

__all__ = ["Event", "Simulation", "Trace"]
