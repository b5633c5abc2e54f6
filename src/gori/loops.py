"""How explicit methods keep loops closed: `gori.Simulation(model, loops=gori.loops.Partition())`."""

from gori.integrate import FrozenExplicit, Multipliers, Partition, RealTime

__all__ = ["FrozenExplicit", "Multipliers", "Partition", "RealTime"]
