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

import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from gori.errors import InputError, RestartWarning, SimulationError
from gori.kernels.machine import Data, Machine
from gori.kernels.particles.columns import N_POSE, OMEGA, POS, VEL
from gori.kernels.particles.poses import add_impulse, body_poses, interpolate
from gori.model.body_frames import BodyFrames, moved_moment
from gori.sim.subsystem import EXCHANGE_OF, BodyMotion, Subsystem

_OWNERS: "WeakValueDictionary[int, Exchange]" = WeakValueDictionary()
"""by id of the subsystem: the exchange that has it now"""
_ADVANCED: "WeakValueDictionary[int, Subsystem]" = WeakValueDictionary()
"""by id: subsystems that have been advanced"""


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
        self.subsystem, self.step, self._frames, self._machine, self._data = subsystem, step, frames, machine, data
        self.name, self.bodies, self._sub_step = subsystem.name, tuple(subsystem.bodies), float(subsystem.step)
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
        self._taken_up, self._advanced = False, False
        self._fresh: dict[str, np.ndarray] | None = None  # memory of the subsystem as it was given
        _OWNERS[id(subsystem)] = self

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
        wrench = self._asked("start", BodyMotion(self._before[None].copy()), time, starting=True)
        if not loaded:
            self.impulse[:] = self.given[:] = self._work[:] = self.pending[:] = 0.0
            if wrench is not None:
                self._give(wrench, self.step, self._before)
        self._hold(self._before)
        self._outputs[:] = self._asked("output_values", starting=True)

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
        self._claim(time)
        if abs(span - self.step) <= 1e-9 * self.step + 4.0 * np.spacing(abs(time)):
            span = self.step  # times are rounded
        self.poses(y, self._after)
        moved = self._moved(span)
        steps = max(1, int(np.ceil(span / self._sub_step - 1e-9)))
        table = np.zeros((steps + 1, len(moved), N_POSE))
        interpolate(self._before, self._after, span, table, steps)
        table[0], table[-1] = self._before, self._after
        wrench = self._asked("advance", BodyMotion(table), span / steps, time)
        outputs = self._asked("output_values")
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

    def relocate(self, y: np.ndarray) -> None:
        """The bodies have been moved by the action of an event."""
        self.poses(y, self._before)
        self._hold(self._before)

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

    # ---- the subsystem

    def _claim(self, time: float) -> None:
        """Refuse a subsystem that another Simulation has taken; from now on it is known as advanced."""
        if _OWNERS.get(id(self.subsystem)) is not self:
            raise SimulationError(
                f"subsystem {self.name!r} was given to another Simulation meanwhile, and has one memory: make one for "
                "each",
                time,
            )
        if not self._advanced:
            self._advanced = True
            with suppress(TypeError):  # objects of some classes have no weak references
                _ADVANCED[id(self.subsystem)] = self.subsystem

    def _asked(self, member: str, *values: Any, starting: bool = False) -> Any:
        """What a member of the subsystem gives, checked; its errors name the subsystem and the time."""
        time, shape = values[-1] if values else self.time, self.wrench.shape
        try:
            value = getattr(self.subsystem, member)(*values)
            if member == "output_values":
                return _numbers(value, (len(self._outputs),), "output_values must give numbers")
            if value is None and member == "start":
                return None
            wrench = _numbers(value, shape, f"{member} must give wrenches")
            if not np.isfinite(wrench).all():
                body = self.bodies[int(np.argwhere(~np.isfinite(wrench))[0, 0])]
                raise InputError(f"the wrench on {body!r} is not finite: {wrench[~np.isfinite(wrench)][0]}")
            return wrench
        except SimulationError as error:
            error.time = error.time or time
            raise
        except Exception as error:
            words = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            words = f"subsystem {self.name!r} failed at t = {time:.6g} s: {words}"
            if starting:
                raise InputError(words) from error
            raise SimulationError(words, time, error) from error

    # ---- State

    def save_subsystem(self) -> dict[str, np.ndarray]:
        """What the subsystem keeps."""
        saved = self.subsystem.state()
        if not isinstance(saved, Mapping) or not all(isinstance(name, str) and name for name in saved):
            raise InputError(
                f"subsystem {self.name!r}: state() must give {{name: array, number or text}}, not {saved!r}"
            )
        try:
            return {name: np.asarray(value) for name, value in saved.items()}
        except ValueError as error:
            raise InputError(f"subsystem {self.name!r}: state() must give arrays, numbers and texts: {error}") from None

    def take_up(self, parts: Mapping[str, Mapping[str, np.ndarray]], time: float, y: np.ndarray) -> None:
        """Go on from the parts of a State; where the subsystem has none, with the memory with which it was given."""
        saved, own, first = parts.get(self.name), parts.get(f"{EXCHANGE_OF}{self.name}"), not self._taken_up
        if saved is None and own is not None:
            saved = {}  # a part without arrays is not in a file
        if first:
            self._remember(warn=saved is None)
        if saved is not None:
            self.load(own or {})
            self.subsystem.load({name: np.array(value) for name, value in saved.items()})
        elif not first:
            if self._fresh is None:
                raise InputError(f"subsystem {self.name!r} cannot start again: before start() its state() failed")
            self.subsystem.load({name: value.copy() for name, value in self._fresh.items()})
        self.start(time, y, loaded=saved is not None)

    def give_back(self) -> None:
        """Leave the subsystem as it was given; it may go to another Simulation."""
        if self._fresh is not None:
            self.subsystem.load({name: value.copy() for name, value in self._fresh.items()})
        _ADVANCED.pop(id(self.subsystem), None)
        _OWNERS.pop(id(self.subsystem), None)

    def _remember(self, warn: bool) -> None:
        """Keep the memory with which the subsystem was given: that of a start."""
        self._taken_up = True
        if warn and _ADVANCED.get(id(self.subsystem)) is self.subsystem:
            warnings.warn(
                f"subsystem {self.name!r} has been advanced by another Simulation, and starts with the memory that it "
                "has now: make a new one, or give a State",
                RestartWarning,
                stacklevel=5,
            )
        try:
            self._fresh = {name: np.array(value) for name, value in self.save_subsystem().items()}
        except InputError:
            raise
        except Exception:
            self._fresh = None  # it may know its state only after start()

    def save(self) -> dict[str, Any]:
        """What the exchange keeps."""
        names = np.array(self.bodies, "U")
        return {
            "bodies": names,
            "pending": self.pending,
            "impulse": self.impulse,
            "given": self.given,
            "work": self._work,
        }

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Take over what `save` gave."""
        part = f"state: exchange of {self.name!r}"
        own = self.save()
        if missing := [name for name in own if name not in saved]:
            raise InputError(f"{part}: {missing[0]!r} is missing")
        before, here = saved["bodies"].tolist(), own.pop("bodies").tolist()
        if before != here:
            raise InputError(f"{part} is with {', '.join(before)}, in this order; the subsystem has {', '.join(here)}")
        for name, array in own.items():
            if saved[name].shape != array.shape or not np.isfinite(saved[name]).all():
                raise InputError(f"{part}: {name} must be {array.shape} numbers")
            array[:] = saved[name]


def _numbers(value: Any, shape: tuple[int, ...], words: str) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" and array.size:
        raise InputError(f"{words} of shape {shape}, not {array.dtype if array.dtype.kind != 'O' else value!r}")
    if array.shape != shape:
        raise InputError(f"{words} of shape {shape}, not {array.shape}")
    return array.astype(float)
