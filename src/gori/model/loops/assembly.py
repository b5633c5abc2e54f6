"""Assembly: positions and velocities that close all loops, from a rough start."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gori.errors import ClosureError, InputError
from gori.model.model import Model

ASSEMBLED = 1e-12
"""residual that counts as zero, lengths by the size of the machine"""
GIVEN = 0.1
"""how readily joints move whose q the Spec gives, as a share of the others"""
STRIDE = 0.4
"""largest change of a coordinate in one iteration [rad, or the size of the machine]"""


def assemble(model: Model, q: Any = None, hold: Iterable[str] = (), time: float = 0.0) -> np.ndarray:
    """q (nq,) with all loops closed: the nearest that damped Newton steps lead to from a rough q.

    Each step is the smallest that closes the linearised loops (pseudo-inverse by singular values); it is shortened
    where the residual would grow, so that the branch next to the start is kept.

    q      start; default: that of the Spec, where joints with a q of their own move less than the others
    hold   joints whose coordinates stay as they are
    time   at which motions are taken [s]
    """
    system, weight = model.loop_system, np.ones(model.nv)
    if q is None:  # what the Spec says of a joint is more than a guess
        for info in model.joints:
            joint = model.spec.joints[info.name]
            weight[info.v] = GIVEN if joint.q is not None or joint.q_deg is not None else 1.0
    q = model.q0 if q is None else np.array(q, float)
    check_one(model, q=(q, model.nq))
    if not system.names:
        return q
    free = np.ones(model.nv, bool)
    for name in hold:
        free[model.joint(name).v] = False
    scale = system.column_scale

    def residual(q):
        gap = system.terms(q, time=time).gap
        return float(np.linalg.norm(gap * system.row_scale)), gap

    size, gap = residual(q)
    still = 0
    for _ in range(300):
        if size <= ASSEMBLED or still > 3:
            break
        J = (system.scaled(system.terms(q, time=time).J) * weight)[:, free]
        step = np.zeros(model.nv)
        step[free] = -weight[free] * (np.linalg.pinv(J, rcond=1e-7) @ (gap * system.row_scale))
        step *= min(1.0, STRIDE / max(np.abs(step).max(initial=0.0), 1e-300))
        share, better, trial, there, gap_there = 1.0, False, q, size, gap
        while share > 1e-4 and not better:
            trial = model.integrate(q, share * step * scale)
            there, gap_there = residual(trial)
            better = there < (1.0 - 0.01 * share) * size
            share *= 0.5
        if not better:
            still += 1
            if size <= 1e-9:  # rounding
                break
            # a pose where the loops do not move towards each other: aside a little, then on
            step[free] = 1e-3 * np.random.default_rng(still).normal(size=int(free.sum()))
            trial = model.integrate(q, step * scale)
            there, gap_there = residual(trial)
        q, size, gap = trial, there, gap_there
    if not size <= 1e-9:
        raise not_closed(model, gap, time, held=list(hold))
    return q


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


def consistent_velocity(
    model: Model, q: Any, v: Any = None, hold: Iterable[str] | None = None, time: float = 0.0
) -> np.ndarray:
    """Velocities (nv,) that keep the loops closed at q: the nearest to v.

    hold   joints whose velocities stay as they are; default: those that the Spec gives a velocity
    """
    system, q, v = model.loop_system, np.array(q, float), model.v0 if v is None else np.array(v, float)
    check_one(model, q=(q, model.nq), v=(v, model.nv))
    if not system.names:
        return v
    if hold is None:
        hold = [name for name, joint in model.spec.joints.items() if joint.v is not None and any(joint.v)]
    free, scale = np.ones(model.nv, bool), system.column_scale
    for name in hold:
        free[model.joint(name).v] = False
    for _ in range(3):
        terms = system.terms(q, v, time)
        J = system.scaled(terms.J)[:, free]
        v[free] -= scale[free] * (np.linalg.pinv(J, rcond=1e-9) @ (terms.slip * system.row_scale))
    slip = np.abs(system.terms(q, v, time).slip * system.row_scale)
    if slip.max() > 1e-8 * (1.0 + np.abs(v / scale).max()):
        name = system.names[int(np.argmax(slip))]
        raise InputError(
            f"the initial velocities of {', '.join(hold) or 'the joints'} are inconsistent with the loops: {name} "
            f"would open by {slip.max():.3g} per second. Give velocities to independent joints only (model.mobility())"
        )
    return v
