"""Reactions of joints and cuts along a recorded motion: which are determined, and how the others are shared.

    J' lambda = f,     f = tau - ID(q, v, a)

for the multipliers of all equations. Where these are redundant the solutions are lambda_0 + N a: the columns of N,
J' N = 0, are self-stresses, which load joints and move nothing. Wrenches of joints and cuts follow linearly, r_0 + R a.
A component is determined where its row of R is zero (Wojtyra 2009, "Joint reactions in rigid body mechanisms with
dependent constraints"). Of the others, those are given for which

    sum of |force|^2 + |moment / L|^2   over all joints and cuts

is smallest, moments about the joint's origin on its child, L the largest distance between two joints on one body. Along
an axis that is driven, its drive counts instead, by the weight of the motion; couplings count by their own force. Where
joints have a compliance, the energy stored in them is smallest, and the rest is shared as above. Nothing of that
depends on which joints of a loop happen to be cuts.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from gori.kernels.loops.trace import stressed, transmitted
from gori.kernels.machine import Data, Machine
from gori.model import Model
from gori.model.body_frames import moved_moment
from gori.model.connections import reach
from gori.model.loops.beside import NODES, SLOPES
from gori.model.loops.system import FLAT, NOTHING, LoopSystem
from gori.record import Recording
from gori.spec import GROUND

LOOSE = 1e-6
"""share of a self-stress below which a component counts as determined"""
FULL = 1e-9
"""singular values below this share of the largest leave a share open"""
BOUNDED, ROUNDED = 1e-5, 1e-6
"""share of the multipliers beside a singular pose that grows beyond all bounds, and change of J from there to the pose,
that count as none"""
ROUNDS, SHARED = 10, 1e-13
"""how often reactions of gears are shared, and change of the multipliers, by the largest, at which that ends"""
ROWS = 4096
"""wrenches of self-stresses that are computed at once"""


class Replay(NamedTuple):
    """A recorded motion as the kernels take it.

    whole           the Model of the recording with an axis in each fixed joint, which does not turn
    machine, data   of `whole`, with all equations
    samples         (N, 1 + n) rows of time, q, v and z of `whole`
    recorded        (N, nr) wrenches of subsystems
    a               (N, nv) accelerations of `whole`
    force           (N, nv) tau - ID(q, v, a) of the recording's Model
    beside          of a sample at a singular pose: J and force on both sides of it
    """

    recording: Recording
    whole: Model
    machine: Machine
    data: Data
    samples: np.ndarray
    recorded: np.ndarray
    a: np.ndarray
    force: np.ndarray
    beside: Callable[[int], "Beside | None"] = lambda k: None


class Beside(NamedTuple):
    """At the NODES of `model/loops/beside.py`, on the branch of a singular pose."""

    J: np.ndarray  # (nodes, ne, nv)
    force: np.ndarray  # (nodes, nv)


class Split(NamedTuple):
    """What `split` found, for N samples, ne equations and the connections of the Model in their order.

    multipliers   (N, ne)
    wrenches      (N, joints, 6) moment and force on the child, world axes, moment about the joint's origin there
    loose         (N, joints, 2, 3, 3) of moments and forces: sums of x x' over all self-stresses x that are orthonormal
                  as the sum above measures them; None if nothing is redundant
    loose_by      (N, ne) the same of the multipliers: root of the sum of squares
    """

    multipliers: np.ndarray
    wrenches: np.ndarray
    loose: np.ndarray | None
    loose_by: np.ndarray | None


def split(replay: Replay) -> Split:
    """Multipliers and wrenches, determined or shared as this module says."""
    model = replay.recording.model
    lam, stresses, unbounded = solve(model.loop_system, replay)
    if not any(stress.shape[1] for stress in stresses):
        return Split(lam, wrenches(replay, lam), None, None)
    sharing = Sharing(replay)
    loose, loose_by = np.zeros((len(lam), len(model.connections), 2, 3, 3)), np.zeros(lam.shape)
    # once; again where gears push apart whatever the sense of their force, until that is shared too
    for trial in range(ROUNDS if model.gears else 1):
        base, moved = wrenches(replay, lam, linear=trial == 0), 0.0
        for k, R in stress_wrenches(replay, stresses, lam if trial else None):
            a, basis = sharing.least(k, base[k], R, lam[k], stresses[k])
            change = stresses[k] @ a
            lam[k] += change
            loose[k], loose_by[k] = sharing.squares(R @ basis), np.linalg.norm(stresses[k] @ basis, axis=1)
            moved = max(moved, np.abs(change).max() / max(np.abs(lam[k]).max(), 1e-300))
        if trial and moved < SHARED:
            break
    loose[unbounded] = np.eye(3)
    return Split(lam, wrenches(replay, lam), loose, loose_by)


def solve(system: LoopSystem, replay: Replay) -> tuple[np.ndarray, list[np.ndarray], list[int]]:
    """lambda_0 (N, ne), and the self-stresses (ne, k) of each sample.

    At a singular pose, where branches cross, J loses rank for an instant only. Along the branch, with s = 0 there,

        lambda = c_1 / s + c_0 + ...

    c_0 is taken: the limit of all that has one. Where c_1 is not zero, by a load across the branches, reactions grow
    beyond all bounds there; the indices of these samples come last.
    """
    rec, rows, unbounded = replay.recording, system.row_scale, []
    lam, stresses = np.zeros((len(rec), len(rows))), []
    for k, (t, q, v) in enumerate(zip(rec.time, rec.q, rec.v) if len(rows) else ()):
        lam[k], stress = _solved(system, system.terms(q, v, t).J, replay.force[k])
        stresses.append(stress)
    usual = min((stress.shape[1] for stress in stresses), default=0)
    for k, stress in enumerate(stresses):
        if stress.shape[1] == usual or (beside := replay.beside(k)) is None:
            continue
        found = [_solved(system, *side) for side in zip(beside.J, beside.force)]
        grown = np.array([node * side[0] for node, side in zip(NODES, found)])
        lam[k] = list(SLOPES.values()) @ grown
        least = max(np.abs(side[0] / rows).max() for side in found)
        if np.abs(list(NODES.values()) @ grown / rows).max() > BOUNDED * least:
            unbounded.append(k)
        else:
            slope = np.tensordot(list(SLOPES.values()), beside.J, 1)
            stresses[k] = stress @ _null((slope.T @ stress) * system.column_scale[:, None])
    return lam, stresses, unbounded


def _solved(system: LoopSystem, J: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest lambda (ne,) of J' lambda = force, and the self-stresses (ne, k)."""
    rows, columns = system.row_scale, system.column_scale
    left, values, right = np.linalg.svd(system.scaled(J))
    rank = int((values > max(FLAT * values.max(initial=0.0), NOTHING)).sum())
    lam = rows * (left[:, :rank] @ (right[:rank] @ (columns * force) / values[:rank]))
    return lam, rows[:, None] * left[:, rank:]


