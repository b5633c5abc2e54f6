"""What is often handed to a Simulation by mistake, and what was meant."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gori.errors import InputError
from gori.integrate import Loops, Method
from gori.model.model import require_model


def mapping_of(name: str, value: object) -> dict:
    """An option by names, {name: ...}; None for none."""
    if not isinstance(value, Mapping | None) or not all(isinstance(key, str) for key in value or ()):
        raise InputError(f"{name} must be a dict by names, not {value!r:.200}")
    return dict(value or {})


def functions_of(forces: object) -> list[Callable]:
    """Functions of the user: one, several or none."""
    several = isinstance(forces, Iterable) and not callable(forces)
    found: list[Any] = [] if forces is None else list(forces) if several else [forces]  # pyright: ignore[reportArgumentType]
    for function in found:
        if not callable(function):
            raise InputError(f"forces must be functions, not {function!r}")
    return found


def refuse_mistaken(model: object, method: object, loops: object) -> None:
    """Refuse a Spec in place of its Model, and a class in place of an object of it."""
    require_model(model)
    for name, value, kind in (("method", method, Method), ("loops", loops, Loops)):
        if not isinstance(value, kind | Mapping | str | type | None):
            raise InputError(f"{name} must be a {kind.__name__}, its name or its settings, not {value!r}")
        if isinstance(value, type):
            if issubclass(value, kind):
                raise InputError(f"{name} is the class {value.__name__}: make one, {value.__name__}(...)")
            raise InputError(f"{name} must be a {kind.__name__}, not the class {value.__name__}")
