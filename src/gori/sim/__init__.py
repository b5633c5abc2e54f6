"""Simulation in time."""

from gori.sim.events import Event
from gori.sim.simulation import Simulation

__all__ = ["Event", "Simulation"]
