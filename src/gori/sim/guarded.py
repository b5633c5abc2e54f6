"""A subsystem of a user, seen through checks: errors that name it, wrenches that fit, one owner of its memory."""

import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from gori.errors import InputError, RestartWarning, SimulationError
from gori.sim.subsystem import BodyMotion, Subsystem

_OWNERS: "WeakValueDictionary[int, Guarded]" = WeakValueDictionary()
"""by id of the subsystem: who has it now"""
_ADVANCED: "WeakValueDictionary[int, Subsystem]" = WeakValueDictionary()
"""by id: subsystems that have been advanced"""


class Guarded:
    """A Subsystem, every answer of which is checked. Name, bodies and step are those that it had when it was given.

    outputs   count of its outputs
    """

    def __init__(self, subsystem: Subsystem, outputs: int):
        self._subsystem, self._outputs = subsystem, outputs
        self.name, self.bodies, self.step = subsystem.name, tuple(subsystem.bodies), float(subsystem.step)
        self._taken_up, self._advanced = False, False
        self._fresh: dict[str, np.ndarray] | None = None  # its memory as it was given
        _OWNERS[id(subsystem)] = self

    # ---- answers

    def start(self, motion: BodyMotion, time: float) -> np.ndarray | None:
        """The wrench (bodies, 6) of the first step, or None."""
        with self._naming(time, starting=True):
            wrench = self._subsystem.start(motion, time)
            return None if wrench is None else self._wrench("start", wrench)

    def advance(self, motion: BodyMotion, step: float, time: float) -> np.ndarray:
        """The mean wrench (bodies, 6)."""
        with self._naming(time):
            return self._wrench("advance", self._subsystem.advance(motion, step, time))

    def output_values(self, time: float, starting: bool = False) -> np.ndarray:
        """(outputs,) now."""
        with self._naming(time, starting):
            return _numbers(self._subsystem.output_values(), (self._outputs,), "output_values must return numbers")

    def _wrench(self, member: str, value: Any) -> np.ndarray:
        wrench = _numbers(value, (len(self.bodies), 6), f"{member} must return wrenches")
        if not np.isfinite(wrench).all():
            body = self.bodies[int(np.argwhere(~np.isfinite(wrench))[0, 0])]
            raise InputError(f"the wrench on {body!r} is not finite: {wrench[~np.isfinite(wrench)][0]}")
        return wrench

    def _naming(self, time: float, starting: bool = False) -> "_Naming":
        return _Naming(self.name, time, starting)

    # ---- memory

    def state(self) -> dict[str, np.ndarray]:
        """What the subsystem keeps."""
        saved = self._subsystem.state()
        if not isinstance(saved, Mapping) or not all(isinstance(name, str) and name for name in saved):
            raise InputError(
                f"subsystem {self.name!r}: state() must return {{name: array, number or text}}, not {saved!r}"
            )
        try:
            return {name: np.asarray(value) for name, value in saved.items()}
        except ValueError as error:
            raise InputError(
                f"subsystem {self.name!r}: state() must return arrays, numbers and texts: {error}"
            ) from None

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """The subsystem takes over what `state` gave, in arrays of its own."""
        try:
            self._subsystem.load({name: np.array(value) for name, value in saved.items()})
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            raise InputError(f"subsystem {self.name!r} refuses its part of the State: {words}") from error

    def take_up(self, saved: Mapping[str, np.ndarray] | None) -> None:
        """Go on from a part of a State; None: with the memory with which it was given."""
        first, self._taken_up = not self._taken_up, True
        if first:
            self._remember(warn=saved is None)
        if saved is not None:
            self.load(saved)
        elif not first:
            if self._fresh is None:
                raise InputError(f"subsystem {self.name!r} cannot start again: before start() its state() failed")
            self.load(self._fresh)

    def _remember(self, warn: bool) -> None:
        """Keep the memory with which the subsystem was given."""
        if warn and _ADVANCED.get(id(self._subsystem)) is self._subsystem:
            warnings.warn(
                f"subsystem {self.name!r} has been advanced by another Simulation, and starts with the memory that it "
                "has now: make a new one, or give a State",
                RestartWarning,
                stacklevel=6,
            )
        try:
            self._fresh = {name: np.array(value) for name, value in self.state().items()}
        except InputError:
            raise
        except Exception:
            self._fresh = None  # it may know its state only after start()

    # ---- owners

    def claim(self, time: float) -> None:
        """Before it advances: refuse a subsystem that another Simulation has taken."""
        if _OWNERS.get(id(self._subsystem)) is not self:
            raise SimulationError(
                f"subsystem {self.name!r} was given to another Simulation meanwhile, and has one memory: make one for "
                "each",
                time,
            )
        if not self._advanced:
            self._advanced = True
            with suppress(TypeError):  # objects of some classes have no weak references
                _ADVANCED[id(self._subsystem)] = self._subsystem

    def give_back(self) -> None:
        """Leave the subsystem as it was given; it may go to another Simulation."""
        if self._fresh is not None:
            self.load(self._fresh)
        _ADVANCED.pop(id(self._subsystem), None)
        _OWNERS.pop(id(self._subsystem), None)


class _Naming:
    """Within it, an error of a subsystem becomes one that names it and the time: of the input while it starts."""

    def __init__(self, name: str, time: float, starting: bool):
        self.name, self.time, self.starting = name, time, starting

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SimulationError):
            error.time = error.time or self.time
        elif isinstance(error, Exception):
            words = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            words = f"subsystem {self.name!r} failed at t = {self.time:.6g} s: {words}"
            raise (InputError(words) if self.starting else SimulationError(words, self.time, error)) from error


def _numbers(value: Any, shape: tuple[int, ...], words: str) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" and array.size:
        raise InputError(f"{words} of shape {shape}, not {array.dtype if array.dtype.kind != 'O' else value!r}")
    if array.shape != shape:
        raise InputError(f"{words} of shape {shape}, not {array.shape}")
    return array.astype(float)
