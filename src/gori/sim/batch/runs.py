"""Many simulations at once, over threads: compiled code runs without the interpreter's lock, so that each thread has a
core of its own. Each simulation is stepped as it would be alone, with the same result to the last bit.
"""

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gori.errors import GoriError, InputError, SimulationError
from gori.model.threads import threads
from gori.record import Recording
from gori.sim.progress import Progress
from gori.sim.simulation import Simulation


def run_all(
    simulations: Sequence[Simulation],
    duration: float,
    sample: float | None = None,
    workers: int | None = None,
    paths: Sequence[str | Path] | None = None,
    progress: bool = True,
) -> list[Recording]:
    """Run simulations for a duration [s] each, several at a time; their Recordings, in the same order.

    They may share a Model, but each needs its own driver where drivers remember something. If some fail, the others are
    run to their end, and the error names the first that failed; its `recordings` are those of the good ones, and None.

    sample     time between samples [s], as in `Simulation.run`
    workers    threads; default: `gori.threads()`
    paths      HDF5 files, one for each
    """
    if not isinstance(simulations, Iterable):
        raise InputError(f"batch takes a list of Simulations, not {simulations!r}")
    simulations = list(simulations)
    if strange := [x for x in simulations if not isinstance(x, Simulation)]:
        raise InputError(f"batch takes a list of Simulations, not {strange[0]!r}")
    if len({id(simulation) for simulation in simulations}) < len(simulations):
        raise InputError("a simulation appears twice in the batch")
    if paths is not None and (isinstance(paths, str) or not isinstance(paths, Sequence)):
        raise InputError(f"paths must be a list of names of files, not {paths!r}")
    if paths is not None and len(paths) != len(simulations):
        raise InputError(f"paths must be {len(simulations)}, one for each simulation, not {len(paths)}")
    workers = threads() if workers is None else workers
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InputError(f"workers must be a positive integer, not {workers!r}")
    bar, done, lock = Progress(progress, 0.0, float(max(1, len(simulations)))), 0, threading.Lock()

    def one(k: int) -> Recording | GoriError:
        nonlocal done
        path = None if paths is None else paths[k]
        try:
            return simulations[k].run(duration, sample=sample, path=path, progress=False)
        except GoriError as error:
            return error
        finally:
            with lock:
                done += 1
                bar.move(float(done))

    try:
        with ThreadPoolExecutor(min(workers, max(1, len(simulations))), thread_name_prefix="gori") as pool:
            found = list(pool.map(one, range(len(simulations))))
    finally:
        bar.close()
    recordings = [result if isinstance(result, Recording) else None for result in found]
    for k, result in enumerate(found):
        if isinstance(result, GoriError):
            time = getattr(result, "time", 0.0)
            failure = SimulationError(f"simulation {k} of {len(found)}: {result}", time, result)
            failure.recording = getattr(result, "recording", None)
            failure.recordings = recordings
            raise failure from result
    return [recording for recording in recordings if recording is not None]
