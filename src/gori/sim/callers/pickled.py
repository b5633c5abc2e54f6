"""What of a Simulation can go to another process: its options, if pickle can take them; its parts never."""

import pickle
from typing import Any, NoReturn

from gori.errors import InputError


class Bound:
    """A part that is neither pickled nor copied by itself: elsewhere its addresses lead to nothing."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise InputError(
            f"{type(self).__name__} is a part of one Simulation: pickle or copy the Simulation, which makes it again"
        )


_under_way: set[int] = set()
"""ids of Simulations whose options are being tried: a driver may hold its Simulation"""


def refuse_unpicklable(owner: object, options: dict[str, Any]) -> dict[str, Any]:
    """The options; raises an InputError that names what cannot be pickled."""
    if id(owner) in _under_way:
        return options
    _under_way.add(id(owner))
    try:
        for name, value in _parts(options):
            try:
                pickle.dumps(value)
            except Exception as error:
                raise InputError(
                    f"this Simulation cannot be pickled, because of its {name}: {error}. Use functions and classes of "
                    "a module, not lambdas or functions within functions"
                ) from error
    finally:
        _under_way.discard(id(owner))
    return options


def _parts(options: dict[str, Any]) -> list[tuple[str, Any]]:
    """What programs of the user an option holds, by name."""
    found = [(f"force function {_name(function)!r}", function) for function in options["forces"]]
    found += [(f"event {name!r}", event) for name, event in options["events"].items()]
    found += [(f"subsystem {subsystem.name!r}", subsystem) for subsystem in options["subsystems"]]
    return [*found, (f"driver {_name(options['driver'])!r}", options["driver"])]


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", type(function).__name__)
