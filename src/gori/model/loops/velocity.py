"""Velocities that keep all loops closed."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model.arrays import numbers_of
from gori.model.loops.assembly import check_one
from gori.model.loops.branches import Tangents, crossings, directions, is_singular, tangents
from gori.model.model import Model, require_model
from gori.model.state import seconds
from gori.text.arguments import names_of


def consistent_velocity(
    model: Model, q: Any, v: Any = None, hold: Iterable[str] | None = None, time: float = 0.0
) -> np.ndarray:
    """Velocities (nv,) that keep the loops closed at q: the nearest to v.

    At a singular pose, where branches cross, they must lie on one of them: those that are held decide which.

    hold   joints whose velocities stay as they are; default: those that the Spec gives a velocity
    """
    require_model(model)
    system, q, v = model.loop_system, numbers_of(q, "q"), model.v0 if v is None else numbers_of(v, "v")
    check_one(model, q=(q, model.nq), v=(v, model.nv))
    if not system.names:
        return v
    time = seconds(time)
    if hold is None:
        hold = [name for name, joint in model.spec.joints.items() if joint.v is not None and any(joint.v)]
    hold, held = names_of(hold, "hold"), np.zeros(model.nv, bool)
    for name in hold:
        held[model.joint(name).v] = True
    near = _nearest(model, q, v, held, list(hold), time)
    at = tangents(model, q, time)
    if not is_singular(at) or at.on_branch(at.N.T @ (near / system.column_scale)):
        return near
    return _on_branch(at, v, held, list(hold))


def _nearest(model: Model, q: np.ndarray, v: np.ndarray, held: np.ndarray, hold: list[str], time: float) -> np.ndarray:
    """The nearest velocity that closes the loops to first order."""
    system, free, scale = model.loop_system, ~held, model.loop_system.column_scale
    v = v.copy()
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


def _on_branch(at: Tangents, v: np.ndarray, held: np.ndarray, hold: list[str]) -> np.ndarray:
    """The velocity on a branch that keeps what is held, if there is one and only one."""
    scale, found = at.model.loop_system.column_scale, []
    if held.any():
        rows = at.N[held]
        _, values, right = np.linalg.svd(rows)
        rank = int((values > 1e-9 * max(values.max(initial=0.0), 1e-300)).sum())
        found = crossings(at, np.linalg.pinv(rows, rcond=1e-9) @ (v / scale - at.v_p)[held], right[rank:].T)
    elif at.v_p.any():  # motions alone drive it
        found = crossings(at, at.N.T @ (v / scale), np.eye(at.freedom))
    if len(found) == 1:
        return at.velocity(found[0])
    given = f"the initial velocities of {', '.join(hold)}" if hold else "the velocities"
    if found:
        words = f"{given} fit {len(found)} branches that cross in this singular pose. Add those of one of them"
        choices = [at.velocity(c) for c in found]
    else:
        words = f"{given} lie on no branch that the machine can follow from this singular pose. It can go on with"
        units = [at.N @ c for c in directions(at)]
        choices = [scale * (at.v_p + unit * _like(unit, v / scale, held)) for unit in units]
    if not choices:
        raise InputError(f"{given} lead nowhere: in this singular pose the machine can move only infinitesimally")
    raise InputError(f"{words}:\n" + "\n".join(f"  {as_yaml(at.model, choice)}" for choice in choices))


def _like(unit: np.ndarray, v: np.ndarray, held: np.ndarray) -> float:
    """How fast along a branch: so that the fastest joint that is held keeps its speed."""
    k = int(np.argmax(np.abs(np.where(held, v, 0.0)))) if held.any() else int(np.argmax(np.abs(v)))
    return float(v[k] / unit[k]) if abs(unit[k]) > 1e-9 else 1.0


def as_yaml(model: Model, v: np.ndarray) -> str:
    """Velocities as one would write them into a file."""
    size = 1e-12 * np.abs(v).max(initial=0.0)
    words = []
    for info in model.joints:
        numbers = [f"{x:.12g}" for x in np.where(np.abs(v[info.v]) <= size, 0.0, v[info.v])]
        words.append(f"{info.name}: {{v: {numbers[0] if info.nv == 1 else '[' + ', '.join(numbers) + ']'}}}")
    return ", ".join(words)
