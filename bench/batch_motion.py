"""Do the machines of `bench/batch_machines.py` move? Each scene N times for a second, one after the other on the CPU.

    python -m bench.batch_motion [SCENE ...]

Prints the mean speed (over machines, joints and time), the largest one, and the shares of machines that diverged and
that came to rest. Inputs of trees are written to the constants of the compiled signals.
"""

import sys
from typing import NamedTuple

import numpy as np

import gori
from bench.batch_machines import HOLD, SCENES, Scene
from bench.timing import console, finish, machine, show
from gori.kernels.forces.signals import CONSTANT, SIGNAL_KIND, SIGNAL_START

COUNT, DURATION = 32, 1.0
REST = 0.01
"""largest speed of a machine at rest, over the last tenth of the time"""


class Motion(NamedTuple):
    """What many machines did."""

    mean: float
    largest: float
    diverged: float
    at_rest: float
    sinkage: float  # mean over wheels at the end [m]; 0: none


class Levers:
    """Sets the inputs of one Simulation, by the row of a Scene's draw."""

    def __init__(self, scene: Scene, simulation: gori.Simulation):
        self.simulation, self.names = simulation, list(scene.inputs)
        self._forces = scene.speed is None
        if self._forces:
            signals, tables = scene.model.forces.signal_names, simulation.stepper.machine
            kinds = [signals.index(f"forces.{name}.value") for name in self.names]
            assert (tables.signal_i[kinds, SIGNAL_KIND] == CONSTANT).all()
            self._rows = tables.signal_i[kinds, SIGNAL_START]
            self._values = tables.signal_f

    def set(self, values: np.ndarray) -> None:
        if self._forces:
            self._values[self._rows, 0] = values
            self.simulation.stepper.forget()
        else:
            for name, value in zip(self.names, values):
                self.simulation.inputs[name] = value


def motion(scene: Scene, count: int = COUNT, duration: float = DURATION, seed: int = 1) -> Motion:
    """Drive so many machines with inputs of their own."""
    rng, holds = np.random.default_rng(seed), round(duration / HOLD)
    speeds = np.zeros((count, holds))
    diverged, sinkage, largest = 0, [], 0.0
    for k in range(count):
        simulation = scene.simulation()
        levers = Levers(scene, simulation)
        for hold in range(holds):
            levers.set(scene.draw(rng, 1)[0])
            try:
                simulation.advance(scene.steps_of_hold)
            except gori.errors.GoriError:
                diverged += 1
                speeds[k, hold:] = np.nan
                break
            v = np.abs(simulation.stepper.v[scene.measured])
            speeds[k, hold], largest = v.mean(), max(largest, v.max())
        state = simulation.state.vehicle
        if scene.speed is not None and state is not None:
            sinkage.append(float(state["wheel_output"]["sinkage"].mean()))
    late = speeds[:, -max(1, holds // 10) :]
    return Motion(
        float(np.nanmean(speeds)),
        float(largest),
        diverged / count,
        float((late < REST).all(axis=1).mean()),
        float(np.mean(sinkage)) if sinkage else 0.0,
    )


def main(*names: str) -> None:
    console.print(f"Gori {gori.__version__}. {machine()}")
    rows, figures = [], {}
    for name in names or SCENES:
        scene = SCENES[name]()
        found = motion(scene)
        rows.append([
            name, scene.model.nv, 1e3 * scene.step, found.mean, scene.unit, found.largest, 100.0 * found.diverged,
            100.0 * found.at_rest, 1e3 * found.sinkage,
        ])  # fmt: skip
        figures |= {f"{name}_mean_speed": found.mean, f"{name}_diverged": found.diverged}
    columns = ["scene", "nv", "step [ms]", "mean speed", "unit", "largest", "diverged [%]", "at rest [%]"]
    show(f"{COUNT} machines for {DURATION:g} s", [*columns, "sinkage [mm]"], rows)
    finish(figures)


if __name__ == "__main__":
    main(*sys.argv[1:])