def _null(matrix: np.ndarray) -> np.ndarray:
    """A basis of all x with matrix x = 0; what is below ROUNDED counts as zero."""
    _, values, right = np.linalg.svd(matrix)
    return right[int((values > ROUNDED).sum()) :].T


# ---- wrenches


def wrenches(replay: Replay, lam: np.ndarray, linear: bool = False) -> np.ndarray:
    """(N, joints, 6) for multipliers (N, ne); linear: teeth and belts as if they could push and pull."""
    joints, cuts = _room(replay, len(lam))
    transmitted(
        replay.machine, replay.data, replay.samples, replay.recorded, replay.a, lam, int(linear), joints, cuts
    )  # fmt: skip
    return _as_written(replay, joints, cuts, np.arange(len(lam)))


def stress_wrenches(
    replay: Replay, stresses: list[np.ndarray], about: np.ndarray | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Sample by sample, where there are any: its index, and the wrenches (joints, 6, k) of its self-stresses.

    about   (N, ne) multipliers beside which they are small; default: gears and belts push and pull alike
    """
    todo = [k for k, stress in enumerate(stresses) if stress.shape[1]]
    while todo:
        some, count = [], 0
        while todo and count < ROWS:
            some.append(todo.pop(0))
            count += stresses[some[-1]].shape[1]
        index = np.repeat(some, [stresses[k].shape[1] for k in some])
        joints, cuts = _room(replay, len(index))
        lam = np.ascontiguousarray(np.hstack([stresses[k] for k in some]).T)
        beside = lam[:0] if about is None else about[index]
        stressed(replay.machine, replay.data, np.ascontiguousarray(replay.samples[index]), lam, beside, joints, cuts)
        found = _as_written(replay, joints, cuts, index)
        ends = np.cumsum([stresses[k].shape[1] for k in some])[:-1]
        yield from ((k, own.transpose(1, 2, 0)) for k, own in zip(some, np.split(found, ends)))


def _room(replay: Replay, count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((count, len(replay.machine.body_i), 6)), np.zeros((count, len(replay.machine.cut), 6))


def _as_written(replay: Replay, joints: np.ndarray, cuts: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Wrenches (rows, joints, 6) on the children as they were written, from those of the tree and of the equations.

    index   (rows,) sample that each row belongs to
    """
    model, owners = replay.recording.model, replay.whole.loop_system.tables.cuts
    of_cut = {drive.motion: drive.joint for drive in model.drives}
    found = np.zeros((len(index), len(model.connections), 6))
    for k, joint in enumerate(model.connections):
        if joint.cut:  # its own equations, and those of motions that drive it
            for j, owner in enumerate(owners):
                if joint.name in (owner, of_cut.get(owner)):
                    found[:, k] += cuts[:, j]
        else:
            found[:, k] = joints[:, replay.whole.joint(joint.name).rows[-1]]
        if joint.reversed:
            arm = point(replay.recording, joint.child, joint.on_child[1])
            arm = arm - point(replay.recording, joint.parent, joint.on_parent[1])
            found[:, k] = moved_moment(-found[:, k], arm[index])
    return found


def point(recording: Recording, body: str, at: np.ndarray) -> np.ndarray:
    """(N, 3) where a point of a body is in the world."""
    if body == GROUND:
        return np.tile(at, (len(recording), 1))
    return recording[f"{body}.position"] + recording[f"{body}.rotation"] @ at


def turned(recording: Recording, body: str, vector: np.ndarray) -> np.ndarray:
    """(N, ...) vectors of a body, along the last but one axis, in world axes."""
    if body == GROUND:
        return np.broadcast_to(vector, (len(recording), *vector.shape))
    return recording[f"{body}.rotation"] @ vector


# ---- the split


class Sharing:
    """How self-stresses are chosen: what is squared and summed."""

    def __init__(self, replay: Replay):
        rec, model = replay.recording, replay.recording.model
        self.length = reach(model.connections)
        self.scale = np.array([self.length] * 3 + [1.0] * 3)
        place = {joint.name: k for k, joint in enumerate(model.connections)}
        names = model.loop_system.names
        self._axes = []  # joint, and unit vectors (N, 6) along driven axes, without units
        self._own = np.zeros(len(names))  # weight of each multiplier; those of cuts count in their wrenches
        for drive in model.drives:
            body, axis = model.connections[place[drive.joint]].motion_axis(drive.axis)
            along = turned(rec, body, axis.reshape(2, 3).T).transpose(0, 2, 1).reshape(-1, 6) * self.scale
            self._axes.append((place[drive.joint], along / np.linalg.norm(along, axis=1)[:, None]))
            own = drive.weight / self.length if axis[:3].any() else drive.weight
            self._own[names.index(f"{drive.motion}.motion")] = own
        for k, (owner, _, word) in enumerate(name.rpartition(".") for name in names):
            if word == "mimic":
                slides = model.connections[place[owner]].type == "prismatic"
                self._own[k] = 1.0 if slides else 1.0 / self.length
            elif word == "mesh":
                self._own[k] = 1.0
        self._soft = []  # joint, root of its compliance (6,), and axes of its frame (N, 3, 3)
        for k, joint in enumerate(model.connections):
            if joint.compliance is not None and joint.compliance.any():
                self._soft.append((k, np.sqrt(joint.compliance), turned(rec, joint.parent, joint.on_parent[0])))

    def least(
        self, k: int, base: np.ndarray, R: np.ndarray, lam: np.ndarray, stress: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The share (stresses,) at sample k; and a basis of all self-stresses that is orthonormal as the sum measures.

        base, R       (joints, 6), (joints, 6, stresses) wrenches without and of the self-stresses
        lam, stress   (ne,), (ne, stresses) multipliers likewise
        """
        offset, rows = self._measured(k, base[..., None], lam[:, None])[:, 0], self._measured(k, R, stress)
        _, values, right = np.linalg.svd(rows, full_matrices=False)
        good = values > FULL * values[0]
        basis = right[good].T / values[good]
        free, a = np.eye(rows.shape[1]), np.zeros(rows.shape[1])
        if self._soft:
            a, free = least_squares(self._stored(k, R), self._stored(k, base[..., None])[:, 0])
        if free.shape[1]:
            more, _ = least_squares(rows @ free, offset + rows @ a)
            a = a + free @ more
        return a, basis

    def squares(self, wrench: np.ndarray) -> np.ndarray:
        """(joints, 2, 3, 3) sums of x x' over the columns of moments and of forces (joints, 6, columns)."""
        parts = (wrench / self.scale[:, None]).reshape(len(wrench), 2, 3, -1)
        return parts @ parts.transpose(0, 1, 3, 2)

    def _measured(self, k: int, wrench: np.ndarray, lam: np.ndarray) -> np.ndarray:
        """Rows (6 joints + ne, columns) whose squares are summed, of wrenches (joints, 6, columns) and multipliers."""
        parts = wrench / self.scale[:, None]
        for joint, axes in self._axes:
            parts[joint] -= np.outer(axes[k], axes[k] @ parts[joint])
        return np.vstack([parts.reshape(-1, parts.shape[2]), self._own[:, None] * lam])

    def _stored(self, k: int, wrench: np.ndarray) -> np.ndarray:
        """Rows whose squares are twice the energy that is stored in joints with a compliance."""
        rows = []
        for joint, root, axes in self._soft:
            own = np.einsum("ba,pbc->pac", axes[k], wrench[joint].reshape(2, 3, -1))
            rows.append(root[:, None] * own.reshape(6, -1))
        return np.vstack(rows)


def least_squares(rows: np.ndarray, offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x that makes |rows x + offset| smallest, the shortest of them; and a basis (columns, free) of what it leaves."""
    left, values, right = np.linalg.svd(rows)
    rank = int((values > FULL * values.max(initial=0.0)).sum())
    return -right[:rank].T @ ((left[:, :rank].T @ offset) / values[:rank]), right[rank:].T
