"""What a batch is given: which machines are meant, and what is refused."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gori.errors import DeviceWarning, InputError, UnsupportedError
from gori.integrate import Method, SemiImplicit, TimeStepping
from gori.kernels.device_array import DeviceArray
from gori.model import Model
from gori.model.threads import threads
from gori.sim.batch.varied import Numbers
from gori.sim.grid import MOST as MOST_STEPS
from gori.spec import Spec
from gori.text.arguments import is_one_of

MOST = 1 << 31
"""machines"""
Which = np.ndarray | Sequence[int] | Sequence[bool] | int | None
"""machines of a batch: a mask of bool, or an array of uint8 with a number for each machine; indices; one; None: all"""
POINTS_OF_SHAPE = 8
"""contact points for which a machine on a GPU has room, for each shape that collides"""
IN_CONTACT = ("time_stepping",)
"""methods whose machines touch each other on a GPU"""
Mask = np.ndarray | DeviceArray
"""machines of a batch: of bool, or of bytes on a GPU"""
Sets = np.ndarray | Sequence[int] | DeviceArray
"""a number of a set of parameters for each machine"""


def usable_device(device: str) -> str:
    """The device of a batch: "cpu", with a word, where there is no GPU that can be used."""
    if not is_one_of(device, ("cpu", "cuda")):
        raise InputError(f"device must be 'cpu' or 'cuda', not {device!r}")
    if device == "cuda":
        from gori.sim.batch.cuda import CudaMachines

        if why := CudaMachines.accelerator.missing():
            warnings.warn(
                f"device cuda: {why}. The machines of this batch move on the CPU", DeviceWarning, stacklevel=4
            )
            return "cpu"
    return device


def machine_index(machine: int, count: int) -> int:
    """The index of one machine of a batch of so many."""
    if not _is_whole(machine) or not 0 <= machine < count:
        raise InputError(f"machine must be a number from 0 to {count - 1}, not {machine!r}")
    return int(machine)


def machine_mask(machines: Which, count: int, gpu: int | None = None) -> Mask:
    """A mask (count,) from whatever says which machines. One on a GPU, where that is the device, stays there."""
    if machines is None:
        return np.ones(count, bool)
    if gpu is not None and (found := getattr(machines, "__cuda_array_interface__", None)) is not None:
        packed = np.dtype(found["typestr"]).itemsize == 1 and found.get("strides") is None
        if tuple(found["shape"]) != (count,) or not packed:
            raise InputError(f"a mask on a GPU must be of shape ({count},), of bool or uint8, and contiguous")
        return DeviceArray(found["data"][0], (count,), np.uint8, owner=machines, device=gpu)
    try:
        chosen = np.asarray(machines)
    except ValueError:
        raise InputError(f"machines must be a mask, or a row of indices, not {machines!r}") from None
    if chosen.size == 0:
        return np.zeros(count, bool)
    if _is_byte_mask(chosen, count):
        return _from_bytes(chosen)
    if chosen.dtype == bool:
        if chosen.shape != (count,):
            raise InputError(f"a mask of machines must be of shape ({count},), not {chosen.shape}")
        return chosen
    if chosen.dtype.kind not in "iu" or not 0 <= chosen.min() <= chosen.max() < count:
        raise InputError(f"machines must be a mask, or indices from 0 to {count - 1}, not {machines!r}")
    if chosen.shape == (count,) and count > 2 and chosen.max() <= 1:
        raise InputError(
            f"machines are {count} whole numbers 0 and 1, which would be indices: a mask is of bool or uint8, as "
            "mask.astype(bool)"
        )
    mask = np.zeros(count, bool)
    mask[chosen] = True
    return mask


def _is_byte_mask(chosen: np.ndarray, count: int) -> bool:
    return chosen.dtype == np.uint8 and chosen.shape == (count,)


def _from_bytes(chosen: np.ndarray) -> np.ndarray:
    if chosen.max() > 1:
        raise InputError(
            f"an array of uint8 of shape ({len(chosen)},) is a mask, of 0 and 1, and this one holds {chosen.max()}: "
            "give indices another type, as int64"
        )
    return chosen != 0


def machine_order(machines: Which, count: int, gpu: int | None = None) -> np.ndarray:
    """Numbers of the chosen machines in the order in which they are named: of indices theirs, of a mask that of the
    batch.
    """
    mask = on_host(machine_mask(machines, count, gpu))
    if machines is None or hasattr(machines, "__cuda_array_interface__"):
        return np.flatnonzero(mask)
    given = np.asarray(machines)
    named = given.dtype.kind in "iu" and not _is_byte_mask(given, count)
    return given.reshape(-1).astype(np.int64) if named else np.flatnonzero(mask)


def refuse_twice(machines: np.ndarray, what: str) -> None:
    """Refuse machines (by number) that are named more than once, where each gets something of its own."""
    numbers, times = np.unique(machines, return_counts=True)
    if (times > 1).any():
        raise InputError(f"machine {numbers[times > 1][0]} is named more than once: give each one {what}")


def machine_sets(sets: Sets, count: int, gpu: int | None = None) -> Mask:
    """Numbers of sets (count,). Those on a GPU, where that is the device, stay there."""
    if gpu is None or (found := getattr(sets, "__cuda_array_interface__", None)) is None:
        return np.asarray(sets)
    if tuple(found["shape"]) != (count,) or found["typestr"] != "<i8" or found.get("strides") is not None:
        raise InputError(f"sets on a GPU must be of shape ({count},), of int64, and contiguous")
    return DeviceArray(found["data"][0], (count,), np.int64, owner=sets, device=gpu)


def machine_count(count: int) -> int:
    """A number of machines."""
    if not _is_whole(count) or count <= 0:
        raise InputError(f"a batch has a positive number of machines, not {count!r}")
    if count >= MOST:
        raise InputError(f"a batch has at most {MOST - 1} machines, not {count}: make several of them")
    return int(count)


def worker_count(workers: int | None) -> int:
    """Threads of the CPU; None: as many as `gori.threads()` says."""
    workers = threads() if workers is None else workers
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InputError(f"workers must be a positive integer, not {workers!r}")
    return workers


def on_host(mask: Mask) -> np.ndarray:
    """A mask as a NumPy array."""
    return mask if isinstance(mask, np.ndarray) else mask.copy_to_host() != 0


def step_count(steps: int) -> int:
    """A number of steps."""
    if not _is_whole(steps) or not 1 <= steps <= MOST_STEPS:
        raise InputError(f"the number of steps must be an integer from 1 to {MOST_STEPS}, not {steps!r}")
    return int(steps)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def refuse_fewer(varied: Iterable[Numbers], count: int) -> None:
    """Refuse parameters of fewer machines."""
    for numbers in varied:
        if numbers.values.shape[1] < count:
            raise InputError(
                f"parameters are given for {numbers.values.shape[1]} machines, and the batch has {count}: "
                "give each its own; there may be more of them than machines (Batch.assign)"
            )


def refuse_settings(parameters: Mapping[str, Any], spec: Spec) -> None:
    """Refuse parameters of the section `run`, which a batch does not read."""
    for path in parameters:
        if path == "run" or (isinstance(path, str) and path.startswith("run.") and spec.run is not None):
            raise InputError(
                f"parameter {path!r} does nothing in a batch, which does not read the section `run`: method, loop "
                "solver and sub_steps are arguments of gori.batch, the same for all machines"
            )


def refuse_other_sets(sets: np.ndarray, chosen: np.ndarray, count: int) -> None:
    """Refuse what are not numbers of sets of parameters (machines,), of which there are so many, of chosen machines."""
    if sets.shape != chosen.shape or sets.dtype.kind not in "iu":
        raise InputError(
            f"sets must be {len(chosen)} whole numbers, one for each machine of the batch, not {sets!r:.200}: those of "
            "machines that are not chosen do not count"
        )
    if chosen.any() and not 0 <= sets[chosen].min() <= sets[chosen].max() < count:
        raise InputError(f"sets must be numbers from 0 to {count - 1}: parameters are given for {count}")


def contact_room(model: Model, device: str, contacts: int | None) -> int:
    """Contact points for which each machine has room; contacts: as given."""
    if contacts is not None and (not _is_whole(contacts) or not 1 <= contacts < MOST):
        raise InputError(f"contacts must be a positive number of contact points, not {contacts!r}")
    if model.contact is None:
        return 0
    if contacts is None:
        return model.contact.room if device == "cpu" else POINTS_OF_SHAPE * len(model.contact.tables.shape)
    return int(contacts)


def refuse_unable(model: Model, device: str, method: Method | None = None) -> None:
    """Refuse by name what machines of a batch cannot have yet."""
    touching, kind = (
        model.contact is not None and device == "cuda",
        SemiImplicit.kind if method is None else method.kind,
    )
    refused = {
        "particles": model.particles is not None,
        f"contact between bodies on a GPU with {kind} (take {', '.join(IN_CONTACT)})": (
            touching and kind not in IN_CONTACT
        ),
        "closed loops with time_stepping on a GPU": device == "cuda" and kind == TimeStepping.kind and model.loops,
        "contact of bodies beside vehicles or soft soil on a GPU": touching and model.vehicle is not None,
        "controls of the Spec, which set inputs by Python": model.vehicle is not None and model.vehicle.schedules,
    }
    for words, there in refused.items():
        if there:
            raise UnsupportedError(f"a batch does not support {words}: use gori.batch with a list of Simulations")
