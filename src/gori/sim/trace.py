"""What follows from a recorded motion and the forces of its Spec: accelerations, multipliers, reactions, drives.

Where equations are redundant, `reactions.py` says which reactions are determined and how the others are shared.
"""

from functools import cached_property
from typing import Any

import numpy as np

from gori.errors import InputError, SimulationError
from gori.integrate import RK4, Multipliers
from gori.kernels.loops.trace import accelerations_along, unbalanced
from gori.kernels.machine import Data, Machine
from gori.model import Model
from gori.model.arrays import numbers_of
from gori.model.body_frames import BodyFrames, moved_moment
from gori.model.connections import reach
from gori.model.contact.tables import N_MEASURED
from gori.model.loops.beside import NODES, branch_at
from gori.model.loops.coordinates import along
from gori.model.machine import RECORDED, machine_of
from gori.model.state import State
from gori.model.variants import with_axes_in_fixed_joints
from gori.record import Recording
from gori.record.channels import cut_turns
from gori.record.outputs import CONTACT
from gori.sim.couplings import before_wrenches, couplings, model_columns
from gori.sim.loops.closure import Closure
from gori.sim.reactions import LOOSE, Beside, Replay, Split, split
from gori.sim.user import UserForce
from gori.spec.spec import closest


def samples_of(recording: Recording, states: int) -> np.ndarray:
    """Rows of time, q, v and z (N, 1 + nq + nv + states); z is 0 where the recording has none."""
    z = recording.z if recording.z.shape[1] == states else np.zeros((len(recording), states))
    return np.ascontiguousarray(np.column_stack([recording.time, recording.q, recording.v, z]))


def recorded_of(recording: Recording, size: int) -> np.ndarray:
    """Wrenches and outputs of subsystems (N, size); 0 where the recording has none. Raises if they stand elsewhere."""
    named = recording.info.get("outputs")
    if "outputs" not in recording.extra:
        return np.zeros((len(recording), size))
    here = model_columns(recording.model)
    known = named is None or all(list(columns) == named.get(name) for name, columns in here.items())
    if recording.width("extra/outputs") != size or not known:
        raise InputError(
            "this recording holds other outputs of wheels, drive trains or particles than this Gori computes: it may "
            "be of another version. Accelerations and reactions need a new run"
        )
    return np.array(recording.extra["outputs"], order="C")


def contact_size(model: Model) -> int:
    """Numbers that a run records of contact."""
    return 0 if model.contact is None else model.contact.columns


