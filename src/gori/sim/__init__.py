"""Simulation in time."""

from gori.sim.batch import batch
from gori.sim.clock import Clock, ClockReport, Ports
from gori.sim.devices import devices
from gori.sim.events import Event
from gori.sim.rest import at_rest
from gori.sim.runfile import open_run
from gori.sim.simulation import Simulation
from gori.sim.trace import Trace

__all__ = [
    "Clock",
    "ClockReport",
    "Event",
    "Ports",
    "Simulation",
    "Trace",
    "at_rest",
    "batch",
    "devices",
    "open_run",
]
