"""Simulation in time."""

from gori.sim.batch import batch
from gori.sim.clock import Clock, ClockReport, Ports
from gori.sim.contact.impacts import Impacts
from gori.sim.events import Event
from gori.sim.kept import Snapshot
from gori.sim.particles.devices import devices
from gori.sim.runfile import open_run
from gori.sim.simulation import Simulation
from gori.sim.subsystem import BaseSubsystem, BodyMotion, Subsystem
from gori.sim.subsystem_check import check_subsystem
from gori.sim.trace import Trace
from gori.sim.vehicle.rest import at_rest

__all__ = [
    "BaseSubsystem",
    "BodyMotion",
    "Clock",
    "ClockReport",
    "Event",
    "Impacts",
    "Ports",
    "Simulation",
    "Snapshot",
    "Subsystem",
    "Trace",
    "at_rest",
    "batch",
    "check_subsystem",
    "devices",
    "open_run",
]
