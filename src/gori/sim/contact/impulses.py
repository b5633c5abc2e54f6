"""What a method with impulses of contact at velocity level cannot do, and what it warns of."""

import warnings

import numpy as np

from gori.errors import ContactWarning, UnsupportedError
from gori.integrate import Method
from gori.kernels.contact.memory import ContactMemory
from gori.kernels.loops.tables import DRIVEN
from gori.model import Model
from gori.model.contact.wheels import turning_with_friction
from gori.model.loops.system import lent

DEEP = 0.02
"""depth by the smaller radius of curvature that is worth a warning"""


def refuse_for_impulses(model: Model, method: Method) -> None:
    """Raise UnsupportedError for machines that only move because of their loops, and for what turns with a wheel. Axes
    whose motions are given, as those of a moving base, need no inertia.
    """
    refuse_turning(model, method.kind)
    if not model.loops:
        return
    equations = model.loop_system.tables.equation
    given = equations["dof"][equations["kind"] == DRIVEN]
    massless = np.setdiff1d(np.flatnonzero(lent(model.tree.mass_matrix(model.q0))), given)
    if len(massless):
        raise UnsupportedError(
            f"{method.kind}: joint {model.joint_of_dof(int(massless[0]))!r} moves no inertia of its own, only that of "
            "bodies that loops connect it with. Give what it carries mass and inertia, give the joint armature or a "
            "motion, or use another method"
        )


def refuse_turning(model: Model, what: str) -> None:
    """Raise UnsupportedError where a shape with friction turns with a wheel: only the penalty law turns that wheel."""
    if (name := turning_with_friction(model)) is not None:
        raise UnsupportedError(
            f"{what}: {name} turns with a wheel and has friction, which needs the penalty law: use a method such as "
            "semi_implicit or rk4, or set its friction to 0"
        )


def warn_of_depth(model: Model, method: Method, memory: ContactMemory, since: float) -> None:
    """A ContactWarning that names two shapes which got deep inside each other in a run.

    since   time at which the run began [s]
    """
    if model.contact is None or method.contact != "impulses":
        return
    head, shape, names = memory.head[0], model.contact.tables.shape, model.contact.names
    pair = np.clip([head["deepest_a"], head["deepest_b"]], 0, len(shape) - 1)
    size = float(shape["curvature"][pair].min())
    if not head["deepest"] > DEEP * size or head["deepest_time"] < since:
        return
    warnings.warn(
        f"{names[pair[0]]} and {names[pair[1]]} got {head['deepest']:.2g} m deep into each other, at t = "
        f"{head['deepest_time']:.6g} s. If they did not start so: take a smaller step (it is "
        f"{method.settings()['step']:g} s), masses that differ less, or another method, with the penalty law",
        ContactWarning,
        stacklevel=4,
    )
