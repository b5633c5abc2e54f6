"""What a method with impulses of contact at velocity level cannot do."""

from gori.errors import UnsupportedError
from gori.integrate import Method
from gori.model import Model


def refuse_for_impulses(model: Model, method: Method) -> None:
    """Raise UnsupportedError for machines with loops, and for contact that resists rolling or turning."""
    if model.loops:
        raise UnsupportedError(
            f"{method.kind} does not keep loops closed ({model.loops[0]}). Use a method that does, such as rk4: bodies "
            "then touch by the penalty law"
        )
    if model.contact is None:
        return
    law, names = model.contact.tables.law, model.contact.materials
    for i, j in zip(*((law["rolling"] > 0.0) | (law["torsion"] > 0.0)).nonzero()):
        raise UnsupportedError(
            f"{method.kind} has no rolling and no torsional friction, as the contact {names[i]}/{names[j]} asks for. "
            "Set them to 0, or use another method, with the penalty law"
        )
