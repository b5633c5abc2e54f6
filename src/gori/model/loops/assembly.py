"""Assembly: positions that close all loops, from a rough start.

What the Spec gives as q is held; all other coordinates, those with a guess included, are found. Where the loops do not
close so, given values are moved, the last ones first, and a warning names them.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gori.errors import AssemblyWarning, ClosureError, InputError
from gori.model.arrays import numbers_of
from gori.model.loops.newton import Pose, Search
from gori.model.model import Model, require_model
from gori.model.state import seconds
from gori.spec.explain import warn
from gori.text.arguments import names_of

READY = 0.1
"""how readily joints move whose q the Spec gives, as a share of the others, if all may move"""
GIVEN, UNKNOWN = 10.0, 0.1
"""what a change of a coordinate counts whose q the Spec gives, and one that it says nothing of, beside a guess"""
MOVED = 1e-12
"""change that counts as a move [rad, or the size of the machine]"""
ELSEWHERE = 0.05
"""change of a given value, in its scale, that rounding does not explain"""
REACH = 2.0
"""a second closed pose is named if it is not farther from the start than this times the first"""


class Assembly(NamedTuple):
    """A closed pose, and what the user should know of it."""

    q: np.ndarray
    warnings: tuple[str, ...] = ()


def assemble(model: Model, q: Any = None, hold: Iterable[str] = (), time: float = 0.0) -> np.ndarray:
    """q (nq,) with all loops closed: the nearest to a rough q.

    q      start; default: that of the Spec, where joints with a q keep it, and an AssemblyWarning names those that
           cannot, and a second closed pose if one is as near
    hold   joints whose coordinates stay as they are
    time   at which motions are taken [s]
    """
    found = assembled(model, q, hold, time)
    for message in found.warnings:
        warn(message, AssemblyWarning)
    return found.q


def assembled(model: Model, q: Any = None, hold: Iterable[str] = (), time: float = 0.0) -> Assembly:
    """As `assemble`, without a word."""
    require_model(model)
    start = model.q0 if q is None else numbers_of(q, "q")
    check_one(model, q=(start, model.nq))
    if not model.loop_system.names:
        return Assembly(start)
    held, time = names_of(hold, "hold"), seconds(time)
    free = ~_columns(model, held)
    if q is not None:
        return Assembly(_nearest(Search(model, start, np.ones(model.nv), time), free, held).q)
    joints = model.spec.joints
    given = [info.name for info in model.joints if joints[info.name].given]
    guessed = [info.name for info in model.joints if joints[info.name].guessed]
    weight = np.where(_columns(model, guessed), 1.0, UNKNOWN)
    search = Search(model, start, np.where(_columns(model, given), GIVEN, weight), time)
    if closures := search.closures(free & ~_columns(model, given)):
        return Assembly(closures[0].q, _second(search, closures))
    closures = _released(search, free, held, given)
    moved, second = _moved(search, given, closures[0].q), _second(search, closures)
    return Assembly(closures[0].q, (". Besides, ".join((*moved, *second)),) if moved else second)


def _columns(model: Model, names: Iterable[str]) -> np.ndarray:
    """Which coordinates belong to some joints (nv,)."""
    chosen = np.zeros(model.nv, bool)
    for name in names:
        chosen[model.joint(name).v] = True
    return chosen


def _nearest(search: Search, free: np.ndarray, held: list[str], readiness: np.ndarray | None = None) -> Pose:
    """The closed pose that the start leads to, or else the nearest that is found."""
    pose = search.near(free, readiness)
    if pose.closed:
        return pose
    if closures := search.closures(free):
        return closures[0]
    raise not_closed(search.model, pose.gap, search.time, held)


def _released(search: Search, free: np.ndarray, held: list[str], given: list[str]) -> list[Pose]:
    """Closed poses though given values cannot all stay: those first that take fewest of them elsewhere, then the
    nearest. As many of the first values stay as can.
    """
    model, system = search.model, search.system
    ready = np.where(_columns(model, given), READY, 1.0)
    pose, kept = _nearest(search, free, held, ready), []
    rank = np.linalg.matrix_rank(system.scaled(system.terms(pose.q, time=search.time).J)[:, free], 1e-9)
    for name in given:
        rest = free & ~_columns(model, [*kept, name])
        J = system.scaled(system.terms(pose.q, time=search.time).J)
        if not rest.any() or np.linalg.matrix_rank(J[:, rest], 1e-9) < rank:
            continue  # it follows from those that are kept
        there = pose.q.copy()
        for one in (*kept, name):
            there[model.joint(one).q] = search.q[model.joint(one).q]
        trial = search.near(rest, ready, there)
        closures = [trial] if trial.closed else search.closures(rest)
        if closures:
            pose = closures[0]
            kept.append(name)
    found = search.closures(free & ~_columns(model, kept), ready) or [pose]
    # one wrong value must not move the others: those closures come first that take fewest of them elsewhere
    return sorted(found, key=lambda one: len(_far(search, given, one.q)))


def _far(search: Search, given: list[str], q: np.ndarray) -> list[str]:
    """Given joints that a closed pose takes elsewhere, not only by rounding."""
    model = search.model
    change = np.abs(model.difference(search.q, q) / search.scale)
    return [name for name in given if change[model.joint(name).v].max() > ELSEWHERE]


def _values(model: Model, name: str, q: np.ndarray, digits: int = 6) -> str:
    """A joint's coordinates as one would write them."""
    info, joint = model.joint(name), model.spec.joints[name]
    degrees = joint.q_deg is not None or (joint.q is None and info.type in ("revolute", "universal"))
    numbers = np.degrees(q[info.q]) if degrees else q[info.q]
    words = ", ".join(f"{x:.{digits}g}" for x in numbers)
    return f"{words if info.nq == 1 else f'({words})'}{' deg' if degrees else ''}"


