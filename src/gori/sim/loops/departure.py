"""The start of a run in a singular pose: accelerations of the branch that its velocities lie on.

At rest no branch is chosen, and a load that would move the machine is refused. Otherwise the accelerations are those of
states on both sides (`model/loops/beside.py`), with all forces of the run. They are handed to the loop solvers for the
first evaluation (`kernels/loops/departure.py`).
"""

from collections.abc import Callable

import numpy as np

from gori.errors import InputError
from gori.model import Model
from gori.model.loops.beside import ASIDE, NODES, Branch, Side
from gori.model.loops.branches import directions, is_singular, tangents
from gori.model.loops.velocity import as_yaml
from gori.model.state import State

FAR = 15.0, 5.0
"""how far from the pose the equations are looked at, to know how good they are elsewhere; the next state beside is 1"""
FIRST = 0.03
"""first step of an adaptive method: how far it goes, so that none of its stages is next to the pose [rad, or size]"""

LATER = 0.0, 1e-3, 0.1, 1.0
"""when loads are looked at, after the start [s]"""
STILL = 1e-9
"""acceleration that counts as none [rad/s2, or size of the machine per second squared]"""
SLOW = 1e-3
"""of velocities that are proposed: the fastest coordinate [rad/s, or size of the machine per second]"""


def refuse_rest(model: Model, state: State, load: Callable[[float], np.ndarray]) -> None:
    """Raise if a machine at rest in a singular pose is loaded such that it would move: nothing says on which branch,
    and at a dead centre nothing can hold the load.
    """
    at = tangents(model, state.q, state.time)
    if not is_singular(at):
        return
    scale = model.loop_system.column_scale
    M = model.tree.mass_matrix(state.q) * np.outer(scale, scale)
    loads = [at.N.T @ (load(state.time + later) * scale) for later in LATER]
    moving = [c for c in loads if np.abs(c).max() > STILL * np.diag(M).max()]
    if not moving:
        return
    branches = directions(at)
    units = [at.N @ c for c in branches]
    if not branches or at.on_branch(np.random.default_rng(0).normal(size=len(branches)) @ branches):  # one at most
        inertia = at.N.T @ M @ at.N
        if branches and all(at.on_branch(np.linalg.lstsq(inertia, c, rcond=1e-12)[0]) for c in moving):
            return
        across = at.N @ moving[0] - sum((at.N @ moving[0]) @ unit * unit for unit in units)
        raise InputError(
            f"the machine starts at a dead centre, loaded across it: it can move only infinitesimally (joint "
            f"{model.joint_of_dof(int(np.argmax(np.abs(across))))!r} most), and no finite reaction holds the load. "
            "Start beside this pose"
        )
    # of equal components the first leads, whatever their last bits
    leading = [unit[np.argmax(np.abs(unit) > 0.999 * np.abs(unit).max())] for unit in units]
    choices = [SLOW * scale * unit / lead for unit, lead in zip(units, leading)]
    raise InputError(
        f"the machine starts at rest in a singular pose where {len(units)} branches cross: nothing says on which it "
        "moves. Start beside this pose, or with a small velocity along one of them, or against it:\n"
        + "\n".join(f"  {as_yaml(model, choice)}" for choice in choices)
    )


def departure(branch: Branch, rates: Callable[[Side], np.ndarray | None]) -> np.ndarray | None:
    """`rates` at the pose itself: accelerations and power; None where they cannot be found."""
    sides = branch.sides()
    found = {} if sides is None else {k: rates(side) for k, side in sides.items()}
    parts = [share * one for k, share in NODES.items() if (one := found.get(k)) is not None]
    return np.sum(parts, axis=0) if len(parts) == len(NODES) else None


def elsewhere(branch: Branch) -> list[Side]:
    """States on the branch away from the pose."""
    tries = (branch.side(sign * far) for far in FAR for sign in (1.0, -1.0))
    return [side for side in tries if side is not None]


def first_step(branch: Branch) -> float:
    """Of an adaptive method [s]."""
    return FIRST / ASIDE * branch.delay
