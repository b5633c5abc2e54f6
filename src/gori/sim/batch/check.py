"""What a file says that machines keep, against a batch: all of it is checked as States are (`sim/check.py`), and
compiled code sees nothing else.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.integrate.implicit import Implicit
from gori.kernels import codes as code
from gori.kernels.vehicle.drivetrain import HIGH_LOCKED, TRANSFER_NEUTRAL
from gori.model.vehicle.soil import places_of
from gori.sim.check import FLAGS, ROUNDING, largest_numbers
from gori.sim.grid import MOST
from gori.sim.stepper import Stepper

CODES = (
    code.OK, code.NOT_FINITE, code.SINGULAR, code.STEP_TOO_SMALL, code.NO_CONVERGENCE, code.NOT_CLOSED,
    code.POOR_CHOICE, code.NEAR_SINGULAR, code.OFF_GRID, code.SUNK, code.CONTACTS_FULL, code.CONTACT_PASSED,
    code.OFF_WINDOW,
)  # fmt: skip
"""what steps of a batch may come to"""
UNSET = ("data.standing", "data.contact_memory.measured")
"""members that may hold NaN: nothing stands there yet, or nothing touches"""
POINTS = "data.contact_memory.point"
"""of which those count that are there"""
UNIT = 1e-6
"""by how much the length of a normal may differ from 1"""
LOOPS = "data.loops.state."


def refuse_damage(kept: Mapping[str, np.ndarray], clock: np.ndarray, codes: np.ndarray, stepper: Stepper) -> None:
    """Raise InputError where machines cannot go on from what they are said to keep.

    kept     members by path (machines, ...)
    clock    start_time, steps_done, and others of CLOCK that are known (machines,)
    codes    (machines,)
    """
    able = (*CODES, code.USER_ERROR) if stepper.machine.user else CODES
    _refuse("codes", ~np.isin(codes, able), "is no result of steps")
    well = codes == code.OK  # others stand still, with whatever numbers they have failed
    most = _largest(stepper)
    for path, array in [*((path, array) for path, array in kept.items() if path != POINTS), ("clock", clock)]:
        for name, numbers in _fields(path, array):
            if numbers.dtype.kind == "i":
                largest = 1 if name.rpartition(".")[2] in FLAGS else most.get(name.rpartition(".")[2], MOST)
                _refuse(name, (numbers < 0) | (numbers > largest), f"must be from 0 to {largest}")
            elif path not in UNSET:
                _refuse(name, _of(well, ~np.isfinite(numbers)), "must be finite")
    times = clock["start_time"] + clock["steps_done"] * stepper.step
    _refuse("time", well & ~np.isfinite(times), "must be finite")
    if "time" in (clock.dtype.names or ()):
        late = np.abs(clock["time"] - times) > ROUNDING * stepper.step + 1e-12 * np.abs(times)
        _refuse("time", well & late, "is not that of its count of steps")
        _refuse("step", well & (clock["step"] != stepper.step), f"must be {stepper.step:g} s")
        _refuse("inside_step", clock["inside_step"] != 0, "must be 0")
    _refuse_contact(kept, well, stepper)
    _refuse_loops(kept, well)
    _refuse_pivots(kept, stepper)
    _refuse_vehicles(kept, well, times, stepper)


def _largest(stepper: Stepper) -> dict[str, int]:
    """The largest whole numbers of what is kept, by field."""
    memory, contact = stepper.data.contact_memory, stepper.model.contact
    most = largest_numbers(stepper.sizes) | {"redundant": stepper.sizes.ne}
    if contact is not None:
        last = len(contact.tables.shape) - 1
        most |= {"points": len(memory.point), "pairs": len(memory.pairs), "deepest_a": last, "deepest_b": last}
    if stepper.model.vehicle is not None and stepper.model.vehicle.soft:
        soil = stepper.model.vehicle.records.soil[0]
        most["cell"] = int(soil["nx"] * soil["ny"])
    return most


def _refuse_contact(kept: Mapping[str, np.ndarray], well: np.ndarray, stepper: Stepper) -> None:
    """Contact points of the last step, as `sim/contact/points.py` has it."""
    if (points := kept.get(POINTS)) is None or stepper.model.contact is None:
        return
    last = len(stepper.model.contact.tables.shape) - 1
    there = well[:, None] & (np.arange(points.shape[1]) < kept["data.contact_memory.head"]["points"])
    most = {"a": last, "b": last, "sticking": 1, "feature": np.iinfo(np.int64).max}
    for name, numbers in _fields(POINTS, points):
        rows = there.reshape(*there.shape, *[1] * (numbers.ndim - 2))
        if numbers.dtype.kind == "i":
            largest = most.get(name.rpartition(".")[2], MOST)
            _refuse(name, rows & ((numbers < 0) | (numbers > largest)), f"must be from 0 to {largest}")
        else:
            _refuse(name, rows & ~np.isfinite(numbers), "must be finite")
    with np.errstate(all="ignore"):
        bent = np.abs(np.linalg.norm(points["normal"], axis=-1) - 1.0) > UNIT
    _refuse(f"{POINTS}.normal", there & bent, "must be unit vectors")


def _refuse_loops(kept: Mapping[str, np.ndarray], well: np.ndarray) -> None:
    if (dependent := kept.get(f"{LOOPS}dependent")) is not None:
        _refuse(f"{LOOPS}dependent", ~np.isin(dependent, (0.0, 1.0)), "must be 0 or 1")
    for name in ("eps_mass", "eps_unit", "extra_inertia"):
        if (array := kept.get(f"{LOOPS}{name}")) is not None:
            _refuse(f"{LOOPS}{name}", _of(well, array < 0.0), "must not be negative")
    if (turns := kept.get("data.turns")) is not None:
        _refuse("data.turns", _of(well, turns != np.round(turns)), "must be whole")


def _refuse_pivots(kept: Mapping[str, np.ndarray], stepper: Stepper) -> None:
    """Pivots of a matrix that is there, as LAPACK leaves them: rows counted from one."""
    if not isinstance(stepper.method, Implicit) or "memory.state.closed_pivots" not in kept:
        return
    there, room = kept["memory.head"]["made_for"][:, 0] != 0.0, kept["memory.state.closed_pivots"]
    rows = room.shape[1]
    pivots = np.ascontiguousarray(room).view(np.int32).reshape(len(room), -1)[:, :rows]
    bad = there & ((pivots <= np.arange(rows)) | (pivots > rows)).any(axis=1)
    _refuse("memory.state.closed_pivots", bad, "is no row of the matrix")


def _refuse_vehicles(kept: Mapping[str, np.ndarray], well: np.ndarray, times: np.ndarray, stepper: Stepper) -> None:
    vehicle = stepper.model.vehicle
    if vehicle is None:
        return
    if (train := kept.get("data.train")) is not None:
        gears = vehicle.records.train["gears"]
        limits = {"gear": (-1, gears), "target": (-1, gears), "range": (TRANSFER_NEUTRAL, HIGH_LOCKED)}
        for name, (low, high) in limits.items():
            at = train[name]
            bad = ~((at >= low) & (at <= high) & (at == np.round(at)))
            _refuse(f"data.train.{name}", bad, "must be a position that the drive train has")
    if (window := kept.get("data.window")) is not None:
        index, places = window["cell"] - 1, np.arange(window.shape[1])
        elsewhere = (index >= 0) & (places_of(vehicle.records.soil, np.maximum(index, 0)) != places)
        _refuse("data.window.cell", elsewhere, "is of another place")
    if (own := kept.get("data.vehicle_clock")) is not None:
        apart = np.abs(own["time"][:, 0] - times) > 4.0 * np.spacing(np.abs(times))
        _refuse("data.vehicle_clock", well & apart, "must show the time of the machine")


def _fields(path: str, array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if array.dtype.names is None:
        yield path, array
    for name in array.dtype.names or ():
        yield f"{path}.{name}", array[name]


def _of(machines: np.ndarray, bad: np.ndarray) -> np.ndarray:
    """What is bad of these machines."""
    return bad & machines.reshape(-1, *[1] * (bad.ndim - 1))


def _refuse(name: str, bad: np.ndarray, words: str) -> None:
    if bad.any():
        machine = int(np.argwhere(bad)[0, 0])
        raise InputError(f"{name} of machine {machine} {words}: the file is damaged, or was changed")


# ---- words


def text_of(words: Mapping[int, str]) -> np.ndarray:
    """Why machines have failed, for a file."""
    return np.array(json.dumps({str(machine): why for machine, why in words.items()}))


def words_of(text: np.ndarray, count: int) -> dict[int, str]:
    """The same out of a file of a batch of so many machines."""
    try:
        if text.shape != () or text.dtype.kind != "U":
            raise ValueError("no text")
        found: Any = json.loads(text.item())
        words = {int(machine): why for machine, why in found.items()}
        if not all(0 <= machine < count and isinstance(why, str) for machine, why in words.items()):
            raise ValueError("no machine, or no words")
    except (ValueError, AttributeError, RecursionError):
        raise InputError("the file does not say why machines have failed") from None
    return words