def _change(model: Model, name: str, start: np.ndarray, q: np.ndarray) -> str:
    """A joint's coordinates before and after, with as many digits as it takes to tell them apart."""
    for digits in (6, 9, 12, 17):
        before, after = (_values(model, name, one, digits) for one in (start, q))
        if before != after:
            break
    return f"{name} from {before} to {after}"


def _moved(search: Search, given: list[str], q: np.ndarray) -> tuple[str, ...]:
    """Words on given values that had to move."""
    model = search.model
    change = np.abs(model.difference(search.q, q) / search.scale)
    words = [_change(model, name, search.q, q) for name in given if change[model.joint(name).v].max() > MOVED]
    if not words:
        return ()
    return (
        f"the loops do not close with the q that are given: moved {'; '.join(words)}. Give q to independent joints "
        "only, and guess to the others",
    )


def _second(search: Search, closures: list[Pose]) -> tuple[str, ...]:
    """Words on another closed pose that is as near to the start."""
    if len(closures) < 2 or search.distance(closures[1].q) > REACH * search.distance(closures[0].q):
        return ()
    model, (one, other) = search.model, (pose.q for pose in closures[:2])
    apart = np.abs(model.difference(one, other) / search.scale)
    names = [info.name for info in model.joints if apart[info.v].max() > 1e-6]
    here, there = (", ".join(f"{name} = {_values(model, name, q)}" for name in names) for q in (one, other))
    return (f"the loops close in more than one way: taken is {here}; as near is {there}. Give a guess to choose",)


def check_one(model: Model, **given: tuple[np.ndarray, int]) -> None:
    """Refuse what is not one finite state: compiled code would read beyond its end."""
    model.rows(**given)
    for name, (value, size) in given.items():
        if value.ndim != 1:
            raise InputError(f"{name} must have shape ({size},), not {value.shape}: one state at a time")


def not_closed(model: Model, gap: np.ndarray, time: float, held: list[str] | None = None) -> ClosureError:
    """The error for loops that stay open, with the cut that is open the most."""
    system = model.loop_system
    name, value = system.worst(gap)
    owner, _, which = name.rpartition(".")
    unit = (
        "m"
        if system.row_scale[system.names.index(name)] != 1.0 or (system.size == 1.0 and which in "xyz length")
        else "rad"
    )
    cure = f"free some of the held joints ({', '.join(held)}), " if held else ""
    if owner in model.spec.motions:
        words = f"motion {owner!r} exceeds what the loops allow"
    else:
        words = f"cut {owner!r} stays open"
    return ClosureError(
        f"the loops cannot be closed at t = {time:g} s: {words}, by {abs(value):.3g} {unit} ({name}). Check the "
        f"lengths and frames of that loop, {cure}or start closer to the closed pose",
        cut=owner,
        residual=value,
        time=time,
    )
