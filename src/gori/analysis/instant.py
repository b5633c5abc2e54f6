"""One instant of a kinematic analysis after the other: position, velocity and acceleration that the motions determine.

At a singular pose, where branches cross, J does not determine the velocities. There, and so near that they would be
noise, all three are interpolated between poses on both sides, on the branch that the motion is on.
"""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import ClosureError, InputError
from gori.model import Model, assemble, consistent_velocity
from gori.model.loops.assembly import assembled
from gori.model.loops.beside import ASIDE, NODES
from gori.model.loops.branches import finite_freedom, tangents
from gori.model.loops.newton import close_from

WEAK, SINGULAR = 1e-10, 1e-3
"""smallest singular value of J, by the largest, at which the motions still determine all, and do so well"""
LEAP = 0.3
"""change from the predicted pose, in these units, above which a way is gone in smaller steps"""
FINEST = 6
"""how often a way is halved"""


class Instant(NamedTuple):
    """The state at one time."""

    time: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


def first_instant(model: Model, q: Any, time: float) -> Instant:
    """Where the motions start. What the Spec says of the start of a run need not hold later."""
    q = assemble(model, q) if time == 0.0 else assembled(model, q, time=time).q
    if quality(model, q, time) > SINGULAR:
        return _solved(model, q, time)
    if (left := finite_freedom(tangents(model, q, time))) > 0:
        raise _undetermined(model, q, time, left)
    rough = Instant(time, q, consistent_velocity(model, q, time=time), np.zeros(model.nv))
    return _beside(model, rough) or _solved(model, q, time)


def move(model: Model, here: Instant, time: float) -> Instant:
    """The instant that the motions lead to."""
    if time == here.time:
        return here
    try:
        return _gone(model, here, time, FINEST)
    except ClosureError as error:
        if str(error):
            raise
        raise ClosureError(
            f"the motions ask for more than the loops allow between t = {here.time:.6g} and {time:.6g} s: "
            f"{error.cut or 'a loop'} would open. Shorten the motions, or end before; error.recording holds what was "
            "found until then",
            error.cut, error.residual, time,
        ) from None  # fmt: skip


def quality(model: Model, q: np.ndarray, time: float) -> float:
    """Smallest singular value of J by the largest: 0 if the motions do not determine all."""
    J = model.loop_system.scaled(model.loop_system.terms(q, time=time).J)
    if len(J) < model.nv:
        return 0.0
    values = np.linalg.svd(J, compute_uv=False)
    return float(values[-1] / max(values[0], 1e-300))


def _gone(model: Model, here: Instant, time: float, halvings: int) -> Instant:
    h = time - here.time
    guess = Instant(time, model.integrate(here.q, h * here.v + 0.5 * h * h * here.a), here.v + h * here.a, here.a)
    free = np.ones(model.nv, bool)
    pose = close_from(model, guess.q, free, np.ones(model.nv), time)
    far = np.abs(model.difference(guess.q, pose.q) / model.loop_system.column_scale).max()
    if (not pose.closed or far > LEAP) and halvings > 0:
        return _gone(model, _gone(model, here, here.time + 0.5 * h, halvings - 1), time, halvings - 1)
    if not pose.closed:
        name, value = model.loop_system.worst(pose.gap)
        raise ClosureError("", name.rpartition(".")[0], value, time)
    if quality(model, pose.q, time) > SINGULAR:
        return _solved(model, _polished(model, pose.q, time), time)
    return _beside(model, guess) or _solved(model, pose.q, time)


def _polished(model: Model, q: np.ndarray, time: float) -> np.ndarray:
    """q on the loops to the last digits."""
    system = model.loop_system
    for _ in range(3):
        terms = system.terms(q, time=time)
        step = np.linalg.lstsq(terms.J, -terms.gap, rcond=1e-12)[0]
        if np.abs(step / system.column_scale).max() <= 1e-15:
            break
        q = model.integrate(q, step)
    return q


def _solved(model: Model, q: np.ndarray, time: float) -> Instant:
    """J v = nu and J a = -gamma."""
    system = model.loop_system
    v = _determined(model, q, system.terms(q, None, time).slip, time)
    return Instant(time, q, v, _determined(model, q, system.terms(q, v, time).gamma, time))


def _beside(model: Model, guess: Instant) -> Instant | None:
    """At a singular pose: between poses on both sides; None if these are no better, or out of reach."""
    system, scale = model.loop_system, model.loop_system.column_scale
    speed = np.abs(guess.v / scale).max()
    apart = ASIDE / speed if speed > 0.0 else ASIDE
    found: dict[int, Instant] = {}
    for way in ((1, 2, 3), (-1, -2, -3)):
        here = guess
        for k in way:
            time = guess.time + k * apart
            h = time - here.time
            q = model.integrate(here.q, h * here.v + 0.5 * h * h * here.a)
            pose = close_from(model, q, np.ones(model.nv, bool), np.ones(model.nv), time)
            if not pose.closed or quality(model, pose.q, time) <= SINGULAR:
                return None
            here = found[k] = _solved(model, _polished(model, pose.q, time), time)
    base = found[-1].q
    q = model.integrate(base, sum(share * model.difference(base, found[k].q) for k, share in NODES.items()))
    v = np.sum([share * found[k].v for k, share in NODES.items()], axis=0)
    a = np.sum([share * found[k].a for k, share in NODES.items()], axis=0)
    for _ in range(3):  # closed, without a step along the branches
        terms = system.terms(q, time=guess.time)
        step = np.linalg.pinv(system.scaled(terms.J), rcond=SINGULAR) @ (terms.gap * system.row_scale)
        q = model.integrate(q, -step * scale)
    return Instant(guess.time, q, v, a)


def _undetermined(model: Model, q: np.ndarray, time: float, left: int) -> InputError:
    about = model.mobility(q)
    return InputError(
        f"the motions do not determine all coordinates at t = {time:g} s: {left} degrees of freedom are left "
        f"({', '.join(about.independent)}). Give motions to as many independent joints"
    )


def _determined(model: Model, q: np.ndarray, rest: np.ndarray, time: float) -> np.ndarray:
    """x with J x = -rest, if there is one and only one."""
    system = model.loop_system
    J = system.scaled(system.terms(q, time=time).J)
    x, _, _, values = np.linalg.lstsq(J, -rest * system.row_scale, rcond=None)
    if (len(J) < model.nv or values[-1] <= WEAK * values[0]) and (left := finite_freedom(tangents(model, q, time))):
        raise _undetermined(model, q, time, left)
    off = np.abs(J @ x + rest * system.row_scale)
    if off.max() > 1e-7 * (1.0 + np.abs(x).max() + np.abs(rest * system.row_scale).max()):
        name = system.names[int(np.argmax(off))]
        raise ClosureError(
            f"the machine locks up at t = {time:g} s: {name} cannot follow the motions", name, off.max(), time
        )
    return x * system.column_scale
