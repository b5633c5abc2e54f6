"""URDF files beside Pinocchio: mass matrix, bias force, inverse and forward dynamics of both, at random states.

Mimic joints move by themselves on both sides. Forward dynamics counts where the mass matrix has a condition below 1e8;
elsewhere massless links leave nothing to compare.
"""

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pinocchio as pin

import gori
from bench.pinocchio_peer import Peer
from gori.errors import GoriError

BOUND = 1e-9
STATES = 5


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Without what Pinocchio's parser writes to the terminal."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def errors(peer: Peer, seed: int = 0) -> dict[str, float]:
    """Largest differences of what both compute, by the size of the largest number."""
    model, m, data, index = peer.gori, peer.model, peer.data, peer.v_index
    rng, worst = np.random.default_rng(seed), dict.fromkeys(("mass matrix", "bias", "inverse", "forward"), 0.0)
    q = np.atleast_2d(model.random(seed, STATES))
    v, a = rng.normal(size=(2, STATES, model.nv))
    theirs, rates, forces = peer.q(q), peer.v(v), peer.v(a)

    def note(name: str, ours: np.ndarray, other: np.ndarray) -> None:
        size = max(1.0, np.abs(other).max(initial=0.0))
        worst[name] = max(worst[name], float(np.abs(ours - other).max(initial=0.0)) / size)

    for k in range(STATES):
        M = pin.crba(m, data, theirs[k])
        M = np.triu(M) + np.triu(M, 1).T
        note("mass matrix", model.mass_matrix(q[k]), M[np.ix_(index, index)])
        note("bias", model.bias(q[k], v[k]), pin.nonLinearEffects(m, data, theirs[k], rates[k])[index])
        inverse = pin.rnea(m, data, theirs[k], rates[k], forces[k])[index]
        note("inverse", model.inverse_dynamics(q[k], v[k], a[k]), inverse)
        if model.nv and np.linalg.cond(M) < 1e8:
            other = pin.aba(m, data, theirs[k], rates[k], forces[k])[index]
            note("forward", model.forward_dynamics(q[k], v[k], a[k]), other)
    return worst


def judged(path: Path) -> str | None:
    """ "agrees", or why a file does not; None for one that Pinocchio refuses."""
    try:
        with silent():
            pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    except Exception:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = gori.compile(gori.load(path, base="free"), open_loops=True)
        with silent():
            found = errors(Peer(model, path, "free"))
    except GoriError as error:
        return f"refused: {str(error).removeprefix(str(path))}"
    worst = max(found, key=found.__getitem__)
    return "agrees" if found[worst] <= BOUND else f"{worst} differs by {found[worst]:.1e}"
