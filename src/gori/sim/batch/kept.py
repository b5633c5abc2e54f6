"""What a machine of a batch keeps from step to step: members of the bundles of a Stepper, by path."""

from fnmatch import fnmatchcase
from typing import Any, NamedTuple, cast

import numpy as np

from gori.integrate import Method
from gori.kernels.batch.members import leaves, tree_of
from gori.sim.stepper import Stepper

KEPT = (
    "memory.head", "memory.state.*",
    "data.values",
    "data.loops.head", "data.loops.state.*", "data.loops.work.depart*",
    "data.turns", "data.track",
    "data.vehicle_clock", "data.driver", "data.wheel", "data.train", "data.wheel_output", "data.train_output",
    "data.contact", "data.cells", "data.window", "data.forgotten", "data.standing",
)  # fmt: skip
"""paths, besides the state vector and the clock"""
OF_CONTACT = tuple(f"data.contact_memory.{name}" for name in ("head", "point", "wrench", "measured"))
"""and where bodies may touch"""
RENEWED = ("data.loops.work.standing",)
"""members that tell what is computed already: zero for a machine that takes the place of another"""


class _Heads(NamedTuple):
    """Of the memory of a method, what `Method.forget` writes to: `head` of some machines in place of one."""

    head: np.ndarray


def forget_in(method: Method, heads: np.ndarray) -> np.ndarray:
    """The heads of the memories of some machines (machines, 1), which forget what is kept from step to step."""
    made = _Heads(heads.copy())
    method.forget(cast(Any, made))
    return made.head


def forgets(method: Method) -> bool:
    """Whether a method keeps something from step to step that a new state makes wrong."""
    return type(method).forget is not Method.forget


def all_members(stepper: Stepper) -> dict[str, np.ndarray]:
    """Arrays of Data and of the memory of the method, by path."""
    nothing: dict[str, Any] = dict.fromkeys(("user", "core", "closed", "vehicle", "penalty", "solver"))
    found = {}
    for name, bundle in (("data", stepper.data), ("memory", stepper.memory)):
        found |= {f"{name}.{path}": laid.array for path, laid in leaves(tree_of(bundle, False, nothing))}
    return found


def kept_members(stepper: Stepper) -> dict[str, np.ndarray]:
    """Those that are kept; empty ones are left out."""
    found: dict[str, Any] = {"y": stepper.y}
    patterns = KEPT if stepper.model.contact is None else (*KEPT, *OF_CONTACT)
    return found | {
        path: array
        for path, array in all_members(stepper).items()
        if array.size and any(fnmatchcase(path, kept) for kept in patterns)
    }
