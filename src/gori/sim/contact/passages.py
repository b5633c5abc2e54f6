"""What a run with the penalty law says at its end of bodies that went through each other, or for which its steps were
too long, or the stiffness too low.
"""

import warnings
from collections.abc import Iterator

import numpy as np

from gori.errors import ContactWarning
from gori.integrate import Method
from gori.kernels.contact.penalty_memory import DEEP, FAR, PASSED, STIFF, PenaltyMemory
from gori.model import Model
from gori.sim.contact.stiffness import ROOM

HALF = 1.0
"""depth by half of the smaller thickness that is worth a warning: from there the nearest way out is the other side"""


def warn_of_passages(model: Model, method: Method, memory: PenaltyMemory) -> None:
    """ContactWarnings that name two shapes each; what was noted is then forgotten."""
    worst = memory.worst.copy()
    memory.worst[:] = np.zeros(1, memory.worst.dtype)
    if model.contact is None or method.contact != "penalty":
        return
    for words in found(model, method, worst):
        warnings.warn(words, ContactWarning, stacklevel=4)


def found(model: Model, method: Method, worst: np.ndarray) -> Iterator[str]:
    """What is worth a warning, in words: the worst of all, and what else went wrong for another reason."""
    contact, step = model.contact, float(method.settings().get("step", 0.0))
    assert contact is not None
    half = contact.tables.shape["half"].min(axis=1)

    def names(row: np.void) -> str:
        return f"{contact.names[row['a']]} and {contact.names[row['b']]}"

    def thin(row: np.void) -> float:
        return float(min(half[row["a"]], half[row["b"]]))

    def when(row: np.void) -> str:
        return f"at t = {row['time']:.6g} s with {abs(row['speed']):.3g} m/s"

    passed, deep, far, stiff = worst[PASSED], worst[DEEP], worst[FAR], worst[STIFF]
    longest = thin(far) / abs(far["speed"]) if far["value"] > 1.0 else np.inf
    if passed["value"] > 0.0:
        times = "" if passed["value"] == 1.0 else f" {passed['value']:.0f} times, first"
        too_long = step * abs(passed["speed"]) > thin(passed) or far["value"] > 1.0
        cure = (
            f"Take steps of at most {min(longest, thin(passed) / abs(passed['speed'])):.2g} s (they are {step:g} s), "
            "dopri5, radau5, time_stepping or impacts"
            if too_long and step > 0.0
            else "The contact is too soft for that speed: give it more stiffness, or take time_stepping or impacts"
        )
        yield f"{names(passed)} passed through each other{times} {when(passed)}. {cure}"
    elif far["value"] > 1.0 and step > 0.0:
        yield (
            f"{names(far)} came together {when(far)}: {far['value']:.3g} times half of the smaller thickness in one "
            f"step, so that they may pass through each other or be thrown back. Take steps of at most {longest:.2g} s "
            f"(they are {step:g} s), dopri5, radau5, time_stepping or impacts"
        )
    limit = ROOM * method.decay_limit()
    if stiff["value"] > limit:
        yield (
            f"contact of {names(stiff)} was too fast for steps of {step:g} s {when(stiff)}: energy may have appeared "
            f"or vanished. Take steps of at most {min(step * limit / stiff['value'], longest):.2g} s, a lower "
            "stiffness or a higher restitution there, or an implicit or adaptive method"
        )
    if deep["value"] > HALF and passed["value"] == 0.0 and not stiff["value"] > limit:
        yield (
            f"{names(deep)} got {deep['value'] * thin(deep):.2g} m deep into each other {when(deep)}, half of the "
            f"smaller thickness is {thin(deep):.2g} m: beyond that they are pushed out on the other side. Give the "
            "contact more stiffness, or take time_stepping or impacts"
        )
