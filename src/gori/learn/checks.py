"""What an environment is given, checked: settings, and what the functions of its terms return."""

from collections.abc import Mapping
from operator import index
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.learn.actions import Action
from gori.spec.expression import closest


def side_by_side(sizes: Mapping[str, int]) -> dict[str, slice]:
    """Columns of parts of these sizes."""
    ends = np.cumsum([0, *sizes.values()]).tolist()
    return {name: slice(ends[k], ends[k + 1]) for k, name in enumerate(sizes)}


def steps_of(duration: float, dt: float) -> int:
    """Steps of dt [s] in a duration [s]."""
    if not isinstance(duration, (int, float)) or not np.isfinite(duration) or duration < 0.5 * dt:
        raise InputError(f"duration must be at least one step of {dt:g} s, not {duration!r}")
    return round(duration / dt)


def actions_of(actions: Mapping[str, Action], control_steps: int) -> dict[str, Action]:
    """Actions by name, each of which acts a whole number of times in a step."""
    for name, one in actions.items():
        if not isinstance(one, Action):
            raise InputError(f"actions[{name!r}] must be an Action, such as learn.InputAction('motor'), not {one!r}")
        if one.every is not None and control_steps % one.every:
            raise InputError(f"actions[{name!r}] acts every {one.every} steps, which must divide {control_steps}")
    if not actions:
        raise InputError("an environment needs at least one action")
    return dict(actions)


def rhythm_of(actions: Mapping[str, Action], control_steps: int) -> int:
    """Steps of the physics between two moments at which an action may act."""
    return int(np.gcd.reduce([control_steps, *[one.every or control_steps for one in actions.values()]]))


def option_of(options: Any, name: str) -> Any:
    """The one option that there is, None if it is not given; others are refused."""
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise InputError(f"options must be {{{name!r}: ...}}, not {options!r:.100}")
    if unknown := [key for key in options if key != name]:
        raise InputError(f"there is no option {unknown[0]!r}{closest(unknown[0], (name,))}: a reset takes {name!r}")
    return options.get(name)


def refuse_seed(seed: Any, count: int) -> None:
    """Refuse what is neither a whole number nor so many of them."""
    if isinstance(seed, (int, np.integer)):
        return
    try:
        good = not isinstance(seed, str | bytes) and len([index(one) for one in seed]) == count
    except TypeError:
        good = False
    if not good:
        raise InputError(f"seed must be an integer or {count} of them, not {seed!r:.100}")


def row(what: str, values: Any, count: int) -> Any:
    """Numbers (count,)."""
    if _shape(values) != (count,):
        raise InputError(f"{what} must give an array of shape ({count},), not {_shape(values) or repr(values)}")
    return values


def flags(what: str, values: Any, count: int) -> Any:
    """A mask (count,)."""
    if not is_mask(values):
        raise InputError(f"{what} must give an array of bool, not {values!r}")
    return row(what, values, count)


def columns(what: str, values: Any, count: int) -> Any:
    """Numbers (count, size), also from (count,)."""
    shape = _shape(values)
    if len(shape) not in (1, 2) or shape[0] != count:
        raise InputError(
            f"{what} must give an array of shape ({count},) or ({count}, size), not {shape or repr(values)}"
        )
    return values if len(shape) == 2 else values[:, None]


def is_mask(values: Any) -> bool:
    """Whether it is an array of bool, of any package."""
    return "bool" in str(getattr(values, "dtype", ""))


def _shape(values: Any) -> tuple[int, ...]:
    return tuple(getattr(values, "shape", ()))
