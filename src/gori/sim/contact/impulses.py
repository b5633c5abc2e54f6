"""What a method with impulses of contact at velocity level cannot do, and what it warns of."""

import warnings

import numpy as np

from gori.errors import ContactWarning, UnsupportedError
from gori.integrate import Method
from gori.kernels.contact.memory import ContactMemory
from gori.model import Model
from gori.model.loops.system import lent

DEEP = 0.02
"""depth by the smaller radius of curvature that is worth a warning"""


def refuse_for_impulses(model: Model, method: Method) -> None:
    """Raise UnsupportedError for machines that only move because of their loops."""
    if not model.loops:
        return
    massless = np.flatnonzero(lent(model.tree.mass_matrix(model.q0)))
    if len(massless):
        raise UnsupportedError(
            f"{method.kind}: joint {model.joint_of_dof(int(massless[0]))!r} moves no inertia of its own, only that of "
            "bodies that loops connect it with. Give what it carries mass and inertia, give the joint armature, or use "
            "another method"
        )


def warn_of_depth(model: Model, method: Method, memory: ContactMemory) -> None:
    """A ContactWarning that names two shapes which are deep inside each other after a run."""
    if model.contact is None or method.contact != "impulses":
        return
    points, shape = memory.point[: int(memory.head["points"][0])], model.contact.tables.shape
    size = np.minimum(shape["curvature"][points["a"]], shape["curvature"][points["b"]])
    depth = -points["gap"] / size
    if not len(points) or not depth.max() > DEEP:
        return
    worst = points[int(depth.argmax())]
    names = model.contact.names
    warnings.warn(
        f"{names[worst['a']]} and {names[worst['b']]} are {-worst['gap']:.2g} m deep in each other when the run ends. "
        f"A body that carries more than a thousand times its own mass yields: take a smaller step (it is "
        f"{method.settings()['step']:g} s), masses that differ less, or another method, with the penalty law",
        ContactWarning,
        stacklevel=4,
    )
