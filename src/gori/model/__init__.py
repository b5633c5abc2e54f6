"""A Spec compiled into frozen tables, and what can be asked of it."""

from gori.model.compile import compile
from gori.model.loops.assembly import assemble
from gori.model.loops.mobility import Mobility
from gori.model.loops.velocity import consistent_velocity
from gori.model.model import Model
from gori.model.poses import Poses
from gori.model.state import State
from gori.model.tables import Derivatives, InverseDerivatives, JointInfo
from gori.model.threads import threads

__all__ = [
    "Derivatives",
    "InverseDerivatives",
    "JointInfo",
    "Mobility",
    "Model",
    "Poses",
    "State",
    "assemble",
    "compile",
    "consistent_velocity",
    "threads",
]
