"""IFToMM A03 and IVP test set: Andrews' squeezer (`bench.mechanisms.andrews`), all seven angles at 0.03 s.

Errors are relative, component by component, as the test set counts them. Methods of lower order are judged to 1e-3,
and by their order. The IFToMM version starts at beta = -0.0620 and runs for 0.05 s; no motion of it is published, its
measure is the balance of energy T + V - E0 - tau (beta - beta0).
"""

from collections.abc import Iterator

import numpy as np

import gori
from bench.mechanism_references import PUBLISHED_ANDREWS as ANGLES
from bench.mechanisms import andrews
from gori.model.state import State
from validation.check import Check, attempt, compare, order, small
from validation.solvers import Solver, first_order, with_loops

CASE, IFTOMM = "A03 Andrews", "A03 Andrews, IFToMM"
SPEEDS = dict(
    zip(
        ANGLES,
        (
            1139.920302151208,
            -1424.379294994111,
            11.03291221937134,
            19.29337464421385,
            0.5735699284790808,
            -19.29337464421385,
            0.3231791658026955,
        ),
        strict=True,
    )
)
"""at 0.03 s [rad/s]"""
ACCELERATIONS = dict.fromkeys(ANGLES, 0.0) | {"beta": 14222.4439199541, "Theta": -10666.8329399656}
"""at the start [rad/s2]"""
BOUNDS = {"dopri5": 1e-7, "rk4": 1e-7, "adams": 1e-3, "generalized_alpha": 1e-3}
BALANCE = {"dopri5": 1e-7, "rk4": 1e-7, "adams": 1e-3, "generalized_alpha": 1e-3}
"""[J]; the torque puts in about 1.4 J"""
METHODS = (
    gori.Dopri5(rtol=1e-10, atol=1e-12),
    gori.Dopri5(rtol=1e-12, atol=1e-13),
    gori.RK4(step=1e-5),
    gori.Adams(step=5e-6),
    gori.GeneralizedAlpha(step=6e-6),
)


def end(solver: Solver) -> tuple[dict[str, float], dict[str, float]]:
    """Angles [rad] and speeds [rad/s] at 0.03 s."""
    rec = solver.run(gori.compile(andrews()), 0.03, sample=3e-4)
    return {name: rec[f"{name}.q"][-1] for name in ANGLES}, {name: rec[f"{name}.v"][-1] for name in ANGLES}


def balance(solver: Solver) -> float:
    """Largest error of the balance of energy in the IFToMM version [J]."""
    spec = andrews().set("joints.beta.q", -0.0620)
    model = gori.compile(spec)
    q = gori.assemble(model, hold=("beta",))
    rec = solver.run(model, 0.05, sample=1e-4, state=State(0.0, q, np.zeros(model.nv)))
    spring, torque = spec.forces["spring"], spec.forces["drive"].value
    end = rec["K3.pose"] @ [*spring.child_at, 1.0]
    stretch = np.linalg.norm(end[:, :3] - spring.at, axis=1) - spring.length
    energy = rec["energy.kinetic"] + rec["energy.potential"] + 0.5 * spring.stiffness * stretch**2
    balance = energy - torque * rec["beta.q"]
    return float(np.abs(balance - balance[0]).max())


def checks(long: bool = False) -> Iterator[Check]:
    for way in gori.integrate.LOOPS:
        yield from attempt(CASE, Solver(gori.RK4(step=1e-9), way), _start)
    for solver in with_loops(METHODS):
        yield from attempt(CASE, solver, accurate)
        yield from attempt(IFTOMM, solver, balanced)
        if solver.kind in ("adams", "generalized_alpha"):
            yield from attempt(CASE, solver, convergent)
    for solver in with_loops(first_order(2e-6)):
        yield from attempt(CASE, solver, convergent)


def _start(solver: Solver) -> Iterator[Check]:
    """Accelerations from one step, so small that they do not change."""
    simulation = solver.simulation(gori.compile(andrews()))
    before = simulation.state.v
    gained = (simulation.step().v - before) / 1e-9
    found = {name: gained[simulation.model.joint(name).v][0] for name in ANGLES}
    yield compare(CASE, "accelerations at the start [rad/s2]", solver, ACCELERATIONS, found, 1e-3, source="published")


def accurate(solver: Solver) -> Iterator[Check]:
    angles, speeds = end(solver)
    yield compare(
        CASE, "7 angles at 0.03 s [rad]", solver, ANGLES, angles, BOUNDS[solver.kind], relative=True, source="published"
    )
    yield compare(
        CASE,
        "7 velocities at 0.03 s [rad/s]",
        solver,
        SPEEDS,
        speeds,
        BOUNDS[solver.kind],
        relative=True,
        source="published",
    )


def balanced(solver: Solver) -> Iterator[Check]:
    yield small(IFTOMM, "T + V - E0 - tau (beta - beta0), 0.05 s [J]", solver, balance(solver), BALANCE[solver.kind])


def convergent(solver: Solver) -> Iterator[Check]:
    coarse, fine = (
        max(abs(angles[name] / value - 1.0) for name, value in ANGLES.items())
        for angles, _ in (end(solver), end(solver.halved()))
    )
    yield order(CASE, "7 angles", solver, solver.order, coarse, fine, 0.2)