class Trace:
    """A Recording seen again, with all forces of its Spec.

    user            the user's functions of that run
    accelerations   (N, nv) if they are known
    """

    def __init__(self, recording: Recording, user: UserForce | None = None, accelerations: np.ndarray | None = None):
        if not isinstance(recording, Recording) or not isinstance(user, UserForce | None):
            raise InputError("a Trace takes a Recording and, if need be, the UserForce of its run")
        self.recording, self.model = recording, recording.model
        self.user, self._user = user, 0 if user is None else user.address
        self.given = None if accelerations is None else numbers_of(accelerations, "accelerations")

    @cached_property
    def _samples(self) -> np.ndarray:
        return samples_of(self.recording, self.model.nz)

    def __reduce__(self):
        return Trace, (self.recording, self.user, self.given)

    def _shared(self, model: Model) -> dict[str, Any]:
        """Tables that subsystems of the run share, as `machine_of` takes them."""
        info = self.recording.info
        wrenches = couplings(self.model, info.get("subsystems", {}), {})
        first = before_wrenches(self.model) + 6 * len(wrenches.coupled) + contact_size(self.model)
        outputs = sum(columns[0] >= first for columns in info.get("outputs", {}).values())
        shared = wrenches if model is self.model else couplings(model, info.get("subsystems", {}), {})
        return {"coupled": shared.coupled, "outputs": outputs, "contact": RECORDED}

    @cached_property
    def _recorded(self) -> np.ndarray:
        """What subsystems did in the samples, as compiled code takes it: about the origins of the rows."""
        return recorded_of(self.recording, self._recorded_size)

    @cached_property
    def _recorded_size(self) -> int:
        tables = self._shared(self.model)
        return before_wrenches(self.model) + 6 * len(tables["coupled"]) + contact_size(self.model) + tables["outputs"]

    def _recorded_of(self, other: Model) -> np.ndarray:
        """The same for the Model with axes in fixed joints, where bodies have rows of their own."""
        if other is self.model:
            return self._recorded
        here, there, tables = self._acted_on(self.model), self._acted_on(other), self._shared(other)
        mine, theirs = (before_wrenches(self.model), list(here)), (before_wrenches(other), list(there))
        measured = 0 if other.contact is None else N_MEASURED
        out = np.zeros((len(self._recorded), theirs[0] + 6 * len(theirs[1]) + measured + tables["outputs"]))
        out[:, : mine[0]] = self._recorded[:, : mine[0]]
        for key, arm in here.items():
            wrench = self._recorded[:, mine[0] + 6 * mine[1].index(key) :][:, :6]
            at = theirs[0] + 6 * theirs[1].index(key)
            lever = arm - there[key]
            turned = self.recording[f"{key[1]}.rotation"] @ lever if lever.any() else lever
            out[:, at : at + 6] = moved_moment(wrench, turned)
        return out

    def _acted_on(self, model: Model) -> dict[tuple[str, str], np.ndarray]:
        """(subsystem, body) of all wrenches in their order, and the arm (3,) from the row to the body, its axes."""
        bodies = [("", body) for body in model.coupled]
        for name, own in self.recording.info.get("subsystems", {}).items():
            bodies += [(name, body) for body in own]
        if model.contact is not None:
            bodies += [(CONTACT, body) for body in model.contact.touched]
        return dict(zip(bodies, BodyFrames.of(model, [body for _, body in bodies]).arms))

    @cached_property
    def accelerations(self) -> np.ndarray:
        """Accelerations (N, nv)."""
        if self.given is not None:
            return self.given
        model = self.model
        if "forces" in self.recording.info.get("programs", {}) and not self._user:
            raise InputError("accelerations and reactions of this run need its user force functions: run it again")
        rec, qdd = self.recording, np.zeros((len(self.recording), model.nv))
        if not len(qdd):
            return qdd
        machine, data = self._closed_at(*rec.state(0))
        for rows, part in rec.blocks():
            known = recorded_of(part, self._recorded_size)
            done = accelerations_along(machine, data, samples_of(part, model.nz), known, qdd[rows])
            if done < len(part):
                time = part.state(done)[0]
                raise SimulationError(f"the accelerations at t = {time:.6g} s could not be computed", time)
        self._start_on_branch(qdd)
        return qdd

    def _closed_at(self, time: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[Machine, Data]:
        """What evaluates accelerations along samples that begin with this one."""
        model = self.model
        if not model.loops:
            return machine_of(model, self._user, **self._shared(model))
        kept, solver = model.loop_system.kept, Multipliers.solver
        machine, data = machine_of(model, self._user, loops=kept, closed=solver.address, **self._shared(model))
        closure = Closure(model, RK4(), Multipliers(), machine, data)
        closure.start(State(time, q, v, z if len(z) == model.nz else np.zeros(model.nz)))
        closure.accept_any_pose()
        return machine, data

    def _accelerate(self, samples: np.ndarray, recorded: np.ndarray, qdd: np.ndarray) -> int:
        """qdd (N, nv) at rows of time, q, v and z; returns at how many of them they could be computed."""
        nq, nv, first = self.model.nq, self.model.nv, samples[0]
        bundles = self._closed_at(first[0], first[1 : 1 + nq], first[1 + nq : 1 + nq + nv], first[1 + nq + nv :])
        return accelerations_along(*bundles, samples, recorded, qdd)

    def _start_on_branch(self, qdd: np.ndarray) -> None:
        """Accelerations of the first sample, if it is a start in a singular pose: those of its branch."""
        if (beside := self._beside(0)) is None:
            return
        samples, recorded = beside
        a = np.zeros((len(samples), self.model.nv))
        if self._accelerate(samples, recorded, a) == len(a):
            qdd[0] = np.array(list(NODES.values())) @ a

    def _beside(self, k: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Rows of time, q, v and z on both sides of a sample at a singular pose, on its branch, and what subsystems did
        in the sample; None at any other pose.
        """
        time, q, v, _ = self.recording.state(k)
        branch = branch_at(self.model, q, v, time) if self.model.loops else None
        sides = None if branch is None else branch.sides()
        if sides is None:
            return None
        z = self._samples[k, 1 + self.model.nq + self.model.nv :]
        samples = np.array([[side.time, *side.q, *side.v, *z] for side in sides.values()])
        return samples, np.ascontiguousarray(np.tile(self._recorded[k], (len(samples), 1)))

    @cached_property
    def cut_accelerations(self) -> np.ndarray:
        """Accelerations (N, ncv) of the coordinates of cuts (`model.cut_coordinates`)."""
        rec = self.recording
        return along(self.model, rec.time, rec.q, rec.v, self.accelerations, cut_turns(rec)).a

    @cached_property
    def unbalanced(self) -> np.ndarray:
        """tau - ID(q, v, a) (N, nv): what is left to the loops, and to nothing else if they can bear it."""
        machine, data = machine_of(self.model, self._user, **self._shared(self.model))
        out = np.zeros((len(self._samples), self.model.nv))
        unbalanced(machine, data, self._samples, self._recorded, np.ascontiguousarray(self.accelerations), out)
        return out

    @cached_property
    def _rigid(self) -> tuple[Model, np.ndarray, np.ndarray]:
        """The Model with an axis, which does not turn, in each fixed joint; and its samples and accelerations."""
        model = self.model
        whole = with_axes_in_fixed_joints(model)
        if whole is model:
            return model, self._samples, np.ascontiguousarray(self.accelerations)
        q, v = np.zeros((len(self._samples), whole.nq)), np.zeros((len(self._samples), whole.nv))
        a = np.zeros_like(v)
        for info in model.joints:
            there = whole.joint(info.name)
            q[:, there.q], v[:, there.v] = self.recording.q[:, info.q], self.recording.v[:, info.v]
            a[:, there.v] = self.accelerations[:, info.v]
        samples = np.column_stack([self.recording.time, q, v, self._samples[:, 1 + model.nq + model.nv :]])
        return whole, np.ascontiguousarray(samples), a

    @cached_property
    def _split(self) -> Split:
        model, samples, a = self._rigid
        machine, data = machine_of(model, loops=model.loop_system.tables, **self._shared(model))
        replayed = samples, self._recorded_of(model), a, self.unbalanced, self._loads_beside
        return split(Replay(self.recording, model, machine, data, *replayed))

    def _loads_beside(self, k: int) -> Beside | None:
        """J, and what is left to the loops, on both sides of a sample at a singular pose; None at any other pose."""
        if (beside := self._beside(k)) is None:
            return None
        (samples, recorded), model, system = beside, self.model, self.model.loop_system
        q, v = samples[:, 1 : 1 + model.nq], samples[:, 1 + model.nq : 1 + model.nq + model.nv]
        terms = [system.terms(*state) for state in zip(q, v, samples[:, 0])]
        if self.given is None:
            a = np.zeros((len(samples), model.nv))
            if self._accelerate(samples, recorded, a) < len(a):
                return None
        else:  # by the motions alone
            rest = [-one.gamma * system.row_scale for one in terms]
            a = [np.linalg.lstsq(system.scaled(one.J), x, rcond=None)[0] for one, x in zip(terms, rest)]
            a = np.array(a) * system.column_scale
        machine, data = machine_of(model, self._user, **self._shared(model))
        force = np.zeros_like(a)
        unbalanced(machine, data, samples, recorded, a, force)
        return Beside(np.array([one.J for one in terms]), force)

    @property
    def multipliers(self) -> np.ndarray:
        """lambda (N, ne) of all equations."""
        return self._split.multipliers

    @cached_property
    def length(self) -> float:
        """L [m]: where reactions are shared, a moment of 1 N m counts as a force of 1/L."""
        return reach(self.model.connections)

    @cached_property
    def reactions(self) -> dict[str, np.ndarray]:
        """(N, 6) for every joint and cut: all that it does to its child, world axes: moment, then force.

        The moment is about the origin of the joint on the child. Along free axes it holds what drives, springs and
        friction of the joint do; in all other directions it is the reaction. Parent and child are those that were
        written, also where `gori.compile` turned the joint around.
        """
        return {joint.name: self._split.wrenches[:, k] for k, joint in enumerate(self.model.connections)}

    @cached_property
    def drives(self) -> dict[str, np.ndarray]:
        """(N,) for every motion: the torque or force on its coordinate that the motion takes [N m, N]."""
        names = self.model.loop_system.names
        return {motion: -self.multipliers[:, names.index(f"{motion}.motion")] for motion in self.model.motion_names}

    def transmission(self, gear: str) -> np.ndarray:
        """(N,) force along the pitch line of a gear, rack or belt [N]; positive turns its first body forward."""
        return -self.multipliers[:, self.model.loop_system.names.index(f"{gear}.mesh")]

    def determined(self, name: str, frame: str | None = None) -> np.ndarray:
        """(N, 6) whether rigid-body mechanics determines each component of `reaction(name, frame)`."""
        k, loose = self._index(name), self._split.loose
        if loose is None:
            return np.ones((len(self.recording), 6), bool)
        loose = loose[:, k]
        if frame is not None:
            R = self.recording[f"{frame}.rotation"][:, None]
            loose = R.transpose(0, 1, 3, 2) @ loose @ R
        return np.sqrt(np.einsum("npcc->npc", loose).clip(0.0)).reshape(-1, 6) <= LOOSE

    def drive_determined(self, motion: str) -> np.ndarray:
        """(N,) whether rigid-body mechanics determines the drive of a motion: not where drives are redundant."""
        if motion not in self.drives:
            raise InputError(f"{motion!r} is not a motion{closest(motion, self.drives)}")
        k, loose = self.model.loop_system.names.index(f"{motion}.motion"), self._split.loose_by
        return np.ones(len(self.recording), bool) if loose is None else loose[:, k] <= LOOSE

    @cached_property
    def unique(self) -> dict[str, bool]:
        """Whether the whole reaction of each joint and cut is determined in all samples; `determined` tells more."""
        return {name: bool(self.determined(name).all()) for name in self.reactions}

    def _index(self, name: str) -> int:
        if name not in self.reactions:
            raise InputError(f"{name!r} is not a joint or cut{closest(name, self.reactions)}")
        return list(self.reactions).index(name)

    def reaction(self, name: str, frame: str | None = None) -> np.ndarray:
        """(N, 6) of one joint or cut, moment and force on its child, in the axes of a body or frame; default: world."""
        wrench = self._split.wrenches[:, self._index(name)]
        if frame is None:
            return wrench
        turned = np.einsum("nji,nkj->nki", self.recording[f"{frame}.rotation"], wrench.reshape(-1, 2, 3))
        return turned.reshape(-1, 6)
