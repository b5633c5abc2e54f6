"""Where machines of a batch stand: vehicles at rest, each with its own parameters; and starts that are not as given."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gori.errors import AssemblyWarning, InputError, SpecWarning
from gori.model import Model, State
from gori.sim.batch.varied import Numbers
from gori.sim.progress import Progress
from gori.sim.vehicle.rest import at_rest
from gori.spec import Spec

ELSEWHERE = 0.05
"""change of a given coordinate that is told [rad, m]"""
NAMED = 10
"""machines that a warning names"""


def rest_states(model_of: Callable[[int], Model], sets: Sequence[int], speeds: np.ndarray, workers: int) -> list[State]:
    """`gori.at_rest` of machines, several at a time, with a bar.

    model_of   the Model of a set of parameters
    sets       of the machines; those of one set share what was found
    speeds     (machines,) [m/s]
    """
    wanted = sorted(set(sets))
    standing: dict[int, State] = {}
    rolling: dict[tuple[int, float], State] = {}
    models = {one: model_of(one) for one in wanted}
    bar = Progress(True, 0.0, float(len(wanted)), lambda: "machines come to rest")
    try:
        with ThreadPoolExecutor(min(workers, max(1, len(wanted))), thread_name_prefix="gori") as pool:
            for k, (one, state) in enumerate(zip(wanted, pool.map(lambda one: at_rest(models[one]), wanted))):
                standing[one] = state
                bar.move(k + 1.0)
    finally:
        bar.close()
    found = []
    for one, speed in zip(sets, speeds.tolist()):
        key = one, speed
        if key not in rolling:
            state = standing[one]
            rolling[key] = at_rest(models[one], speed=speed, standing=state) if speed else state
        found.append(rolling[key])
    return found


def speeds_of(speed: object, count: int) -> np.ndarray:
    """Speeds of so many machines (count,) [m/s], from one or one for each."""
    try:
        speeds = np.asarray(speed, float)
        found = np.broadcast_to(speeds, (count,))
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if not np.isfinite(found).all():
        raise InputError(f"speed must be a number of m/s, or one for each of {count} machines, not {speed!r:.100}")
    return found


def warn_of_starts(model: Model, spec: Spec, varied: Iterable[Numbers], parameters: Mapping[str, object]) -> None:
    """Tell of machines whose loops do not close where their Spec says that joints start: one warning for all.

    varied   of which those of y are the starts
    """
    starts = [numbers for numbers in varied if numbers.path == "y"]
    if not (starts and model.loops):
        return
    count = starts[0].values.shape[1]
    moved: dict[str, np.ndarray] = {}
    for info in model.joints:
        if not spec.joints[info.name].given or any(path.startswith(f"joints.{info.name}.q") for path in parameters):
            continue
        for numbers in starts:
            for word, values in zip(numbers.words, numbers.values):
                if info.q.start <= word < info.q.stop:
                    away = np.abs(values - model.q0[word]) > ELSEWHERE
                    moved[info.name] = moved.get(info.name, np.zeros(count, bool)) | away
    machines = np.flatnonzero(np.any(list(moved.values()), axis=0)) if moved else np.zeros(0, int)
    if len(machines):
        names = ", ".join(repr(name) for name, away in moved.items() if away.any())
        some = ", ".join(map(str, machines[:NAMED])) + (", ..." if len(machines) > NAMED else "")
        warnings.warn(
            f"{len(machines)} of {count} machines do not start where the Spec says that joint {names} does, because "
            f"their loops do not close there: machines {some}",
            AssemblyWarning,
            stacklevel=4,
        )


def warn_of_limits(spec: Spec, parameters: Mapping[str, object]) -> None:
    """Tell of machines whose parameters start a joint outside of its limits, as a Spec does: one warning for each."""
    for name, joint in spec.joints.items():
        given = {field: _values(parameters, name, field) for field in ("q", "q_deg", "limits", "limits_deg")}
        if not any(values is not None for values in given.values()):
            continue
        own = {
            field: np.asarray(getattr(joint, field), float)[None] if values is None else values
            for field, values in given.items()
        }
        starts, limits = (
            own[field] if np.isfinite(own[field]).all() else np.radians(own[f"{field}_deg"])
            for field in ("q", "limits")
        )
        low, high = limits.reshape(len(limits), -1)[:, [0, -1]].T
        start = starts.reshape(len(starts), -1)[:, 0]
        machines = np.flatnonzero((start < low - 1e-9) | (start > high + 1e-9))  # of what is not given NaN
        if len(machines):
            k, count = int(machines[0]), max(len(start), len(low))
            one, bounds = start[k % len(start)], (low[k % len(low)], high[k % len(high)])
            some = ", ".join(map(str, machines[:NAMED])) + (", ..." if len(machines) > NAMED else "")
            warnings.warn(
                f"joint {name!r} starts outside of its limits in {len(machines)} of {count} machines, as in machine "
                f"{k}: {one:.6g} is not within {bounds[0]:.6g} and {bounds[1]:.6g}; machines {some}",
                SpecWarning,
                stacklevel=4,
            )


def _values(parameters: Mapping[str, object], joint: str, field: str) -> np.ndarray | None:
    """Values (machines, ...) of a field of a joint, if parameters give them."""
    given = parameters.get(f"joints.{joint}.{field}", parameters.get(f"{joint}.{field}"))
    try:
        return None if given is None else np.asarray(given, float)
    except (TypeError, ValueError):  # such as None for some of the machines
        return np.full(1, np.nan)
