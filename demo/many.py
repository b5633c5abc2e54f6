"""Demo of many machines at once: inputs and parameters of their own, each as it would be alone."""

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gori
from demo.report import Case, Report
from examples.own_law import magnet, potential
from examples.tolerances import NOMINAL, SPREAD, simulated, swing
from gori.sim.batch import Batch
from gori.sim.batch.derivatives import Rollout

EXAMPLES = Path(__file__).parent.parent / "examples"


def tolerances(case: Case, report: Report) -> None:
    """Crank-rockers with lengths of their own.

    Three hundred four-bars, whose bars differ by tolerances of 0.2 mm, turn once. The angle by which each rocker swings
    follows from the law of cosines.
    """
    rng = np.random.default_rng(1)
    lengths = {bar: length + SPREAD * rng.normal(size=300) for bar, length in NOMINAL.items()}
    found, exact = simulated(lengths), swing(**lengths)
    case.check("swing against the law of cosines", np.abs(found - exact).max(), 2e-5, " rad")
    case.note("standard deviation", f"{np.degrees(found.std()):.3f} deg")
    figure, axes = plt.subplots(figsize=(6.0, 3.6))
    axes.hist(np.degrees(found), 30, color="0.6")
    axes.set(xlabel="swing of the rocker [deg]", ylabel="machines", title="300 four-bars, +-0.2 mm")
    report.picture(case, "tolerances.png", figure)


def vehicles(case: Case, report: Report) -> None:
    """Vehicles that are driven differently.

    Two hundred vehicles with throttle and steering of their own, for a second, in one call; three of them again as
    Simulations of their own, with the same bits.
    """
    model = gori.compile(gori.vehicle.spec("hmmwv"))
    state, n = gori.at_rest(model, speed=8.0), 200
    batch = gori.batch(model, n, gori.SemiImplicit(step=1e-3), state=state)
    batch.inputs["truck.selector"] = "D"
    batch.inputs["truck.throttle"] = throttle = np.linspace(0.0, 1.0, n)
    batch.inputs["truck.steer"] = steer = np.linspace(-1.0, 1.0, n)
    chassis = model.joint(next(joint.name for joint in model.joints if joint.type == "free")).q
    began, paths = time.perf_counter(), []
    for _ in range(20):
        batch.step(50)
        paths.append(batch.q[:, chassis][:, 4:6].copy())
    seconds, differ = time.perf_counter() - began, 0.0
    for k in (0, n // 2, n - 1):
        alone = gori.Simulation(model, gori.SemiImplicit(step=1e-3), state=state)
        alone.inputs["truck.selector"] = "D"
        alone.inputs["truck.throttle"], alone.inputs["truck.steer"] = float(throttle[k]), float(steer[k])
        alone.step(1000)
        differ = max(differ, float(np.abs(alone.q - batch.q[k]).max()))
    case.check("difference to Simulations", differ, 1e-300, " m")
    case.check("vehicles that failed", float(batch.failed.sum()), 0.5)
    case.note("speed", f"{n / seconds:.0f} vehicle seconds a second")
    figure, axes = plt.subplots(figsize=(6.0, 4.0))
    for path in np.array(paths).transpose(1, 0, 2)[::5]:
        axes.plot(*path.T, color="0.4", lw=0.7)
    axes.set(xlabel="x [m]", ylabel="y [m]", title="one second of 200 vehicles", aspect="equal")
    report.picture(case, "many_vehicles.png", figure)


def laws(case: Case, report: Report) -> None:
    """A law of one's own, compiled into the steps.

    Three hundred pendulums swing over magnets of different strengths: a Python function of q, whose arguments are
    parameters of each machine. What each gains in kinetic energy, it loses in the field and in its height.
    """
    n, rng = 300, np.random.default_rng(1)
    strength, below, start = rng.uniform(0.0, 1.0, n), rng.uniform(1.2, 1.5, n), rng.uniform(0.5, 2.0, n)
    batch = gori.batch(
        gori.load(EXAMPLES / "pendulum.yaml"), n, gori.RK4(step=1e-3), forces=magnet,
        parameters={"forces.magnet.strength": strength, "forces.magnet.below": below},
    )  # fmt: skip
    batch.q[:, 0] = start
    rec = batch.run(2.0, progress=False, sample=0.02)
    q, v = rec.q[:, :, 0], rec.v[:, :, 0]
    energy = 0.5 * v**2 - 9.81 * np.cos(q) + potential(q, strength, below)
    case.check("energy of a pendulum", np.abs(energy - energy[0]).max(), 1e-7, " J")
    figure, axes = plt.subplots(figsize=(6.0, 3.6))
    axes.plot(rec.time[:, 0], q[:, ::30], color="0.4", lw=0.7)
    axes.set(xlabel="time [s]", ylabel="angle [rad]", title="pendulums over magnets")
    report.picture(case, "magnets.png", figure)


def gradients(case: Case, report: Report) -> None:
    """Derivatives back through steps.

    How the angle at which each of fifty pendulums arrives after half a second changes with its mass and its damping, by
    one pass back through 500 steps, and by central differences of as many runs.
    """
    n, paths = 50, ["bodies.bob.mass", "joints.pivot.damping"]
    spec = gori.load(EXAMPLES / "pendulum.yaml").set("joints.pivot.damping", 0.1)
    values = {paths[0]: np.linspace(0.5, 2.0, n), paths[1]: np.linspace(0.05, 0.5, n)}

    def arrive(**given: np.ndarray) -> Batch:
        batch = gori.batch(spec, n, gori.SemiImplicit(step=1e-3), parameters=given)
        batch.q[:, 0] = 1.0
        return batch

    goal = np.zeros((n, 2))
    goal[:, 0] = 1.0
    found = Rollout(arrive(**values), np.zeros((500, n, 0)), paths).vjp(goal).of_parameters
    for path in paths:
        ends = []
        for sign in (1.0, -1.0):
            batch = arrive(**{**values, path: values[path] + 1e-5 * sign})
            batch.step(500)
            ends.append(batch.q[:, 0].copy())
        worst = np.abs(found[path] - (ends[0] - ends[1]) / 2e-5).max() / np.abs(found[path]).max()
        case.check(f"by {path}, against differences", worst, 1e-6)


CASES = (tolerances, vehicles, laws, gradients)
