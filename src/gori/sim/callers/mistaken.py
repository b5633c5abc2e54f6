"""What is often handed to a Simulation by mistake, and what was meant."""

from gori.errors import InputError
from gori.integrate import Loops, Method
from gori.model.model import require_model


def refuse_mistaken(model: object, method: object, loops: object) -> None:
    """Refuse a Spec in place of its Model, and a class in place of an object of it."""
    require_model(model)
    for name, value, kind in (("method", method, Method), ("loops", loops, Loops)):
        if isinstance(value, type):
            if issubclass(value, kind):
                raise InputError(f"{name} is the class {value.__name__}: make one, {value.__name__}(...)")
            raise InputError(f"{name} must be a {kind.__name__}, not the class {value.__name__}")
