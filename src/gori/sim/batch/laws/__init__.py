"""Laws of forces that users write as functions, compiled into the steps of many machines."""

from gori.sim.batch.laws.laws import LawForce, Laws

__all__ = ["LawForce", "Laws"]
