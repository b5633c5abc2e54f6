"""Staggered co-simulation of the bodies and a sub-cycled subsystem.

The bodies take a step from t to t + H under wrenches that are held on them; then the subsystem is given their motion
over that step, advances in steps of its own, and answers with its mean wrench w over these. What it gives is an
impulse, w times the time that has passed; what is still on its way to the bodies, `pending`, is held on them as
pending / H. So they receive all of it with the next step, or, where an event has cut that step, with the one after.

The lag makes the exchange explicit: of first order in H, and a stiffness k acts with a damping of -k H. The account
`work` shows what that has done.

    work on the bodies    sum over steps of  (wrench held) . (motion of the step)
    work given            sum over steps of  (mean wrench over the step) . (motion of the step)
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.machine import Data, Machine
from gori.kernels.particles.columns import N_POSE, OMEGA, POS, VEL
from gori.kernels.particles.poses import add_impulse, body_poses, interpolate
from gori.model.body_frames import BodyFrames, moved_moment
from gori.sim.guarded import Guarded
from gori.sim.subsystem import EXCHANGE_OF, BodyMotion, Subsystem


class Work(NamedTuple):
    """Work of a subsystem so far [J].

    on_bodies   of the wrenches that were held on the bodies
    given       of the mean wrenches, over the motion for which they were computed
    turnover    sum of the absolute values of `given` of each step
    """

    on_bodies: float
    given: float
    turnover: float

    @property
    def of_lag(self) -> float:
        """What the bodies have got that the subsystem has not given."""
        return self.on_bodies - self.given


class Exchange:
    """One Subsystem beside the bodies of one Simulation.

    guarded   the subsystem
    frames    of its bodies
    first     first row of `data.wrench` that is its own
    outputs   where its outputs are recorded
    step      H, of the bodies [s]
    time      at which the subsystem stands [s]
    wrench    (bodies, 6) held on the bodies: moment about the body's origin, force, world axes
    pending   (bodies, 6) what is on its way to each body: wrench times time
    impulse   (6,) what it has given to all bodies so far: angular about the world's origin, linear [N m s, N s]
    given     (6,) what of that the bodies have received
    """

    def __init__(
        self,
        subsystem: Subsystem,
        frames: BodyFrames,
        first: int,
        outputs: np.ndarray,
        step: float,
        machine: Machine,
        data: Data,
    ):
        self.guarded = Guarded(subsystem, len(outputs))
        self.name, self.step, self._frames, self._machine, self._data = subsystem.name, step, frames, machine, data
        self._outputs, count = outputs, len(frames.rows)
        self._acting = frames.rows > 0
        self._held = (first + np.cumsum(self._acting) - 1)[self._acting]
        self._places = np.where(self._acting, 6 * np.arange(count), -1)
        self._arms = frames.arms
        self._offset = bool(self._arms.any() or (np.eye(3) != frames.R).any())
        self._before, self._after = np.zeros((2, count, N_POSE))
        self.time = 0.0
        self.impulse, self.given, self._work = np.zeros(6), np.zeros(6), np.zeros(3)
        self.wrench, self.pending = np.zeros((count, 6)), np.zeros((count, 6))

    @property
    def work(self) -> Work:
        """The account of work."""
        return Work(*self._work.tolist())

    def poses(self, y: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Poses and velocities (bodies, N_POSE) of the subsystem's bodies at a state."""
        out = np.zeros_like(self._before) if out is None else out
        body_poses(self._machine, self._data, y, self._frames.rows, out)
        if self._offset:
            R = out[:, :POS].reshape(-1, 3, 3)
            arms = np.einsum("nij,nj->ni", R, self._frames.p)
            out[:, POS:VEL] += arms
            out[:, VEL:OMEGA] += np.cross(out[:, OMEGA:], arms)
            out[:, :POS] = (R @ self._frames.R).reshape(-1, 9)
        return out

    # ---- steps

    def start(self, time: float, y: np.ndarray, loaded: bool) -> None:
        """The bodies are here now; loaded: the wrenches of a State act on."""
        self.time = time
        self.poses(y, self._before)
        wrench = self.guarded.start(BodyMotion(self._before[None].copy()), time)
        if not loaded:
            self.impulse[:] = self.given[:] = self._work[:] = self.pending[:] = 0.0
            if wrench is not None:
                self._give(wrench, self.step, self._before)
        self._hold(self._before)
        self._outputs[:] = self.guarded.output_values(time, starting=True)

    def aim(self) -> None:
        """Before a step: the arm of a force is that of the middle of the step, to first order."""
        if self._offset:
            now = self._before
            arms = self._arms_at(now)
            self._put(arms + 0.5 * self.step * np.cross(now[:, OMEGA:], arms))

    def arrive(self, y: np.ndarray) -> None:
        """After a step: what was held stands in `data.wrench` as it acts where the bodies have arrived."""
        if self._offset:
            self._put(self._arms_at(self.poses(y, self._after)))

    def advance(self, time: float, y: np.ndarray) -> None:
        """The bodies have come to y at this time: the subsystem follows, and its wrenches act from now on."""
        span = time - self.time
        if span <= 0.0:
            return
        self.guarded.claim(time)
        if abs(span - self.step) <= 1e-9 * self.step + 4.0 * np.spacing(abs(time)):
            span = self.step  # times are rounded
        self.poses(y, self._after)
        moved = self._moved(span)
        steps = max(1, int(np.ceil(span / self.guarded.step - 1e-9)))
        table = np.zeros((steps + 1, len(moved), N_POSE))
        interpolate(self._before, self._after, span, table, steps)
        table[0], table[-1] = self._before, self._after
        wrench = self.guarded.advance(BodyMotion(table), span / steps, time)
        outputs = self.guarded.output_values(time)
        self._account(wrench, moved)
        self.pending -= span * self.wrench
        add_impulse(self._after, self.wrench.reshape(-1), self._places, span, self.given)
        self._give(wrench, span, self._after)
        self._hold(self._after)
        self._outputs[:] = outputs
        self._before, self._after, self.time = self._after, self._before, time

    def forget_outputs(self) -> None:
        """What it puts out is not known: it has failed, or was not asked."""
        self._outputs[:] = np.nan

    def relocate(self, y: np.ndarray, saved: Mapping[str, np.ndarray] | None) -> None:
        """The action of an event has moved the bodies, or changed the memory of the subsystem."""
        self.poses(y, self._before)
        self._hold(self._before)
        if saved is not None:
            now = self.guarded.state()
            if now.keys() != saved.keys() or any(now[name].tobytes() != saved[name].tobytes() for name in now):
                self.guarded.load(saved)

    def _give(self, wrench: np.ndarray, span: float, poses: np.ndarray) -> None:
        """A mean wrench over a time is on its way to the bodies."""
        self.pending += span * wrench
        add_impulse(poses, np.ascontiguousarray(wrench).reshape(-1), self._places, span, self.impulse)

    def _hold(self, poses: np.ndarray) -> None:
        """What is on its way acts on bodies at these poses until the next exchange."""
        self.wrench[:] = self.pending / self.step
        self._put(self._arms_at(poses))

    def _arms_at(self, poses: np.ndarray) -> np.ndarray:
        """(bodies, 3) from the origins of the rows to those of the bodies, world axes."""
        return np.einsum("nij,nj->ni", poses[:, :POS].reshape(-1, 3, 3), self._arms)

    def _put(self, arms: np.ndarray) -> None:
        """The held wrenches as compiled code takes them: moments about the origins of the rows."""
        held = moved_moment(self.wrench, -arms) if self._offset else self.wrench
        self._data.wrench[self._held] = held[self._acting]

    def _moved(self, span: float) -> np.ndarray:
        """(bodies, 6) turn and travel of each body since the last exchange; none of the ground."""
        a, b = self._before, self._after
        turn, travel = 0.5 * span * (a[:, OMEGA:] + b[:, OMEGA:]), b[:, POS:VEL] - a[:, POS:VEL]
        return np.where(self._acting[:, None], np.hstack([turn, travel]), 0.0)

    def _account(self, wrench: np.ndarray, moved: np.ndarray) -> None:
        given = float((wrench * moved).sum())
        self._work += (self.wrench * moved).sum(), given, abs(given)

    # ---- State

    def take_up(self, parts: Mapping[str, Mapping[str, np.ndarray]], time: float, y: np.ndarray) -> None:
        """Go on from the parts of a State; where the subsystem has none, with the memory with which it was given."""
        saved, own = parts.get(self.name), parts.get(f"{EXCHANGE_OF}{self.name}")
        if saved is None and own is not None:
            saved = {}  # a part without arrays is not in a file
        if saved is not None:
            self.load(own or {})
        self.guarded.take_up(saved)
        self.start(time, y, loaded=saved is not None)

    def save(self) -> dict[str, np.ndarray]:
        """What the exchange keeps."""
        return {
            "bodies": np.array(self.guarded.bodies, "U"),
            "pending": self.pending,
            "impulse": self.impulse,
            "given": self.given,
            "work": self._work,
        }

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Take over what `save` gave."""
        check_exchange(self.name, saved, self.guarded.bodies)
        for name, own in self.save().items():
            if name != "bodies":
                own[:] = saved[name]


def check_exchange(subsystem: str, saved: Mapping[str, np.ndarray], bodies: Sequence[str]) -> None:
    """Refuse what the exchange of a subsystem with these bodies would not have saved."""
    part = f"state: exchange of {subsystem!r}"
    shapes = {"bodies": (len(bodies),), "pending": (len(bodies), 6), "impulse": (6,), "given": (6,), "work": (3,)}
    if missing := [name for name in shapes if name not in saved]:
        raise InputError(f"{part}: {missing[0]!r} is missing")
    before = [str(body) for body in np.ravel(saved["bodies"])]
    if before != list(bodies):
        raise InputError(f"{part} is with {', '.join(before)}, in this order; the subsystem has {', '.join(bodies)}")
    for name, shape in shapes.items():
        array = saved[name]
        if array.shape != shape or (name != "bodies" and not (array.dtype.kind == "f" and np.isfinite(array).all())):
            raise InputError(f"{part}: {name} must be {shape} numbers")
