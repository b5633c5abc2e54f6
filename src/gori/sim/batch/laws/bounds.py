"""Laws of users tried out once, with every index checked: in steps nothing looks at them, and an index beyond an array
would change other memory.

Tried where machines start, with their parameters: what an index comes to later is not known.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.forces.signals import HELD, SIGNAL_KIND, SIGNAL_START, signals_one
from gori.model import Model, State
from gori.model.signals import readings
from gori.sim.batch.laws.own_functions import line_words, python_of
from gori.sim.batch.varied import Numbers

TRIALS = 1000
"""starts and sets of parameters that are tried at most"""
GUARD = 64
"""numbers before and after tau, which stay as they are: for what helpers write whose indices are not checked"""


def refuse_out_of_bounds(
    laws: Mapping[str, tuple[Any, Sequence[int]]], model: Model, numbers: Sequence[Numbers], states: Sequence[State]
) -> None:
    """Refuse laws whose first evaluation reads or writes beyond an array.

    laws      {name: (the law, compiled with checked indices, and the signals of its parameters)}
    numbers   values of signals that differ, by set
    states    where machines start, in their order; none: where the Model does
    """
    for k, t, q, v, values in _starts(model, numbers, states):
        for name, (law, signals) in laws.items():
            room = np.full(model.nv + 2 * GUARD, np.nan)
            tau = room[GUARD : GUARD + model.nv]
            tau[:] = 0.0
            arguments = t, q, v, tau, *(float(values[signal]) for signal in signals)
            words = ""
            try:
                law(*arguments)
            except IndexError:
                words = _words(law, arguments)
            except Exception:  # what a law raises stops its machine, with its words
                continue
            if not words and not np.isnan(np.delete(room, np.s_[GUARD : GUARD + model.nv])).all():
                words = f"it writes beyond tau, by a helper ({line_words(python_of(law))})"
            if words:
                raise InputError(
                    f"law {name!r} takes an index that is not there, where machine {k} starts: {words}. q has "
                    f"{model.nq} numbers, v and tau have {model.nv}"
                )


def _starts(
    model: Model, numbers: Sequence[Numbers], states: Sequence[State]
) -> Iterator[tuple[int, float, np.ndarray, np.ndarray, np.ndarray]]:
    """(machine, t, q, v, values of all signals) of some machines, or sets of parameters, from the first to the last."""
    forces = model.forces
    values, stack = np.zeros(len(forces.signal_i)), np.zeros(max(1, forces.depth))
    held = forces.signal_i[:, SIGNAL_KIND] == HELD
    values[held] = forces.signal_f[forces.signal_i[held, SIGNAL_START], 0]
    count, before, state = max([1, len(states), *(one.values.shape[1] for one in numbers)]), None, None
    t, q, v = 0.0, model.q0.copy(), model.v0.copy()
    for k in np.unique(np.linspace(0, count - 1, TRIALS).astype(int)).tolist():
        if states:
            state = states[min(k, len(states) - 1)]
            if state is not before:
                t, q, v = state.time, state.q.copy(), state.v.copy()
        if state is not before or k == 0:
            before = state
            if q.shape != (model.nq,) or v.shape != (model.nv,):
                return  # of another Model, which is told where the State is taken over
            signals_one(
                forces.signal_i, forces.signal_f, t, q, v, readings(model, forces.probes, q, v), values, stack
            )  # fmt: skip
        for one in numbers:
            values[one.words] = one.values[:, min(k, one.values.shape[1] - 1)]
        yield k, t, q, v, values


def _words(function: Callable, arguments: Sequence[Any]) -> str:
    """Which index it is and in which line: the same again, in Python."""
    plain = python_of(function)
    try:
        plain(*arguments)
    except IndexError as error:
        own = [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == plain.__code__.co_filename
        ]
        return f"{error} ({line_words(plain, own[-1].lineno if own else None)})"
    except Exception:
        pass
    return f"index is out of bounds ({line_words(plain)})"
