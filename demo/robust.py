"""Demo of runs that survive: killed and resumed, protected from a second writer, stopped after a wall time."""

import os
import signal
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gori
from demo.report import Case, Report

STEP, DURATION, SAMPLE = 1e-5, 8.0, 4e-3


def _simulation() -> gori.Simulation:
    return gori.Simulation(gori.compile(gori.load("examples/arm.yaml")), gori.RK4(step=STEP))


def _kill_one(path: Path) -> float:
    """A process that runs into a file, killed after half a second and more; the time of its last checkpoint."""
    from gori.record import read_checkpoint

    child = os.fork()
    if child == 0:
        try:
            _simulation().run(DURATION, SAMPLE, path, progress=False, overwrite=True)
        finally:
            os._exit(0)
    end = time.monotonic() + 30.0
    while time.monotonic() < end:
        time.sleep(0.05)
        saved = read_checkpoint(path) if path.exists() else None
        if saved is not None and saved.time > 0.0:
            break
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    saved = read_checkpoint(path)
    return 0.0 if saved is None else saved.time


def killed(case: Case, report: Report) -> None:
    """A run that is killed goes on bit for bit.

    A falling arm is simulated by a process of its own, which is killed (kill -9) on the way. The run is resumed from
    its file, and must end with the same bits as one that was left alone. While a run writes, a second one is refused; a
    run with a limit of wall time ends as interrupted, and can be resumed as well.
    """
    path = report.folder / "killed.h5"
    whole = _simulation().run(DURATION, SAMPLE, progress=False)
    at = _kill_one(path) if hasattr(os, "fork") else 0.0
    left = gori.Recording.load(path)
    case.note("killed", f"with {len(left)} of {len(whole)} samples, checkpoint at {at:.3g} of {DURATION:g} s")
    resumed = gori.Simulation.resume(path, progress=False)
    same = np.array_equal(resumed.time, whole.time) and np.array_equal(resumed.q, whole.q)
    case.check("samples that differ", 0.0 if same else 1.0, 0.5)
    refused = 0

    def second(simulation: gori.Simulation) -> bool:
        nonlocal refused
        try:
            _simulation().run(0.1, path=path, overwrite=True, progress=False)
        except gori.errors.FileError:
            refused += 1
        return True

    model = gori.compile(gori.load("examples/arm.yaml"))
    gori.Simulation(model, gori.RK4(step=1e-3), driver=second).run(0.1, path=path, overwrite=True, progress=False)
    case.check("second writers that were let in", 1.0 - refused, 0.5)
    part = _simulation().run(DURATION, SAMPLE, path, progress=False, overwrite=True, max_wall=0.2)
    case.note("limited to 0.2 s of wall time", f"{part.info['end']} at t = {part.time[-1]:.3g} s")
    rest = gori.Simulation.resume(path, progress=False)
    case.check("samples that differ after that", 0.0 if np.array_equal(rest.q, whole.q) else 1.0, 0.5)
    figure, ax = plt.subplots(figsize=(8, 3))
    ax.plot(resumed.time, resumed["tool.z"], label="resumed")
    ax.plot(left.time, left["tool.z"], lw=4, alpha=0.4, label="before the kill")
    ax.axvline(at, color="k", ls=":", label="last checkpoint")
    ax.set(xlabel="time [s]", ylabel="tool, z [m]")
    ax.legend()
    report.picture(case, "killed.png", figure)


CASES = (killed,)
