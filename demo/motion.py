"""Demo of simulation in time: methods, events, recordings."""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import gori
from demo.report import Case, Report
from gori.spec import Body, Joint

PERIOD = 2.36784194757624  # 4 sqrt(L/g) K(1/2): the exact period from 90 degrees, L = 1 m, g = 9.81 m/s2


def _pendulum() -> gori.Model:
    return gori.compile(
        gori.Spec(
            bodies={"bob": Body(mass=1, com=(1, 0, 0), inertia=(0, 0, 0))},
            joints={"pivot": Joint(type="revolute", parent="ground", child="bob", axis=(0, 1, 0))},
        )
    )


def period(case: Case, report: Report) -> None:
    """A pendulum against its exact period.

    Released at rest, horizontal. Events find the turning points; the recording goes to a file and comes back.
    """
    simulation = gori.Simulation(_pendulum(), gori.Dopri5(rtol=1e-11, atol=1e-12), events={"turn": "pivot.v"})
    with tempfile.TemporaryDirectory() as folder:
        rec = simulation.run(6.0, path=Path(folder) / "run.h5")
        back = gori.Recording.load(Path(folder) / "run.h5")
        case.check("file against memory", np.abs(back.q - rec.q).max(), 1e-300)
    turns = [t for name, t in simulation.event_log if name == "turn"]
    case.check("period against 4 sqrt(L/g) K(1/2)", abs(turns[1] - PERIOD), 1e-8, " s")
    energy = rec["energy.total"]
    case.check("energy drift over 6 s", np.ptp(energy), 1e-8, " J")
    figure, ax = plt.subplots(figsize=(7, 3))
    ax.plot(rec.time, np.degrees(rec["pivot.q"]))
    ax.plot(turns, np.degrees(np.interp(turns, rec.time, rec["pivot.q"])), "o", label="events")
    ax.set(xlabel="time [s]", ylabel="angle [deg]")
    ax.legend()
    report.picture(case, "pendulum.png", figure)


def orders(case: Case, report: Report) -> None:
    """Every method has its order.

    A pendulum with a second link on a ball joint, spring and damper; the error at 0.4 s for halved steps.
    """
    spec = gori.Spec(
        bodies={name: Body(mass=1, com=(0.1, 0, -0.5), inertia=(0.1, 0.1, 0.02)) for name in ("upper", "lower")},
        joints={
            "pivot": Joint(type="revolute", parent="ground", child="upper", axis=(0, 1, 0), q=1.0, stiffness=20,
                                damping=0.1),
            "ball": Joint(type="spherical", parent="upper", child="lower", at=(0, 0, -1), v=(1, 2, 5)),
        },
    )  # fmt: skip
    model = gori.compile(spec)
    exact = gori.Simulation(model, gori.Dopri5(rtol=1e-12, atol=1e-13))
    exact.run(0.4)
    steps = np.array([8e-3, 4e-3, 2e-3])
    figure, ax = plt.subplots(figsize=(6, 4.5))
    for order, make in (
        (1, gori.SemiImplicit),
        (1, gori.ImplicitEuler),
        (2, gori.GeneralizedAlpha),
        (4, gori.RK4),
    ):
        errors = []
        for h in steps:
            simulation = gori.Simulation(model, make(step=float(h)))
            simulation.run(0.4)
            errors.append(np.abs(simulation.state.v - exact.state.v).max())
        measured = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        case.check(f"{make.__name__}, order {measured:.2f}, away from {order}", abs(measured - order), 0.2)
        ax.loglog(steps, errors, "o-", label=f"{make.__name__}, order {measured:.2f}")
    ax.set(xlabel="step [s]", ylabel="error of the velocities")
    ax.grid(True, which="both", alpha=0.3)
    ax.legend()
    report.picture(case, "orders.png", figure)


CASES = (period, orders)
