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

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.machine import Data, Machine
from gori.kernels.particles.columns import N_POSE, OMEGA, POS, VEL
from gori.kernels.particles.poses import add_impulse, body_poses, interpolate
from gori.model.body_frames import BodyFrames, crossed, moved_moment
from gori.sim.callers.pickled import Bound
from gori.sim.check import check_array, field_of, require
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


class Exchange(Bound):
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
        self._held = data.wrench[first : first + count]
        self._places = np.where(frames.rows > 0, 6 * np.arange(count), -1)  # the ground receives no momentum
        self._lever = bool(frames.p.any())  # some origin is not that of its row
        self._offset = bool(self._lever or (np.eye(3) != frames.R).any())
        self._arms, self._swept = np.zeros((2, count, 3))  # from rows to bodies, world axes; their rates
        self._moved = np.zeros((count, 6))
        self._before, self._after = np.zeros((2, count, N_POSE))
        self.time = 0.0
        self.impulse, self.given, self._work = np.zeros(6), np.zeros(6), np.zeros(3)
        self.wrench, self.pending = np.zeros((count, 6)), np.zeros((count, 6))

    @property
    def work(self) -> Work:
        """The account of work."""
        return Work(*self._work.tolist())

    def poses(self, y: np.ndarray) -> np.ndarray:
        """Poses and velocities (bodies, N_POSE) of the subsystem's bodies at a state."""
        out, now = np.zeros_like(self._before), (self._arms, self._swept)
        self._look(y, out)
        self._arms, self._swept = now
        return out

    def _look(self, y: np.ndarray, out: np.ndarray) -> None:
        """The bodies are at y: their poses, and the arms of their forces."""
        body_poses(self._machine, self._data, y, self._frames.rows, out)
        if self._offset:
            R = out[:, :POS].reshape(-1, 3, 3)
            if self._lever:
                self._arms = (R @ self._frames.p[:, :, None])[:, :, 0]
                self._swept = crossed(out[:, OMEGA:], self._arms)
                out[:, POS:VEL] += self._arms
                out[:, VEL:OMEGA] += self._swept
            out[:, :POS] = (R @ self._frames.R).reshape(-1, 9)

    # ---- steps

    def start(self, time: float, y: np.ndarray, loaded: bool) -> None:
        """The bodies are here now; loaded: the wrenches of a State act on."""
        self.time = time
        self._look(y, self._before)
        wrench = self.guarded.start(BodyMotion(self._before[None].copy()), time)
        if not loaded:
            self.impulse[:] = self.given[:] = self._work[:] = self.pending[:] = 0.0
            if wrench is not None:
                self._give(wrench, self.step, self._before)
        self._hold()
        self._outputs[:] = self.guarded.output_values(time, starting=True)

    def aim(self) -> None:
        """Before a step: the arm of a force is that of the middle of the step, to first order."""
        if self._lever:
            self._put(self._arms + 0.5 * self.step * self._swept)

    def arrive(self, y: np.ndarray) -> None:
        """After a step: what was held stands in `data.wrench` as it acts where the bodies have arrived."""
        if self._lever:
            self._look(y, self._after)
            self._put(self._arms)

    def advance(self, time: float, y: np.ndarray) -> None:
        """The bodies have come to y at this time: the subsystem follows, and its wrenches act from now on."""
        span = time - self.time
        if span <= 0.0:
            return
        self.guarded.claim(time)
        if abs(span - self.step) <= 1e-9 * self.step + 4.0 * np.spacing(abs(time)):
            span = self.step  # times are rounded
        self._look(y, self._after)
        steps = max(1, math.ceil(span / self.guarded.step - 1e-9))
        table = np.empty((steps + 1, len(self.wrench), N_POSE))
        interpolate(self._before, self._after, span, table, steps)
        table[0], table[-1] = self._before, self._after
        wrench = self.guarded.advance(BodyMotion(table), span / steps, time)
        outputs = self.guarded.output_values(time)
        self._account(wrench, span)
        self.pending -= span * self.wrench
        add_impulse(self._after, self.wrench.reshape(-1), self._places, span, self.given)
        self._give(wrench, span, self._after)
        self._hold()
        self._outputs[:] = outputs
        self._before, self._after, self.time = self._after, self._before, time

    def forget_outputs(self) -> None:
        """What it puts out is not known: it has failed, or was not asked."""
        self._outputs[:] = np.nan

    def relocate(self, y: np.ndarray, saved: Mapping[str, np.ndarray] | None) -> None:
        """The action of an event has moved the bodies, or changed the memory of the subsystem."""
        self._look(y, self._before)
        self._hold()
        if saved is not None:
            now = self.guarded.state()
            if now.keys() != saved.keys() or any(now[name].tobytes() != saved[name].tobytes() for name in now):
                self.guarded.load(saved)

    def _give(self, wrench: np.ndarray, span: float, poses: np.ndarray) -> None:
        """A mean wrench over a time is on its way to the bodies."""
        self.pending += span * wrench
        add_impulse(poses, np.ascontiguousarray(wrench).reshape(-1), self._places, span, self.impulse)

    def _hold(self) -> None:
        """What is on its way acts on the bodies, where they are now, until the next exchange."""
        np.divide(self.pending, self.step, out=self.wrench)
        self._put(self._arms)

    def _put(self, arms: np.ndarray) -> None:
        """The held wrenches as compiled code takes them: moments about the origins of the rows."""
        self._held[:] = moved_moment(self.wrench, -arms) if self._lever else self.wrench

    def _account(self, wrench: np.ndarray, span: float) -> None:
        """Work over turn and travel of each body since the last exchange; the ground has none."""
        a, b, moved = self._before, self._after, self._moved
        moved[:, :3] = 0.5 * span * (a[:, OMEGA:] + b[:, OMEGA:])
        moved[:, 3:] = b[:, POS:VEL] - a[:, POS:VEL]
        given = float(np.vdot(wrench, moved))
        self._work += (float(np.vdot(self.wrench, moved)), given, abs(given))

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
        part = "exchange" if self.name == "particles" else f"{EXCHANGE_OF}{self.name}"
        check_exchange(part, saved, self.guarded.bodies)
        for name, own in self.save().items():
            if name != "bodies":
                own[:] = saved[name]


def check_exchange(part: str, saved: Mapping[str, np.ndarray], bodies: Sequence[str]) -> None:
    """Refuse what an Exchange with these bodies would not have saved; part: its name in the State."""
    count = len(bodies)
    shapes = {"pending": (count, 6), "impulse": (6,), "given": (6,), "work": (3,)}
    require(part, saved, ("bodies", *shapes))
    before = [str(body) for body in np.ravel(saved["bodies"])]
    if before != list(bodies):
        raise InputError(
            f"{field_of(part, 'bodies')}: it is with {', '.join(before)}, in this order; the subsystem has "
            f"{', '.join(bodies)}"
        )
    for name, shape in shapes.items():
        check_array(part, name, saved[name], np.zeros(shape))
