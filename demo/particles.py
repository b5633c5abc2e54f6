"""Demo of grains: a tray of gravel on a scale, shaken."""

from pathlib import Path

import matplotlib.pyplot as plt

import gori
from demo.report import Case, Report
from gori.view.particles import picture

TRAY = Path(__file__).parent.parent / "examples" / "tray.yaml"


def tray(case: Case, report: Report) -> None:
    """A tray of gravel, shaken: grains push the tray, and the tray the grains.

    400 spheres of 16 to 24 mm fall into a tray that slides on a spring, and settle; then it is shaken. At rest the tray
    carries their weight. While they slosh, momentum is kept: they have what the tray gave them along the way, no more.
    """
    shaken = {"load.fill.count": 400, "push.value": "200*sin(8*(t-0.5))*step(t-0.5)"}
    spec = gori.load(TRAY, set=shaken)
    simulation = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3))
    rec = simulation.run(1.5, sample=0.005, frames=0.05, progress=False)
    force, weight = rec["tray.wrench_from.load"], 9.81 * float(simulation.particles.mass.sum())
    settled = (rec.time > 0.4) & (rec.time < 0.5)
    case.check("carried at rest, against their weight", abs(-force[settled, 5].mean() / weight - 1.0), 0.01)
    gained = simulation.particles.momentum[0]
    given = -simulation.exchanges["particles"].impulse[3]
    case.check("momentum of the grains against what the tray gave", abs(gained - given), 1e-9, " N s")
    about = simulation.particles.about()
    case.note("grains, contacts", f"{about['count']}, {about['contacts']}; {about['substeps']} sub-steps in a step")
    figure, ax = plt.subplots(figsize=(6.5, 3.6))
    for k, name in ((3, "along"), (5, "up")):
        ax.plot(rec.time, force[:, k], label=name)
    ax.axhline(-weight, color="0.6", linestyle="--", label="their weight")
    ax.set(xlabel="time [s]", title="force of the grains on the tray [N]")
    ax.legend()
    ax.grid(True, alpha=0.3)
    report.picture(case, "tray_force.png", figure)
    picture(rec.frames, str(report.folder / "tray_still.png"), walls=simulation.model)
    report.film(case, "tray", rec, "tray_still.png", at=1.0, channels=["tray.wrench_from.load", "tray.x"])


CASES = (tray,)
