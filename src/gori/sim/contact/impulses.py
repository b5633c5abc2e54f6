"""What a method with impulses of contact at velocity level cannot do."""

import numpy as np

from gori.errors import UnsupportedError
from gori.integrate import Method
from gori.model import Model
from gori.model.loops.system import lent


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
